//! Runs ops that the tests make themselves, including ops that the linker never makes for a verified class.

extern crate std;

use std::vec::Vec;

use crate::array_kind::ArrayKind;
use crate::frame::{CallStack, Frame};
use crate::heap::{Heap, Lifetime};
use crate::id::{FieldId, MethodId, NativeId, Pc};
use crate::instance::{Instance, Step};
use crate::limits::REGISTER_WINDOW;
use crate::op::{Op, OpKind};
use crate::program::{LinkedField, LinkedMethod, Program, call_limit};
use crate::trap::{TrapKind, TrapValues};
use crate::variant;

const FUEL: u64 = 100;

/// Returns the numbers from `first` on.
const fn numbered<const COUNT: usize>(first: u16) -> [u16; COUNT] {
    let mut numbers = [first; COUNT];
    let mut index = 1;
    while index < COUNT {
        numbers[index] = numbers[index - 1] + 1;
        index += 1;
    }
    numbers
}

/// Calls `with` with a program of one method that consists of these ops, each of which stands for one instruction.
fn program(ops: &[Op], arguments: u8, with: impl FnOnce(Program<'_>)) {
    const ENDS: [u16; 32] = numbered(1);
    let ends = ENDS.get(..ops.len()).unwrap();
    let end = u32::try_from(ops.len()).unwrap();
    let (limit, prepaid) = call_limit(0, end, ends);
    let methods = [LinkedMethod {
        end,
        limit,
        prepaid,
        arguments,
        registers: 16,
        ..LinkedMethod::default()
    }];
    with(Program {
        ops,
        ends,
        places: &numbered::<32>(0).map(Pc),
        methods: &methods,
        fields: &[LinkedField::default(); 10],
        switches: &[],
        initializer: None,
        constructor: None,
        applet: None,
        code_bytes: 0,
    });
}

/// Runs a method with the argument 9 that consists of these ops, each of which stands for one instruction.
fn run(ops: &[Op], check: impl FnOnce(Step<'_>)) {
    program(ops, 1, |program| {
        let program = Program {
            fields: &[],
            ..program
        };
        let (mut frames, mut slots) = ([Frame::default(); 2], [7; REGISTER_WINDOW]);
        let mut stack = CallStack::new(&mut frames, &mut slots);
        let mut memory = [0; 32];
        let mut instance = Instance::new(program, &mut [], Heap::new(&mut memory));
        let started = instance.start(&mut stack, MethodId(0), &[9], FUEL, Lifetime::PerCall);
        assert_eq!(started, Ok(()));
        check(instance.run(&mut stack));
        assert!(stack.executed() <= FUEL);
    });
}

/// Returns a call of a native whose arguments are the first `count` registers, so that the test can read these
/// registers.
const fn show(count: u8) -> Op {
    Op::new(OpKind::Native, 0, 0, i32::from_le_bytes([0, 0, count, 0]))
}

#[test]
fn registers_rotate_as_stack_shuffles_do() {
    // By JVMS §6.5.dup_x1 and similar sections, the topmost values move below the others and keep their order.
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
fn registers_are_cleared_before_a_call() {
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
        // The first cases are code that ends without a return, and branches out of the code.
        &[op(OpKind::Const, 0)],
        &[Op::default()],
        &[toward(OpKind::Goto, 7)],
        &[toward(OpKind::IfEqual, 0x7fff)],
        &[toward(OpKind::BackEqual, 0x8000)],
        &[toward(OpKind::LoopEqual, 0x8000)],
        &[op(OpKind::GotoFar, i32::MAX)],
        &[op(OpKind::GotoFar, i32::MIN)],
        // The next cases are ops that name fields, methods, switches and a kind of array that do not exist.
        &[op(OpKind::GetField, 0)],
        &[op(OpKind::PutField, -1)],
        &[op(OpKind::Call, 7)],
        &[op(OpKind::TableSwitch, 0)],
        &[op(OpKind::NewArray, 7)],
    ];
    let forged = &[forged, op(OpKind::LoadInt, 0)][..];
    // The cases in `fields` are ops that access arrays in fields that do not exist. Only the threaded variant has ops
    // for arrays in fields; the other variants trap at such kinds of ops.
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

/// The lengths of the arrays in fields 1 to 3. The arrays in registers 1 to 3 are longer by one element.
const LENGTHS: [i32; 3] = [3, 5, 7];
/// The kinds of the arrays in fields and registers, each with its code for `newarray`.
const KINDS: [(u8, ArrayKind); 3] = [
    (8, ArrayKind::Byte),
    (9, ArrayKind::Short),
    (10, ArrayKind::Int),
];
/// The free bytes of the heap after the arrays in fields and registers are allocated.
const FREE: u32 = 40;
/// References of the arrays in registers and of the arrays in fields, by the layout of the heap.
const REFERENCES: [i32; 6] = [104, 120, 144, 24, 40, 64];

/// Returns the contents of a register when the op under test runs: null, an array of some kind, or another number.
fn register(number: u8) -> i32 {
    match number {
        1..=3 => REFERENCES[usize::from(number) - 1],
        4 => 7777,
        5 => -5,
        _ => 0,
    }
}

/// Runs an op with arrays in registers and fields until it traps, and passes the kind and the values of the trap to
/// `check`.
fn trapped(op: Op, paired: bool, check: &mut dyn FnMut(TrapKind, Option<TrapValues<'_>>)) {
    let plain = op.kind.plain();
    let taken = ['a', 'b', 'c'].into_iter().zip([op.a, op.b, op.c()]);
    let taken =
        taken.filter(|(letter, _)| plain != op.kind && plain.taken(*letter) == Some(op.kind));
    let constant = |register, value| Op::new(OpKind::Const, register, 0, value);
    let array = |at: usize| {
        let register = u8::try_from(at).unwrap() + 1;
        let length = constant(register, LENGTHS[at] + 1);
        let make = Op::new(OpKind::NewArray, register, register, KINDS[at].0.into());
        [length, make]
    };
    let mut ops = [array(0), array(1), array(2)].concat();
    ops.extend([constant(4, 7777), constant(5, -5)]);
    // The `Move` before the op under test puts the operand into the accumulator and into its register.
    let operand = taken.map(|(_, register)| register).next().unwrap_or(5);
    ops.extend([Op::new(OpKind::Move, operand, operand, 0), op]);
    ops.push(Op::new(OpKind::Return, 0, 0, 0));
    if paired {
        for at in 1..ops.len() {
            let both = ops[at - 1].kind.then(ops[at].kind);
            ops[at - 1].kind = both.unwrap_or(ops[at - 1].kind);
        }
    }
    program(&ops, 0, |program| {
        let (mut frames, mut slots) = ([Frame::default(); 2], [7; REGISTER_WINDOW + 16]);
        let mut stack = CallStack::new(&mut frames, &mut slots);
        let (mut memory, mut fields) = ([0xa5; 224], [0; 10]);
        let mut instance = Instance::new(program, &mut fields, Heap::new(&mut memory));
        let heap = instance.heap_mut();
        let mut made = Vec::new();
        // This array at the start of the heap makes sure that no other reference is a small number.
        heap.allocate(ArrayKind::Byte, 8).unwrap();
        for ((_, kind), length) in KINDS.into_iter().zip(LENGTHS) {
            made.push(heap.allocate(kind, length).unwrap());
        }
        assert_eq!(made, REFERENCES[3..]);
        for (field, array) in (1..).map(FieldId).zip(made) {
            instance.set_field(field, array);
        }
        let started = instance.start(&mut stack, MethodId(0), &[], FUEL, Lifetime::PerCall);
        assert_eq!(started, Ok(()));
        let mut step = instance.run(&mut stack);
        if let Step::Native { .. } = step {
            stack.resume(Err(TrapKind::ProtectionFault));
            step = instance.run(&mut stack);
        }
        // Only a trap of the op under test is checked, because after a jump another op may trap.
        let is_here = |pc: Pc| pc.index() + 2 == ops.len();
        if let Step::Trapped(trap) = step
            && is_here(trap.pc)
        {
            check(trap.kind, instance.trap_values(&stack, trap.kind));
        }
    });
}

/// Checks the values of a trap, as far as they follow from an op's operands, whatever the kind of op.
fn check_values(op: Op, kind: TrapKind, values: Option<TrapValues<'_>>) {
    let operands = [op.a, op.b, op.c()];
    let Some(values) = values else {
        assert_eq!(kind, TrapKind::Unverified, "{op:?} traps without a value");
        return;
    };
    let expected = match values {
        TrapValues::Division { dividend } => {
            assert_eq!((dividend, register(op.c())), (register(op.b), 0), "{op:?}");
            TrapKind::ArithmeticException
        }
        TrapValues::Index { index, length } => {
            let named = operands.map(register).contains(&index) || index == op.imm();
            let lengths = operands.iter().flat_map(|number| {
                let at = LENGTHS.get(usize::from(*number).wrapping_sub(1))?;
                Some([*at, at + 1])
            });
            let length = i32::try_from(length).unwrap();
            assert!(named && !(0..length).contains(&index), "{op:?} {index}");
            assert!(
                lengths.flatten().any(|known| known == length),
                "{op:?} {length}"
            );
            TrapKind::ArrayIndexOutOfBoundsException
        }
        TrapValues::Length { length } => {
            assert_eq!((length, register(op.b)), (-5, -5), "{op:?}");
            TrapKind::NegativeArraySizeException
        }
        TrapValues::Null => {
            let fields = operands
                .into_iter()
                .filter(|number| !(1..=3).contains(number));
            let nulls = operands.into_iter().filter(|number| register(*number) == 0);
            assert!(fields.chain(nulls).next().is_some(), "{op:?}");
            TrapKind::NullPointerException
        }
        TrapValues::Heap { asked, free } => {
            // By JVMS table 6.5.newarray-A, code 9 is `short` and 10 is `int`; elements of all other arrays in the test
            // have one byte.
            let width = match op.imm() {
                9 => 2,
                10 => 4,
                _ => 1,
            };
            let data = u64::from(register(op.b).unsigned_abs()) * width;
            assert_eq!((asked, free), (8 + data.div_ceil(8) * 8, FREE), "{op:?}");
            TrapKind::OutOfMemoryError
        }
        TrapValues::Transient {
            kind,
            length,
            field,
        } => {
            let at = usize::from(op.a) - 1;
            let expected = (KINDS[at].1, LENGTHS[at] + 1, FieldId(op.low()));
            assert_eq!((kind, i32::try_from(length).unwrap(), field), expected);
            TrapKind::TransientEscape
        }
        TrapValues::Native { args, .. } => {
            let passed = (op.b..).map(register).take(args.len());
            assert!(passed.eq(args.iter().copied()), "{op:?} {args:?}");
            TrapKind::ProtectionFault
        }
        TrapValues::Fuel { .. } | TrapValues::Frames { .. } | TrapValues::Slots { .. } => {
            panic!("{op:?} {values:?} depends on more than the op")
        }
    };
    assert_eq!(kind, expected, "{op:?} {values:?}");
}

#[test]
fn every_op_that_traps_says_its_values() {
    let mut seen = Vec::new();
    let numbers = [0, 1, 2, 3, 4, 5, 8, 9, 10];
    let operands = numbers.into_iter().flat_map(|a| {
        let pairs = numbers
            .into_iter()
            .flat_map(move |b| numbers.map(|c| (a, b, c)));
        pairs.filter(|(a, b, c)| *a < 6 && *b < 6 && (*a, *b, *c) != (0, 0, 0))
    });
    for kind in Op::kinds() {
        for (a, b, c) in operands.clone() {
            let op = Op::of_three(kind.kind, a, b, c);
            // The test skips `PutReference` of register 4: the verifier has proved that this op stores a reference, and
            // register 4 contains none.
            if kind.kind == OpKind::PutReference && a == 4 {
                continue;
            }
            for paired in [false, variant::THREADED] {
                trapped(op, paired, &mut |kind, values| {
                    check_values(op, kind, values);
                    if !seen.contains(&kind) {
                        seen.push(kind);
                    }
                });
            }
        }
    }
    let missing = TrapKind::ALL.iter().filter(|kind| !seen.contains(kind));
    // The values of `StackOverflowError` and `FuelExhausted` depend on previous calls and ops. `tests/vm/values.rs`
    // tests `StackOverflowError` and `FuelExhausted`.
    let others = [
        &TrapKind::StackOverflowError,
        &TrapKind::FuelExhausted,
        &TrapKind::QuotaExceeded,
        &TrapKind::BufferState,
    ];
    assert_eq!(Vec::from_iter(missing), others);
}
