//! Calls that wait for a place for the packet they push, while the processor does something else.
//!
//! On the NIC the frames and registers of a suspended call lie in the part of the applet's heap that no
//! array takes: the heap is the endpoint's own and the call cannot allocate while it waits. A push for
//! which there is neither a place nor this much heap is dropped.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use jive_core::limits::REGISTER_WINDOW;
use jive_core::{CallStack, Frame};
use nic_core::event::{EventKind, Sink};
use nic_core::id::{EndpointId, NicId};
use nic_core::sle::NicNative;
use nic_core::time::{SimDuration, SimTime};

use super::call::Call;
use super::processor::{Next, Posted, Processor, Stage};
use super::quota::Spent;
use super::{AppletId, Simulation, Tenant, at};
use crate::fabric::PacketRef;
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
    /// Packets for the endpoint that arrived since: an applet has one call at a time.
    pub(super) parked: VecDeque<PacketRef>,
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
    pub(super) fn can_suspend(&self, nic: NicId) -> bool {
        let Processor { stack, call, .. } = &self.processors[at(nic.0)];
        let heap = self.applets[at(call.tenant.applet.0)].instance.heap();
        stack.live_bytes() <= at(heap.free())
    }

    /// Suspends the call that a processor runs; it goes on with `stage`.
    #[cold]
    pub(super) fn suspend(&mut self, nic: NicId, stage: Stage) -> Next {
        let call = &self.processors[at(nic.0)].call;
        let (Tenant { endpoint, applet }, trigger) = (call.tenant, call.trigger());
        // A message that an applet trapped on waits outside of any call.
        if let Stage::Perform = stage {
            let kind = EventKind::AppletSuspend { trigger };
            self.report.emit(self.now, endpoint, kind);
        }
        self.give_up_post(endpoint);
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
                    parked: VecDeque::new(),
                });
                place
            }
        };
        self.suspensions.of_applet[at(applet.0)] = Some(Place::of(place));
        self.suspensions.count += 1;
        let kept = &mut self.suspensions.calls[at(place)];
        kept.stage = stage;
        self.processors[at(nic.0)].exchange(kept);
        self.processors[at(nic.0)].was_suspended = false;
        self.look(nic)
    }

    /// Has a processor go on with the suspended call of an endpoint.
    #[cold]
    pub(super) fn go_on_with(&mut self, nic: NicId, id: EndpointId) -> Next {
        let place = self.seats[at(id.0)]
            .applet
            .and_then(|applet| self.suspensions.of_applet[at(applet.0)].take())
            .expect("only a suspended call waits for places")
            .number();
        self.suspensions.vacant.push(place);
        self.suspensions.count -= 1;
        let kept = &mut self.suspensions.calls[at(place)];
        let stage = kept.stage;
        let processor = &mut self.processors[at(nic.0)];
        processor.exchange(kept);
        processor.was_suspended = true;
        if let Stage::Perform = stage {
            // The native goes on, and with it what the timeline shows of it.
            processor.begun = self.now;
            let trigger = processor.call.trigger();
            let kind = EventKind::AppletResume { trigger };
            self.report.emit(self.now, id, kind);
        }
        Next::After(SimDuration::ZERO, stage)
    }

    /// Ends the suspensions of a call: what came for its endpoint meanwhile is due again.
    #[inline]
    pub(super) fn end_suspensions(&mut self, nic: NicId) {
        if self.processors[at(nic.0)].was_suspended {
            self.unpark(nic);
        }
    }

    #[cold]
    fn unpark(&mut self, nic: NicId) {
        let processor = &mut self.processors[at(nic.0)];
        processor.was_suspended = false;
        let id = processor.call.tenant.endpoint;
        let arrivals = &mut self.nics[at(nic.0)].arrivals;
        while let Some(packet) = processor.parked.pop_back() {
            arrivals.push_front(packet);
        }
        if !self.endpoints[at(id.0)].transmit.is_drained() {
            self.nics[at(nic.0)]
                .posted
                .insert(self.seats[at(id.0)].position());
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
