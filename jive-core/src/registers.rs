//! The registers of a running method: a window of the call stack's slots.

use core::cell::Cell;

use crate::limits::REGISTER_WINDOW;

/// The register window of a method. A byte cannot index past the end of the window, so an access to a register needs no
/// bounds check.
pub(crate) type Window = [Cell<i32>; REGISTER_WINDOW];

/// Returns a register of the window, which has a register for every number that a byte can hold.
#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "a window holds as many registers as a byte can name"
)]
pub(crate) const fn cell(registers: &Window, number: u8) -> &Cell<i32> {
    // Widens. `From` is not `const`.
    &registers[number as usize]
}

/// Returns the register window that begins at a slot, if the call stack has enough slots.
#[inline]
pub(crate) fn window(slots: &[Cell<i32>], base: usize) -> Option<&Window> {
    slots
        .get(base..base.checked_add(REGISTER_WINDOW)?)?
        .first_chunk()
}

/// Clears a method's registers from the first after its arguments up to `behind`, and maybe a few more.
///
/// The cleared registers may contain values of an earlier call, perhaps of another endpoint. A method must not read
/// values of another call, even if its verifier missed an error.
#[inline(always)]
pub(crate) fn clear(registers: &Window, arguments: u8, behind: u16) {
    const AT_ONCE: usize = 4;
    let mut first = usize::from(arguments);
    let behind = usize::from(behind);
    // Clearing more registers than the method has is harmless, because no call that uses these registers has begun.
    while let Some(few) = registers.get(first..first.wrapping_add(AT_ONCE)) {
        few.iter().for_each(|slot| slot.set(0));
        first = first.wrapping_add(AT_ONCE);
        if first >= behind {
            return;
        }
    }
    clear_last(registers.get(first..).unwrap_or_default());
}

/// Clears the last registers of a window, which are fewer than the registers that `clear` clears at once.
#[cold]
#[inline(never)]
fn clear_last(registers: &[Cell<i32>]) {
    registers.iter().for_each(|slot| slot.set(0));
}
