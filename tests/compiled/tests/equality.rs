//! Printed code does what the interpreter does: result, trap with its place and values, backtrace, fuel, fields, heap
//! and natives.

use compiled::{CLASSES, Class, Machine, Memory, Suspends, arguments, methods};
use jive_core::{Lifetime, MethodId, Trap};
use jive_embed::{Policy, load_as};
use nic_core::sle::NicNative;

/// Amounts of fuel from 0 up.
const SWEEP: u64 = 200;

/// A setting for all methods of a class.
#[derive(Copy, Clone, Debug)]
struct Setting {
    depth: usize,
    /// For how many calls the slots suffice.
    slots: usize,
    lifetime: Lifetime,
    suspends: Suspends,
}

const SETTINGS: [Setting; 3] = [
    Setting {
        depth: 6,
        slots: 6,
        lifetime: Lifetime::PerCall,
        suspends: Suspends::Never,
    },
    Setting {
        depth: 3,
        slots: 2,
        lifetime: Lifetime::Persistent,
        suspends: Suspends::Some,
    },
    Setting {
        depth: 40,
        slots: 40,
        lifetime: Lifetime::PerCall,
        suspends: Suspends::Some,
    },
];

struct Both<'m> {
    class: &'m Class,
    interpreted: Machine<'m>,
    compiled: Machine<'m>,
    lifetime: Lifetime,
    calls: u64,
}

impl Both<'_> {
    /// Makes a call on both, and compares what is seen of it. Returns whether fuel was left.
    fn call(&mut self, method: MethodId, arguments: &[i32], fuel: u64, more: u64) -> bool {
        let Both {
            class,
            interpreted: i,
            compiled: c,
            lifetime,
            calls,
        } = self;
        *calls += 1;
        let outcome = i.instance.call(
            &mut i.stack,
            method,
            arguments,
            fuel,
            *lifetime,
            &mut i.natives,
        );
        let expected = i.seen(outcome);
        let outcome = (class.call)(
            &mut c.instance,
            &mut c.stack,
            method,
            arguments,
            fuel,
            *lifetime,
            &mut c.natives,
        );
        let found = c.seen(outcome);
        let place = (class.name, method, arguments, fuel);
        assert_eq!(expected, found, "{place:?}");
        let exhausted = matches!(
            expected.outcome,
            Err(Trap {
                kind: jive_core::TrapKind::FuelExhausted,
                ..
            })
        );
        let (left, cleared) = (expected.left > 0 || !exhausted, expected.cleared);
        if exhausted && cleared == 0 && more > 0 {
            let outcome = refueled(i, more);
            let expected = i.seen(outcome);
            let outcome = refueled(c, more);
            assert_eq!(expected, c.seen(outcome), "{place:?}, and {more} more");
        }
        left
    }
}

/// Grants more fuel to a call, and performs its natives.
fn refueled(machine: &mut Machine<'_>, fuel: u64) -> Result<Option<i32>, Trap> {
    use jive_core::{Natives as _, Step};
    let Machine {
        instance,
        stack,
        natives,
    } = machine;
    let mut step = instance.refuel(stack, fuel);
    loop {
        match step {
            Step::Returned(value) => return Ok(value),
            Step::Trapped(trap) => return Err(trap),
            Step::Native { id, .. } => {
                let outcome = stack
                    .charge(natives.extra_fuel(id))
                    .and_then(|()| natives.call(id, stack.native_arguments(), instance.heap_mut()));
                stack.resume(outcome);
                step = instance.run(stack);
            }
        }
    }
}

/// Compares every method of a class under a setting. Returns how many calls were made.
fn compare(class: &Class, setting: Setting) -> u64 {
    let loaded = load_as(class.bytes, Policy::ClassOnly, NicNative::TABLE).unwrap();
    let linked = loaded.linked();
    let methods = methods(linked);
    let mut calls = 0;
    for (number, (method, descriptor)) in methods.iter().enumerate() {
        let mut memories = [linked.program, *class.program]
            .map(|program| Memory::new(&program, setting.depth, setting.slots));
        let [first, second] = &mut memories;
        let mut both = Both {
            class,
            interpreted: Machine::new(linked.program, first, Suspends::Never),
            compiled: Machine::new(*class.program, second, setting.suspends),
            lifetime: setting.lifetime,
            calls: 0,
        };
        for initializer in linked.program.initializers() {
            both.call(initializer, &[], 2_000, 0);
        }
        let mut fuel = 0;
        let mut turn = number;
        while fuel <= SWEEP {
            let used = both.interpreted.instance.heap().used();
            let arguments = arguments(
                descriptor,
                turn,
                [
                    both.interpreted.instance.heap_mut(),
                    both.compiled.instance.heap_mut(),
                ],
            );
            let more = [0, 1, 7, 50][turn % 4];
            both.call(*method, &arguments, fuel, more);
            for machine in [&mut both.interpreted, &mut both.compiled] {
                let kept = setting.lifetime == Lifetime::Persistent && turn.is_multiple_of(2);
                if !kept {
                    machine.instance.heap_mut().free_behind(used);
                }
            }
            turn += 1;
            fuel += 1;
        }
        let arguments = arguments(
            descriptor,
            turn,
            [
                both.interpreted.instance.heap_mut(),
                both.compiled.instance.heap_mut(),
            ],
        );
        for fuel in [3_000, 20_000, u64::MAX / 3] {
            if fuel > 20_000 && class.name.contains(' ') {
                continue;
            }
            if !both.call(*method, &arguments, fuel.min(50_000), 10) {
                break;
            }
        }
        calls += both.calls;
    }
    calls
}

#[test]
fn printed_code_does_what_the_interpreter_does() {
    let [mut of_files, mut of_generated] = [0; 2];
    for (number, class) in CLASSES.iter().enumerate() {
        let all = class.name.starts_with("tests/compiled");
        // Generated classes are named by their seed, whose words are separated by spaces.
        let calls = match class.name.contains(' ') {
            true => &mut of_generated,
            false => &mut of_files,
        };
        for (at, setting) in SETTINGS.into_iter().enumerate() {
            if all || at == number % SETTINGS.len() {
                *calls += compare(class, setting);
            }
        }
    }
    println!(
        "{} classes, {of_files} calls of classes of the tree, {of_generated} calls of generated classes, 0 differences",
        CLASSES.len()
    );
}
