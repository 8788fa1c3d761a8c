//! Printed code without an interpreter returns and traps as the interpreter does. Where it stops for want of fuel, it has
//! done what the interpreter does with as much fuel as it has used.

use compiled::{
    Machine, Memory, STANDALONE_CALLS, STANDALONES, Seen, Standalone, Suspends, arguments, methods,
    standalone,
};
use jive_core::{Lifetime, MethodId, NoNatives, Pc, Trap, TrapKind};
use jive_embed::{Policy, load_as};
use nic_core::sle::NicNative;

fn is_exhausted(outcome: Result<Option<i32>, Trap>) -> bool {
    matches!(outcome, Err(trap) if trap.kind == TrapKind::FuelExhausted)
}

/// Compares every method of a class. Returns how many calls were made, and how many stopped before the interpreter would
/// have run out of fuel.
fn compare(standalone: &Standalone) -> [u64; 2] {
    let class = standalone.class;
    let loaded = load_as(class.bytes, Policy::ClassOnly, NicNative::TABLE).unwrap();
    let linked = loaded.linked();
    let names: Vec<String> = linked
        .class
        .methods()
        .map(|it| it.name.to_string())
        .collect();
    assert_eq!(standalone.names.0, linked.class.name().to_string());
    assert_eq!(standalone.names.1, names);
    let [mut calls, mut early] = [0; 2];
    for (number, (method, descriptor)) in methods(linked).into_iter().enumerate() {
        let mut first = Memory::new(&linked.program, STANDALONE_CALLS, STANDALONE_CALLS);
        let mut second = Memory::new(standalone.program, 0, 0);
        // Without an interpreter no native is asked whether it suspends.
        let mut interpreted = Machine::new(linked.program, &mut first, Suspends::Never);
        let mut printed = Machine::new(*standalone.program, &mut second, Suspends::Always);
        for (turn, fuel) in (0..200).chain([3_000, 20_000, 50_000]).enumerate() {
            let used = interpreted.instance.heap().used();
            let turn = turn + number;
            let heaps = [&mut interpreted, &mut printed].map(|it| it.instance.heap_mut());
            let arguments = arguments(&descriptor, turn, heaps);
            let lifetime = [Lifetime::PerCall, Lifetime::Persistent][turn / 2 % 2];
            let Machine {
                instance,
                stack,
                natives,
            } = &mut printed;
            let outcome =
                (standalone.call)(instance, stack, method, &arguments, fuel, lifetime, natives);
            let left = stack.fuel_left();
            let enough = if is_exhausted(outcome) {
                fuel - left
            } else {
                fuel
            };
            let Machine {
                instance,
                stack,
                natives,
            } = &mut interpreted;
            let expected = instance.call(stack, method, &arguments, enough, lifetime, natives);
            let place = (class.name, method, &arguments, fuel);
            assert_eq!(expected, outcome, "{place:?}");
            if let Err(trap) = outcome {
                let line = linked.line(trap.method, trap.pc);
                assert_eq!((standalone.line)(trap.method, trap.pc), line, "{place:?}");
            }
            let expected_left = stack.fuel_left();
            assert_eq!(expected_left + (fuel - enough), left, "{place:?}");
            let same = |seen: Seen<'_>| {
                (
                    seen.executed,
                    seen.fields,
                    seen.heap,
                    seen.cleared,
                    seen.performed,
                )
            };
            assert_eq!(
                same(interpreted.seen(Ok(None))),
                same(printed.seen(Ok(None))),
                "{place:?}"
            );
            calls += 1;
            early += u64::from(enough < fuel);
            for machine in [&mut interpreted, &mut printed] {
                machine.instance.heap_mut().free_behind(used);
            }
        }
    }
    [calls, early]
}

#[test]
fn calls_return_and_trap_as_the_interpreters_do() {
    let [mut calls, mut early] = [0; 2];
    for standalone in &STANDALONES {
        let [more, stopped] = compare(standalone);
        calls += more;
        early += stopped;
    }
    println!("{calls} calls, of which {early} stopped early for want of fuel, 0 differences");
    assert!(STANDALONES.len() > 20 && early > 1_000, "{early}");
}

#[test]
fn a_call_is_refused_whose_fuel_pays_for_less_than_its_straight_path() {
    let mut filter = standalone::filter::Filter::new(NoNatives).unwrap();
    let enough = (0..200).find(|fuel| {
        filter.unit().set_fuel(*fuel);
        let outcome = filter.accept(b"hello", 5);
        let executed = filter.unit().executed();
        match outcome {
            Ok(_) => true,
            Err(trap) => {
                assert_eq!(trap.kind, TrapKind::FuelExhausted);
                if trap.pc == Pc(0) {
                    assert_eq!(executed, 0, "nothing of a refused call has run");
                }
                false
            }
        }
    });
    let enough = enough.unwrap();
    let executed = filter.unit().executed();
    assert!(executed <= enough, "{executed} of {enough}");
    let trap = {
        filter.unit().set_fuel(1);
        filter.accept(b"hello", 5).unwrap_err()
    };
    let place = (trap.kind, trap.method, trap.pc);
    let names = standalone::filter::METHOD_NAMES;
    assert_eq!(names[usize::from(trap.method.0)], "accept");
    assert_eq!(place, (TrapKind::FuelExhausted, trap.method, Pc(0)));
    assert!(standalone::filter::line(trap.method, trap.pc).is_some());
    assert_eq!(standalone::filter::line(MethodId(999), Pc(0)), None);
}
