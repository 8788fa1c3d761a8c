//! Long code and long runs work on a host stack of 64 KiB, and fuel stays exact in the middle of them.

use std::fmt::Write;

use jive_core::{Lifetime, NoNatives, Trap, TrapKind};
use jive_lab::asm::assemble;
use jive_verifier::Policy;
use tests::machine::{Room, machine};

const HOST_STACK: usize = 64 << 10;

/// Number of consecutive additions of three bytes each, which a branch with a 16-bit offset cannot skip.
const ADDITIONS: u32 = 19_000;

/// Number of times that the additions are executed.
const ROUNDS: u32 = 3;

fn class() -> Vec<u8> {
    let mut source = String::from(
        ".class super Long\n\
         .method static straight(I)I stack 2 locals 2\n    iconst_0\n    istore_1\nagain:\n",
    );
    for _ in 0..ADDITIONS {
        source.push_str("    iinc 0 1\n");
    }
    write!(
        source,
        "    iinc 1 1\n    iload_1\n    iconst_{ROUNDS}\n    if_icmpge done\n    goto_w again\n\
         done:\n    iload_0\n    ireturn\n\
         .method static spin(I)I stack 2 locals 2\n    iconst_0\n    istore_1\n\
         top:\n    iload_1\n    iload_0\n    if_icmpge out\n    iinc 1 1\n    goto top\n\
         out:\n    iload_1\n    ireturn\n\
         .method static sink(I)I stack 2 locals 1\n    iload_0\n    ifeq bottom\n\
         \x20   iload_0\n    iconst_1\n    isub\n    invokestatic sink(I)I\n    iconst_1\n    iadd\n    ireturn\n\
         bottom:\n    iconst_0\n    ireturn\n",
    )
    .expect("a string takes whatever is written");
    assemble("long", &source).expect("it is well-formed").bytes
}

/// Calls a method on a thread with a small stack, and returns the result and the number of executed instructions.
fn call(method: &'static str, argument: i32, fuel: u64) -> (Result<Option<i32>, Trap>, u64) {
    let bytes = class();
    let room = Room {
        fuel,
        ..Room::default()
    };
    let small = std::thread::Builder::new().stack_size(HOST_STACK);
    let run = move || {
        machine(&bytes, Policy::ClassOnly, &[], room, |machine| {
            let id = machine.method(method);
            let result = machine.call(id, &[argument], Lifetime::PerCall, &mut NoNatives);
            (result, machine.stack.executed())
        })
        .expect("it is accepted")
    };
    let thread = small.spawn(run).expect("there is room for a thread");
    thread.join().expect("it does not panic")
}

#[test]
fn long_code_runs() {
    let total = i32::try_from(ROUNDS * ADDITIONS).expect("it is small");
    // `straight` executes two instructions before the rounds and two after them. Each round of `straight` has five
    // instructions besides the additions, but the last round does not jump back.
    let executed = u64::from(2 + ROUNDS * (ADDITIONS + 5) - 1 + 2);
    assert_eq!(
        call("straight", 5, 1 << 30),
        (Ok(Some(total + 5)), executed)
    );
}

#[test]
fn fuel_is_exact_in_long_code() {
    // The addition with index k is at pc 2 + 3k.
    for k in [0, 1, 127, 191, 192, 193, 1000, 12_345, ADDITIONS - 1] {
        let fuel = u64::from(2 + k);
        let (result, executed) = call("straight", 5, fuel);
        let trap = result.expect_err("the fuel does not last");
        assert_eq!(
            (trap.kind, u32::from(trap.pc.0)),
            (TrapKind::FuelExhausted, 2 + 3 * k)
        );
        assert_eq!(executed, fuel);
    }
    // Trap at addition 700 of the second round: a round has five instructions more than additions.
    let (result, executed) = call("straight", 5, u64::from(2 + ADDITIONS + 5 + 700));
    assert_eq!(result.map_err(|trap| trap.pc.0), Err(2 + 3 * 700));
    assert_eq!(executed, u64::from(2 + ADDITIONS + 5 + 700));
}

#[test]
fn long_loops_and_deep_calls_run() {
    // `spin` executes two instructions before its loop, five in each round, three to find the end of the loop, and two
    // after it.
    let (turns, executed) = (300_000, 2 + 5 * 300_000 + 3 + 2);
    assert_eq!(call("spin", turns, 1 << 30), (Ok(Some(turns)), executed));
    // `sink` executes nine instructions in a call that calls again, and four in the last call.
    assert_eq!(call("sink", 150, 1 << 30), (Ok(Some(150)), 150 * 9 + 4));
    let (result, _) = call("sink", 200, 1 << 30);
    assert_eq!(
        result.map_err(|trap| (trap.kind, trap.pc.0)),
        Err((TrapKind::StackOverflowError, 7))
    );
}
