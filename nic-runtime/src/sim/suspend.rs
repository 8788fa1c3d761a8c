//! Calls that wait for a place for the packet they push, while the processor does something else.
//!
//! On the NIC the frames and registers of a suspended call lie in the part of the applet's heap that no
//! array takes: the heap is the endpoint's own and the call cannot allocate while it waits. A push for
//! which there is neither a place nor this much heap is dropped.

use std::num::NonZeroU32;

use jive_core::limits::REGISTER_WINDOW;
use jive_core::{CallStack, Frame};
use nic_core::event::{Sink, SleEvent};
use nic_core::id::EndpointId;
use nic_core::sle::NicNative;
use nic_core::time::{SimDuration, SimTime};

use super::call::Call;
use super::crew::{Item, Parked};
use super::processor::{Next, Processor, Stage};
use super::quota::Spent;
use super::unet::Posted;
use super::{AppletId, Simulation, Tenant, at};
use crate::nic::ProcessorId;
use crate::profile::Profile;

/// What a processor has to know to go on with a call.
pub(super) struct Suspended<'a> {
    pub(super) stack: CallStack<'a>,
    pub(super) spent: Spent,
    pub(super) call: Call,
    pub(super) posted: Posted,
    pub(super) native: NicNative,
    pub(super) begun: SimTime,
    pub(super) stage: Stage,
    /// The processor that goes on with it.
    pub(super) on: ProcessorId,
    /// What came for the endpoint since: an applet has one call at a time.
    pub(super) parked: Parked,
}

/// The number of a suspended call among all of them: as small as can be, since every applet has room for one.
#[derive(Copy, Clone, Debug)]
struct Place(NonZeroU32);

impl Place {
    fn of(number: u32) -> Place {
        Place(NonZeroU32::MIN.saturating_add(number))
    }

    fn number(self) -> u32 {
        self.0.get() - 1
    }
}

/// The suspended calls, and the memory of those that have gone on.
pub(super) struct Suspensions<'a> {
    calls: Vec<Suspended<'a>>,
    vacant: Vec<u32>,
    // How many are suspended.
    count: u32,
    // Each applet's place among the calls, where it has one.
    of_applet: Vec<Option<Place>>,
}

impl<'a> Suspensions<'a> {
    pub(super) fn new(applets: usize) -> Suspensions<'a> {
        Suspensions {
            calls: Vec::new(),
            vacant: Vec::new(),
            count: 0,
            of_applet: vec![None; applets],
        }
    }

    /// Returns the suspended call of an applet.
    pub(super) fn of(&mut self, applet: AppletId) -> Option<&mut Suspended<'a>> {
        let place = self.of_applet[at(applet.0)]?;
        self.calls.get_mut(at(place.number()))
    }

    /// Returns whether any call is suspended; as a rule none is.
    #[inline]
    pub(super) fn is_any(&self) -> bool {
        self.count > 0
    }

    fn is_suspended(&self, applet: AppletId) -> bool {
        self.of_applet[at(applet.0)].is_some()
    }
}

/// Makes a call stack as deep as the profile says.
pub(super) fn call_stack<'a>(arena: &'a bumpalo::Bump, profile: &Profile) -> CallStack<'a> {
    let frames = at(profile.processor.call_depth.get());
    // Behind the slots of the model lie those that no frame may use.
    let slots = at(profile.processor.call_slots.get()) + REGISTER_WINDOW;
    CallStack::new(
        arena.alloc_slice_fill_copy(frames, Frame::default()),
        arena.alloc_slice_fill_copy(slots, 0),
    )
}

impl<S: Sink> Simulation<'_, S> {
    /// Returns whether an endpoint's applet is in a call that is suspended.
    pub(super) fn is_suspended(&self, id: EndpointId) -> bool {
        self.seats[at(id.0)]
            .applet
            .is_some_and(|applet| self.suspensions.is_suspended(applet))
    }

    /// Returns whether the applet whose call runs has room for its frames and registers.
    pub(super) fn can_suspend(&self, on: ProcessorId) -> bool {
        let Processor { stack, call, .. } = &self.processors[at(on.0)];
        let heap = self.applets[at(call.tenant.applet.0)].instance.heap();
        stack.live_bytes() <= at(heap.free())
    }

    /// Suspends the call that a processor runs; it goes on with `stage`.
    #[cold]
    pub(super) fn suspend(&mut self, on: ProcessorId, stage: Stage) -> Next {
        let Processor {
            call,
            has_set_timer,
            ..
        } = &mut self.processors[at(on.0)];
        let (tenant, trigger) = (call.tenant, call.trigger());
        let Tenant { endpoint, applet } = tenant;
        if std::mem::take(has_set_timer) {
            self.arm(tenant);
        }
        // A message that an applet trapped on waits outside of any call.
        if let Stage::Perform = stage {
            let kind = SleEvent::AppletSuspend { trigger };
            self.report.emit(self.now, endpoint, kind);
        }
        let place = match self.suspensions.vacant.pop() {
            Some(place) => place,
            None => {
                let calls = &mut self.suspensions.calls;
                let place = u32::try_from(calls.len()).expect("an applet has one call at a time");
                calls.push(Suspended {
                    stack: call_stack(self.arena, self.profile),
                    spent: Spent::default(),
                    call: Call::default(),
                    posted: Posted::default(),
                    native: NicNative::TxPush,
                    begun: SimTime::ZERO,
                    stage,
                    on,
                    parked: Parked::default(),
                });
                place
            }
        };
        self.suspensions.of_applet[at(applet.0)] = Some(Place::of(place));
        self.suspensions.count += 1;
        self.more_sources += 1;
        let kept = &mut self.suspensions.calls[at(place)];
        kept.stage = stage;
        kept.on = on;
        self.processors[at(on.0)].exchange(kept);
        self.processors[at(on.0)].was_suspended = false;
        // What it gives up may be what it waits for: only now would it be found.
        self.give_up_post(endpoint);
        self.leave_call(on);
        self.look(on)
    }

    /// Has a processor go on, when it comes to it, with the suspended call of an endpoint, which has its places.
    #[cold]
    pub(super) fn resumable(&mut self, id: EndpointId) {
        let applet = self.seats[at(id.0)].applet;
        let Some(suspended) = applet.and_then(|applet| self.suspensions.of(applet)) else {
            return;
        };
        let on = suspended.on;
        self.processors[at(on.0)].resumable.push_back(id);
        self.wake(on);
    }

    /// Has a processor go on with the suspended call of an endpoint.
    #[cold]
    pub(super) fn go_on_with(&mut self, on: ProcessorId, id: EndpointId) -> Next {
        let place = self.seats[at(id.0)]
            .applet
            .and_then(|applet| self.suspensions.of_applet[at(applet.0)].take())
            .expect("only a suspended call waits for places")
            .number();
        self.suspensions.vacant.push(place);
        self.suspensions.count -= 1;
        self.more_sources -= 1;
        let kept = &mut self.suspensions.calls[at(place)];
        let stage = kept.stage;
        let processor = &mut self.processors[at(on.0)];
        processor.exchange(kept);
        processor.was_suspended = true;
        if let Stage::Perform = stage {
            // The native goes on, and with it what the timeline shows of it.
            processor.begun = self.now;
            let trigger = processor.call.trigger();
            let kind = SleEvent::AppletResume { trigger };
            self.report.emit(self.now, id, kind);
            self.reenter(on);
        }
        Next::After(SimDuration::ZERO, stage)
    }

    /// Sees to what waits for the end of a call: what came for its endpoint while it was suspended, and the time that it
    /// has set.
    #[inline]
    pub(super) fn end_asides(&mut self, on: ProcessorId) {
        let processor = &self.processors[at(on.0)];
        if processor.was_suspended | processor.has_set_timer {
            self.end_these(on);
        }
    }

    #[cold]
    fn end_these(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[at(on.0)];
        if std::mem::take(&mut processor.has_set_timer) {
            let tenant = processor.call.tenant;
            self.arm(tenant);
        }
        if std::mem::take(&mut self.processors[at(on.0)].was_suspended) {
            self.unpark(on);
        }
    }

    #[cold]
    fn unpark(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[at(on.0)];
        let (id, nic) = (processor.call.tenant.endpoint, processor.nic);
        let nic = &mut self.nics[at(nic.0)];
        while let Some(packet) = processor.parked.arrivals.pop_back() {
            nic.arrivals.push_front(packet);
        }
        if !self.endpoints[at(id.0)].transmit.is_drained() {
            nic.posted.insert(self.seats[at(id.0)].position());
        }
        if !processor.share.is_alone {
            self.unpark_items(on);
        }
        self.come_back(id);
    }

    /// Hands what other processors had begun with back to them.
    #[cold]
    fn unpark_items(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[at(on.0)];
        let taken = std::mem::take(&mut processor.parked.taken);
        let nic = &self.nics[at(processor.nic.0)];
        let placed = |place| nic.processor(place);
        let (do_tx, do_rx) = (placed(nic.placement.do_tx), placed(nic.placement.do_rx));
        let looks = [nic.placement.transmit, nic.placement.receive].map(placed);
        for packet in taken.into_iter().rev() {
            let handed = &mut self.processors[at(do_rx.0)].share.handed;
            handed.push_front(Item::Arrival(packet));
        }
        for other in [do_tx, do_rx].into_iter().chain(looks) {
            if other != on {
                self.wake(other);
            }
        }
    }
}

impl<'a> Processor<'a> {
    /// Exchanges the call that runs for one that was suspended.
    fn exchange(&mut self, kept: &mut Suspended<'a>) {
        use std::mem::swap;
        swap(&mut self.stack, &mut kept.stack);
        swap(&mut self.parked, &mut kept.parked);
        swap(&mut self.spent, &mut kept.spent);
        swap(&mut self.call, &mut kept.call);
        swap(&mut self.posted, &mut kept.posted);
        swap(&mut self.native, &mut kept.native);
        swap(&mut self.begun, &mut kept.begun);
    }
}
