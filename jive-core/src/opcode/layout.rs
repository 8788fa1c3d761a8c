//! Layout of the operand bytes after an opcode (JVMS §6.5).

/// Layout of the operand bytes after an opcode (JVMS §6.5).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OperandLayout {
    /// No operand bytes.
    None,
    /// No operand bytes. The opcode implies this `int`.
    ImplicitInt(i8),
    /// No operand bytes. The opcode implies this local variable.
    ImplicitLocal(u8),
    /// An `int` constant of one signed byte.
    Byte,
    /// An `int` constant of two bytes, signed.
    Short,
    /// A one-byte constant pool index.
    ConstantByte,
    /// A two-byte constant pool index.
    Constant,
    /// A local variable index of one byte, or of two bytes after `wide`.
    Local,
    /// A local variable index and a signed increment, of one byte each, or of two bytes each after `wide`.
    LocalIncrement,
    /// A signed two-byte branch offset.
    Branch,
    /// A signed four-byte branch offset.
    BranchWide,
    /// Padding, default, low, high, and a table of offsets, each of four bytes.
    TableSwitch,
    /// Padding, default, a count, and pairs of key and offset, each of four bytes.
    LookupSwitch,
    /// A two-byte constant pool index, a count byte and a zero byte.
    InvokeInterface,
    /// A two-byte constant pool index and two zero bytes.
    InvokeDynamic,
    /// A type code for a primitive array, of one byte (JVMS table 6.5.newarray-A).
    ArrayType,
    /// A two-byte constant pool index and a byte with the number of dimensions.
    MultiArray,
    /// Another opcode and its operands, where a local variable index takes two bytes.
    Wide,
}

impl OperandLayout {
    /// Returns whether the operand is a branch offset.
    #[must_use]
    pub const fn is_branch(self) -> bool {
        matches!(self, Self::Branch | Self::BranchWide)
    }

    /// Returns whether the operands contain targets: those of a branch or a switch.
    #[must_use]
    pub const fn has_targets(self) -> bool {
        self.is_branch() || self.is_switch()
    }

    /// Returns whether the operands are those of a switch.
    #[must_use]
    pub const fn is_switch(self) -> bool {
        matches!(self, Self::TableSwitch | Self::LookupSwitch)
    }

    /// Returns the length of an instruction with this layout, in bytes. Returns 0 if the length varies, or if some
    /// operand bytes can be invalid.
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
