//! Watches the calls of a run, and compares the cost of each with what is stated.

use std::collections::BTreeMap;

use jive_core::TrapKind;
use jive_core::limits::{ARRAY_ALIGNMENT, ARRAY_HEADER_BYTES};
use jive_embed::analysis::{Bound, Environment};
use nic_core::event::roles::Step;
use nic_core::event::{
    DmaDirection, Event, EventKind, Executed, Names, NicEvent, Sink, SleEvent, Trigger,
};
use nic_core::id::{EndpointId, NicId};
use nic_core::sle::NativeArg;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::export::executions::Executions;

use super::Tally;
use jive_lab::generate::counted::LENGTH_TAG;

/// What is stated of the calls of a class at its place.
pub(super) struct Stated {
    pub(super) environment: Environment,
    pub(super) bounds: Vec<Bound>,
    /// Time before the call of each entry, which the trace does not show.
    pub(super) setups: BTreeMap<&'static str, u64>,
    /// Whether the trace shows all that an engine does: each transfer, but no receive descriptors.
    pub(super) shows_engines: bool,
    pub(super) has_above: bool,
    pub(super) has_below: bool,
    /// What is special about the class or its place.
    pub(super) kinds: Vec<&'static str>,
}

impl Stated {
    fn native(&self, name: &str, last: u32) -> Option<u64> {
        let mut natives = self.environment.natives.iter();
        let native = natives.find(|native| native.name == name)?;
        Some((native.time_ps)(last))
    }
}

/// A call that has begun and not ended.
struct Running {
    class: String,
    method: String,
    trigger: Trigger,
    began: SimTime,
    /// Time in which the call waited or had yielded.
    waited: SimDuration,
    /// The longest time that the call may have taken without waits up to the last native, without its instructions.
    natives_ps: u64,
    suspended: Option<SimTime>,
    resumed: Option<SimTime>,
    /// Duration of the last transfer from the host that the call queued.
    transfer: Option<SimDuration>,
    depth: u64,
    instructions: u64,
    heap: u64,
    /// The array that was allocated last, which may not have fitted.
    last_array: u64,
    natives: BTreeMap<&'static str, u64>,
    kinds: Vec<&'static str>,
}

impl Running {
    /// Adds the time that passed beyond `most_ps`, apart from earlier waits, to the call's waits. Returns whether there
    /// is any.
    fn wait_beyond(&mut self, most_ps: u64, now: SimTime) -> bool {
        let busy = now.since(self.began).less(self.waited);
        let wait = busy.less(SimDuration::from_ps(most_ps));
        self.waited += wait;
        wait > SimDuration::ZERO
    }
}

pub(super) struct Watcher {
    pub(super) stated: BTreeMap<String, Stated>,
    running: BTreeMap<EndpointId, Running>,
    /// When the transfers and packets of each NIC end that may still be under way.
    ends: BTreeMap<NicId, Vec<SimTime>>,
    pub(super) executions: Executions,
    pub(super) excess: Option<String>,
    pub(super) tally: Tally,
}

impl Watcher {
    pub(super) fn new(stated: BTreeMap<String, Stated>, tally: Tally) -> Watcher {
        Watcher {
            stated,
            running: BTreeMap::new(),
            ends: BTreeMap::new(),
            executions: Executions::default(),
            excess: None,
            tally,
        }
    }

    fn begin(
        &mut self,
        names: &dyn Names,
        endpoint: EndpointId,
        event: &SleEvent<'_>,
        now: SimTime,
    ) {
        let SleEvent::AppletCall {
            method,
            args,
            trigger,
            ..
        } = event
        else {
            return;
        };
        let class = names.class(endpoint).unwrap_or("?").to_owned();
        let method = names.method(endpoint, *method).to_owned();
        let stated = self.stated.get(&class);
        let entries = stated.and_then(|stated| stated.environment.entries.as_ref());
        let entry = entries.and_then(|entries| entries.iter().find(|entry| entry.name == method));
        let mut call_ps = 0;
        if let (Some(stated), Some(entry)) = (stated, entry) {
            let ranges = entry.parameters.clone();
            call_ps = entry.time_ps - stated.setups[&*method];
            let mut pairs = ranges.iter().zip(*args);
            let are_stated =
                ranges.len() == args.len() && pairs.all(|(range, value)| range.contains(value));
            if !are_stated {
                self.exceed(format!("{class}.{method}{args:?}, {ranges:?} stated"));
            }
        }
        self.running.insert(
            endpoint,
            Running {
                class,
                method,
                trigger: *trigger,
                began: now,
                waited: SimDuration::ZERO,
                natives_ps: call_ps,
                suspended: None,
                resumed: None,
                transfer: None,
                depth: 0,
                instructions: 0,
                heap: 0,
                last_array: 0,
                natives: BTreeMap::new(),
                kinds: Vec::new(),
            },
        );
    }

    /// Notes that a transfer starts, which a call may have awaited.
    fn transfer(
        &mut self,
        event: &Event<'_>,
        direction: DmaDirection,
        duration: SimDuration,
        trigger: Trigger,
    ) {
        let now = event.time;
        let was_busy = self.is_end(event.nic, now);
        self.engine_ends(event.nic, now, now + duration);
        let running = event
            .endpoint
            .and_then(|endpoint| self.running.get_mut(&endpoint));
        let Some(running) = running.filter(|running| running.trigger == trigger) else {
            return;
        };
        let DmaDirection::HostToNic = direction else {
            return;
        };
        let Some(stated) = self.stated.get(&running.class) else {
            return;
        };
        running.transfer = Some(duration);
        let own = stated.native("doLtoHDMA", 0).unwrap_or_default();
        let code = running.instructions * stated.environment.bytecode_ps;
        if (was_busy || !stated.shows_engines)
            && running.wait_beyond(running.natives_ps + code + own, now)
        {
            running.kinds.push("waited for an engine");
        }
    }

    fn engine_ends(&mut self, nic: NicId, now: SimTime, end: SimTime) {
        let ends = self.ends.entry(nic).or_default();
        ends.retain(|end| *end >= now);
        ends.push(end);
    }

    /// Returns whether a transfer or packet of a NIC ends at this time.
    fn is_end(&self, nic: NicId, now: SimTime) -> bool {
        self.ends.get(&nic).is_some_and(|ends| ends.contains(&now))
    }

    fn sle(&mut self, endpoint: EndpointId, nic: NicId, event: &SleEvent<'_>, now: SimTime) {
        let is_end = self.is_end(nic, now);
        let Some(running) = self.running.get_mut(&endpoint) else {
            return;
        };
        match event {
            SleEvent::AppletSuspend { .. } => running.suspended = Some(now),
            SleEvent::AppletResume { .. } => {
                if let Some(since) = running.suspended.take() {
                    running.waited += now.since(since);
                    running.resumed = Some(now);
                    running.kinds.push("suspended");
                }
            }
            SleEvent::AppletTrace { tag, value } if *tag == LENGTH_TAG => {
                if let Ok(length) = u32::try_from(*value) {
                    running.last_array = array_bytes(length);
                    running.heap += running.last_array;
                }
            }
            SleEvent::Native { name, args, .. } => {
                *running.natives.entry(name).or_default() += 1;
                if let ("newAlignedArray", [NativeArg::Int(length)]) = (*name, args) {
                    running.last_array = array_bytes(length.unsigned_abs());
                    running.heap += running.last_array;
                }
                let last = match args.last() {
                    Some(NativeArg::Int(value)) => u32::try_from(*value).unwrap_or(0),
                    _ => 0,
                };
                let pushes = matches!(*name, "txPush" | "windowWrite");
                if pushes && running.resumed == Some(now) {
                    running.kinds.push("waited for a slot");
                } else if running.resumed.take().is_some() {
                    running.kinds.push("yielded");
                }
                running.resumed = None;
                let Some(stated) = self.stated.get(&running.class) else {
                    return;
                };
                let Some(takes) = stated.native(name, last) else {
                    return self.exceed(format!("{name} is not stated"));
                };
                running.natives_ps += takes;
                let code = running.instructions * stated.environment.bytecode_ps;
                let most = running.natives_ps + code;
                // A transfer to the host needs a slot, which the end of another transfer frees.
                if (is_end || !stated.shows_engines)
                    && matches!(*name, "doLtoHDMA" | "dmaRxdPayload")
                    && running.wait_beyond(most, now)
                {
                    running.kinds.push("waited for a transfer");
                }
                if let Some(transfer) = running.transfer.take() {
                    let own = stated.native("doLtoHDMA", 0).unwrap_or_default();
                    if *name == "doHtoLDMA" && transfer.as_ps() + own > takes {
                        let excess =
                            format!("{name} of {last} bytes: {transfer}, {takes} ps stated");
                        self.exceed(excess);
                    }
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, endpoint: EndpointId, bytecodes: u64, trap: Option<TrapKind>, now: SimTime) {
        let Some(mut running) = self.running.remove(&endpoint) else {
            return;
        };
        let (class, method) = (running.class.clone(), running.method.clone());
        let Some(stated) = self.stated.get(&class) else {
            return;
        };
        let bound = stated.bounds.iter().find(|bound| bound.method == method);
        let Some(bound) = bound else {
            return self.exceed(format!("{class}.{method} was called, and is no entry"));
        };
        if running.resumed.is_some() {
            running.kinds.push("yielded");
        }
        if trap == Some(TrapKind::OutOfMemoryError) {
            running.heap -= running.last_array;
        }
        let setup = stated.setups.get(&*method).copied().unwrap_or_default();
        let time = now.since(running.began).less(running.waited).as_ps() + setup;
        let natives = running.natives.iter().map(|(name, count)| {
            // A native that is missing in the stated bound is never called.
            let stated = bound.natives.get(*name).copied().unwrap_or(Some(0));
            (*name, *count, stated)
        });
        let observed = [
            ("bytecodes", bytecodes, bound.bytecodes),
            ("ps", time, bound.time_ns.map(|ns| ns.saturating_mul(1_000))),
            ("bytes of heap", running.heap, bound.heap_bytes),
            (
                "nested calls",
                running.depth,
                bound.call_depth.map(|depth| depth as u64),
            ),
        ];
        let exceeding = observed
            .into_iter()
            .chain(natives)
            .find(|(_, observed, stated)| stated.is_some_and(|stated| *observed > stated));
        let tally = &mut self.tally;
        tally.calls += 1;
        tally.bounded += u64::from(bound.bytecodes.is_some());
        tally.tight += u64::from(bound.bytecodes == Some(bytecodes));
        let is_tight = |ns: u64| time > ns.saturating_sub(1) * 1_000;
        tally.tight_in_time += u64::from(bound.time_ns.is_some_and(is_tight));
        let entry = &*method;
        let place = match (entry, stated.has_above, stated.has_below) {
            ("doTx", true, _) => Some("doTx in a chain, from above"),
            ("doRx", _, true) => Some("doRx in a chain, from below"),
            ("doRefill", true, _) => Some("doRefill in a chain, after the first"),
            _ => None,
        };
        let trapped = trap.map(|_| "trapped");
        running.kinds.sort_unstable();
        running.kinds.dedup();
        let kinds = stated.kinds.iter().chain(&running.kinds).copied();
        for kind in kinds.chain(place).chain(trapped).chain([entry]) {
            // What has no bound is not compared.
            let counts = match kind {
                "yielded"
                | "suspended"
                | "waited for a slot"
                | "waited for an engine"
                | "waited for a transfer"
                | "on a busy neighbour's NIC" => bound.time_ns.is_some(),
                _ => bound.bytecodes.is_some(),
            };
            *tally.kinds.entry(kind.to_owned()).or_default() += u64::from(counts);
        }
        if running.instructions != bytecodes {
            let watched = running.instructions;
            self.exceed(format!(
                "{class}.{method}: {watched} instructions seen, {bytecodes} told"
            ));
        } else if let Some((what, observed, most)) = exceeding {
            self.exceed(format!(
                "{class}.{method}: {observed} {what}, {most:?} stated; at {now}, waited {}, {:?}\n{bound:#?}",
                running.waited, running.kinds
            ));
        }
    }

    fn exceed(&mut self, excess: String) {
        self.excess.get_or_insert(excess);
    }
}

fn array_bytes(length: u32) -> u64 {
    u64::from(ARRAY_HEADER_BYTES) + u64::from(length).next_multiple_of(ARRAY_ALIGNMENT.into())
}

impl Sink for Watcher {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.executions.event(names, event);
        if let EventKind::Nic(nic) = &event.kind {
            match *nic {
                NicEvent::Dma {
                    direction,
                    duration,
                    trigger,
                    ..
                } => self.transfer(event, direction, duration, trigger),
                NicEvent::WireTx { duration, .. } => {
                    self.engine_ends(event.nic, event.time, event.time + duration);
                }
                _ => {}
            }
        }
        let Some(endpoint) = event.endpoint else {
            return;
        };
        if let EventKind::Sle(sle) = &event.kind {
            self.begin(names, endpoint, sle, event.time);
            self.sle(endpoint, event.nic, sle, event.time);
        }
        match event.kind.roles().step {
            Step::CallReturned { bytecodes, .. } => self.end(endpoint, bytecodes, None, event.time),
            Step::CallTrapped {
                bytecodes, kind, ..
            } => {
                self.end(endpoint, bytecodes, Some(kind), event.time);
            }
            _ => {}
        }
    }

    fn watches(&self) -> bool {
        true
    }

    fn executed(&mut self, names: &dyn Names, executed: &Executed<'_>) {
        self.executions.executed(names, executed);
        if let Some(running) = self.running.get_mut(&executed.endpoint) {
            running.depth = running.depth.max(executed.depth.into());
            running.instructions += executed.instructions.len() as u64;
        }
    }

    fn took_back(&mut self, endpoint: EndpointId) {
        self.executions.took_back(endpoint);
        if let Some(running) = self.running.get_mut(&endpoint) {
            running.instructions = running.instructions.saturating_sub(1);
        }
    }
}
