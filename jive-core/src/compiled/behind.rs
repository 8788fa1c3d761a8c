//! How a call that has left goes on: the interpreter runs it to a native, and printed code from the op behind the native.

use crate::frame::{Activation, CallStack, Calls, Phase};
use crate::instance::{BareStep, Instance, Natives};
use crate::program::index;
use crate::trap::Trap;

use super::outside::Outside;
use super::run::{CALL, Code, FUEL_MAX, Left, Run, record, room};

/// Finishes a call that has left, and performs all its natives.
#[cold]
pub(super) fn finish<C: Code, N: Natives>(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    natives: &mut N,
) -> Result<Option<i32>, Trap> {
    match drive::<C, N>(instance, stack, natives, false) {
        BareStep::Returned(value) => Ok(value),
        BareStep::Trapped(trap) => Err(trap),
        // All natives are performed, so that none is left to wait for.
        BareStep::Native(_) => Ok(None),
    }
}

/// Runs a call in the interpreter to the end of its next native, and from there in printed code, in turns.
#[cold]
pub(super) fn drive<C: Code, N: Natives>(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    natives: &mut N,
    stops: bool,
) -> BareStep {
    loop {
        let id = match instance.run_bare(stack) {
            BareStep::Native(id) if !(stops && natives.suspends(id)) => id,
            step => return step,
        };
        instance.perform_one(stack, id, natives);
        if let Some(value) = go_on::<C, N>(instance, stack, natives) {
            return BareStep::Returned(value);
        }
    }
}

/// Runs a call in printed code from the op behind a native, and its callers from the ops behind their calls. Returns what
/// the call returned, or `None` if the interpreter goes on from the activation.
pub(super) fn go_on<C: Code, N: Natives>(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    natives: &mut N,
) -> Option<Option<i32>> {
    let room = room(stack, C::REGISTERS);
    let is_ready = core::ptr::eq(instance.program.ops, C::program().ops)
        && matches!(stack.activation.phase, Phase::Ready);
    if !is_ready || room == 0 {
        return None;
    }
    let given = stack.activation.fuel.min(FUEL_MAX as u64);
    let reserve = stack.activation.fuel.wrapping_sub(given);
    let bounds = instance.heap.bounds();
    let granted = stack.activation.granted.wrapping_sub(reserve);
    let (memory, _) = instance.heap.split();
    let mut run = Run {
        outside: Outside::new(natives, room, bounds, granted),
        program: &instance.program,
        slots: &mut *stack.slots,
        frames: &mut *stack.frames,
        left: None,
    };
    let (mut at, mut fuel) = (Behind::of(&stack.activation), given);
    loop {
        let method = at.calls.method();
        // The cast is lossless, because there is at most `FUEL_MAX` of it.
        let entry_fuel = (fuel as isize).wrapping_add_unsigned(at.index.into());
        let place = index(at.calls.depth)
            .wrapping_mul(CALL)
            .wrapping_add(index(at.calls.base));
        let here = (method, at.op);
        let outcome = C::go_on(here, place, &mut run, memory, instance.fields, entry_fuel);
        let ended = outcome.and_then(|(rest, value)| Some((u64::try_from(rest).ok()?, value)));
        let Some((rest, value)) = ended else { break };
        fuel = rest;
        let result = run.program.method(method).and_then(|it| it.result);
        let returned = result.map(|_| value);
        let Some(caller) = at.back(&mut run, returned) else {
            let (bounds, extra) = (run.outside.bounds, run.outside.extra);
            let activation = &mut stack.activation;
            activation.phase = Phase::Ended;
            activation.fuel = reserve.wrapping_add(fuel);
            activation.granted = activation.granted.wrapping_sub(extra);
            instance.heap.end_call_with(bounds);
            return Some(returned);
        };
        at = caller;
    }
    let Run { outside, left, .. } = run;
    let (bounds, extra, trapped) = (outside.bounds, outside.extra, outside.trapped);
    let granted = stack.activation.granted.wrapping_sub(extra);
    instance.heap.set_bounds(bounds);
    // A method that printed code cannot enter, or that has too little fuel for it, has not left: it has not begun.
    let left = left.unwrap_or(Left {
        calls: at.calls,
        op: at.op,
        index: at.index,
        fuel: fuel as usize,
    });
    record(stack, left, trapped, reserve, granted);
    None
}

/// Where a call goes on: behind an op that has called.
#[derive(Copy, Clone)]
struct Behind {
    calls: Calls,
    op: u32,
    /// How many instructions of the method precede the op.
    index: u16,
}

impl Behind {
    const fn of(activation: &Activation) -> Behind {
        Behind {
            calls: activation.calls,
            op: activation.op,
            index: activation.index,
        }
    }

    /// Returns from the running method to its caller, with a value for it. Returns `None` from the outermost method.
    fn back<N>(&self, run: &mut Run<'_, N>, value: Option<i32>) -> Option<Behind> {
        let depth = self.calls.depth.wrapping_sub(1);
        let frame = *run.frames.get(index(depth)).filter(|_| depth > 0)?;
        // A method's first register is the one in which its caller expects the result.
        if let (Some(value), Some(slot)) = (value, run.slots.get_mut(index(self.calls.base))) {
            *slot = value;
        }
        let call = index(frame.op).wrapping_sub(1);
        Some(Behind {
            calls: Calls {
                depth,
                base: frame.base,
                method: frame.method.0.into(),
            },
            op: frame.op,
            index: run.program.ends.get(call).copied().unwrap_or(0),
        })
    }
}
