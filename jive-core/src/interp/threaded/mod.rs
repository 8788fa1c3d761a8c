//! The dispatch loop of the threaded variant: each kind of op is a function that ends in a call of the next op's
//! function.
//!
//! Optimising compilers turn this tail call of the next op's function into a jump. With tail calls as jumps, each op
//! ends in its own jump, which processors predict better than one jump for all ops. The interpreter's state stays in
//! processor registers between ops. Safety does not rely on tail calls becoming jumps. A slice runs a bounded number of
//! ops, so the host's stack stays bounded even if each op takes a frame.
//!
//! Two ops that often follow each other may run as one function, a *pair*. Each combination of a first and a second
//! kind that forms a pair is a kind of op. The function of a pair is the first op's, with the second op's work inlined
//! in place of the call.

mod fused;

use core::marker::PhantomData;

use super::Stop;
use super::control::Flow;
use super::machine::Machine;
use crate::op::{Op, OpKind};
use crate::program::index;
use crate::registers::Window;
use crate::trap::TrapKind;

/// The function of a kind of op: runs the op at a place in the code, and then all ops that follow. The last parameter
/// of the function is the accumulator, the value that the previous op computed.
///
/// The parameters fit in six machine words, because x86-64 passes six words in registers. The function has no result,
/// because a call whose result is used is not a tail call.
type Thread = for<'a> fn(&mut Machine<'a>, &'a [Op], usize, &'a Window, i32);

/// The number of kinds of ops, of which `Nothing` is the last.
const KINDS: usize = OpKind::Nothing as usize + 1;

/// The work of a kind of op. An empty type for each kind of op implements `Work`, so that a pair can inline the second
/// op.
trait Work {
    /// Runs the op at `pc`. If the run continues with the next op in the code, it continues as `N` does.
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
/// The linker made a pair of the two ops, so the second op has kind `W`.
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
    // The machine's `stop` is set to the most frequent end of a slice here, so that a return with a value need not set
    // `stop`.
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

/// Returns the index of the op after the op at `pc`.
///
/// The index is incremented in 32 bits, because an op's index has no more bits. With an increment of 64 bits, the
/// compiler keeps the old and the new index alive and copies a register in each op.
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

/// Continues at the op after a loop.
///
/// `out` is not inlined, so that leaving the loop is a branch instruction of the processor, which predicts it. If `out`
/// were inlined, the compiler would select the next op's index without a branch instruction. Without a branch
/// instruction, every iteration of a loop would wait for the comparison of the previous iteration.
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

/// Ends the slice so that another slice can continue the run.
#[cold]
#[inline(never)]
fn pause<'a>(machine: &mut Machine<'a>, _: &'a [Op], pc: usize, _: &'a Window, accumulator: i32) {
    machine.pc = pc as u32;
    machine.value = accumulator;
    machine.stop = Stop::Pause;
}

/// Ends the slice for another reason than a pause.
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
        /// The empty type of each kind of op.
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
