//! Swaps of applets: the classes that may come during a run, the memory for them, and what waits for its turn.

use crate::ids::Table;
use std::collections::BTreeMap;

use bumpalo::Bump;
use jive_core::LinkedClass;
use nic_core::event::SwapRefusal;
use nic_core::id::{EndpointId, NicId};
use nic_core::sle::{Applet, CapsuleMemory, FragmentHeader, Members, Reassembly, Taken};
use nic_core::time::SimTime;

use super::call::Activation;
use super::classes::Classes;
use super::ledger::{Ledger, Need};
use super::sram::RecordBytes;
use crate::spec::{Scenario, SwapSpec};

/// The swaps of a run, and the classes and memory that they use.
pub(crate) struct Swaps<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) classes: Classes<'a>,
    /// The classes that came in capsules, each of them once, numbered after `classes`.
    pub(crate) carried: Vec<Carried<'a>>,
    pub(crate) ledger: Ledger,
    /// The class of each endpoint's applet; the list is empty if no applet can be replaced.
    pub(crate) current: Table<EndpointId, Option<usize>>,
    /// The capsules of each endpoint that accepts capsules.
    pub(crate) capsules: BTreeMap<EndpointId, Reassembly<Collected>>,
    /// Classes that have their memory and wait for the end of a call of the old applet, oldest first.
    pub(crate) waiting: Vec<Waiting<'a>>,
    pub(crate) spare: Spare<'a>,
}

/// A class that waits until no call of the applet that it replaces is under way.
#[derive(Copy, Clone)]
pub(crate) struct Waiting<'a> {
    pub(crate) endpoint: EndpointId,
    pub(crate) class: usize,
    pub(crate) loaded: &'a LinkedClass<'a>,
    pub(crate) need: Need,
    /// The number of the capsule in which the class came.
    pub(crate) capsule: Option<u32>,
}

/// The fragments of a capsule that have come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collected(Vec<u8>);

impl CapsuleMemory for Collected {
    fn clear(&mut self) {
        // The memory of a capsule that was given up is free.
        self.0 = Vec::new();
    }

    fn append(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A class that came in a capsule.
#[derive(Copy, Clone)]
pub(crate) struct Carried<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) loaded: &'a LinkedClass<'a>,
}

/// Memory for the next applet of an endpoint. An endpoint needs memory for two applets at a time, however often its
/// applet is replaced.
#[derive(Default)]
pub(crate) struct Spare<'a> {
    pub(crate) heaps: Vec<&'a mut [u8]>,
    pub(crate) fields: Vec<&'a mut [i32]>,
    /// Initializers run on these activations, because a processor's own activation may be in the middle of another
    /// applet's call.
    pub(crate) activations: Vec<(NicId, Activation<'a>)>,
}

impl<'a> Spare<'a> {
    /// Keeps the memory of an applet that has been replaced.
    pub(crate) fn keep(&mut self, applet: Applet<'a>) {
        let (fields, heap) = applet.instance.into_memory();
        self.fields.push(fields);
        self.heaps.push(heap);
    }
}

/// Takes a slice of the given length from the memory of replaced applets, or else from the arena.
pub(crate) fn slice<'a, T: Copy + Default>(
    left: &mut Vec<&'a mut [T]>,
    arena: &'a Bump,
    length: usize,
) -> &'a mut [T] {
    match left.iter().position(|slice| slice.len() == length) {
        Some(place) => left.swap_remove(place),
        None => arena.alloc_slice_fill_copy(length, T::default()),
    }
}

impl<'a> Swaps<'a> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        classes: Classes<'a>,
        record_bytes: RecordBytes,
    ) -> Swaps<'a> {
        let is_used = scenario.replaces_applets();
        let first = scenario.endpoints.iter().map(|spec| spec.class);
        Swaps {
            scenario,
            classes,
            carried: Vec::new(),
            capsules: BTreeMap::new(),
            ledger: match is_used {
                true => Ledger::new(scenario, classes, record_bytes),
                false => Ledger::default(),
            },
            current: match is_used {
                true => first.collect(),
                false => Table::new(),
            },
            waiting: Vec::new(),
            spare: Spare::default(),
        }
    }

    /// Returns the scheduled swaps, in the order of the scenario.
    pub(crate) fn scheduled(&self) -> &'a [SwapSpec] {
        &self.scenario.swaps
    }

    /// Returns whether an endpoint may get another applet.
    pub(crate) fn may_replace(&self, endpoint: EndpointId) -> bool {
        !self.current.is_empty() && self.scenario.may_replace_applet(endpoint)
    }

    /// Adds a fragment to the capsule of an endpoint. A capsule that is being collected holds SRAM for the whole class
    /// file.
    pub(crate) fn take_fragment(
        &mut self,
        (endpoint, nic): (EndpointId, NicId),
        (header, bytes): (FragmentHeader, &[u8]),
        now: SimTime,
    ) -> Taken {
        let capsules = self.capsules.entry(endpoint).or_default();
        let holder = (endpoint, nic);
        self.ledger.give_back_of(holder, capsules.held().into());
        let room = self.ledger.left(endpoint);
        let taken = capsules.take(header, bytes, (room, now));
        let is_there = self.ledger.take_for(holder, capsules.held().into());
        debug_assert!(is_there, "the capsule was given no more room than there is");
        taken
    }

    /// Takes the class file of an endpoint's capsule, which is complete.
    pub(crate) fn take_whole(&mut self, endpoint: EndpointId) -> Vec<u8> {
        let capsules = self.capsules.get_mut(&endpoint);
        capsules.map_or_else(Vec::new, |capsules| {
            std::mem::take(&mut capsules.memory_mut().0)
        })
    }

    /// Returns until when an endpoint's half-finished capsule waits for its next fragment.
    pub(crate) fn waits_until(&self, endpoint: EndpointId) -> Option<SimTime> {
        self.capsules.get(&endpoint)?.waits_until()
    }

    /// Gives up the half-finished capsule of an endpoint if its next fragment has not come in time.
    pub(crate) fn give_up_capsule(&mut self, (endpoint, nic): (EndpointId, NicId), now: SimTime) {
        let Some(capsules) = self.capsules.get_mut(&endpoint) else {
            return;
        };
        let held = capsules.held();
        capsules.expire(now);
        if capsules.held() != held {
            self.ledger.give_back_of((endpoint, nic), held.into());
        }
    }

    /// Keeps the answer to a complete capsule.
    pub(crate) fn answered(&mut self, endpoint: EndpointId, number: u32, text: &'static str) {
        if let Some(capsules) = self.capsules.get_mut(&endpoint) {
            capsules.answered(number, text);
        }
    }

    /// Returns the number of an accepted class with these bytes.
    pub(crate) fn known(&self, bytes: &[u8]) -> Option<usize> {
        let given = self.classes.iter().zip(&self.scenario.classes);
        let given = given.map(|(loaded, spec)| loaded.is_ok().then_some(&spec.bytes[..]));
        let carried = self.carried.iter().map(|carried| Some(carried.bytes));
        given.chain(carried).position(|known| known == Some(bytes))
    }

    /// Returns whether the simulation may keep another class file from a capsule.
    pub(crate) fn has_room_for(&self, length: usize, limit: usize) -> bool {
        let kept = self.carried.iter().map(|carried| carried.bytes.len());
        kept.sum::<usize>() + length <= limit
    }

    /// Keeps a class that came in a capsule, and returns its number.
    pub(crate) fn add_class(&mut self, bytes: &'a [u8], loaded: &'a LinkedClass<'a>) -> usize {
        self.carried.push(Carried { bytes, loaded });
        self.classes.len() + self.carried.len() - 1
    }

    /// Returns the bytes of a class that came in a capsule, or `None` for a class of the scenario.
    pub(crate) fn carried(&self, class: usize) -> Option<&'a [u8]> {
        let place = class.checked_sub(self.classes.len())?;
        self.carried.get(place).map(|carried| carried.bytes)
    }

    pub(crate) fn loaded(&self, class: usize) -> Result<&'a LinkedClass<'a>, SwapRefusal> {
        match class.checked_sub(self.classes.len()) {
            Some(place) => Ok(self.carried[place].loaded),
            None => match &self.classes[class] {
                Ok(loaded) => Ok(loaded),
                Err(error) => Err(SwapRefusal::Rejected(error.code())),
            },
        }
    }

    /// Returns the class of an endpoint's applet: an index into [`Scenario::classes`], or an index after these for a
    /// class that came in a capsule.
    pub(crate) fn class_of(&self, endpoint: EndpointId) -> Option<usize> {
        match self.current.get(endpoint) {
            Some(current) => *current,
            None => self.scenario.endpoints[endpoint].class,
        }
    }

    /// Gives the memory of an endpoint's applets back, because the endpoint starts without them.
    pub(crate) fn leave(&mut self, endpoint: EndpointId) {
        if self.current.is_empty() {
            return;
        }
        self.current[endpoint] = None;
        for (class, _) in self.scenario.endpoints[endpoint].applets() {
            if let Some(need) = self.need(endpoint, class) {
                self.ledger.give_back(endpoint, need);
            }
        }
    }

    pub(crate) fn need(&self, endpoint: EndpointId, class: usize) -> Option<Need> {
        let loaded = self.loaded(class).ok()?;
        Some(Need::of(self.scenario, endpoint, class, &loaded.program))
    }
}

/// Returns whether a class with `doTimer`, `doRefill` or `doWatch` may replace an applet.
pub(crate) fn may_bring_calls(scenario: &Scenario, classes: Classes<'_>) -> bool {
    let mut endpoints = scenario.endpoints.iter();
    endpoints.any(|spec| spec.accepts_capsules)
        || scenario.swaps.iter().any(|swap| {
            let loaded = classes[swap.class].as_ref().ok();
            let members = loaded.and_then(Members::of);
            members.is_some_and(|members| members.has_pending_calls())
        })
}

#[cfg(test)]
impl Swaps<'_> {
    /// Counts classes, memory and capsules.
    pub(crate) fn counted(&self, census: &mut crate::at_rest::Census) {
        let Swaps {
            scenario: _,
            classes: _,
            carried,
            ledger,
            current: _,
            capsules,
            waiting,
            spare,
        } = self;
        let Spare {
            heaps,
            fields,
            activations,
        } = spare;
        census.length("swaps.carried", carried.len());
        census.count("swaps.ledger", ledger);
        census.count("swaps.capsules", capsules);
        census.length("swaps.waiting", waiting.len());
        census.length("swaps.spare.heaps", heaps.len());
        census.length("swaps.spare.fields", fields.len());
        census.length("swaps.spare.activations", activations.len());
    }
}
