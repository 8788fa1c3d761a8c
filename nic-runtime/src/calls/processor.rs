//! A processor of a NIC, with the call that it runs.

use std::collections::VecDeque;

use super::call::Activation;
use crate::nic::costs::Costs;
use crate::nic::item::{Item, Taking};
use crate::nic::role::ProcessorRole;
use crate::nic::stage::Stage;
use jive_core::CallStack;
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimTime;

/// A processor of a NIC.
pub(crate) struct Processor<'a> {
    /// The NIC.
    pub(crate) nic: NicId,
    /// Costs of the processor's operations.
    pub(crate) costs: &'a Costs,
    /// The processor's relation to the other processors of its NIC.
    pub(crate) role: ProcessorRole,
    /// The descriptor or packet that the processor is handling.
    pub(crate) in_hand: Option<Item>,
    /// The applet call that the processor is running, if any.
    pub(crate) activation: Activation<'a>,
    pub(crate) stage: Stage,
    /// The costs that the processor pays for taking an item.
    pub(crate) taking: Taking,
    /// The work in progress, recorded only if a sink listens.
    pub(crate) work: Option<Span>,
    /// Since when the processor has worked without a pause, recorded only if a sink wants to know.
    pub(crate) busy_since: Option<SimTime>,
    /// Endpoints whose suspended call can continue because its packet has slots, oldest first.
    pub(crate) resumable: VecDeque<EndpointId>,
    pub(crate) turn: Turn,
}

impl<'a> Processor<'a> {
    pub(crate) fn new(
        (nic, costs): (NicId, &'a Costs),
        role: ProcessorRole,
        taking: Taking,
        stack: CallStack<'a>,
    ) -> Processor<'a> {
        Processor {
            nic,
            costs,
            taking,
            role,
            in_hand: None,
            activation: Activation::new(stack),
            stage: Stage::Idle,
            work: None,
            busy_since: None,
            resumable: VecDeque::new(),
            turn: Turn::Arrival,
        }
    }
}

/// A piece of work in progress.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Span {
    /// Name of the stage, as in a scenario's `placement`.
    pub(crate) stage: &'static str,
    pub(crate) begun: SimTime,
}

/// The kind of work that the loop looks for next. Taking turns keeps one kind of work from starving the others.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Turn {
    Arrival,
    Transmit,
    Suspended,
    Timer,
    Refill,
    Watch,
}

impl Processor<'_> {
    /// Returns the stage at which the processor's call continues: that of the call that has yielded, if one has.
    pub(crate) fn stage_of_call(&mut self) -> &mut Stage {
        match self
            .role
            .slicing
            .as_mut()
            .and_then(|slicing| slicing.yielded.as_mut())
        {
            Some(yielded) => &mut yielded.stage,
            None => &mut self.stage,
        }
    }

    /// Returns the stage at which the processor's call continues.
    pub(crate) fn call_continues_at(&self) -> Stage {
        let yielded = self
            .role
            .slicing
            .as_ref()
            .and_then(|slicing| slicing.yielded);
        yielded.map_or(self.stage, |yielded| yielded.stage)
    }
}

#[cfg(test)]
impl Processor<'_> {
    /// Counts what the processor holds.
    pub(crate) fn counted(&self, census: &mut crate::at_rest::Census) {
        let Processor {
            nic: _,
            costs: _,
            role,
            in_hand: _,
            activation,
            stage: _,
            taking: _,
            work: _,
            busy_since: _,
            resumable,
            turn: _,
        } = self;
        census.count("processors.role", role);
        census.count("processors.resumable", resumable);
        activation.counted("processors", census);
    }
}
