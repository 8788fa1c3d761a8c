//! Reads of `RxBuf` in `doRx` that no test of the packet's length comes before.

use jive_core::{Action, ElementKind, Insn, MemberAccess, Operand, Pc};

use super::Lint;
use super::method::Examined;

/// Number of the parameter of `doRx` that is the packet's length.
const LENGTH: u16 = 1;

pub(super) fn look(examined: &mut Examined<'_, '_>) {
    if examined.method.name != "doRx" || examined.method.descriptor != "(II)I" {
        return;
    }
    let reads = examined.instructions();
    let reads =
        reads.filter(|insn| insn.action() == Action::LoadElement(ElementKind::ByteOrBoolean));
    let reads = reads.map(|insn| insn.pc).collect::<Vec<_>>();
    if reads.is_empty() || escapes(examined) {
        return;
    }
    let untested = untested(examined);
    for pc in reads {
        let is_untested = examined.graph.node(pc).is_some_and(|node| untested[node]);
        if is_untested && is_receive_buffer(examined, pc) && !examined.depends_on(pc, 0, LENGTH) {
            examined.warn(pc, Lint::StaleBytes);
        }
    }
}

/// Whether `doRx` stores the packet's length in a field or array, where another instruction may read it.
fn escapes(examined: &mut Examined<'_, '_>) -> bool {
    let stores = examined.instructions().filter(|insn| match insn.action() {
        Action::Member(usage) => usage.access() == MemberAccess::Store,
        Action::StoreElement(_) => true,
        _ => false,
    });
    let stores = stores.map(|insn| insn.pc).collect::<Vec<_>>();
    stores
        .into_iter()
        .any(|pc| examined.depends_on(pc, 0, LENGTH))
}

/// Returns, for each instruction of `doRx`, whether a path reaches it without a test that depends on the packet's
/// length.
fn untested(examined: &mut Examined<'_, '_>) -> Vec<bool> {
    let graph = examined.graph;
    let mut reached = vec![false; graph.len()];
    let mut waiting = Vec::new();
    if let Some(first) = reached.first_mut() {
        *first = true;
        waiting.push(0);
    }
    while let Some(node) = waiting.pop() {
        if tests_length(examined, graph.insn(node)) {
            continue;
        }
        for next in graph.successors(node) {
            if !reached[*next] {
                reached[*next] = true;
                waiting.push(*next);
            }
        }
    }
    reached
}

/// Whether an instruction is a branch whose condition depends on the packet's length.
fn tests_length(examined: &mut Examined<'_, '_>, insn: &Insn<'_>) -> bool {
    let operands = match insn.action() {
        Action::BranchZero(_) | Action::Switch => 1,
        Action::BranchInt(_) => 2,
        _ => 0,
    };
    (0..operands).any(|below_top| examined.depends_on(insn.pc, below_top, LENGTH))
}

/// Whether an instruction reads an element of `RxBuf` and of no other array.
fn is_receive_buffer(examined: &mut Examined<'_, '_>, pc: Pc) -> bool {
    let makers = examined.makers(pc, 1);
    !makers.is_empty()
        && makers
            .iter()
            .all(|maker| match (maker.action(), maker.operand) {
                (Action::Member(usage), Operand::Constant(index)) => {
                    let member = examined.class.pool().member(index);
                    usage.access() == MemberAccess::Load
                        && member
                            .is_ok_and(|member| member.name == "RxBuf" && member.descriptor == "[B")
                }
                _ => false,
            })
}
