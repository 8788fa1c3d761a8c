//! What only the linker and the processor know: where the stack and the sections lie, and how deep the
//! stack has been. The one file with unsafe code.
#![expect(
    unsafe_code,
    reason = "the unused part of the stack is written and read to see how much of it was used"
)]

use core::ptr;

use cortex_m::register::msp;

use crate::machine::Footprint;

/// What unused stack is filled with.
const PAINT: u32 = 0xcccc_cccc;

// Symbols of the linker script of `cortex-m-rt`: their addresses are meant, nothing lies at them.
unsafe extern "C" {
    static mut _stack_end: u32;
    static __stext: u32;
    static __etext: u32;
    static __srodata: u32;
    static __erodata: u32;
    static __sdata: u32;
}

/// The stack pointer when the stack was painted.
#[derive(Copy, Clone)]
pub(crate) struct Mark(usize);

impl Mark {
    /// Paints all stack that is not in use and returns where that begins.
    #[inline(never)]
    pub(crate) fn paint() -> Mark {
        let top = msp::read() as usize;
        let mut word = &raw mut _stack_end;
        while (word as usize) < top {
            // SAFETY: words from `_stack_end` up to the stack pointer lie in RAM, belong to the stack and hold nothing.
            // No interrupt is enabled. This function calls no other, so nothing pushed between two of these writes is
            // read later.
            unsafe {
                word.write_volatile(PAINT);
                word = word.add(1);
            }
        }
        Mark(top)
    }

    /// Returns how many bytes below the mark have been written to since.
    pub(crate) fn depth(self) -> usize {
        let mut word = &raw const _stack_end;
        // SAFETY: words from `_stack_end` up to the mark lie in RAM; whatever they hold is a `u32`.
        while (word as usize) < self.0 && unsafe { word.read_volatile() } == PAINT {
            // SAFETY: at most one past the last word below the mark.
            word = unsafe { word.add(1) };
        }
        self.0.saturating_sub(word as usize)
    }
}

/// Returns what the program takes, the stack left out.
pub(crate) fn footprint() -> Footprint {
    let span = |start: *const u32, end: *const u32| end.addr().saturating_sub(start.addr());
    Footprint {
        code: span(&raw const __stext, &raw const __etext),
        constants: span(&raw const __srodata, &raw const __erodata),
        memory: span(&raw const __sdata, ptr::addr_of!(_stack_end)),
    }
}
