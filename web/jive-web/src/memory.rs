//! How a page's script passes a request and reads the answer: three exports of the module.
//!
//! The script calls `allocate` for the request's length and writes the request there, calls `ask`, and reads the answer at
//! the returned place. It frees both. All three are called by one thread, that of the page's worker.

use std::alloc::{Layout, alloc, dealloc};

/// Returns memory for `length` bytes, or null if there is none.
///
/// # Safety
///
/// The memory belongs to the caller until it is given to [`free`] with the same length.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "the page's script writes the request")]
extern "C" fn allocate(length: usize) -> *mut u8 {
    match Layout::array::<u8>(length) {
        // SAFETY: the layout has a length above zero.
        Ok(layout) if length > 0 => unsafe { alloc(layout) },
        Ok(_) | Err(_) => std::ptr::null_mut(),
    }
}

/// Gives back memory of `length` bytes.
///
/// # Safety
///
/// The memory is that of an [`allocate`] or an [`answer`] of this length, and is not used any more.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "the page's script has read the answer")]
unsafe extern "C" fn free(place: *mut u8, length: usize) {
    if let Ok(layout) = Layout::array::<u8>(length)
        && length > 0
        && !place.is_null()
    {
        // SAFETY: `allocate` and the boxed slice of `answer` have made the memory with this layout.
        unsafe { dealloc(place, layout) }
    }
}

/// Answers the request of `length` bytes at a place. Returns the place of the answer in the lower half of the result, and its
/// length in the upper half.
///
/// # Safety
///
/// The script has written that many bytes at the place, which [`allocate`] returned for that length; null stands for an
/// empty request.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "the page's script has written the request")]
unsafe extern "C" fn answer(place: *const u8, length: usize) -> u64 {
    let request = if place.is_null() {
        &[]
    } else {
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts(place, length) }
    };
    let answer = Box::leak(super::ask(request).into_boxed_slice());
    let (place, length) = (answer.as_mut_ptr() as usize as u64, answer.len() as u64);
    length << 32 | place & 0xffff_ffff
}
