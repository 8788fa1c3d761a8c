//! What C gives: pointers, which become references here and nowhere else.

use core::ffi::{CStr, c_char};
use core::mem::MaybeUninit;

use crate::JiveStatus;

/// Returns the slice at a pointer. A null pointer is a slice only if the length is 0.
///
/// # Safety
///
/// A pointer that is not null leads to `length` initialized elements, which nothing changes during `'a`.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, length: usize) -> Result<&'a [T], JiveStatus> {
    if length == 0 {
        return Ok(&[]);
    }
    if !fits(pointer, length) {
        return Err(JiveStatus::Argument);
    }
    // SAFETY: The pointer is aligned and not null, and the bytes fit in the address space, as `fits` found. The caller
    // promises the rest.
    Ok(unsafe { core::slice::from_raw_parts(pointer, length) })
}

/// Returns the memory at a pointer, which need not be initialized.
///
/// # Safety
///
/// A pointer that is not null leads to `length` bytes, which nothing else uses during `'a`.
pub(crate) unsafe fn memory<'a>(
    pointer: *mut u8,
    length: usize,
) -> Result<&'a mut [MaybeUninit<u8>], JiveStatus> {
    if length == 0 {
        return Ok(&mut []);
    }
    if !fits(pointer, length) {
        return Err(JiveStatus::Argument);
    }
    // SAFETY: The pointer is not null, and the bytes fit in the address space, as `fits` found. `MaybeUninit<u8>` needs
    // no alignment and no initialization. The caller promises the rest.
    Ok(unsafe { core::slice::from_raw_parts_mut(pointer.cast(), length) })
}

/// Returns the text at a pointer, which ends with a zero.
///
/// # Safety
///
/// A pointer that is not null leads to bytes that end with a zero, which nothing changes during `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char) -> Result<&'a str, JiveStatus> {
    if pointer.is_null() {
        return Err(JiveStatus::Argument);
    }
    // SAFETY: The pointer is not null. The caller promises the rest.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| JiveStatus::Argument)
}

/// Writes a result.
///
/// # Safety
///
/// A pointer that is not null leads to memory for a `T`, which nothing else uses meanwhile.
pub(crate) unsafe fn put<T>(pointer: *mut T, value: T) -> Result<(), JiveStatus> {
    if !fits(pointer, 1) {
        return Err(JiveStatus::Argument);
    }
    // SAFETY: The pointer is aligned and not null, as `fits` found. The caller promises the rest.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Writes a result, unless the caller does not want it.
///
/// # Safety
///
/// As for [`put`].
pub(crate) unsafe fn put_if_wanted<T>(pointer: *mut T, value: T) -> Result<(), JiveStatus> {
    if pointer.is_null() {
        return Ok(());
    }
    // SAFETY: The caller promises it.
    unsafe { put(pointer, value) }
}

/// Returns whether a pointer is aligned and not null, and as many elements fit behind it in the address space.
fn fits<T>(pointer: *const T, length: usize) -> bool {
    let bytes = length.checked_mul(size_of::<T>());
    let bytes = bytes.filter(|bytes| isize::try_from(*bytes).is_ok());
    let end = bytes.and_then(|bytes| pointer.addr().checked_add(bytes));
    !pointer.is_null() && pointer.is_aligned() && end.is_some()
}
