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
    /// As many as the shape has; the depth is that of `top` wherever a state is stored.
    bytes: &'s mut [u8],
    shape: Shape,
    /// Where the next operand goes; not before the operand stack begins.
    top: usize,
}

impl<'s> State<'s> {
    pub(crate) fn new(bytes: &'s mut [u8], shape: Shape) -> State<'s> {
        State {
            bytes,
            shape,
            top: shape.stack_start(),
        }
    }

    pub(crate) fn view(&self) -> TypeState<'_> {
        let start = self.shape.stack_start();
        TypeState {
            receiver: self.bits(RECEIVER),
            locals: self.bytes.get(LOCALS..start).unwrap_or(&[]),
            stack: self.bytes.get(start..self.top).unwrap_or(&[]),
        }
    }

    /// Forgets everything: no operand, no usable local variable, no receiver.
    pub(crate) fn clear(&mut self) {
        self.bytes.fill(VerificationType::Top.bits());
        self.top = self.shape.stack_start();
    }

    /// Takes over a stored state.
    pub(crate) fn load(&mut self, stored: &[u8]) {
        if let Some(bytes) = self.bytes.get_mut(..stored.len()) {
            bytes.copy_from_slice(stored);
        }
        let depth = stored.get(DEPTH).copied().unwrap_or(0);
        self.top = self.shape.stack_start().saturating_add(depth.into());
    }

    /// Whether any state has been merged into a stored one, which began as zeros.
    pub(crate) fn is_reached(stored: &[u8]) -> bool {
        stored.get(RECEIVER).is_some_and(|bits| *bits != 0)
    }

    /// Merges this state into a stored one, and returns whether that changed it.
    pub(crate) fn merge_into(&self, stored: &mut [u8]) -> Result<bool, Clash> {
        let found = self.depth();
        let (Some(new), Some((expected, old))) = (
            self.bytes.get(RECEIVER..self.top),
            stored.get_mut(..self.top).and_then(<[u8]>::split_first_mut),
        ) else {
            return Ok(false);
        };
        if old.first() == Some(&0) {
            *expected = found;
            old.copy_from_slice(new);
            return Ok(true);
        }
        if *expected != found {
            return Err(Clash::Depth {
                expected: *expected,
                found,
            });
        }
        if old == new {
            return Ok(false);
        }
        let stack_start = self.shape.stack_start().saturating_sub(RECEIVER);
        let stacks = (old.get(stack_start..), new.get(stack_start..));
        if let (Some(old_stack), Some(new_stack)) = stacks
            && types_clash(old_stack, new_stack)
        {
            return Err(clash(old_stack, new_stack));
        }
        Ok(merge_all(old, new))
    }

    pub(crate) fn depth(&self) -> u8 {
        let depth = self.top.saturating_sub(self.shape.stack_start());
        // A frame has fewer slots than a byte can count.
        u8::try_from(depth).unwrap_or(u8::MAX)
    }

    pub(crate) fn receiver(&self) -> VerificationType {
        VerificationType::from_bits(self.bits(RECEIVER))
    }

    pub(crate) fn set_receiver(&mut self, kind: VerificationType) {
        self.set(RECEIVER, kind);
    }

    /// Returns the type of a local variable; one that is not there holds nothing usable.
    pub(crate) fn local(&self, local: u16) -> VerificationType {
        VerificationType::from_bits(self.local_bits(local))
    }

    /// Returns the bits of the type of a local variable; one that is not there holds nothing usable.
    pub(crate) fn local_bits(&self, local: u16) -> u8 {
        if local < self.shape.max_locals {
            self.bits(LOCALS.saturating_add(usize::from(local)))
        } else {
            VerificationType::Top.bits()
        }
    }

    pub(crate) fn set_local(&mut self, local: u16, kind: VerificationType) {
        if local < self.shape.max_locals {
            self.set(LOCALS.saturating_add(usize::from(local)), kind);
        }
    }

    /// Returns the type of the operand at this depth, 0 being the top.
    ///
    /// Below the stack it is nothing usable; [`demand`](Self::demand) has told so before.
    pub(crate) fn operand(&self, depth: u8) -> VerificationType {
        match self.top.checked_sub(usize::from(depth).saturating_add(1)) {
            Some(place) if place >= self.shape.stack_start() => {
                VerificationType::from_bits(self.bits(place))
            }
            Some(_) | None => VerificationType::Top,
        }
    }

    fn bits(&self, place: usize) -> u8 {
        self.bytes.get(place).copied().unwrap_or(0)
    }

    fn set(&mut self, place: usize, kind: VerificationType) {
        if let Some(byte) = self.bytes.get_mut(place) {
            *byte = kind.bits();
        }
    }

    /// Demands this many operands, and returns where the lowest of them lies.
    pub(crate) fn demand(&self, opcode: Opcode, needed: u8) -> Result<usize, VerifyErrorKind> {
        match self.top.checked_sub(needed.into()) {
            Some(base) if base >= self.shape.stack_start() => Ok(base),
            Some(_) | None => Err(VerifyErrorKind::StackUnderflow {
                opcode,
                needed,
                found: self.depth(),
            }),
        }
    }

    /// Pops so many operands that are what is expected of each, the top first, and pushes another.
    ///
    /// Changes nothing where it fails, so that the state before the instruction can be shown.
    #[inline]
    pub(crate) fn exchange(
        &mut self,
        opcode: Opcode,
        count: usize,
        popped: impl Iterator<Item = Expected>,
        pushed: Option<VerificationType>,
    ) -> Result<(), VerifyErrorKind> {
        // More than 255 are more than any operand stack of the limit holds.
        let base = self.demand(opcode, u8::try_from(count).unwrap_or(u8::MAX))?;
        let operands = self.bytes.get(base..self.top).unwrap_or(&[]);
        for ((depth, bits), expected) in (0..).zip(operands.iter().rev()).zip(popped) {
            if !expected.accepts_bits(*bits) {
                return Err(self.unexpected(opcode, depth, expected));
            }
        }
        let Some(kind) = pushed else {
            self.top = base;
            return Ok(());
        };
        match self.bytes.get_mut(base) {
            Some(byte) => *byte = kind.bits(),
            None => return Err(self.overflow(opcode)),
        }
        self.top = base.saturating_add(1);
        Ok(())
    }

    /// Pops operands, which [`demand`](Self::demand) has told to begin at `base`, and pushes others.
    ///
    /// Changes nothing where it fails, so that the state before the instruction can be shown.
    pub(crate) fn replace(
        &mut self,
        opcode: Opcode,
        base: usize,
        pushed: &[VerificationType],
    ) -> Result<(), VerifyErrorKind> {
        let top = base.saturating_add(pushed.len());
        let Some(bytes) = self.bytes.get_mut(base..top) else {
            return Err(self.overflow(opcode));
        };
        for (byte, kind) in bytes.iter_mut().zip(pushed) {
            *byte = kind.bits();
        }
        self.top = top;
        Ok(())
    }

    /// Says what is wrong with the operand at this depth.
    #[cold]
    fn unexpected(&self, opcode: Opcode, depth: u8, expected: Expected) -> VerifyErrorKind {
        match self.operand(depth) {
            VerificationType::UninitializedThis => {
                VerifyErrorKind::UninitializedThis { opcode, depth }
            }
            found => VerifyErrorKind::OperandType {
                opcode,
                depth,
                expected,
                found,
            },
        }
    }

    #[cold]
    fn overflow(&self, opcode: Opcode) -> VerifyErrorKind {
        let max_stack = self.shape.max_stack;
        VerifyErrorKind::StackOverflow { opcode, max_stack }
    }

    /// Turns every copy of `this` before `Object.<init>` into an initialised one (JVMS §4.10.2.4).
    pub(crate) fn initialize(&mut self) {
        for byte in self.bytes.get_mut(RECEIVER..self.top).unwrap_or(&mut []) {
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
