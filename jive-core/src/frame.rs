//! The call stack: frames and slots in lent memory, and the state of an activation that stopped.

use core::cell::Cell;

use crate::id::{MethodId, NativeId};
use crate::limits::REGISTER_WINDOW;
use crate::program::{LinkedMethod, NativeCall, index};
use crate::registers::{Window, clear, window};
use crate::trap::TrapKind;

/// How the caller of a method resumes when the method returns.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub(crate) method: MethodId,
    /// The op behind the call.
    pub(crate) op: u32,
    /// The slot of the caller's first register. The registers of its operand stack follow those of its local variables.
    /// Arguments are not copied: the callee's registers begin at the first argument.
    pub(crate) base: u32,
    /// The limit of the caller's code, and how many instructions were prepaid there (`interp/fuel.rs`).
    pub(crate) limit: u32,
    pub(crate) prepaid: i32,
    /// The prepaid instructions behind the call. Resuming pays for them again, since the callee got their fuel.
    pub(crate) resume_cost: i32,
}

/// A call stack. One per processor is enough, because activations that run one after another can share it.
///
/// An activation is one call from outside with all calls that it makes in turn. Its whole state is a value in here, and
/// none of it is on the host's stack. So it can stop at a native and continue later.
#[derive(Debug)]
pub struct CallStack<'s> {
    pub(crate) frames: &'s mut [Frame],
    pub(crate) slots: &'s mut [i32],
    pub(crate) activation: Activation,
}

/// What an activation waits for.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// There is no activation, or it has ended.
    #[default]
    Ended,
    /// For nothing: it can run.
    Ready,
    /// For the outcome of a native.
    AtNative(NativeCall),
    /// For nothing: its native trapped, and so will the activation.
    NativeTrapped(TrapKind),
}

/// The position of an activation in the call stack.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Calls {
    /// How many calls are nested, the running one included.
    pub(crate) depth: u32,
    /// The slot of the running method's first register.
    pub(crate) base: u32,
    /// The index of the running method. As wide as the other fields, so that the compiler copies all with one move.
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
        // Lossless: it was made of the index of a method, which has 16 bits.
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
    /// How many instructions of the method are done before that op, if the method ran straight from its first.
    pub(crate) index: u16,
    /// The limit of the code of its last slice, and how many instructions were prepaid there (`interp/fuel.rs`). Once the
    /// activation has ended, `limit` is how far the heap was filled at its end (`interp/values.rs`).
    pub(crate) prepaid: u16,
    pub(crate) limit: u32,
    /// The fuel that is left.
    pub(crate) fuel: u64,
    /// The fuel that the call began with, less the extra fuel that natives took.
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

    /// Returns the fuel that the running method would have had at its first instruction, if it had run straight from
    /// there.
    pub(crate) fn entry_fuel(&self) -> u64 {
        self.fuel.saturating_add(self.index.into())
    }
}

impl<'s> CallStack<'s> {
    /// Makes a call stack of the lent memory.
    ///
    /// As many calls can be nested as there are frames, if there are enough slots: see [`Program::slots_for`]. The last
    /// [`REGISTER_WINDOW`] slots serve as the register window of the innermost call.
    ///
    /// [`Program::slots_for`]: crate::Program::slots_for
    /// [`REGISTER_WINDOW`]: crate::limits::REGISTER_WINDOW
    #[must_use]
    pub fn new(frames: &'s mut [Frame], slots: &'s mut [i32]) -> Self {
        // Without frames there is no room for a call. Without slots there is none either, so one check is enough later.
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
    /// An instruction that trapped counts, except one for which there was no fuel. The extra fuel of natives does not
    /// count.
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

    /// Returns the arguments of the native that the activation waits for. Empty if it waits for none.
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

    /// Charges the fuel that a native costs beyond its one instruction. Called before the native is performed.
    ///
    /// # Errors
    /// [`TrapKind::FuelExhausted`] if less fuel is left. Then the call of the native counts as not executed, and the
    /// caller must not perform the native. The caller passes the trap to [`CallStack::resume`].
    pub const fn charge(&mut self, extra_fuel: u64) -> Result<(), TrapKind> {
        match self.activation.fuel.checked_sub(extra_fuel) {
            Some(left) => {
                self.activation.fuel = left;
                // Does not wrap: no more fuel is left than was granted.
                self.activation.granted = self.activation.granted.wrapping_sub(extra_fuel);
                Ok(())
            }
            None => {
                self.activation.fuel = self.activation.fuel.saturating_add(1);
                Err(TrapKind::FuelExhausted)
            }
        }
    }

    /// Passes the outcome of the native that the activation waits for. The value of a void native is ignored.
    ///
    /// If the activation waits for no native, it will trap with [`TrapKind::Unverified`].
    #[inline]
    pub fn resume(&mut self, outcome: Result<i32, TrapKind>) {
        self.activation.phase = match self.return_from_native(outcome) {
            Ok(()) => Phase::Ready,
            Err(kind) => Phase::NativeTrapped(kind),
        };
    }

    /// Writes a native's result to its register, and moves the activation to the next op.
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

/// The reference to the one object of the class. It is not null, and names no array.
const THIS: i32 = -1;

/// Enters a method from outside: writes the receiver and the arguments to its registers, which are the first slots.
///
/// Returns `None` if the method takes another number of arguments, or if there are too few slots.
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
        // `doTx` and `doRx` take two arguments. The caller has just stored each of them, and the compiler may load both
        // at once. A processor stalls if it loads two recent stores at once, so clearing registers comes in between.
        (&[a, b], [first, second, ..]) => {
            first.set(a);
            clear(registers, places, behind);
            second.set(b);
        }
        _ => store(registers, own, arguments, places, behind),
    }
    Some(registers)
}

/// Writes any number of arguments to a method's registers, and clears the registers behind them.
#[inline(never)]
fn store(registers: &Window, own: &[Cell<i32>], arguments: &[i32], places: u8, behind: u16) {
    clear(registers, places, behind);
    let own = own.iter().zip(arguments);
    own.for_each(|(register, &argument)| register.set(argument));
}
