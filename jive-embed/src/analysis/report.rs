//! Reports on what an accepted class can do at most, for each entry point.

use std::collections::BTreeSet;

use jive_core::{ClassFile, Cut, Method, MethodId};
use jive_verifier::Policy;
#[cfg(feature = "json")]
use serde::Serialize;

use super::explore::{Explorer, Totals};
use super::paths::Range;

/// Maximum number of loops of a kind (with or without a bound) that are listed for an entry point. The maximum is
/// chosen by JIVE, because readers look at the first few loops only. Without a maximum, each of 64 entry points could
/// list the same 20,000 loops of a class.
pub const LISTED_MAX: usize = 32;

/// Resource bounds of a class.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub struct Report {
    /// Bytes of the permanent arrays that the static initializer and the constructor allocate. The number of permanent
    /// bytes includes the arrays' headers, but not `RxBuf`. The number of permanent bytes is `None` if it is not
    /// constant.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub persistent_heap_bytes: Option<u64>,
    /// The bounds of the methods that the runtime can call.
    pub entry_points: Vec<EntryPoint>,
    /// Number of steps that the analysis took: visits of instructions, edges and slots.
    #[cfg_attr(feature = "json", serde(skip))]
    pub steps: usize,
}

/// Resource bounds for a call of an entry point, including its callees.
///
/// [`Cut`] truncates names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub struct EntryPoint {
    /// Name of the method.
    pub method: String,
    /// Descriptor of the method.
    pub descriptor: String,
    /// The deepest chain of calls, starting with the method itself. If several chains are equally deep, the first that
    /// was found is listed. The chain is `None` for a recursive method.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub call_chain: Option<Vec<String>>,
    /// Methods that call each other in a cycle, if the entry point reaches such a cycle.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub recursion: Option<Vec<String>>,
    /// Bytes of the local variables and operand stacks along the call chain that needs most bytes. The number of frame
    /// bytes is `None` for a recursive method.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub frame_bytes_max: Option<u64>,
    /// Maximum number of bytes of the arrays that the call allocates. The number of bytes is `None` if it is unbounded
    /// or depends on data.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub heap_bytes_max: Option<u64>,
    /// Whether the call allocates the same number of bytes on every path.
    pub heap_is_constant: bool,
    /// The natives that the call can reach.
    pub natives: BTreeSet<String>,
    /// Number of loops that the call can execute, as far as the analysis found them.
    pub loops: usize,
    /// The first [`LISTED_MAX`] loops that the call can execute and that are not proven to end.
    pub uncounted_loops: Vec<LoopPlace>,
    /// Number of loops not proven to end that `uncounted_loops` leaves out.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "is_zero"))]
    pub uncounted_loops_omitted: usize,
    /// Whether the step budget ended before all loops were analysed. If the step budget ended, nested loops may be
    /// missing, and some counted loops are listed as uncounted.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "is_false"))]
    pub loops_incomplete: bool,
    /// Maximum number of instructions that the call can execute, or `None` if the call can reach loops or recursion.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub bytecodes_max: Option<u64>,
}

/// Location of a loop.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub struct LoopPlace {
    /// Name of the method that contains the loop.
    pub method: String,
    /// The pc of the loop's lowest instruction.
    pub pc: u16,
    /// Source line of the loop's lowest instruction.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub line: Option<u16>,
}

#[cfg(feature = "json")]
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[cfg(feature = "json")]
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Report {
    /// Analyses a class that the verifier accepted under `policy`. Under an applet policy, the entry points are the
    /// methods that the policy names. Under another policy, every method is an entry point.
    #[must_use]
    pub fn of(class: ClassFile<'_>, policy: Policy) -> Report {
        let mut explorer = Explorer::new(class);
        let (mut persistent, mut entry_points) = (Range::ZERO, Vec::new());
        for method in class.methods().filter(|method| method.code().is_some()) {
            let is_initializer = method.name == "<clinit>" || method.name == "<init>";
            let is_called = match policy {
                Policy::Applet { entries }
                | Policy::DirectApplet { entries }
                | Policy::Program { entries } => entries.iter().any(|entry| {
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

/// Returns the resource bounds for a call of a method.
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
        let room = LISTED_MAX - uncounted_loops.len();
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
