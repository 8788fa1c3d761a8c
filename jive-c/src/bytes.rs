//! Arrays of bytes of an instance.

use jive_core::{ArrayKind, Heap};

use crate::natives::JiveHeap;
use crate::state::{Jive, status};
use crate::{JiveStatus, given};

/// Allocates a `byte[]` that lives as long as the instance, and gives its number.
///
/// # Safety
///
/// `jive` is of `jive_load`; `array` leads to an `int32_t`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_new_bytes(
    jive: *mut Jive,
    length: usize,
    array: *mut i32,
) -> JiveStatus {
    // SAFETY: The caller promises it.
    status(unsafe {
        Jive::with(jive, |loaded| {
            loaded.exhausted = None;
            let length = i32::try_from(length).map_err(|_| JiveStatus::NoMemory)?;
            let allocated = loaded.instance.heap_mut().allocate(ArrayKind::Byte, length);
            given::put(array, allocated.map_err(|_| JiveStatus::NoMemory)?)
        })
    })
}

/// Returns the bytes of an array and their number, or null if the number is that of no array. Elements of a `short[]` or
/// `int[]` are in little-endian order. The bytes stay where they are until the next call.
///
/// # Safety
///
/// `jive` is of `jive_load`; `length` is null or leads to a `size_t`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_bytes(jive: *mut Jive, array: i32, length: *mut usize) -> *mut u8 {
    // SAFETY: The caller promises it.
    let found = unsafe {
        Jive::with(jive, |loaded| {
            bytes_of(loaded.instance.heap_mut(), array, length)
        })
    };
    found.unwrap_or(core::ptr::null_mut())
}

/// Returns the bytes of an array for a native, as `jive_bytes` does.
///
/// # Safety
///
/// `heap` is what the callback got, and the callback has not returned; `length` is null or leads to a `size_t`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_heap_bytes(
    heap: *mut JiveHeap,
    array: i32,
    length: *mut usize,
) -> *mut u8 {
    let heap = heap.cast::<Heap<'static>>();
    if heap.is_null() {
        return core::ptr::null_mut();
    }
    // SAFETY: The pointer is not null. The caller promises that it is of the running callback, so it is the exclusive
    // reference that `Performing::call` holds, which is not used before the callback returns. The lifetime does not
    // matter, because what is returned is a pointer.
    let found = unsafe { bytes_of(&mut *heap, array, length) };
    found.unwrap_or(core::ptr::null_mut())
}

/// # Safety
///
/// `length` is null or leads to a `size_t`.
unsafe fn bytes_of(
    heap: &mut Heap<'_>,
    array: i32,
    length: *mut usize,
) -> Result<*mut u8, JiveStatus> {
    let bytes = heap.bytes_mut(array).ok_or(JiveStatus::Argument)?;
    // SAFETY: The caller promises it.
    unsafe { given::put_if_wanted(length, bytes.len()) }?;
    Ok(bytes.as_mut_ptr())
}
