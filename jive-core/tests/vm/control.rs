//! Tests of branches, switches, calls, call depth, and exact fuel.

use jive_core::limits::REGISTER_WINDOW;
use jive_core::{CallStack, Frame, Lifetime, Trap, TrapKind};

use super::machine::{Machine, NESTED_CALLS, PLENTY};

fn control() -> Machine {
    Machine::load(include_bytes!("../classes/Control.class"), &[], 1024)
}

#[test]
fn switches_find_the_first_last_and_missing_keys() {
    let mut machine = control();
    const MIN: i32 = i32::MIN;
    const MAX: i32 = i32::MAX;
    for (name, key, result) in [
        ("table", -2, 99),
        ("table", -1, 10),
        ("table", 0, 11),
        ("table", 1, 12),
        ("table", 2, 99),
        ("table", 3, 13),
        ("table", 4, 99),
        ("table", MIN, 99),
        ("table", MAX, 99),
        ("tableAtTop", MAX - 3, 99),
        ("tableAtTop", MAX - 2, 1),
        ("tableAtTop", MAX, 3),
        ("tableAtTop", MIN, 99),
        ("tableAtTop", MIN + 1, 99),
        ("tableAtTop", -1, 99),
        ("tableAtTop", 0, 99),
        ("tableAtBottom", MIN, 1),
        ("tableAtBottom", MIN + 2, 3),
        ("tableAtBottom", MIN + 3, 99),
        ("tableAtBottom", MAX, 99),
        ("tableAtBottom", MAX - 1, 99),
        ("tableAtBottom", 0, 99),
        ("lookup", MIN, 1),
        ("lookup", MIN + 1, 99),
        ("lookup", -7, 2),
        ("lookup", -6, 99),
        ("lookup", 0, 3),
        ("lookup", 999, 99),
        ("lookup", 1000, 4),
        ("lookup", MAX - 1, 99),
        ("lookup", MAX, 5),
        ("lookupNone", 0, 42),
    ] {
        assert_eq!(machine.value(name, &[key]), result, "{name}({key})");
    }
}

#[test]
fn calls_pass_arguments_in_order_and_recur() {
    let mut machine = control();
    assert_eq!(machine.value("orderOf", &[]), 123);
    assert_eq!(machine.value("fibonacci", &[15]), 610);
    assert_eq!(machine.value("even", &[100]), 1);
    assert_eq!(machine.value("odd", &[100]), 0);
    assert_eq!(machine.value("references", &[]), 15);
    assert_eq!(machine.call("nothing", &[]), Ok(None));
}

#[test]
fn invokespecial_and_invokevirtual_call_private_methods() {
    // For calls of private methods, `javac` emits `invokespecial` up to release 10, and `invokevirtual` from release 11
    // on.
    for bytes in [
        include_bytes!("../classes/Control.class").as_slice(),
        include_bytes!("../classes/release11/Control.class").as_slice(),
    ] {
        let mut machine = Machine::load(bytes, &[], 64);
        assert_eq!(machine.value("viaThis", &[5]), 14);
        for name in ["viaNull", "viaNullSecret"] {
            let trap = machine.trap(TrapKind::NullPointerException, name, 4);
            assert_eq!(machine.call(name, &[]), Err(trap));
        }
    }
}

#[test]
fn a_call_without_a_free_frame_traps_at_the_call_instruction() {
    let mut machine = control();
    let deepest = i32::try_from(NESTED_CALLS).unwrap();
    assert_eq!(machine.call("down", &[deepest]), Ok(None));
    let trap = machine.trap(TrapKind::StackOverflowError, "down", 8);
    assert_eq!(machine.call("down", &[deepest + 1]), Err(trap));
    let trap = machine.trap(TrapKind::StackOverflowError, "endless", 0);
    assert_eq!(machine.call("endless", &[]), Err(trap));
    assert_eq!(machine.stack.executed(), 200);
    assert_eq!(machine.value("twice", &[]), 4);
}

#[test]
fn slots_can_run_out_before_frames() {
    let mut machine = control();
    let method = machine.method("down");
    // The method `down` has a single local variable. The argument of `down` is the caller's first operand, so each
    // nested call takes one more slot.
    let mut frames = [Frame::default(); 100];
    // From the last call's first register on, the call stack must have as many slots as an op can name.
    let mut slots = [0; REGISTER_WINDOW + 2];
    let mut stack = CallStack::new(&mut frames, &mut slots);
    for (depth, fits) in [(1, true), (2, true), (3, true), (4, false)] {
        let started =
            machine
                .instance
                .start(&mut stack, method, &[depth], PLENTY, Lifetime::PerCall);
        assert_eq!(started, Ok(()));
        let trap = machine.trap(TrapKind::StackOverflowError, "down", 8);
        let expected = if fits {
            jive_core::Step::Returned(None)
        } else {
            jive_core::Step::Trapped(trap)
        };
        assert_eq!(machine.instance.run(&mut stack), expected, "depth {depth}");
    }
}

#[test]
fn a_stack_that_is_too_small_for_any_call_traps() {
    let mut machine = control();
    let method = machine.method("two");
    let trap = machine.trap(TrapKind::StackOverflowError, "two", 0);
    let start = |machine: &mut Machine, frames: &mut [Frame], slots: &mut [i32]| {
        let mut stack = CallStack::new(frames, slots);
        machine
            .instance
            .start(&mut stack, method, &[], PLENTY, Lifetime::PerCall)
    };
    assert_eq!(start(&mut machine, &mut [], &mut [0; 300]), Err(trap));
    assert_eq!(
        start(
            &mut machine,
            &mut [Frame::default()],
            &mut [0; REGISTER_WINDOW - 1]
        ),
        Err(trap)
    );
    assert_eq!(
        start(
            &mut machine,
            &mut [Frame::default()],
            &mut [0; REGISTER_WINDOW]
        ),
        Ok(())
    );
}

#[test]
fn a_call_with_a_wrong_number_of_arguments_is_rejected() {
    let mut machine = control();
    for args in [&[][..], &[1, 2]] {
        let trap = machine.trap(TrapKind::Unverified, "fibonacci", 0);
        assert_eq!(machine.call("fibonacci", args), Err(trap));
    }
}

#[test]
fn fuel_for_n_instructions_traps_at_the_next() {
    let mut machine = control();
    // The method `twice` calls `two` at pcs 0 and 3, adds at pc 6, and returns at pc 7.
    let next = [
        ("twice", 0),
        ("two", 0),
        ("two", 1),
        ("twice", 3),
        ("two", 0),
        ("two", 1),
        ("twice", 6),
        ("twice", 7),
    ];
    for (fuel, (method, pc)) in (0..).zip(next) {
        let trap: Trap = machine.trap(TrapKind::FuelExhausted, method, pc);
        assert_eq!(
            machine.call_with("twice", &[], fuel, Lifetime::PerCall),
            Err(trap)
        );
        assert_eq!(machine.stack.executed(), fuel);
        assert_eq!(machine.stack.fuel_left(), 0);
    }
    assert_eq!(
        machine.call_with("twice", &[], 8, Lifetime::PerCall),
        Ok(Some(4))
    );
    assert_eq!(machine.stack.executed(), 8);
    assert_eq!(
        machine.call_with("twice", &[], u64::MAX, Lifetime::PerCall),
        Ok(Some(4))
    );
    assert_eq!(machine.stack.fuel_left(), u64::MAX - 8);
}

#[test]
fn an_endless_loop_runs_out_of_fuel() {
    let mut machine = control();
    let trap = machine.trap(TrapKind::FuelExhausted, "loop", 0);
    assert_eq!(
        machine.call_with("loop", &[], 10_000, Lifetime::PerCall),
        Err(trap)
    );
    assert_eq!(machine.stack.executed(), 10_000);
}
