//! Type states: the types of all local variables and operands before an instruction.

use core::fmt;

use jive_core::limits::FRAME_SLOTS_MAX;
use jive_core::{Code, Opcode};

use crate::error::{Reason, VerifyErrorKind};
use crate::found::Expected;
use crate::types::{VerificationType, merge_all, types_clash};

/// Number of types in the current type state. The number of types is the power of two at which a `u8` index needs no
/// bounds check.
pub(crate) const PLACES: usize = 1 << u8::BITS;
// The types of all values of a frame and of the receiver fit into the current state.
const _: () = assert!((FRAME_SLOTS_MAX as usize) < PLACES);

/// Index of the receiver. The local variables and operands follow the receiver.
const RECEIVER: u8 = 0;
/// Length of a stored state without local variables and operands, in bytes: stack depth and receiver.
const HEADER: usize = 2;

/// The sizes of a method's frame, which determine the size of the method's type states.
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

    /// Returns the greatest number of local variables and operands that the frame can hold together.
    pub(crate) fn slots(self) -> u32 {
        u32::from(self.max_locals).saturating_add(u32::from(self.max_stack))
    }

    /// Returns the length of a stored type state, in bytes.
    pub(crate) fn state_len(self) -> usize {
        HEADER
            .saturating_add(usize::from(self.max_locals))
            .saturating_add(usize::from(self.max_stack))
    }
}

/// The types before an instruction: one for each local variable and operand.
///
/// For an accepted method, the states that an [`Observer`](crate::Observer) receives hold on every path to their
/// instruction.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct TypeState<'s> {
    receiver: u8,
    locals: &'s [u8],
    stack: &'s [u8],
}

impl<'s> TypeState<'s> {
    /// Returns the type of the constructor's receiver, independent of what local variable 0 holds now. In a method that
    /// is no constructor, returns [`Top`](VerificationType::Top).
    #[must_use]
    pub const fn receiver(&self) -> VerificationType {
        VerificationType::from_bits(self.receiver)
    }

    /// Returns the types of the local variables, starting with local variable 0.
    pub fn locals(
        &self,
    ) -> impl ExactSizeIterator<Item = VerificationType> + DoubleEndedIterator + use<'s> {
        self.locals
            .iter()
            .map(|bits| VerificationType::from_bits(*bits))
    }

    /// Returns the types of the operands, with the top of the stack last.
    pub fn stack(
        &self,
    ) -> impl ExactSizeIterator<Item = VerificationType> + DoubleEndedIterator + use<'s> {
        self.stack
            .iter()
            .map(|bits| VerificationType::from_bits(*bits))
    }

    /// Returns the type of a local variable, or `None` if its number is at or above `max_locals`.
    #[must_use]
    pub fn local(&self, local: u16) -> Option<VerificationType> {
        let bits = self.locals.get(usize::from(local))?;
        Some(VerificationType::from_bits(*bits))
    }

    /// Returns the type of the operand at a depth, where 0 is the top of the stack. Returns `None` at a depth that the
    /// stack does not have.
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

/// Why two states cannot be merged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Clash {
    /// The operand stacks have different depths.
    Depth { expected: u8, found: u8 },
    /// The operands at `depth` have no common type. The operand at depth 0 is the top of the stack.
    Type {
        depth: u8,
        expected: VerificationType,
        found: VerificationType,
    },
}

/// The effect of a merge on the stored state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Merged {
    /// The stored state did not change.
    Same,
    /// The stored state had not been reached by any path, and is now equal to the merged state.
    First,
    /// The stored state became less specific by the merge.
    Less,
}

/// The current type state, which instructions modify, in lent memory.
///
/// `types` holds the bits of the receiver, the local variables and the operands, in this order. The receiver is a
/// hidden local variable of a constructor, which no instruction can overwrite. The receiver's type shows whether all
/// paths have called `Object.<init>`, even if local variable 0 was overwritten.
///
/// A stored state has the same layout as `types`, after a byte with the depth of the operand stack. If the receiver of
/// a stored state is 0, no path has reached the state.
#[derive(Debug)]
pub(crate) struct State<'s> {
    types: &'s mut [u8; PLACES],
    /// Index in `types` of the last local variable, below all operands.
    floor: u8,
    /// Greatest index in `types` that an operand can have.
    ceiling: u8,
    /// Index in `types` of the topmost operand, which equals `floor` if the stack is empty.
    top: u8,
}

impl<'s> State<'s> {
    /// Creates a state in memory with arbitrary contents. Returns `None` if the frame is too large for the memory.
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

    /// Clears the type state: no operands, no receiver, and local variables that are unusable.
    pub(crate) fn clear(&mut self) {
        self.types.fill(VerificationType::Top.bits());
        self.top = self.floor;
    }

    /// Loads a stored state.
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

    /// Returns whether any state has been merged into a stored state, which consists of zeros at first.
    pub(crate) fn is_reached(stored: &[u8]) -> bool {
        matches!(stored, [_, receiver, ..] if *receiver != 0)
    }

    /// Merges the current state into a stored state.
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

    /// Returns whether the stored state has the same depth, and each of its types is as general as the current one: a merge
    /// would leave it as it is.
    pub(crate) fn fits(&self, stored: &[u8]) -> bool {
        let reached = 0..=usize::from(self.top);
        let (Some((depth, old)), Some(new)) = (stored.split_first(), self.types.get(reached))
        else {
            return false;
        };
        let is_covered = |(old, new): (&u8, &u8)| new & !old == 0;
        *depth == self.depth() && old.len() >= new.len() && old.iter().zip(new).all(is_covered)
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

    /// Returns the bits of a local variable's type, or of `Top` for a variable that does not exist.
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

    /// Sets the types of local variables from a number on, given as bits. Leaves out those that the frame does not have.
    pub(crate) fn set_locals(&mut self, first: u16, bits: &[u8]) {
        let locals = self.types.get_mut(1..=usize::from(self.floor));
        let behind = locals.and_then(|locals| locals.get_mut(usize::from(first)..));
        for (local, bits) in behind.unwrap_or(&mut []).iter_mut().zip(bits) {
            *local = *bits;
        }
    }

    /// Returns the index of a local variable in `types`.
    #[inline]
    fn place_of(&self, local: u16) -> Option<u8> {
        // The cast of `local` is lossless, because `local` is below `floor`, which is a `u8`.
        (local < self.floor.into()).then_some((local as u8).wrapping_add(1))
    }

    /// Returns the type of the operand at a depth, where 0 is the top of the stack.
    ///
    /// Returns `Top` at a depth that the stack does not have. Callers first use [`demand`](Self::demand), which reports
    /// an underflow of the stack.
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
    fn set_bits(&mut self, place: u8, bits: u8) {
        self.types[usize::from(place)] = bits;
    }

    #[inline]
    fn set(&mut self, place: u8, kind: VerificationType) {
        self.set_bits(place, kind.bits());
    }

    /// Checks that the operand stack has `needed` operands. Returns the index in `types` below the lowest of the needed
    /// operands.
    #[inline]
    pub(crate) fn demand<K: Reason>(&self, opcode: Opcode, needed: u8) -> Result<u8, K> {
        if needed > self.depth() {
            return Err(K::of(|| self.underflow(opcode, needed)));
        }
        Ok(self.top.wrapping_sub(needed))
    }

    /// Pops up to two operands that have the same expected type, and pushes a value. `others` are the bits that the
    /// expected type excludes. `exchange_alike` is a fast path of [`exchange`](Self::exchange), for arithmetic and
    /// branches.
    ///
    /// A failure leaves the state unchanged, so that an observer can show the state before the instruction.
    #[inline]
    pub(crate) fn exchange_alike<K: Reason>(
        &mut self,
        opcode: Opcode,
        count: u8,
        expected: Expected,
        others: u8,
        pushed: Option<VerificationType>,
    ) -> Result<(), K> {
        let base = self.demand::<K>(opcode, count)?;
        let first = self.bits(self.top);
        // `found` is the union of both operands' alternatives: it contains an excluded bit exactly if one of the
        // operands does.
        let found = match count {
            0 => 0,
            1 => first,
            _ => first | self.bits(self.top.wrapping_sub(1)),
        };
        if found & others != 0 {
            let depth = (first & others == 0).into();
            return Err(K::of(|| self.unexpected(opcode, depth, expected)));
        }
        self.push_at(opcode, base, pushed)
    }

    /// Pops operands and pushes a value. `popped` are the types expected of the operands, starting with the top of the
    /// stack.
    ///
    /// A failure leaves the state unchanged, so that an observer can show the state before the instruction.
    #[inline]
    pub(crate) fn exchange<K: Reason>(
        &mut self,
        opcode: Opcode,
        count: usize,
        popped: impl Iterator<Item = Expected>,
        pushed: Option<VerificationType>,
    ) -> Result<(), K> {
        // A saturated count of operands always underflows: no operand stack has 255 entries besides local variables.
        let count = u8::try_from(count).unwrap_or(u8::MAX);
        let base = self.demand::<K>(opcode, count)?;
        for (depth, expected) in (0..count).zip(popped) {
            if !expected.accepts_bits(self.bits(self.top.wrapping_sub(depth))) {
                return Err(K::of(|| self.unexpected(opcode, depth, expected)));
            }
        }
        self.push_at(opcode, base, pushed)
    }

    /// Sets the top of the operand stack to `base`, and pushes a value if `pushed` gives its type.
    #[inline]
    fn push_at<K: Reason>(
        &mut self,
        opcode: Opcode,
        base: u8,
        pushed: Option<VerificationType>,
    ) -> Result<(), K> {
        match pushed {
            Some(kind) => self.push_bits_at(opcode, base, kind.bits()),
            None => {
                self.top = base;
                Ok(())
            }
        }
    }

    /// Pushes a value onto the operand stack, given the bits of its type.
    #[inline]
    pub(crate) fn push_bits<K: Reason>(&mut self, opcode: Opcode, bits: u8) -> Result<(), K> {
        self.push_bits_at(opcode, self.top, bits)
    }

    #[inline]
    fn push_bits_at<K: Reason>(&mut self, opcode: Opcode, base: u8, bits: u8) -> Result<(), K> {
        if base >= self.ceiling {
            return Err(K::of(|| self.overflow(opcode)));
        }
        self.top = base.wrapping_add(1);
        self.set_bits(self.top, bits);
        Ok(())
    }

    /// Pops the topmost operands, and pushes copies of some of them, which `pushes` names by their depth before the
    /// instruction. No depth is as large as the number of operands popped, which is at most 4.
    ///
    /// A failure leaves the state unchanged, so that an observer can show the state before the instruction.
    pub(crate) fn shuffle<K: Reason>(
        &mut self,
        opcode: Opcode,
        pops: u8,
        pushes: impl ExactSizeIterator<Item = u8>,
    ) -> Result<(), K> {
        let base = self.demand::<K>(opcode, pops)?;
        if pushes.len() > self.ceiling.saturating_sub(base).into() {
            return Err(K::of(|| self.overflow(opcode)));
        }
        let popped = [0, 1, 2, 3].map(|depth| self.bits(self.top.wrapping_sub(depth)));
        self.top = base;
        for depth in pushes {
            let bits = popped.get(usize::from(depth)).copied();
            self.top = self.top.wrapping_add(1);
            self.set_bits(self.top, bits.unwrap_or(VerificationType::Top.bits()));
        }
        Ok(())
    }

    /// Pops the topmost operand, whatever it is.
    pub(crate) fn pop(&mut self) {
        self.top = self.top.wrapping_sub(1);
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

    /// Returns the error for an operand of an unexpected type at a depth of the stack.
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

    /// Marks every copy of `this` as initialised, after `Object.<init>` (JVMS §4.10.2.4).
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

/// Returns the clash that is lowest on two operand stacks that are known to clash.
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
