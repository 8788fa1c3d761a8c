//! Errors of the assembler.

use core::fmt;

use jive_core::Opcode;

/// Why the assembler rejected a source, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmError {
    /// Name of the source, as the caller of `assemble` gave it.
    pub file: String,
    /// Line of the source, from 1.
    pub line: u32,
    /// The kind of error.
    pub kind: AsmErrorKind,
}

impl fmt::Display for AsmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.kind)
    }
}

impl core::error::Error for AsmError {}

/// A kind of error in a line of assembly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AsmErrorKind {
    /// The directive is unknown.
    #[error("unknown directive `{name}`")]
    UnknownDirective {
        /// The directive as written.
        name: String,
    },
    /// The word is not a mnemonic of the opcode table.
    #[error("unknown mnemonic `{name}`")]
    UnknownMnemonic {
        /// The word as written.
        name: String,
    },
    /// The line ends before a required part.
    #[error("expected {expected}, found the end of the line")]
    LineTooShort {
        /// The missing part.
        expected: &'static str,
    },
    /// The line continues after its last permitted word.
    #[error("expected the end of the line, found `{found}`")]
    LineTooLong {
        /// The first superfluous word.
        found: String,
    },
    /// A word is not of the form that its place in the line requires.
    #[error("expected {expected}, found `{found}`")]
    Unexpected {
        /// What the place in the line requires.
        expected: &'static str,
        /// The word as written.
        found: String,
    },
    /// A number is too large or too small for its field in the class file.
    #[error("{what} {value} does not fit {bytes} bytes")]
    DoesNotFit {
        /// The meaning of the number.
        what: &'static str,
        /// The number.
        value: i64,
        /// Size of the field in bytes.
        bytes: u8,
    },
    /// The method does not define the label.
    #[error("unknown label `{name}`")]
    UnknownLabel {
        /// The label.
        name: String,
    },
    /// The method defines the label twice.
    #[error("label `{name}` is already defined")]
    DuplicateLabel {
        /// The label.
        name: String,
    },
    /// No `.constant` directive defines the name.
    #[error("unknown constant `#{name}`")]
    UnknownConstant {
        /// The name.
        name: String,
    },
    /// `wide` precedes an opcode without a wide form.
    #[error("`{opcode}` has no wide form")]
    NoWideForm {
        /// The opcode.
        opcode: Opcode,
    },
    /// An instruction or a directive for code is written outside of a method's code.
    #[error("an instruction stands outside a method with `stack` and `locals`")]
    OutsideCode,
    /// A `.set` directive names an item that the class or member does not have.
    #[error("no item `{name}` is written here")]
    UnknownItem {
        /// The item as written.
        name: String,
    },
    /// A `.repeat` has no `.end`, or an `.end` has no `.repeat`.
    #[error("`.repeat` and `.end` do not pair up")]
    UnpairedRepeat,
    /// `.repeat` or `*` would write more bytes than the assembler allows.
    #[error("expected repetitions of at most {limit} bytes in all, found more")]
    TooLong {
        /// Greatest number of bytes.
        limit: usize,
    },
    /// The constant pool has more constants than a `u2` can number.
    #[error("the constant pool is full")]
    PoolFull,
}
