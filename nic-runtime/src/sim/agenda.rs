//! What an applet is called for besides messages: the time that it has set is over, or its user has given receive
//! buffers back.

use std::collections::VecDeque;

use nic_core::event::Sink;
use nic_core::id::{ChannelId, EndpointId, NicId};
use nic_core::sle::Applet;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::{INLINE_MAX, MessageBody};

use super::call::{Call, Cause};
use super::processor::{Next, Stage};
use super::{AppletId, Simulation, Tenant, Work, at};
use crate::nic::ProcessorId;

/// A receive buffer that the user gave back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Refill {
    /// How many bytes it holds.
    pub(super) length: u32,
    /// The channel that the descriptor named.
    pub(super) channel: ChannelId,
    /// Where it lies in the buffer area; `None` for a message that lay in its descriptor.
    pub(super) offset: Option<u32>,
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
pub(super) struct Agendas(Vec<Agenda>);

impl Agendas {
    pub(super) fn new(applets: &[Applet<'_>]) -> Agendas {
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
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the end of the time that an applet has set need not be waited for: it has set none.
    pub(super) fn has_no_timer(&self, applet: Option<AppletId>) -> bool {
        let agenda = applet.and_then(|applet| self.0.get(at(applet.0)));
        agenda.is_none_or(|agenda| agenda.timer.is_none())
    }
}

impl<S: Sink> Simulation<'_, S> {
    /// Sets the time after which `doTimer` is called, in place of any that was set; a time of zero sets none. It
    /// begins to count when the [call has ended](Simulation::arm), but from now on.
    #[cold]
    pub(super) fn set_timer(&mut self, tenant: Tenant, after: SimDuration) {
        let has_entry = self.applets[at(tenant.applet.0)].members.do_timer.is_some();
        if let Some(agenda) = self.agendas.0.get_mut(at(tenant.applet.0)) {
            agenda.timer = (has_entry && after > SimDuration::ZERO).then(|| self.now + after);
            agenda.is_over = false;
        }
    }

    /// Has the simulation look at the time that an applet has set. Done once a call, however often the call sets it:
    /// each earlier time is a look of its own.
    #[cold]
    pub(super) fn arm(&mut self, Tenant { endpoint, applet }: Tenant) {
        let Some(agenda) = self.agendas.0.get_mut(at(applet.0)) else {
            return;
        };
        let Some(timer) = agenda.timer else { return };
        if agenda.look.is_none_or(|look| timer < look) {
            agenda.look = Some(timer);
            self.schedule
                .insert(timer.max(self.now), Work::Timer(endpoint));
        }
    }

    /// Looks whether the time that an endpoint's applet has set is over; returns whether it is.
    pub(super) fn look_at_timer(&mut self, id: EndpointId) -> bool {
        let Some(applet) = self.seats[at(id.0)].applet else {
            return false;
        };
        let agenda = &mut self.agendas.0[at(applet.0)];
        if agenda.look.is_some_and(|look| look <= self.now) {
            agenda.look = None;
        }
        if agenda.timer.is_none_or(|timer| timer > self.now) {
            self.arm(Tenant {
                endpoint: id,
                applet,
            });
            return false;
        }
        agenda.timer = None;
        agenda.is_over = true;
        self.come_back(id);
        true
    }

    /// Notes which buffers the user is about to give back, where the applet wants to know.
    #[cold]
    pub(super) fn note_refills(&mut self, id: EndpointId) {
        let Some(applet) = self.seats[at(id.0)].applet else {
            return;
        };
        if self.applets[at(applet.0)].members.do_refill.is_none() {
            return;
        }
        let endpoint = &self.endpoints[at(id.0)];
        let Some(message) = endpoint.receive.first() else {
            return;
        };
        let refills = &mut self.agendas.0[at(applet.0)].refills;
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
        self.come_back(id);
    }

    /// Has processors see to what stands on an endpoint's agenda.
    #[cold]
    pub(super) fn come_back(&mut self, id: EndpointId) {
        let agenda = self.seats[at(id.0)]
            .applet
            .and_then(|applet| self.agendas.0.get(at(applet.0)));
        let Some(agenda) = agenda else { return };
        let (is_over, has_refills) = (agenda.is_over, !agenda.refills.is_empty());
        let position = self.seats[at(id.0)].position();
        let nic = &mut self.nics[at(self.endpoints[at(id.0)].nic.0)];
        let timers_on = nic.processor(nic.placement.do_timer);
        let refills_on = nic.processor(nic.placement.do_refill);
        if is_over {
            nic.timers.insert(position);
            self.wake(timers_on);
        }
        if has_refills {
            let nic = &mut self.nics[at(self.endpoints[at(id.0)].nic.0)];
            nic.refills.insert(position);
            self.wake(refills_on);
        }
    }

    /// Takes the next endpoint of a NIC whose time is over.
    pub(super) fn take_timer(&mut self, on: ProcessorId, nic: NicId) -> Option<Next> {
        loop {
            let timers = &mut self.nics[at(nic.0)].timers;
            let position = timers.take_turn()?;
            timers.remove(position);
            let Some((tenant, method)) = self.tenant_at(nic, position, |members| members.do_timer)
            else {
                continue;
            };
            let agenda = &mut self.agendas.0[at(tenant.applet.0)];
            if !std::mem::take(&mut agenda.is_over) {
                continue;
            }
            let fault = &self.residents[at(tenant.endpoint.0)].fault;
            if !fault.is_attached(self.now) {
                // It is called as soon as it is attached again.
                agenda.timer = Some(fault.attached_from());
                self.arm(tenant);
                continue;
            }
            self.processors[at(on.0)].call = Call {
                tenant,
                method,
                cause: Cause::Timer,
            };
            return Some(Next::After(self.profile.entry.timer_setup, Stage::Enter));
        }
    }

    /// Takes the next buffer that was given back, endpoint by endpoint.
    pub(super) fn take_refill(&mut self, on: ProcessorId, nic: NicId) -> Option<Next> {
        loop {
            let position = self.nics[at(nic.0)].refills.take_turn()?;
            let found = self.tenant_at(nic, position, |members| members.do_refill);
            let refills = found.map(|(tenant, _)| &mut self.agendas.0[at(tenant.applet.0)].refills);
            let refill = refills.and_then(VecDeque::pop_front);
            let (Some((tenant, method)), Some(refill)) = (found, refill) else {
                self.nics[at(nic.0)].refills.remove(position);
                continue;
            };
            // What comes while an applet is detached is none of its business.
            let fault = &self.residents[at(tenant.endpoint.0)].fault;
            if !fault.is_attached(self.now) {
                continue;
            }
            self.processors[at(on.0)].call = Call {
                tenant,
                method,
                cause: Cause::Refill(refill),
            };
            return Some(Next::After(self.profile.entry.refill_setup, Stage::Enter));
        }
    }

    /// Returns the applet of the endpoint at a position of a NIC, and one of its methods; `None` where it has none, or
    /// is in a call that is suspended: its agenda [comes back](Simulation::come_back) when that goes on.
    fn tenant_at(
        &self,
        nic: NicId,
        position: usize,
        method: impl FnOnce(&nic_core::sle::Members) -> Option<jive_core::MethodId>,
    ) -> Option<(Tenant, jive_core::MethodId)> {
        let endpoint = self.nics[at(nic.0)].endpoints[position];
        let applet = self.seats[at(endpoint.0)].applet?;
        if self.suspensions.is_any() && self.is_suspended(endpoint) {
            return None;
        }
        let method = method(&self.applets[at(applet.0)].members)?;
        Some((Tenant { endpoint, applet }, method))
    }

    /// Puts what a call is for back on the agenda: another call of the applet is suspended.
    pub(super) fn put_off(&mut self, tenant: Tenant, cause: Cause) {
        let agenda = &mut self.agendas.0[at(tenant.applet.0)];
        match cause {
            Cause::Timer => agenda.is_over = true,
            Cause::Refill(refill) => agenda.refills.push_front(refill),
            Cause::Post(_) | Cause::Arrival { .. } => {}
        }
    }
}
