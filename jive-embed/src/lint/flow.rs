//! Loops without a bound, arrays that loops make, and buffers that are popped for nothing.

use jive_core::{Action, ClassFile, Insn, instructions};

use super::Lint;
use super::method::Examined;
use crate::analysis::{Callee, Components, callee, loops, makes_array};

/// The natives that pass buffers on, and whether a class calls them.
pub(super) struct Natives {
    names_buffers: bool,
}

impl Natives {
    /// Searches the code of a class once for calls of natives that pass buffers on.
    pub(super) fn called_by(class: &ClassFile<'_>) -> Natives {
        let codes = class.methods().filter_map(|method| method.code());
        let mut insns = codes.flat_map(|code| instructions(code.bytes).map_while(Result::ok));
        Natives {
            names_buffers: insns.any(|insn| calls(class, &insn, "dmaRxd")),
        }
    }
}

fn calls(class: &ClassFile<'_>, insn: &Insn<'_>, native: &str) -> bool {
    matches!(callee(class, insn), Some(Callee::Native(name)) if name == native)
}

pub(super) fn look(examined: &mut Examined<'_, '_>, natives: &Natives) {
    let (class, graph) = (examined.class, examined.graph);
    for insn in examined.instructions().collect::<Vec<_>>() {
        let is_dropped = || {
            let next = graph.node(insn.pc).map(|node| node + 1);
            let next = next.filter(|next| *next < graph.len());
            next.is_some_and(|next| pops_only(graph.insn(next)))
        };
        if calls(class, &insn, "getFreeBuffer") && (!natives.names_buffers || is_dropped()) {
            examined.warn(insn.pc, Lint::LostBuffer);
        }
    }
    // An initializer gets no warnings about loops, because it runs once, under the fuel of loading.
    if examined.method.name == "<clinit>" || examined.method.name == "<init>" {
        return;
    }
    let reachable = graph.reachable();
    let nodes = (0..graph.len()).filter(|node| reachable[*node]);
    let nodes = nodes.collect::<Vec<_>>();
    let components = Components::new(graph.len()).of(graph, &nodes, &reachable);
    let found = loops(class, graph, &components, examined.steps);
    if !found.is_incomplete {
        for found in found.found.iter().filter(|found| !found.is_counted) {
            examined.warn(found.pc, Lint::UnboundedLoop);
        }
    }
    for component in components.iter().filter(|nodes| graph.is_loop(nodes)) {
        for node in component {
            let insn = graph.insn(*node);
            if makes_array(class, insn) {
                examined.warn(insn.pc, Lint::LoopAllocation);
            }
        }
    }
}

/// Whether an instruction removes values from the operand stack and does nothing else.
fn pops_only(insn: &Insn<'_>) -> bool {
    match insn.action() {
        Action::Shuffle(shuffle) => shuffle.pops() > 0 && shuffle.pushes().len() == 0,
        _ => false,
    }
}
