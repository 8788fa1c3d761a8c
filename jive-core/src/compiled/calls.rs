//! Calls from outside, in printed code as far as that goes.

use crate::frame::{CallStack, Phase};
use crate::heap::{Bounds, Lifetime};
use crate::id::MethodId;
use crate::instance::{BareStep, Instance, Natives};
use crate::trap::Trap;

use super::behind::{drive, finish, go_on};
use super::run::{Code, Ended, begin};

/// Makes a call from outside as [`Instance::call`] does, in printed code as far as that goes.
///
/// The instance runs the program of the printed code. If it runs another one, or if the method was not printed, the
/// interpreter makes the call.
///
/// # Errors
///
/// Returns the trap in which the call ended.
#[inline]
pub fn call<C: Code, N: Natives>(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    method: MethodId,
    arguments: &[i32],
    fuel: u64,
    lifetime: Lifetime,
    natives: &mut N,
) -> Result<Option<i32>, Trap> {
    let bounds = instance.heap.bounds().of_call(lifetime);
    match enter::<C, N>(instance, stack, method, arguments, fuel, bounds, natives) {
        Some(outcome) => outcome,
        None => instance.call(stack, method, arguments, fuel, lifetime, natives),
    }
}

/// Makes a call as [`call`] does. The arrays from `floor` on were made for it, and are freed at its end.
///
/// # Errors
///
/// Returns the trap in which the call ended.
pub(super) fn call_above<C: Code, N: Natives>(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    method: MethodId,
    arguments: &[i32],
    fuel: u64,
    floor: u32,
    natives: &mut N,
) -> Result<Option<i32>, Trap> {
    let bounds = instance.heap.bounds().above(floor);
    if let Some(outcome) = enter::<C, N>(instance, stack, method, arguments, fuel, bounds, natives)
    {
        return outcome;
    }
    if let Err(trap) = instance.start(stack, method, arguments, fuel, Lifetime::PerCall) {
        instance.heap.end_call_at(floor);
        return Err(trap);
    }
    let bounds = instance.heap.bounds().above(floor);
    instance.heap.set_bounds(bounds);
    finish::<C, N>(instance, stack, natives)
}

/// Makes a call in printed code, with the heap's bounds while it runs. Returns `None` if the interpreter has to make it.
#[inline(always)]
fn enter<C: Code, N: Natives>(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    method: MethodId,
    arguments: &[i32],
    fuel: u64,
    bounds: Bounds,
    natives: &mut N,
) -> Option<Result<Option<i32>, Trap>> {
    match begin::<C, N>(instance, stack, method, arguments, fuel, bounds, natives)? {
        Ended::Returned(value) => Some(Ok(value)),
        Ended::Left => Some(finish::<C, N>(instance, stack, natives)),
    }
}

/// Begins a call as [`Instance::start`] does, and runs it as [`run`] does.
///
/// # Errors
///
/// Fails as `start` does, in a step.
#[inline]
pub fn start<C: Code, N: Natives>(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    method: MethodId,
    arguments: &[i32],
    fuel: u64,
    lifetime: Lifetime,
    natives: &mut N,
) -> BareStep {
    instance.heap.end_call();
    stack.activation.phase = Phase::Ended;
    let bounds = instance.heap.bounds().of_call(lifetime);
    match begin::<C, N>(instance, stack, method, arguments, fuel, bounds, natives) {
        Some(Ended::Returned(value)) => BareStep::Returned(value),
        Some(Ended::Left) => drive::<C, N>(instance, stack, natives, true),
        None => match instance.start(stack, method, arguments, fuel, lifetime) {
            Ok(()) => drive::<C, N>(instance, stack, natives, true),
            Err(trap) => BareStep::Trapped(trap),
        },
    }
}

/// Runs a call until it returns, traps, or reaches a native that [suspends](Natives::suspends). It performs all others.
///
/// The caller performs the native, passes its outcome to [`CallStack::resume`], and runs the call again. Then it goes on in
/// printed code from the op behind the native.
pub fn run<C: Code, N: Natives>(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    natives: &mut N,
) -> BareStep {
    match go_on::<C, N>(instance, stack, natives) {
        Some(value) => BareStep::Returned(value),
        None => drive::<C, N>(instance, stack, natives, true),
    }
}
