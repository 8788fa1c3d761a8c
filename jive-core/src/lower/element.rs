//! Lowering of loads and stores of array elements.

use super::Body;
use super::linking::Linking;
use super::stack::{Entry, Value};
use crate::op::{Op, OpKind};
use crate::opcode::ElementKind;

/// How an op addresses an element of an array: a kind of op, a register or field with the array's reference, and the
/// index.
enum Element {
    /// The index is a constant.
    At(OpKind, u8, i32),
    /// The index is a register plus an offset.
    Of(OpKind, u8, u8, i16),
}

impl<L: Linking> Body<'_, '_, '_, '_, '_, L> {
    pub(super) fn store_element(&mut self, kind: ElementKind) {
        // The store op ignores the `dropped` high bits of the value. So an `i2b` or `i2s` that compilers emit before
        // the store is removed if it keeps at least the stored bits.
        let (kind, dropped) = match kind {
            ElementKind::Int => (OpKind::StoreInt, 0),
            ElementKind::Short => (OpKind::StoreShort, 16),
            ElementKind::ByteOrBoolean => (OpKind::StoreByte, 24),
        };
        let value = self.stack.pop();
        let narrowed = match (value.value, self.out.writer(value.place)) {
            (Value::Placed, Some(op))
                if op.kind.plain() == OpKind::Narrow && op.imm() <= dropped =>
            {
                Some(op.b)
            }
            _ => None,
        };
        if narrowed.is_some() {
            self.out.take_back();
        }
        let element = self.element(kind);
        let value = match narrowed {
            Some(register) => register,
            None => self.operand(value),
        };
        self.out.perform(match element {
            Element::At(kind, array, constant) => Op::new(kind, array, value, constant),
            Element::Of(kind, array, register, offset) => {
                Op::with_offset(kind, array, register, value, offset)
            }
        });
    }

    pub(super) fn load_element(&mut self, kind: ElementKind) {
        let kind = match kind {
            ElementKind::Int => OpKind::LoadInt,
            ElementKind::Short => OpKind::LoadShort,
            ElementKind::ByteOrBoolean => OpKind::LoadByte,
        };
        let op = match self.element(kind) {
            Element::At(kind, array, constant) => Op::new(kind, 0, array, constant),
            Element::Of(kind, array, register, offset) => {
                Op::with_offset(kind, 0, array, register, offset)
            }
        };
        self.push_result(op);
    }

    /// Pops an index and an array. Returns how an op addresses the array's element at the index.
    fn element(&mut self, kind: OpKind) -> Element {
        let element = self.stack.pop();
        let array = self.stack.pop();
        if !Self::SMALL
            && let (Value::Constant(value), Some(kind)) = (element.value, kind.at_constant())
        {
            return Element::At(kind, self.operand(array), value);
        }
        let (kind, array) = self.array(kind, array);
        if let Value::Sum(register, plus) = element.value
            && let Ok(offset) = i16::try_from(plus)
        {
            return Element::Of(kind, array, register, offset);
        }
        Element::Of(kind, array, self.operand(element), 0)
    }

    /// Returns how an op names an array: a kind of op, and a register or field with the array's reference.
    fn array(&mut self, kind: OpKind, array: Entry) -> (OpKind, u8) {
        if Self::THREADED
            && let Value::Field(field) = array.value
            && let (Some(kind), Ok(field)) = (kind.in_field(), u8::try_from(field.0))
        {
            return (kind, field);
        }
        (kind, self.operand(array))
    }
}
