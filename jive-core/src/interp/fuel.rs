//! Slices of a run, and how fuel stays exact although ops do not count instructions.
//!
//! An instruction of the class file costs one unit of fuel. The interpreter pays for straight code in advance. Code
//! that runs straight from a method's first instruction has executed `ends[n]` instructions behind op `n`, a number
//! known when the method is linked. So the interpreter cuts the code off behind the last op that the fuel pays for, and
//! runs up to there without counting. Those instructions are *prepaid*. Fuel beyond them is the slice's *budget*. A
//! branch takes the difference between the straight path and its own path off the budget. A branch forwards gives fuel
//! back, because the instructions that it skips were prepaid. A jump back, a call or a return that makes the budget
//! negative ends the slice before its target runs. At the end of a slice, the interpreter cuts the code off anew, with
//! the fuel that is left. Close to the end of the fuel, slices become as short as one op. If not even one op can be
//! paid for, the run traps with `FuelExhausted` at the first instruction without fuel.
//!
//! The fuel of a run is kept as *entry fuel*. That is the fuel which the running method would have had at its first
//! instruction, if it had run straight from there. Entry fuel less `ends[n]` is the fuel left behind op `n`.

use crate::op::Op;
use crate::program::{LinkedMethod, Program, SLICE_OPS, index};
use crate::trap::TrapKind;

/// Maximum number of instructions that the budget of a slice pays for.
///
/// If the compiler does not make jumps of tail calls, each op of the threaded variant takes a frame of the host's
/// stack. This limit and [`SLICE_OPS`] bound that room.
const SLICE_INSTRUCTIONS: u64 = 1024;

/// The code and the fuel of one slice.
pub(crate) struct Slice<'a> {
    /// The program's ops up to the limit of the slice. Fetching an op behind it ends the slice.
    pub(super) code: &'a [Op],
    /// Count of the method's instructions up to the end of the code.
    pub(super) prepaid: u16,
    /// Fuel for branches, calls and returns, beyond the prepaid instructions.
    pub(super) budget: i32,
    /// Fuel kept back for later slices.
    pub(super) reserve: u64,
}

/// Returns a slice of code that ends at `limit`, where `prepaid` instructions are done.
///
/// The caller has checked that `entry_fuel` pays for these. Returns `None` if the program has fewer ops.
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
/// all of it, so that the code must be cut off earlier.
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

/// Returns the limit of the code that the fuel pays for from op `pc` on, and the count of instructions done there.
///
/// # Errors
/// [`TrapKind::FuelExhausted`] if the fuel does not pay for the op at `pc`, and [`TrapKind::Unverified`] if the method has
/// no such op.
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
