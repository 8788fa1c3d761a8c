//! Certificates: the types at the branch targets of a class, which a verifier found, for a check that need not search.
//!
//! A certificate has a section for each method with code, in file order: the number of its entries as two bytes, then the
//! entries in order of their pcs. Numbers are big-endian, as in a class file. An entry is the pc of a branch target in two
//! bytes, and a state as long as the method's frame: the depth of the operand stack, the type of a constructor's receiver,
//! and the types of local variables and operands. A target that no path reaches has a state of zeros. Each type is one
//! byte, as [`VerificationType`] numbers them. Nothing follows the last section.

use jive_core::{Code, Pc};

use crate::state::{Shape, TypeState};
use crate::types::VerificationType;

/// Length of an entry before its state: the pc.
const PC_BYTES: usize = 2;
/// Length of a state before its types: depth and receiver.
const STATE_HEADER: usize = 2;

/// Returns the length of each entry of a method's section, in bytes.
#[must_use]
pub fn certified_len(code: &Code<'_>) -> usize {
    PC_BYTES.saturating_add(Shape::of(code).state_len())
}

/// Writes the entry of a branch target: the types there, or `None` if no path reaches it. `entry` has the length that
/// [`certified_len`] returns.
pub fn certify(target: Pc, types: Option<TypeState<'_>>, entry: &mut [u8]) {
    entry.fill(0);
    let Some((pc, state)) = entry.split_first_chunk_mut() else {
        return;
    };
    *pc = target.0.to_be_bytes();
    let Some(types) = types else {
        return;
    };
    if let [depth, receiver, values @ ..] = state {
        *depth = u8::try_from(types.stack().len()).unwrap_or(u8::MAX);
        *receiver = types.receiver().bits();
        let found = types.locals().chain(types.stack());
        for (value, kind) in values.iter_mut().zip(found) {
            *value = kind.bits();
        }
    }
}

/// The part of a certificate that has not been read yet.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Certificate<'c>(pub(crate) &'c [u8]);

impl<'c> Certificate<'c> {
    /// Takes the section of the next method. Returns `None` if the certificate is too short.
    pub(crate) fn section(&mut self, code: &Code<'_>) -> Option<Section<'c>> {
        let (count, rest) = self.0.split_first_chunk()?;
        let entry_len = certified_len(code);
        let length = usize::from(u16::from_be_bytes(*count)).checked_mul(entry_len)?;
        let (entries, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(Section { entries, entry_len })
    }
}

/// The entries of a method, or those that have not been taken yet.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Section<'c> {
    entries: &'c [u8],
    entry_len: usize,
}

/// An entry: a branch target, and the types there.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Entry<'c> {
    pub(crate) pc: Pc,
    /// The state. Zeros if no path reaches the target.
    pub(crate) state: &'c [u8],
}

impl<'c> Section<'c> {
    /// Returns an entry by its number.
    fn entry(&self, number: usize) -> Option<Entry<'c>> {
        let start = number.checked_mul(self.entry_len)?;
        let entry = self.entries.get(start..)?.get(..self.entry_len)?;
        let (pc, state) = entry.split_first_chunk()?;
        Some(Entry {
            pc: Pc(u16::from_be_bytes(*pc)),
            state,
        })
    }

    /// Takes the first entry if its pc is at most the given one.
    pub(crate) fn take_up_to(&mut self, pc: Pc) -> Option<Entry<'c>> {
        let entry = self.entry(0).filter(|entry| entry.pc <= pc)?;
        self.entries = self.entries.get(self.entry_len..)?;
        Some(entry)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry at a pc. Finds it by bisection, which needs entries in order of their pcs. In other sections it
    /// may find nothing; the walk over the code refuses them.
    pub(crate) fn at(&self, pc: Pc) -> Option<Entry<'c>> {
        let (mut low, mut high) = (0, self.entries.len().checked_div(self.entry_len)?);
        while low < high {
            let middle = low.midpoint(high);
            let entry = self.entry(middle)?;
            if entry.pc == pc {
                return Some(entry);
            }
            if entry.pc < pc {
                low = middle.saturating_add(1);
            } else {
                high = middle;
            }
        }
        None
    }
}

/// Returns whether a state of a certificate is one that a verifier could have found in a frame of this shape: a depth that
/// the frame has, bytes that are types, and operands that can be used.
pub(crate) fn is_plausible(state: &[u8], shape: Shape) -> bool {
    let [depth, types @ ..] = state else {
        return false;
    };
    // The receiver precedes the local variables, and the operands follow them.
    let stack = usize::from(shape.max_locals).saturating_add(STATE_HEADER - 1);
    let unused = stack.saturating_add((*depth).into());
    let top = VerificationType::Top.bits();
    let mut is_plausible = unused <= types.len();
    for (place, bits) in types.iter().enumerate() {
        let is_type = VerificationType::from_bits(*bits).bits() == *bits;
        is_plausible &= match place {
            _ if place < stack => is_type,
            // The merge of a verifier refuses an operand without a usable type, so no state of its has one.
            _ if place < unused => is_type && *bits != top,
            _ => *bits == 0,
        };
    }
    is_plausible
}
