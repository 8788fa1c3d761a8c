//! Running ops: slices of a run, each bounded in fuel and in the host's stack.
//!
//! How fuel is kept exact although ops do not count it is told in `docs/linked-form.md`.

mod control;
mod machine;
mod op;
mod table;

use core::cell::Cell;

use crate::frame::CallStack;
use crate::heap::Heap;
use crate::id::NativeId;
use crate::limits::REGISTER_WINDOW;
use crate::program::{LinkedMethod, NativeCall, Program, index};
use crate::trap::TrapKind;

pub use op::Op;

pub(crate) use machine::{Machine, clear, window};
pub(crate) use table::{OpKind, Shape};

/// Registers of a running method, and what lies behind them.
pub(crate) type Window = [Cell<i32>; REGISTER_WINDOW];

/// Ops in a row that a slice may run, counted from where it begins.
pub(crate) const SLICE_OPS: usize = 192;

/// Instructions that a slice may execute beyond a straight way through its ops.
///
/// With [`SLICE_OPS`] it bounds how deep the host's stack gets where the compiler does not make jumps
/// of the calls from op to op.
const SLICE_INSTRUCTIONS: u64 = 400;

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
    /// The op trapped.
    Trap(TrapKind),
}

/// How a run ends without a trap.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Exit {
    /// The outermost call returned.
    Returned(Option<i32>),
    /// A native is to be performed; its arguments are in registers.
    Native(NativeCall),
}

/// A trap, at an instruction of the running method.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Trapped {
    pub(crate) kind: TrapKind,
    /// The number of the instruction in its method.
    pub(crate) instruction: u32,
}

impl Trapped {
    /// Places a trap at the last of so many instructions.
    pub(crate) fn behind(kind: TrapKind, instructions: u16) -> Self {
        Self {
            kind,
            instruction: u32::from(instructions).saturating_sub(1),
        }
    }
}

/// Runs an activation until its outermost call returns, traps or needs a native.
pub(crate) fn execute(
    program: &Program<'_>,
    fields: &mut [i32],
    heap: &mut Heap<'_>,
    stack: &mut CallStack<'_>,
) -> Result<Exit, Trapped> {
    let CallStack {
        frames,
        slots,
        activation,
    } = stack;
    let slots = Cell::from_mut(&mut **slots).as_slice_of_cells();
    let base = index(activation.base);
    let registers = window(slots, base).ok_or(UNVERIFIED)?;
    let mut machine = Machine {
        credit: 0,
        span: 0,
        heap: heap.lend(),
        fields,
        code: &[],
        registers,
        pc: index(activation.op),
        stop: Stop::Pause,
        method: activation.method,
        depth: activation.depth,
        base,
        frames,
        slots,
        ops: program.ops,
        methods: program.methods,
        switches: program.switches,
    };
    // How many instructions could have been executed if the method had run straight from its first.
    let mut potential = activation.fuel.saturating_add(activation.index.into());
    let outcome = loop {
        let reserve = match prepare(program, &mut machine, potential) {
            Ok(reserve) => reserve,
            Err(trapped) => break Err(trapped),
        };
        table::dispatch(&mut machine);
        potential = reserve.saturating_add_signed(machine.potential());
        if machine.stop != Stop::Pause {
            break Ok(machine.stop);
        }
    };
    let end = program.ends.get(machine.pc).copied().unwrap_or(0);
    let left = match outcome {
        Err(Trapped {
            kind: TrapKind::FuelExhausted,
            ..
        }) => 0,
        _ => potential.saturating_sub(end.into()),
    };
    activation.executed = activation
        .executed
        .saturating_add(activation.fuel.saturating_sub(left));
    activation.fuel = left;
    activation.index = end;
    activation.method = machine.method;
    // Indices of the program's ops and of slots.
    activation.op = u32::try_from(machine.pc).unwrap_or(u32::MAX);
    activation.base = u32::try_from(machine.base).unwrap_or(u32::MAX);
    activation.depth = machine.depth;
    let top = machine.heap.top();
    let exit = match outcome {
        Ok(Stop::Returned) => Ok(Exit::Returned(None)),
        Ok(Stop::ReturnedValue) => Ok(Exit::Returned(Some(machine.register(0)))),
        Ok(Stop::Native) => {
            let op = program.ops.get(machine.pc).copied().unwrap_or_default();
            Ok(Exit::Native(native(op)))
        }
        Ok(Stop::Trap(kind)) => Err(Trapped::behind(kind, end)),
        Ok(Stop::Pause) => Err(UNVERIFIED),
        Err(trapped) => Err(trapped),
    };
    // Whatever the outcome: arrays of a persistent call that ran out of fuel are there to stay.
    heap.adopt(top);
    exit
}

const UNVERIFIED: Trapped = Trapped {
    kind: TrapKind::Unverified,
    instruction: 0,
};

/// Cuts the code off where fuel or the slice would run out on a straight way; answers what is kept back
/// of the potential.
#[inline]
fn prepare<'a>(
    program: &Program<'a>,
    machine: &mut Machine<'a>,
    potential: u64,
) -> Result<u64, Trapped> {
    let pc = machine.pc;
    let method = program.method(machine.method).ok_or(UNVERIFIED)?;
    if pc < index(method.entry) {
        return Err(UNVERIFIED);
    }
    let mut limit = index(method.end).min(pc.saturating_add(SLICE_OPS));
    let ends = program.ends.get(pc..limit).ok_or(UNVERIFIED)?;
    let mut span = ends.last().copied().ok_or(UNVERIFIED)?;
    if potential < u64::from(span) {
        let affordable = ends.partition_point(|&end| u64::from(end) <= potential);
        limit = pc.wrapping_add(affordable);
        let last = affordable.checked_sub(1).and_then(|last| ends.get(last));
        span = *last.ok_or(Trapped {
            kind: TrapKind::FuelExhausted,
            // Less than the span.
            instruction: u32::try_from(potential).unwrap_or(u32::MAX),
        })?;
    }
    machine.code = program.ops.get(..limit).ok_or(UNVERIFIED)?;
    let spare = potential.saturating_sub(span.into());
    let credit = spare.min(SLICE_INSTRUCTIONS);
    machine.span = span.into();
    // At most `SLICE_INSTRUCTIONS`.
    machine.credit = i32::try_from(credit).unwrap_or(i32::MAX);
    Ok(spare.saturating_sub(credit))
}

fn native(op: Op) -> NativeCall {
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
