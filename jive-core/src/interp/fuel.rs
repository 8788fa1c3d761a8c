//! Slices of a run, and how the interpreter accounts for fuel exactly although ops do not count instructions.
//!
//! An instruction of the class file costs one unit of fuel. The interpreter pays for straight code in advance. Code
//! that runs straight from a method's first instruction has executed `ends[n]` instructions when op `n` is done, a
//! number that the linker computes. So the interpreter ends a slice's code after the last op that the fuel pays for,
//! and runs this code without counting. The instructions of a slice's straight code are *prepaid*. Fuel beyond the
//! prepaid instructions is the slice's *budget*. A branch subtracts the difference between the straight path and its
//! own path from the budget. A branch forwards adds fuel to the budget, because the instructions that it skips were
//! prepaid. A jump back, a call or a return that makes the budget negative ends the slice before its target runs. At
//! the end of a slice, the interpreter makes a new slice with the fuel that is left. When little fuel is left, slices
//! become as short as one op. If the fuel does not pay for one op, the run traps with `FuelExhausted` at the first
//! instruction without fuel.
//!
//! The interpreter records the fuel of a run as *entry fuel*. Entry fuel is the fuel that the running method would have
//! had at its first instruction, if it had run straight from that instruction. Entry fuel less `ends[n]` is the fuel
//! that is left when op `n` is done.

use crate::op::Op;
use crate::program::{LinkedMethod, Program, SLICE_OPS, index};
use crate::trap::TrapKind;

/// Maximum number of instructions that the budget of a slice pays for.
///
/// If the compiler does not turn tail calls into jumps, each op of the threaded variant takes a frame of the host's
/// stack. `SLICE_INSTRUCTIONS` and [`SLICE_OPS`] bound the number of frames that a slice takes on the host's stack.
const SLICE_INSTRUCTIONS: u64 = 1024;

/// The code and the fuel of one slice.
pub(crate) struct Slice<'a> {
    /// The program's ops up to the limit of the slice. Fetching an op after the limit ends the slice.
    pub(super) code: &'a [Op],
    /// Count of the method's instructions up to the end of the slice's code.
    pub(super) prepaid: u16,
    /// Fuel for branches, calls and returns, beyond the prepaid instructions.
    pub(super) budget: i32,
    /// The part of the fuel that is reserved for later slices.
    pub(super) reserve: u64,
}

/// Returns a slice of code that ends at `limit`, up to which the straight path executes `prepaid` instructions.
///
/// The caller has checked that `entry_fuel` pays for the prepaid instructions. Returns `None` if the program has fewer
/// than `limit` ops.
#[inline(always)]
pub(super) fn slice<'a>(
    program: &Program<'a>,
    limit: usize,
    prepaid: u16,
    entry_fuel: u64,
) -> Option<Slice<'a>> {
    let spare = entry_fuel.wrapping_sub(prepaid.into());
    let budget = spare.min(SLICE_INSTRUCTIONS);
    Some(Slice {
        code: program.ops.get(..limit)?,
        prepaid,
        // At most `SLICE_INSTRUCTIONS`.
        budget: budget as i32,
        reserve: spare.wrapping_sub(budget),
    })
}

/// Returns the first slice of a method that a caller outside has entered. Returns `None` if the fuel does not pay for
/// the whole slice, so that its code must end earlier.
#[inline(always)]
pub(crate) fn slice_from_entry<'a>(
    program: &Program<'a>,
    method: &LinkedMethod,
    fuel: u64,
) -> Option<Slice<'a>> {
    if method.entry >= method.limit || fuel < method.prepaid.into() {
        return None;
    }
    slice(program, index(method.limit), method.prepaid, fuel)
}

/// Returns the limit of the code that the fuel pays for from op `pc` on, and the count of instructions up to that
/// limit.
///
/// # Errors
///
/// Returns [`TrapKind::FuelExhausted`] if the fuel does not pay for the op at `pc`, and [`TrapKind::Unverified`] if the
/// method has no op at `pc`.
pub(super) fn affordable_code(
    program: &Program<'_>,
    method: &LinkedMethod,
    pc: usize,
    entry_fuel: u64,
) -> Result<(usize, u16), TrapKind> {
    if pc < index(method.entry) {
        return Err(TrapKind::Unverified);
    }
    let limit = index(method.end).min(pc.saturating_add(SLICE_OPS));
    let ends = program.ends.get(pc..limit).unwrap_or_default();
    let &prepaid = ends.last().ok_or(TrapKind::Unverified)?;
    if entry_fuel >= prepaid.into() {
        return Ok((limit, prepaid));
    }
    let affordable = ends.partition_point(|&end| u64::from(end) <= entry_fuel);
    match affordable.checked_sub(1).and_then(|last| ends.get(last)) {
        Some(&end) => Ok((pc.wrapping_add(affordable), end)),
        None => Err(TrapKind::FuelExhausted),
    }
}
