//! Tests of arrays: bounds checks, allocation failures and lifetimes.

use jive_core::{ArrayKind, Heap, Lifetime, TrapKind};

use super::machine::{Machine, PLENTY};

fn arrays(heap_bytes: usize) -> Machine {
    Machine::load(include_bytes!("../classes/Arrays.class"), &[], heap_bytes)
}

fn storage() -> Machine {
    Machine::load(include_bytes!("../classes/Storage.class"), &[], 1024)
}

#[test]
fn every_index_outside_the_array_traps() {
    let mut machine = arrays(4096);
    for (name, pc, stored) in [
        ("byteAt", 8, -7),
        ("booleanAt", 7, 1),
        ("shortAt", 8, -7),
        ("intAt", 8, -7),
    ] {
        for length in 0..4 {
            for element in [i32::MIN, -2, -1, 0, 1, 2, 3, 4, 8, i32::MAX] {
                let result = machine.call_with(name, &[length, element], PLENTY, Lifetime::PerCall);
                let expected = if (0..length).contains(&element) {
                    Ok(Some(stored))
                } else {
                    let kind = TrapKind::ArrayIndexOutOfBoundsException;
                    Err(machine.trap(kind, name, pc))
                };
                assert_eq!(result, expected, "{name}({length}, {element})");
            }
        }
    }
    let trap = machine.trap(TrapKind::ArrayIndexOutOfBoundsException, "loadAt", 6);
    assert_eq!(machine.call("loadAt", &[2, 2]), Err(trap));
    assert_eq!(machine.value("loadAt", &[2, 1]), 0);
}

#[test]
fn null_traps_before_the_index_is_checked() {
    let mut machine = arrays(64);
    let trap = machine.trap(TrapKind::NullPointerException, "nullLength", 3);
    assert_eq!(machine.call("nullLength", &[]), Err(trap));
    for element in [-1, 0, i32::MAX] {
        let trap = machine.trap(TrapKind::NullPointerException, "nullLoad", 4);
        assert_eq!(machine.call("nullLoad", &[element]), Err(trap));
        let trap = machine.trap(TrapKind::NullPointerException, "nullStore", 5);
        assert_eq!(machine.call("nullStore", &[element]), Err(trap));
    }
}

#[test]
fn stores_do_not_affect_neighbouring_arrays() {
    assert_eq!(arrays(4096).value("neighbours", &[]), 90);
}

#[test]
fn a_negative_length_traps_before_a_full_heap_does() {
    // The heap has eight reserved bytes, eight bytes for a header, and room for 20 elements.
    let mut machine = arrays(8 + 8 + 80);
    for length in [-1, i32::MIN] {
        let trap = machine.trap(TrapKind::NegativeArraySizeException, "length", 1);
        assert_eq!(machine.call("length", &[length]), Err(trap));
    }
    // An `int[]` of 2³⁰ elements takes 2³² bytes, a size which must not wrap to 0.
    for length in [21, 0x4000_0000, 0x3fff_ffff, i32::MAX] {
        let trap = machine.trap(TrapKind::OutOfMemoryError, "length", 1);
        assert_eq!(machine.call("length", &[length]), Err(trap), "{length}");
        assert_eq!(machine.instance.heap().used(), 0);
    }
    assert_eq!(machine.value("length", &[20]), 20);
    assert_eq!(machine.instance.heap().used(), 88);
    let trap = machine.trap(TrapKind::OutOfMemoryError, "length", 1);
    assert_eq!(machine.call("length", &[0]), Err(trap));
}

#[test]
fn an_empty_heap_rejects_every_array() {
    for bytes in [0, 7, 8, 15] {
        let mut memory = [0; 15];
        let mut heap = Heap::new(&mut memory[..bytes]);
        assert_eq!(
            heap.allocate(ArrayKind::Byte, 0),
            Err(TrapKind::OutOfMemoryError)
        );
        assert_eq!(
            heap.allocate(ArrayKind::Byte, -1),
            Err(TrapKind::NegativeArraySizeException)
        );
        assert_eq!(heap.used(), 0);
    }
}

#[test]
fn transient_arrays_are_freed_when_the_call_ends() {
    let mut machine = arrays(512);
    for _ in 0..3 {
        let trap = machine.trap(TrapKind::OutOfMemoryError, "exhaust", 1);
        assert_eq!(
            machine.call_with("exhaust", &[9], PLENTY, Lifetime::PerCall),
            Err(trap)
        );
        assert_eq!(machine.instance.heap().used(), 0);
        // The new array is zeroed, so the bytes that the previous call has written are not visible.
        let sum = machine.call_with("dirty", &[400], PLENTY, Lifetime::PerCall);
        assert_eq!(sum, Ok(Some(0)));
        assert_eq!(machine.instance.heap().used(), 0);
    }
}

#[test]
fn persistent_arrays_of_a_call_without_fuel_stay() {
    let mut machine = arrays(4096);
    // The fuel suffices for `iload_0`, `newarray int`, `astore_1` and `goto`.
    let trap = machine.trap(TrapKind::FuelExhausted, "exhaust", 0);
    let result = machine.call_with("exhaust", &[2], 4, Lifetime::Persistent);
    assert_eq!(result, Err(trap));
    // The heap contains an array's header and two elements.
    assert_eq!(machine.instance.heap().used(), 8 + 2 * 4);
}

#[test]
fn later_calls_allocate_above_persistent_arrays() {
    let mut machine = storage();
    machine.call("keep", &[]).unwrap();
    assert_eq!(machine.instance.heap().used(), 24);
    let per_call = |machine: &mut Machine, name| {
        machine
            .call_with(name, &[7], PLENTY, Lifetime::PerCall)
            .unwrap()
    };
    assert_eq!(per_call(&mut machine, "throughInts"), Some(7));
    assert_eq!(machine.instance.heap().used(), 24);
    for count in 0..3 {
        assert_eq!(machine.value("keptFirst", &[]), count);
    }
    assert_eq!(machine.value("keptLength", &[]), 4);
}

#[test]
fn a_transient_array_cannot_be_stored_in_a_field() {
    let mut machine = storage();
    for (name, pc, field) in [("keep", 3, "kept"), ("keepOwn", 4, "ownKept")] {
        let field = machine.field(field);
        let trap = machine.trap(TrapKind::TransientEscape, name, pc);
        assert_eq!(
            machine.call_with(name, &[], PLENTY, Lifetime::PerCall),
            Err(trap)
        );
        assert_eq!(machine.instance.field(field), 0);
        assert_eq!(machine.instance.heap().used(), 0);
    }
    machine.call("keep", &[]).unwrap();
    let kept = machine.instance.field(machine.field("kept"));
    for name in ["keepAgain", "keepNothing"] {
        assert_eq!(
            machine.call_with(name, &[], PLENTY, Lifetime::PerCall),
            Ok(None)
        );
    }
    assert_eq!(machine.instance.field(machine.field("kept")), 0);
    assert_eq!(machine.instance.heap().array(kept).unwrap().length, 4);
}

#[test]
fn arrays_are_freed_when_the_fuel_runs_out() {
    let mut machine = storage();
    // The method `throughInts` has eleven instructions and no branch.
    for fuel in 0..11 {
        let trap = machine
            .call_with("throughInts", &[1], fuel, Lifetime::PerCall)
            .unwrap_err();
        assert_eq!(trap.kind, TrapKind::FuelExhausted);
        assert_eq!(machine.instance.heap().used(), 0, "fuel {fuel}");
    }
    assert_eq!(
        machine.call_with("throughInts", &[1], 11, Lifetime::PerCall),
        Ok(Some(1))
    );
}
