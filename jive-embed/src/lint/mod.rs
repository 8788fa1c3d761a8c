//! Warnings about accepted classes: code that is safe and probably not what its programmer meant.
//!
//! A lint stays silent in case of doubt, and never changes the verdict on a class.

mod arrays;
mod bytes;
mod flow;
mod method;
mod packet;

use std::collections::BTreeSet;
use std::fmt;

use jive_core::{ClassFile, MethodId, Pc};
#[cfg(feature = "json")]
use serde::Serialize;

use self::arrays::Arrays;
use self::flow::Natives;
use self::method::Examined;
use crate::analysis::{
    Environment, Facts, Flow, ForeignFields, LineTable, Origins, Signatures, bounded_loops,
};
use crate::rejection::{FoundAt, Rejection};

/// Maximum number of warnings that are shown of one class. Few warnings are shown, because a reader looks at the first
/// few, and a class may have 65,535.
const SHOWN_MAX: usize = 32;

/// Maximum number of steps that the lints may take in one class to search for values and loops. The number of
/// steps bounds the time for a class that was written to make the lints slow.
const STEPS_MAX: usize = 4 << 20;

macro_rules! lints {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal, $text:literal;)+) => {
        /// The subject of a warning.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Lint {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Lint {
            /// The code of every lint.
            pub const CODES: &'static [&'static str] = &[$($code),+];

            /// Returns the stable code.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Lint::$name => $code,)+ }
            }
        }

        impl fmt::Display for Lint {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Lint::$name => $text,)+ })
            }
        }
    };
}

lints! {
    /// The class reads `RxBuf` without a test of the packet's length.
    StaleBytes = "lint/stale-bytes",
        "`RxBuf` is read before `length` is tested, so the read may return bytes of an earlier packet";
    /// The class compares a `byte` with a number that no `byte` has.
    ByteRange = "lint/byte-range",
        "a `byte` is compared with a number outside -128 to 127, so the comparison always has the same result";
    /// A negative `byte` overwrites the higher bits of a number that is composed of bytes.
    ByteSign = "lint/byte-sign",
        "a `byte` becomes part of a larger number without a mask, so a negative `byte` changes the higher bits";
    /// The class compares a `byte` with a number that was computed as an `int`.
    ByteComputed = "lint/byte-computed",
        "a `byte` is compared with a computed `int`, and no `byte` equals an `int` of 128 or more";
    /// Nothing proves that a loop ends.
    UnboundedLoop = "lint/unbounded-loop",
        "no local variable of the loop steps towards a bound, so the call may run until the call's fuel is spent";
    /// The class allocates an array in each round of a loop.
    LoopAllocation = "lint/loop-allocation",
        "each round of the loop allocates an array, so the heap may be full before the loop ends";
    /// The class pops a free buffer that it never names in a descriptor.
    LostBuffer = "lint/lost-buffer",
        "a free buffer is popped and no descriptor names the buffer, so the user does not get the buffer back";
    /// A call stores an array in a field that does not outlive the call.
    ArrayEscape = "lint/array-escape",
        "an array that this call makes is stored in a field, so the call traps with `TransientEscape`";
    /// The class uses an array of a field that nobody assigns.
    UnassignedArray = "lint/unassigned-array",
        "the array's field is never assigned, so it is `null`, and the call traps with `NullPointerException`";
    /// The class makes more arrays than the default heap holds.
    HeapDemand = "lint/heap-demand",
        "the arrays up to this one take more than the default heap, so none is left: `OutOfMemoryError`";
}

/// A place in a class that a lint warns of.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    method: MethodId,
    pc: Pc,
    lint: Lint,
}

/// The warnings about a class.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub struct Warnings {
    warnings: Vec<Rejection>,
    /// Number of warnings that are not in `warnings`.
    #[cfg_attr(
        feature = "json",
        serde(rename = "warnings_omitted", skip_serializing_if = "is_zero")
    )]
    omitted: usize,
}

#[cfg(feature = "json")]
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl<'w> IntoIterator for &'w Warnings {
    type Item = &'w Rejection;
    type IntoIter = std::slice::Iter<'w, Rejection>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Warnings {
    /// Looks for warnings about a class that the verifier accepted. `environment` limits the arguments of entries and
    /// the results of natives.
    #[must_use]
    pub fn of<'f>(
        found: impl Into<FoundAt<'f>>,
        class: &ClassFile<'_>,
        environment: &Environment,
    ) -> Warnings {
        let found = found.into();
        let findings = findings(class, environment);
        let shown = findings.iter().take(SHOWN_MAX);
        let warnings = shown.map(|finding| {
            let Finding { method, pc, lint } = *finding;
            Rejection::warning(found, class, (method, pc), lint)
        });
        Warnings {
            warnings: warnings.collect(),
            omitted: findings.len().saturating_sub(SHOWN_MAX),
        }
    }

    /// Returns the warnings that are shown, in code order.
    pub fn iter(&self) -> std::slice::Iter<'_, Rejection> {
        self.warnings.iter()
    }

    /// Returns the number of warnings that are not shown.
    #[must_use]
    pub const fn omitted(&self) -> usize {
        self.omitted
    }

    /// Renders the warnings and the number of warnings not shown, or an empty text if there are no warnings.
    #[must_use]
    pub fn render(&self) -> String {
        let mut shown = self
            .warnings
            .iter()
            .map(Rejection::render)
            .collect::<Vec<_>>();
        if self.omitted > 0 {
            shown.push(format!("{} more warnings are not shown", self.omitted));
        }
        shown.join("\n\n")
    }
}

/// Returns the findings of all lints in an accepted class, in code order, one for each lint and source line.
fn findings(class: &ClassFile<'_>, environment: &Environment) -> Vec<Finding> {
    let natives = Natives::called_by(class);
    let facts = Facts::of(*class);
    let arrays = Arrays::of(&facts, environment);
    let mut signatures = Signatures::new(class);
    let mut steps = STEPS_MAX;
    let mut found = Vec::new();
    for method in class.methods() {
        let Some(code) = method.code() else { continue };
        let Some(Flow { graph, depths }) = facts.flow(method.id) else {
            continue;
        };
        let origins = Origins::new(class, graph, depths);
        let mut examined = Examined {
            class,
            method,
            graph,
            depths,
            origins,
            signatures: &mut signatures,
            steps: &mut steps,
            found: Vec::new(),
        };
        packet::look(&mut examined);
        bytes::look(&mut examined);
        flow::look(&mut examined, &natives);
        arrays::look(&mut examined, &arrays);
        let mut own = examined.found;
        own.sort_unstable();
        let lines = LineTable::of(&code);
        // Findings of one lint in one line are merged, because one expression may break a rule with several
        // instructions.
        own.dedup_by(|next, kept| {
            let (line, of_kept) = (lines.line(next.pc), lines.line(kept.pc));
            next.lint == kept.lint && line.is_some() && line == of_kept
        });
        found.extend(own);
    }
    if found
        .iter()
        .any(|finding| finding.lint == Lint::UnboundedLoop)
    {
        let bounded = loops_with_bounds(&facts, environment);
        found.retain(|finding| {
            finding.lint != Lint::UnboundedLoop || !bounded.contains(&(finding.method, finding.pc))
        });
    }
    found
}

/// Returns the loops that have a bound, each as its method and its pc.
///
/// A loop with a bound may count to a field that changes meanwhile, if all stores to the field limit its values. A loop
/// with a bound may take large steps up to a packet's length: the NIC limits packets, so the counter cannot wrap
/// around.
fn loops_with_bounds(facts: &Facts<'_>, environment: &Environment) -> BTreeSet<(MethodId, Pc)> {
    // The environment `anywhere` lists no entries, so that methods that no entry calls are judged too, with any
    // arguments.
    let anywhere = Environment {
        entries: None,
        natives: Vec::new(),
        array_length_max: u32::MAX,
        packet: None,
        bytecode_ps: 0,
        foreign: ForeignFields::None,
        heap_bytes: None,
        keeps_arrays: true,
    };
    let mut bounded = bounded_loops(facts, environment);
    bounded.extend(bounded_loops(facts, &anywhere));
    bounded
}
