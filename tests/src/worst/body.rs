//! Code written instruction by instruction, with branches to places.

use jive_core::Opcode;

/// Code in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Body(Vec<u8>);

impl Body {
    /// Returns how many bytes there are: where the next instruction begins.
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

    /// Branches to a place before this one or behind it.
    pub(super) fn branch(&mut self, opcode: Opcode, to: usize) {
        let by = to.cast_signed() - self.len().cast_signed();
        let by = i16::try_from(by).expect("the place is near");
        self.ops(opcode, by.to_be_bytes());
    }

    /// Branches to a place, for all that the verifier knows: four bytes.
    pub(super) fn may_branch(&mut self, to: usize) {
        self.op(Opcode::Iconst0);
        self.branch(Opcode::Ifne, to);
    }

    /// Returns the code, with a return at its end.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.op(Opcode::Return);
        self.0
    }
}
