//! Ops as a compiler reads them: few forms with named operands, in place of many kinds.
//!
//! Only the ops of [`link_portable`](crate::link_portable) have a form, because only they mean the same in every variant.

use crate::array_kind::ArrayKind;
use crate::op::{OpKind, Reach, Shape};
use crate::opcode::{BinaryOperator, Comparison};
use crate::program::{Program, SwitchCase, index, native};

/// Where an op finds an operand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In a register.
    Register(u8),
    /// In the op.
    Constant(i32),
}

/// What a load or store moves.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A byte with its sign, or any byte that is stored.
    Byte,
    /// A byte without its sign.
    Unsigned,
    /// A `short`.
    Short,
    /// An `int`.
    Int,
}

/// What an op does. Operands without a type are registers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Form<'p> {
    /// Sets a register to a constant.
    Const {
        /// The register.
        to: u8,
        /// The constant.
        value: i32,
    },
    /// Copies a register.
    Move {
        /// The copy.
        to: u8,
        /// The register that is copied.
        from: u8,
    },
    /// Of `count` registers from `first` on, moves the last `last` below the others.
    Rotate {
        /// The first register.
        first: u8,
        /// How many registers.
        count: u8,
        /// How many of them move.
        last: u8,
    },
    /// Computes a value from two operands.
    Binary {
        /// How.
        operator: BinaryOperator,
        /// The register of the result.
        to: u8,
        /// The first operand.
        left: u8,
        /// The second operand.
        right: Source,
    },
    /// Changes the sign.
    Negate {
        /// The register of the result.
        to: u8,
        /// The operand.
        from: u8,
    },
    /// Shifts left, and back with the sign.
    Narrow {
        /// The register of the result.
        to: u8,
        /// The operand.
        from: u8,
        /// By how many bits.
        by: i32,
    },
    /// Loads an element of an array.
    Load {
        /// What is loaded.
        element: Element,
        /// The register of the result.
        to: u8,
        /// The array.
        array: u8,
        /// The index.
        index: u8,
        /// A number that is added to the index.
        offset: i32,
    },
    /// Stores an element of an array.
    Store {
        /// What is stored.
        element: Element,
        /// The array.
        array: u8,
        /// The index.
        index: u8,
        /// A number that is added to the index.
        offset: i32,
        /// The value.
        value: u8,
    },
    /// Loads the length of an array.
    Length {
        /// The register of the result.
        to: u8,
        /// The array.
        array: u8,
    },
    /// Makes an array.
    NewArray {
        /// What kind of array.
        kind: ArrayKind,
        /// The register of the reference.
        to: u8,
        /// The length.
        length: u8,
    },
    /// Traps if a reference is null.
    RejectNull {
        /// The reference.
        reference: u8,
    },
    /// Loads a field.
    GetField {
        /// The register of the result.
        to: u8,
        /// The field.
        field: u16,
    },
    /// Stores a value in a field.
    PutField {
        /// The field.
        field: u16,
        /// The value.
        value: u8,
    },
    /// Stores a reference in a field, unless it names an array that is freed at the end of the call.
    PutReference {
        /// The field.
        field: u16,
        /// The reference.
        value: u8,
    },
    /// Jumps.
    Jump(Target),
    /// Jumps if a comparison holds.
    Branch {
        /// The comparison.
        comparison: Comparison,
        /// The first operand of the comparison.
        left: u8,
        /// The second operand of the comparison.
        right: Source,
        /// Where to.
        to: Target,
    },
    /// Jumps to the case of a key.
    Switch {
        /// The key.
        key: u8,
        /// The target of all other keys. Its own key has no meaning here.
        default: SwitchCase,
        /// The cases.
        cases: &'p [SwitchCase],
    },
    /// Calls a method of the class.
    Call {
        /// The method.
        method: u16,
        /// The register of the first argument, and of the result.
        first: u8,
        /// How many instructions of the method have been executed with this one.
        executed: u16,
    },
    /// Calls a native.
    Native {
        /// Which.
        id: u16,
        /// The register of the first argument.
        first: u8,
        /// How many arguments.
        arguments: u8,
        /// The register of the result.
        result: Option<u8>,
    },
    /// Returns.
    Return {
        /// The value.
        value: Option<Source>,
        /// How many instructions of the method have been executed with this one.
        executed: u16,
    },
}

/// Where a branch leads.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The op.
    pub op: u32,
    /// The fuel that the branch costs more than the straight path.
    pub cost: i32,
}

impl SwitchCase {
    /// Returns the value for which the switch takes this case.
    #[must_use]
    pub const fn key(&self) -> i32 {
        self.key
    }

    /// Returns where the case's code begins.
    #[must_use]
    pub const fn to(&self) -> Target {
        Target {
            op: self.target,
            cost: self.cost,
        }
    }
}

/// Returns the form of an op of a program, or `None` for an op that only one variant can run.
#[must_use]
pub fn form<'p>(program: &Program<'p>, at: u32) -> Option<Form<'p>> {
    let op = program.ops.get(index(at))?;
    let (to, b, c) = (op.a, op.b, op.c());
    let binary = |operator| Form::Binary {
        operator,
        to,
        left: b,
        right: Source::Register(c),
    };
    let constant = |operator| Form::Binary {
        operator,
        to,
        left: b,
        right: Source::Constant(op.imm()),
    };
    let load = |element| Form::Load {
        element,
        to,
        array: b,
        index: c,
        offset: op.offset(),
    };
    let store = |element| Form::Store {
        element,
        array: op.a,
        index: b,
        offset: op.offset(),
        value: c,
    };
    let near = |target| Target {
        op: target,
        cost: op.cost(Reach::Wide),
    };
    let branch = |comparison, right| Form::Branch {
        comparison,
        left: op.a,
        right,
        to: match op.kind.shape_alone() {
            Shape::Skip => Target {
                op: at.wrapping_add(2),
                cost: 0,
            },
            _ => near(op.high().into()),
        },
    };
    let pair = |comparison| branch(comparison, Source::Register(b));
    let single = |comparison| branch(comparison, Source::Constant(op.short_constant()));
    use {BinaryOperator as B, Comparison as C, OpKind as K};
    Some(match op.kind {
        K::Const => Form::Const {
            to,
            value: op.imm(),
        },
        K::Move => Form::Move { to, from: b },
        K::Rotate => Form::Rotate {
            first: op.a,
            count: b,
            last: c,
        },
        K::Add => binary(B::Add),
        K::AddConst => constant(B::Add),
        K::Subtract => binary(B::Subtract),
        K::Multiply => binary(B::Multiply),
        K::MultiplyConst => constant(B::Multiply),
        K::Divide => binary(B::Divide),
        K::Remainder => binary(B::Remainder),
        K::Negate => Form::Negate { to, from: b },
        K::ShiftLeft => binary(B::ShiftLeft),
        K::ShiftLeftConst => constant(B::ShiftLeft),
        K::ShiftRight => binary(B::ShiftRight),
        K::ShiftRightConst => constant(B::ShiftRight),
        K::ShiftRightUnsigned => binary(B::ShiftRightUnsigned),
        K::ShiftRightUnsignedConst => constant(B::ShiftRightUnsigned),
        K::And => binary(B::And),
        K::AndConst => constant(B::And),
        K::Or => binary(B::Or),
        K::OrConst => constant(B::Or),
        K::Xor => binary(B::Xor),
        K::XorConst => constant(B::Xor),
        K::Narrow => Form::Narrow {
            to,
            from: b,
            by: op.imm(),
        },
        K::LoadByte => load(Element::Byte),
        K::LoadByteUnsigned => load(Element::Unsigned),
        K::LoadShort => load(Element::Short),
        K::LoadInt => load(Element::Int),
        K::StoreByte => store(Element::Byte),
        K::StoreShort => store(Element::Short),
        K::StoreInt => store(Element::Int),
        K::ArrayLength => Form::Length { to, array: b },
        K::NewArray => Form::NewArray {
            kind: ArrayKind::from_newarray_code(u8::try_from(op.imm()).ok()?)?,
            to,
            length: b,
        },
        K::RejectNull => Form::RejectNull { reference: op.a },
        K::GetField => Form::GetField {
            to,
            field: op.low(),
        },
        K::PutField => Form::PutField {
            field: op.low(),
            value: op.a,
        },
        K::PutReference => Form::PutReference {
            field: op.low(),
            value: op.a,
        },
        K::Goto => Form::Jump(near(op.high().into())),
        K::GotoFar => Form::Jump(Target {
            op: op.second_long().cast_unsigned(),
            cost: op.first_long(),
        }),
        K::IfEqual | K::SkipEqual | K::BackEqual => pair(C::Equal),
        K::IfNotEqual | K::SkipNotEqual | K::BackNotEqual => pair(C::NotEqual),
        K::IfLess | K::SkipLess | K::BackLess => pair(C::Less),
        K::IfNotLess | K::SkipNotLess | K::BackNotLess => pair(C::AtLeast),
        K::IfEqualConst | K::BackEqualConst => single(C::Equal),
        K::IfNotEqualConst | K::BackNotEqualConst => single(C::NotEqual),
        K::IfLessConst | K::BackLessConst => single(C::Less),
        K::IfNotLessConst | K::BackNotLessConst => single(C::AtLeast),
        K::TableSwitch | K::LookupSwitch => {
            let first = index(op.second_long().cast_unsigned());
            let (default, behind) = program.switches.get(first..)?.split_first()?;
            Form::Switch {
                key: op.a,
                default: *default,
                cases: behind.get(..op.cases().into())?,
            }
        }
        K::Call => Form::Call {
            method: op.low(),
            first: op.a,
            executed: op.high(),
        },
        K::Native => {
            let call = native(*op);
            Form::Native {
                id: call.id.0,
                first: call.first,
                arguments: call.arguments,
                result: call.result,
            }
        }
        K::Return => Form::Return {
            value: None,
            executed: op.high(),
        },
        K::ReturnValue => Form::Return {
            value: Some(Source::Register(op.a)),
            executed: op.high(),
        },
        K::ReturnConst => Form::Return {
            value: Some(Source::Constant(op.imm())),
            executed: op.number(),
        },
        // Kinds that lowering makes for one variant alone.
        _ => return None,
    })
}
