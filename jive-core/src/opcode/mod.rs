//! Opcode table: number, mnemonic, operand layout and action of every JVM opcode (JVMS §6.5).
//!
//! Decoder, verifier, linker, disassembler, assembler and the generator of `docs/opcodes.md` read the opcode table. The
//! opcode table also has rows for opcodes outside the subset and the three reserved opcodes (§6.2). With rows for all
//! opcodes, error messages name a rejected instruction instead of giving its number.

mod action;
mod exclusion;
mod kind;
mod layout;
mod per_byte;
mod row;
mod shuffle;
mod table;
#[cfg(test)]
mod tests;

pub use action::{
    Action, BinaryOperator, Comparison, Computational, ConstantSource, ElementKind, MemberAccess,
    MemberUse, StackChange, UnaryOperator,
};
pub use exclusion::Exclusion;
pub use kind::Opcode;
pub use layout::OperandLayout;
pub(crate) use per_byte::per_byte;
pub(crate) use row::{Row, fixed_length, row};
pub use shuffle::Shuffle;
