//! The memory that C lends, cut into slices.

use core::alloc::Layout;
use core::mem::MaybeUninit;

use bump_into::BumpInto;
use jive_load::Arena;

/// An arena that is cut from one piece of memory.
///
/// It lends what `jive_load::Storage` would lend. But the search for room is the same code for all types of elements,
/// which a device then has once and not once for each type. That takes unsafe code, so it is here.
pub(crate) struct Lent<'m>(BumpInto<'m>);

impl<'m> Lent<'m> {
    pub(crate) fn new(memory: &'m mut [MaybeUninit<u8>]) -> Lent<'m> {
        Lent(BumpInto::from_slice(memory))
    }

    /// Returns how many bytes have not been lent.
    pub(crate) fn remaining(&self) -> usize {
        self.0.available_bytes()
    }

    /// Lends memory for values of a type, of which none is initialized. Returns `None` if there is too little room.
    pub(crate) fn lend_uninit<T>(&self, count: usize) -> Option<&'m mut [MaybeUninit<T>]> {
        let place = self.place(Layout::array::<T>(count).ok());
        if place.is_null() {
            return None;
        }
        // SAFETY: `place` found room for as many values, aligned for them, which nothing else uses during `'m`. Values
        // that may be uninitialized need no initialization.
        Some(unsafe { core::slice::from_raw_parts_mut(place.cast(), count) })
    }

    /// Returns where a layout has room, or null.
    #[inline(never)]
    fn place(&self, layout: Option<Layout>) -> *mut MaybeUninit<u8> {
        self.0.alloc_space(layout)
    }
}

/// Returns values that were written.
///
/// # Safety
///
/// Each of them was.
pub(crate) const unsafe fn written<T>(places: &mut [MaybeUninit<T>]) -> &mut [T] {
    let values: *mut [T] = core::ptr::from_mut(places) as *mut [T];
    // SAFETY: `MaybeUninit<T>` has the layout of `T`, and the caller promises that each value is initialized.
    unsafe { &mut *values }
}

impl<'m> Arena<'m> for Lent<'m> {
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    fn lend<T: Copy + Default>(&self, count: usize) -> &'m mut [T] {
        let Some(places) = self.lend_uninit(count) else {
            return &mut [];
        };
        for place in &mut *places {
            place.write(T::default());
        }
        // SAFETY: Every value was written above.
        unsafe { written(places) }
    }
}
