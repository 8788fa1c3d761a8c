//! The values that parameters, fields and results may have, from the class itself and from its callers.

use jive_core::{Action, Constant, FieldId, MethodAccess, MethodId};

use super::facts::Site;
use super::interval::Interval;
use super::origin::Slot;
use super::ranges::{Question, Ranges};

impl Ranges<'_, '_> {
    /// Returns the values that a parameter can have, over all calls of its method.
    pub(super) fn parameter(
        &mut self,
        method: MethodId,
        local: u16,
        question: fn(Site, Slot) -> Question,
    ) -> Option<Interval> {
        let found = self.facts.class.method(method)?;
        let is_static = found.access.contains(MethodAccess::STATIC);
        let index = usize::from(local.checked_sub(u16::from(!is_static))?);
        let is_value = matches!(
            question(Site { method, node: 0 }, Slot::Local(local)),
            Question::Value(..)
        );
        // If the environment lists no entries, callers outside the class may pass any argument.
        self.environment.entries.as_ref()?;
        let outside = match self.environment.entry(found.name, found.descriptor) {
            Some(_) if !is_value => return None,
            Some(entry) => {
                let (least, most) = entry.parameters.get(index)?.clone().into_inner();
                Some(Interval::new(least.into(), most.into()))
            }
            None => None,
        };
        let count = self.facts.parameters(method)?.count;
        let below_top = count.checked_sub(index + 1)?;
        let facts = self.facts;
        let calls = self.all(facts.calls(method), |ranges, site| {
            let slot = ranges.stack_slot(*site, below_top)?;
            Some(Some(ranges.ask(question(*site, slot))))
        });
        match (outside, calls) {
            (Some(outside), None) if facts.calls(method).is_empty() => Some(outside),
            (Some(outside), Some(calls)) => Some(outside.hull(calls)),
            (None, Some(calls)) => Some(calls),
            (_, None) => None,
        }
    }

    pub(super) fn field(&mut self, id: FieldId) -> Option<Interval> {
        let field = self.facts.class.field(id)?;
        let kind = of_type(field.descriptor.as_bytes());
        if self.environment.is_foreign(&self.facts.class, id) {
            return None;
        }
        self.relies_on_fields = true;
        let first = match field.constant_value() {
            Some(index) => match self.facts.class.pool().get(index).ok()? {
                Constant::Integer(value) => Interval::exactly(value).narrowed(kind),
                _ => return None,
            },
            None => Interval::exactly(0),
        };
        let facts = self.facts;
        let stores = facts.stores(id);
        if stores.is_empty() {
            return Some(first);
        }
        let stored = self.all(stores, |ranges, site| {
            Some(Some(ranges.operand(*site, 0).narrowed(kind)))
        })?;
        Some(stored.hull(first))
    }

    pub(super) fn field_length(&mut self, id: FieldId) -> Option<Interval> {
        let facts = self.facts;
        let field = facts.class.field(id)?;
        if self.environment.is_foreign(&facts.class, id) {
            return None;
        }
        let outside = match &self.environment.packet {
            Some((name, length)) if field.name == name.as_str() && field.descriptor == "[B" => {
                Some(Interval::new(i64::from(*length), i64::from(*length)))
            }
            Some(_) | None => None,
        };
        let stores = facts.stores(id);
        if outside.is_some() && stores.is_empty() {
            return outside;
        }
        self.relies_on_fields = true;
        let stored = self.all(stores, |ranges, site| Some(Some(ranges.length(*site, 0))))?;
        Some(outside.map_or(stored, |outside| outside.hull(stored)))
    }

    pub(super) fn result(
        &mut self,
        method: MethodId,
        question: fn(Site, Slot) -> Question,
    ) -> Option<Interval> {
        let facts = self.facts;
        let descriptor = facts.class.method(method)?.descriptor.as_bytes();
        let result = descriptor.rsplit(|byte| *byte == b')').next()?;
        let kind = of_type(result);
        let flow = facts.flow(method)?;
        self.spend(flow.graph.len());
        let returns = flow
            .reachable()
            .filter(|node| matches!(flow.graph.insn(*node).action(), Action::Return(Some(_))));
        let returns = returns.collect::<Vec<_>>();
        self.all(returns, |ranges, node| {
            let site = Site { method, node };
            let slot = ranges.stack_slot(site, 0)?;
            let found = ranges.ask(question(site, slot));
            Some(Some(match question(site, slot) {
                Question::Value(..) => found.narrowed(kind),
                _ => found,
            }))
        })
    }
}

/// Returns the values that a field or result with this descriptor can have. Takes constant time, because a descriptor
/// may be long.
pub(super) fn of_type(descriptor: &[u8]) -> Interval {
    match descriptor {
        b"B" => Interval::BYTE,
        b"S" => Interval::SHORT,
        b"Z" => Interval::new(0, 1),
        _ => Interval::INT,
    }
}
