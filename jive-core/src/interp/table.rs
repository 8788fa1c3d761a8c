//! The one table of ops: what each does, and from it the two ways to run them.

use super::control::{
    Flow, again, back, control, effect, load, load_at, onward, reject_null, reject_transient,
    rotate, store, store_at, value,
};
use super::machine::{Machine, cell};
use super::{Op, Stop, Window};
use crate::array_kind::ArrayKind;
use crate::heap::Heap;
use crate::program::index;
use crate::trap::TrapKind;

/// What ops have in common beyond what they compute.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It writes register `a` and no other.
    Value,
    /// It goes on at the next op, and writes what only its kind tells.
    Effect,
    /// A branch onwards.
    Onward,
    /// A branch back.
    Back,
    /// A jump back to a branch onwards.
    Again,
    /// Anything else.
    Control,
}

macro_rules! shape {
    (value) => {
        Shape::Value
    };
    (load) => {
        Shape::Value
    };
    (load_at) => {
        Shape::Value
    };
    (effect) => {
        Shape::Effect
    };
    (store) => {
        Shape::Effect
    };
    (store_at) => {
        Shape::Effect
    };
    (onward) => {
        Shape::Onward
    };
    (back) => {
        Shape::Back
    };
    (again) => {
        Shape::Again
    };
    (control) => {
        Shape::Control
    };
}

macro_rules! ops {
    ($($(#[doc = $doc:literal])+ $Kind:ident $shape:ident $body:expr;)+) => {
        /// What an op does.
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum OpKind {
            $($(#[doc = $doc])+ $Kind),+,
            /// Nothing is to run there: a broken promise.
            #[default]
            Nothing,
        }

        impl OpKind {
            /// Returns the shape of the kind's ops.
            pub(crate) const fn shape(self) -> Shape {
                match self {
                    $(Self::$Kind => shape!($shape),)+
                    Self::Nothing => Shape::Control,
                }
            }
        }

        #[cfg(threaded)]
        #[expect(non_snake_case, reason = "each has the name of its kind of op")]
        mod threads {
            use super::*;
            use super::threaded::{Thread, follow};

            $(pub(super) fn $Kind<'a>(
                machine: &mut Machine<'a>,
                code: &'a [Op],
                pc: usize,
                registers: &'a Window,
            ) {
                let Some(op) = code.get(pc) else {
                    return super::threaded::pause(machine, code, pc, registers);
                };
                let flow = $shape(machine, op, pc, registers, $body);
                follow(machine, code, pc, registers, flow);
            })+

            #[expect(clippy::indexing_slicing, reason = "a kind is a byte, and there are 256")]
            pub(super) static THREADS: [Thread; 256] = {
                let mut threads = [super::threaded::broken as Thread; 256];
                // The discriminants are below 256.
                $(threads[OpKind::$Kind as usize] = $Kind;)+
                threads
            };
        }

        /// Runs the machine's code from where it stands until the slice ends.
        #[cfg(not(threaded))]
        pub(super) fn dispatch(machine: &mut Machine<'_>) {
            let (mut pc, mut code, mut registers) = (machine.pc, machine.code, machine.registers);
            let stop = loop {
                let Some(op) = code.get(pc) else {
                    break Stop::Pause;
                };
                let flow = match op.kind {
                    $(OpKind::$Kind => $shape(machine, op, pc, registers, $body),)+
                    OpKind::Nothing => Flow::Stop(pc, Stop::Trap(TrapKind::Unverified)),
                };
                match flow {
                    Flow::Next => pc = pc.wrapping_add(1),
                    Flow::To(target) => pc = target,
                    Flow::Enter(target) => {
                        (pc, code, registers) = (target, machine.code, machine.registers);
                    }
                    Flow::Stop(at, stop) => {
                        pc = at;
                        break stop;
                    }
                }
            };
            (machine.pc, machine.stop) = (pc, stop);
        }
    };
}

#[cfg(threaded)]
pub(super) use threaded::dispatch;

/// Each op ends by calling the next one's function, which compilers make a jump of.
///
/// Where they do not, the slices keep the host's stack from growing deep.
#[cfg(threaded)]
mod threaded {
    use super::threads::THREADS;
    use super::{Flow, Machine, Op, Stop, TrapKind, Window};

    /// Runs the op at a place and all that follow. Six machine words at most, since x86-64 passes as
    /// many in registers; nothing comes back, since nothing may be left to do behind the call.
    pub(super) type Thread = for<'a> fn(&mut Machine<'a>, &'a [Op], usize, &'a Window);

    /// Runs the machine's code from where it stands until the slice ends.
    #[inline]
    pub(crate) fn dispatch(machine: &mut Machine<'_>) {
        let (code, pc, registers) = (machine.code, machine.pc, machine.registers);
        next(machine, code, pc, registers);
    }

    #[inline(always)]
    fn next<'a>(machine: &mut Machine<'a>, code: &'a [Op], pc: usize, registers: &'a Window) {
        match code.get(pc) {
            Some(op) => thread(op)(machine, code, pc, registers),
            None => pause(machine, code, pc, registers),
        }
    }

    #[inline(always)]
    #[expect(
        clippy::indexing_slicing,
        reason = "the kind is a byte, and there are 256"
    )]
    fn thread(op: &Op) -> Thread {
        THREADS[op.kind as usize]
    }

    #[inline(always)]
    pub(super) fn follow<'a>(
        machine: &mut Machine<'a>,
        code: &'a [Op],
        pc: usize,
        registers: &'a Window,
        flow: Flow,
    ) {
        match flow {
            Flow::Next => next(machine, code, pc.wrapping_add(1), registers),
            Flow::To(target) => next(machine, code, target, registers),
            Flow::Enter(target) => {
                let (code, registers) = (machine.code, machine.registers);
                next(machine, code, target, registers);
            }
            Flow::Stop(target, Stop::Pause) => pause(machine, code, target, registers),
            Flow::Stop(target, stop) => ended(machine, code, target, registers, stop),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn pause<'a>(machine: &mut Machine<'a>, _: &'a [Op], pc: usize, _: &'a Window) {
        machine.pc = pc;
        machine.stop = Stop::Pause;
    }

    #[cold]
    #[inline(never)]
    fn ended(machine: &mut Machine<'_>, _: &[Op], pc: usize, _: &Window, stop: Stop) {
        machine.pc = pc;
        machine.stop = stop;
    }

    pub(super) fn broken<'a>(machine: &mut Machine<'a>, code: &'a [Op], pc: usize, to: &'a Window) {
        ended(machine, code, pc, to, Stop::Trap(TrapKind::Unverified));
    }
}

/// The value of an operand.
#[inline(always)]
fn get(registers: &Window, number: u8) -> i32 {
    cell(registers, number).get()
}

/// Adds `c`, a byte with its sign, to register `a`, and returns the sum.
#[inline(always)]
fn count(op: &Op, registers: &Window) -> i32 {
    let counter = cell(registers, op.a);
    let next = counter.get().wrapping_add(op.c.cast_signed().into());
    counter.set(next);
    next
}

macro_rules! binary {
    ($compute:expr) => {
        |_, op, registers| {
            let compute: fn(i32, i32) -> i32 = $compute;
            Ok(compute(get(registers, op.b), get(registers, op.c)))
        }
    };
}

macro_rules! constant {
    ($compute:expr) => {
        |_, op, registers| {
            let compute: fn(i32, i32) -> i32 = $compute;
            Ok(compute(get(registers, op.b), op.imm))
        }
    };
}

/// A condition on registers `a` and `b`.
macro_rules! pair {
    ($holds:expr) => {
        |op, registers| {
            let holds: fn(i32, i32) -> bool = $holds;
            holds(get(registers, op.a), get(registers, op.b))
        }
    };
}

/// A condition on register `a` and the constant of `b` and `c`.
macro_rules! single {
    ($holds:expr) => {
        |op, registers| {
            let holds: fn(i32, i32) -> bool = $holds;
            holds(get(registers, op.a), op.half_constant())
        }
    };
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

ops! {
    /// `a` is the constant.
    Const value |_, op, _| Ok(op.imm);
    /// `a` is `b`.
    Move value |_, op, registers| Ok(get(registers, op.b));
    /// The `c` last of `b` registers from `a` on move below the others.
    Rotate effect |_, op, registers| { rotate(op, registers); Ok(()) };

    /// `a` is `b + c`.
    Add value binary!(i32::wrapping_add);
    /// `a` is `b` plus the constant.
    AddConst value constant!(i32::wrapping_add);
    /// `a` is `b - c`.
    Subtract value binary!(i32::wrapping_sub);
    /// `a` is `b * c`.
    Multiply value binary!(i32::wrapping_mul);
    /// `a` is `b` times the constant.
    MultiplyConst value constant!(i32::wrapping_mul);
    /// `a` is `b / c`; one quotient is no `int`, that of MIN_VALUE and -1, which wraps to its dividend.
    Divide value |_, op, registers| {
        let (dividend, divisor) = (get(registers, op.b), divisor(get(registers, op.c))?);
        Ok(dividend.checked_div(divisor).unwrap_or(dividend))
    };
    /// `a` is `b % c`; where the quotient wraps, it is 0 (JVMS §6.5.irem).
    Remainder value |_, op, registers| {
        let (dividend, divisor) = (get(registers, op.b), divisor(get(registers, op.c))?);
        Ok(dividend.checked_rem(divisor).unwrap_or(0))
    };
    /// `a` is `-b`.
    Negate value |_, op, registers| Ok(get(registers, op.b).wrapping_neg());
    /// `a` is `b << c`.
    ShiftLeft value binary!(shift_left);
    /// `a` is `b` shifted left by the constant.
    ShiftLeftConst value constant!(shift_left);
    /// `a` is `b >> c`.
    ShiftRight value binary!(shift_right);
    /// `a` is `b` shifted right by the constant.
    ShiftRightConst value constant!(shift_right);
    /// `a` is `b >>> c`.
    ShiftRightUnsigned value binary!(shift_right_unsigned);
    /// `a` is `b` shifted right by the constant, zeros coming in.
    ShiftRightUnsignedConst value constant!(shift_right_unsigned);
    /// `a` is `b & c`.
    And value binary!(|a, b| a & b);
    /// `a` is `b` and the constant.
    AndConst value constant!(|a, b| a & b);
    /// `a` is `b | c`.
    Or value binary!(|a, b| a | b);
    /// `a` is `b` or the constant.
    OrConst value constant!(|a, b| a | b);
    /// `a` is `b ^ c`.
    Xor value binary!(|a, b| a ^ b);
    /// `a` is `b` exclusive-or the constant.
    XorConst value constant!(|a, b| a ^ b);
    /// `a` is what `b` is without its highest bits, as many as the constant says, with the sign of
    /// what is left.
    Narrow value constant!(|a, b| shift_right(shift_left(a, b), b));

    /// `a` is the element `c`, plus the constant, of the `byte[]` or `boolean[]` `b`.
    LoadByte load |heap, array, element| {
        heap.load_byte(array, element).map(|byte| byte.cast_signed().into())
    };
    /// Like `LoadByte`, without the sign.
    LoadByteUnsigned load |heap, array, element| heap.load_byte(array, element).map(i32::from);
    /// `a` is the element of the `byte[]` or `boolean[]` `b` that the constant names.
    LoadByteAt load_at |heap, array, element| {
        heap.load_byte(array, element).map(|byte| byte.cast_signed().into())
    };
    /// Like `LoadByteAt`, without the sign.
    LoadByteUnsignedAt load_at |heap, array, element| {
        heap.load_byte(array, element).map(i32::from)
    };
    /// `a` is the element `c`, plus the constant, of the `short[]` `b`.
    LoadShort load |heap, array, element| heap.load_short(array, element).map(i32::from);
    /// `a` is the element `c`, plus the constant, of the `int[]` `b`.
    LoadInt load Heap::load_int;
    /// The element `b`, plus the constant, of the `byte[]` or `boolean[]` `a` becomes `c`.
    StoreByte store Heap::store_byte;
    /// The element of the `byte[]` or `boolean[]` `a` that the constant names becomes `c`.
    StoreByteAt store_at Heap::store_byte;
    /// The element `b`, plus the constant, of the `short[]` `a` becomes `c`.
    StoreShort store Heap::store_short;
    /// The element `b`, plus the constant, of the `int[]` `a` becomes `c`.
    StoreInt store Heap::store_int;
    /// `a` is the length of the array `b`.
    ArrayLength value |machine, op, registers| machine.heap.length(get(registers, op.b));
    /// `a` is a new array of length `b`, of the kind that `newarray` codes as the constant.
    NewArray value |machine, op, registers| {
        let code = u8::try_from(op.imm).unwrap_or(0);
        let kind = ArrayKind::from_newarray_code(code).ok_or(TrapKind::Unverified)?;
        machine.heap.allocate(kind, get(registers, op.b))
    };

    /// Traps where `a` is null.
    RejectNull effect |_, op, registers| reject_null(get(registers, op.a));
    /// `a` is the field.
    GetField value |machine, op, _| {
        let field = machine.fields.get(index(op.imm.cast_unsigned()));
        field.copied().ok_or(TrapKind::Unverified)
    };
    /// The field becomes `a`, narrowed as by `Narrow` by `b` bits.
    PutField effect |machine, op, registers| {
        let field = machine.fields.get_mut(index(op.imm.cast_unsigned()));
        let bits = op.b.into();
        *field.ok_or(TrapKind::Unverified)? = shift_right(shift_left(get(registers, op.a), bits), bits);
        Ok(())
    };
    /// The field becomes the reference `a`, which must not name an array that ends with the call.
    PutReference effect |machine, op, registers| {
        let reference = get(registers, op.a);
        reject_transient(&machine.heap, reference)?;
        let field = machine.fields.get_mut(index(op.imm.cast_unsigned()));
        *field.ok_or(TrapKind::Unverified)? = reference;
        Ok(())
    };

    /// Goes on elsewhere.
    Goto control |machine, op, pc| machine.go(op, pc);
    /// Branches onwards where `a` and `b` are equal.
    IfEqual onward pair!(|a, b| a == b);
    /// Branches onwards where `a` and `b` differ.
    IfNotEqual onward pair!(|a, b| a != b);
    /// Branches onwards where `a` is less than `b`.
    IfLess onward pair!(|a, b| a < b);
    /// Branches onwards where `a` is not less than `b`.
    IfNotLess onward pair!(|a, b| a >= b);
    /// Branches onwards where `a` is the constant.
    IfEqualConst onward single!(|a, b| a == b);
    /// Branches onwards where `a` is not the constant.
    IfNotEqualConst onward single!(|a, b| a != b);
    /// Branches onwards where `a` is less than the constant.
    IfLessConst onward single!(|a, b| a < b);
    /// Branches onwards where `a` is not less than the constant.
    IfNotLessConst onward single!(|a, b| a >= b);
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
    CountLess again |op, registers| count(op, registers) < get(registers, op.b);
    /// Adds `c` to `a`, then does as `LoopLessConst`, with `b` as constant.
    CountLessConst again |op, registers| count(op, registers) < op.b.cast_signed().into();
    /// Adds `c` to `a`, then does as `LoopNotLessConst`, with `b` as constant.
    CountNotLessConst again |op, registers| count(op, registers) >= op.b.cast_signed().into();
    /// Goes to the case that `a` picks by its distance from the lowest key.
    TableSwitch control |machine, op, pc| machine.table_switch(op, pc);
    /// Goes to the case whose key is `a`.
    LookupSwitch control |machine, op, pc| machine.lookup_switch(op, pc);

    /// Calls a method of the class; its arguments lie from register `a` on.
    Call control |machine, op, pc| machine.call(op, pc);
    /// Stops for a native, whose `c` arguments lie from register `b` on.
    Native control |_, _, pc| Flow::Stop(pc, Stop::Native);
    /// Returns from a method without a value.
    Return control |machine, op, pc| machine.leave(op, pc);
    /// Returns `a`.
    ReturnValue control |machine, op, pc| machine.leave_with(op, pc);
}
