//! Resource bounds of each method of an accepted class, including its callees.

use std::collections::BTreeSet;

use jive_core::limits::{ARRAY_ALIGNMENT, ARRAY_HEADER_BYTES};
use jive_core::{
    ArrayKind, ClassFile, Code, Cut, Insn, Method, MethodId, Operand, Utf8, instructions,
};

use super::calls::{Callee, Signatures, callee};
use super::components::{Components, Partition};
use super::depths::Depths;
use super::graph::ControlFlow;
use super::line_table::LineTable;
use super::loops::{Loops, loops};
use super::origin::{Origins, Slot};
use super::paths::{Range, over_paths};
use super::report::{LISTED_MAX, LoopPlace};

/// Size of a local variable or an operand, in bytes.
const SLOT_BYTES: u64 = 4;
/// Name of the native that allocates an array.
const NEW_ALIGNED_ARRAY: &str = "newAlignedArray";

/// Steps that the search for nested loops may take in any class, in addition to the steps for each byte of code.
/// Together with `LOOP_STEPS_PER_BYTE`, this number limits the search for loops in 64 KiB of code to about 20 ms on a
/// desktop.
const LOOP_STEPS_BASE: usize = 1 << 19;
/// Additional steps that the search for nested loops may take for each byte of code. The search in compiled code takes
/// a few steps for each nesting level of loops.
const LOOP_STEPS_PER_BYTE: usize = 24;

/// Resource bounds for a call of a method, including its callees.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals<'a> {
    /// The deepest chain of calls that starts with the method, in reverse order: the method itself is last.
    pub(super) chain: Vec<MethodId>,
    pub(super) recursion: Option<Vec<MethodId>>,
    pub(super) frame_bytes: u64,
    pub(super) heap: Range,
    pub(super) bytecodes: Range,
    /// The natives that the method itself can call, without those of its callees.
    pub(super) natives: BTreeSet<Utf8<'a>>,
    /// The methods that the method itself can call, without those that its callees call.
    pub(super) callees: BTreeSet<MethodId>,
    /// The loops of the method itself, without those of its callees.
    pub(super) loops: LoopTotals,
}

/// The loops of one method.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopTotals {
    pub(super) count: usize,
    /// Number of the method's loops that are not proven to end.
    pub(super) uncounted: usize,
    /// Locations of the method's first uncounted loops.
    pub(super) places: Vec<LoopPlace>,
    /// Whether the step budget ended before the search for loops was complete.
    pub(super) is_incomplete: bool,
}

/// The analysis of a class, with the results for the methods analysed so far.
pub(super) struct Explorer<'a> {
    pub(super) class: ClassFile<'a>,
    /// Steps taken so far.
    pub(super) steps: usize,
    known: Vec<Option<Totals<'a>>>,
    signatures: Signatures,
    /// Number of steps that remain for the search for nested loops, shared by all methods. `None` if loops are not
    /// searched for.
    loop_steps: Option<usize>,
    /// Whether any method of the class allocates an array, or `None` until that is computed.
    makes_arrays: Option<bool>,
    /// The call path to the method that is being analysed.
    path: Vec<MethodId>,
}

impl<'a> Explorer<'a> {
    /// Creates an analysis that has not analysed any method.
    pub(super) fn new(class: ClassFile<'a>) -> Explorer<'a> {
        let codes = class.methods().filter_map(|method| method.code());
        let code_bytes: usize = codes.map(|code| code.bytes.len()).sum();
        Explorer {
            class,
            steps: 0,
            known: vec![None; class.method_count()],
            signatures: Signatures::new(&class),
            loop_steps: Some(LOOP_STEPS_BASE + LOOP_STEPS_PER_BYTE * code_bytes),
            makes_arrays: None,
            path: Vec::new(),
        }
    }

    /// Creates an analysis that leaves out loops.
    pub(super) fn without_loops(class: ClassFile<'a>) -> Explorer<'a> {
        Explorer {
            loop_steps: None,
            ..Explorer::new(class)
        }
    }

    /// Returns the resource bounds of a method, if the method has been analysed.
    pub(super) fn known(&self, id: MethodId) -> Option<&Totals<'a>> {
        self.known.get(id.index())?.as_ref()
    }

    /// Analyses a method and its callees. The recursion of `totals` is at most as deep as the number of methods in the
    /// class.
    pub(super) fn totals(&mut self, method: &Method<'a>) -> Totals<'a> {
        if let Some(known) = self.known(method.id) {
            return known.clone();
        }
        let Some(code) = method.code() else {
            return Totals::default();
        };
        let graph = ControlFlow::of(&code);
        let reachable = graph.reachable();
        // The counted steps are those of building the graph, its edges in both directions, and the search for reachable
        // instructions.
        self.steps += 3 * graph.size();
        self.path.push(method.id);
        let mut totals = Totals::default();
        // `below` is indexed by callee, so that 20,000 calls of the same method add the callee's totals only once.
        let mut below = vec![None; self.class.method_count()];
        let mut called = vec![None; graph.len()];
        for node in (0..graph.len()).filter(|node| reachable[*node]) {
            match callee(&self.class, graph.insn(node)) {
                Some(Callee::Own(id)) => {
                    called[node] = Some(id);
                    if below[id.index()].is_none() {
                        let found = self.below(id);
                        totals.join(&found);
                        totals.callees.insert(id);
                        below[id.index()] = Some((found.bytecodes, found.heap));
                    }
                }
                Some(Callee::Native(name)) => {
                    totals.natives.insert(name);
                }
                Some(Callee::ObjectInit) | None => {}
            }
        }
        self.path.pop();
        let frame = u64::from(code.max_locals) + u64::from(code.max_stack);
        totals.frame_bytes += frame * SLOT_BYTES;
        totals.chain.push(method.id);
        let below = |node: usize| called[node].and_then(|id: MethodId| below[id.index()]);
        let nodes = (0..graph.len()).filter(|node| reachable[*node]);
        let nodes = nodes.collect::<Vec<_>>();
        let components = Components::new(graph.len()).of(&graph, &nodes, &reachable);
        totals.bytecodes = over_paths(&graph, &components, |node| {
            let below = below(node).map_or(Range::ZERO, |(bytecodes, _)| bytecodes);
            Range::exactly(1).then(below)
        });
        // The counted steps are those of the search for calls, the components, and the sums of bytecodes and heap
        // bytes.
        self.steps += 4 * graph.size();
        totals.heap = self.heap(method.id, &graph, &components, |node| {
            below(node).map_or(Range::ZERO, |(_, heap)| heap)
        });
        totals.loops = self.loops(method, &code, &graph, &components);
        if let Some(known) = self.known.get_mut(method.id.index()) {
            *known = Some(totals.clone());
        }
        totals
    }

    /// Returns the bytes of the arrays that a method allocates, including those of its callees.
    fn heap(
        &mut self,
        method: MethodId,
        graph: &ControlFlow<'a>,
        components: &Partition,
        below: impl Fn(usize) -> Range,
    ) -> Range {
        let makes_arrays =
            (0..graph.len()).any(|node| made_array(&self.class, graph.insn(node)).is_some());
        if !makes_arrays {
            return over_paths(graph, components, below);
        }
        let depths = Depths::follow(&self.class, method, graph, &mut self.signatures);
        self.steps += graph.size();
        let origins = Origins::new(&self.class, graph, &depths);
        over_paths(graph, components, |node| {
            let insn = graph.insn(node);
            let Some(kind) = made_array(&self.class, insn) else {
                return below(node);
            };
            let top = depths
                .before(insn.pc)
                .and_then(|depth| depth.checked_sub(1));
            let length = top.and_then(|top| {
                let (length, steps) = origins.constant(insn.pc, Slot::Stack(top));
                self.steps += steps;
                length
            });
            allocation(kind, length)
        })
    }

    /// Analyses the loops of a method.
    fn loops(
        &mut self,
        method: &Method<'a>,
        code: &Code<'a>,
        graph: &ControlFlow<'a>,
        components: &Partition,
    ) -> LoopTotals {
        let Some(left) = &mut self.loop_steps else {
            return LoopTotals::default();
        };
        let before = *left;
        let Loops {
            found,
            is_incomplete,
        } = loops(&self.class, graph, components, left);
        self.steps += before - *left;
        let uncounted = found.iter().filter(|found| !found.is_counted);
        let mut totals = LoopTotals {
            count: found.len(),
            uncounted: uncounted.clone().count(),
            places: Vec::new(),
            is_incomplete,
        };
        if totals.uncounted > 0 {
            let lines = LineTable::of(code);
            self.steps += lines.len();
            let places = uncounted.take(LISTED_MAX).map(|found| LoopPlace {
                method: Cut(method.name).to_string(),
                pc: found.pc.0,
                line: lines.line(found.pc),
            });
            totals.places = places.collect();
        }
        totals
    }

    /// Analyses a callee of the current method. If the callee is already on the call path, returns the bounds of a
    /// recursion.
    fn below(&mut self, id: MethodId) -> Totals<'a> {
        if let Some(start) = self.path.iter().position(|on_path| *on_path == id) {
            let heap = if self.makes_arrays() {
                Range::UNKNOWN
            } else {
                Range::ZERO
            };
            return Totals {
                recursion: Some(self.path[start..].to_vec()),
                heap,
                bytecodes: Range::UNKNOWN,
                ..Totals::default()
            };
        }
        match self.class.method(id) {
            Some(method) => self.totals(&method),
            None => Totals::default(),
        }
    }

    /// Returns whether any method of the class allocates an array.
    fn makes_arrays(&mut self) -> bool {
        if let Some(known) = self.makes_arrays {
            return known;
        }
        let class = &self.class;
        let found = class
            .methods()
            .filter_map(|method| method.code())
            .flat_map(|code| instructions(code.bytes).map_while(Result::ok))
            .inspect(|_| self.steps += 1)
            .any(|insn| made_array(class, &insn).is_some());
        self.makes_arrays = Some(found);
        found
    }

    /// Returns the methods that a call of `method` can execute, including the method itself.
    pub(super) fn reached(&self, method: MethodId) -> BTreeSet<MethodId> {
        let mut reached = BTreeSet::from([method]);
        let mut waiting = vec![method];
        while let Some(id) = waiting.pop() {
            for callee in self.known(id).iter().flat_map(|totals| &totals.callees) {
                if reached.insert(*callee) {
                    waiting.push(*callee);
                }
            }
        }
        reached
    }
}

/// Whether an instruction itself allocates an array, which `newarray` and a call of `newAlignedArray` do.
pub(crate) fn makes_array(class: &ClassFile<'_>, insn: &Insn<'_>) -> bool {
    made_array(class, insn).is_some()
}

/// Returns the kind of array that an instruction itself allocates, if any.
pub(super) fn made_array(class: &ClassFile<'_>, insn: &Insn<'_>) -> Option<ArrayKind> {
    match insn.operand {
        Operand::ArrayType(code) => ArrayKind::from_newarray_code(code),
        _ => match callee(class, insn) {
            Some(Callee::Native(name)) if name == NEW_ALIGNED_ARRAY => Some(ArrayKind::Byte),
            Some(_) | None => None,
        },
    }
}

/// Returns the heap bytes that an array takes, which are unknown if its length is unknown.
fn allocation(kind: ArrayKind, length: Option<i32>) -> Range {
    let bytes = length.and_then(|length| array_bytes(kind, length));
    bytes.map_or(Range::UNKNOWN, Range::exactly)
}

/// Returns the heap bytes that an array of a length takes, or `None` if the length is negative.
pub(crate) fn array_bytes(kind: ArrayKind, length: i32) -> Option<u64> {
    let length = u64::try_from(length).ok()?;
    let data = (length * u64::from(kind.width())).next_multiple_of(u64::from(ARRAY_ALIGNMENT));
    Some(u64::from(ARRAY_HEADER_BYTES) + data)
}

impl Totals<'_> {
    /// Merges the totals of another callee into the totals of the caller, except the costs along paths. Function
    /// `totals` adds up the costs along paths.
    fn join(&mut self, below: &Totals<'_>) {
        if below.chain.len() > self.chain.len() {
            self.chain.clone_from(&below.chain);
        }
        if self.recursion.is_none() {
            self.recursion.clone_from(&below.recursion);
        }
        self.frame_bytes = self.frame_bytes.max(below.frame_bytes);
    }
}
