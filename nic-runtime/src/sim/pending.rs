//! What applets are to be called for: timers that are set, buffers that are returned, writes that are watched. And what a
//! call needs so that it can wait.

use crate::ids::{AppletId, ProcessorId, WatchId, at};

use super::{Engines, Parts};
use crate::calls::chain::Chain;
use crate::calls::pending::{PendingCalls, ReadDone, Refill};
use crate::nic::endpoint::AppletAt;
use crate::nic::work::Work;
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::SimDuration;
use nic_core::unet::{INLINE_MAX, MessageBody};

impl<E: Engines> Parts<'_, E> {
    /// Sets the timer of an applet, replacing any earlier setting; zero clears the timer. The timer counts from now, but
    /// its check is scheduled only when the [call has ended](Parts::arm_timer).
    #[cold]
    pub(crate) fn set_timer(&mut self, applet_at: AppletAt, after: SimDuration) {
        let has_entry = self.applets[applet_at.applet].members.do_timer.is_some();
        if let Some(pending) = self.pending_calls.0.get_mut(applet_at.applet) {
            pending.cancel_timer();
            pending.timer = (has_entry && after > SimDuration::ZERO).then(|| self.now + after);
        }
    }

    /// Forgets everything that an applet waits for, because nothing calls it any more.
    pub(crate) fn clear_pending(&mut self, applet_at: AppletAt) {
        if let Some(pending) = self.pending_calls.0.get_mut(applet_at.applet) {
            *pending = PendingCalls::default();
        }
    }

    /// Schedules a check of the applet's timer. An applet's call schedules the timer's check once, at the end, so that a
    /// call that sets the timer often schedules one check only.
    #[cold]
    pub(crate) fn arm_timer(&mut self, AppletAt { endpoint, applet }: AppletAt) {
        let Some(pending) = self.pending_calls.0.get_mut(applet) else {
            return;
        };
        let Some(timer) = pending.timer else { return };
        if pending.look.is_none_or(|look| timer < look) {
            pending.look = Some(timer);
            self.schedule
                .insert(timer.max(self.now), Work::Timer(endpoint));
        }
    }

    /// Records the buffers that the user is about to return, if the applet has `doRefill`.
    #[cold]
    pub(crate) fn note_refills(&mut self, id: EndpointId) {
        let Some(applet) = self.infos[id].applet else {
            return;
        };
        if self.applets[applet].members.do_refill.is_none() {
            return;
        }
        // A detached applet never learns of this buffer, even if the processor gets to it only later.
        if !self.live[id].fault.is_attached(self.now) {
            return;
        }
        let endpoint = &self.endpoints[id];
        let Some(message) = endpoint.receive.first() else {
            return;
        };
        let refills = &mut self.pending_calls.0[applet].refills;
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

    /// Records that the next applet towards the user has taken a message of this applet of a chain, if this applet has
    /// `doRefill`.
    #[cold]
    pub(crate) fn note_taken(&mut self, applet_at: AppletAt, channel: ChannelId, buffers: &[u32]) {
        if self.applets[applet_at.applet].members.do_refill.is_none() {
            return;
        }
        let length = self.endpoints[applet_at.endpoint].free.buffer_length();
        let refills = &mut self.pending_calls.0[applet_at.applet].refills;
        refills.extend(buffers.iter().map(|&offset| Refill {
            length,
            channel,
            offset: Some(offset),
        }));
        if buffers.is_empty() {
            refills.push_back(Refill {
                length: INLINE_MAX as u32,
                channel,
                offset: None,
            });
        }
        self.come_back(applet_at.endpoint);
    }

    /// Adds the event of a watch, unless the applet is detached. Returns whether the event was added and did not wait
    /// already.
    pub(crate) fn add_watch(&mut self, applet_at: AppletAt, watch: WatchId) -> bool {
        let is_attached = self.live[applet_at.endpoint].fault.is_attached(self.now);
        let pending = self.pending_calls.0.get_mut(applet_at.applet);
        is_attached && pending.is_some_and(|pending| pending.events.add(watch))
    }

    /// Adds a read that has ended, unless the applet is detached. Returns whether the read was added.
    pub(crate) fn add_read(&mut self, applet_at: AppletAt, done: ReadDone) -> bool {
        let is_attached = self.live[applet_at.endpoint].fault.is_attached(self.now);
        let pending = self.pending_calls.0.get_mut(applet_at.applet);
        let pending = pending.filter(|_| is_attached);
        pending
            .map(|pending| pending.reads.push_back(done))
            .is_some()
    }

    /// Removes the event of a watch that is removed.
    pub(crate) fn forget_watch(&mut self, applet_at: AppletAt, watch: WatchId) {
        if let Some(pending) = self.pending_calls.0.get_mut(applet_at.applet) {
            pending.events.forget(watch);
        }
    }

    /// Wakes the processors that serve an endpoint's expired timer, refills and events.
    #[cold]
    pub(crate) fn come_back(&mut self, id: EndpointId) {
        let (mut is_over, mut has_refills, mut has_events) = (false, false, false);
        for applet in self.applets_of(id) {
            let Some(pending) = self.pending_calls.0.get(applet) else {
                return;
            };
            is_over |= pending.is_over;
            has_refills |= !pending.refills.is_empty();
            has_events |= !pending.events.is_empty() || !pending.reads.is_empty();
        }
        let position = self.infos[id].position();
        let nic = &mut self.nics[self.endpoints[id].nic];
        let timers_on = nic.processor(nic.placement.do_timer);
        let refills_on = nic.processor(nic.placement.do_refill);
        if is_over {
            nic.timers.insert(position);
            self.wake(timers_on);
        }
        if has_refills {
            let nic = &mut self.nics[self.endpoints[id].nic];
            nic.refills.insert(position);
            self.wake(refills_on);
        }
        if has_events {
            let nic = &mut self.nics[self.endpoints[id].nic];
            let on = nic.processor(nic.placement.do_watch);
            nic.watched.insert(position);
            self.wake(on);
        }
    }

    /// Returns the applets of an endpoint, in the order of their `doTx`.
    pub(crate) fn applets_of(
        &self,
        endpoint: EndpointId,
    ) -> impl Iterator<Item = AppletId> + use<E> {
        let count = self.chains.of(endpoint).map_or(1, Chain::count);
        let first = self.infos[endpoint].applet;
        let numbers = first.map_or(0..0, |first| first.0..first.0 + count);
        numbers.map(AppletId)
    }

    /// Returns the number under which an endpoint's calls exclude each other: that of its first applet.
    pub(crate) fn place_of(&self, applet_at: AppletAt) -> AppletId {
        let first = self.infos[applet_at.endpoint].applet;
        first.unwrap_or(applet_at.applet)
    }

    /// Returns whether the heap of the running applet has room for the call's frames and registers.
    pub(crate) fn can_suspend(&self, on: ProcessorId) -> bool {
        let activation = &self.processors[on].activation;
        let applet = activation.call().applet_at.applet;
        let heap = self.applets[applet].instance.heap();
        activation.stack.live_bytes() <= at(heap.free())
    }
}
