//! The operand stack while a method is lowered: what is known of each value, and where it lies.

use super::broken::Broken;
#[cfg(threaded)]
use crate::id::FieldId;
use crate::limits::FRAME_SLOTS_MAX;

/// A value on the operand stack.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// It lies in the register of its own place on the stack.
    Placed,
    /// It lies in this register, a local variable's or that of a place further down: loading it was
    /// put off until somebody wants it.
    Register(u8),
    /// It is what this local variable's register holds plus a constant: adding was put off too.
    Sum(u8, i32),
    /// It is what this field holds: reading it was put off as well.
    #[cfg(threaded)]
    Field(FieldId),
    /// It is this constant.
    Constant(i32),
}

/// A value with the register of its place.
#[derive(Copy, Clone, Debug)]
pub(super) struct Entry {
    /// The register that its place on the stack has.
    pub(super) place: u8,
    pub(super) value: Value,
}

/// The operand stack, whose places are registers behind the local variables.
pub(super) struct Stack {
    values: [Value; FRAME_SLOTS_MAX as usize],
    depth: usize,
    locals: u8,
    most: usize,
}

const BROKEN: Broken = Broken::Stack;

impl Stack {
    /// Makes an empty stack for a method whose registers fit in a byte.
    pub(super) const fn new(locals: u8, most: u8) -> Self {
        Self {
            values: [Value::Placed; FRAME_SLOTS_MAX as usize],
            depth: 0,
            locals,
            // Widens; `From` is not const.
            most: most as usize,
        }
    }

    pub(super) const fn depth(&self) -> usize {
        self.depth
    }

    /// Makes the stack so deep, every value in its place.
    pub(super) fn reset(&mut self, depth: usize) -> Result<(), Broken> {
        let values = self.values.get_mut(..depth).ok_or(BROKEN)?;
        values.fill(Value::Placed);
        self.depth = depth;
        Ok(())
    }

    /// Returns whether a register is a local variable's.
    pub(super) const fn is_local(&self, register: u8) -> bool {
        register < self.locals
    }

    /// Returns the register of a place.
    pub(super) fn register(&self, at: usize) -> u8 {
        // Locals and operands of a method are fewer than a byte can name.
        u8::try_from(at)
            .unwrap_or(u8::MAX)
            .wrapping_add(self.locals)
    }

    /// Pushes a value and returns the register of its place.
    pub(super) fn push(&mut self, value: Value) -> Result<u8, Broken> {
        if self.depth >= self.most {
            return Err(BROKEN);
        }
        *self.values.get_mut(self.depth).ok_or(BROKEN)? = value;
        let place = self.register(self.depth);
        self.depth = self.depth.wrapping_add(1);
        Ok(place)
    }

    pub(super) fn pop(&mut self) -> Result<Entry, Broken> {
        let at = self.depth.checked_sub(1).ok_or(BROKEN)?;
        let entry = self.entry(at)?;
        self.depth = at;
        Ok(entry)
    }

    /// Pops several values and returns how many are left below them.
    pub(super) fn pop_many(&mut self, count: usize) -> Result<usize, Broken> {
        self.depth = self.depth.checked_sub(count).ok_or(BROKEN)?;
        Ok(self.depth)
    }

    /// Returns the value at a place, counted from the bottom.
    pub(super) fn entry(&self, at: usize) -> Result<Entry, Broken> {
        let value = *self.values.get(at).ok_or(BROKEN)?;
        Ok(Entry {
            place: self.register(at),
            value,
        })
    }

    /// Notes that a value lies in its place now.
    pub(super) fn place(&mut self, at: usize) {
        if let Some(value) = self.values.get_mut(at) {
            *value = Value::Placed;
        }
    }

    /// Pushes copies of the topmost values, in their order.
    pub(super) fn copy(&mut self, count: usize) -> Result<(), Broken> {
        for _ in 0..count {
            let from = self.depth.checked_sub(count).ok_or(BROKEN)?;
            let Entry { place, value } = self.entry(from)?;
            // What lies further down stays there at least as long as the copy is on the stack.
            self.push(match value {
                Value::Placed => Value::Register(place),
                elsewhere => elsewhere,
            })?;
        }
        Ok(())
    }
}
