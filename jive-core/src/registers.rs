//! The registers of a running method: a window on the slots of the call stack.

use core::cell::Cell;

use crate::limits::REGISTER_WINDOW;

/// The register window of a method: as many registers as a byte can name, so that naming one needs no check.
pub(crate) type Window = [Cell<i32>; REGISTER_WINDOW];

/// Returns a register; every number names one.
#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "a window holds as many registers as a byte can name"
)]
pub(crate) const fn cell(registers: &Window, number: u8) -> &Cell<i32> {
    // Widens; `From` is not const.
    &registers[number as usize]
}

/// Returns the registers from a slot on, if there are as many as an op can name.
#[inline]
pub(crate) fn window(slots: &[Cell<i32>], base: usize) -> Option<&Window> {
    slots
        .get(base..base.checked_add(REGISTER_WINDOW)?)?
        .first_chunk()
}

/// Clears the registers of a method behind its arguments: up to that behind the last one.
///
/// What an earlier call left there, maybe one of another endpoint, is not for this one to see, whatever
/// its verifier missed.
#[inline(always)]
pub(crate) fn clear(registers: &Window, arguments: u8, behind: u16) {
    const AT_ONCE: usize = 4;
    let mut first = usize::from(arguments);
    let behind = usize::from(behind);
    // Those behind the last one hold nothing yet.
    while let Some(few) = registers.get(first..first.wrapping_add(AT_ONCE)) {
        few.iter().for_each(|slot| slot.set(0));
        first = first.wrapping_add(AT_ONCE);
        if first >= behind {
            return;
        }
    }
    clear_last(registers.get(first..).unwrap_or_default());
}

/// Clears what is left where the end of the window is near.
#[cold]
#[inline(never)]
fn clear_last(registers: &[Cell<i32>]) {
    registers.iter().for_each(|slot| slot.set(0));
}
