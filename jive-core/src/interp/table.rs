//! The one table of ops: what each does.

use super::control::{
    Flow, again, again_count, back, control, effect, load, load_at, onward, reject_null,
    reject_transient, rotate, skip, store, store_at, value,
};
#[cfg(threaded)]
use super::control::{again_near, back_near, load_field, onward_near, store_field};
use super::derive::Shape;
use super::machine::{Machine, Operands, cell};
use super::op::Reach;
use super::{Op, Stop, Window};
use crate::array_kind::ArrayKind;
use crate::heap::Heap;
use crate::trap::TrapKind;

/// Adds a step, a byte with its sign, to register `a`, and returns the sum.
#[inline(always)]
fn count<const TAKEN: char>(operands: &Operands<'_, '_, TAKEN>, step: u8) -> i32 {
    let counter = cell(operands.registers, operands.op.a);
    let next = counter.get().wrapping_add(step.cast_signed().into());
    counter.set(next);
    next
}

macro_rules! binary {
    ($compute:expr) => {
        |_, operands| {
            let compute: fn(i32, i32) -> i32 = $compute;
            Ok(compute(operands.b(), operands.c()))
        }
    };
}

macro_rules! constant {
    ($compute:expr) => {
        |_, operands| {
            let compute: fn(i32, i32) -> i32 = $compute;
            Ok(compute(operands.b(), operands.op.imm()))
        }
    };
}

/// A condition on registers `a` and `b`.
macro_rules! pair {
    ($holds:expr) => {
        |operands| {
            let holds: fn(i32, i32) -> bool = $holds;
            holds(operands.a(), operands.b())
        }
    };
}

/// A condition on register `a` and the constant `b`.
macro_rules! single {
    ($holds:expr) => {
        |operands| {
            let holds: fn(i32, i32) -> bool = $holds;
            holds(operands.a(), operands.op.short_constant())
        }
    };
}

/// A condition on register `a` and the low half of the constant.
#[cfg(threaded)]
macro_rules! near {
    ($holds:expr) => {
        |operands| {
            let holds: fn(i32, i32) -> bool = $holds;
            holds(operands.a(), operands.op.near_constant())
        }
    };
}

impl OpKind {
    /// Returns the kind that loads from or stores into an array that a field holds.
    #[cfg(threaded)]
    pub(crate) const fn in_field(self) -> Option<Self> {
        Some(match self {
            Self::LoadByte => Self::LoadFieldByte,
            Self::LoadShort => Self::LoadFieldShort,
            Self::LoadInt => Self::LoadFieldInt,
            Self::StoreByte => Self::StoreFieldByte,
            Self::StoreShort => Self::StoreFieldShort,
            Self::StoreInt => Self::StoreFieldInt,
            _ => return None,
        })
    }

    /// Returns the kind that loads or stores a byte whose index is a constant, if there is one.
    pub(crate) const fn at_constant(self) -> Option<Self> {
        Some(match self {
            _ if cfg!(small) => return None,
            Self::LoadByte => Self::LoadByteAt,
            Self::StoreByte => Self::StoreByteAt,
            _ => return None,
        })
    }

    /// Returns the kind that loads a byte without its sign, of one that loads it with its sign.
    pub(crate) const fn without_sign(self) -> Option<Self> {
        Some(match self {
            Self::LoadByte => Self::LoadByteUnsigned,
            Self::LoadByteAt => Self::LoadByteUnsignedAt,
            #[cfg(threaded)]
            Self::LoadFieldByte => Self::LoadFieldByteUnsigned,
            #[cfg(threaded)]
            Self::LoadFieldByteAtTaken => Self::LoadFieldByteUnsignedAtTaken,
            #[cfg(threaded)]
            Self::LoadByteAtTaken => Self::LoadByteUnsignedAtTaken,
            #[cfg(threaded)]
            Self::LoadByteAtOfTaken => Self::LoadByteUnsignedAtOfTaken,
            _ => return None,
        })
    }
}

const fn divisor(value: i32) -> Result<i32, TrapKind> {
    if value == 0 {
        Err(TrapKind::ArithmeticException)
    } else {
        Ok(value)
    }
}

// The wrapping shifts take the low five bits of the count, as JVMS §6.5.ishl does.
const fn shift_left(value: i32, count: i32) -> i32 {
    value.wrapping_shl(count.cast_unsigned())
}

const fn shift_right(value: i32, count: i32) -> i32 {
    value.wrapping_shr(count.cast_unsigned())
}

const fn shift_right_unsigned(value: i32, count: i32) -> i32 {
    value
        .cast_unsigned()
        .wrapping_shr(count.cast_unsigned())
        .cast_signed()
}

with_pairs! { ops! {
    /// `a` is the constant.
    Const value |_, operands| Ok(operands.op.imm());
    /// `a` is `b`.
    Move value |_, operands| Ok(operands.b());
    /// The `c` last of `b` registers from `a` on move below the others.
    Rotate effect |_, operands| { rotate(operands.op, operands.registers); Ok(()) };

    /// `a` is `b + c`.
    Add value binary!(i32::wrapping_add), 'b': AddTaken;
    /// `a` is `b` plus the constant.
    AddConst value constant!(i32::wrapping_add), 'b': AddConstTaken;
    /// `a` is `b - c`.
    Subtract value binary!(i32::wrapping_sub), 'b': SubtractTaken, 'c': SubtractOfTaken;
    /// `a` is `b * c`.
    Multiply value binary!(i32::wrapping_mul), 'b': MultiplyTaken;
    /// `a` is `b` times the constant.
    MultiplyConst value constant!(i32::wrapping_mul), 'b': MultiplyConstTaken;
    /// `a` is `b / c`; one quotient is no `int`, that of MIN_VALUE and -1, which wraps to its dividend.
    Divide value |_, operands| {
        let (dividend, divisor) = (operands.b(), divisor(operands.c())?);
        Ok(dividend.checked_div(divisor).unwrap_or(dividend))
    }, 'b': DivideTaken;
    /// `a` is `b % c`; where the quotient wraps, it is 0 (JVMS §6.5.irem).
    Remainder value |_, operands| {
        let (dividend, divisor) = (operands.b(), divisor(operands.c())?);
        Ok(dividend.checked_rem(divisor).unwrap_or(0))
    }, 'b': RemainderTaken;
    /// `a` is `-b`.
    Negate value |_, operands| Ok(operands.b().wrapping_neg()), 'b': NegateTaken;
    /// `a` is `b << c`.
    ShiftLeft value binary!(shift_left), 'c': ShiftLeftByTaken;
    /// `a` is `b` shifted left by the constant.
    ShiftLeftConst value constant!(shift_left), 'b': ShiftLeftConstTaken;
    /// `a` is `b >> c`.
    ShiftRight value binary!(shift_right);
    /// `a` is `b` shifted right by the constant.
    ShiftRightConst value constant!(shift_right), 'b': ShiftRightConstTaken;
    /// `a` is `b >>> c`.
    ShiftRightUnsigned value binary!(shift_right_unsigned), 'c': ShiftRightUnsignedByTaken;
    /// `a` is `b` shifted right by the constant, zeros coming in.
    ShiftRightUnsignedConst value constant!(shift_right_unsigned), 'b': ShiftRightUnsignedConstTaken;
    /// `a` is `b & c`.
    And value binary!(|a, b| a & b), 'b': AndTaken;
    /// `a` is `b` and the constant.
    AndConst value constant!(|a, b| a & b), 'b': AndConstTaken;
    /// `a` is `b | c`.
    Or value binary!(|a, b| a | b), 'b': OrTaken;
    /// `a` is `b` or the constant.
    OrConst value constant!(|a, b| a | b), 'b': OrConstTaken;
    /// `a` is `b ^ c`.
    Xor value binary!(|a, b| a ^ b), 'b': XorTaken;
    /// `a` is `b` exclusive-or the constant.
    XorConst value constant!(|a, b| a ^ b), 'b': XorConstTaken;
    /// `a` is what `b` is without its highest bits, as many as the constant says, with the sign of
    /// what is left.
    Narrow value constant!(|a, b| shift_right(shift_left(a, b), b)), 'b': NarrowTaken;

    /// `a` is the element `c`, plus the offset, of the `byte[]` or `boolean[]` `b`.
    LoadByte load |heap, array, element| {
        heap.load_byte(array, element).map(|byte| byte.cast_signed().into())
    }, 'c': LoadByteAtTaken;
    /// Like `LoadByte`, without the sign.
    LoadByteUnsigned load |heap, array, element| heap.load_byte(array, element).map(i32::from), 'c': LoadByteUnsignedAtTaken;
    /// `a` is the element of the `byte[]` or `boolean[]` `b` that the constant names.
    LoadByteAt load_at |heap, array, element| {
        heap.load_byte(array, element).map(|byte| byte.cast_signed().into())
    }, 'b': LoadByteAtOfTaken;
    /// Like `LoadByteAt`, without the sign.
    LoadByteUnsignedAt load_at |heap, array, element| {
        heap.load_byte(array, element).map(i32::from)
    }, 'b': LoadByteUnsignedAtOfTaken;
    /// `a` is the element `c`, plus the offset, of the `short[]` `b`.
    LoadShort load |heap, array, element| heap.load_short(array, element).map(i32::from), 'c': LoadShortAtTaken;
    /// `a` is the element `c`, plus the offset, of the `int[]` `b`.
    LoadInt load Heap::load_int, 'c': LoadIntAtTaken;
    /// The element `b`, plus the offset, of the `byte[]` or `boolean[]` `a` becomes `c`.
    StoreByte store Heap::store_byte, 'c': StoreByteTaken;
    /// The element of the `byte[]` or `boolean[]` `a` that the constant names becomes `b`.
    StoreByteAt store_at Heap::store_byte;
    /// The element `b`, plus the offset, of the `short[]` `a` becomes `c`.
    StoreShort store Heap::store_short, 'c': StoreShortTaken;
    /// The element `b`, plus the offset, of the `int[]` `a` becomes `c`.
    StoreInt store Heap::store_int, 'c': StoreIntTaken;
    /// `a` is the length of the array `b`.
    ArrayLength value |machine, operands| machine.heap.length(operands.b()), 'b': ArrayLengthTaken;
    /// `a` is a new array of length `b`, of the kind that `newarray` codes as the constant.
    NewArray value |machine, operands| {
        let code = u8::try_from(operands.op.imm()).unwrap_or(0);
        let kind = ArrayKind::from_newarray_code(code).ok_or(TrapKind::Unverified)?;
        machine.heap.allocate(kind, operands.b())
    };

    /// Traps where `a` is null.
    RejectNull effect |_, operands| reject_null(operands.a());
    /// `a` is the field.
    GetField value |machine, operands| {
        let field = machine.fields.get(usize::from(operands.op.low()));
        field.copied().ok_or(TrapKind::Unverified)
    };
    /// The field becomes `a`.
    PutField effect |machine, operands| {
        let field = machine.fields.get_mut(usize::from(operands.op.low()));
        *field.ok_or(TrapKind::Unverified)? = operands.a();
        Ok(())
    }, 'a': PutFieldTaken;
    /// The field becomes the reference `a`, which must not name an array that ends with the call.
    PutReference effect |machine, operands| {
        let reference = operands.a();
        reject_transient(&machine.heap, reference)?;
        let field = machine.fields.get_mut(usize::from(operands.op.low()));
        *field.ok_or(TrapKind::Unverified)? = reference;
        Ok(())
    };

    /// Goes on elsewhere.
    Goto control |machine, operands, _| machine.go(operands.op);
    /// Does as `Goto`, however far.
    GotoFar control |machine, operands, _| machine.go_far(operands.op);
    /// Branches onwards where `a` and `b` are equal.
    IfEqual onward pair!(|a, b| a == b), 'a': IfEqualTaken;
    /// Branches onwards where `a` and `b` differ.
    IfNotEqual onward pair!(|a, b| a != b), 'a': IfNotEqualTaken;
    /// Branches onwards where `a` is less than `b`.
    IfLess onward pair!(|a, b| a < b), 'a': IfLessTaken, 'b': IfLessThanTaken;
    /// Branches onwards where `a` is not less than `b`.
    IfNotLess onward pair!(|a, b| a >= b), 'a': IfNotLessTaken, 'b': IfNotLessThanTaken;
    /// Branches onwards where `a` is the constant.
    IfEqualConst onward single!(|a, b| a == b), 'a': IfEqualConstTaken;
    /// Branches onwards where `a` is not the constant.
    IfNotEqualConst onward single!(|a, b| a != b), 'a': IfNotEqualConstTaken;
    /// Branches onwards where `a` is less than the constant.
    IfLessConst onward single!(|a, b| a < b), 'a': IfLessConstTaken;
    /// Branches onwards where `a` is not less than the constant.
    IfNotLessConst onward single!(|a, b| a >= b), 'a': IfNotLessConstTaken;
    /// Passes the next op over where `a` and `b` are equal.
    SkipEqual skip pair!(|a, b| a == b);
    /// Passes the next op over where `a` and `b` differ.
    SkipNotEqual skip pair!(|a, b| a != b);
    /// Passes the next op over where `a` is less than `b`.
    SkipLess skip pair!(|a, b| a < b);
    /// Passes the next op over where `a` is not less than `b`.
    SkipNotLess skip pair!(|a, b| a >= b);
    /// Branches back where `a` and `b` are equal.
    BackEqual back pair!(|a, b| a == b);
    /// Branches back where `a` and `b` differ.
    BackNotEqual back pair!(|a, b| a != b);
    /// Branches back where `a` is less than `b`.
    BackLess back pair!(|a, b| a < b);
    /// Branches back where `a` is not less than `b`.
    BackNotLess back pair!(|a, b| a >= b);
    /// Branches back where `a` is the constant.
    BackEqualConst back single!(|a, b| a == b);
    /// Branches back where `a` is not the constant.
    BackNotEqualConst back single!(|a, b| a != b);
    /// Branches back where `a` is less than the constant.
    BackLessConst back single!(|a, b| a < b);
    /// Branches back where `a` is not less than the constant.
    BackNotLessConst back single!(|a, b| a >= b);
    /// Goes back to a branch that leaves a loop where `a` and `b` differ, behind it where not.
    LoopEqual again pair!(|a, b| a == b);
    /// Goes back to a branch that leaves a loop where `a` and `b` are equal, behind it where not.
    LoopNotEqual again pair!(|a, b| a != b);
    /// Goes back to a branch that leaves a loop unless `a` is less than `b`, behind it if so.
    LoopLess again pair!(|a, b| a < b);
    /// Goes back to a branch that leaves a loop where `a` is less than `b`, behind it where not.
    LoopNotLess again pair!(|a, b| a >= b);
    /// Goes back to a branch that leaves a loop unless `a` is the constant, behind it if so.
    LoopEqualConst again single!(|a, b| a == b);
    /// Goes back to a branch that leaves a loop where `a` is the constant, behind it where not.
    LoopNotEqualConst again single!(|a, b| a != b);
    /// Goes back to a branch that leaves a loop unless `a` is less than the constant, behind it if so.
    LoopLessConst again single!(|a, b| a < b);
    /// Goes back to a branch that leaves a loop where `a` is less than the constant, behind it where not.
    LoopNotLessConst again single!(|a, b| a >= b);
    /// Adds `c` to `a`, then does as `LoopLess`.
    CountLess again_count |operands| count(operands, operands.op.c()) < operands.b();
    /// Adds `c` to `a`, then does as `LoopLessConst`, with `b` as constant.
    CountLessConst again_count |operands| {
        count(operands, operands.op.c()) < operands.op.short_constant()
    };
    /// Adds `c` to `a`, then does as `LoopNotLessConst`, with `b` as constant.
    CountNotLessConst again_count |operands| {
        count(operands, operands.op.c()) >= operands.op.short_constant()
    };
    /// Adds `b` to `a`, then goes on elsewhere, mostly further back.
    CountGoto back |operands| { count(operands, operands.op.b); true };
    /// Goes to the case that `a` picks by its distance from the lowest key.
    TableSwitch control |machine, operands, pc| machine.table_switch(operands.op, operands.a(), pc), 'a': TableSwitchTaken;
    /// Goes to the case whose key is `a`.
    LookupSwitch control |machine, operands, pc| machine.lookup_switch(operands.op, operands.a(), pc);

    /// Calls a method of the class; its arguments lie from register `a` on.
    Call control |machine, operands, pc| machine.call(operands.op, operands.code, pc);
    /// Stops for a native, whose arguments lie from register `b` on; the constant has the rest.
    Native control |_, _, pc| Flow::Stop(pc, Stop::Native);
    /// Returns from a method without a value.
    Return control |machine, operands, pc| machine.leave(operands.op.high(), pc);
    /// Returns `a`.
    ReturnValue control |machine, operands, pc| {
        machine.leave_with(operands.op.high(), operands.registers, operands.a(), pc)
    }, 'a': ReturnValueTaken;
    /// Returns the constant.
    ReturnConst control |machine, operands, pc| {
        machine.leave_with(operands.op.number(), operands.registers, operands.op.imm(), pc)
    };

    threaded {
        /// Branches onwards, not far, where `a` is the low half of the constant.
        IfEqualNear onward_near near!(|a, b| a == b), 'a': IfEqualNearTaken;
        /// Branches onwards, not far, where `a` is not the low half of the constant.
        IfNotEqualNear onward_near near!(|a, b| a != b), 'a': IfNotEqualNearTaken;
        /// Branches onwards, not far, where `a` is less than the low half of the constant.
        IfLessNear onward_near near!(|a, b| a < b), 'a': IfLessNearTaken;
        /// Branches onwards, not far, where `a` is not less than the low half of the constant.
        IfNotLessNear onward_near near!(|a, b| a >= b), 'a': IfNotLessNearTaken;
        /// Branches back, not far, where `a` is the low half of the constant.
        BackEqualNear back_near near!(|a, b| a == b);
        /// Branches back, not far, where `a` is not the low half of the constant.
        BackNotEqualNear back_near near!(|a, b| a != b);
        /// Branches back, not far, where `a` is less than the low half of the constant.
        BackLessNear back_near near!(|a, b| a < b);
        /// Branches back, not far, where `a` is not less than the low half of the constant.
        BackNotLessNear back_near near!(|a, b| a >= b);
        /// Does as `LoopEqualConst`, with the low half of the constant, not far.
        LoopEqualNear again_near near!(|a, b| a == b);
        /// Does as `LoopNotEqualConst`, with the low half of the constant, not far.
        LoopNotEqualNear again_near near!(|a, b| a != b);
        /// Does as `LoopLessConst`, with the low half of the constant, not far.
        LoopLessNear again_near near!(|a, b| a < b);
        /// Does as `LoopNotLessConst`, with the low half of the constant, not far.
        LoopNotLessNear again_near near!(|a, b| a >= b);
        /// `a` is the element `c`, plus the offset, of the `byte[]` or `boolean[]` in the field `b`.
        LoadFieldByte load_field |heap, array, element| {
            heap.load_byte(array, element).map(|byte| byte.cast_signed().into())
        }, 'c': LoadFieldByteAtTaken;
        /// Like `LoadFieldByte`, without the sign.
        LoadFieldByteUnsigned load_field |heap, array, element| {
            heap.load_byte(array, element).map(i32::from)
        }, 'c': LoadFieldByteUnsignedAtTaken;
        /// `a` is the element `c`, plus the offset, of the `short[]` in the field `b`.
        LoadFieldShort load_field |heap, array, element| {
            heap.load_short(array, element).map(i32::from)
        }, 'c': LoadFieldShortAtTaken;
        /// `a` is the element `c`, plus the offset, of the `int[]` in the field `b`.
        LoadFieldInt load_field Heap::load_int, 'c': LoadFieldIntAtTaken;
        /// The element `b`, plus the offset, of the `byte[]` or `boolean[]` in the field `a` becomes `c`.
        StoreFieldByte store_field Heap::store_byte, 'c': StoreFieldByteTaken;
        /// The element `b`, plus the offset, of the `short[]` in the field `a` becomes `c`.
        StoreFieldShort store_field Heap::store_short, 'c': StoreFieldShortTaken;
        /// The element `b`, plus the offset, of the `int[]` in the field `a` becomes `c`.
        StoreFieldInt store_field Heap::store_int, 'c': StoreFieldIntTaken;
        /// `a` is the length of the array in the field.
        FieldLength value |machine, operands| {
            let array = machine.fields.get(usize::from(operands.op.low()));
            machine.heap.length(*array.ok_or(TrapKind::Unverified)?)
        };
        /// The constant is added to the field `b`; `a` is the sum.
        AddToField value |machine, operands| {
            let field = machine.fields.get_mut(usize::from(operands.op.b));
            let field = field.ok_or(TrapKind::Unverified)?;
            *field = field.wrapping_add(operands.op.imm());
            Ok(*field)
        };
        /// The field that `a` and `b` number becomes the constant.
        PutConst effect |machine, operands| {
            let field = machine.fields.get_mut(usize::from(operands.op.number()));
            *field.ok_or(TrapKind::Unverified)? = operands.op.imm();
            Ok(())
        };
        /// `a` is `b`, to which the constant is added behind that.
        PostIncrement value |_, operands| {
            let counter = cell(operands.registers, operands.op.b);
            Ok(counter.replace(counter.get().wrapping_add(operands.op.imm())))
        };
    }
}}
