//! Builds code instruction by instruction, with branches to given pcs.

use jive_core::Opcode;

/// Unfinished code.
#[derive(Clone, Debug, Default)]
pub(super) struct Body(Vec<u8>);

impl Body {
    /// Returns the length in bytes, which is the pc of the next instruction.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Appends an instruction without operands.
    pub(super) fn op(&mut self, opcode: Opcode) {
        self.0.push(opcode.byte());
    }

    /// Appends an instruction and the bytes of its operands.
    pub(super) fn ops(&mut self, opcode: Opcode, operands: impl IntoIterator<Item = u8>) {
        self.op(opcode);
        self.bytes(operands);
    }

    /// Appends bytes.
    pub(super) fn bytes(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.0.extend(bytes);
    }

    /// Appends a branch to an earlier or later pc.
    pub(super) fn branch(&mut self, opcode: Opcode, to: usize) {
        let by = to.cast_signed() - self.len().cast_signed();
        let by = i16::try_from(by).expect("the place is near");
        self.ops(opcode, by.to_be_bytes());
    }

    /// Appends a conditional branch to a pc, of four bytes, of which the verifier has to follow both paths.
    pub(super) fn may_branch(&mut self, to: usize) {
        self.op(Opcode::Iconst0);
        self.branch(Opcode::Ifne, to);
    }

    /// Appends a return and returns the code.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.op(Opcode::Return);
        self.0
    }
}
