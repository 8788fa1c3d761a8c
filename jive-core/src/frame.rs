//! The call stack: frames and slots in lent memory, and what is kept of a run that stopped.

use core::cell::Cell;

use crate::id::{MethodId, NativeId};
use crate::limits::REGISTER_WINDOW;
use crate::program::{LinkedMethod, NativeCall, index};
use crate::registers::{Window, clear, window};
use crate::trap::TrapKind;

/// How the caller of a method goes on when the method returns.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub(crate) method: MethodId,
    /// The op behind the call.
    pub(crate) op: u32,
    /// Index of its first register among the slots. The operand stack follows the local variables, and
    /// the arguments of a call become the first local variables of the callee where they lie.
    pub(crate) base: u32,
    /// Where its code is cut off, and how many instructions have been executed there.
    pub(crate) limit: u32,
    pub(crate) span: i32,
    /// How many have been when the call is done, less the span.
    pub(crate) resumed: i32,
}

/// The stack of calls of one processor, reused by every activation that runs there.
///
/// An activation is one call from outside and all that it calls in turn. Its whole state is a value in here, and none
/// of it is on the host's stack. So it can stop at a native and go on later.
#[derive(Debug)]
pub struct CallStack<'s> {
    pub(crate) frames: &'s mut [Frame],
    pub(crate) slots: &'s mut [i32],
    pub(crate) activation: Activation,
}

/// How far an activation has come.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// There is none, or it has ended.
    #[default]
    Ended,
    /// It can run.
    Ready,
    /// It waits for what a native gives back.
    AtNative(NativeCall),
    /// The native that it waited for trapped.
    NativeTrapped(TrapKind),
}

/// The calls of an activation.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Calls {
    /// Count of them; the last one runs.
    pub(crate) depth: u32,
    /// Index of its first register among the slots.
    pub(crate) base: u32,
    /// Its method; as wide as the others, so that all are copied at once.
    pub(crate) method: u32,
}

impl Calls {
    /// Returns those of a method that was just entered from outside.
    pub(crate) fn outermost(method: MethodId) -> Self {
        Self {
            depth: 1,
            base: 0,
            method: method.0.into(),
        }
    }

    /// Returns the method that runs.
    pub(crate) const fn method(self) -> MethodId {
        // The index of a method, and those are numbered by 16 bits.
        MethodId(self.method as u16)
    }
}

/// An activation, where it stopped.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Activation {
    pub(crate) phase: Phase,
    pub(crate) calls: Calls,
    /// The op that the running method is at.
    pub(crate) op: u32,
    /// How many of its instructions have been executed if it came there straight.
    pub(crate) index: u16,
    /// How many have been where the code is cut off, and where that is.
    pub(crate) span: u16,
    pub(crate) limit: u32,
    pub(crate) fuel: u64,
    /// The fuel that was there at first, without what natives have charged.
    pub(crate) granted: u64,
}

impl Activation {
    /// Returns the activation of a method that was just entered.
    pub(crate) fn of(method: MethodId, linked: &LinkedMethod, fuel: u64) -> Self {
        Self {
            phase: Phase::Ready,
            calls: Calls::outermost(method),
            op: linked.entry,
            index: 0,
            span: linked.span,
            limit: linked.limit,
            fuel,
            granted: fuel,
        }
    }

    /// Returns the fuel that there would be if the method had run straight from its first instruction.
    pub(crate) fn potential(&self) -> u64 {
        self.fuel.saturating_add(self.index.into())
    }
}

impl<'s> CallStack<'s> {
    /// Makes a call stack of the lent memory.
    ///
    /// There is room for as many nested calls as there are frames, if the slots last: see
    /// [`Program::slots_for`]. Of the slots, [`REGISTER_WINDOW`] stay behind the last frame.
    ///
    /// [`Program::slots_for`]: crate::Program::slots_for
    /// [`REGISTER_WINDOW`]: crate::limits::REGISTER_WINDOW
    #[must_use]
    pub fn new(frames: &'s mut [Frame], slots: &'s mut [i32]) -> Self {
        // One check of the slots tells whether there is room for one call.
        let slots = if frames.is_empty() {
            Default::default()
        } else {
            slots
        };
        Self {
            frames,
            slots,
            activation: Activation::default(),
        }
    }

    /// Returns how many instructions of the class file the activation has executed.
    ///
    /// An instruction that trapped counts, except one for which there was no fuel. What natives
    /// charge does not count.
    #[must_use]
    pub const fn executed(&self) -> u64 {
        self.activation.granted.saturating_sub(self.activation.fuel)
    }

    /// Returns how much fuel the activation has left.
    #[must_use]
    pub const fn fuel_left(&self) -> u64 {
        self.activation.fuel
    }

    /// Returns the size in bytes of the activation's state: what a caller would copy to resume it on another stack of
    /// the same size.
    #[must_use]
    pub fn live_bytes(&self) -> usize {
        let calls = &self.activation.calls;
        let frames = index(calls.depth).saturating_mul(size_of::<Frame>());
        // The running method may use the whole register window behind its base.
        let slots = index(calls.base).saturating_add(REGISTER_WINDOW);
        frames.saturating_add(slots.saturating_mul(size_of::<i32>()))
    }

    /// Returns the native that the activation waits for.
    pub(crate) const fn native(&self) -> Option<NativeId> {
        match self.activation.phase {
            Phase::AtNative(call) => Some(call.id),
            Phase::Ended | Phase::Ready | Phase::NativeTrapped(_) => None,
        }
    }

    /// Returns the arguments of the native that the activation waits for, none if it does not.
    #[must_use]
    pub fn native_arguments(&self) -> &[i32] {
        let Phase::AtNative(call) = self.activation.phase else {
            return &[];
        };
        let first = index(self.activation.calls.base).wrapping_add(call.first.into());
        self.slots
            .get(first..first.wrapping_add(call.arguments.into()))
            .unwrap_or(&[])
    }

    /// Charges what a native costs beyond its one instruction, before it is performed.
    ///
    /// # Errors
    /// [`TrapKind::FuelExhausted`] if less fuel is left. Then the call of the native counts as not executed, and the
    /// caller must not perform the native. The caller passes the trap to [`CallStack::resume`].
    pub const fn charge(&mut self, extra_fuel: u64) -> Result<(), TrapKind> {
        match self.activation.fuel.checked_sub(extra_fuel) {
            Some(left) => {
                self.activation.fuel = left;
                self.activation.granted = self.activation.granted.saturating_sub(extra_fuel);
                Ok(())
            }
            None => {
                self.activation.fuel = self.activation.fuel.saturating_add(1);
                Err(TrapKind::FuelExhausted)
            }
        }
    }

    /// Passes the outcome of the native that the activation waits for; a void native's value is
    /// ignored.
    ///
    /// Where it waits for none, it will trap with [`TrapKind::Unverified`].
    #[inline]
    pub fn resume(&mut self, outcome: Result<i32, TrapKind>) {
        self.activation.phase = match self.return_from_native(outcome) {
            Ok(()) => Phase::Ready,
            Err(kind) => Phase::NativeTrapped(kind),
        };
    }

    fn return_from_native(&mut self, outcome: Result<i32, TrapKind>) -> Result<(), TrapKind> {
        let Phase::AtNative(call) = self.activation.phase else {
            return Err(TrapKind::Unverified);
        };
        let value = outcome?;
        if let Some(register) = call.result {
            let slot = index(self.activation.calls.base).wrapping_add(register.into());
            *self.slots.get_mut(slot).ok_or(TrapKind::Unverified)? = value;
        }
        self.activation.op = self.activation.op.wrapping_add(1);
        Ok(())
    }

    /// Returns the running method, and how many of its instructions were executed on a straight path through the op at
    /// which it stopped.
    pub(crate) const fn place(&self) -> (MethodId, u16) {
        (self.activation.calls.method(), self.activation.index)
    }
}

/// The one object of the class: a reference that is not null and names no array.
const THIS: i32 = -1;

/// Enters a method from outside: its registers, the first ones among the slots, hold the receiver and these
/// arguments. Gives none where it takes others or there is no room.
#[inline(always)]
pub(crate) fn enter<'s>(
    slots: &'s [Cell<i32>],
    method: &LinkedMethod,
    arguments: &[i32],
) -> Option<&'s Window> {
    let registers = window(slots, 0).filter(|_| method.takes(arguments))?;
    let (places, behind) = (method.arguments, method.registers);
    let (receiver, others) = registers.split_first()?;
    let own = if method.has_receiver {
        receiver.set(THIS);
        others
    } else {
        registers
    };
    match (arguments, own) {
        // What a handler takes. The caller has just stored them one by one. A processor is slow to load them as one, so
        // something else is done in between.
        (&[a, b], [first, second, ..]) => {
            first.set(a);
            clear(registers, places, behind);
            second.set(b);
        }
        _ => store(registers, own, arguments, places, behind),
    }
    Some(registers)
}

/// Stores any count of arguments in a method's own registers, and clears those behind them.
#[inline(never)]
fn store(registers: &Window, own: &[Cell<i32>], arguments: &[i32], places: u8, behind: u16) {
    clear(registers, places, behind);
    let own = own.iter().zip(arguments);
    own.for_each(|(register, &argument)| register.set(argument));
}
