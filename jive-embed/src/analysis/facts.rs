//! What the analyses of a whole class need of each method and member: control flow, depths, stores and calls.

use jive_core::{
    Action, ArrayKind, ClassFile, FieldId, Insn, MemberAccess, Method, MethodAccess,
    MethodDescriptor, MethodId, Operand, OwnMember,
};

use super::calls::{Callee, Signatures, callee};
use super::depths::Depths;
use super::graph::{ControlFlow, Node};

/// A place in a class: a method and a reachable instruction of that method.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    pub(crate) method: MethodId,
    pub(crate) node: Node,
}

/// The control flow of a method, and the depth of its operand stack.
#[derive(Debug)]
pub(crate) struct Flow<'a> {
    pub(crate) graph: ControlFlow<'a>,
    pub(crate) depths: Depths,
}

impl Flow<'_> {
    /// Returns the depth of the operand stack before an instruction. Returns `None` if the instruction is unreachable.
    pub(crate) fn depth(&self, node: Node) -> Option<usize> {
        self.depths.before(self.graph.insn(node).pc)
    }

    /// Iterates over the reachable instructions of the method.
    pub(crate) fn reachable(&self) -> impl Iterator<Item = Node> {
        (0..self.graph.len()).filter(|node| self.depth(*node).is_some())
    }
}

/// The parameters of a method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters {
    pub(crate) count: usize,
    /// The parameters that are `int` arrays: the argument's position below the top of the caller's operand stack, and
    /// the local variable in which the method receives it.
    pub(crate) int_arrays: Vec<(usize, u16)>,
}

impl Parameters {
    fn of(method: &Method<'_>) -> Option<Parameters> {
        let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes()).ok()?;
        let parameters = descriptor.parameters();
        let mut found = Parameters {
            count: parameters.len(),
            int_arrays: Vec::new(),
        };
        let mut local = u16::from(!method.access.contains(MethodAccess::STATIC));
        for (index, kind) in parameters.enumerate() {
            if kind.array_kind() == Some(ArrayKind::Int) {
                found.int_arrays.push((found.count - index - 1, local));
            }
            local = local.checked_add(kind.slots().into())?;
        }
        Some(found)
    }
}

/// The control flow, stores and calls of a whole class.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) class: ClassFile<'a>,
    /// The flow of each method, indexed by the method's number, or `None` for methods without code.
    flows: Vec<Option<Flow<'a>>>,
    /// The parameters of each method, indexed by the method's number. A descriptor may be as long as the code, so each
    /// is parsed once.
    parameters: Vec<Option<Parameters>>,
    /// The places that store to each field, indexed by the field's number.
    stores: Vec<Vec<Site>>,
    /// The places that call each method, indexed by the callee's number.
    calls: Vec<Vec<Site>>,
    /// Number of steps that collecting the facts took.
    pub(crate) steps: usize,
}

impl<'a> Facts<'a> {
    /// Collects the facts about a verified class.
    pub(crate) fn of(class: ClassFile<'a>) -> Facts<'a> {
        let mut signatures = Signatures::new(&class);
        let mut facts = Facts {
            class,
            flows: Vec::new(),
            parameters: Vec::new(),
            stores: vec![Vec::new(); class.field_count()],
            calls: vec![Vec::new(); class.method_count()],
            steps: 0,
        };
        for method in class.methods() {
            let flow = method.code().map(|code| {
                let graph = ControlFlow::of(&code);
                let depths = Depths::follow(&class, method.id, &graph, &mut signatures);
                Flow { graph, depths }
            });
            if let Some(flow) = &flow {
                // The counted steps are those of the graph, its edges in both directions, the depths and the search for
                // members.
                facts.steps += 4 * flow.graph.size();
                for node in flow.reachable() {
                    let method = method.id;
                    facts.note(Site { method, node }, flow.graph.insn(node));
                }
            }
            facts.flows.push(flow);
            facts.parameters.push(Parameters::of(&method));
            facts.steps += method.descriptor.as_bytes().len();
        }
        facts
    }

    fn note(&mut self, site: Site, insn: &Insn<'_>) {
        let sites = match (insn.action(), insn.operand) {
            (Action::Member(usage), Operand::Constant(index)) => match usage.access() {
                MemberAccess::Load => None,
                MemberAccess::Store => match self.class.own_member(index) {
                    Some(OwnMember::Field(id)) => self.stores.get_mut(id.index()),
                    Some(OwnMember::Method(_)) | None => None,
                },
                MemberAccess::Call => match callee(&self.class, insn) {
                    Some(Callee::Own(id)) => self.calls.get_mut(id.index()),
                    Some(Callee::Native(_) | Callee::ObjectInit) | None => None,
                },
            },
            _ => None,
        };
        if let Some(sites) = sites {
            sites.push(site);
        }
    }

    /// Returns the control flow and stack depths of a method, or `None` if the method has no code.
    pub(crate) fn flow(&self, method: MethodId) -> Option<&Flow<'a>> {
        self.flows.get(method.index())?.as_ref()
    }

    /// Returns the parameters of a method.
    pub(crate) fn parameters(&self, method: MethodId) -> Option<&Parameters> {
        self.parameters.get(method.index())?.as_ref()
    }

    /// Returns the places that store to a field.
    pub(crate) fn stores(&self, field: FieldId) -> &[Site] {
        self.stores.get(field.index()).map_or(&[], Vec::as_slice)
    }

    /// Returns the places in methods of the class that call a method.
    pub(crate) fn calls(&self, method: MethodId) -> &[Site] {
        self.calls.get(method.index()).map_or(&[], Vec::as_slice)
    }
}
