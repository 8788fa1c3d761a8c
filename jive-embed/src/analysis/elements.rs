//! The values that elements of `int` arrays can have.
//!
//! Two places of a class (fields, parameters, results, allocations) that may refer to one array belong to the same
//! family. An element of an `int` array has one of the values that the class stores into arrays of its family, or 0.
//! Arrays of other types than `int` need no families: their type limits the values of their elements.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use fnv::FnvHasher;
use jive_core::{
    Action, Computational, ElementKind, FieldId, MemberAccess, MethodId, Operand, OwnMember,
};

use super::calls::{Callee, callee};
use super::explore::makes_array;
use super::facts::Site;
use super::interval::Interval;
use super::origin::Origin;
use super::ranges::{Ranges, Refines};

/// A place in a class that may refer to an array.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Field(FieldId),
    /// A parameter, named by the local variable in which the method receives it.
    Parameter(MethodId, u16),
    Result(MethodId),
    /// The array that an instruction allocates.
    Made(Site),
}

/// A family of arrays.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct AliasClass(usize);

/// The families of the `int` arrays of a class.
#[derive(Debug, Default)]
pub(super) struct AliasClasses {
    members: HashMap<Holder, AliasClass, BuildHasherDefault<FnvHasher>>,
    /// The parent of each holder of an array: another holder of the same family, or the holder itself.
    parents: Vec<usize>,
    /// The instructions that store into elements of a family's arrays, by the holder that represents the family.
    stores: HashMap<AliasClass, Vec<Site>, BuildHasherDefault<FnvHasher>>,
    /// The family of the arrays that come from outside the class, whose elements may have any value.
    outside: Option<AliasClass>,
}

impl AliasClasses {
    /// Returns the holder that represents a family.
    fn root(&mut self, AliasClass(mut member): AliasClass) -> AliasClass {
        while self.parents[member] != member {
            // Each second holder on the way is skipped from now on, so that many searches stay short.
            let next = self.parents[self.parents[member]];
            self.parents[member] = next;
            member = next;
        }
        AliasClass(member)
    }

    /// Lets each holder name the root of its family, and sorts the stores by family.
    fn finish(&mut self, stores: Vec<(AliasClass, Site)>) {
        for member in 0..self.parents.len() {
            let AliasClass(root) = self.root(AliasClass(member));
            self.parents[member] = root;
        }
        for (member, site) in stores {
            let root = self.root(member);
            self.stores.entry(root).or_default().push(site);
        }
        self.outside = self.outside.map(|outside| self.root(outside));
    }

    fn member(&mut self, holder: Holder) -> AliasClass {
        let next = AliasClass(self.parents.len());
        let known = *self.members.entry(holder).or_insert(next);
        if known == next {
            self.parents.push(next.0);
        }
        known
    }

    /// Joins the families of two holders.
    fn join(&mut self, one: AliasClass, other: AliasClass) {
        let (one, other) = (self.root(one), self.root(other));
        // The root with the lower number represents the joined family, so no parent has a higher number than its
        // member.
        let (low, high) = (one.0.min(other.0), one.0.max(other.0));
        self.parents[high] = low;
    }
}

impl Ranges<'_, '_> {
    /// Returns the family of an array operand of an instruction, where `below_top` counts from the top of the operand
    /// stack. Returns `None` if the operand may be an array of any family.
    pub(super) fn family(&mut self, site: Site, below_top: usize) -> Option<AliasClass> {
        if self.families.is_none() {
            let found = self.find_families();
            self.families = Some(found);
        }
        // The families have been found already, so every holder that the search finds has a family.
        let holder = self.holders(site, below_top)?.into_iter().next()?;
        let families = self.families.as_ref()?.as_ref()?;
        let AliasClass(member) = *families.members.get(&holder)?;
        Some(AliasClass(*families.parents.get(member)?))
    }

    /// Returns the values that the elements of a family's arrays can have.
    pub(super) fn elements(&mut self, family: AliasClass) -> Option<Interval> {
        self.relies_on_fields = true;
        let families = self.families.as_ref()?.as_ref()?;
        if families.outside == Some(family) {
            return None;
        }
        let stores = families.stores.get(&family).cloned().unwrap_or_default();
        self.spend(stores.len());
        let first = Interval::exactly(0);
        if stores.is_empty() {
            return Some(first);
        }
        let mut stored = Vec::new();
        for site in stores {
            let slot = self.stack_slot(site, 0)?;
            let origins = self.search(site, slot, Refines::ByBranches)?;
            stored.extend(
                origins
                    .into_iter()
                    .map(|(origin, values)| (site.method, origin, values)),
            );
        }
        let stored = self.all(stored, |ranges, (method, origin, values)| {
            // A store that copies an element of the same family adds no value to the family.
            if ranges.is_element_of(family, method, origin) {
                return Some(None);
            }
            Some(ranges.made(method, origin).meet(values))
        })?;
        Some(stored.hull(first))
    }

    /// Returns whether a value is loaded from an element of a family's arrays.
    fn is_element_of(&mut self, family: AliasClass, method: MethodId, origin: Origin) -> bool {
        let Origin::Instruction(pc) = origin else {
            return false;
        };
        let Some(flow) = self.facts.flow(method) else {
            return false;
        };
        let Some(node) = flow.graph.node(pc) else {
            return false;
        };
        flow.graph.insn(node).action() == Action::LoadElement(ElementKind::Int)
            && self.family(Site { method, node }, 1) == Some(family)
    }

    /// Joins the fields that may hold an array from outside the class, because two of them may hold the same array.
    fn outside(&self, families: &mut AliasClasses) -> Option<AliasClass> {
        let class = &self.facts.class;
        let mut outside = None;
        for field in class.fields().filter(|field| field.descriptor == "[I") {
            if self.environment.is_foreign(class, field.id) {
                let member = families.member(Holder::Field(field.id));
                families.join(*outside.get_or_insert(member), member);
            }
        }
        outside
    }

    /// Finds the families of the `int` arrays of the class. Returns `None` if an array may come from outside the class,
    /// or if the search takes too many steps.
    fn find_families(&mut self) -> Option<AliasClasses> {
        // If the environment lists no entries, a caller outside the class may pass any array to any method.
        self.environment.entries.as_ref()?;
        let facts = self.facts;
        let mut families = AliasClasses::default();
        let mut stores = Vec::new();
        families.outside = self.outside(&mut families);
        for method in facts.class.methods() {
            let Some(flow) = facts.flow(method.id) else {
                continue;
            };
            self.spend(flow.graph.len());
            for node in flow.reachable() {
                let site = Site {
                    method: method.id,
                    node,
                };
                for (below_top, sink) in self.uses(site)? {
                    let holders = self.holders(site, below_top)?;
                    let mut members = sink.into_iter().chain(holders);
                    let Some(first) = members.next() else {
                        continue;
                    };
                    let first = families.member(first);
                    for other in members {
                        let other = families.member(other);
                        families.join(first, other);
                    }
                    let action = flow.graph.insn(node).action();
                    if action == Action::StoreElement(ElementKind::Int) {
                        stores.push((first, site));
                    }
                }
            }
        }
        families.finish(stores);
        Some(families)
    }

    /// Returns the operands of an instruction that are `int` arrays, each with the place to which the instruction
    /// passes the array.
    fn uses(&self, site: Site) -> Option<Vec<(usize, Option<Holder>)>> {
        let class = &self.facts.class;
        let insn = self.facts.flow(site.method)?.graph.insn(site.node);
        Some(match (insn.action(), insn.operand) {
            (Action::LoadElement(ElementKind::Int), _) => vec![(1, None)],
            (Action::StoreElement(ElementKind::Int), _) => vec![(2, None)],
            (Action::Return(Some(Computational::Reference)), _) => {
                let descriptor = class.method(site.method)?.descriptor;
                match descriptor.as_bytes().ends_with(b")[I") {
                    true => vec![(0, Some(Holder::Result(site.method)))],
                    false => Vec::new(),
                }
            }
            (Action::Member(usage), Operand::Constant(index)) => match usage.access() {
                MemberAccess::Load => Vec::new(),
                MemberAccess::Store => {
                    let member = class.pool().member(index).ok()?;
                    match class.own_member(index)? {
                        OwnMember::Field(id) if member.descriptor == "[I" => {
                            vec![(0, Some(Holder::Field(id)))]
                        }
                        OwnMember::Field(_) | OwnMember::Method(_) => Vec::new(),
                    }
                }
                MemberAccess::Call => match callee(class, insn)? {
                    Callee::Own(id) => self.passed(id)?,
                    // No native keeps an `int` array or stores to its elements.
                    Callee::Native(_) | Callee::ObjectInit => Vec::new(),
                },
            },
            _ => Vec::new(),
        })
    }

    /// Returns the arguments of a call that are `int` arrays, each with the callee's parameter that receives the
    /// argument.
    fn passed(&self, callee: MethodId) -> Option<Vec<(usize, Option<Holder>)>> {
        let parameters = &self.facts.parameters(callee)?.int_arrays;
        let passed = parameters.iter().map(|(below_top, local)| {
            let holder = Holder::Parameter(callee, *local);
            (*below_top, Some(holder))
        });
        Some(passed.collect())
    }

    /// Returns the places from which an array operand of an instruction may come. Returns `None` if the array may also
    /// come from a place that is no holder.
    fn holders(&mut self, site: Site, below_top: usize) -> Option<Vec<Holder>> {
        let slot = self.stack_slot(site, below_top)?;
        let origins = self.search(site, slot, Refines::Nothing)?;
        let mut holders = Vec::new();
        for (origin, _) in origins {
            match origin {
                Origin::This | Origin::Unset(_) => return None,
                Origin::Parameter { local, .. } => {
                    holders.push(Holder::Parameter(site.method, local));
                }
                Origin::Instruction(pc) => {
                    let graph = &self.facts.flow(site.method)?.graph;
                    let node = graph.node(pc)?;
                    let insn = graph.insn(node);
                    let class = &self.facts.class;
                    if makes_array(class, insn) {
                        holders.push(Holder::Made(Site { node, ..site }));
                        continue;
                    }
                    match (insn.action(), insn.operand) {
                        // Null: an access traps.
                        (Action::Constant(_), _) => {}
                        (Action::Member(usage), Operand::Constant(index)) => match usage.access() {
                            MemberAccess::Load => match class.own_member(index)? {
                                OwnMember::Field(id) => holders.push(Holder::Field(id)),
                                OwnMember::Method(_) => return None,
                            },
                            MemberAccess::Store => return None,
                            MemberAccess::Call => match callee(class, insn)? {
                                Callee::Own(id) => holders.push(Holder::Result(id)),
                                Callee::Native(_) | Callee::ObjectInit => return None,
                            },
                        },
                        _ => return None,
                    }
                }
            }
        }
        Some(holders)
    }
}
