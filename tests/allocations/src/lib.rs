//! A global allocator that counts, for tests and benchmarks that state what code allocates.
//!
//! It counts per thread, so tests that run at the same time do not see each other.

#![expect(
    unsafe_code,
    reason = "`GlobalAlloc` is an unsafe trait; this crate exists for it"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with counters. To be declared as `#[global_allocator]`.
#[derive(Copy, Clone, Debug)]
pub struct CountingAllocator;

/// What a thread has allocated so far.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocated {
    /// How often memory was asked for, growth of what was there included.
    pub requests: u64,
    /// Bytes that are in use. Memory that another thread freed is still in here.
    pub bytes: i64,
}

thread_local! {
    // Initialised at compile time and without a destructor: reading it never allocates.
    static ALLOCATED: Cell<Allocated> = const { Cell::new(Allocated { requests: 0, bytes: 0 }) };
}

/// Returns what this thread has allocated so far; nothing, unless [`CountingAllocator`] is the global
/// allocator.
#[must_use]
pub fn allocated() -> Allocated {
    ALLOCATED.get()
}

fn count(requests: u64, bytes_more: usize, bytes_less: usize) {
    let before = ALLOCATED.get();
    // Sizes of allocations are at most `isize::MAX`.
    ALLOCATED.set(Allocated {
        requests: before.requests + requests,
        bytes: before.bytes + bytes_more as i64 - bytes_less as i64,
    });
}

// SAFETY: every call is passed on to `System`, which keeps the trait's promises, with the arguments as they came.
// Counting touches nothing that was allocated, does not allocate and does not unwind.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size(), 0);
        // SAFETY: the caller keeps `alloc`'s conditions, which are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size(), 0);
        // SAFETY: the caller keeps `alloc_zeroed`'s conditions, which are the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(0, 0, layout.size());
        // SAFETY: the caller keeps `dealloc`'s conditions; all memory came from `System`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size, layout.size());
        // SAFETY: the caller keeps `realloc`'s conditions; all memory came from `System`.
        unsafe { System.realloc(memory, layout, size) }
    }
}
