//! What is asked of an opcode at each instruction, packed into five bytes of a table.

use super::column::{Exclusion, OperandLayout, StackChange, StackEffect, StackKind};
use super::{Opcode, ROWS};
use crate::lower::most_ops;

/// Layout, length, way on and stack effect of an opcode.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Row {
    /// Whose row it is: whoever has found a row by a byte need not ask whether the byte is an opcode.
    opcode: Opcode,
    layout: OperandLayout,
    /// The length in the bits of [`LENGTH`], a [`Group`] in those of [`GROUP`], [`COUNTED`] and [`ENDS`].
    facts: u8,
    /// How many values are popped, in the upper half, and pushed, in the lower; the number of an
    /// [`Exclusion`] outside the subset.
    counts: u8,
}

const LENGTH: u8 = 0x07;
/// It is lowered to more than one op, or branches.
const COUNTED: u8 = 0x08;
const GROUP: u8 = 0x70;
const ENDS: u8 = 0x80;
const CONSTANT: u8 = Group::Constant as u8;
const INT: u8 = Group::Int as u8;
const REFERENCE: u8 = Group::Reference as u8;
const NULL: u8 = Group::Null as u8;
const UNSUPPORTED: u8 = Group::Unsupported as u8;

/// What the kinds of an effect have in common: a row pops values of one kind, and pushes at most one
/// other than those.
#[repr(u8)]
enum Group {
    /// A constant of the pool decides.
    Constant = 0x00,
    /// The counts are known, the kinds are special.
    Special = 0x10,
    /// All are `int`s.
    Int = 0x20,
    /// All are references.
    Reference = 0x30,
    /// Null is pushed.
    Null = 0x40,
    /// Outside the subset.
    Unsupported = 0x50,
}

impl Row {
    /// Packs a row, whose counts are told where its effect does not tell them.
    pub(super) const fn of(
        opcode: Opcode,
        layout: OperandLayout,
        falls_through: bool,
        effect: StackEffect,
        change: StackChange,
    ) -> Row {
        let (group, counts) = match (effect, change) {
            (StackEffect::Unsupported(why), _) => (Group::Unsupported, why as u8),
            (StackEffect::Special, StackChange::Counts { pops, pushes }) => {
                (Group::Special, pack(pops, pushes))
            }
            (StackEffect::Special, _) => (Group::Constant, 0),
            (StackEffect::Fixed { pops, pushes }, _) => {
                // A handful of values at most.
                let counts = pack(pops.len() as u8, pushes.len() as u8);
                (group(pops, pushes), counts)
            }
        };
        let ends = if falls_through { 0 } else { ENDS };
        let is_counted = layout.is_branch() || most_ops(opcode) > 1;
        let counted = if is_counted { COUNTED } else { 0 };
        Row {
            opcode,
            layout,
            facts: ends | counted | group as u8 | layout.fixed_length(),
            counts,
        }
    }

    pub(crate) const fn opcode(self) -> Opcode {
        self.opcode
    }

    pub(crate) const fn layout(self) -> OperandLayout {
        self.layout
    }

    pub(crate) const fn fixed_length(self) -> u8 {
        self.facts & LENGTH
    }

    /// Tells whether more than one op is made of the instruction, or one that may go far.
    pub(crate) const fn is_counted(self) -> bool {
        self.facts & COUNTED != 0
    }

    pub(crate) const fn falls_through(self) -> bool {
        self.facts & ENDS == 0
    }

    pub(crate) const fn stack_change(self) -> StackChange {
        match self.facts & GROUP {
            CONSTANT => StackChange::OfConstant,
            UNSUPPORTED => StackChange::Unsupported,
            _ => StackChange::Counts {
                pops: self.counts >> 4,
                pushes: self.counts & 15,
            },
        }
    }

    pub(crate) const fn stack_kind(self) -> Option<StackKind> {
        match self.facts & GROUP {
            INT => Some(StackKind::Int),
            REFERENCE => Some(StackKind::Reference),
            NULL => Some(StackKind::Null),
            _ => None,
        }
    }

    pub(super) fn effect(self) -> StackEffect {
        let kinds: &[StackKind] = match self.stack_kind() {
            Some(StackKind::Int) => &[StackKind::Int; 2],
            Some(StackKind::Reference) => &[StackKind::Reference; 2],
            Some(StackKind::Null) => &[StackKind::Null; 2],
            None if self.is_unsupported() => return StackEffect::Unsupported(self.exclusion()),
            None => return StackEffect::Special,
        };
        let first = |count: u8| kinds.get(..count.into()).unwrap_or_default();
        StackEffect::Fixed {
            pops: first(self.counts >> 4),
            pushes: first(self.counts & 15),
        }
    }

    pub(crate) const fn is_unsupported(self) -> bool {
        self.facts & GROUP == UNSUPPORTED
    }

    /// Returns why an opcode outside the subset is.
    pub(crate) fn exclusion(self) -> Exclusion {
        let why = Exclusion::ALL.get(usize::from(self.counts));
        why.copied().unwrap_or(Exclusion::Reserved)
    }
}

/// Returns the row of an opcode's number; where there is no such opcode, one of a length that is not fixed.
#[expect(clippy::indexing_slicing, reason = "a byte indexes a table of 256")]
#[inline(always)]
pub(crate) const fn row(number: u8) -> &'static Row {
    // Widens; `From` is not const.
    &ROWS[number as usize]
}

/// Returns how many bytes an instruction takes, by its first byte: [`Row::fixed_length`].
// The next instruction waits for it. So it has a table of its own, where there is room: one load, no arithmetic.
#[cfg(not(small))]
#[expect(clippy::indexing_slicing, reason = "a byte indexes a table of 256")]
#[inline(always)]
pub(crate) const fn fixed_length(number: u8) -> u8 {
    static LENGTHS: [u8; 256] = {
        let mut lengths = [0; 256];
        let mut number = 0;
        while number < lengths.len() {
            lengths[number] = ROWS[number].fixed_length();
            number += 1;
        }
        lengths
    };
    LENGTHS[number as usize]
}

/// Returns how many bytes an instruction takes, by its first byte: [`Row::fixed_length`].
#[cfg(small)]
pub(crate) const fn fixed_length(number: u8) -> u8 {
    row(number).fixed_length()
}

const fn pack(pops: u8, pushes: u8) -> u8 {
    assert!(pops < 16 && pushes < 16);
    pops << 4 | pushes
}

/// Returns the group of a row of these kinds; there is none where they are mixed.
#[expect(clippy::panic, reason = "only the compiler runs it, over the table")]
const fn group(pops: &[StackKind], pushes: &[StackKind]) -> Group {
    assert!(pops.len() <= 2 && pushes.len() <= 1);
    match (pops, pushes) {
        ([], [StackKind::Null]) => Group::Null,
        ([StackKind::Reference] | [StackKind::Reference, StackKind::Reference], []) => {
            Group::Reference
        }
        ([] | [StackKind::Int] | [StackKind::Int, StackKind::Int], [] | [StackKind::Int]) => {
            Group::Int
        }
        _ => panic!("a row of kinds that no group has"),
    }
}
