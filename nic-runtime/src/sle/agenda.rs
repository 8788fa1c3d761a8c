//! What an applet is called for besides messages: the time that it has set is over, or its user has given receive
//! buffers back.

use std::collections::VecDeque;

use nic_core::event::Sink;
use nic_core::id::{ChannelId, EndpointId, NicId};
use nic_core::sle::Applet;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::{INLINE_MAX, MessageBody};

use super::call::{Call, Cause};
use super::suspend;
use crate::interface::Stage;
use crate::nic::ProcessorId;
use crate::sim::processor::Next;
use crate::sim::{AppletId, Simulation, Tenant, Work, at};

/// A receive buffer that the user gave back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refill {
    /// How many bytes it holds.
    pub(crate) length: u32,
    /// The channel that the descriptor named.
    pub(crate) channel: ChannelId,
    /// Where it lies in the buffer area; `None` for a message that lay in its descriptor.
    pub(crate) offset: Option<u32>,
}

/// What an applet is to be called for.
#[derive(Clone, Debug, Default)]
struct Agenda {
    /// When `doTimer` is due, where a time is set.
    timer: Option<SimTime>,
    /// When the simulation looks next whether it is. Looks that were scheduled for later ones are still to come, and
    /// find nothing to do.
    look: Option<SimTime>,
    /// Whether that time is over and `doTimer` has not been called yet.
    is_over: bool,
    /// What `doRefill` is to be called for, in the order of return.
    refills: VecDeque<Refill>,
}

/// The agendas of all applets; none where no applet has an entry for what stands on them.
#[derive(Clone, Debug)]
pub(crate) struct Agendas(Vec<Agenda>);

impl Agendas {
    pub(crate) fn new(applets: &[Applet<'_>]) -> Agendas {
        let has_one = |applet: &Applet<'_>| {
            applet
                .members
                .do_timer
                .or(applet.members.do_refill)
                .is_some()
        };
        Agendas(match applets.iter().any(has_one) {
            true => vec![Agenda::default(); applets.len()],
            false => Vec::new(),
        })
    }

    /// Returns whether there is none.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the end of the time that an applet has set need not be waited for: it has set none.
    pub(crate) fn has_no_timer(&self, applet: Option<AppletId>) -> bool {
        let agenda = applet.and_then(|applet| self.0.get(at(applet.0)));
        agenda.is_none_or(|agenda| agenda.timer.is_none())
    }
}

/// Sets the time after which `doTimer` is called, in place of any that was set; a time of zero sets none. It
/// begins to count when the [call has ended](Simulation::arm), but from now on.
#[cold]
pub(crate) fn set_timer<S: Sink>(sim: &mut Simulation<'_, S>, tenant: Tenant, after: SimDuration) {
    let has_entry = sim.applets[at(tenant.applet.0)].members.do_timer.is_some();
    if let Some(agenda) = sim.agendas.0.get_mut(at(tenant.applet.0)) {
        agenda.timer = (has_entry && after > SimDuration::ZERO).then(|| sim.now + after);
        agenda.is_over = false;
    }
}

/// Has the simulation look at the time that an applet has set. Done once a call, however often the call sets it:
/// each earlier time is a look of its own.
#[cold]
pub(crate) fn arm<S: Sink>(sim: &mut Simulation<'_, S>, Tenant { endpoint, applet }: Tenant) {
    let Some(agenda) = sim.agendas.0.get_mut(at(applet.0)) else {
        return;
    };
    let Some(timer) = agenda.timer else { return };
    if agenda.look.is_none_or(|look| timer < look) {
        agenda.look = Some(timer);
        sim.schedule
            .insert(timer.max(sim.now), Work::Timer(endpoint));
    }
}

/// Looks whether the time that an endpoint's applet has set is over; returns whether it is.
pub(crate) fn look_at_timer<S: Sink>(sim: &mut Simulation<'_, S>, id: EndpointId) -> bool {
    let Some(applet) = sim.seats[at(id.0)].applet else {
        return false;
    };
    let agenda = &mut sim.agendas.0[at(applet.0)];
    if agenda.look.is_some_and(|look| look <= sim.now) {
        agenda.look = None;
    }
    if agenda.timer.is_none_or(|timer| timer > sim.now) {
        arm(
            sim,
            Tenant {
                endpoint: id,
                applet,
            },
        );
        return false;
    }
    agenda.timer = None;
    agenda.is_over = true;
    come_back(sim, id);
    true
}

/// Notes which buffers the user is about to give back, where the applet wants to know.
#[cold]
pub(crate) fn note_refills<S: Sink>(sim: &mut Simulation<'_, S>, id: EndpointId) {
    let Some(applet) = sim.seats[at(id.0)].applet else {
        return;
    };
    if sim.applets[at(applet.0)].members.do_refill.is_none() {
        return;
    }
    let endpoint = &sim.endpoints[at(id.0)];
    let Some(message) = endpoint.receive.first() else {
        return;
    };
    let refills = &mut sim.agendas.0[at(applet.0)].refills;
    let channel = message.channel;
    match &message.body {
        MessageBody::Inline(_) => refills.push_back(Refill {
            length: INLINE_MAX as u32,
            channel,
            offset: None,
        }),
        MessageBody::Buffers(list) => refills.extend(list.owed().map(|offset| Refill {
            length: endpoint.free.buffer_length(),
            channel,
            offset: Some(offset),
        })),
    }
    come_back(sim, id);
}

/// Has processors see to what stands on an endpoint's agenda.
#[cold]
pub(crate) fn come_back<S: Sink>(sim: &mut Simulation<'_, S>, id: EndpointId) {
    let agenda = sim.seats[at(id.0)]
        .applet
        .and_then(|applet| sim.agendas.0.get(at(applet.0)));
    let Some(agenda) = agenda else { return };
    let (is_over, has_refills) = (agenda.is_over, !agenda.refills.is_empty());
    let position = sim.seats[at(id.0)].position();
    let nic = &mut sim.nics[at(sim.endpoints[at(id.0)].nic.0)];
    let timers_on = nic.processor(nic.placement.do_timer);
    let refills_on = nic.processor(nic.placement.do_refill);
    if is_over {
        nic.timers.insert(position);
        sim.wake(timers_on);
    }
    if has_refills {
        let nic = &mut sim.nics[at(sim.endpoints[at(id.0)].nic.0)];
        nic.refills.insert(position);
        sim.wake(refills_on);
    }
}

/// Takes the next endpoint of a NIC whose time is over.
pub(crate) fn take_timer<S: Sink>(
    sim: &mut Simulation<'_, S>,
    on: ProcessorId,
    nic: NicId,
) -> Option<Next> {
    loop {
        let timers = &mut sim.nics[at(nic.0)].timers;
        let position = timers.take_turn()?;
        timers.remove(position);
        let Some((tenant, method)) = tenant_at(sim, nic, position, |members| members.do_timer)
        else {
            continue;
        };
        let agenda = &mut sim.agendas.0[at(tenant.applet.0)];
        if !std::mem::take(&mut agenda.is_over) {
            continue;
        }
        let fault = &sim.residents[at(tenant.endpoint.0)].fault;
        if !fault.is_attached(sim.now) {
            // It is called as soon as it is attached again.
            agenda.timer = Some(fault.attached_from());
            arm(sim, tenant);
            continue;
        }
        let call = Call {
            tenant,
            method,
            cause: Cause::Timer,
        };
        let processor = &mut sim.processors[at(on.0)];
        processor.activation.begin(call);
        return Some(Next::After(processor.costs.timer.setup, Stage::Enter));
    }
}

/// Takes the next buffer that was given back, endpoint by endpoint.
pub(crate) fn take_refill<S: Sink>(
    sim: &mut Simulation<'_, S>,
    on: ProcessorId,
    nic: NicId,
) -> Option<Next> {
    loop {
        let position = sim.nics[at(nic.0)].refills.take_turn()?;
        let found = tenant_at(sim, nic, position, |members| members.do_refill);
        let refills = found.map(|(tenant, _)| &mut sim.agendas.0[at(tenant.applet.0)].refills);
        let refill = refills.and_then(VecDeque::pop_front);
        let (Some((tenant, method)), Some(refill)) = (found, refill) else {
            sim.nics[at(nic.0)].refills.remove(position);
            continue;
        };
        // What comes while an applet is detached is none of its business.
        let fault = &sim.residents[at(tenant.endpoint.0)].fault;
        if !fault.is_attached(sim.now) {
            continue;
        }
        let call = Call {
            tenant,
            method,
            cause: Cause::Refill(refill),
        };
        let processor = &mut sim.processors[at(on.0)];
        processor.activation.begin(call);
        return Some(Next::After(processor.costs.refill.setup, Stage::Enter));
    }
}

/// Returns the applet of the endpoint at a position of a NIC, and one of its methods; `None` where it has none, or
/// is in a call that is suspended: its agenda [comes back](Simulation::come_back) when that goes on.
fn tenant_at<S: Sink>(
    sim: &Simulation<'_, S>,
    nic: NicId,
    position: usize,
    method: impl FnOnce(&nic_core::sle::Members) -> Option<jive_core::MethodId>,
) -> Option<(Tenant, jive_core::MethodId)> {
    let endpoint = sim.nics[at(nic.0)].endpoints[position];
    let applet = sim.seats[at(endpoint.0)].applet?;
    if sim.suspensions.is_any() && suspend::is_suspended(sim, endpoint) {
        return None;
    }
    let method = method(&sim.applets[at(applet.0)].members)?;
    Some((Tenant { endpoint, applet }, method))
}

/// Puts what a call is for back on the agenda: another call of the applet is suspended.
pub(crate) fn put_off<S: Sink>(sim: &mut Simulation<'_, S>, tenant: Tenant, cause: Cause) {
    let agenda = &mut sim.agendas.0[at(tenant.applet.0)];
    match cause {
        Cause::Timer => agenda.is_over = true,
        Cause::Refill(refill) => agenda.refills.push_front(refill),
        Cause::Post(_) | Cause::Arrival { .. } => {}
    }
}
