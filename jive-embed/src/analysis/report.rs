//! What an accepted class can do at most, for each method that is called from outside.

use std::collections::BTreeSet;

use jive_core::{ClassFile, Cut, Method, MethodId};
use jive_verifier::Policy;
use serde::Serialize;

use super::explore::{Explorer, Totals};
use super::paths::Range;

/// Uncounted loops that are listed for one entry point. Chosen: a reader looks at the first few, and a
/// class may have 20,000, which each of 64 methods runs through.
pub const UNCOUNTED_LISTED_MAX: usize = 32;

/// What a class can do at most.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Bytes of the arrays that live as long as the class, headers included and `RxBuf` left out:
    /// what static initializer and constructor make. Absent where that depends on what happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistent_heap_bytes: Option<u64>,
    /// The methods that are called from outside.
    pub entry_points: Vec<EntryPoint>,
    /// Instructions, edges and places that were looked at, each as often as it was.
    #[serde(skip)]
    pub steps: usize,
}

/// What one call of a method from outside can do at most, all that it calls included.
///
/// Names are cut as [`Cut`] does it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntryPoint {
    /// Its name.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The deepest chain of calls, itself first; of several the first found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_chain: Option<Vec<String>>,
    /// Methods that call each other in a circle, where there are such: no chain is deepest then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recursion: Option<Vec<String>>,
    /// Bytes of local variables and operand stacks that the chain needing most of them needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_bytes_max: Option<u64>,
    /// Bytes of the arrays that it makes, where nothing but its instructions decides that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap_bytes_max: Option<u64>,
    /// Whether it makes as many on every path.
    pub heap_is_constant: bool,
    /// The natives that it may call.
    pub natives: BTreeSet<String>,
    /// How many loops it may run through, as far as they were looked for.
    pub loops: usize,
    /// Those of them that are not counted, the first [`UNCOUNTED_LISTED_MAX`] of them.
    pub uncounted_loops: Vec<LoopPlace>,
    /// How many more are not counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub uncounted_loops_omitted: usize,
    /// Whether the budget ended before all loops were looked for. Then inner loops may be missing, and some that are
    /// counted are listed as if they were not.
    #[serde(skip_serializing_if = "is_false")]
    pub loops_incomplete: bool,
    /// Instructions that it executes at most; absent where there are loops or recursion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytecodes_max: Option<u64>,
}

/// Where a loop begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LoopPlace {
    /// The method that it belongs to.
    pub method: String,
    /// Its lowest instruction.
    pub pc: u16,
    /// The line of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u16>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Report {
    /// Explores a class that the verifier accepted under this policy: the entry points of an applet, or all methods of a
    /// class that is none.
    #[must_use]
    pub fn of(class: ClassFile<'_>, policy: Policy) -> Report {
        let mut explorer = Explorer::new(class);
        let (mut persistent, mut entry_points) = (Range::ZERO, Vec::new());
        for method in class.methods().filter(|method| method.code().is_some()) {
            let is_initializer = method.name == "<clinit>" || method.name == "<init>";
            let is_called = match policy {
                Policy::Applet { entries } => entries.iter().any(|entry| {
                    method.name == entry.name && method.descriptor == entry.descriptor
                }),
                Policy::ClassOnly => true,
            };
            if !is_initializer && !is_called {
                continue;
            }
            let totals = explorer.totals(&method);
            if is_initializer {
                persistent = persistent.then(totals.heap);
            }
            entry_points.push(entry_point(&explorer, &method, &totals));
        }
        Report {
            persistent_heap_bytes: persistent.constant(),
            entry_points,
            steps: explorer.steps,
        }
    }
}

/// Sums up what a call of a method comes to.
fn entry_point<'a>(
    explorer: &Explorer<'a>,
    method: &Method<'a>,
    totals: &Totals<'a>,
) -> EntryPoint {
    let name = |id: &MethodId| {
        let method = explorer.class.method(*id);
        method.map(|method| Cut(method.name).to_string())
    };
    let names = |ids: &[MethodId]| ids.iter().filter_map(name).collect::<Vec<_>>();
    let (mut loops, mut uncounted) = (0, 0);
    let mut loops_incomplete = false;
    let mut uncounted_loops = Vec::new();
    let mut natives = BTreeSet::new();
    for reached in explorer.reached(method.id) {
        let Some(known) = explorer.known(reached) else {
            continue;
        };
        natives.extend(known.natives.iter().map(|name| Cut(*name).to_string()));
        loops += known.loops.count;
        uncounted += known.loops.uncounted;
        loops_incomplete |= known.loops.is_incomplete;
        let room = UNCOUNTED_LISTED_MAX - uncounted_loops.len();
        uncounted_loops.extend(known.loops.places.iter().take(room).cloned());
    }
    let is_bounded = totals.recursion.is_none();
    let chain = totals.chain.iter().rev().copied().collect::<Vec<_>>();
    EntryPoint {
        method: Cut(method.name).to_string(),
        descriptor: Cut(method.descriptor).to_string(),
        call_chain: is_bounded.then(|| names(&chain)),
        recursion: totals.recursion.as_deref().map(names),
        frame_bytes_max: is_bounded.then_some(totals.frame_bytes),
        heap_bytes_max: totals.heap.max,
        heap_is_constant: totals.heap.constant().is_some(),
        natives,
        loops,
        uncounted_loops_omitted: uncounted - uncounted_loops.len(),
        uncounted_loops,
        loops_incomplete,
        bytecodes_max: totals.bytecodes.max,
    }
}
