//! Finds the values that made a call trap, after the trap.
//!
//! A call that traps leaves its registers, its op and the bytes of its arrays as they were, until the next call starts.
//! So the interpreter records no values for traps while it runs. A program that never calls `trap_values` does not
//! contain the code of this file.

use core::iter::once;

use super::control::element;
use crate::array_kind::ArrayKind;
use crate::frame::{CallStack, Frame};
use crate::heap::Heap;
use crate::id::{FieldId, Pc};
use crate::instance::Instance;
use crate::limits::REGISTER_WINDOW;
use crate::op::{Op, OpKind};
use crate::program::{NativeCall, index, native};
use crate::trap::{CallSite, Trap, TrapKind, TrapValues};

impl<'m> Instance<'m> {
    /// Returns the values that made the last call on this stack trap.
    ///
    /// The values are valid until the next call of this instance or on this stack, and as long as the caller allocates
    /// no array. Returns `None` for [`TrapKind::Unverified`], and if the call has not ended in a trap of the given
    /// kind.
    #[must_use]
    pub fn trap_values<'s>(
        &self,
        stack: &'s CallStack<'_>,
        kind: TrapKind,
    ) -> Option<TrapValues<'s>> {
        let op = self.program.ops().get(index(stack.activation.op));
        let op = op.copied().unwrap_or_default();
        match kind {
            TrapKind::FuelExhausted => {
                let executed = stack.executed();
                return Some(TrapValues::Fuel { executed });
            }
            TrapKind::StackOverflowError => return Some(call_depth(stack)),
            TrapKind::Unverified => return None,
            _ if op.kind.plain() == OpKind::Native => {
                let call = native(op);
                return match call.id.allocates() {
                    None => arguments(stack, call),
                    Some(array) => self.values_of_allocation(stack, kind, array, call.first),
                };
            }
            _ => {}
        }
        self.values_of_op(stack, op, kind)
    }

    /// Returns the values that made an op trap.
    fn values_of_op<'s>(
        &self,
        stack: &CallStack<'_>,
        op: Op,
        kind: TrapKind,
    ) -> Option<TrapValues<'s>> {
        let register = |number| stack.register(number);
        match kind {
            TrapKind::ArithmeticException => Some(TrapValues::Division {
                dividend: register(op.b),
            }),
            TrapKind::ArrayIndexOutOfBoundsException => {
                let (array, index) = element(&op, self.fields, register);
                let (_, length) = self.heap.shape(array)?;
                Some(TrapValues::Index { index, length })
            }
            TrapKind::NullPointerException => Some(TrapValues::Null),
            TrapKind::NegativeArraySizeException | TrapKind::OutOfMemoryError => {
                let array = ArrayKind::from_newarray_code(u8::try_from(op.imm()).ok()?)?;
                self.values_of_allocation(stack, kind, array, op.b)
            }
            TrapKind::TransientEscape => {
                let (kind, length) = self.heap.shape(register(op.a))?;
                let field = FieldId(op.low());
                Some(TrapValues::Transient {
                    kind,
                    length,
                    field,
                })
            }
            // Only natives end in a protection fault, exceed a quota or forbid an operation on a buffer. `trap_values`
            // has handled the other kinds of traps in this `match` arm.
            TrapKind::ProtectionFault
            | TrapKind::QuotaExceeded
            | TrapKind::BufferState
            | TrapKind::FuelExhausted
            | TrapKind::StackOverflowError
            | TrapKind::Unverified => None,
        }
    }

    /// Returns the values that made an allocation trap. The length is in register `length`.
    fn values_of_allocation<'s>(
        &self,
        stack: &CallStack<'_>,
        kind: TrapKind,
        array: ArrayKind,
        length: u8,
    ) -> Option<TrapValues<'s>> {
        let length = stack.register(length);
        match u32::try_from(length) {
            Err(_) => Some(TrapValues::Length { length }),
            Ok(length) if kind == TrapKind::OutOfMemoryError => Some(TrapValues::Heap {
                asked: Heap::bytes_of_array(array, length),
                free: self.heap.free_from(stack.activation.limit),
            }),
            Ok(_) => None,
        }
    }

    /// Returns the calls that were nested when the last call on this stack ended in `trap`, innermost first.
    ///
    /// The first call site is that of the trap. Each later call site is the instruction that called the method of the
    /// previous one. The call sites are valid until the next call on this stack.
    pub fn backtrace<'s>(
        &self,
        stack: &'s CallStack<'_>,
        trap: Trap,
    ) -> impl Iterator<Item = CallSite> + use<'s, 'm> {
        let innermost = CallSite {
            method: trap.method,
            pc: trap.pc,
        };
        // The outermost call has no caller, so its frame is not used.
        let callers = stack.frames.get(1..index(stack.activation.calls.depth));
        let callers: &'s [Frame] = callers.unwrap_or_default();
        let program = self.program;
        let callers = callers.iter().rev().map(move |frame| {
            let call = program.origin(frame.method, frame.op.wrapping_sub(1));
            CallSite {
                method: frame.method,
                pc: call.map_or(Pc(0), |call| call.pc),
            }
        });
        once(innermost).chain(callers)
    }

    /// Returns the heap as the last call on this stack left it when it trapped: with the arrays that the call had made.
    ///
    /// The returned heap is valid as long as the values that [`Instance::trap_values`] returns.
    pub fn heap_at_trap(&mut self, stack: &CallStack<'_>) -> Heap<'_> {
        self.heap.filled_to(stack.activation.limit)
    }
}

impl CallStack<'_> {
    /// Returns a register of the method that the last call ended in.
    pub(super) fn register(&self, number: u8) -> i32 {
        let slot = index(self.activation.calls.base).wrapping_add(number.into());
        self.slots.get(slot).copied().unwrap_or(0)
    }
}

/// Returns the arguments of the native at which the call trapped. The native's arguments are still in their registers
/// after the trap.
fn arguments<'s>(stack: &'s CallStack<'_>, call: NativeCall) -> Option<TrapValues<'s>> {
    let first = index(stack.activation.calls.base).wrapping_add(call.first.into());
    let args = stack.slots.get(first..)?.get(..call.arguments.into())?;
    Some(TrapValues::Native { id: call.id, args })
}

/// Returns why the call stack had no room for another call.
fn call_depth<'s>(stack: &CallStack<'_>) -> TrapValues<'s> {
    let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let most = count(stack.frames.len());
    let slots = count(stack.slots.len().saturating_sub(REGISTER_WINDOW));
    // A call from outside that found no room on the call stack has not begun.
    let has_begun = stack.slots.len() >= REGISTER_WINDOW;
    let nested = if has_begun {
        stack.activation.calls.depth
    } else {
        0
    };
    if nested >= most {
        TrapValues::Frames { nested, most }
    } else {
        TrapValues::Slots {
            nested,
            most: slots,
        }
    }
}
