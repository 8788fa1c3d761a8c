//! The list of slow class files.

use jive_core::limits::{CONSTANTS_MAX, METHODS_MAX};

use super::explored;
use super::flow::{self, ARRAYS, Cases, FRAME};
use super::pool;
use super::writer::Writer;

/// A class file that is slow to verify, analyse or display.
#[derive(Clone, Debug)]
pub struct Worst {
    /// The class's name in results.
    pub name: &'static str,
    /// The reason why the class file is slow.
    pub about: &'static str,
    /// The class file.
    pub bytes: Vec<u8>,
}

/// The maximum `constant_pool_count` of a class file.
const COUNT_MAX: u16 = u16::MAX;
/// Number of methods with 64 KiB of code in a file of 1 MiB.
const LONG_METHODS: u16 = 15;
/// Bytes of code of each method, if a file of 1 MiB has the maximum number of methods.
const SHORT_METHOD: usize = 16_000;
/// Bytes of the long loop.
const LOOP: usize = 62_000;

/// Number of moving arrays in the loop of merges for which the verifier's budget just suffices, so that every method is
/// verified.
const MERGES_WITHIN: u8 = 8;
/// Number of moving arrays in the short loop for which the verifier's budget just suffices.
const ROTATION_WITHIN: u8 = 18;

fn bodies(count: u16, code: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new("Worst");
    writer.methods(count, FRAME, code);
    writer.finish()
}

/// Returns the class files of 64 KiB that are slow to analyse or long to display.
#[must_use]
pub fn explored_family() -> Vec<Worst> {
    let all = [
        (
            "self-calls",
            "a method that calls itself wherever it can",
            explored::self_calls(1),
        ),
        (
            "self-calls-named",
            "the same with long names",
            explored::self_calls(15_000),
        ),
        (
            "all-calls",
            "methods that all call one another and make arrays",
            explored::all_calls(),
        ),
        (
            "long-descriptors",
            "a method of 250 parameters, called by many references",
            explored::long_descriptors(),
        ),
        (
            "nested-loops",
            "loops in loops, each with a beginning of its own",
            explored::nested_loops(),
        ),
        (
            "nested-ends",
            "loops in loops with one beginning",
            explored::nested_ends(),
        ),
        (
            "nested-counters",
            "loops in loops that count",
            explored::nested_counters(),
        ),
        (
            "tests-that-fail",
            "a loop with thousands of tests that all but count",
            explored::tests_that_fail(),
        ),
        (
            "shared-loops",
            "thousands of loops that each of 64 methods runs through",
            explored::shared_loops(),
        ),
        (
            "lines",
            "thousands of loops with a line each, listed backwards",
            explored::lines(),
        ),
        (
            "copied-lengths",
            "arrays whose lengths are copies of one constant",
            explored::copied_lengths(),
        ),
        (
            "merged-lengths",
            "the same over branches",
            explored::merged_lengths(),
        ),
        (
            "switch-in-loop",
            "a switch whose cases all go back",
            explored::switch_in_loop(),
        ),
        (
            "wide-frames",
            "250 local variables over as many instructions as fit",
            explored::wide_frames(),
        ),
        (
            "long-names",
            "a class and a field of long names, named by every instruction",
            explored::long_names(),
        ),
    ];
    all.map(|(name, about, bytes)| Worst { name, about, bytes })
        .into_iter()
        .collect()
}

/// Returns the class files that are slow to verify.
#[must_use]
pub fn family() -> Vec<Worst> {
    let all = [
        (
            "rotation",
            "250 arrays rotate through a loop of 60,000 instructions",
            bodies(1, &flow::rotation(LOOP, ARRAYS)),
        ),
        (
            "merges",
            "the same over branches to the next instruction",
            bodies(1, &flow::merges(ARRAYS)),
        ),
        (
            "jumps",
            "the same over jumps to the next instruction",
            bodies(1, &flow::jumps()),
        ),
        (
            "reversed",
            "the same over a chain of jumps backwards",
            bodies(1, &flow::reversed()),
        ),
        (
            "back-edges",
            "the same over blocks that may go back to the one before",
            bodies(1, &flow::back_edges()),
        ),
        (
            "switch",
            "the same over a switch with a block for each case",
            bodies(1, &flow::switch(Cases::Apart)),
        ),
        (
            "switch-together",
            "the same over a switch with one block for all cases",
            bodies(1, &flow::switch(Cases::Together)),
        ),
        (
            "long-methods",
            "the branches, just within the budget, in as many methods of 64 KiB as a file holds",
            bodies(LONG_METHODS, &flow::merges(MERGES_WITHIN)),
        ),
        (
            "methods",
            "the loop, just within the budget, in as many methods as a class may have",
            bodies(METHODS_MAX, &flow::rotation(SHORT_METHOD, ROTATION_WITHIN)),
        ),
        (
            "members",
            "references to fields whose long names differ in the last byte",
            pool::members(),
        ),
        (
            "own-name",
            "references to the class by copies of its long name",
            pool::own_name(),
        ),
        (
            "descriptors",
            "references to methods by long descriptors",
            pool::descriptors(),
        ),
        (
            "numbers",
            "a full pool, all loaded",
            pool::numbers(CONSTANTS_MAX),
        ),
        (
            "pool-class-names",
            "a pool beyond the limit, of classes that share a long name",
            pool::class_names(COUNT_MAX),
        ),
        (
            "pool-method-types",
            "a pool beyond the limit, of methods that share a long descriptor",
            pool::method_types(COUNT_MAX),
        ),
        (
            "pool-numbers",
            "a pool beyond the limit, of numbers",
            pool::numbers(COUNT_MAX),
        ),
    ];
    all.map(|(name, about, bytes)| Worst { name, about, bytes })
        .into_iter()
        .collect()
}
