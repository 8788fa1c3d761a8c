//! Loads Java class files and calls their methods from C, in memory that the caller lends.
//!
//! `include/jive.h` declares what this crate exports, and `README.md` shows a program that uses it. The caller lends two
//! pieces of memory: `memory`, which the loaded class keeps, and `scratch`, which is free again after loading. Nothing is
//! allocated or freed, so the same source serves a host and a device.
//!
//! A [`Jive`] is one class and one instance of it. Each function checks its pointers for null and its numbers for sense;
//! the verifier and the interpreter check everything that a class file could do. What remains is the caller's promise
//! that a pointer which is not null leads to as much memory as the header says.
#![cfg_attr(target_os = "none", no_std)]
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used
    )
)]

mod bytes;
mod call;
mod given;
mod lent;
mod loading;
mod members;
mod natives;
mod state;

pub use bytes::{jive_bytes, jive_heap_bytes, jive_new_bytes};
pub use call::{jive_call, jive_fuel, jive_fuel_used, jive_resume};
pub use loading::{JiveNeeds, JiveRefusal, JiveRoom, jive_explain, jive_load, jive_memory_needed};
pub use members::{
    JiveField, JiveMethod, JivePlace, jive_field, jive_get, jive_method, jive_set, jive_trap_at,
    jive_trap_name,
};
pub use natives::{JiveHeap, JiveNative};
pub use state::Jive;

/// How a function ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum JiveStatus {
    /// The function did what its description says.
    Ok,
    /// The class file was refused: `jive_explain` says by which rule.
    Refused,
    /// The call trapped: `jive_trap_name` and `jive_trap_at` say why and where.
    Trapped,
    /// The lent memory is too small: `jive_memory_needed` says how much is needed.
    NoMemory,
    /// The class has no such method or field.
    NotFound,
    /// A pointer is null, a text is no UTF-8, or an argument does not fit.
    Argument,
    /// A native called the function for the instance that is calling the native.
    Busy,
}

/// A text that is not terminated by a zero: print it with `"%.*s"`. Empty if there is none.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct JiveText {
    /// The first byte.
    pub bytes: *const u8,
    /// The number of bytes.
    pub length: usize,
}

impl JiveText {
    pub(crate) const fn of(text: &'static str) -> JiveText {
        JiveText::of_bytes(text.as_bytes())
    }

    pub(crate) const fn of_bytes(bytes: &'static [u8]) -> JiveText {
        JiveText {
            bytes: bytes.as_ptr(),
            length: bytes.len(),
        }
    }
}

/// A device has nobody to report a panic to. No input causes one.
#[cfg(target_os = "none")]
#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
