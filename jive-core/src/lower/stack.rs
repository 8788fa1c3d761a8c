//! The operand stack of lowering: for each value on the stack, a description of where the value is.

use crate::id::FieldId;

/// A value on the operand stack.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The value is in the register of its own place on the stack.
    Placed,
    /// The value is in this register, of a local variable or of a place further down, and was not copied yet.
    Register(u8),
    /// The value is this local variable plus a constant, and the sum was not computed yet.
    Sum(u8, i32),
    /// The value is in this field, and was not loaded yet. Only the threaded variant has values described by fields.
    Field(FieldId),
    /// The value is a constant.
    Constant(i32),
}

/// A value with the register of its place on the stack.
#[derive(Copy, Clone, Debug)]
pub(super) struct Entry {
    /// The register of the value's place on the stack.
    pub(super) place: u8,
    pub(super) value: Value,
}

/// The size of the array of values. A byte cannot index past the end of the array of values.
pub(super) const PLACES: usize = 256;

/// The operand stack. The places of the operand stack are the registers after those of the local variables.
///
/// [`reach`] has checked that the depth of the stack stays within the method's `max_stack` at each instruction, so
/// `Stack` does not check the depth.
///
/// [`reach`]: super::reach::reach
pub(super) struct Stack<'b> {
    values: &'b mut [Value; PLACES],
    depth: u8,
    locals: u8,
}

impl<'b> Stack<'b> {
    /// Makes an empty stack, in memory that may have any contents.
    pub(super) const fn new(values: &'b mut [Value; PLACES], locals: u8) -> Self {
        Self {
            values,
            depth: 0,
            locals,
        }
    }

    pub(super) const fn depth(&self) -> u8 {
        self.depth
    }

    /// Sets the depth of the stack, with every value in the register of its place.
    pub(super) fn reset(&mut self, depth: u8) {
        self.depth = depth;
        (0..depth).for_each(|at| self.place(at));
    }

    /// Returns whether a register is that of a local variable.
    pub(super) const fn is_local(&self, register: u8) -> bool {
        register < self.locals
    }

    /// Returns the register of a place on the stack.
    pub(super) const fn register(&self, at: u8) -> u8 {
        // The sum is at most 254, because `lower` has checked that local variables and operands together are at most
        // 255.
        at.wrapping_add(self.locals)
    }

    /// Pushes a value and returns the register of its place.
    pub(super) fn push(&mut self, value: Value) -> u8 {
        let at = self.depth;
        *self.value(at) = value;
        self.depth = at.wrapping_add(1);
        self.register(at)
    }

    /// Returns the entry that a push of the value would make, but does not push it.
    pub(super) const fn behind(&self, value: Value) -> Entry {
        // A method has at most 255 registers, so a window of 256 registers has one after the method's last.
        Entry {
            place: self.register(self.depth),
            value,
        }
    }

    /// Pops a value.
    pub(super) fn pop(&mut self) -> Entry {
        self.depth = self.depth.wrapping_sub(1);
        self.entry(self.depth)
    }

    /// Drops the topmost values.
    pub(super) const fn pop_many(&mut self, count: u8) {
        self.depth = self.depth.wrapping_sub(count);
    }

    /// Returns the value at a place, counted from the bottom.
    #[expect(clippy::indexing_slicing, reason = "a byte indexes an array of 256")]
    pub(super) fn entry(&self, at: u8) -> Entry {
        Entry {
            place: self.register(at),
            value: self.values[usize::from(at)],
        }
    }

    /// Returns the topmost value.
    pub(super) fn top(&self) -> Entry {
        self.entry(self.depth.wrapping_sub(1))
    }

    /// Records that a value is in the register of its place.
    pub(super) fn place(&mut self, at: u8) {
        *self.value(at) = Value::Placed;
    }

    /// Pushes copies of the topmost `count` values, in their order.
    pub(super) fn copy(&mut self, count: u8) {
        for _ in 0..count {
            let Entry { place, value } = self.entry(self.depth.wrapping_sub(count));
            // The original value is below the copy, so it stays in its register at least as long as the copy is on the
            // stack.
            self.push(match value {
                Value::Placed => Value::Register(place),
                elsewhere => elsewhere,
            });
        }
    }

    #[expect(clippy::indexing_slicing, reason = "a byte indexes an array of 256")]
    fn value(&mut self, at: u8) -> &mut Value {
        &mut self.values[usize::from(at)]
    }
}
