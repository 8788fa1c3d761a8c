//! What an accepted class can do at most, for each method that is called from outside.

use std::collections::BTreeSet;

use jive_core::limits::{ARRAY_ALIGNMENT, ARRAY_HEADER_BYTES};
use jive_core::{
    AppletMembers, ArrayKind, ClassFile, Insn, Method, MethodId, Operand, Pc, instructions,
};
use jive_verifier::{Observer, Policy, TypeState};
use serde::Serialize;

use super::calls::{Callee, callee};
use super::graph::ControlFlow;
use super::loops::{Loop, loops};
use super::origin::{Depths, Origins, Slot};
use super::paths::{Range, over_paths};
use crate::sle::verify_class;

/// Bytes of a local variable or an operand.
const SLOT_BYTES: u64 = 4;
/// The native that makes an array.
const NEW_ALIGNED_ARRAY: &str = "newAlignedArray";

/// What a class can do at most.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// Bytes of the arrays that live as long as the class, headers included and `RxBuf` left out:
    /// what static initializer and constructor make. Absent where that depends on what happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) persistent_heap_bytes: Option<u64>,
    /// The methods that are called from outside.
    pub(crate) entry_points: Vec<EntryPoint>,
}

/// What one call of a method from outside can do at most, all that it calls included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct EntryPoint {
    /// Its name.
    pub(crate) method: String,
    /// Its descriptor.
    pub(crate) descriptor: String,
    /// The deepest chain of calls, itself first; of several the first found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) call_chain: Option<Vec<String>>,
    /// Methods that call each other in a circle, where there are such: no chain is deepest then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recursion: Option<Vec<String>>,
    /// Bytes of local variables and operand stacks that the chain needing most of them needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) frame_bytes_max: Option<u64>,
    /// Bytes of the arrays that it makes, where nothing but its instructions decides that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) heap_bytes_max: Option<u64>,
    /// Whether it makes as many on every path.
    pub(crate) heap_is_constant: bool,
    /// The natives that it may call.
    pub(crate) natives: BTreeSet<String>,
    /// How many loops it may run through.
    pub(crate) loops: usize,
    /// Those of them that are not counted.
    pub(crate) uncounted_loops: Vec<LoopPlace>,
    /// Instructions that it executes at most; absent where there are loops or recursion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytecodes_max: Option<u64>,
}

/// Where a loop begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct LoopPlace {
    /// The method that it belongs to.
    pub(crate) method: String,
    /// Its lowest instruction.
    pub(crate) pc: u16,
    /// The line of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u16>,
}

impl Report {
    /// Explores a class that the verifier accepted: the entry points of an applet, or all methods of a
    /// class that is none.
    pub(crate) fn of(class: ClassFile<'_>, applet: Option<AppletMembers>) -> Report {
        let mut depths = class
            .methods()
            .map(|method| {
                let length = method.code().map_or(0, |code| code.bytes.len());
                Depths::of(method.id, length)
            })
            .collect::<AllDepths>();
        // It was accepted before; this time the depths are of interest.
        let accepted = verify_class(class, Policy::ClassOnly, &mut depths);
        debug_assert!(accepted.is_ok(), "the class was verified");
        let mut explorer = Explorer {
            class,
            depths: depths.0,
            known: vec![None; class.method_count()],
            loops: vec![Vec::new(); class.method_count()],
            path: Vec::new(),
        };
        let (mut persistent, mut entry_points) = (Range::ZERO, Vec::new());
        for method in class.methods().filter(|method| method.code().is_some()) {
            let is_initializer = method.name == "<clinit>" || method.name == "<init>";
            let is_called =
                applet.is_none_or(|applet| method.id == applet.do_tx || method.id == applet.do_rx);
            if !is_initializer && !is_called {
                continue;
            }
            let totals = explorer.totals(&method);
            if is_initializer {
                persistent = persistent.then(totals.heap);
            }
            entry_points.push(explorer.entry_point(&method, totals));
        }
        Report {
            persistent_heap_bytes: persistent.constant(),
            entry_points,
        }
    }
}

/// The depths of every method's operand stack.
struct AllDepths(Vec<Depths>);

impl FromIterator<Depths> for AllDepths {
    fn from_iter<I: IntoIterator<Item = Depths>>(depths: I) -> AllDepths {
        AllDepths(depths.into_iter().collect())
    }
}

impl Observer for AllDepths {
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        if let Some(depths) = self.0.get_mut(method.index()) {
            depths.note(pc, state.stack().len());
        }
    }

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}
}

/// What a call of a method comes to, with all that it calls.
#[derive(Clone, Debug)]
struct Totals {
    /// The deepest chain of calls, the method itself last.
    chain: Vec<MethodId>,
    recursion: Option<Vec<MethodId>>,
    frame_bytes: u64,
    heap: Range,
    bytecodes: Range,
    /// The natives that the method itself may call.
    natives: BTreeSet<String>,
    /// The methods that it may call itself.
    callees: BTreeSet<MethodId>,
}

struct Explorer<'a> {
    class: ClassFile<'a>,
    depths: Vec<Depths>,
    known: Vec<Option<Totals>>,
    /// The loops of each method that was explored.
    loops: Vec<Vec<Loop>>,
    /// The methods whose callees are being explored.
    path: Vec<MethodId>,
}

impl<'a> Explorer<'a> {
    /// Explores a method, no deeper than there are methods.
    fn totals(&mut self, method: &Method<'a>) -> Totals {
        if let Some(known) = self.known.get(method.id.index()).cloned().flatten() {
            return known;
        }
        let Some(code) = method.code() else {
            return Totals::nothing();
        };
        let graph = ControlFlow::of(&code);
        let reachable = graph.reachable();
        self.path.push(method.id);
        let mut totals = Totals::nothing();
        let mut called = vec![None; graph.len()];
        for node in (0..graph.len()).filter(|node| reachable[*node]) {
            match callee(&self.class, graph.insn(node)) {
                Some(Callee::Own(id)) => {
                    let below = self.below(id);
                    totals.join(&below);
                    totals.callees.insert(id);
                    called[node] = Some((below.bytecodes, below.heap));
                }
                Some(Callee::Native(name)) => {
                    totals.natives.insert(name.to_string());
                }
                Some(Callee::ObjectInit) | None => {}
            }
        }
        self.path.pop();
        let frame = u64::from(code.max_locals) + u64::from(code.max_stack);
        totals.frame_bytes += frame * SLOT_BYTES;
        totals.chain.push(method.id);
        totals.bytecodes = over_paths(&graph, |node| {
            let below = called[node].map_or(Range::ZERO, |(bytecodes, _)| bytecodes);
            Range::exactly(1).then(below)
        });
        totals.heap = over_paths(&graph, |node| {
            let below = called[node].map_or(Range::ZERO, |(_, heap)| heap);
            self.allocation(method.id, &graph, node).then(below)
        });
        if let Some(known) = self.known.get_mut(method.id.index()) {
            *known = Some(totals.clone());
        }
        if let Some(found) = self.loops.get_mut(method.id.index()) {
            *found = loops(&self.class, &graph);
        }
        totals
    }

    /// Explores a method that one on the path calls.
    fn below(&mut self, id: MethodId) -> Totals {
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
                ..Totals::nothing()
            };
        }
        match self.class.method(id) {
            Some(method) => self.totals(&method),
            None => Totals::nothing(),
        }
    }

    /// Whether any method of the class makes an array.
    fn makes_arrays(&self) -> bool {
        self.class
            .methods()
            .filter_map(|method| method.code())
            .flat_map(|code| instructions(code.bytes).map_while(Result::ok))
            .any(|insn| self.made_array(&insn).is_some())
    }

    /// Returns the kind of array that an instruction makes by itself.
    fn made_array(&self, insn: &Insn<'_>) -> Option<ArrayKind> {
        match insn.operand {
            Operand::ArrayType(code) => ArrayKind::from_newarray_code(code),
            _ => match callee(&self.class, insn) {
                Some(Callee::Native(name)) if name == NEW_ALIGNED_ARRAY => Some(ArrayKind::Byte),
                Some(_) | None => None,
            },
        }
    }

    /// Returns the methods that a call of one may run through, itself included.
    fn reached(&self, method: MethodId) -> BTreeSet<MethodId> {
        let mut reached = BTreeSet::from([method]);
        let mut waiting = vec![method];
        while let Some(id) = waiting.pop() {
            let known = self.known.get(id.index()).and_then(Option::as_ref);
            for callee in known.iter().flat_map(|totals| &totals.callees) {
                if reached.insert(*callee) {
                    waiting.push(*callee);
                }
            }
        }
        reached
    }

    /// Returns how many bytes of the heap an instruction takes by itself.
    fn allocation(&self, method: MethodId, graph: &ControlFlow<'_>, node: usize) -> Range {
        let insn = graph.insn(node);
        let (Some(kind), Some(depths)) = (self.made_array(insn), self.depths.get(method.index()))
        else {
            return Range::ZERO;
        };
        let length = depths.before(insn.pc).and_then(|depth| {
            let top = Slot::Stack(depth.checked_sub(1)?);
            let length = Origins::new(&self.class, graph, depths).constant(insn.pc, top)?;
            u64::try_from(length).ok()
        });
        match length {
            Some(length) => {
                let data =
                    (length * u64::from(kind.width())).next_multiple_of(u64::from(ARRAY_ALIGNMENT));
                Range::exactly(u64::from(ARRAY_HEADER_BYTES) + data)
            }
            None => Range::UNKNOWN,
        }
    }

    fn entry_point(&self, method: &Method<'a>, totals: Totals) -> EntryPoint {
        let names = |ids: &[MethodId]| {
            let name = |id: &MethodId| self.class.method(*id).map(|method| method.name.to_string());
            ids.iter().filter_map(name).collect::<Vec<_>>()
        };
        let (mut loop_count, mut uncounted_loops) = (0, Vec::new());
        let mut natives = BTreeSet::new();
        for reached in self.reached(method.id) {
            let known = self.known.get(reached.index()).and_then(Option::as_ref);
            natives.extend(
                known
                    .iter()
                    .flat_map(|totals| totals.natives.iter().cloned()),
            );
            let Some((reached, code)) = self
                .class
                .method(reached)
                .and_then(|method| Some((method, method.code()?)))
            else {
                continue;
            };
            for found in self.loops.get(reached.id.index()).into_iter().flatten() {
                loop_count += 1;
                if !found.is_counted {
                    uncounted_loops.push(LoopPlace {
                        method: reached.name.to_string(),
                        pc: found.pc.0,
                        line: code.line(found.pc),
                    });
                }
            }
        }
        let is_bounded = totals.recursion.is_none();
        let chain = totals.chain.iter().rev().copied().collect::<Vec<_>>();
        EntryPoint {
            method: method.name.to_string(),
            descriptor: method.descriptor.to_string(),
            call_chain: is_bounded.then(|| names(&chain)),
            recursion: totals.recursion.as_deref().map(names),
            frame_bytes_max: is_bounded.then_some(totals.frame_bytes),
            heap_bytes_max: totals.heap.max,
            heap_is_constant: totals.heap.constant().is_some(),
            natives,
            loops: loop_count,
            uncounted_loops,
            bytecodes_max: totals.bytecodes.max,
        }
    }
}

impl Totals {
    fn nothing() -> Totals {
        Totals {
            chain: Vec::new(),
            recursion: None,
            frame_bytes: 0,
            heap: Range::ZERO,
            bytecodes: Range::ZERO,
            natives: BTreeSet::new(),
            callees: BTreeSet::new(),
        }
    }

    /// Takes over what one of several callees comes to; what paths cost is added up elsewhere.
    fn join(&mut self, below: &Totals) {
        if below.chain.len() > self.chain.len() {
            self.chain.clone_from(&below.chain);
        }
        if self.recursion.is_none() {
            self.recursion.clone_from(&below.recursion);
        }
        self.frame_bytes = self.frame_bytes.max(below.frame_bytes);
    }
}
