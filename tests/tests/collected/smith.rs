//! Random classes, as `jive smith` makes them. `JIVE_RUNS=10000 cargo test --release -p tests --test collected smith`
//! makes as many.

use jive_core::{Method, MethodDescriptor, Motion};
use jive_lab::Random;
use jive_lab::generate::{Kind, Smith};

use crate::pair::{Argument, Room, pair};
use crate::runs::runs;

/// How many times each method is called.
const CALLS: usize = 4;

/// Returns random arguments for a method.
fn arguments(method: &Method<'_>, random: &mut Random) -> Option<Vec<Argument>> {
    let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes()).ok()?;
    let arguments = descriptor.parameters().map(|parameter| {
        Some(match parameter.array_kind() {
            Some(_) if random.one_in(4) => Argument::Null,
            Some(kind) => Argument::Array(kind, i32::try_from(random.below(40)).ok()?),
            None if parameter.class_name().is_some() => return None,
            None => Argument::Int(random.int()),
        })
    });
    arguments.collect()
}

/// Calls the methods of random classes. Returns how many collections there were.
fn run_classes(motion: Motion) -> u64 {
    let smith = Smith::new(Vec::new());
    let mut collections = 0;
    for number in 0..runs(100) {
        let mut random = Random::new(&number.to_be_bytes());
        // Most classes of the other kinds are rejected.
        let kinds = [Kind::Typed, Kind::Program, Kind::Constructor];
        let kind = kinds[random.below(kinds.len())];
        let bytes = smith.class(kind, &mut random);
        let room = Room {
            motion,
            heap: 1 << 18,
            fuel: 2_000,
            nested: 20,
        };
        let done = pair(&bytes, room, |pair| {
            let methods = pair.class.methods().collect::<Vec<_>>();
            for method in methods.iter().cycle().take(CALLS * methods.len()) {
                let is_called =
                    method.code().is_some() && !method.name.as_bytes().starts_with(b"<");
                if is_called && let Some(arguments) = arguments(method, &mut random) {
                    let _compared = pair.call(method.id, &arguments, room.fuel);
                }
            }
        });
        collections += done.map_or(0, |(collections, _)| collections);
    }
    println!("{collections} collections");
    collections
}

#[test]
fn random_classes_do_the_same_while_arrays_move() {
    assert!(run_classes(Motion::Moving) > runs(100));
}

#[test]
fn random_classes_do_the_same_while_gaps_are_filled() {
    assert!(run_classes(Motion::Stationary) > runs(100));
}
