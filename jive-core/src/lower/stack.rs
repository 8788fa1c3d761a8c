//! The operand stack while a method is lowered: what is known of each value, and where it lies.

use crate::id::FieldId;

/// A value on the operand stack.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// It lies in the register of its own place on the stack.
    Placed,
    /// It lies in this register, a local variable's or that of a place further down: loading it was
    /// put off until an op needs it.
    Register(u8),
    /// It is what this local variable's register holds plus a constant: adding was put off too.
    Sum(u8, i32),
    /// It is what this field holds: reading it was put off as well.
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

/// How many places there are: as many as a byte numbers.
pub(super) const PLACES: usize = 256;

/// The operand stack, whose places are registers behind the local variables.
///
/// How deep it is at each instruction, and what each takes off it and puts there, [`reach`] has held to
/// what the method declares. So nothing is checked again; a number of a byte cannot leave 256 places.
///
/// [`reach`]: super::reach::reach
pub(super) struct Stack<'b> {
    values: &'b mut [Value; PLACES],
    depth: u8,
    locals: u8,
}

impl<'b> Stack<'b> {
    /// Makes an empty stack for a method of so many local variables, in memory that may hold anything.
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

    /// Makes the stack so deep, every value in its place.
    pub(super) fn reset(&mut self, depth: u8) {
        self.depth = depth;
        (0..depth).for_each(|at| self.place(at));
    }

    /// Returns whether a register is a local variable's.
    pub(super) const fn is_local(&self, register: u8) -> bool {
        register < self.locals
    }

    /// Returns the register of a place.
    pub(super) const fn register(&self, at: u8) -> u8 {
        // Locals and operands of a method are fewer than a byte can name.
        at.wrapping_add(self.locals)
    }

    /// Pushes a value and returns the register of its place.
    pub(super) fn push(&mut self, value: Value) -> u8 {
        let at = self.depth;
        *self.value(at) = value;
        self.depth = at.wrapping_add(1);
        self.register(at)
    }

    /// Returns a value as if it were pushed, but leaves the stack as it is.
    pub(super) const fn behind(&self, value: Value) -> Entry {
        // A method has at most 255 registers, so that one is left behind the last.
        Entry {
            place: self.register(self.depth),
            value,
        }
    }

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

    /// Notes that a value lies in its place now.
    pub(super) fn place(&mut self, at: u8) {
        *self.value(at) = Value::Placed;
    }

    /// Pushes copies of the topmost values, in their order.
    pub(super) fn copy(&mut self, count: u8) {
        for _ in 0..count {
            let Entry { place, value } = self.entry(self.depth.wrapping_sub(count));
            // What lies further down stays there at least as long as the copy is on the stack.
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
