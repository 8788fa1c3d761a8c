//! Running ops: slices of a run, each bounded in fuel and in the host's stack.
//!
//! How fuel is kept exact although ops do not count it is told in `docs/linked-form.md`.

mod control;
mod machine;
mod op;
mod table;
#[cfg(test)]
mod tests;
#[cfg(threaded)]
mod threaded;

use core::cell::Cell;

use crate::frame::{Activation, Calls, Frame};
use crate::heap::Heap;
use crate::id::NativeId;
use crate::limits::REGISTER_WINDOW;
use crate::program::{LinkedMethod, NativeCall, Program, index};
use crate::trap::TrapKind;

pub use op::Op;

pub(crate) use machine::{Machine, clear, window};
#[cfg(not(threaded))]
use table::dispatch;
pub(crate) use table::{OpKind, Shape};
#[cfg(threaded)]
use threaded::dispatch;

/// Registers of a running method, and what lies behind them.
pub(crate) type Window = [Cell<i32>; REGISTER_WINDOW];

/// Ops in a row that a slice may run, counted from where it begins.
pub(crate) const SLICE_OPS: usize = 192;

/// Instructions that a slice may execute beyond a straight way through its ops.
///
/// With [`SLICE_OPS`] it bounds how deep the host's stack gets where the compiler does not make jumps
/// of the calls from op to op.
const SLICE_INSTRUCTIONS: u64 = 1024;

/// Why a slice ended, as one byte that a register carries.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Fuel or the slice's share of it may run out, or the slice's ops have.
    Pause,
    /// The outermost call returned nothing.
    Returned,
    /// The outermost call returned a value, which lies in its first register.
    ReturnedValue,
    /// A native is to be performed.
    Native,
    /// An array has no such element, or there is no array.
    NoElement,
    /// The op trapped.
    Trap(TrapKind),
}

/// Runs an activation until its outermost call returns, traps or needs a native; never pauses.
///
/// Where it traps, the activation's index tells the instruction: the last of as many.
#[cfg_attr(threaded, inline(always))]
pub(crate) fn execute(
    program: &Program<'_>,
    fields: &mut [i32],
    heap: &mut Heap<'_>,
    frames: &mut [Frame],
    slots: &mut [i32],
    activation: &mut Activation,
    method: &LinkedMethod,
) -> Stop {
    let slots = Cell::from_mut(slots).as_slice_of_cells();
    let calls = activation.calls;
    let Some(registers) = window(slots, calls.base) else {
        return Stop::Trap(TrapKind::Unverified);
    };
    // How many instructions could have been executed if the method had run straight from its first.
    let potential = activation.fuel.saturating_add(activation.index.into());
    let pc = activation.op;
    let (stop, pc, potential) = match share(program, method, pc, potential) {
        Err(kind) => (Stop::Trap(kind), pc, potential),
        Ok(share) => {
            let mut machine = Machine {
                credit: share.credit,
                span: share.span.into(),
                heap: heap.lend(),
                fields,
                registers,
                pc,
                #[cfg(threaded)]
                accumulator: 0,
                stop: Stop::Pause,
                depth: calls.depth,
                frames,
                base: calls.base,
                slots,
                method: calls.method,
                program,
            };
            let (stop, potential) = slices(&mut machine, share.code, share.reserve);
            let (pc, top) = (machine.pc, machine.heap.top());
            activation.calls = Calls {
                depth: machine.depth,
                base: machine.base,
                method: machine.method,
            };
            heap.adopt(top);
            (stop, pc, potential)
        }
    };
    let end = program.ends.get(pc).copied().unwrap_or(0);
    let (index, left) = if stop == Stop::Trap(TrapKind::FuelExhausted) {
        // The instruction that the potential does not reach; one of the method, so below 2¹⁶.
        (potential.saturating_add(1) as u16, 0)
    } else {
        (end, potential.saturating_sub(end.into()))
    };
    activation.op = pc;
    activation.index = index;
    activation.fuel = left;
    stop
}

/// Runs slice after slice; answers why the run stops, and what is left of the potential.
#[inline(always)]
fn slices<'a>(machine: &mut Machine<'a>, mut code: &'a [Op], mut reserve: u64) -> (Stop, u64) {
    loop {
        dispatch(machine, code);
        // The share that a slice is given is never overdrawn.
        let potential = reserve.wrapping_add_signed(machine.potential());
        // First, and apart from the others: what handlers do.
        if matches!(machine.stop, Stop::ReturnedValue) {
            return (Stop::ReturnedValue, potential);
        }
        match machine.stop {
            Stop::Pause => {}
            Stop::NoElement => return (Stop::Trap(machine.fault()), potential),
            stop => return (stop, potential),
        }
        match next_share(machine, potential) {
            Ok((ops, left)) => (code, reserve) = (ops, left),
            Err(kind) => return (Stop::Trap(kind), potential),
        }
    }
}

/// Gives the machine another share of the potential; answers the code to run, and what is left.
#[inline(never)]
fn next_share<'a>(machine: &mut Machine<'a>, potential: u64) -> Result<(&'a [Op], u64), TrapKind> {
    let program = machine.program;
    let method = program.methods.get(machine.method);
    let method = method.ok_or(TrapKind::Unverified)?;
    let share = share(program, method, machine.pc, potential)?;
    machine.span = share.span.into();
    machine.credit = share.credit;
    Ok((share.code, share.reserve))
}

/// What a slice runs on.
struct Share<'a> {
    /// The code, cut off where fuel or the slice would run out on a straight way.
    code: &'a [Op],
    /// How many instructions have been executed there.
    span: u16,
    /// What the slice has beyond them.
    credit: i32,
    /// What is left for later slices.
    reserve: u64,
}

#[inline(always)]
fn share<'a>(
    program: &Program<'a>,
    method: &LinkedMethod,
    pc: usize,
    potential: u64,
) -> Result<Share<'a>, TrapKind> {
    let from_entry = pc == index(method.entry) && potential >= method.span.into();
    let (limit, span) = if from_entry {
        (index(method.limit), method.span)
    } else {
        cut_off(program, method, pc, potential)?
    };
    let code = program.ops.get(..limit).unwrap_or_default();
    if pc >= code.len() {
        return Err(TrapKind::Unverified);
    }
    let spare = potential.wrapping_sub(span.into());
    let credit = spare.min(SLICE_INSTRUCTIONS);
    Ok(Share {
        code,
        span,
        // At most `SLICE_INSTRUCTIONS`.
        credit: credit as i32,
        reserve: spare.wrapping_sub(credit),
    })
}

/// Returns the index behind the last op that may run on a straight way from here, and how many
/// instructions have been executed there.
#[cold]
#[inline(never)]
fn cut_off(
    program: &Program<'_>,
    method: &LinkedMethod,
    pc: usize,
    potential: u64,
) -> Result<(usize, u16), TrapKind> {
    if pc < index(method.entry) {
        return Err(TrapKind::Unverified);
    }
    let limit = index(method.end).min(pc.saturating_add(SLICE_OPS));
    let ends = program.ends.get(pc..limit).unwrap_or_default();
    let &span = ends.last().ok_or(TrapKind::Unverified)?;
    if potential >= span.into() {
        return Ok((limit, span));
    }
    let affordable = ends.partition_point(|&end| u64::from(end) <= potential);
    match affordable.checked_sub(1).and_then(|last| ends.get(last)) {
        Some(&end) => Ok((pc.wrapping_add(affordable), end)),
        None => Err(TrapKind::FuelExhausted),
    }
}

/// Returns what the op of a native calls.
pub(crate) fn native(op: Op) -> NativeCall {
    let [id_low, id_high, has_result, _] = op.imm.to_le_bytes();
    NativeCall {
        id: NativeId(u16::from_le_bytes([id_low, id_high])),
        first: op.b,
        arguments: op.c,
        result: (has_result != 0).then_some(op.a),
    }
}

/// Returns the first op that a method's code is cut off at when it is called, and its span.
pub(crate) fn call_limit(entry: u32, end: u32, ends: &[u16]) -> (u32, u16) {
    let slice = u32::try_from(SLICE_OPS).unwrap_or(u32::MAX);
    let limit = end.min(entry.saturating_add(slice));
    let last = limit.checked_sub(1).and_then(|last| ends.get(index(last)));
    (limit, last.copied().unwrap_or(0))
}

/// Returns the method if it has code.
pub(crate) fn with_code(method: Option<&LinkedMethod>) -> Option<&LinkedMethod> {
    method.filter(|method| method.end > method.entry)
}
