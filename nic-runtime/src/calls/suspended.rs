//! Suspended calls: each keeps its state until the packet that it pushes has slots.

use crate::ids::{AppletId, ProcessorId, Table, at};
use std::num::NonZeroU32;

use jive_core::limits::REGISTER_WINDOW;
use jive_core::{CallStack, Frame};

use super::call::Activation;
use crate::nic::costs::Costs;
use crate::nic::stage::Stage;

/// A suspended call.
pub(crate) struct Suspended<'a> {
    /// The suspended call's state, with the packets that have arrived for its applet, which has one call at a time.
    pub(crate) activation: Activation<'a>,
    /// The stage at which the suspended call continues.
    pub(crate) stage: Stage,
    /// The processor that continues the suspended call.
    pub(crate) on: ProcessorId,
}

/// Index of a suspended call, plus one. A [`Place`] is stored for every applet, so the niche at zero keeps
/// `Option<Place>` at four bytes.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Place(NonZeroU32);

impl Place {
    pub(crate) fn of(number: u32) -> Place {
        Place(NonZeroU32::MIN.saturating_add(number))
    }

    pub(crate) fn number(self) -> u32 {
        self.0.get() - 1
    }
}

/// All suspended calls. Entries of suspended calls are reused with their call stacks.
pub(crate) struct Suspensions<'a> {
    pub(crate) calls: Vec<Suspended<'a>>,
    pub(crate) vacant: Vec<u32>,
    // Number of suspended calls.
    pub(crate) count: u32,
    // The entry of each applet's suspended call, if it has one.
    pub(crate) of_applet: Table<AppletId, Option<Place>>,
}

impl<'a> Suspensions<'a> {
    pub(crate) fn new(applets: usize) -> Suspensions<'a> {
        Suspensions {
            calls: Vec::new(),
            vacant: Vec::new(),
            count: 0,
            of_applet: Table::filled(applets, None),
        }
    }

    /// Returns the suspended call of an applet.
    pub(crate) fn of(&mut self, applet: AppletId) -> Option<&mut Suspended<'a>> {
        let place = self.of_applet[applet]?;
        self.calls.get_mut(at(place.number()))
    }

    /// Returns whether any call is suspended; usually none is.
    #[inline]
    pub(crate) fn is_any(&self) -> bool {
        self.count > 0
    }
}

/// Makes a call stack of the depth that the NIC's profile gives.
pub(crate) fn call_stack<'a>(arena: &'a bumpalo::Bump, costs: &Costs) -> CallStack<'a> {
    let frames = at(costs.stack.calls);
    // The interpreter needs a register window after the last slot of the call stack; no frame of the model uses this
    // window.
    let slots = at(costs.stack.slots) + REGISTER_WINDOW;
    CallStack::new(
        arena.alloc_slice_fill_copy(frames, Frame::default()),
        arena.alloc_slice_fill_copy(slots, 0),
    )
}

#[cfg(test)]
impl Suspensions<'_> {
    /// Counts the suspended calls, and the memory for others.
    pub(crate) fn counted(&self, census: &mut crate::at_rest::Census) {
        let Suspensions {
            calls,
            vacant,
            count,
            of_applet,
        } = self;
        census.length("suspensions.calls", calls.len());
        census.length("suspensions.vacant", vacant.len());
        census.count("suspensions.count", count);
        census.count("suspensions.of_applet", of_applet);
        for call in calls {
            let Suspended {
                activation,
                stage: _,
                on: _,
            } = call;
            activation.counted("suspensions", census);
        }
    }
}
