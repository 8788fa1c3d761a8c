//! Arrays that cannot be kept, that nobody made, or that do not fit into the heap: each of them is a certain trap.

use std::collections::BTreeSet;

use jive_core::{
    Action, ArrayKind, ClassFile, FieldAccess, FieldId, Insn, MemberAccess, Method, MethodId,
    Operand, OwnMember,
};

use super::Lint;
use super::method::Examined;
use crate::analysis::{Environment, Facts, array_bytes};

/// What the lints about arrays know of a class.
pub(super) struct Arrays {
    /// The methods that an initializer may call, and the initializers. Their arrays are kept.
    initial: BTreeSet<MethodId>,
    /// The instance fields of array types that are null in every instance.
    unassigned: BTreeSet<FieldId>,
    /// Whether arrays live on after the call that made them.
    keeps_arrays: bool,
    /// Bytes of the heap, if they are known.
    heap: Option<u64>,
}

impl Arrays {
    pub(super) fn of(facts: &Facts<'_>, environment: &Environment) -> Arrays {
        Arrays {
            initial: initial(facts),
            unassigned: unassigned(facts, environment),
            keeps_arrays: environment.keeps_arrays,
            heap: environment.heap_bytes.map(u64::from),
        }
    }
}

/// Returns the initializers and the methods that they call, and those that these call.
fn initial(facts: &Facts<'_>) -> BTreeSet<MethodId> {
    let class = &facts.class;
    let named = class.methods().filter(is_initializer);
    let mut found = named.map(|method| method.id).collect::<BTreeSet<_>>();
    loop {
        let before = found.len();
        for method in class.methods() {
            let mut callers = facts.calls(method.id).iter();
            if callers.any(|site| found.contains(&site.method)) {
                found.insert(method.id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn is_initializer(method: &Method<'_>) -> bool {
    method.name == "<clinit>" || method.name == "<init>"
}

/// Returns the instance fields of array types that nobody assigns. A static field may have a value that was set before
/// the class was loaded.
fn unassigned(facts: &Facts<'_>, environment: &Environment) -> BTreeSet<FieldId> {
    let class = &facts.class;
    let packet = environment.packet.as_ref();
    let fields = class.fields().filter(|field| {
        !field.access.contains(FieldAccess::STATIC)
            && field.descriptor.as_bytes().starts_with(b"[")
            && packet.is_none_or(|(name, _)| field.name != name.as_str())
            && facts.stores(field.id).is_empty()
            && !environment.is_foreign(class, field.id)
    });
    fields.map(|field| field.id).collect()
}

/// Looks for certain traps of arrays in a method. Looks at methods in file order.
pub(super) fn look(examined: &mut Examined<'_, '_>, arrays: &Arrays) {
    let is_initial = arrays.initial.contains(&examined.method.id);
    for insn in examined.instructions().collect::<Vec<_>>() {
        if !arrays.keeps_arrays && !is_initial && stores_new_array(examined, &insn) {
            examined.warn(insn.pc, Lint::ArrayEscape);
        }
        if uses_unassigned(examined, &insn, &arrays.unassigned) {
            examined.warn(insn.pc, Lint::UnassignedArray);
        }
    }
    if let Some(heap) = arrays.heap {
        look_for_demand(examined, heap);
    }
}

/// Whether an instruction stores in a field, and the value is an array that the method itself made, on every path.
fn stores_new_array(examined: &mut Examined<'_, '_>, insn: &Insn<'_>) -> bool {
    let is_store = match insn.action() {
        Action::Member(usage) => usage.access() == MemberAccess::Store,
        _ => false,
    };
    is_store && {
        let makers = examined.makers(insn.pc, 0);
        !makers.is_empty() && makers.iter().all(|maker| made(maker).is_some())
    }
}

/// Returns the kind of array that an instruction makes.
fn made(insn: &Insn<'_>) -> Option<ArrayKind> {
    match insn.operand {
        Operand::ArrayType(code) => ArrayKind::from_newarray_code(code),
        _ => None,
    }
}

/// Whether an instruction reads or writes an element, or the length, of an array that comes from an unassigned field on
/// every path.
fn uses_unassigned(
    examined: &mut Examined<'_, '_>,
    insn: &Insn<'_>,
    unassigned: &BTreeSet<FieldId>,
) -> bool {
    let below_top = match insn.action() {
        Action::ArrayLength => 0,
        Action::LoadElement(_) => 1,
        Action::StoreElement(_) => 2,
        _ => return false,
    };
    if unassigned.is_empty() {
        return false;
    }
    let class = examined.class;
    let makers = examined.makers(insn.pc, below_top);
    let is_unassigned =
        |maker: &Insn<'_>| read(class, maker).is_some_and(|id| unassigned.contains(&id));
    !makers.is_empty() && makers.iter().all(is_unassigned)
}

/// Returns the field that an instruction reads.
fn read(class: &ClassFile<'_>, insn: &Insn<'_>) -> Option<FieldId> {
    match (insn.action(), insn.operand) {
        (Action::Member(usage), Operand::Constant(index))
            if usage.access() == MemberAccess::Load =>
        {
            match class.own_member(index)? {
                OwnMember::Field(id) => Some(id),
                OwnMember::Method(_) => None,
            }
        }
        _ => None,
    }
}

/// Warns of the first array that does not fit beside those that the method has certainly made before, and of each array
/// that does not fit alone.
fn look_for_demand(examined: &mut Examined<'_, '_>, heap: u64) {
    let graph = examined.graph;
    let mut is_certain = true;
    let mut taken = 0;
    for insn in examined.instructions().collect::<Vec<_>>() {
        let bytes = made(&insn).and_then(|kind| {
            let length = examined.constant(insn.pc, 0)?;
            array_bytes(kind, length)
        });
        if let Some(bytes) = bytes {
            let before = if is_certain { taken } else { 0 };
            if before + bytes > heap {
                examined.warn(insn.pc, Lint::HeapDemand);
                // One warning says enough of those that follow.
                is_certain = false;
            }
            taken += bytes;
        }
        // What follows a branch, or the end of a straight run, may never be executed.
        let node = graph.node(insn.pc);
        is_certain &= node.is_some_and(|node| graph.successors(node) == [node + 1]);
    }
}
