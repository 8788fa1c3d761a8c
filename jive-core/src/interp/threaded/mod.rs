//! The dispatch loop of the threaded variant: each kind of op is a function that ends in a call of the next op's
//! function.
//!
//! Optimising compilers make a jump of such a tail call. Then each op ends in a jump of its own, which processors
//! predict better than one jump for all ops. The state stays in registers. Safety does not rely on that. A slice runs a
//! bounded number of ops, so the host's stack stays bounded even if each op takes a frame.
//!
//! Two ops that often follow each other may run as one function, a *pair*. Its kind is made of the kinds of both. Its
//! function is the first op's, with the second op's work inlined in place of the call.

mod fused;

use core::marker::PhantomData;

use super::Stop;
use super::control::Flow;
use super::machine::Machine;
use crate::op::{Op, OpKind};
use crate::program::index;
use crate::registers::Window;
use crate::trap::TrapKind;

/// The function of a kind of op: runs the op at a place in the code, and then all that follow. The last parameter is
/// the accumulator, the value that the op before computed.
///
/// The parameters fit in six machine words, because x86-64 passes six in registers. There is no result, because a call
/// whose result is used is no tail call.
type Thread = for<'a> fn(&mut Machine<'a>, &'a [Op], usize, &'a Window, i32);

/// How many kinds there are: `Nothing` is the last.
const KINDS: usize = OpKind::Nothing as usize + 1;

/// The work of a kind of op. Implemented by an empty type for each kind, so that a pair can inline the second op.
trait Work {
    /// Runs the op at `pc`. If the run continues with the op behind it, continues as `N` does.
    fn run<'a, N: Then>(
        machine: &mut Machine<'a>,
        code: &'a [Op],
        pc: usize,
        registers: &'a Window,
        accumulator: i32,
    );
}

/// How a run continues with the next op.
trait Then {
    /// Continues with the op at `pc`.
    fn then<'a>(
        machine: &mut Machine<'a>,
        code: &'a [Op],
        pc: usize,
        registers: &'a Window,
        accumulator: i32,
    );
}

/// Continues with an op of any kind, by a call of its kind's function.
struct Any;

impl Then for Any {
    #[inline(always)]
    fn then<'a>(
        machine: &mut Machine<'a>,
        code: &'a [Op],
        pc: usize,
        registers: &'a Window,
        accumulator: i32,
    ) {
        next(machine, code, pc, registers, accumulator);
    }
}

/// Continues with an op of kind `W`, whose work is inlined here, and then with an op of any kind.
///
/// The linker made the pair, so it knows the second op's kind.
struct Straight<W>(PhantomData<W>);

impl<W: Work> Then for Straight<W> {
    #[inline(always)]
    fn then<'a>(
        machine: &mut Machine<'a>,
        code: &'a [Op],
        pc: usize,
        registers: &'a Window,
        accumulator: i32,
    ) {
        W::run::<Any>(machine, code, pc, registers, accumulator);
    }
}

/// Runs a slice from op `pc` on, until it ends.
#[inline(always)]
pub(crate) fn dispatch<'a>(
    machine: &mut Machine<'a>,
    code: &'a [Op],
    pc: usize,
    registers: &'a Window,
) {
    // The most frequent end of a slice need not set the reason.
    machine.stop = Stop::ReturnedValue;
    next(machine, code, pc, registers, machine.value);
}

#[inline(always)]
fn next<'a>(
    machine: &mut Machine<'a>,
    code: &'a [Op],
    pc: usize,
    registers: &'a Window,
    accumulator: i32,
) {
    match code.get(pc) {
        Some(op) => thread(op)(machine, code, pc, registers, accumulator),
        None => pause(machine, code, pc, registers, accumulator),
    }
}

#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "there are as many as kinds")]
fn thread(op: &Op) -> Thread {
    threads::THREADS[op.kind as usize]
}

/// Returns the index of the op behind one.
///
/// Adds in 32 bits, of which an op's index has no more. With an addition of 64 bits, the compiler keeps both indices
/// alive and copies a register in each op.
#[inline(always)]
const fn behind(pc: usize) -> usize {
    index((pc as u32).wrapping_add(1))
}

/// Continues after an op as its `Flow` says.
#[inline(always)]
fn follow<'a, N: Then>(
    machine: &mut Machine<'a>,
    code: &'a [Op],
    pc: usize,
    registers: &'a Window,
    accumulator: i32,
    flow: Flow<'a>,
) {
    match flow {
        Flow::Next => N::then(machine, code, behind(pc), registers, accumulator),
        Flow::Value(value) => N::then(machine, code, behind(pc), registers, value),
        Flow::Onward(target) => next(machine, code, target, registers, accumulator),
        Flow::To(target) => next(machine, code, target, registers, 0),
        Flow::Out(target) => out(machine, code, target, registers, 0),
        Flow::Enter(target, code, registers) => next(machine, code, target, registers, 0),
        Flow::Stop(target, Stop::Pause) => pause(machine, code, target, registers, 0),
        Flow::Stop(target, stop) => ended(machine, code, target, registers, stop),
        Flow::Leave(value) => machine.value = value,
    }
}

/// Continues behind a loop.
///
/// Not inlined, so that leaving the loop is a branch of the processor, which predicts it. Inlined, the compiler would
/// select the next op's index without a branch. Then every iteration would wait for the comparison of the one before.
#[inline(never)]
fn out<'a>(
    machine: &mut Machine<'a>,
    code: &'a [Op],
    pc: usize,
    registers: &'a Window,
    accumulator: i32,
) {
    let flow = machine.afford(pc);
    follow::<Any>(machine, code, pc, registers, accumulator, flow);
}

/// Ends the slice so that another one can continue it.
#[cold]
#[inline(never)]
fn pause<'a>(machine: &mut Machine<'a>, _: &'a [Op], pc: usize, _: &'a Window, accumulator: i32) {
    machine.pc = pc as u32;
    machine.value = accumulator;
    machine.stop = Stop::Pause;
}

/// Ends the slice for another reason.
#[cold]
#[inline(never)]
fn ended<'a>(machine: &mut Machine<'a>, code: &[Op], pc: usize, _: &'a Window, stop: Stop) {
    machine.pc = pc as u32;
    machine.limit = code.len() as u32;
    machine.stop = stop;
}

/// The function of `Nothing`, which is in no code that the linker makes.
fn unverified<'a>(machine: &mut Machine<'a>, code: &'a [Op], pc: usize, to: &'a Window, _: i32) {
    ended(machine, code, pc, to, Stop::Trap(TrapKind::Unverified));
}

/// Defines the type of a kind, and its work.
macro_rules! thread {
    ($Kind:ident $shape:ident $operand:literal $body:expr) => {
        pub(super) struct $Kind;

        impl Work for $Kind {
            #[inline(always)]
            fn run<'a, N: Then>(
                machine: &mut Machine<'a>,
                code: &'a [Op],
                pc: usize,
                registers: &'a Window,
                accumulator: i32,
            ) {
                let Some(op) = code.get(pc) else {
                    return pause(machine, code, pc, registers, accumulator);
                };
                let operands = Operands::<'_, '_, $operand> {
                    op,
                    code,
                    registers,
                    accumulator,
                };
                let flow = $shape(machine, &operands, pc, $body);
                follow::<N>(machine, code, pc, registers, accumulator, flow);
            }
        }
    };
}

/// Expands the op table into types, and the table of functions by kind.
macro_rules! threaded {
    (
        $($(#[doc = $doc:literal])+
        $Kind:ident $shape:ident $body:expr $(, $operand:literal: $Taken:ident)*;)+
        threaded {
            $($(#[doc = $fused_doc:literal])+
            $Fused:ident $fused_shape:ident $fused_body:expr
            $(, $fused_operand:literal: $FusedTaken:ident)*;)+
        }
        pairs {
            $($First:ident: $($Second:ident)+;)*
        }
    ) => { pastey::paste! {
        /// The type of each kind.
        mod threads {
            use super::fused::*;
            use super::{Any, KINDS, Straight, Then, Thread, Work, follow, pause, unverified};
            use crate::interp::work::*;

            $(thread! { $Kind $shape '-' $body })+
            $($(thread! { $Taken $shape $operand $body })*)+
            $(thread! { $Fused $fused_shape '-' $fused_body })+
            $($(thread! { $FusedTaken $fused_shape $fused_operand $fused_body })*)+

            #[expect(clippy::indexing_slicing, reason = "there are as many as kinds")]
            pub(super) static THREADS: [Thread; KINDS] = {
                let mut threads = [unverified as Thread; KINDS];
                $(threads[OpKind::$Kind as usize] = $Kind::run::<Any>;)+
                $($(threads[OpKind::$Taken as usize] = $Taken::run::<Any>;)*)+
                $(threads[OpKind::$Fused as usize] = $Fused::run::<Any>;)+
                $($(threads[OpKind::$FusedTaken as usize] = $FusedTaken::run::<Any>;)*)+
                $($(threads[OpKind::[<$First Then $Second>] as usize] = $First::run::<Straight<$Second>>;)+)*
                threads
            };
        }
    } };
}

crate::op::op_table!(threaded);
