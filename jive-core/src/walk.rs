//! Walking over the instructions of a code array, from its beginning to its end or the first error.

use crate::decode::{DecodeError, decode};
use crate::id::Pc;
use crate::insn::Insn;
use crate::opcode::Opcode;

/// Where no instruction begins: a pc has 16 bits.
const NOWHERE: u32 = u32::MAX;

/// Decodes a code array from its beginning, instruction by instruction, and ends behind the first error.
#[must_use]
pub const fn instructions(code: &[u8]) -> Instructions<'_> {
    Instructions { code, next: 0 }
}

/// The instructions of a code array, one after the other.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    /// Where the next instruction begins; [`NOWHERE`] behind an error.
    next: u32,
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Insn<'a>, DecodeError>;

    #[cfg_attr(threaded, inline(always))]
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

/// Walks over a code array from its beginning: the place and the opcode of each instruction, which is the
/// widened one where `wide` stands before it, up to the first error.
///
/// It finds what [`instructions`] finds, faster, since it leaves operands alone unless the length of the
/// instruction lies in them.
#[must_use]
pub const fn opcodes(code: &[u8]) -> Opcodes<'_> {
    Opcodes { code, next: 0 }
}

/// The places and opcodes of a code array, one after the other.
#[derive(Clone, Debug)]
pub struct Opcodes<'a> {
    code: &'a [u8],
    /// Where the next instruction begins; [`NOWHERE`] behind an error.
    next: u32,
}

impl Iterator for Opcodes<'_> {
    type Item = Result<(Pc, Opcode), DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let pc = Pc(u16::try_from(self.next).ok()?);
        let byte = *self.code.get(pc.index())?;
        if let Some(opcode) = Opcode::from_byte(byte)
            && let length @ 1.. = usize::from(opcode.fixed_length())
            && pc.index().saturating_add(length) <= self.code.len()
        {
            self.next = u32::from(pc.0).saturating_add(opcode.fixed_length().into());
            return Some(Ok((pc, opcode)));
        }
        let decoded = decode(self.code, pc);
        self.next = decoded.map_or(NOWHERE, |insn| insn.next_pc());
        Some(decoded.map(|insn| (pc, insn.opcode)))
    }
}

impl core::iter::FusedIterator for Opcodes<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::DecodeErrorKind;

    extern crate std;
    use std::vec::Vec;

    #[test]
    fn opcodes_are_those_of_the_decoded_instructions() {
        // Every opcode, with none to all of twenty bytes behind it; those of `pairs` are a `lookupswitch` with a key.
        let mut pairs = [0; 20];
        pairs[2] = 1;
        for operands in [pairs, [0; 20], [1; 20]] {
            for byte in 0..=u8::MAX {
                let mut bytes = Vec::from([byte]);
                bytes.extend(operands);
                for length in 0..=bytes.len() {
                    let code = &bytes[..length];
                    let decoded = instructions(code).map(|insn| Ok((insn?.pc, insn?.opcode)));
                    assert!(opcodes(code).eq(decoded), "{code:?}");
                }
            }
        }
    }

    #[test]
    fn the_walk_ends_behind_the_first_error() {
        let walked: Vec<_> = instructions(&[0x00, 0xcb, 0x00]).collect();
        let unknown = DecodeError {
            pc: Pc(1),
            kind: DecodeErrorKind::UnknownOpcode(0xcb),
        };
        assert_eq!(walked.len(), 2);
        assert_eq!(walked[1], Err(unknown));
    }
}
