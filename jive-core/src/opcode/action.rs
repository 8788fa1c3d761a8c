//! Actions: what an instruction does (JVMS §6.5), as a column of the opcode table.

use super::exclusion::Exclusion;
use super::shuffle::Shuffle;

/// What an instruction does.
///
/// Verifier, lowering, analysis and `docs/opcodes.md` match on actions and not on opcodes. Opcodes that differ only
/// in the encoding of their operands share an action: `iload 1` and `iload_1` are both `Load(Int)`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Does nothing.
    Nothing,
    /// Pushes a constant.
    Constant(ConstantSource),
    /// Pushes the value of a local variable.
    Load(Computational),
    /// Pops a value into a local variable.
    Store(Computational),
    /// Adds a constant to an `int` local variable.
    Increment,
    /// Pops an index and an array, and pushes the element at that index.
    LoadElement(ElementKind),
    /// Pops a value, an index and an array, and stores the value at that index.
    StoreElement(ElementKind),
    /// Rearranges the topmost values of the stack.
    Shuffle(Shuffle),
    /// Pops an `int` and pushes an `int`.
    Unary(UnaryOperator),
    /// Pops two `int`s and pushes an `int`.
    Binary(BinaryOperator),
    /// Pops an `int`, and branches if the comparison with 0 holds.
    BranchZero(Comparison),
    /// Pops two `int`s, and branches if the comparison holds.
    BranchInt(Comparison),
    /// Pops a reference, and branches if the comparison with `null` holds.
    BranchNull(Comparison),
    /// Pops two references, and branches if the comparison holds.
    BranchReference(Comparison),
    /// Branches always.
    Jump,
    /// Pops an `int`, and branches to the target of the case whose key it is.
    Switch,
    /// Returns from the method. If the method has a result type, the instruction pops the result first.
    Return(Option<Computational>),
    /// Accesses the field or calls the method that a constant pool entry names.
    Member(MemberUse),
    /// Pops a length and pushes a new array.
    NewArray,
    /// Pops an array and pushes the array's length.
    ArrayLength,
    /// Prefixes another opcode. No decoded instruction has the action `Wide`.
    Wide,
    /// The instruction is never executed, because the opcode is outside the subset.
    Unsupported(Exclusion),
}

/// Where the constant that an instruction pushes comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ConstantSource {
    /// The constant is `null`.
    Null,
    /// The opcode or its operand bytes encode the `int`.
    Immediate,
    /// The `int` is in the constant pool.
    Pool,
}

/// A computational type (JVMS §2.11.1) of the subset: the types that the operand stack distinguishes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Computational {
    /// `int`. Values of type `boolean`, `byte` and `short` are `int`s on the operand stack.
    Int,
    /// A reference.
    Reference,
}

/// The element type of the array that an instruction works on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// `int`.
    Int,
    /// `short`.
    Short,
    /// The element type `byte` or `boolean`, which have the same array instructions.
    ByteOrBoolean,
}

/// An operator with one `int` operand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// Changes the sign, wrapping on overflow.
    Negate,
    /// Sign-extends the low eight bits.
    ToByte,
    /// Sign-extends the low sixteen bits.
    ToShort,
}

/// An operator with two `int` operands. The first operand is the one that the code has pushed first. Arithmetic wraps
/// on overflow.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// Adds.
    Add,
    /// Subtracts the second operand from the first.
    Subtract,
    /// Multiplies.
    Multiply,
    /// Divides the first operand by the second, rounding towards zero. Traps if the second operand is zero.
    Divide,
    /// Computes the remainder of dividing the first operand by the second. Traps if the second operand is zero.
    Remainder,
    /// Shifts left by the low five bits of the second operand.
    ShiftLeft,
    /// Shifts right with sign extension, by the low five bits of the second operand.
    ShiftRight,
    /// Shifts right with zero extension, by the low five bits of the second operand.
    ShiftRightUnsigned,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// A comparison of two values. The code has pushed the first of the two values before the second.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The first value equals the second value.
    Equal,
    /// The first value differs from the second value.
    NotEqual,
    /// The first value is less than the second value.
    Less,
    /// The first value is at least the second value.
    AtLeast,
    /// The first value is greater than the second value.
    Greater,
    /// The first value is at most the second value.
    AtMost,
}

impl Comparison {
    /// Returns the comparison that holds exactly for the values for which this comparison does not hold.
    #[must_use]
    pub const fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::AtLeast,
            Self::AtLeast => Self::Less,
            Self::Greater => Self::AtMost,
            Self::AtMost => Self::Greater,
        }
    }

    /// Returns the comparison that holds for `(b, a)` where this one holds for `(a, b)`.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            Self::AtMost => Self::AtLeast,
        }
    }
}

/// How an instruction uses a member. The variants without `Static` pop a receiver, and require a member that is not
/// static.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MemberUse {
    /// Pushes the value of a field of the receiver.
    Load,
    /// Pushes the value of a static field.
    LoadStatic,
    /// Pops a value into a field of the receiver.
    Store,
    /// Pops a value into a static field.
    StoreStatic,
    /// Calls a method of the receiver.
    Call,
    /// Calls a static method.
    CallStatic,
}

impl MemberUse {
    /// Returns whether the member is loaded, stored or called.
    #[must_use]
    pub const fn access(self) -> MemberAccess {
        match self {
            Self::Load | Self::LoadStatic => MemberAccess::Load,
            Self::Store | Self::StoreStatic => MemberAccess::Store,
            Self::Call | Self::CallStatic => MemberAccess::Call,
        }
    }

    /// Returns whether the member must be static.
    #[must_use]
    pub const fn is_static(self) -> bool {
        match self {
            Self::LoadStatic | Self::StoreStatic | Self::CallStatic => true,
            Self::Load | Self::Store | Self::Call => false,
        }
    }
}

/// What an instruction does with a member.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MemberAccess {
    /// Pushes the value of a field.
    Load,
    /// Pops a value into a field.
    Store,
    /// Pops the arguments of a method, calls the method, and pushes its result if it has one.
    Call,
}

/// Number of values that an instruction pops and pushes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StackChange {
    /// The instruction pops and pushes fixed numbers of values, whatever its operands are.
    Counts {
        /// Number of values popped.
        pops: u8,
        /// Number of values pushed.
        pushes: u8,
    },
    /// The numbers of popped and pushed values depend on the descriptor of the called method.
    OfCall {
        /// Whether the call also pops a receiver, below the arguments.
        has_receiver: bool,
    },
    /// The numbers are unknown, because the opcode is outside the subset.
    Unsupported,
}

impl Action {
    /// Returns how many values the instruction pops and pushes.
    #[must_use]
    pub const fn stack_change(self) -> StackChange {
        let (pops, pushes) = match self {
            Self::Nothing | Self::Increment | Self::Jump | Self::Wide | Self::Return(None) => {
                (0, 0)
            }
            Self::Constant(_) | Self::Load(_) => (0, 1),
            Self::Store(_)
            | Self::BranchZero(_)
            | Self::BranchNull(_)
            | Self::Switch
            | Self::Return(Some(_)) => (1, 0),
            Self::BranchInt(_) | Self::BranchReference(_) => (2, 0),
            Self::LoadElement(_) | Self::Binary(_) => (2, 1),
            Self::StoreElement(_) => (3, 0),
            Self::Shuffle(shuffle) => (shuffle.pops(), shuffle.push_count()),
            Self::Unary(_) | Self::NewArray | Self::ArrayLength => (1, 1),
            Self::Member(usage) => match usage {
                MemberUse::LoadStatic => (0, 1),
                MemberUse::Load => (1, 1),
                MemberUse::StoreStatic => (1, 0),
                MemberUse::Store => (2, 0),
                MemberUse::Call | MemberUse::CallStatic => {
                    return StackChange::OfCall {
                        has_receiver: !usage.is_static(),
                    };
                }
            },
            Self::Unsupported(_) => return StackChange::Unsupported,
        };
        StackChange::Counts { pops, pushes }
    }

    /// Returns whether execution can continue with the next instruction. The result is meaningless for opcodes outside
    /// the subset.
    pub(super) const fn falls_through(self) -> bool {
        !matches!(self, Self::Jump | Self::Switch | Self::Return(_))
    }
}
