//! Replaces the applets of endpoints while the NIC runs.
//!
//! A swap of applets has two parts. First, when a swap is due, the new class is verified, and gets memory from the
//! NIC's SRAM beside the running applet. The second part of a swap, the switch, is made between two calls of the
//! applet. At the switch to the new applet, its class's initializers run, and the fields and arrays that both classes
//! have are [carried over](super::carry). If a step of a swap fails, the old applet stays and continues as if there had
//! been no swap.
//!
//! Queues, popped buffers, packets on their way and the armed timer belong to the endpoint and not to its applet. A
//! switch of applets therefore neither loses nor repeats a packet.

use crate::engine;
use crate::ids::{AppletId, ProcessorId, Table, at};
use std::collections::BTreeMap;

use crate::ids::WindowId;
use bumpalo::Bump;
use jive_core::LinkedClass;
use jive_embed::preset::Stores;
use nic_core::event::{SleEvent, SwapRefusal};
use nic_core::id::{EndpointId, NicId};
use nic_core::sle::{Applet, FragmentHeader, Members, memory_bytes};
use nic_core::time::{SimDuration, SimTime};

use super::call::Activation;
use super::capsule::{self, INSTALLED};
use super::carry::{self, HeapFull};
use super::load::{self, Classes, Uninitialized};
use super::pending_calls;
use super::reassembly::{Reassembly, Taken};
use super::suspend::call_stack;
use super::swap_port::SwapNatives;
use crate::applet::ledger::{Ledger, Need};
use crate::nic::endpoint::AppletAt;
use crate::nic::stage::Stage;
use crate::nic::work::Work;
use crate::run::Simulation;
use crate::spec::{Scenario, SwapSpec};

/// The swaps of a run, and the classes and memory that they use.
pub(crate) struct Swaps<'a> {
    scenario: &'a Scenario,
    classes: Classes<'a>,
    /// The classes that came in capsules, each of them once, numbered after `classes`.
    carried: Vec<Carried<'a>>,
    ledger: Ledger,
    /// The class of each endpoint's applet; the list is empty if no applet can be replaced.
    current: Table<EndpointId, Option<usize>>,
    /// The capsules of each endpoint that accepts capsules.
    capsules: BTreeMap<EndpointId, Reassembly>,
    /// Classes that have their memory and wait for the end of a call of the old applet, oldest first.
    waiting: Vec<Waiting<'a>>,
    spare: Spare<'a>,
}

/// A class that waits until no call of the applet that it replaces is under way.
#[derive(Copy, Clone)]
struct Waiting<'a> {
    endpoint: EndpointId,
    class: usize,
    loaded: &'a LinkedClass<'a>,
    need: Need,
    /// The number of the capsule in which the class came.
    capsule: Option<u32>,
}

/// A class that came in a capsule.
#[derive(Copy, Clone)]
struct Carried<'a> {
    bytes: &'a [u8],
    loaded: &'a LinkedClass<'a>,
}

/// Memory for the next applet of an endpoint. An endpoint needs memory for two applets at a time, however often its
/// applet is replaced.
#[derive(Default)]
struct Spare<'a> {
    heaps: Vec<&'a mut [u8]>,
    fields: Vec<&'a mut [i32]>,
    /// Initializers run on these activations, because a processor's own activation may be in the middle of another
    /// applet's call.
    activations: Vec<(NicId, Activation<'a>)>,
}

impl<'a> Spare<'a> {
    /// Keeps the memory of an applet that has been replaced.
    fn keep(&mut self, applet: Applet<'a>) {
        let (fields, heap) = applet.instance.into_memory();
        self.fields.push(fields);
        self.heaps.push(heap);
    }
}

/// Takes a slice of the given length from the memory of replaced applets, or else from the arena.
fn slice<'a, T: Copy + Default>(
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
    pub(crate) fn new(scenario: &'a Scenario, classes: Classes<'a>) -> Swaps<'a> {
        let is_used = scenario.replaces_applets();
        let first = scenario.endpoints.iter().map(|spec| spec.class);
        Swaps {
            scenario,
            classes,
            carried: Vec::new(),
            capsules: BTreeMap::new(),
            ledger: match is_used {
                true => Ledger::new(scenario, classes),
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

    /// Returns until when an endpoint's half-finished capsule waits for its next fragment.
    pub(crate) fn waits_until(&self, endpoint: EndpointId) -> Option<SimTime> {
        self.capsules.get(&endpoint)?.waits_until()
    }

    /// Gives up the half-finished capsule of an endpoint if its next fragment has not come in time.
    fn give_up_capsule(&mut self, (endpoint, nic): (EndpointId, NicId), now: SimTime) {
        let Some(capsules) = self.capsules.get_mut(&endpoint) else {
            return;
        };
        let held = capsules.held();
        capsules.look(now);
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

    fn loaded(&self, class: usize) -> Result<&'a LinkedClass<'a>, SwapRefusal> {
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

    fn need(&self, endpoint: EndpointId, class: usize) -> Option<Need> {
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

/// Schedules the swaps of the scenario, so that each comes before all other events of the same time.
pub(crate) fn schedule(sim: &mut Simulation<'_>) {
    for (swap, spec) in (0u32..).zip(sim.swaps.scheduled()) {
        sim.schedule.insert(spec.at, Work::Swap(swap));
    }
}

/// Gives up the half-finished capsule of an endpoint, unless a fragment has come since this check was scheduled.
#[cold]
pub(crate) fn look_at_capsule(sim: &mut Simulation<'_>, endpoint: EndpointId) {
    let nic = sim.endpoints[endpoint].nic;
    let now = sim.now;
    sim.swaps.give_up_capsule((endpoint, nic), now);
}

/// Begins a swap of the scenario that is due.
#[cold]
pub(crate) fn due(sim: &mut Simulation<'_>, swap: u32) {
    let SwapSpec {
        endpoint, class, ..
    } = sim.swaps.scheduled()[at(swap)];
    request(sim, endpoint, class, (None, None));
}

/// Makes a class the applet of an endpoint, now or at the end of the running call. `capsule` is the number of the
/// capsule in which the class came, and `on` the processor that took the capsule.
pub(crate) fn request(
    sim: &mut Simulation<'_>,
    endpoint: EndpointId,
    class: usize,
    (capsule, on): (Option<u32>, Option<ProcessorId>),
) {
    let swaps = &mut sim.swaps;
    let taken = swaps.loaded(class).and_then(|loaded| {
        let need = Need::of(swaps.scenario, endpoint, class, &loaded.program);
        match swaps.ledger.take(endpoint, need) {
            true => Ok((loaded, need)),
            false => Err(SwapRefusal::NoSram),
        }
    });
    match taken {
        Ok((loaded, need)) => {
            swaps.waiting.push(Waiting {
                endpoint,
                class,
                loaded,
                need,
                capsule,
            });
            make(sim, endpoint, on);
        }
        Err(reason) => refuse(sim, (endpoint, class), capsule, reason),
    }
}

fn refuse(
    sim: &mut Simulation<'_>,
    (endpoint, class): (EndpointId, usize),
    capsule: Option<u32>,
    reason: SwapRefusal,
) {
    sim.report
        .emit_refused(sim.now, endpoint, Some(class), reason);
    if let Some(number) = capsule {
        capsule::answered(sim, endpoint, number, reason.word());
    }
}

/// Makes the swaps that wait for an endpoint, unless a call of its applet is under way: the end of such a call makes
/// them. `on` is the processor that runs this code, if one does; this processor is in no call.
#[cold]
pub(crate) fn make(sim: &mut Simulation<'_>, endpoint: EndpointId, on: Option<ProcessorId>) {
    loop {
        let mut waiting = sim.swaps.waiting.iter();
        let Some(first) = waiting.position(|waiting| waiting.endpoint == endpoint) else {
            return;
        };
        if let Some(activation) = call_under_way(sim, endpoint, on) {
            activation.has_asides = true;
            return;
        }
        let waiting = sim.swaps.waiting.remove(first);
        let Waiting { class, capsule, .. } = waiting;
        match switch(sim, waiting) {
            Ok(()) => {
                if let Some(number) = capsule {
                    capsule::answered(sim, endpoint, number, INSTALLED);
                }
            }
            Err(NotMade::Refused(reason)) => refuse(sim, (endpoint, class), capsule, reason),
            Err(NotMade::Exceeded) => {
                let nic = sim.endpoints[endpoint].nic;
                let first = sim.nics[nic].first_processor();
                _ = sim.exceed_budget(first);
                return;
            }
        }
    }
}

/// Returns the one call of an endpoint's applet that has been entered and has not ended, if there is one.
fn call_under_way<'s, 'a>(
    sim: &'s mut Simulation<'a>,
    endpoint: EndpointId,
    on: Option<ProcessorId>,
) -> Option<&'s mut Activation<'a>> {
    let applet = sim.infos[endpoint].applet?;
    let nic = sim.endpoints[endpoint].nic;
    let mut processors = sim.nics[nic].processors();
    let inside = processors.find(|other| {
        let processor = &sim.processors[*other];
        Some(*other) != on
            && processor.call_continues_at().is_in_call()
            && processor.activation.call().applet_at.endpoint == endpoint
    });
    match inside {
        Some(inside) => Some(&mut sim.processors[inside].activation),
        None => {
            let suspended = sim.suspensions.of(applet)?;
            Some(&mut suspended.activation)
        }
    }
}

/// The reason why a switch to a new applet is not made.
enum NotMade {
    /// The old applet stays.
    Refused(SwapRefusal),
    /// The run's instruction budget is exceeded, and the run ends.
    Exceeded,
}

impl From<Uninitialized> for NotMade {
    fn from(error: Uninitialized) -> NotMade {
        match error {
            Uninitialized::Trapped(trap) => NotMade::Refused(SwapRefusal::Trapped(trap.kind)),
            Uninitialized::Exceeded => NotMade::Exceeded,
        }
    }
}

/// Replaces the applet of an endpoint while no call of the applet is under way. If the switch of applets is not made,
/// nothing has changed.
fn switch<'a>(sim: &mut Simulation<'a>, waiting: Waiting<'a>) -> Result<(), NotMade> {
    let Waiting {
        endpoint,
        class,
        loaded,
        need,
        capsule: _,
    } = waiting;
    let former_class = sim.swaps.class_of(endpoint);
    let applet = instance(sim, endpoint, loaded)?;
    let (applet_at, former) = move_in(sim, endpoint, applet);
    sim.report.set_class(endpoint, Some(class));
    let started = start(sim, applet_at, former.as_ref());
    match started {
        Ok(_) => {
            sim.swaps.current[endpoint] = Some(class);
            sim.endpoints[endpoint].free.keep_popped();
            if let Some(former) = former {
                sim.swaps.spare.keep(former);
            }
            let freed = former_class.and_then(|class| sim.swaps.need(endpoint, class));
            if let Some(freed) = freed {
                sim.swaps.ledger.give_back(endpoint, freed);
            }
        }
        Err(_) => {
            move_out(sim, applet_at, former);
            sim.report.set_class(endpoint, former_class);
            sim.endpoints[endpoint].free.return_popped();
            sim.swaps.ledger.give_back(endpoint, need);
        }
    }
    sim.levels_changed(endpoint);
    let Started {
        carried,
        timer,
        watches,
    } = started?;
    let applet = &sim.applets[applet_at.applet];
    let kind = SleEvent::AppletSwap {
        code_bytes: applet.class.program.code_bytes(),
        heap_bytes: applet.heap_bytes(),
        carried,
    };
    sim.report.emit(sim.now, endpoint, kind);
    sim.live[endpoint].fault.replaced(sim.now);
    pending_calls::adapt(sim, applet_at, timer);
    for (window, range) in watches {
        engine::watch(sim, applet_at, window, range);
    }
    retarget(sim, applet_at);
    Ok(())
}

/// Makes an instance of a class for an endpoint.
fn instance<'a>(
    sim: &mut Simulation<'a>,
    endpoint: EndpointId,
    loaded: &'a LinkedClass<'a>,
) -> Result<Applet<'a>, NotMade> {
    let spec = &sim.specs[endpoint];
    let profile = sim.swaps.scenario.profile_of(spec.nic);
    let max_packet = profile.memory.max_packet.get();
    let spare = &mut sim.swaps.spare;
    let heap = memory_bytes(spec.heap, max_packet);
    let heap = slice(&mut spare.heaps, sim.arena, heap);
    let fields = loaded.program.field_count();
    let fields = slice(&mut spare.fields, sim.arena, fields);
    let applet = Applet::lent(loaded, fields, heap, max_packet);
    applet.map_err(|error| NotMade::Refused(SwapRefusal::Rejected(error.code())))
}

/// Puts an applet in the place of an endpoint's old applet, and returns the old one. An endpoint without an applet gets
/// a place in the list of applets.
fn move_in<'a>(
    sim: &mut Simulation<'a>,
    endpoint: EndpointId,
    applet: Applet<'a>,
) -> (AppletAt, Option<Applet<'a>>) {
    let info = &mut sim.infos[endpoint];
    let (id, former) = match info.applet {
        Some(id) => {
            let place = &mut sim.applets[id];
            (id, Some(std::mem::replace(place, applet)))
        }
        None => {
            let id = u32::try_from(sim.applets.len()).expect("an endpoint has one applet");
            let id = AppletId(id);
            info.applet = Some(id);
            sim.applets.push(applet);
            (id, None)
        }
    };
    let applet_at = AppletAt {
        endpoint,
        applet: id,
    };
    (applet_at, former)
}

/// Puts the former applet of an endpoint back, if there was one.
fn move_out<'a>(sim: &mut Simulation<'a>, applet_at: AppletAt, former: Option<Applet<'a>>) {
    let left = match former {
        Some(former) => {
            let place = &mut sim.applets[applet_at.applet];
            Some(std::mem::replace(place, former))
        }
        None => {
            sim.infos[applet_at.endpoint].applet = None;
            sim.applets.pop()
        }
    };
    if let Some(left) = left {
        sim.swaps.spare.keep(left);
    }
}

/// The state in which a new applet starts.
struct Started {
    /// Number of fields carried over from the former applet.
    carried: u32,
    /// The time that the new applet's initializers passed to `setTimer` last.
    timer: Option<SimDuration>,
    /// The windows and ranges that the new applet's initializers passed to `watch`.
    watches: Vec<(WindowId, (u32, u32))>,
}

/// Runs the initializers of a new applet, and carries the state of the former one over.
fn start(
    sim: &mut Simulation<'_>,
    applet_at: AppletAt,
    former: Option<&Applet<'_>>,
) -> Result<Started, NotMade> {
    let nic = sim.endpoints[applet_at.endpoint].nic;
    let on = sim.nics[nic].first_processor();
    let activations = &mut sim.swaps.spare.activations;
    let mut activation = match activations.iter().position(|(of, _)| *of == nic) {
        Some(place) => activations.swap_remove(place).1,
        None => Activation::new(call_stack(sim.arena, sim.processors[on].costs)),
    };
    std::mem::swap(&mut sim.processors[on].activation, &mut activation);
    let mut natives = SwapNatives {
        timer: None,
        watches: Vec::new(),
    };
    let mut stores = Stores::new([]);
    let ran = load::run_initializers(sim, on, applet_at, (&mut stores, &mut natives));
    std::mem::swap(&mut sim.processors[on].activation, &mut activation);
    sim.swaps.spare.activations.push((nic, activation));
    ran?;
    let carried = match former {
        Some(former) => carry::carry(former, &mut sim.applets[applet_at.applet])
            .map_err(|HeapFull| NotMade::Refused(SwapRefusal::NoHeap)),
        None => Ok(0),
    };
    // Each array that is carried over is read once, and written twice: with zeros and with its elements.
    let applet = &mut sim.applets[applet_at.applet];
    let cleared = u64::from(applet.instance.heap_mut().take_cleared());
    let rx_buf = applet.rx_buf().len() as u64;
    sim.budget
        .spend_bytes(cleared.saturating_mul(3).saturating_add(rx_buf));
    let carried = carried?;
    Ok(Started {
        carried,
        timer: natives.timer,
        watches: natives.watches,
    })
}

/// Directs calls that have begun but have not entered the former applet to the new applet. If the new applet has no
/// entry for a redirected call, or the call's cause is void, the call's processor looks for other work.
fn retarget(sim: &mut Simulation<'_>, applet_at: AppletAt) {
    let members = sim.applets[applet_at.applet].members;
    let nic = sim.endpoints[applet_at.endpoint].nic;
    for on in sim.nics[nic].processors() {
        let processor = &mut sim.processors[on];
        if !matches!(processor.call_continues_at(), Stage::Enter) {
            continue;
        }
        let call = *processor.activation.call();
        if call.applet_at.endpoint != applet_at.endpoint {
            continue;
        }
        match members.entry(call.entry()) {
            // The initializers of the new applet may have set the timer again.
            Some(method) if !pending_calls::is_void(sim, applet_at, &call.cause) => {
                sim.processors[on].activation.retarget(method);
            }
            Some(_) | None => sim.turn_away(on),
        }
    }
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
