//! What the assembler has to say about a source it cannot assemble.

use core::fmt;

use jive_core::Opcode;

/// Why a source was not assembled, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmError {
    /// Name of the source, as the caller gave it.
    pub file: String,
    /// Line of the source, from 1.
    pub line: u32,
    /// What is wrong there.
    pub kind: AsmErrorKind,
}

impl fmt::Display for AsmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.kind)
    }
}

impl core::error::Error for AsmError {}

/// What is wrong with a line of assembly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AsmErrorKind {
    /// A directive that the assembler does not have.
    #[error("unknown directive `{name}`")]
    UnknownDirective {
        /// The directive as written.
        name: String,
    },
    /// A word that is no mnemonic of the opcode table.
    #[error("unknown mnemonic `{name}`")]
    UnknownMnemonic {
        /// The word as written.
        name: String,
    },
    /// A line ended before everything it needs was there.
    #[error("expected {expected}, found the end of the line")]
    LineTooShort {
        /// What is missing.
        expected: &'static str,
    },
    /// A line went on after everything it needs was there.
    #[error("expected the end of the line, found `{found}`")]
    LineTooLong {
        /// The first word too many.
        found: String,
    },
    /// A word is not what its place asks for.
    #[error("expected {expected}, found `{found}`")]
    Unexpected {
        /// What its place asks for.
        expected: &'static str,
        /// The word as written.
        found: String,
    },
    /// A number does not fit the bytes it is to be written into.
    #[error("{what} {value} does not fit {bytes} bytes")]
    DoesNotFit {
        /// What the number is.
        what: &'static str,
        /// The number.
        value: i64,
        /// How many bytes it has.
        bytes: u8,
    },
    /// A label that its method does not define.
    #[error("unknown label `{name}`")]
    UnknownLabel {
        /// The label.
        name: String,
    },
    /// A label that its method defines twice.
    #[error("label `{name}` is already defined")]
    DuplicateLabel {
        /// The label.
        name: String,
    },
    /// A constant name that no `.constant` directive defines.
    #[error("unknown constant `#{name}`")]
    UnknownConstant {
        /// The name.
        name: String,
    },
    /// `wide` in front of an opcode that has no wide form.
    #[error("`{opcode}` has no wide form")]
    NoWideForm {
        /// The opcode.
        opcode: Opcode,
    },
    /// An instruction or code directive where there is no code.
    #[error("an instruction stands outside a method with `stack` and `locals`")]
    OutsideCode,
    /// A `.set` directive names an item that is not written where it stands.
    #[error("no item `{name}` is written here")]
    UnknownItem {
        /// The item as written.
        name: String,
    },
    /// `.repeat` without `.end`, or the reverse.
    #[error("`.repeat` and `.end` do not pair up")]
    UnpairedRepeat,
    /// More constants than a `u2` can number.
    #[error("the constant pool is full")]
    PoolFull,
}
