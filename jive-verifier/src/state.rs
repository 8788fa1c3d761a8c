//! Type states: what is known of every local variable and operand before one instruction.

use core::fmt;

use jive_core::limits::FRAME_SLOTS_MAX;
use jive_core::{Code, Opcode};

use crate::error::VerifyErrorKind;
use crate::found::Expected;
use crate::types::{VerificationType, merge_all, types_clash};

/// How many types the state has room for that instructions change: as many as a byte numbers.
pub(crate) const PLACES: usize = 1 << u8::BITS;
// The receiver comes before the values of a frame.
const _: () = assert!((FRAME_SLOTS_MAX as usize) < PLACES);

/// The place of the receiver that nothing can overwrite; local variables and operands follow.
const RECEIVER: u8 = 0;
/// How many bytes a stored state takes besides those of values: the depth of its operand stack, and the receiver.
const HEADER: usize = 2;

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
        HEADER
            .saturating_add(usize::from(self.max_locals))
            .saturating_add(usize::from(self.max_stack))
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

/// What merging a state into a stored one has done to that.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Merged {
    /// Nothing: it says as little already.
    Same,
    /// It was reached for the first time and is the same state now.
    First,
    /// It says less than before.
    Less,
}

/// The state that instructions change, in lent memory.
///
/// It holds bits of types: the receiver, the local variables, the operand stack. The receiver is a local variable of a
/// constructor that no instruction can name. It says whether every path so far has called `Object.<init>`, whatever
/// becomes of local variable 0. Where a state is stored, the depth of the operand stack comes before those. A stored
/// state whose receiver has no bits is one that nothing has reached.
#[derive(Debug)]
pub(crate) struct State<'s> {
    types: &'s mut [u8; PLACES],
    /// The place of the last local variable, below all operands.
    floor: u8,
    /// The place of the topmost operand that there may be.
    ceiling: u8,
    /// The place of the topmost operand; `floor` where there is none.
    top: u8,
}

impl<'s> State<'s> {
    /// Makes a state in memory that may hold anything; `None` where it has too many values.
    pub(crate) fn new(types: &'s mut [u8; PLACES], shape: Shape) -> Option<State<'s>> {
        let floor = u8::try_from(shape.max_locals).ok()?;
        let ceiling = floor.checked_add(u8::try_from(shape.max_stack).ok()?)?;
        Some(State {
            types,
            floor,
            ceiling,
            top: floor,
        })
    }

    pub(crate) fn view(&self) -> TypeState<'_> {
        let values = self.types.get(1..).unwrap_or(&[]);
        let reached = values.get(..usize::from(self.top)).unwrap_or(&[]);
        let (locals, stack) = reached
            .split_at_checked(self.floor.into())
            .unwrap_or_default();
        TypeState {
            receiver: self.bits(RECEIVER),
            locals,
            stack,
        }
    }

    /// Forgets everything: no operand, no usable local variable, no receiver.
    pub(crate) fn clear(&mut self) {
        self.types.fill(VerificationType::Top.bits());
        self.top = self.floor;
    }

    /// Takes over a stored state.
    pub(crate) fn load(&mut self, stored: &[u8]) {
        if let [depth, stored @ ..] = stored {
            self.top = self.floor.wrapping_add(*depth);
            let reached = 0..=usize::from(self.top);
            if let (Some(to), Some(from)) =
                (self.types.get_mut(reached.clone()), stored.get(reached))
            {
                to.copy_from_slice(from);
            }
        }
    }

    /// Whether any state has been merged into a stored one, which began as zeros.
    pub(crate) fn is_reached(stored: &[u8]) -> bool {
        matches!(stored, [_, receiver, ..] if *receiver != 0)
    }

    /// Merges this state into a stored one.
    pub(crate) fn merge_into(&self, stored: &mut [u8]) -> Result<Merged, Clash> {
        let found = self.depth();
        let reached = 0..=usize::from(self.top);
        let (Some(new), Some((expected, Some(old)))) = (
            self.types.get(reached.clone()),
            stored
                .split_first_mut()
                .map(|(depth, old)| (depth, old.get_mut(reached))),
        ) else {
            return Ok(Merged::Same);
        };
        if old.first() == Some(&0) {
            *expected = found;
            old.copy_from_slice(new);
            return Ok(Merged::First);
        }
        if *expected != found {
            return Err(Clash::Depth {
                expected: *expected,
                found,
            });
        }
        if old == new {
            return Ok(Merged::Same);
        }
        let stack = usize::from(self.floor).saturating_add(1);
        if let (Some(old), Some(new)) = (old.get(stack..), new.get(stack..))
            && types_clash(old, new)
        {
            return Err(clash(old, new));
        }
        Ok(match merge_all(old, new) {
            true => Merged::Less,
            false => Merged::Same,
        })
    }

    pub(crate) fn depth(&self) -> u8 {
        self.top.wrapping_sub(self.floor)
    }

    pub(crate) fn receiver(&self) -> VerificationType {
        VerificationType::from_bits(self.bits(RECEIVER))
    }

    pub(crate) fn set_receiver(&mut self, kind: VerificationType) {
        self.set(RECEIVER, kind);
    }

    /// Returns the bits of the type of a local variable; one that is not there holds nothing usable.
    pub(crate) fn local_bits(&self, local: u16) -> u8 {
        match self.place_of(local) {
            Some(place) => self.bits(place),
            None => VerificationType::Top.bits(),
        }
    }

    pub(crate) fn set_local(&mut self, local: u16, kind: VerificationType) {
        if let Some(place) = self.place_of(local) {
            self.set(place, kind);
        }
    }

    /// Returns the place of a local variable.
    #[inline]
    fn place_of(&self, local: u16) -> Option<u8> {
        // Below `floor`, so both fit in a byte.
        (local < self.floor.into()).then_some((local as u8).wrapping_add(1))
    }

    /// Returns the type of the operand at this depth, 0 being the top.
    ///
    /// Below the stack it is nothing usable; [`demand`](Self::demand) has told so before.
    pub(crate) fn operand(&self, depth: u8) -> VerificationType {
        if depth < self.depth() {
            VerificationType::from_bits(self.bits(self.top.wrapping_sub(depth)))
        } else {
            VerificationType::Top
        }
    }

    #[expect(clippy::indexing_slicing, reason = "a byte indexes an array of 256")]
    #[inline]
    fn bits(&self, place: u8) -> u8 {
        self.types[usize::from(place)]
    }

    #[expect(clippy::indexing_slicing, reason = "a byte indexes an array of 256")]
    #[inline]
    fn set(&mut self, place: u8, kind: VerificationType) {
        self.types[usize::from(place)] = kind.bits();
    }

    /// Demands this many operands, and returns the place below the lowest of them.
    #[inline]
    pub(crate) fn demand(&self, opcode: Opcode, needed: u8) -> Result<u8, VerifyErrorKind> {
        if needed > self.depth() {
            return Err(self.underflow(opcode, needed));
        }
        Ok(self.top.wrapping_sub(needed))
    }

    /// Pops so many operands, two at most, that are all what is expected and have no bit of the others, and pushes
    /// another.
    ///
    /// Changes nothing where it fails, so that the state before the instruction can be shown.
    #[inline]
    pub(crate) fn exchange_alike(
        &mut self,
        opcode: Opcode,
        count: u8,
        expected: Expected,
        others: u8,
        pushed: Option<VerificationType>,
    ) -> Result<(), VerifyErrorKind> {
        let base = self.demand(opcode, count)?;
        let first = self.bits(self.top);
        // What both may be, since either may be what is expected if both may.
        let found = match count {
            0 => 0,
            1 => first,
            _ => first | self.bits(self.top.wrapping_sub(1)),
        };
        if found & others != 0 {
            let depth = (first & others == 0).into();
            return Err(self.unexpected(opcode, depth, expected));
        }
        self.push_at(opcode, base, pushed)
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
        let count = u8::try_from(count).unwrap_or(u8::MAX);
        let base = self.demand(opcode, count)?;
        for (depth, expected) in (0..count).zip(popped) {
            if !expected.accepts_bits(self.bits(self.top.wrapping_sub(depth))) {
                return Err(self.unexpected(opcode, depth, expected));
            }
        }
        self.push_at(opcode, base, pushed)
    }

    /// Makes a place the topmost, and pushes a value if there is one.
    #[inline]
    fn push_at(
        &mut self,
        opcode: Opcode,
        base: u8,
        pushed: Option<VerificationType>,
    ) -> Result<(), VerifyErrorKind> {
        match pushed {
            Some(kind) => self.push_bits_at(opcode, base, kind.bits()),
            None => {
                self.top = base;
                Ok(())
            }
        }
    }

    /// Pushes a value of the type that has these bits.
    #[inline]
    pub(crate) fn push_bits(&mut self, opcode: Opcode, bits: u8) -> Result<(), VerifyErrorKind> {
        self.push_bits_at(opcode, self.top, bits)
    }

    #[expect(clippy::indexing_slicing, reason = "a byte indexes an array of 256")]
    #[inline]
    fn push_bits_at(&mut self, opcode: Opcode, base: u8, bits: u8) -> Result<(), VerifyErrorKind> {
        if base >= self.ceiling {
            return Err(self.overflow(opcode));
        }
        self.top = base.wrapping_add(1);
        self.types[usize::from(self.top)] = bits;
        Ok(())
    }

    /// Pops operands, above the place that [`demand`](Self::demand) has told, and pushes others.
    ///
    /// Changes nothing where it fails, so that the state before the instruction can be shown.
    pub(crate) fn replace(
        &mut self,
        opcode: Opcode,
        base: u8,
        pushed: &[VerificationType],
    ) -> Result<(), VerifyErrorKind> {
        let room = self.ceiling.saturating_sub(base);
        if pushed.len() > room.into() {
            return Err(self.overflow(opcode));
        }
        self.top = base;
        for kind in pushed {
            self.top = self.top.wrapping_add(1);
            self.set(self.top, *kind);
        }
        Ok(())
    }

    #[cold]
    fn underflow(&self, opcode: Opcode, needed: u8) -> VerifyErrorKind {
        let found = self.depth();
        VerifyErrorKind::StackUnderflow {
            opcode,
            needed,
            found,
        }
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
        let max_stack = self.ceiling.wrapping_sub(self.floor).into();
        VerifyErrorKind::StackOverflow { opcode, max_stack }
    }

    /// Turns every copy of `this` before `Object.<init>` into an initialised one (JVMS §4.10.2.4).
    pub(crate) fn initialize(&mut self) {
        for byte in self
            .types
            .iter_mut()
            .take(usize::from(self.top).saturating_add(1))
        {
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
