//! Instructions without operands: one table of how each is lowered.

use super::Body;
use super::broken::Broken;
use super::stack::Value;
use crate::interp::{Op, OpKind};
use crate::opcode::Opcode;

/// How an instruction is lowered that has its opcode alone.
#[derive(Copy, Clone)]
enum Lowering {
    /// Lays down nothing.
    Nothing,
    /// Pushes null.
    Null,
    /// Drops so many values.
    Drop(u8),
    /// Pushes copies of so many values.
    Copy(u8),
    /// Pushes copies of so many values and moves them below the others, so many in all.
    CopyBelow(u8, u8),
    /// Moves so many values below the others, so many in all.
    Rotate(u8, u8),
    /// Takes a value, and this constant.
    Unary(OpKind, u8),
    /// Takes two values.
    Binary(OpKind),
    /// Takes two values, of which the second may be a constant of another op.
    WithConstant(OpKind, OpKind),
    /// Takes two values, either of which may be a constant of another op.
    Commutative(OpKind, OpKind),
    /// Adds.
    Add,
    /// Subtracts.
    Subtract,
    /// Combines by bitwise and.
    And,
    /// Loads an element of an array.
    Load(OpKind),
    /// Stores an element of an array, of whose value so many bits are dropped.
    Store(OpKind, u8),
    /// Takes an array for its length.
    Length,
    /// Returns no value.
    Return,
    /// Returns a value.
    ReturnValue,
}

use Lowering as L;
use OpKind as K;

/// The instructions of the subset that have no operands, in the order of their numbers.
static PLAIN: [(Opcode, Lowering); 35] = [
    (Opcode::Nop, L::Nothing),
    (Opcode::AconstNull, L::Null),
    (Opcode::Iaload, L::Load(K::LoadInt)),
    (Opcode::Baload, L::Load(K::LoadByte)),
    (Opcode::Saload, L::Load(K::LoadShort)),
    (Opcode::Iastore, L::Store(K::StoreInt, 0)),
    (Opcode::Bastore, L::Store(K::StoreByte, 24)),
    (Opcode::Sastore, L::Store(K::StoreShort, 16)),
    (Opcode::Pop, L::Drop(1)),
    (Opcode::Pop2, L::Drop(2)),
    (Opcode::Dup, L::Copy(1)),
    (Opcode::DupX1, L::CopyBelow(1, 3)),
    (Opcode::DupX2, L::CopyBelow(1, 4)),
    (Opcode::Dup2, L::Copy(2)),
    (Opcode::Dup2X1, L::CopyBelow(2, 5)),
    (Opcode::Dup2X2, L::CopyBelow(2, 6)),
    (Opcode::Swap, L::Rotate(1, 2)),
    (Opcode::Iadd, L::Add),
    (Opcode::Isub, L::Subtract),
    (Opcode::Imul, L::Commutative(K::Multiply, K::MultiplyConst)),
    (Opcode::Idiv, L::Binary(K::Divide)),
    (Opcode::Irem, L::Binary(K::Remainder)),
    (Opcode::Ineg, L::Unary(K::Negate, 0)),
    (
        Opcode::Ishl,
        L::WithConstant(K::ShiftLeft, K::ShiftLeftConst),
    ),
    (
        Opcode::Ishr,
        L::WithConstant(K::ShiftRight, K::ShiftRightConst),
    ),
    (
        Opcode::Iushr,
        L::WithConstant(K::ShiftRightUnsigned, K::ShiftRightUnsignedConst),
    ),
    (Opcode::Iand, L::And),
    (Opcode::Ior, L::Commutative(K::Or, K::OrConst)),
    (Opcode::Ixor, L::Commutative(K::Xor, K::XorConst)),
    (Opcode::I2b, L::Unary(K::Narrow, 24)),
    (Opcode::I2s, L::Unary(K::Narrow, 16)),
    (Opcode::Ireturn, L::ReturnValue),
    (Opcode::Areturn, L::ReturnValue),
    (Opcode::Return, L::Return),
    (Opcode::Arraylength, L::Length),
];

/// The number of the last of them, and one more.
const NUMBERS: usize = Opcode::Arraylength as usize + 1;

/// Where the row of an opcode is in [`PLAIN`]; for others, behind all.
#[expect(clippy::indexing_slicing, reason = "only the compiler runs it")]
static ROWS: [u8; NUMBERS] = {
    let mut rows = [u8::MAX; NUMBERS];
    let mut row = 0;
    while row < PLAIN.len() {
        // A byte numbers the rows.
        rows[PLAIN[row].0 as usize] = row as u8;
        row += 1;
    }
    rows
};

impl Body<'_, '_, '_, '_, '_> {
    pub(super) fn plain(&mut self, opcode: Opcode) {
        let row = ROWS.get(usize::from(opcode.byte()));
        let Some((_, lowering)) = row.and_then(|row| PLAIN.get(usize::from(*row))) else {
            return self.out.refuse(Broken::Opcode);
        };
        match *lowering {
            Lowering::Nothing => {}
            Lowering::Null => {
                self.stack.push(Value::Constant(0));
            }
            Lowering::Drop(count) => self.stack.pop_many(count),
            Lowering::Copy(count) => self.stack.copy(count),
            Lowering::CopyBelow(copied, count) => {
                self.stack.copy(copied);
                self.rotate(copied, count);
            }
            Lowering::Rotate(moved, count) => self.rotate(moved, count),
            Lowering::Unary(kind, constant) => self.unary(kind, constant.into()),
            Lowering::Binary(kind) => self.binary(kind),
            Lowering::WithConstant(kind, constant) => self.with_constant(kind, constant),
            Lowering::Commutative(kind, constant) => self.commutative(kind, constant),
            Lowering::Add => self.add(),
            Lowering::Subtract => self.subtract(),
            Lowering::And => self.and(),
            Lowering::Load(kind) => self.load_element(kind),
            Lowering::Store(kind, dropped) => self.store_element(kind, dropped.into()),
            Lowering::Length => self.length(),
            Lowering::Return => {
                let done = self.out.index.saturating_add(1);
                self.out
                    .perform(Op::new(K::Return, 0, 0, 0).with_high(done));
                self.end_path();
            }
            Lowering::ReturnValue => self.return_value(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opcode::{OperandLayout, StackEffect};

    #[test]
    fn the_table_has_every_opcode_of_the_subset_without_operands_in_order() {
        let expected = Opcode::ALL.iter().filter(|opcode| {
            opcode.layout() == OperandLayout::None
                && !matches!(opcode.effect(), StackEffect::Unsupported(_))
        });
        assert!(PLAIN.iter().map(|(opcode, _)| opcode).eq(expected));
    }
}
