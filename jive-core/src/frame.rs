//! The call stack: frames and slots in lent memory, and the state of an activation that stopped.

use core::cell::Cell;

use crate::heap::Lifetime;
use crate::id::{MethodId, NativeId};
use crate::limits::REGISTER_WINDOW;
use crate::program::{LinkedMethod, NativeCall, index};
use crate::registers::{Window, clear, window};
use crate::trap::TrapKind;

/// How the caller of a method resumes when the method returns.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub(crate) method: MethodId,
    /// The op after the call, at which the caller resumes.
    pub(crate) op: u32,
    /// The slot of the caller's first register. The registers of the caller's operand stack follow those of its local
    /// variables. Arguments of a call are not copied: the callee's registers begin at the first argument.
    pub(crate) base: u32,
    /// The limit of the caller's code, and how many instructions were prepaid there (`interp/fuel.rs`).
    pub(crate) limit: u32,
    pub(crate) prepaid: i32,
    /// How many prepaid instructions of the caller follow the call. Resuming the caller pays again for its prepaid
    /// instructions after the call, because the callee received their fuel.
    pub(crate) resume_cost: i32,
}

/// A call stack. One call stack per processor is enough, because activations that run one after another can share it.
///
/// An activation is one call from outside with all calls that this call makes. The whole state of an activation is a
/// value in the `CallStack`, and no part of it is on the host's stack. So an activation can stop at a native and
/// continue later.
#[derive(Debug)]
pub struct CallStack<'s> {
    pub(crate) frames: &'s mut [Frame],
    pub(crate) slots: &'s mut [i32],
    pub(crate) activation: Activation,
}

/// What an activation waits for.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The call stack has no activation, or the activation has ended.
    #[default]
    Ended,
    /// The activation waits for nothing: it can run.
    Ready,
    /// The activation waits for the outcome of a native.
    AtNative(NativeCall),
    /// The activation waits for nothing: its native trapped, and the activation will trap when it runs.
    NativeTrapped(TrapKind),
    /// The activation has ended because it ran out of fuel. With more fuel it can go on. Its arrays live as stated.
    Exhausted(Lifetime),
}

/// The position of an activation in the call stack.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Calls {
    /// How many calls are nested, including the running call.
    pub(crate) depth: u32,
    /// The slot of the running method's first register.
    pub(crate) base: u32,
    /// The index of the running method. The method's index is as wide as the other fields, so that the compiler copies
    /// all fields with one move.
    pub(crate) method: u32,
}

impl Calls {
    /// Returns the position of a method that a caller outside has entered.
    pub(crate) fn outermost(method: MethodId) -> Self {
        Self {
            depth: 1,
            base: 0,
            method: method.0.into(),
        }
    }

    /// Returns the running method.
    pub(crate) const fn method(self) -> MethodId {
        // The cast is lossless: `method` was converted from the index of a method, which has 16 bits.
        MethodId(self.method as u16)
    }
}

/// The state of an activation that does not run at the moment.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Activation {
    pub(crate) phase: Phase,
    pub(crate) calls: Calls,
    /// The op of the running method with which the activation continues.
    pub(crate) op: u32,
    /// How many instructions of the method precede the op at which the activation continues, on the straight path from
    /// the method's start.
    pub(crate) index: u16,
    /// The limit of the code of the activation's last slice, and how many instructions were prepaid at that limit
    /// (`interp/fuel.rs`). Once the activation has ended, `limit` is how far the heap was filled at its end
    /// (`interp/values.rs`).
    pub(crate) prepaid: u16,
    pub(crate) limit: u32,
    /// The fuel that the activation has left.
    pub(crate) fuel: u64,
    /// The fuel that the call from outside began with, less the extra fuel that natives cost.
    pub(crate) granted: u64,
}

impl Activation {
    /// Returns the activation of a method that a caller outside has entered.
    pub(crate) fn of(method: MethodId, linked: &LinkedMethod, fuel: u64) -> Self {
        Self {
            phase: Phase::Ready,
            calls: Calls::outermost(method),
            op: linked.entry,
            index: 0,
            prepaid: linked.prepaid,
            limit: linked.limit,
            fuel,
            granted: fuel,
        }
    }

    /// Grants more fuel to an activation that ran out of it, and makes it ready to run from the op that it could not pay.
    pub(crate) fn grant(&mut self, fuel: u64) {
        let executed = self.granted.saturating_sub(self.fuel);
        self.phase = Phase::Ready;
        // `index` is the number of the first instruction without fuel, counted from 1.
        self.index = self.index.saturating_sub(1);
        self.fuel = self.fuel.saturating_add(fuel);
        self.granted = self.fuel.saturating_add(executed);
        // No op has this number, so that the next slice finds its limit anew.
        self.limit = u32::MAX;
    }

    /// Returns the entry fuel, which the running method would have had at its first instruction, if it had run straight
    /// from that instruction.
    pub(crate) fn entry_fuel(&self) -> u64 {
        self.fuel.saturating_add(self.index.into())
    }
}

impl<'s> CallStack<'s> {
    /// Makes a call stack of the lent memory.
    ///
    /// As many calls can be nested as there are frames, if there are enough slots: see [`Program::slots_for`]. The last
    /// [`REGISTER_WINDOW`] slots are additional room for the register window of the innermost call.
    ///
    /// [`Program::slots_for`]: crate::Program::slots_for
    /// [`REGISTER_WINDOW`]: crate::limits::REGISTER_WINDOW
    #[must_use]
    pub fn new(frames: &'s mut [Frame], slots: &'s mut [i32]) -> Self {
        // A call stack without frames has no room for a call. A call stack without frames gets no slots either, so that
        // calls later check only the slots.
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
    /// An instruction that trapped counts as executed, except an instruction for which no fuel was left. The extra fuel
    /// of natives does not count as executed instructions.
    #[must_use]
    pub const fn executed(&self) -> u64 {
        self.activation.granted.saturating_sub(self.activation.fuel)
    }

    /// Returns how much fuel the activation has left.
    #[must_use]
    pub const fn fuel_left(&self) -> u64 {
        self.activation.fuel
    }

    /// Returns the size in bytes of the activation's state, which a caller would copy to resume it on another stack of
    /// the same size.
    #[must_use]
    pub fn live_bytes(&self) -> usize {
        let calls = &self.activation.calls;
        let frames = index(calls.depth).saturating_mul(size_of::<Frame>());
        // The running method may use the whole register window that begins at its first register.
        let slots = index(calls.base).saturating_add(REGISTER_WINDOW);
        frames.saturating_add(slots.saturating_mul(size_of::<i32>()))
    }

    /// Returns the native that the activation waits for.
    pub(crate) const fn native(&self) -> Option<NativeId> {
        match self.activation.phase {
            Phase::AtNative(call) => Some(call.id),
            Phase::Ended | Phase::Ready | Phase::NativeTrapped(_) | Phase::Exhausted(_) => None,
        }
    }

    /// Returns the arguments of the native that the activation waits for. The list of arguments is empty if the
    /// activation waits for no native.
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

    /// Charges the fuel that a native costs beyond its one instruction. The caller charges a native's extra fuel before
    /// it performs the native.
    ///
    /// # Errors
    ///
    /// Returns [`TrapKind::FuelExhausted`] if less fuel than `extra_fuel` is left. After `FuelExhausted`, the call of
    /// the native counts as not executed, and the caller must not perform the native. The caller passes the error of
    /// `charge` to [`CallStack::resume`].
    pub const fn charge(&mut self, extra_fuel: u64) -> Result<(), TrapKind> {
        match self.activation.fuel.checked_sub(extra_fuel) {
            Some(left) => {
                self.activation.fuel = left;
                // The subtraction does not wrap, because no more fuel is left than was granted.
                self.activation.granted = self.activation.granted.wrapping_sub(extra_fuel);
                Ok(())
            }
            None => {
                self.activation.fuel = self.activation.fuel.saturating_add(1);
                Err(TrapKind::FuelExhausted)
            }
        }
    }

    /// Gives the activation this much fuel in place of what it has left, while it waits for a native. What it has executed
    /// stays counted.
    pub const fn set_fuel(&mut self, fuel: u64) {
        let executed = self.executed();
        self.activation.fuel = fuel;
        self.activation.granted = fuel.saturating_add(executed);
    }

    /// Gives the activation the outcome of the native that it waits for. The activation ignores the value that a void
    /// native returns.
    ///
    /// If the activation waits for no native, it will trap with [`TrapKind::Unverified`] when it runs.
    #[inline]
    pub fn resume(&mut self, outcome: Result<i32, TrapKind>) {
        self.activation.phase = match self.return_from_native(outcome) {
            Ok(()) => Phase::Ready,
            Err(kind) => Phase::NativeTrapped(kind),
        };
    }

    /// Writes a native's result to the result's register, and moves the activation to the next op.
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

    /// Returns the running method, and how many of its instructions a straight path executes through the op at which
    /// the method stopped.
    pub(crate) const fn place(&self) -> (MethodId, u16) {
        (self.activation.calls.method(), self.activation.index)
    }
}

/// The reference to the one object of the class. The reference to the object is not null, and names no array.
pub const THIS: i32 = -1;

/// Enters a method from outside: writes the receiver and the arguments to the method's registers, which are the first
/// slots.
///
/// Returns `None` if the method has another number of parameters, or if the call stack has too few slots.
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
        // Handlers such as `doRx` have two arguments. The caller has just stored each argument, and the compiler may
        // load both arguments at once. A processor stalls if it loads two recent stores at once, so `enter` clears
        // registers between the loads of the two arguments.
        (&[a, b], [first, second, ..]) => {
            first.set(a);
            clear(registers, places, behind);
            second.set(b);
        }
        _ => store(registers, own, arguments, places, behind),
    }
    Some(registers)
}

/// Writes any number of arguments to a method's registers, and clears the registers after the arguments.
#[inline(never)]
fn store(registers: &Window, own: &[Cell<i32>], arguments: &[i32], places: u8, behind: u16) {
    clear(registers, places, behind);
    let own = own.iter().zip(arguments);
    own.for_each(|(register, &argument)| register.set(argument));
}
