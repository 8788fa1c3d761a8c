//! Type states: what is known of every local variable and operand before one instruction.

use core::fmt;

use jive_core::{Code, Opcode};

use crate::error::VerifyErrorKind;
use crate::found::Expected;
use crate::types::{VerificationType, merge_all, types_clash};

/// Where a stored state keeps the depth of its operand stack.
const DEPTH: usize = 0;
/// Where a stored state keeps the type of the receiver that nothing can overwrite.
const RECEIVER: usize = 1;
/// Where the local variables of a stored state begin; the operand stack follows them.
const LOCALS: usize = 2;

/// How many values a method's states hold.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) max_locals: u16,
    pub(crate) max_stack: u16,
}

impl Shape {
    pub(crate) fn of(code: &Code<'_>) -> Shape {
        Shape {
            max_locals: code.max_locals,
            max_stack: code.max_stack,
        }
    }

    /// Returns how many values there are at most.
    pub(crate) fn slots(self) -> u32 {
        u32::from(self.max_locals).saturating_add(u32::from(self.max_stack))
    }

    /// Returns how many bytes one stored state takes.
    pub(crate) fn state_len(self) -> usize {
        LOCALS
            .saturating_add(usize::from(self.max_locals))
            .saturating_add(usize::from(self.max_stack))
    }

    /// Returns where the operand stack of a stored state begins.
    fn stack_start(self) -> usize {
        LOCALS.saturating_add(usize::from(self.max_locals))
    }
}

/// What is known before an instruction: one type for each local variable and operand.
///
/// Holding one proves nothing by itself. Those that an [`Observer`](crate::Observer) sees of an
/// accepted method hold on every path that leads to their instruction.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct TypeState<'s> {
    receiver: u8,
    locals: &'s [u8],
    stack: &'s [u8],
}

impl<'s> TypeState<'s> {
    /// Reads a stored state; one too short for its shape reads as empty.
    fn read(bytes: &'s [u8], shape: Shape) -> TypeState<'s> {
        let depth = bytes.get(DEPTH).copied().unwrap_or(0);
        let start = shape.stack_start();
        TypeState {
            receiver: bytes.get(RECEIVER).copied().unwrap_or(0),
            locals: bytes.get(LOCALS..start).unwrap_or(&[]),
            stack: bytes
                .get(start..start.saturating_add(usize::from(depth)))
                .unwrap_or(&[]),
        }
    }

    /// Returns the type of the constructor's receiver, which holds whatever becomes of local variable
    /// 0, or [`Top`](VerificationType::Top) in other methods.
    #[must_use]
    pub const fn receiver(&self) -> VerificationType {
        VerificationType::from_bits(self.receiver)
    }

    /// Returns the types of the local variables, from 0.
    pub fn locals(
        &self,
    ) -> impl ExactSizeIterator<Item = VerificationType> + DoubleEndedIterator + use<'s> {
        self.locals
            .iter()
            .map(|bits| VerificationType::from_bits(*bits))
    }

    /// Returns the types of the operands, the top of the stack last.
    pub fn stack(
        &self,
    ) -> impl ExactSizeIterator<Item = VerificationType> + DoubleEndedIterator + use<'s> {
        self.stack
            .iter()
            .map(|bits| VerificationType::from_bits(*bits))
    }

    /// Returns the type of a local variable, or `None` from `max_locals` on.
    #[must_use]
    pub fn local(&self, local: u16) -> Option<VerificationType> {
        let bits = self.locals.get(usize::from(local))?;
        Some(VerificationType::from_bits(*bits))
    }

    /// Returns the type of the operand at this depth, 0 being the top, or `None` below the stack.
    #[must_use]
    pub fn operand(&self, depth: u8) -> Option<VerificationType> {
        let bits = self.stack.iter().rev().nth(usize::from(depth))?;
        Some(VerificationType::from_bits(*bits))
    }
}

impl fmt::Debug for TypeState<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("locals ")?;
        f.debug_list().entries(self.locals()).finish()?;
        f.write_str(" stack ")?;
        f.debug_list().entries(self.stack()).finish()
    }
}

/// Where and how two states that meet cannot be merged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Clash {
    /// Their operand stacks are of different depth.
    Depth { expected: u8, found: u8 },
    /// The operands at `depth`, 0 being the top, have nothing in common.
    Type {
        depth: u8,
        expected: VerificationType,
        found: VerificationType,
    },
}

/// A state in lent memory, which instructions change.
///
/// Its bytes are the depth of the operand stack, then bits of types: the receiver, the local
/// variables, the operand stack. The receiver is a local variable of a constructor that no
/// instruction can name: whatever becomes of local variable 0, it tells whether every path so far has
/// called `Object.<init>`. A state whose receiver has no bits is one that nothing has reached.
#[derive(Debug)]
pub(crate) struct State<'s> {
    bytes: &'s mut [u8],
    shape: Shape,
    /// As in `bytes`.
    depth: u8,
}

impl<'s> State<'s> {
    pub(crate) fn new(bytes: &'s mut [u8], shape: Shape) -> State<'s> {
        State {
            bytes,
            shape,
            depth: 0,
        }
    }

    pub(crate) fn view(&self) -> TypeState<'_> {
        TypeState::read(self.bytes, self.shape)
    }

    /// Forgets everything: no operand, no usable local variable, no receiver.
    pub(crate) fn clear(&mut self) {
        self.bytes.fill(VerificationType::Top.bits());
        self.set_depth(0);
    }

    /// Takes over a stored state.
    pub(crate) fn load(&mut self, stored: &[u8]) {
        if let Some(bytes) = self.bytes.get_mut(..stored.len()) {
            bytes.copy_from_slice(stored);
        }
        self.depth = stored.get(DEPTH).copied().unwrap_or(0);
    }

    /// Whether any state has been merged into a stored one, which began as zeros.
    pub(crate) fn is_reached(stored: &[u8]) -> bool {
        stored.get(RECEIVER).is_some_and(|bits| *bits != 0)
    }

    /// Merges this state into a stored one, and returns whether that changed it.
    pub(crate) fn merge_into(&self, stored: &mut [u8]) -> Result<bool, Clash> {
        let live = self
            .shape
            .stack_start()
            .saturating_add(usize::from(self.depth()));
        let (Some(new), Some(old)) = (self.bytes.get(..live), stored.get_mut(..live)) else {
            return Ok(false);
        };
        if !State::is_reached(old) {
            old.copy_from_slice(new);
            return Ok(true);
        }
        let (Some((expected, old)), Some((found, new))) =
            (old.split_first_mut(), new.split_first())
        else {
            return Ok(false);
        };
        if expected != found {
            return Err(Clash::Depth {
                expected: *expected,
                found: *found,
            });
        }
        // The depth is split off, so the stack begins one byte earlier.
        let stack_start = self
            .shape
            .stack_start()
            .saturating_sub(DEPTH.saturating_add(1));
        let stacks = (old.get(stack_start..), new.get(stack_start..));
        if let (Some(old_stack), Some(new_stack)) = stacks
            && types_clash(old_stack, new_stack)
        {
            return Err(clash(old_stack, new_stack));
        }
        Ok(merge_all(old, new))
    }

    pub(crate) const fn depth(&self) -> u8 {
        self.depth
    }

    fn set_depth(&mut self, depth: u8) {
        self.depth = depth;
        if let Some(byte) = self.bytes.get_mut(DEPTH) {
            *byte = depth;
        }
    }

    pub(crate) fn receiver(&self) -> VerificationType {
        self.kind_at(RECEIVER)
    }

    pub(crate) fn set_receiver(&mut self, kind: VerificationType) {
        if let Some(byte) = self.bytes.get_mut(RECEIVER) {
            *byte = kind.bits();
        }
    }

    /// Returns the type of a local variable; one that is not there holds nothing usable.
    pub(crate) fn local(&self, local: u16) -> VerificationType {
        if local < self.shape.max_locals {
            self.kind_at(LOCALS.saturating_add(usize::from(local)))
        } else {
            VerificationType::Top
        }
    }

    pub(crate) fn set_local(&mut self, local: u16, kind: VerificationType) {
        let place = LOCALS.saturating_add(usize::from(local));
        if local < self.shape.max_locals
            && let Some(byte) = self.bytes.get_mut(place)
        {
            *byte = kind.bits();
        }
    }

    /// Returns the type of the operand at this depth, 0 being the top.
    ///
    /// Below the stack it is nothing usable; [`demand`](Self::demand) has told so before.
    pub(crate) fn operand(&self, depth: u8) -> VerificationType {
        // Counted from the bottom.
        match self
            .depth()
            .checked_sub(depth)
            .and_then(|n| n.checked_sub(1))
        {
            Some(place) => {
                self.kind_at(self.shape.stack_start().saturating_add(usize::from(place)))
            }
            None => VerificationType::Top,
        }
    }

    fn kind_at(&self, place: usize) -> VerificationType {
        VerificationType::from_bits(self.bytes.get(place).copied().unwrap_or(0))
    }

    /// Demands this many operands.
    pub(crate) fn demand(&self, opcode: Opcode, needed: u8) -> Result<(), VerifyErrorKind> {
        let found = self.depth();
        if found < needed {
            return Err(VerifyErrorKind::StackUnderflow {
                opcode,
                needed,
                found,
            });
        }
        Ok(())
    }

    /// Demands that the operand at this depth is what is expected.
    pub(crate) fn expect(
        &self,
        opcode: Opcode,
        depth: u8,
        expected: Expected,
    ) -> Result<(), VerifyErrorKind> {
        let found = self.operand(depth);
        if expected.accepts(found) {
            return Ok(());
        }
        if found == VerificationType::UninitializedThis {
            return Err(VerifyErrorKind::UninitializedThis { opcode, depth });
        }
        Err(VerifyErrorKind::OperandType {
            opcode,
            depth,
            expected,
            found,
        })
    }

    /// Pops operands that are what is expected of each, the top first, and pushes others.
    ///
    /// Changes nothing where it fails, so that the state before the instruction can be shown.
    pub(crate) fn exchange(
        &mut self,
        opcode: Opcode,
        popped: &[Expected],
        pushed: &[VerificationType],
    ) -> Result<(), VerifyErrorKind> {
        // An instruction names a handful.
        let count = u8::try_from(popped.len()).unwrap_or(u8::MAX);
        self.demand(opcode, count)?;
        for (depth, expected) in (0..count).zip(popped) {
            self.expect(opcode, depth, *expected)?;
        }
        self.replace(opcode, count, pushed)
    }

    /// Pops operands, whose number and types have been checked, and pushes others.
    ///
    /// Changes nothing where it fails, so that the state before the instruction can be shown.
    pub(crate) fn replace(
        &mut self,
        opcode: Opcode,
        popped: u8,
        pushed: &[VerificationType],
    ) -> Result<(), VerifyErrorKind> {
        let max_stack = self.shape.max_stack;
        let overflow = VerifyErrorKind::StackOverflow { opcode, max_stack };
        let base = usize::from(self.depth().saturating_sub(popped));
        let depth = base.saturating_add(pushed.len());
        if depth > usize::from(max_stack) {
            return Err(overflow);
        }
        let Ok(new_depth) = u8::try_from(depth) else {
            return Err(overflow);
        };
        let start = self.shape.stack_start().saturating_add(base);
        for (byte, kind) in self.bytes.iter_mut().skip(start).zip(pushed) {
            *byte = kind.bits();
        }
        self.set_depth(new_depth);
        Ok(())
    }

    /// Turns every copy of `this` before `Object.<init>` into an initialised one (JVMS §4.10.2.4).
    pub(crate) fn initialize(&mut self) {
        let live = self
            .shape
            .stack_start()
            .saturating_add(usize::from(self.depth()));
        for byte in self.bytes.get_mut(RECEIVER..live).unwrap_or(&mut []) {
            if *byte == VerificationType::UninitializedThis.bits() {
                *byte = VerificationType::This.bits();
            }
        }
    }
}

/// Names the first clash of two operand stacks that are known to have one, from the bottom.
fn clash(old: &[u8], new: &[u8]) -> Clash {
    let mut depth = u8::try_from(old.len()).unwrap_or(u8::MAX);
    let mut found = (VerificationType::Top, VerificationType::Top);
    for (old, new) in old.iter().zip(new) {
        depth = depth.saturating_sub(1);
        found = (
            VerificationType::from_bits(*old),
            VerificationType::from_bits(*new),
        );
        if found.0.merge(found.1) == VerificationType::Top {
            break;
        }
    }
    Clash::Type {
        depth,
        expected: found.0,
        found: found.1,
    }
}
