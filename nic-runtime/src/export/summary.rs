//! The summary of a run: counts and sums that a fold over its events gives.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::num::NonZeroU64;

use jive_core::MethodId;
use nic_core::event::fields::Escaped;
use nic_core::event::roles::{Roles, Shape, Shown, Step, Track};
use nic_core::event::{EndReason, Event, Names, Sink};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::{SimDuration, SimTime};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::accounts::{Account, Accounts, Clerk};
use super::distribution::Distribution;
use super::json::Object;
use crate::scenario::Scenario;

/// What one endpoint, or all of them, did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Transmit descriptors that users pushed.
    pub posted: u64,
    /// Packets that went onto the wire.
    pub packets_sent: u64,
    /// Bytes of those packets' messages.
    pub bytes_sent: u64,
    /// Packets that came off the wire.
    pub packets_received: u64,
    /// Bytes of those packets' messages.
    pub bytes_received: u64,
    /// Receive descriptors that became visible to users.
    pub delivered: u64,
    /// What became of messages and packets.
    pub accounts: Accounts,
    /// Dropped packets by reason.
    pub drops: BTreeMap<&'static str, u64>,
    /// Traps by kind.
    pub traps: BTreeMap<&'static str, u64>,
    /// Times that the applet was detached for its traps.
    pub detachments: u64,
    /// Time in the applet's calls, waiting for DMA included.
    #[serde(rename = "applet_ns", serialize_with = "nanoseconds")]
    pub applet: SimDuration,
    /// The same in cycles of the NIC's processor, to the nearest; 0 until the run has ended.
    pub applet_cycles: u64,
    /// Time of the DMA engine.
    #[serde(rename = "dma_ns", serialize_with = "nanoseconds")]
    pub dma: SimDuration,
    /// Time on the wire of the packets that went onto it.
    #[serde(rename = "wire_ns", serialize_with = "nanoseconds")]
    pub wire: SimDuration,
}

const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;

/// Returns how many cycles of a clock of `hertz` a time is, to the nearest.
fn cycles(span: SimDuration, hertz: NonZeroU64) -> u64 {
    let cycles = u128::from(span.as_ps()) * u128::from(hertz.get());
    let rounded = (cycles + PICOSECONDS_PER_SECOND / 2) / PICOSECONDS_PER_SECOND;
    u64::try_from(rounded).unwrap_or(u64::MAX)
}

fn nanoseconds<S: Serializer>(span: &SimDuration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(span.as_ns())
}

/// One endpoint's line of the summary.
#[derive(Clone, Debug, Serialize)]
struct EndpointRow {
    endpoint: String,
    nic: String,
    #[serde(skip)]
    home: NicId,
    #[serde(flatten)]
    totals: Totals,
}

/// The calls of one method at one endpoint.
#[derive(Clone, Debug)]
struct MethodRow {
    endpoint: String,
    method: String,
    bytecodes: Distribution,
}

impl Serialize for MethodRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("endpoint", &self.endpoint)?;
        map.serialize_entry("method", &self.method)?;
        map.serialize_entry("calls", &self.bytecodes.count())?;
        map.serialize_entry("bytecodes_min", &self.bytecodes.minimum())?;
        map.serialize_entry("bytecodes_median", &self.bytecodes.median())?;
        map.serialize_entry("bytecodes_max", &self.bytecodes.maximum())?;
        map.end()
    }
}

/// The summary; complete once [`Summary::end`] has been told how the run ended.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The clock of each NIC's processors, in hertz.
    clocks: Vec<NonZeroU64>,
    time: SimTime,
    reason: EndReason,
    events: u64,
    totals: Totals,
    endpoints: BTreeMap<EndpointId, EndpointRow>,
    clerk: Clerk,
    /// When the call that runs at an endpoint began.
    calls: BTreeMap<EndpointId, SimTime>,
    methods: BTreeMap<(EndpointId, MethodId), MethodRow>,
}

impl Summary {
    /// Starts the summary of a run of this scenario.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Summary {
        let nics = (0u32..).map(NicId).take(scenario.nics.len());
        let clock = |nic| scenario.profile_of(nic).processor.clock;
        Summary {
            clocks: nics.map(clock).collect(),
            time: SimTime::ZERO,
            reason: EndReason::Idle,
            events: 0,
            totals: Totals::default(),
            endpoints: BTreeMap::new(),
            clerk: Clerk::default(),
            calls: BTreeMap::new(),
            methods: BTreeMap::new(),
        }
    }

    /// Notes when and why the run ended.
    pub fn end(&mut self, time: SimTime, reason: EndReason) {
        self.time = time;
        self.reason = reason;
        // What NICs of one clock take is added up before it is rounded.
        let mut by_clock = BTreeMap::<NonZeroU64, SimDuration>::new();
        for EndpointRow { home, totals, .. } in self.endpoints.values_mut() {
            if let Some(&clock) = self.clocks.get(home.0 as usize) {
                totals.applet_cycles = cycles(totals.applet, clock);
                *by_clock.entry(clock).or_default() += totals.applet;
            }
        }
        let cycles = by_clock
            .iter()
            .map(|(clock, applet)| cycles(*applet, *clock));
        self.totals.applet_cycles = cycles.fold(0, u64::saturating_add);
    }

    /// Returns the sums over all endpoints.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Writes the summary as the entries of a JSON object.
    pub(super) fn serialize_fields<W: Write>(
        &self,
        map: &mut Object<'_, W>,
    ) -> serde_json::Result<()> {
        map.serialize_entry("event", "summary")?;
        map.serialize_entry("time_ns", &self.time.as_ns())?;
        map.serialize_entry("ended", self.reason.word())?;
        map.serialize_entry("events", &self.events)?;
        map.serialize_entry("totals", &self.totals)?;
        map.serialize_entry("endpoints", &Rows(&self.endpoints))?;
        map.serialize_entry("methods", &Rows(&self.methods))
    }
}

/// The values of a map as a list.
struct Rows<'a, K, V>(&'a BTreeMap<K, V>);

impl<K, V: Serialize> Serialize for Rows<'_, K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.values())
    }
}

impl Sink for Summary {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let roles = event.kind.roles();
        if roles.shown != Shown::Always {
            return;
        }
        self.events += 1;
        count(&mut self.totals, &roles);
        let Some(id) = event.endpoint else {
            return;
        };
        for (endpoint, entry) in self.clerk.entries(id, &roles).into_iter().flatten() {
            self.totals.accounts.enter(entry);
            let row = row(&mut self.endpoints, names, endpoint);
            row.totals.accounts.enter(entry);
        }
        let row = row(&mut self.endpoints, names, id);
        count(&mut row.totals, &roles);
        match roles.step {
            Step::CallBegan { .. } | Step::CallResumed => {
                self.calls.insert(id, event.time);
            }
            Step::CallReturned { .. } | Step::CallTrapped { .. } | Step::CallSuspended => {
                let began = self.calls.remove(&id);
                let took = event.time.since(began.unwrap_or(event.time));
                row.totals.applet += took;
                self.totals.applet += took;
            }
            _ => {}
        }
        if let Step::CallReturned { method, bytecodes } = roles.step {
            let row = self
                .methods
                .entry((id, method))
                .or_insert_with(|| MethodRow {
                    endpoint: names.endpoint(id).to_owned(),
                    method: names.method(id, method).to_owned(),
                    bytecodes: Distribution::default(),
                });
            row.bytecodes.add(bytecodes);
        }
    }
}

/// Returns the row of an endpoint, a new one at its first event.
fn row<'r>(
    rows: &'r mut BTreeMap<EndpointId, EndpointRow>,
    names: &dyn Names,
    id: EndpointId,
) -> &'r mut EndpointRow {
    rows.entry(id).or_insert_with(|| EndpointRow {
        endpoint: names.endpoint(id).to_owned(),
        nic: names.nic(names.home(id)).to_owned(),
        home: names.home(id),
        totals: Totals::default(),
    })
}

fn count(totals: &mut Totals, roles: &Roles<'_>) {
    match (roles.track, roles.shape) {
        (Track::Dma(_), Shape::From(_, duration)) => totals.dma += duration,
        (Track::WireTo(_), Shape::From(_, duration)) => totals.wire += duration,
        _ => {}
    }
    match roles.step {
        Step::Posted { .. } => totals.posted += 1,
        Step::Sent { payload, .. } => {
            totals.packets_sent += 1;
            totals.bytes_sent += payload.len() as u64;
        }
        Step::Received { payload, .. } => {
            totals.packets_received += 1;
            totals.bytes_received += payload.len() as u64;
        }
        Step::Delivered { .. } => totals.delivered += 1,
        Step::Lost { reason, .. } | Step::Dropped { reason, .. } => {
            *totals.drops.entry(reason).or_default() += 1;
        }
        Step::CallTrapped { kind, .. } => *totals.traps.entry(kind.name()).or_default() += 1,
        Step::Detached => totals.detachments += 1,
        Step::Completed { .. }
        | Step::CallBegan { .. }
        | Step::CallSuspended
        | Step::CallResumed
        | Step::CallReturned { .. }
        | Step::Made(_)
        | Step::Attached
        | Step::Other => {}
    }
}

impl fmt::Display for Summary {
    /// Shows the summary as a page of text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = &self.totals;
        let ended = match self.reason {
            EndReason::Idle => "nothing was left to do",
            EndReason::Until => "the scenario's `until` was reached",
            EndReason::MaxEvents => "the scenario's `max_events` was reached",
            EndReason::MaxBytecodes => "the scenario's `max_bytecodes` was reached",
            EndReason::LoadTrap => "an applet trapped while it was loaded",
            EndReason::Unheard => "nothing took its events any more",
            EndReason::Interrupted => "interrupted",
        };
        writeln!(f, "virtual time  {}; {ended}", self.time)?;
        writeln!(f, "events        {}", self.events)?;
        let accounts = &totals.accounts;
        let refusals = match accounts.refusals.is_empty() {
            true => String::new(),
            false => format!("; refused for {}", Counts(&accounts.refusals)),
        };
        let posts = Parts(&accounts.posts);
        writeln!(
            f,
            "posted        {} messages{posts}{refusals}",
            totals.posted
        )?;
        if accounts.pushes.opened() > 0 {
            let pushes = Parts(&accounts.pushes);
            writeln!(
                f,
                "pushed        {} packets{pushes}",
                accounts.pushes.opened()
            )?;
        }
        writeln!(
            f,
            "sent          {} packets, {} bytes{}",
            totals.packets_sent,
            totals.bytes_sent,
            Parts(&accounts.wire)
        )?;
        writeln!(
            f,
            "received      {} packets, {} bytes{}",
            totals.packets_received,
            totals.bytes_received,
            Parts(&accounts.arrivals)
        )?;
        writeln!(f, "drops         {}", Counts(&totals.drops))?;
        writeln!(f, "traps         {}", Counts(&totals.traps))?;
        if totals.detachments > 0 {
            writeln!(f, "detached      {} times", totals.detachments)?;
        }
        self.endpoint_table(f)?;
        self.time_table(f)?;
        self.method_table(f)
    }
}

impl Summary {
    fn endpoint_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.endpoints.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\n{:<20} {:>8} {:>8} {:>8} {:>8} {:>10} {:>8} {:>10} {:>9}  drops; traps",
            "endpoint",
            "posted",
            "refused",
            "pending",
            "sent",
            "bytes",
            "received",
            "bytes",
            "delivered"
        )?;
        for row in self.endpoints.values() {
            let totals = &row.totals;
            writeln!(
                f,
                "{:<20} {:>8} {:>8} {:>8} {:>8} {:>10} {:>8} {:>10} {:>9}  {}; {}",
                Escaped(&row.endpoint),
                totals.posted,
                totals.accounts.posts.outcome("refused"),
                totals.accounts.posts.pending(),
                totals.packets_sent,
                totals.bytes_sent,
                totals.packets_received,
                totals.bytes_received,
                totals.delivered,
                Counts(&totals.drops),
                Counts(&totals.traps),
            )?;
        }
        Ok(())
    }

    fn time_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.endpoints.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\n{:<20} {:>15} {:>12} {:>15} {:>15} {:>9}",
            "time", "applet", "cycles", "DMA", "wire out", "detached"
        )?;
        for row in self.endpoints.values() {
            let Totals {
                applet,
                applet_cycles,
                dma,
                wire,
                detachments,
                ..
            } = &row.totals;
            let [applet, dma, wire] = [applet, dma, wire].map(ToString::to_string);
            writeln!(
                f,
                "{:<20} {applet:>15} {applet_cycles:>12} {dma:>15} {wire:>15} {detachments:>9}",
                Escaped(&row.endpoint)
            )?;
        }
        Ok(())
    }

    fn method_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.methods.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\n{:<20} {:<10} {:>8} {:>10} {:>10} {:>10}",
            "bytecodes per call", "method", "calls", "min", "median", "max"
        )?;
        for row in self.methods.values() {
            writeln!(
                f,
                "{:<20} {:<10} {:>8} {:>10} {:>10} {:>10}",
                Escaped(&row.endpoint),
                Escaped(&row.method),
                row.bytecodes.count(),
                row.bytecodes.minimum(),
                row.bytecodes.median(),
                row.bytecodes.maximum(),
            )?;
        }
        Ok(())
    }
}

/// Shows what became of those of an account as `: ok 3, pending 1`, and nothing of an empty one.
struct Parts<'a>(&'a Account);

impl fmt::Display for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (name, count)) in self.0.parts().enumerate() {
            let separator = if position == 0 { ": " } else { ", " };
            write!(f, "{separator}{name} {count}")?;
        }
        Ok(())
    }
}

/// Shows counts by name as `loss 3, crc 1`.
struct Counts<'a>(&'a BTreeMap<&'static str, u64>);

impl fmt::Display for Counts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (position, (name, count)) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(f, "{separator}{name} {count}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_those_of_the_paper() {
        let lanai = NonZeroU64::new(37_000_000).unwrap();
        // PAPERS §1.6: the null call is 203.5 cycles, `doTx`'s 144, `doRx`'s 118; halves are rounded up.
        for (ns, expected) in [(5_500, 204), (3_900, 144), (3_200, 118), (0, 0)] {
            assert_eq!(cycles(SimDuration::from_ns(ns), lanai), expected);
        }
        let most = SimDuration::from_ps(u64::MAX);
        assert_eq!(cycles(most, NonZeroU64::MAX), u64::MAX);
    }
}
