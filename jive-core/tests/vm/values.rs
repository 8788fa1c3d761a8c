//! The values and the nested calls that a trap reports, which are the same in every variant of the interpreter.

use jive_core::{
    ArrayKind, CallSite, CallStack, Frame, Lifetime, Pc, Step, Trap, TrapKind, TrapValues,
    limits::REGISTER_WINDOW,
};

use super::machine::{Machine, NESTED_CALLS, PLENTY};
use super::natives::Nic;

/// Free bytes of the heap after the static initializer.
const FREE: u32 = 100;

fn traps() -> Machine {
    // The heap has eight reserved bytes, and three arrays with headers of eight bytes. The elements of the three arrays
    // take 3, 10 and 28 bytes, each rounded up to a multiple of eight.
    let taken = 8 + (8 + 8) + (8 + 16) + (8 + 32);
    let heap_bytes = taken + usize::try_from(FREE).unwrap();
    let mut machine = Machine::load(include_bytes!("../classes/Traps.class"), &[], heap_bytes);
    assert_eq!(machine.call("<clinit>", &[]), Ok(None));
    assert_eq!(machine.instance.heap().free(), FREE);
    machine
}

/// Calls a method that traps, and returns the trap's values.
fn values<'m>(machine: &'m mut Machine, name: &str, args: &[i32]) -> (TrapKind, TrapValues<'m>) {
    let trap = machine.call_with(name, args, 1000, Lifetime::PerCall);
    let kind = trap.expect_err(name).kind;
    let values = machine.instance.trap_values(&machine.stack, kind);
    (kind, values.expect(name))
}

#[test]
fn bad_index_reports_the_length() {
    let mut machine = traps();
    let cases: [(&str, &[i32], i32, u32); 20] = [
        ("loadByte", &[3], 3, 3),
        ("loadByte", &[-1], -1, 3),
        ("loadByteUnsigned", &[1000], 1000, 3),
        ("loadShort", &[5], 5, 5),
        ("loadInt", &[i32::MIN], i32::MIN, 7),
        ("loadInt", &[i32::MAX], i32::MAX, 7),
        ("loadBehind", &[6], 8, 7),
        // The sum of index and offset wraps, as in Java.
        ("loadBehind", &[i32::MAX], i32::MIN + 1, 7),
        ("loadByteAt", &[], 3, 3),
        ("loadByteUnsignedAt", &[], 4, 3),
        ("loadSum", &[3], 9, 7),
        ("storeByte", &[4], 4, 3),
        ("storeShort", &[-7], -7, 5),
        ("storeInt", &[7], 7, 7),
        ("storeBehind", &[2], 3, 3),
        ("storeByteAt", &[], 9, 3),
        ("loadOfCall", &[11], 11, 11),
        ("loop", &[5], 3, 3),
        ("inner", &[12], 12, 7),
        ("inner", &[-12], -12, 7),
    ];
    for (name, args, index, length) in cases {
        let expected = TrapValues::Index { index, length };
        let kind = TrapKind::ArrayIndexOutOfBoundsException;
        assert_eq!(values(&mut machine, name, args), (kind, expected), "{name}");
    }
}

#[test]
fn division_by_zero_reports_its_dividend() {
    let mut machine = traps();
    for (name, args, dividend) in [
        ("divide", [7, 0], 7),
        ("remainder", [i32::MIN, 0], i32::MIN),
        ("divideSum", [21, 21], 42),
    ] {
        let expected = TrapValues::Division { dividend };
        let kind = TrapKind::ArithmeticException;
        assert_eq!(
            values(&mut machine, name, &args),
            (kind, expected),
            "{name}"
        );
    }
}

#[test]
fn unmakeable_array_reports_its_size() {
    let mut machine = traps();
    let negative = (
        TrapKind::NegativeArraySizeException,
        TrapValues::Length { length: -3 },
    );
    assert_eq!(values(&mut machine, "newInts", &[-3]), negative);
    // The new array has a header of 8 bytes, and elements rounded up to a multiple of 8. The method `newBytes` has made
    // another array of 16 bytes before.
    for (name, length, asked, free) in [
        ("newInts", 23, 8 + 96, FREE),
        ("newInts", i32::MAX, 8 + 4 * 0x7fff_ffff_u64 + 4, FREE),
        ("newBytes", 81, 8 + 88, FREE - 16),
    ] {
        let expected = TrapValues::Heap { asked, free };
        let kind = TrapKind::OutOfMemoryError;
        assert_eq!(values(&mut machine, name, &[length]), (kind, expected));
        assert_eq!(machine.instance.heap().free(), FREE);
    }
    assert_eq!(machine.value("newInts", &[23 - 1]), 22);
}

#[test]
fn escaping_array_reports_shape_and_field() {
    let mut machine = traps();
    let field = machine.field("kept");
    let expected = TrapValues::Transient {
        kind: ArrayKind::Int,
        length: 9,
        field,
    };
    let kind = TrapKind::TransientEscape;
    assert_eq!(values(&mut machine, "keep", &[9]), (kind, expected));
}

#[test]
fn null_has_no_other_value() {
    let mut machine = traps();
    let expected = (TrapKind::NullPointerException, TrapValues::Null);
    assert_eq!(values(&mut machine, "nullLoad", &[2]), expected);
    assert_eq!(values(&mut machine, "nullLength", &[]), expected);
}

#[test]
fn spent_fuel_reports_what_was_executed() {
    let mut machine = traps();
    let expected = TrapValues::Fuel { executed: 1000 };
    let kind = TrapKind::FuelExhausted;
    assert_eq!(values(&mut machine, "forever", &[]), (kind, expected));
}

#[test]
fn full_call_stack_reports_its_depth() {
    let mut machine = traps();
    let most = u32::try_from(NESTED_CALLS).unwrap();
    let deeper = i32::try_from(NESTED_CALLS).unwrap() + 1;
    let trap = machine.call("down", &[deeper]).unwrap_err();
    let nested = most;
    let expected = TrapValues::Frames { nested, most };
    let (instance, stack) = (&machine.instance, &machine.stack);
    assert_eq!(instance.trap_values(stack, trap.kind), Some(expected));
    let calls = Vec::from_iter(instance.backtrace(stack, trap));
    assert_eq!(calls.len(), NESTED_CALLS);
    assert!(
        calls
            .iter()
            .all(|call| call.method == trap.method && call.pc == trap.pc)
    );
}

#[test]
fn exhausted_slots_are_reported() {
    let mut machine = traps();
    let method = machine.method("down");
    let mut frames = [Frame::default(); 9];
    let mut slots = [0; REGISTER_WINDOW + 2];
    let mut stack = CallStack::new(&mut frames, &mut slots);
    let lifetime = Lifetime::PerCall;
    let started = machine
        .instance
        .start(&mut stack, method, &[9], PLENTY, lifetime);
    assert_eq!(started, Ok(()));
    let Step::Trapped(trap) = machine.instance.run(&mut stack) else {
        panic!("expected a trap");
    };
    let values = machine.instance.trap_values(&stack, trap.kind);
    assert_eq!(values, Some(TrapValues::Slots { nested: 3, most: 2 }));
    let mut stack = CallStack::new(&mut [], &mut []);
    let refused = machine
        .instance
        .start(&mut stack, method, &[9], PLENTY, lifetime);
    let trap = refused.unwrap_err();
    let values = machine.instance.trap_values(&stack, trap.kind);
    assert_eq!(values, Some(TrapValues::Frames { nested: 0, most: 0 }));
    let place = CallSite { method, pc: Pc(0) };
    let calls = machine.instance.backtrace(&stack, trap);
    assert_eq!(Vec::from_iter(calls), [place]);
}

#[test]
fn a_backtrace_has_the_call_of_each_method() {
    let mut machine = traps();
    let trap = machine.call("outer", &[6]).unwrap_err();
    let (kind, values) = (
        trap.kind,
        machine.instance.trap_values(&machine.stack, trap.kind),
    );
    assert_eq!(kind, TrapKind::ArrayIndexOutOfBoundsException);
    assert_eq!(
        values,
        Some(TrapValues::Index {
            index: 7,
            length: 7
        })
    );
    let calls = machine.instance.backtrace(&machine.stack, trap);
    let calls = calls.map(|CallSite { method, pc }| (method, pc.0));
    // The expected pcs are those that `javap -c` lists.
    let expected = [("loadInt", 4), ("inner", 1), ("middle", 8), ("outer", 4)];
    let expected = expected.map(|(name, pc)| (machine.method(name), pc));
    assert_eq!(Vec::from_iter(calls), expected);
    // A later call has its own backtrace.
    let trap = machine.call("inner", &[8]).unwrap_err();
    let calls = machine.instance.backtrace(&machine.stack, trap);
    assert_eq!(calls.count(), 2);
}

#[test]
fn native_trap_reports_its_arguments() {
    let class = include_bytes!("../classes/Natives.class");
    let mut machine = Machine::load(class, Nic::TABLE, 1024);
    let method = machine.method("send");
    let lifetime = Lifetime::PerCall;
    let started = machine
        .instance
        .start(&mut machine.stack, method, &[], PLENTY, lifetime);
    assert_eq!(started, Ok(()));
    let Step::Native { id, args } = machine.instance.run(&mut machine.stack) else {
        panic!("expected a native");
    };
    let (native, passed) = (id, args.to_vec());
    machine.stack.resume(Err(TrapKind::ProtectionFault));
    let Step::Trapped(Trap { kind, .. }) = machine.instance.run(&mut machine.stack) else {
        panic!("expected a trap");
    };
    let values = machine.instance.trap_values(&machine.stack, kind);
    let args = &passed[..];
    assert_eq!(values, Some(TrapValues::Native { id: native, args }));
    // The call that trapped has allocated the array that it passed to the native. The array of the trapped call has
    // been freed, but `heap_at_trap` still shows it.
    assert_eq!(machine.instance.heap().array(passed[0]), None);
    let heap = machine.instance.heap_at_trap(&machine.stack);
    assert_eq!(heap.bytes(passed[0]), Some(&[0, 0, 7][..]));
}
