//! Fuel is exact for every fixture with a call. With the fuel that a call needs, the call ends in the same way; with
//! less, it traps at exactly the first instruction without fuel.

use jive_core::{Lifetime, NoNatives, Trap, TrapKind};
use nic_core::sle::NicNative;
use tests::fixture::{Fixture, Outcome};
use tests::machine::{Machine, Room, machine};

/// Loads the fixture's class, makes its call with `fuel`, and passes the result to a closure.
fn with_fuel<R>(
    fixture: &Fixture,
    fuel: u64,
    then: impl FnOnce(&Machine<'_>, Result<Option<i32>, Trap>) -> R,
) -> R {
    let Fixture {
        bytes,
        policy,
        call,
        ..
    } = fixture;
    machine(
        bytes,
        *policy,
        NicNative::TABLE,
        Room::default(),
        |machine| {
            machine.load(&mut NoNatives).expect("fixtures load");
            machine.fuel = fuel;
            let method = machine.method(&call.method);
            let result = machine.call(method, &call.arguments, Lifetime::PerCall, &mut NoNatives);
            then(machine, result)
        },
    )
    .unwrap_or_else(|rejected| panic!("{}: {rejected}", fixture.name))
}

#[test]
fn fuel_is_the_exact_number_of_instructions() {
    let mut compared = 0;
    for fixture in Fixture::all() {
        if matches!(
            fixture.expected,
            Outcome::Accepted | Outcome::Rejected { .. }
        ) {
            continue;
        }
        let plenty = Room::default().fuel;
        let (needed, ended) = with_fuel(&fixture, plenty, |machine, result| {
            (machine.stack.executed(), result)
        });
        let alike = with_fuel(&fixture, needed, |_, result| result);
        assert_eq!(alike, ended, "{}", fixture.name);
        // Test every amount of fuel for short calls, and only the smallest and largest amounts for long calls.
        for fuel in (0..needed).filter(|fuel| *fuel < 24 || fuel + 2 >= needed) {
            with_fuel(&fixture, fuel, |machine, result| {
                let trap = result.expect_err("the fuel does not last");
                let label = format!("{} with fuel {fuel}", fixture.name);
                assert_eq!(trap.kind, TrapKind::FuelExhausted, "{label}");
                assert_eq!(machine.stack.executed(), fuel, "{label}");
                if let (Err(last), true) = (ended, fuel + 1 == needed) {
                    assert_eq!((trap.method, trap.pc), (last.method, last.pc), "{label}");
                }
            });
        }
        compared += 1;
    }
    assert!(compared > 60, "{compared} fixtures");
}
