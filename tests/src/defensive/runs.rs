//! Runs of a class: calls every method with code, with random inputs, budgets and lifetimes.

use core::fmt;
use std::collections::BTreeMap;

use jive_core::{ArrayKind, Lifetime, MethodId, NativeDecl};
use jive_verifier::Policy;

use super::natives::NativeAnswers;
use super::pair::{Finding, Pair};
use super::states::States;
use crate::machine::{Room, machine, parsed};
use jive_lab::Random;

/// Counts of runs by outcome.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Classes that were accepted and run.
    pub classes: u64,
    /// Calls made.
    pub runs: u64,
    /// Instructions executed by each interpreter.
    pub instructions: u64,
    /// Trapped calls, by the name of the trap.
    pub traps: BTreeMap<&'static str, u64>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} runs of {} classes, {} instructions",
            self.runs, self.classes, self.instructions
        )?;
        for (name, count) in &self.traps {
            write!(f, ", {count} {name}")?;
        }
        Ok(())
    }
}

/// Heap and call depth that are small enough that random runs sometimes exhaust them.
const ROOM: Room = Room {
    heap: 1024,
    frames: 12,
    fuel: 2000,
};

/// The plan for the runs of a class.
#[derive(Copy, Clone, Debug)]
pub struct Plan {
    /// The policy by which the class is verified.
    pub policy: Policy,
    /// The natives available to the class.
    pub natives: &'static [NativeDecl<'static>],
    /// Number of calls of each method.
    pub rounds: u32,
    /// The method to call; `None` for all methods.
    pub method: Option<&'static str>,
}

/// Runs a class by a plan if the verifier accepts the class, and returns whether it was accepted.
///
/// # Errors
///
/// Returns the failure, with the method that was called.
pub fn run(
    bytes: &[u8],
    plan: &Plan,
    random: &mut Random,
    tally: &mut Tally,
) -> Result<bool, String> {
    let inferred = parsed(bytes, |class| {
        States::infer(class, plan.policy, plan.natives)
    });
    let Ok(Ok(states)) = inferred else {
        return Ok(false);
    };
    let verdict = machine(bytes, plan.policy, plan.natives, ROOM, |machine| {
        tally.classes += 1;
        let methods: Vec<MethodId> = machine
            .class
            .methods()
            .filter(|method| method.code().is_some())
            .filter(|method| plan.method.is_none_or(|name| method.name == name))
            .map(|method| method.id)
            .collect();
        let receive_buffer = machine
            .class
            .fields()
            .find(|field| field.name == "RxBuf" && field.descriptor == "[B")
            .map(|field| field.id);
        let mut pair = Pair::new(machine, states, ROOM);
        if let Some(field) = receive_buffer {
            pair.make_array(ArrayKind::Byte, 64, 0x5a);
            pair.set_field_to_array(field);
        }
        run_methods(&mut pair, &methods, plan, random, tally)
    });
    match verdict {
        Ok(Ok(())) => Ok(true),
        Ok(Err((method, finding))) => Err(format!("called method {method}: {finding}")),
        Err(rejected) => Err(format!("verified once, but not again: {rejected}")),
    }
}

fn run_methods(
    pair: &mut Pair<'_, '_>,
    methods: &[MethodId],
    plan: &Plan,
    random: &mut Random,
    tally: &mut Tally,
) -> Result<(), (MethodId, Finding)> {
    let answers = |random: &mut Random| NativeAnswers::new(plan.natives, random.draw());
    let begun = answers(random);
    pair.load(&begun)
        .map_err(|finding| (MethodId(0), finding))?;
    for kind in ArrayKind::ALL {
        let [byte, length, ..] = random.draw().to_be_bytes();
        pair.make_array(kind, i32::from(length % 9), byte);
    }
    for _ in 0..plan.rounds {
        for &method in methods {
            let arguments = pair.arguments(method, random);
            let lifetime = if random.one_in(16) {
                Lifetime::Persistent
            } else {
                Lifetime::PerCall
            };
            // A small budget of fuel ends a call at any instruction; a large one allows several rounds of a loop.
            let fuel = match random.below(8) {
                0 => random.below(20),
                1..=6 => 20 + random.below(180),
                _ => 2000,
            };
            pair.set_fuel(u64::try_from(fuel).expect("a small number"));
            let ended = pair
                .call(method, &arguments, lifetime, &answers(random))
                .map_err(|finding| (method, finding))?;
            tally.runs += 1;
            tally.instructions += pair.executed();
            if let Err(trap) = ended {
                *tally.traps.entry(trap.kind.name()).or_default() += 1;
            }
        }
    }
    Ok(())
}
