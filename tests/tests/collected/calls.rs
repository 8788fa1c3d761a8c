//! Every line of `java/calls.txt`. The openjdk tests compare the same results of applets with those of OpenJDK.

use std::collections::BTreeMap;

use jive_core::Motion;
use jive_lab::asm::assemble;
use tests::openjdk::{Call, calls, committed};

use crate::pair::{Argument, Room, pair};

/// Returns the class files that the list of calls names.
fn classes() -> BTreeMap<String, Vec<u8>> {
    let mut classes = committed::files("class");
    for (name, source) in committed::files("assembled") {
        let source = String::from_utf8(source).expect("a text");
        let assembled = assemble(&name, &source).unwrap_or_else(|error| panic!("{error}"));
        classes.insert(name, assembled.bytes);
    }
    classes
}

/// Makes all calls. Returns how many collections there were, and how many bytes they moved.
fn make_calls(motion: Motion) -> (u64, u64) {
    let list = committed::text("calls.txt");
    let mut by_class: BTreeMap<&str, Vec<Call<'_>>> = BTreeMap::new();
    for call in calls(&list) {
        by_class.entry(call.class).or_default().push(call);
    }
    let classes = classes();
    let room = Room {
        motion,
        heap: 1 << 20,
        fuel: 10_000_000,
        nested: 200,
    };
    let (mut collections, mut moved) = (0, 0);
    for (class, calls) in by_class {
        let done = pair(&classes[class], room, |pair| {
            for call in calls {
                let mut methods = pair.class.methods();
                let method = methods.find(|method| method.name == call.method);
                let method = method.expect("the list names methods").id;
                for arguments in call.arguments() {
                    let arguments = arguments.iter().copied().map(Argument::Int);
                    let arguments = arguments.collect::<Vec<_>>();
                    let _compared = pair.call(method, &arguments, room.fuel);
                }
            }
        });
        let (more, done) = done.expect("the verifier accepts the classes");
        collections += more;
        moved += u64::from(done.moved);
    }
    (collections, moved)
}

#[test]
fn calls_do_the_same_while_arrays_move() {
    let (collections, moved) = make_calls(Motion::Moving);
    println!("{collections} collections, {moved} bytes moved");
    assert!(
        collections > 1_000 && moved > 100_000,
        "{collections}, {moved}"
    );
}

#[test]
fn calls_do_the_same_while_gaps_are_filled() {
    let (collections, moved) = make_calls(Motion::Stationary);
    assert!(collections > 1_000 && moved == 0, "{collections}, {moved}");
}
