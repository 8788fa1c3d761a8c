//! Access to linker symbols and to the stack: location of the sections, and the depth of the stack. Uses unsafe code.
#![expect(
    unsafe_code,
    reason = "the unused part of the stack is written and read to see how much of it was used"
)]

use core::ptr;

use cortex_m::register::msp;

use crate::machine::Footprint;

/// Fill pattern for unused stack.
const PAINT: u32 = 0xcccc_cccc;

// Symbols of the linker script of `cortex-m-rt`. The program uses only the addresses of the linker symbols.
unsafe extern "C" {
    static mut _stack_end: u32;
    static __stext: u32;
    static __etext: u32;
    static __srodata: u32;
    static __erodata: u32;
    static __sdata: u32;
}

/// The stack pointer at the time when [`Mark::paint`] filled the unused stack.
#[derive(Copy, Clone)]
pub(crate) struct Mark(usize);

impl Mark {
    /// Fills all unused stack with [`PAINT`]. Returns the current stack pointer.
    #[inline(never)]
    pub(crate) fn paint() -> Mark {
        let top = msp::read() as usize;
        let mut word = &raw mut _stack_end;
        while (word as usize) < top {
            // SAFETY: words from `_stack_end` up to the stack pointer are unused stack in RAM. No interrupt is enabled.
            // `paint` calls no function, so no value is pushed and later read below the stack pointer.
            unsafe {
                word.write_volatile(PAINT);
                word = word.add(1);
            }
        }
        Mark(top)
    }

    /// Returns how many bytes of the stack below the mark the program has used since [`Mark::paint`] filled the stack.
    pub(crate) fn depth(self) -> usize {
        let mut word = &raw const _stack_end;
        // SAFETY: words from `_stack_end` up to the mark are in RAM, and any bits are a valid `u32`.
        while (word as usize) < self.0 && unsafe { word.read_volatile() } == PAINT {
            // SAFETY: the incremented pointer is at most one word past the last word below the mark.
            word = unsafe { word.add(1) };
        }
        self.0.saturating_sub(word as usize)
    }
}

/// Returns the sizes of the program's sections, which do not include the stack.
pub(crate) fn footprint() -> Footprint {
    let span = |start: *const u32, end: *const u32| end.addr().saturating_sub(start.addr());
    Footprint {
        code: span(&raw const __stext, &raw const __etext),
        constants: span(&raw const __srodata, &raw const __erodata),
        memory: span(&raw const __sdata, ptr::addr_of!(_stack_end)),
    }
}
