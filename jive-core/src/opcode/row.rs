//! The rows of the opcode table, each packed into six bytes, and what they say of an opcode.

use super::action::{
    Action, BinaryOperator, Comparison, Computational, ConstantSource, ElementKind, MemberUse,
    StackChange, UnaryOperator,
};
use super::exclusion::Exclusion;
use super::kind::Opcode;
use super::layout::OperandLayout;
use super::per_byte::per_byte;
use super::shuffle::Shuffle;
use super::table::opcode_table;

/// The facts about an opcode that a row of the opcode table contains.
///
/// A pass over code looks up a row for each instruction. The field `facts` contains precomputed answers to the most
/// frequent queries.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Row {
    opcode: Opcode,
    layout: OperandLayout,
    action: Action,
    /// [`ENDS`] if the instruction does not fall through, combined with its [`StackChange`]. The stack change is either
    /// two counts under the masks [`POPS`] and [`PUSHES`], or [`UNCOUNTED`] with a constant that names the case.
    facts: u8,
}

const ENDS: u8 = 0x80;
const UNCOUNTED: u8 = 0x40;
const POPS: u8 = 0x38;
const POPS_SHIFT: u32 = 3;
const PUSHES: u8 = 0x07;
const OF_STATIC_CALL: u8 = UNCOUNTED;
const OF_CALL: u8 = UNCOUNTED | 1;
const UNSUPPORTED: u8 = UNCOUNTED | 2;

impl Row {
    /// Packs a row. The argument `ends` declares that an opcode outside the subset does not fall through.
    pub(super) const fn of(
        opcode: Opcode,
        layout: OperandLayout,
        action: Action,
        ends: bool,
    ) -> Row {
        let is_unsupported = matches!(action, Action::Unsupported(_));
        // For opcodes in the subset, the action determines whether the instruction falls through.
        assert!(is_unsupported || !ends);
        let change = match action.stack_change() {
            StackChange::Counts { pops, pushes } => {
                assert!(pops <= POPS >> POPS_SHIFT && pushes <= PUSHES);
                pops << POPS_SHIFT | pushes
            }
            StackChange::OfCall {
                has_receiver: false,
            } => OF_STATIC_CALL,
            StackChange::OfCall { has_receiver: true } => OF_CALL,
            StackChange::Unsupported => UNSUPPORTED,
        };
        let ends = if ends || !action.falls_through() {
            ENDS
        } else {
            0
        };
        Row {
            opcode,
            layout,
            action,
            facts: ends | change,
        }
    }

    pub(crate) const fn opcode(&self) -> Opcode {
        self.opcode
    }

    pub(crate) const fn layout(&self) -> OperandLayout {
        self.layout
    }

    pub(crate) const fn action(&self) -> Action {
        self.action
    }

    pub(crate) const fn fixed_length(&self) -> u8 {
        self.layout.fixed_length()
    }

    pub(crate) const fn falls_through(&self) -> bool {
        self.facts & ENDS == 0
    }

    #[inline(always)]
    pub(crate) const fn stack_change(&self) -> StackChange {
        if self.facts & UNCOUNTED == 0 {
            return StackChange::Counts {
                pops: (self.facts & POPS) >> POPS_SHIFT,
                pushes: self.facts & PUSHES,
            };
        }
        match self.facts & !ENDS {
            OF_STATIC_CALL => StackChange::OfCall {
                has_receiver: false,
            },
            OF_CALL => StackChange::OfCall { has_receiver: true },
            _ => StackChange::Unsupported,
        }
    }

    /// Returns why the opcode is outside the subset, or `None` if it is inside.
    #[inline(always)]
    pub(crate) const fn exclusion(&self) -> Option<Exclusion> {
        match self.action {
            Action::Unsupported(why) => Some(why),
            _ => None,
        }
    }
}

/// Translates the action column of a row of the opcode table to an [`Action`].
macro_rules! action {
    (constant $source:ident) => { Action::Constant(ConstantSource::$source) };
    (load $kind:ident) => { Action::Load(Computational::$kind) };
    (store $kind:ident) => { Action::Store(Computational::$kind) };
    (load element $kind:ident) => { Action::LoadElement(ElementKind::$kind) };
    (store element $kind:ident) => { Action::StoreElement(ElementKind::$kind) };
    // The numbers are the depths of the pushed values before the shuffle, where 0 is the top. The last value that the
    // shuffle pushes becomes the new top.
    (shuffle $pops:literal -> $($depth:literal)*) => {
        Action::Shuffle(Shuffle::new($pops, &[$($depth),*]))
    };
    (unary $operator:ident) => { Action::Unary(UnaryOperator::$operator) };
    (binary $operator:ident) => { Action::Binary(BinaryOperator::$operator) };
    (return) => { Action::Return(None) };
    (return $kind:ident) => { Action::Return(Some(Computational::$kind)) };
    (member $usage:ident) => { Action::Member(MemberUse::$usage) };
    (unsupported $why:ident) => { Action::Unsupported(Exclusion::$why) };
    ($branch:ident $comparison:ident) => { Action::$branch(Comparison::$comparison) };
    ($alone:ident) => { Action::$alone };
}

macro_rules! rows {
    ($($(#[doc = $doc:literal])+ $code:literal $name:ident = $mnemonic:literal,
       $layout:ident $(($implicit:literal))?, ($($action:tt)+) $(, $ends:ident)?;)+) => {
        /// Rows indexed by opcode number.
        static ROWS: [Row; 256] = {
            // Numbers without an opcode. The layout `Wide` gives the row of an unused number a length of 0. So a number
            // without an opcode leads to the decoder's slow path, which reports the error.
            let unknown = Row::of(
                Opcode::Nop,
                OperandLayout::Wide,
                Action::Unsupported(Exclusion::Reserved),
                false,
            );
            let mut rows = [unknown; 256];
            $(rows[$code] = Row::of(
                Opcode::$name,
                OperandLayout::$layout $(($implicit))?,
                action!($($action)+),
                false $(|| stringify!($ends).len() > 0)?,
            );)+
            rows
        };
    };
}

opcode_table!(rows);

/// Returns the row of an opcode number. Returns a row of length 0 if no opcode has the number.
#[expect(clippy::indexing_slicing, reason = "a byte indexes a table of 256")]
#[inline(always)]
pub(crate) const fn row(number: u8) -> &'static Row {
    // Widens. `From` is not `const`.
    &ROWS[number as usize]
}

const fn length_of(number: u8) -> u8 {
    row(number).fixed_length()
}

per_byte! {
    /// Returns [`Row::fixed_length`] for the first byte of an instruction.
    fixed_length -> u8 = length_of, like 0
}

impl Opcode {
    const fn row(self) -> &'static Row {
        row(self.byte())
    }

    /// Returns the layout of the operand bytes.
    #[must_use]
    pub const fn layout(self) -> OperandLayout {
        self.row().layout()
    }

    /// Returns the length of the instruction in bytes, without a `wide` prefix. Returns 0 if the length depends on
    /// the operands, or if some operand bytes can be invalid.
    #[must_use]
    pub const fn fixed_length(self) -> u8 {
        self.row().fixed_length()
    }

    /// Returns what an instruction of this opcode does.
    #[must_use]
    pub const fn action(self) -> Action {
        self.row().action()
    }

    /// Returns whether execution can continue with the next instruction.
    #[must_use]
    pub const fn falls_through(self) -> bool {
        self.row().falls_through()
    }

    /// Returns how many values the instruction pops and pushes.
    #[must_use]
    pub const fn stack_change(self) -> StackChange {
        self.row().stack_change()
    }

    /// Returns why the opcode is outside the subset, or `None` if it is inside.
    #[must_use]
    pub const fn exclusion(self) -> Option<Exclusion> {
        self.row().exclusion()
    }
}
