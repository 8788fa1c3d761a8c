//! How the bytes behind an opcode are laid out (JVMS §6.5).

/// How the bytes behind an opcode are laid out (JVMS §6.5).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OperandLayout {
    /// No bytes follow.
    None,
    /// No bytes follow; the opcode itself stands for this `int`.
    ImplicitInt(i8),
    /// No bytes follow; the opcode itself names this local variable.
    ImplicitLocal(u8),
    /// One signed byte, an `int` constant.
    Byte,
    /// Two signed bytes, an `int` constant.
    Short,
    /// A one-byte constant pool index.
    ConstantByte,
    /// A two-byte constant pool index.
    Constant,
    /// A one-byte local variable index, two bytes after `wide`.
    Local,
    /// A local variable index and a signed increment, one byte each, two bytes each after `wide`.
    LocalIncrement,
    /// A signed two-byte branch offset.
    Branch,
    /// A signed four-byte branch offset.
    BranchWide,
    /// Padding, default, low, high and a table of four-byte offsets.
    TableSwitch,
    /// Padding, default, a count and pairs of key and four-byte offset.
    LookupSwitch,
    /// A two-byte constant pool index, a count byte and a zero byte.
    InvokeInterface,
    /// A two-byte constant pool index and two zero bytes.
    InvokeDynamic,
    /// One byte that names a primitive array type (JVMS table 6.5.newarray-A).
    ArrayType,
    /// A two-byte constant pool index and a count of dimensions.
    MultiArray,
    /// Another opcode, whose local variable index is two bytes long.
    Wide,
}

impl OperandLayout {
    /// Returns whether the operands are the offset of a branch.
    #[must_use]
    pub const fn is_branch(self) -> bool {
        matches!(self, Self::Branch | Self::BranchWide)
    }

    /// Returns whether the operands are those of a branch or switch.
    #[must_use]
    pub const fn has_targets(self) -> bool {
        self.is_branch() || self.is_switch()
    }

    /// Returns whether the operands are those of a switch.
    #[must_use]
    pub const fn is_switch(self) -> bool {
        matches!(self, Self::TableSwitch | Self::LookupSwitch)
    }

    /// Returns the length in bytes of an opcode with these operands. Returns 0 if the length varies, or if some
    /// operand bytes are invalid.
    pub(crate) const fn fixed_length(self) -> u8 {
        match self {
            Self::None | Self::ImplicitInt(_) | Self::ImplicitLocal(_) => 1,
            Self::Byte | Self::ConstantByte | Self::Local | Self::ArrayType => 2,
            Self::Short | Self::Constant | Self::LocalIncrement | Self::Branch => 3,
            Self::BranchWide => 5,
            Self::TableSwitch
            | Self::LookupSwitch
            | Self::InvokeInterface
            | Self::InvokeDynamic
            | Self::MultiArray
            | Self::Wide => 0,
        }
    }
}
