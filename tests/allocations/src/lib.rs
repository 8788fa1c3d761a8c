//! A counting global allocator, for tests and benchmarks of memory use.
//!
//! The allocator counts per thread, so tests that run at the same time do not affect each other.

#![expect(
    unsafe_code,
    reason = "`GlobalAlloc` is an unsafe trait; this crate exists for it"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator with counters, to be declared as `#[global_allocator]`.
#[derive(Copy, Clone, Debug)]
pub struct CountingAllocator;

/// The allocations of a thread.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocated {
    /// Number of requests, including those that grow memory.
    pub requests: u64,
    /// Bytes in use, including memory that another thread has freed.
    pub bytes: i64,
}

thread_local! {
    // The counters are initialized at compile time and have no destructor, so reading them never allocates.
    static ALLOCATED: Cell<Allocated> = const { Cell::new(Allocated { requests: 0, bytes: 0 }) };
}

/// Returns the allocations of this thread, which are zero unless [`CountingAllocator`] is the global allocator.
#[must_use]
pub fn allocated() -> Allocated {
    ALLOCATED.get()
}

fn count(requests: u64, bytes_more: usize, bytes_less: usize) {
    let before = ALLOCATED.get();
    // The conversion is exact, because sizes of allocations are at most `isize::MAX`.
    ALLOCATED.set(Allocated {
        requests: before.requests + requests,
        bytes: before.bytes + bytes_more as i64 - bytes_less as i64,
    });
}

// SAFETY: every call is forwarded to `System`, which fulfils the contract, with the same arguments. Counting does not
// touch allocated memory, allocate or unwind.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size(), 0);
        // SAFETY: the caller fulfils the same conditions for `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size(), 0);
        // SAFETY: the caller fulfils the same conditions for `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(0, 0, layout.size());
        // SAFETY: the caller fulfils the conditions of `dealloc`; all memory came from `System`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size, layout.size());
        // SAFETY: the caller fulfils the conditions of `realloc`; all memory came from `System`.
        unsafe { System.realloc(memory, layout, size) }
    }
}
