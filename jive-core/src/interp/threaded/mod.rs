//! Running ops one behind the other: each ends by calling the next one's function, which compilers make a
//! jump of.
//!
//! Where they do not, the slices keep the host's stack from growing deep.

mod fused;

use core::marker::PhantomData;

use super::Stop;
use super::control::Flow;
use super::machine::Machine;
use crate::op::{Op, OpKind};
use crate::program::index;
use crate::registers::Window;
use crate::trap::TrapKind;

/// Runs the op at a place, which may want what the op before it computed, and all that follow. Six
/// machine words at most, since x86-64 passes as many in registers; nothing comes back, since
/// nothing may be left to do behind the call.
type Thread = for<'a> fn(&mut Machine<'a>, &'a [Op], usize, &'a Window, i32);

/// How many kinds there are: `Nothing` is the last.
const KINDS: usize = OpKind::Nothing as usize + 1;

/// What ops of a kind do.
trait Work {
    /// Runs the op at a place; where the one behind it is to follow, goes on as `N` does.
    fn run<'a, N: Then>(
        machine: &mut Machine<'a>,
        code: &'a [Op],
        pc: usize,
        registers: &'a Window,
        accumulator: i32,
    );
}

/// How to go on at the next op.
trait Then {
    /// Goes on at a place.
    fn then<'a>(
        machine: &mut Machine<'a>,
        code: &'a [Op],
        pc: usize,
        registers: &'a Window,
        accumulator: i32,
    );
}

/// Goes on with an op of any kind: with the function of its own.
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

/// Goes on with an op that is known to be of this kind, and then with one of any.
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

/// Runs code from a place on until the slice ends.
#[inline(always)]
pub(crate) fn dispatch<'a>(
    machine: &mut Machine<'a>,
    code: &'a [Op],
    pc: usize,
    registers: &'a Window,
) {
    // What nothing need be told of when it ends the slice.
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

/// Returns the place behind one.
///
/// Ops have indices of 32 bits. Adding in as many keeps the compiler from using both places in the same
/// function, for which it would copy.
#[inline(always)]
const fn behind(pc: usize) -> usize {
    index((pc as u32).wrapping_add(1))
}

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

/// Goes on outside of a loop.
///
/// Not inlined, so that leaving the loop is a branch, which processors predict. If the next op were computed instead,
/// every iteration would wait for the one before.
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

#[cold]
#[inline(never)]
fn pause<'a>(machine: &mut Machine<'a>, _: &'a [Op], pc: usize, _: &'a Window, accumulator: i32) {
    machine.pc = pc as u32;
    machine.value = accumulator;
    machine.stop = Stop::Pause;
}

#[cold]
#[inline(never)]
fn ended<'a>(machine: &mut Machine<'a>, code: &[Op], pc: usize, _: &'a Window, stop: Stop) {
    machine.pc = pc as u32;
    machine.limit = code.len() as u32;
    machine.stop = stop;
}

fn broken<'a>(machine: &mut Machine<'a>, code: &'a [Op], pc: usize, to: &'a Window, _: i32) {
    ended(machine, code, pc, to, Stop::Trap(TrapKind::Unverified));
}

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
        /// A type for each kind, whose [`Work`] is what the ops of the kind do.
        mod threads {
            use super::fused::*;
            use super::{Any, KINDS, Straight, Then, Thread, Work, broken, follow, pause};
            use crate::interp::work::*;

            $(thread! { $Kind $shape '-' $body })+
            $($(thread! { $Taken $shape $operand $body })*)+
            $(thread! { $Fused $fused_shape '-' $fused_body })+
            $($(thread! { $FusedTaken $fused_shape $fused_operand $fused_body })*)+

            #[expect(clippy::indexing_slicing, reason = "there are as many as kinds")]
            pub(super) static THREADS: [Thread; KINDS] = {
                let mut threads = [broken as Thread; KINDS];
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
