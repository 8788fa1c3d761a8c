//! What the columns of the opcode table can hold: layouts of operands, effects on the operand stack, and why
//! an opcode is outside the subset.

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
    /// Tells whether they are the offset of a branch.
    pub(crate) const fn is_branch(self) -> bool {
        matches!(self, Self::Branch | Self::BranchWide)
    }

    /// Returns how many bytes an opcode and such operands take, where any bytes will do; else 0.
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

/// Kind of a stack value, as far as the table needs to tell kinds apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StackKind {
    /// An `int`, or what the JVM computes as one.
    Int,
    /// The null reference.
    Null,
    /// Any initialised reference, null included.
    Reference,
}

/// Why an opcode is outside the subset.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// It computes with `long`.
    Long,
    /// It computes with `float`.
    Float,
    /// It computes with `double`.
    Double,
    /// It computes with `char`.
    Char,
    /// It loads a `long` or `double` constant; which one, the constant pool tells.
    Wide,
    /// It makes or uses an array of references or of arrays.
    ReferenceArray,
    /// It creates an object.
    Object,
    /// It tests or casts the type of a reference.
    TypeTest,
    /// It throws an exception.
    Exception,
    /// It needs threads.
    Thread,
    /// It belongs to the subroutines that compilers before Java 6 used for `finally`.
    Subroutine,
    /// It calls through an interface.
    InterfaceCall,
    /// It calls what is linked at run time.
    DynamicCall,
    /// It never stands in a class file (JVMS §6.2).
    Reserved,
}

impl Exclusion {
    /// Every reason, by its number.
    pub(crate) const ALL: [Self; 14] = [
        Self::Long,
        Self::Float,
        Self::Double,
        Self::Char,
        Self::Wide,
        Self::ReferenceArray,
        Self::Object,
        Self::TypeTest,
        Self::Exception,
        Self::Thread,
        Self::Subroutine,
        Self::InterfaceCall,
        Self::DynamicCall,
        Self::Reserved,
    ];
}

/// What an opcode does to the operand stack.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StackEffect {
    /// It always pops and pushes the same kinds; the last of each list is the top of the stack.
    Fixed {
        /// Kinds popped.
        pops: &'static [StackKind],
        /// Kinds pushed.
        pushes: &'static [StackKind],
    },
    /// It depends on operands, on a local variable or on the kinds that are there.
    Special,
    /// It is outside the subset.
    Unsupported(Exclusion),
}

/// How many values an opcode takes off the operand stack, and how many it puts there.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StackChange {
    /// Always the same counts.
    Counts {
        /// Count of values popped.
        pops: u8,
        /// Count of values pushed.
        pushes: u8,
    },
    /// What the constant says that the instruction names.
    OfConstant,
    /// Whatever it is: the opcode is outside the subset.
    Unsupported,
}
