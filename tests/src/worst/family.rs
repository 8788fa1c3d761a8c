//! The list of them.

use jive_core::limits::{CONSTANTS_MAX, METHODS_MAX};

use super::flow::{self, ARRAYS, Cases, FRAME};
use super::pool;
use super::writer::Writer;

/// A class file that is made to be slow.
#[derive(Clone, Debug)]
pub struct Worst {
    /// What it is known by.
    pub name: &'static str,
    /// What makes it slow.
    pub about: &'static str,
    /// The class file.
    pub bytes: Vec<u8>,
}

/// The greatest `constant_pool_count` that a class file can have.
const COUNT_MAX: u16 = u16::MAX;
/// Methods of 64 KiB that a file of 1 MiB holds.
const LONG_METHODS: u16 = 15;
/// Bytes of each of as many methods as a class may have, in a file of 1 MiB.
const SHORT_METHOD: usize = 16_000;
/// Bytes of the long loop.
const LOOP: usize = 62_000;

/// Arrays that move where every method is to be judged, none rejected: the budget lasts for no more.
const MERGES_WITHIN: u8 = 8;
/// The same of the short loop.
const ROTATION_WITHIN: u8 = 18;

fn bodies(count: u16, code: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new("Worst");
    writer.methods(count, FRAME, code);
    writer.finish()
}

/// Returns the whole family.
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
