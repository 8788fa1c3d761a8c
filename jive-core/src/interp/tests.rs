//! Runs ops that the tests make themselves, among them ops that the linker makes of no verified class.

use crate::frame::{CallStack, Frame};
use crate::heap::{Heap, Lifetime};
use crate::id::{MethodId, NativeId, Pc};
use crate::instance::{Instance, Step};
use crate::limits::REGISTER_WINDOW;
use crate::op::{Op, OpKind};
use crate::program::{LinkedMethod, Program, call_limit};
use crate::trap::TrapKind;

const FUEL: u64 = 100;

/// Runs ops of a method whose only argument is 9, each of them one instruction.
fn run(ops: &[Op], check: impl FnOnce(Step<'_>)) {
    let ends = [1, 2, 3, 4, 5, 6, 7, 8].get(..ops.len()).unwrap();
    let end = u32::try_from(ops.len()).unwrap();
    let (limit, prepaid) = call_limit(0, end, ends);
    let methods = [LinkedMethod {
        end,
        limit,
        prepaid,
        arguments: 1,
        registers: 6,
        ..LinkedMethod::default()
    }];
    let program = Program {
        ops,
        ends,
        places: &[Pc(0), Pc(1), Pc(2), Pc(3), Pc(4), Pc(5), Pc(6), Pc(7)],
        methods: &methods,
        fields: &[],
        switches: &[],
        initializer: None,
        constructor: None,
        applet: None,
        code_bytes: 0,
    };
    let (mut frames, mut slots) = ([Frame::default(); 2], [7; REGISTER_WINDOW]);
    let mut stack = CallStack::new(&mut frames, &mut slots);
    let mut memory = [0; 32];
    let mut instance = Instance::new(program, &mut [], Heap::new(&mut memory));
    let started = instance.start(&mut stack, MethodId(0), &[9], FUEL, Lifetime::PerCall);
    assert_eq!(started, Ok(()));
    check(instance.run(&mut stack));
    assert!(stack.executed() <= FUEL);
}

/// Shows registers from 0 on to the test, as the arguments of a native.
const fn show(count: u8) -> Op {
    Op::new(OpKind::Native, 0, 0, i32::from_le_bytes([0, 0, count, 0]))
}

#[test]
fn registers_rotate_as_the_shuffles_of_the_stack_want() {
    // JVMS §6.5.dup_x1 and the like: what is on top goes below the others, in its order.
    let cases: [(u8, u8, &[i32]); 5] = [
        (2, 1, &[9, 1, 2, 4, 3]),
        (3, 1, &[9, 1, 4, 2, 3]),
        (4, 1, &[9, 4, 1, 2, 3]),
        (4, 2, &[9, 3, 4, 1, 2]),
        (3, 2, &[9, 1, 3, 4, 2]),
    ];
    for (count, moved, expected) in cases {
        let load = |register: u8| Op::new(OpKind::Const, register, 0, register.into());
        let rotate = Op::of_three(OpKind::Rotate, 5 - count, count, moved);
        let ops = [load(1), load(2), load(3), load(4), rotate, show(5)];
        run(&ops, |step| {
            let id = NativeId(0);
            assert_eq!(step, Step::Native { id, args: expected }, "{count} {moved}");
        });
    }
}

#[test]
fn a_call_sees_nothing_of_what_lay_in_its_registers() {
    run(&[show(6)], |step| {
        let id = NativeId(0);
        let args = &[9, 0, 0, 0, 0, 0];
        assert_eq!(step, Step::Native { id, args });
    });
}

#[test]
fn broken_promises_are_noticed() {
    let op = |kind, imm| Op::new(kind, 1, 1, imm);
    let toward = |kind, target| op(kind, 0).with_high(target);
    let forged = Op::new(OpKind::Const, 1, 0, i32::MAX);
    let cases: [&[Op]; 13] = [
        // Code that ends, and branches out of it.
        &[op(OpKind::Const, 0)],
        &[Op::default()],
        &[toward(OpKind::Goto, 7)],
        &[toward(OpKind::IfEqual, 0x7fff)],
        &[toward(OpKind::BackEqual, 0x8000)],
        &[toward(OpKind::LoopEqual, 0x8000)],
        &[op(OpKind::GotoFar, i32::MAX)],
        &[op(OpKind::GotoFar, i32::MIN)],
        // Fields, methods and switches that are not there, and a kind of array that is none.
        &[op(OpKind::GetField, 0)],
        &[op(OpKind::PutField, -1)],
        &[op(OpKind::Call, 7)],
        &[op(OpKind::TableSwitch, 0)],
        &[op(OpKind::NewArray, 7)],
    ];
    let forged = &[forged, op(OpKind::LoadInt, 0)][..];
    // Arrays in fields that do not exist. Only the threaded variant has such ops; the others trap on the kind.
    let fields = [op(OpKind::LoadFieldInt, 0), op(OpKind::StoreFieldInt, 0)];
    let in_fields = fields.each_ref().map(core::slice::from_ref);
    for ops in cases.into_iter().chain([forged]).chain(in_fields) {
        run(ops, |step| {
            let unverified = TrapKind::Unverified;
            assert!(
                matches!(step, Step::Trapped(trap) if trap.kind == unverified),
                "{ops:?}: {step:?}"
            );
        });
    }
}

#[test]
fn a_jump_to_itself_takes_its_fuel() {
    let near = Op::new(OpKind::Goto, 0, 0, 1);
    let far = Op::with_long(OpKind::GotoFar, 1, 0).unwrap();
    for charged in [near, far] {
        run(&[charged], |step| {
            let exhausted = TrapKind::FuelExhausted;
            assert!(matches!(step, Step::Trapped(trap) if trap.kind == exhausted));
        });
    }
}
