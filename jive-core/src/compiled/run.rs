//! The state of a call in printed code: how the call begins, leaves for the interpreter, and ends.

use core::ops::{Deref, DerefMut};

use crate::frame::{Activation, CallStack, Calls, Frame, Phase};
use crate::heap::Bounds;
use crate::id::MethodId;
use crate::instance::{Instance, Natives};
use crate::limits::REGISTER_WINDOW;
use crate::program::{Program, index};
use crate::trap::TrapKind;

use super::outside::Outside;

/// What a call adds to the place of its caller, besides the register of its first argument.
///
/// A place is one number for two: the upper half counts nested calls, and the lower half is the slot of the running
/// method's first register. So printed code passes one argument and makes one comparison where it calls.
pub const CALL: usize = 1 << (usize::BITS / 2);

/// The number of calls that a place can count.
const DEPTH_MAX: usize = CALL / 2;

/// How a printed method ended: the fuel that is left and the returned value. The fuel is negative if the method has left.
pub type Outcome = (isize, i32);

/// Greatest fuel of a call in printed code. The rest is kept for the interpreter.
pub(super) const FUEL_MAX: usize = usize::MAX / 4;

/// The printed code of a class.
pub trait Code {
    /// The number of registers of the largest method.
    const REGISTERS: usize;

    /// Returns the program whose ops were printed.
    fn program() -> &'static Program<'static>;

    /// Runs a method from its beginning, or returns `None` if it was not printed or takes other arguments.
    fn enter<N: Natives>(
        method: MethodId,
        arguments: &[i32],
        run: &mut Run<'_, N>,
        heap: &mut [u8],
        fields: &mut [i32],
        fuel: isize,
    ) -> Option<Outcome>;

    /// Runs a method from an op behind a call, which loads its registers from the call stack. Returns `None` if printed
    /// code cannot begin there. `fuel` is what the method would have had at its first instruction.
    fn go_on<N: Natives>(
        at: (MethodId, u32),
        place: usize,
        run: &mut Run<'_, N>,
        heap: &mut [u8],
        fields: &mut [i32],
        fuel: isize,
    ) -> Option<Outcome>;
}

/// A call that runs in printed code.
#[derive(Debug)]
pub struct Run<'r, N> {
    pub(super) outside: Outside<'r, N>,
    pub(super) program: &'r Program<'r>,
    pub(super) slots: &'r mut [i32],
    pub(super) frames: &'r mut [Frame],
    /// Where the innermost method left, once it has.
    pub(super) left: Option<Left>,
}

impl<'r, N> Deref for Run<'r, N> {
    type Target = Outside<'r, N>;

    #[inline(always)]
    fn deref(&self) -> &Outside<'r, N> {
        &self.outside
    }
}

impl<N> DerefMut for Run<'_, N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.outside
    }
}

/// Where the innermost method left.
#[derive(Copy, Clone, Debug)]
pub(super) struct Left {
    pub(super) calls: Calls,
    pub(super) op: u32,
    pub(super) index: u16,
    pub(super) fuel: usize,
}

/// The place of a method that a caller outside has entered.
pub const OUTERMOST: usize = CALL;

impl<N: Natives> Run<'_, N> {
    /// Loads a register from the call stack.
    #[must_use]
    #[inline(always)]
    pub fn register(&self, place: usize, register: u8) -> i32 {
        let slot = (place % CALL).wrapping_add(register.into());
        self.slots.get(slot).copied().unwrap_or(0)
    }

    /// Leaves a method at an op: the interpreter runs the op again, or for the first time. If a method that the op
    /// calls has left already, the interpreter returns to the op behind the call.
    ///
    /// `entry_fuel` is the fuel that the method would have had at its first instruction, if it had run straight to the
    /// op. `registers` are those that the method may still read.
    #[cold]
    #[inline(never)]
    pub fn leave(
        &mut self,
        place: usize,
        method: u16,
        op: u32,
        entry_fuel: isize,
        registers: &[(u8, i32)],
    ) -> Outcome {
        let (depth, base) = (place / CALL, place % CALL);
        for (register, value) in registers {
            let slot = base.wrapping_add((*register).into());
            if let Some(slot) = self.slots.get_mut(slot) {
                *slot = *value;
            }
        }
        let ends = self.program.ends;
        let executed = ends.get(index(op)).copied().unwrap_or(0);
        // Both casts are lossless: a place holds them in half of its bits, and a call stack has fewer than 2³² slots.
        let (nested, base) = (depth as u32, base as u32);
        if self.left.is_some() {
            if let Some(frame) = self.frames.get_mut(depth) {
                *frame = Frame {
                    method: MethodId(method),
                    op: op.wrapping_add(1),
                    base,
                    // The slice behind the call begins anew: a slice bounds what the interpreter takes of the host's
                    // stack.
                    limit: op.wrapping_add(1),
                    prepaid: executed.into(),
                    resume_cost: 0,
                };
            }
            return (-1, 0);
        }
        let entry = self.program.methods.get(usize::from(method));
        let is_first = entry.is_none_or(|method| method.entry >= op);
        let before = if is_first {
            0
        } else {
            index(op).wrapping_sub(1)
        };
        let index = match self.outside.trapped {
            // A native that traps has been executed.
            Some(_) => executed,
            None if is_first => 0,
            None => ends.get(before).copied().unwrap_or(0),
        };
        self.left = Some(Left {
            calls: Calls {
                depth: nested,
                base,
                method: method.into(),
            },
            op,
            index,
            // A method has paid for all instructions before the op at which it leaves.
            fuel: entry_fuel.cast_unsigned().saturating_sub(index.into()),
        });
        (-1, 0)
    }
}

/// How a call in printed code ended.
pub(super) enum Ended {
    /// The call returned, with a value unless its method is void.
    Returned(Option<i32>),
    /// The call left, and its activation says where the interpreter goes on.
    Left,
}

/// Makes a call in printed code as far as that goes. Returns `None` if the call has not begun.
#[inline(always)]
pub(super) fn begin<C: Code, N: Natives>(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    method: MethodId,
    arguments: &[i32],
    fuel: u64,
    bounds: Bounds,
    natives: &mut N,
) -> Option<Ended> {
    let program = C::program();
    let is_ready = core::ptr::eq(instance.program.ops, program.ops)
        && matches!(stack.activation.phase, Phase::Ended)
        && !instance.heap.is_in_call();
    let room = room(stack, C::REGISTERS);
    let linked = program.method(method)?;
    if !is_ready || room == 0 || !linked.takes(arguments) {
        return None;
    }
    let given = fuel.min(FUEL_MAX as u64);
    let before = bounds;
    let (memory, _) = instance.heap.split();
    let mut run = Run {
        outside: Outside::new(natives, room, bounds, given),
        program: &instance.program,
        slots: stack.slots,
        frames: stack.frames,
        left: None,
    };
    // The cast is lossless, because `FUEL_MAX` is a positive `isize`.
    let (rest, value) = C::enter(
        method,
        arguments,
        &mut run,
        memory,
        instance.fields,
        given as isize,
    )?;
    let Run { outside, left, .. } = run;
    let (bounds, extra, trapped) = (outside.bounds, outside.extra, outside.trapped);
    let reserve = fuel.wrapping_sub(given);
    let granted = fuel.wrapping_sub(extra);
    if let Ok(rest) = u64::try_from(rest) {
        stack.activation.fuel = reserve.wrapping_add(rest);
        stack.activation.granted = granted;
        // Few calls make arrays.
        if !bounds.hold_no_more_than(before) {
            instance.heap.end_call_with(bounds);
        }
        return Some(Ended::Returned(linked.result.map(|_| value)));
    }
    instance.heap.set_bounds(bounds);
    // A method that has left has recorded where.
    if let Some(left) = left {
        record(stack, left, trapped, reserve, granted);
    }
    Some(Ended::Left)
}

/// Stores where a call left as the activation from which the interpreter goes on.
#[cold]
pub(super) fn record(
    stack: &mut CallStack<'_>,
    left: Left,
    trapped: Option<TrapKind>,
    reserve: u64,
    granted: u64,
) {
    stack.activation = Activation {
        phase: match trapped {
            Some(kind) => Phase::NativeTrapped(kind),
            None => Phase::Ready,
        },
        calls: left.calls,
        op: left.op,
        index: left.index,
        // The next slice finds its limit anew.
        prepaid: 0,
        limit: 0,
        fuel: reserve.wrapping_add(left.fuel as u64),
        granted,
    };
}

/// Returns the place from which on a call may find no room on the stack, or 0 if the outermost call finds none.
#[inline(always)]
pub(super) fn room(stack: &CallStack<'_>, registers: usize) -> usize {
    let frames = stack.frames.len();
    // A call begins at most as many slots above its caller as the largest method has registers.
    let needed = frames
        .saturating_mul(registers)
        .saturating_add(REGISTER_WINDOW);
    if frames <= DEPTH_MAX && needed <= stack.slots.len() && needed < CALL {
        return frames.wrapping_mul(CALL);
    }
    little_room(stack, registers)
}

/// Returns what `room` does for a call stack that has fewer slots than its frames may need.
#[cold]
fn little_room(stack: &CallStack<'_>, registers: usize) -> usize {
    let Some(slots) = stack.slots.len().checked_sub(REGISTER_WINDOW) else {
        return 0;
    };
    let most = |slots: usize| slots.checked_div(registers).unwrap_or(usize::MAX);
    let depth = most(slots)
        .saturating_add(1)
        .min(stack.frames.len())
        .min(most(CALL.wrapping_sub(REGISTER_WINDOW)))
        .min(DEPTH_MAX);
    depth.wrapping_mul(CALL)
}
