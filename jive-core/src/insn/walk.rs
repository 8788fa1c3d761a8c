//! Iterators over the instructions of a code array. The iterators end at the end of the code or at the first error.

use super::{DecodeError, Insn, RawInsn, decode};
use crate::id::Pc;

/// Ends the iteration: no pc has this value, because a pc has 16 bits.
const NOWHERE: u32 = u32::MAX;

/// Iterates over the decoded instructions of a code array. The iterator ends after the first error.
#[must_use]
pub const fn instructions(code: &[u8]) -> Instructions<'_> {
    Instructions { code, next: 0 }
}

/// Iterates over the decoded instructions of a code array.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    /// Where the next instruction starts. [`NOWHERE`] after an error.
    next: u32,
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Insn<'a>, DecodeError>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let pc = Pc(u16::try_from(self.next).ok()?);
        if pc.index() >= self.code.len() {
            return None;
        }
        let decoded = decode(self.code, pc);
        self.next = decoded.map_or(NOWHERE, |insn| insn.next_pc());
        Some(decoded)
    }
}

impl core::iter::FusedIterator for Instructions<'_> {}

/// Iterates over the instructions of a code array. The iterator ends at the end of the code or before the first error.
///
/// The iterator visits the same instructions as [`instructions`], but decodes operands only if the length of the
/// instruction depends on them.
#[must_use]
pub const fn raw_instructions(code: &[u8]) -> RawInstructions<'_> {
    RawInstructions { code, next: 0 }
}

/// Iterates over the instructions of a code array without decoding operands.
#[derive(Clone, Debug)]
pub struct RawInstructions<'a> {
    code: &'a [u8],
    /// The pc at which the next instruction starts, if the code has a next instruction.
    next: usize,
}

impl RawInstructions<'_> {
    /// Returns the pc of the first error. Returns `None` if the iterator reached the end of the code.
    #[must_use]
    pub fn stopped_at(&self) -> Option<Pc> {
        let pc = u16::try_from(self.next).ok()?;
        (self.next < self.code.len()).then_some(Pc(pc))
    }
}

impl<'a> Iterator for RawInstructions<'a> {
    type Item = RawInsn<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let insn = RawInsn::at(self.code, Pc(u16::try_from(self.next).ok()?))?;
        self.next = insn.next_pc();
        Some(insn)
    }
}

impl core::iter::FusedIterator for RawInstructions<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insn::DecodeErrorKind;
    use crate::insn::Operand;
    use crate::program::index;

    extern crate std;
    use std::vec::Vec;

    #[test]
    fn raw_instructions_have_the_operands_of_the_decoded_ones() {
        // The test decodes every opcode, followed by 0 to 20 operand bytes. With the bytes of `pairs`, a `lookupswitch`
        // has one pair.
        let mut pairs = [0; 20];
        pairs[2] = 1;
        for operands in [pairs, [0; 20], [1; 20]] {
            for byte in 0..=u8::MAX {
                let mut bytes = Vec::from([byte]);
                bytes.extend(operands);
                for length in 0..=bytes.len() {
                    let code = &bytes[..length];
                    let mut raw = raw_instructions(code);
                    let mut stop = None;
                    for decoded in instructions(code) {
                        match (raw.next(), decoded) {
                            (Some(raw), Ok(insn)) => assert_same(raw, insn),
                            (None, Err(error)) => {
                                stop = Some(error.pc);
                                assert_eq!(RawInsn::fault(code, error.pc), error.kind);
                            }
                            both => panic!("{code:?}: {both:?}"),
                        }
                    }
                    assert!(raw.next().is_none());
                    assert_eq!(raw.stopped_at(), stop);
                }
            }
        }
    }

    fn assert_same(raw: RawInsn<'_>, insn: Insn<'_>) {
        assert_eq!((raw.pc, raw.opcode()), (insn.pc, insn.opcode));
        assert_eq!(raw.next_pc(), index(insn.next_pc()));
        assert!(raw.targets().eq(insn.targets()));
        match insn.operand {
            Operand::None | Operand::InvokeInterface { .. } => {}
            Operand::Int(value) => assert_eq!(raw.int(), value),
            Operand::Constant(index) | Operand::InvokeDynamic(index) => {
                assert_eq!(raw.constant(), index);
            }
            Operand::Local(local) => assert_eq!(raw.local(), local),
            Operand::LocalIncrement { local, by } => {
                assert_eq!((raw.local(), raw.increment()), (local, by));
            }
            Operand::Branch(target) => assert_eq!(raw.target(), target),
            Operand::TableSwitch(_) | Operand::LookupSwitch(_) => {
                assert_eq!(raw.decode(), Some(insn));
            }
            Operand::ArrayType(number) => assert_eq!(raw.array_type(), number),
            Operand::MultiArray { class, .. } => assert_eq!(raw.constant(), class),
        }
    }

    #[test]
    fn iteration_ends_where_pcs_exceed_16_bits() {
        for length in [65_534, 65_535, 65_536, 65_537, 140_000] {
            let code = std::vec![0x00; length];
            let (there, more) = (length.min(65_536), length + 1);
            assert_eq!(instructions(&code).take(more).count(), there);
            assert_eq!(raw_instructions(&code).take(more).count(), there);
        }
    }

    #[test]
    fn iteration_ends_after_the_first_error() {
        let walked: Vec<_> = instructions(&[0x00, 0xcb, 0x00]).collect();
        let unknown = DecodeError {
            pc: Pc(1),
            kind: DecodeErrorKind::UnknownOpcode(0xcb),
        };
        assert_eq!(walked.len(), 2);
        assert_eq!(walked[1], Err(unknown));
    }
}
