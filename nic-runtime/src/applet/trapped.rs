//! Reports traps, with the values and the calls that a trapped call has left on its processor.
//!
//! While applets run, nothing is recorded for reports of traps. When a call has trapped, its call stack and its heap
//! stay as they were until the processor begins its next call.

use crate::ids::ProcessorId;
use jive_core::{Heap, Instance, MethodId, Pc, Trap, TrapKind, TrapValues};
use nic_core::event::{SleEvent, TracedCall, TrapDetails};
use nic_core::sle::{NativeViolation, NicNative, Rights, TrapCause, check};

use crate::calls::call::{Activation, Call};
use crate::calls::quota::Spent;
use crate::engine::Simulation;
use crate::nic::endpoint::AppletAt;
use crate::profile::Quota;
use crate::storage::Growing;

/// Maximum number of nested calls that an event shows, the innermost first. An endless recursion fills the call stack,
/// and a few of its calls are enough to recognise it.
const TRACED_CALLS_MAX: usize = 32;

/// Reports the trap in which the last call of a processor ended: an initializer, or else the call `of`.
pub(crate) fn tell(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    (applet_at, of): (AppletAt, Option<&Call>),
    trap: Trap,
) {
    if !sim.report.listens() {
        return;
    }
    let arrival = of.and_then(|call| sim.arrived(call));
    let applet = &mut sim.applets[applet_at.applet];
    let processor = &sim.processors[on];
    let endpoint = &sim.endpoints[applet_at.endpoint];
    let class = applet.class;
    let nowhere = TracedCall {
        method: MethodId(0),
        pc: Pc(0),
        line: None,
    };
    let mut calls = [nowhere; TRACED_CALLS_MAX];
    let stack = &processor.activation.stack;
    let mut count = 0;
    let mut nested = applet.instance.backtrace(stack, trap);
    for (place, call) in calls.iter_mut().zip(&mut nested) {
        *place = TracedCall {
            method: call.method,
            pc: call.pc,
            line: class.line(call.method, call.pc),
        };
        count += 1;
    }
    let omitted = u32::try_from(nested.count()).unwrap_or(u32::MAX);
    let quota = &processor.costs.quota;
    let windows = sim.engines.window_rights(applet_at.endpoint);
    let mut rights = Rights::of(endpoint).with(&windows);
    rights.arrival = arrival;
    let cause = cause(
        &mut applet.instance,
        &processor.activation,
        (&rights, quota),
        trap.kind,
    );
    let Trap { kind, method, pc } = trap;
    let kind = SleEvent::Trap {
        kind,
        method,
        pc,
        line: class.line(method, pc),
        details: TrapDetails {
            cause,
            calls: &calls[..count],
            omitted,
        },
        bytecodes: stack.executed(),
    };
    sim.report.emit(sim.now, applet_at.endpoint, kind);
}

/// Returns why the last call of a processor trapped.
fn cause<'s>(
    instance: &mut Instance<'_>,
    activation: &'s Activation<'_>,
    (rights, quota): (&Rights<'_, Growing>, &Quota),
    kind: TrapKind,
) -> Option<TrapCause<'s>> {
    let stack = &activation.stack;
    let values = instance.trap_values(stack, kind)?;
    let heap = &instance.heap_at_trap(stack);
    if kind == TrapKind::QuotaExceeded
        && let Some(violation) = exceeded(values, activation.spent, (heap, rights, quota))
    {
        return Some(TrapCause::Violation(violation));
    }
    Some(TrapCause::of(kind, values, heap, rights))
}

/// Returns the quota that a native would have exceeded.
fn exceeded(
    values: TrapValues<'_>,
    spent: Spent,
    (heap, rights, quota): (&Heap<'_>, &Rights<'_, Growing>, &Quota),
) -> Option<NativeViolation> {
    let TrapValues::Native { id, args } = values else {
        return None;
    };
    let native = NicNative::from_id(id)?;
    let effect = check(native, args, heap, rights).ok()?;
    let bound = spent.and(&effect, quota).err()?;
    Some(NativeViolation { native, bound })
}
