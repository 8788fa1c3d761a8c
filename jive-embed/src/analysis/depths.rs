//! The depth of the operand stack before each instruction of a method.

use jive_core::{ClassFile, MethodId, Pc};
use jive_verifier::{Observer, TypeState};

use super::calls::Signatures;
use super::graph::ControlFlow;

/// The depth of the operand stack before each reachable instruction of a method.
#[derive(Clone, Debug)]
pub(crate) struct Depths {
    pub(super) method: MethodId,
    before: Vec<Option<u8>>,
}

impl Depths {
    /// Creates an empty table for a method with `code_length` bytes of code. The verifier fills the table if the table
    /// is the verifier's observer.
    pub(crate) fn of(method: MethodId, code_length: usize) -> Depths {
        Depths {
            method,
            before: vec![None; code_length],
        }
    }

    /// Computes the depths for a verified method by following its control flow.
    ///
    /// The computation visits each instruction once, because all paths to an instruction have the same depth (JVMS
    /// §4.9.2). The computation of the depths is cheaper than another run of the verifier.
    pub(crate) fn follow(
        class: &ClassFile<'_>,
        method: MethodId,
        graph: &ControlFlow<'_>,
        signatures: &mut Signatures,
    ) -> Depths {
        let length = match graph.len().checked_sub(1) {
            Some(last) => graph.insn(last).pc.index() + 1,
            None => 0,
        };
        let mut depths = Depths::of(method, length);
        let mut waiting = Vec::new();
        if graph.len() > 0 {
            depths.note(Pc(0), 0);
            waiting.push((0, 0));
        }
        while let Some((node, depth)) = waiting.pop() {
            let change = signatures.change(class, graph.insn(node));
            let behind = change.and_then(|(pops, pushes): (usize, usize)| {
                Some(usize::checked_sub(depth, pops)? + pushes)
            });
            let Some(behind) = behind else {
                debug_assert!(false, "the class was verified");
                continue;
            };
            for next in graph.successors(node) {
                let pc = graph.insn(*next).pc;
                if depths.before(pc).is_none() {
                    depths.note(pc, behind);
                    waiting.push((*next, behind));
                }
            }
        }
        depths
    }

    /// Records the depth of the operand stack before an instruction.
    pub(crate) fn note(&mut self, pc: Pc, depth: usize) {
        if let Some(before) = self.before.get_mut(pc.index()) {
            // The depth fits in a `u8`, because the verifier rejects frames of more than 255 slots before it infers
            // types.
            *before = u8::try_from(depth).ok();
        }
    }

    /// Returns the depth of the operand stack before an instruction, or `None` if the instruction is unreachable.
    pub(crate) fn before(&self, pc: Pc) -> Option<usize> {
        let depth = self.before.get(pc.index()).copied().flatten()?;
        Some(usize::from(depth))
    }
}

impl Observer for Depths {
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        if method == self.method {
            self.note(pc, state.stack().len());
        }
    }

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}
}

#[cfg(test)]
mod tests {
    use jive_core::{ClassFile, Pc};
    use jive_verifier::Policy;
    use nic_core::sle::NicNative;

    use super::*;
    use crate::load::verify_class;

    /// The depth computed here equals the verifier's depth before every instruction of every applet.
    #[test]
    fn depths_are_those_that_the_verifier_infers() {
        let mut compared = 0;
        for applet in applets::ALL {
            let mut index = vec![0; ClassFile::index_len(applet.class)];
            let class = ClassFile::parse(applet.class, &mut index).expect("it is a class file");
            let mut signatures = Signatures::new(&class);
            for method in class.methods() {
                let Some(code) = method.code() else { continue };
                let graph = ControlFlow::of(&code);
                let followed = Depths::follow(&class, method.id, &graph, &mut signatures);
                let mut inferred = Depths::of(method.id, code.bytes.len());
                verify_class(class, Policy::ClassOnly, NicNative::TABLE, &mut inferred)
                    .expect("it verifies");
                for pc in (0..).take(code.bytes.len()).map(Pc) {
                    assert_eq!(followed.before(pc), inferred.before(pc), "{pc}");
                    compared += usize::from(inferred.before(pc).is_some());
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }
}
