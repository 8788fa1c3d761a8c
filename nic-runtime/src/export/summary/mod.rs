//! The summary of a run: counts and sums, computed from the events.

mod page;
mod ports;

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;

use jive_core::MethodId;
use nic_core::event::fields::Escaped;
use nic_core::event::roles::{InUse, Shown, Step};
use nic_core::event::{EndReason, Event, Made, Names, Sink, Trigger};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::{SimDuration, SimTime};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use self::ports::Switches;
use super::accounts::{Accounts, Clerk, Ended};
use super::distribution::Distribution;
use super::groups::{ROWS_MAX, groups};
use super::is_shown;
use super::stats::StatsReport;
use super::tally::Tally;
use crate::nic::waiting::{CutSend, Waiting};
use crate::spec::{CaptureCounts, Scenario};

/// Counts and sums of an endpoint, or of all endpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Transmit descriptors that users pushed.
    pub posted: u64,
    /// Packets sent.
    pub packets_sent: u64,
    /// Message bytes of the sent packets.
    pub bytes_sent: u64,
    /// Packets received.
    pub packets_received: u64,
    /// Message bytes of the received packets.
    pub bytes_received: u64,
    /// Messages whose receive descriptors became visible to users.
    pub delivered: u64,
    /// Receive descriptors that are no messages but notices of an applet to its user, on a negative channel.
    pub notices: u64,
    /// Outcomes of the messages and packets.
    pub accounts: Accounts,
    /// Dropped packets by reason.
    #[serde(serialize_with = "all_drops")]
    pub drops: Tally,
    /// Traps by kind.
    #[serde(serialize_with = "all_traps")]
    pub traps: Tally,
    /// How often traps caused the applet to be detached.
    pub detachments: u64,
    /// Windows of other nodes that the host mapped during the run.
    pub windows_mapped: u64,
    /// Mapped windows whose mappings were given to other windows.
    pub windows_evicted: u64,
    /// Total time of the applet's calls, including time spent waiting for DMA.
    #[serde(rename = "applet_ns", serialize_with = "nanoseconds")]
    pub applet: SimDuration,
    /// Total time of the applet's calls in cycles of the NIC's clock, rounded; 0 until the run has ended.
    pub applet_cycles: u64,
    /// Total time of DMA transfers.
    #[serde(rename = "dma_ns", serialize_with = "nanoseconds")]
    pub dma: SimDuration,
    /// Total time during which sent packets occupied the wire.
    #[serde(rename = "wire_ns", serialize_with = "nanoseconds")]
    pub wire: SimDuration,
}

/// Returns the name of a profile under which an applet of the scenario computes in no time.
fn free_computing(scenario: &Scenario) -> Option<String> {
    let applets = scenario
        .endpoints
        .iter()
        .filter(|spec| spec.class.is_some());
    let mut profiles = applets.map(|spec| scenario.profile_of(spec.nic));
    let free = profiles.find(|profile| profile.processor.bytecode == SimDuration::ZERO)?;
    Some(free.name.clone())
}

const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;

/// Converts a time to cycles of a clock, rounded to the nearest whole cycle.
fn cycles(span: SimDuration, hertz: NonZeroU64) -> u64 {
    let cycles = u128::from(span.as_ps()) * u128::from(hertz.get());
    let rounded = (cycles + PICOSECONDS_PER_SECOND / 2) / PICOSECONDS_PER_SECOND;
    u64::try_from(rounded).unwrap_or(u64::MAX)
}

fn all_drops<S: Serializer>(drops: &Tally, serializer: S) -> Result<S::Ok, S::Error> {
    drops.of_all_drops().serialize(serializer)
}

fn all_traps<S: Serializer>(traps: &Tally, serializer: S) -> Result<S::Ok, S::Error> {
    traps.of_all_traps().serialize(serializer)
}

fn nanoseconds<S: Serializer>(span: &SimDuration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(span.as_ns())
}

/// An endpoint's row of the summary.
#[derive(Clone, Debug, Serialize)]
struct EndpointRow {
    endpoint: String,
    nic: String,
    #[serde(skip)]
    home: NicId,
    #[serde(flatten)]
    totals: Totals,
    /// Start or last resumption of the running call.
    #[serde(skip)]
    call_began: Option<SimTime>,
    /// The method of the running call.
    #[serde(skip)]
    called: Option<MethodId>,
    /// What caused the running call.
    #[serde(skip)]
    call: Option<Trigger>,
    /// The called methods, in the order in which their first calls ended. A class has few entry methods, so a linear
    /// scan is fastest.
    #[serde(skip)]
    methods: Vec<(MethodId, MethodRow)>,
}

/// A row of the summary for the calls of a method at an endpoint.
#[derive(Clone, Debug)]
struct MethodRow {
    endpoint: String,
    /// The name of the applet's class, if the endpoint has a chain of applets.
    applet: Option<String>,
    method: String,
    bytecodes: Distribution,
    /// How many calls of the method trapped.
    trapped: u64,
}

impl Serialize for MethodRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("endpoint", &self.endpoint)?;
        if let Some(applet) = &self.applet {
            map.serialize_entry("applet", applet)?;
        }
        map.serialize_entry("method", &self.method)?;
        map.serialize_entry("calls", &self.bytecodes.count())?;
        map.serialize_entry("calls_trapped", &self.trapped)?;
        map.serialize_entry("bytecodes_min", &self.bytecodes.minimum())?;
        map.serialize_entry("bytecodes_median", &self.bytecodes.median())?;
        map.serialize_entry("bytecodes_max", &self.bytecodes.maximum())?;
        map.end()
    }
}

/// The summary of a run. The summary is complete after [`Summary::end`].
#[derive(Clone, Debug)]
pub struct Summary {
    /// Clock rate of each NIC's processors, in hertz.
    clocks: Vec<NonZeroU64>,
    time: SimTime,
    reason: EndReason,
    /// What waits for what, if the run is stuck.
    waiting: Vec<Waiting>,
    /// The messages that a limit cut off.
    cut: Vec<CutRow>,
    /// What was found in the captures that sends name.
    captures: Vec<CaptureRow>,
    /// The names of the endpoints, for messages that were cut off.
    names: Vec<String>,
    events: u64,
    /// The sums over all endpoints. Until the run has ended, the totals count only events that belong to no endpoint.
    totals: Totals,
    /// The rows of the endpoints, by endpoint number. An endpoint without events has no row in the summary. The rows of
    /// endpoints are boxed, because most endpoints of a large scenario may be idle.
    endpoints: Vec<Option<Box<EndpointRow>>>,
    clerk: Clerk,
    switches: Switches,
    expectations: Option<Expectations>,
    stats: Option<Box<StatsReport>>,
    /// Whether the page shows each endpoint, however many there are.
    by_endpoint: bool,
    /// The name of a profile under which an applet of the run computes in no time.
    free: Option<String>,
}

/// The number of expectations that the run meets, and the number that it does not meet.
#[derive(Copy, Clone, Debug, Serialize)]
struct Expectations {
    met: usize,
    not_met: usize,
}

/// The messages of a `[[send]]` that a limit cut off. Tables are counted from 1.
#[derive(Clone, Debug, Serialize)]
struct CutRow {
    send: u64,
    endpoint: String,
    channel: i32,
    messages: u64,
    unposted: u64,
    under_way: u64,
}

impl CutRow {
    fn of(names: &[String], cut: &CutSend) -> CutRow {
        let name = names.get(cut.endpoint.0 as usize);
        CutRow {
            send: u64::from(cut.table) + 1,
            endpoint: name.cloned().unwrap_or_default(),
            channel: cut.channel.0,
            messages: cut.messages,
            unposted: cut.unposted,
            under_way: cut.under_way,
        }
    }
}

impl fmt::Display for CutRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CutRow {
            send,
            channel,
            messages,
            unposted,
            under_way,
            ..
        } = self;
        let endpoint = Escaped(&self.endpoint);
        write!(
            f,
            "{unposted} of {messages} messages of `[[send]]` {send} ({endpoint}, channel {channel}) are not posted, \
             and {under_way} are under way"
        )
    }
}

/// Shows as text which messages of a `[[send]]` a limit cut off.
pub struct CutLine<'a> {
    /// The scenario of the run.
    pub scenario: &'a Scenario,
    /// The messages.
    pub cut: &'a CutSend,
}

impl fmt::Display for CutLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.scenario.endpoints.iter().map(|spec| spec.name.clone());
        CutRow::of(&Vec::from_iter(names), self.cut).fmt(f)
    }
}

/// What was found in the capture of a `[[send]]`. Tables are counted from 1.
#[derive(Clone, Debug, Serialize)]
struct CaptureRow {
    send: u64,
    packets: u64,
    padded: u64,
    left_out: u64,
}

impl CaptureRow {
    fn of(counts: &CaptureCounts) -> CaptureRow {
        CaptureRow {
            send: u64::from(counts.send) + 1,
            packets: counts.sent,
            padded: counts.padded,
            left_out: counts.dropped,
        }
    }
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
            waiting: Vec::new(),
            cut: Vec::new(),
            captures: scenario.captures.iter().map(CaptureRow::of).collect(),
            names: scenario
                .endpoints
                .iter()
                .map(|spec| spec.name.clone())
                .collect(),
            events: 0,
            totals: Totals::default(),
            endpoints: Vec::new(),
            clerk: Clerk::default(),
            switches: Switches::default(),
            expectations: None,
            stats: None,
            by_endpoint: false,
            free: free_computing(scenario),
        }
    }

    /// Sets the number of expectations that the run meets, and the number that it does not meet.
    pub fn judge(&mut self, met: usize, not_met: usize) {
        self.expectations = Some(Expectations { met, not_met });
    }

    /// Adds the statistics of the run, for outputs that show them within the summary.
    pub fn add_stats(&mut self, stats: Option<Box<StatsReport>>) {
        self.stats = stats;
    }

    /// Makes the page show each endpoint, however many there are.
    pub fn show_endpoints(&mut self) {
        self.by_endpoint = true;
    }

    /// Records what waits for what in a run that is stuck.
    pub fn waits(&mut self, waiting: &[Waiting]) {
        self.waiting = waiting.to_vec();
    }

    /// Records the messages that a limit cut off.
    pub fn cut(&mut self, cut: &[CutSend]) {
        self.cut = cut.iter().map(|cut| CutRow::of(&self.names, cut)).collect();
    }

    /// Records the end of the run, and adds up the endpoints' rows. The caller must end the summary once, after the
    /// last event of the run.
    pub fn end(&mut self, time: SimTime, reason: EndReason) {
        self.time = time;
        self.reason = reason;
        // The applet times of NICs with the same clock are added up before they are rounded to cycles.
        let mut by_clock = BTreeMap::<NonZeroU64, SimDuration>::new();
        for row in self.endpoints.iter_mut().flatten() {
            let EndpointRow { home, totals, .. } = &mut **row;
            if let Some(&clock) = self.clocks.get(home.0 as usize) {
                totals.applet_cycles = cycles(totals.applet, clock);
                *by_clock.entry(clock).or_default() += totals.applet;
            }
            self.totals.merge(totals);
        }
        let cycles = by_clock
            .iter()
            .map(|(clock, applet)| cycles(*applet, *clock));
        self.totals.applet_cycles = cycles.fold(0, u64::saturating_add);
    }

    /// Returns the sums over all endpoints, which are complete once the run has ended.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Returns the name of the endpoint whose applet ended the run by a trap while it was loaded.
    fn trapped_endpoint(&self) -> Option<&str> {
        match self.reason {
            EndReason::LoadTrap(endpoint) => {
                let row = self.endpoints.get(endpoint.0 as usize)?.as_ref()?;
                Some(&row.endpoint)
            }
            EndReason::Idle
            | EndReason::Stuck
            | EndReason::Until
            | EndReason::MaxEvents
            | EndReason::MaxBytecodes
            | EndReason::Unheard
            | EndReason::Interrupted => None,
        }
    }

    fn rows(&self) -> impl Iterator<Item = &EndpointRow> {
        self.endpoints.iter().flatten().map(|row| &**row)
    }

    /// Returns the rows that the page shows: those of the endpoints, or of groups of them if they are many. Their names
    /// are escaped.
    fn shown_rows(&self) -> Vec<EndpointRow> {
        let rows = Vec::from_iter(self.rows());
        if self.by_endpoint || rows.len() <= ROWS_MAX {
            let named = |row: &&EndpointRow| Escaped(&row.endpoint).to_string();
            let rows = rows.iter().map(|row| (*row).clone().named(named(row)));
            return rows.collect();
        }
        let names = rows
            .iter()
            .map(|row| (row.endpoint.as_str(), row.nic.as_str()));
        let groups = groups(names).into_iter().filter_map(|group| {
            let mut members = group.members.iter().map(|member| rows[*member]);
            let mut sum = members.next()?.clone();
            for row in members {
                sum.merge(row);
            }
            Some(sum.named(group.name))
        });
        groups.collect()
    }

    /// Visits the methods of each endpoint, grouped by applet and ordered as in the class file.
    fn methods<'r>(
        rows: impl Iterator<Item = &'r EndpointRow>,
    ) -> impl Iterator<Item = &'r MethodRow> {
        rows.flat_map(|row| {
            let first = |applet: &Option<String>| {
                let mut methods = row.methods.iter();
                methods.position(|(_, other)| other.applet == *applet)
            };
            let mut methods = Vec::from_iter(&row.methods);
            methods.sort_by_key(|(id, method)| (first(&method.applet), *id));
            methods.into_iter().map(|(_, method)| method)
        })
    }

    /// Writes the fields of the summary as the entries of a JSON object.
    pub(super) fn serialize_fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("event", "summary")?;
        map.serialize_entry("time_ns", &self.time.as_ns())?;
        map.serialize_entry("ended", self.reason.word())?;
        if let Some(endpoint) = self.trapped_endpoint() {
            map.serialize_entry("ended_by", endpoint)?;
        }
        map.serialize_entry("waiting", &self.waiting)?;
        map.serialize_entry("cut", &self.cut)?;
        map.serialize_entry("captures", &self.captures)?;
        map.serialize_entry("events", &self.events)?;
        map.serialize_entry("totals", &self.totals)?;
        map.serialize_entry("endpoints", &Vec::from_iter(self.rows()))?;
        map.serialize_entry("methods", &Vec::from_iter(Summary::methods(self.rows())))?;
        if !self.switches.is_empty() {
            map.serialize_entry("switches", &self.switches.rows(self.time))?;
        }
        if let Some(stats) = &self.stats {
            map.serialize_entry("stats", stats)?;
        }
        match &self.expectations {
            Some(expectations) => map.serialize_entry("expectations", expectations),
            None => Ok(()),
        }
    }
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.serialize_fields(&mut map)?;
        map.end()
    }
}

impl Sink for Summary {
    fn wants(&self, shown: Shown) -> bool {
        shown == Shown::Always
    }

    fn left_out(&mut self, events: u64) {
        self.events += events;
    }

    fn wants_posts(&self) -> bool {
        false
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        if !is_shown(event.kind.shown(), false) {
            return;
        }
        self.events += 1;
        if let Some(here) = event.endpoint {
            self.count(names, (here, event.time), event);
        }
    }
}

impl Summary {
    /// Counts an event at an endpoint. One match does all of it: this is most of what a run pays for its summary.
    fn count(&mut self, names: &dyn Names, (here, time): (EndpointId, SimTime), event: &Event<'_>) {
        let Summary {
            endpoints: rows,
            clerk,
            switches,
            ..
        } = self;
        let came = clerk.came.take();
        let row_here = row(rows, names, here);
        let totals = &mut row_here.totals;
        match event.kind.in_use() {
            Some(InUse::Dma(_, duration)) => totals.dma += duration,
            Some(InUse::Wire(duration)) => totals.wire += duration,
            Some(InUse::Processor(..)) | None => {}
        }
        match event.kind.step() {
            Step::Posted { .. } => {
                totals.posted += 1;
                totals.accounts.posts.open();
            }
            Step::Completed {
                status, refusal, ..
            } => totals.accounts.done(status, refusal),
            Step::CallBegan {
                method, trigger, ..
            } => {
                row_here.call = Some(trigger);
                row_here.called = Some(method);
                row_here.call_began = Some(time);
            }
            Step::CallResumed => row_here.call_began = Some(time),
            Step::CallSuspended => row_here.stops(time),
            Step::CallReturned {
                method, bytecodes, ..
            } => {
                if let Some(Trigger::Arrival(_)) = row_here.call.take() {
                    totals.accounts.arrivals.close("applet");
                }
                row_here.stops(time);
                row_here
                    .method(names, here, method)
                    .bytecodes
                    .add(bytecodes);
            }
            Step::CallTrapped {
                kind,
                method,
                bytecodes,
                ..
            } => {
                totals.traps.add(kind.name());
                // The `drop` event that follows the trap decides the outcome of the packet.
                let trigger = row_here.call.take();
                clerk.has_passed = matches!(trigger, Some(Trigger::Passed(_)));
                row_here.stops(time);
                // The trap names the innermost method, but the row is that of the called entry method.
                let method = row_here.called.unwrap_or(method);
                let row = row_here.method(names, here, method);
                row.bytecodes.add(bytecodes);
                row.trapped += 1;
            }
            Step::Made(Made::Packet(packet)) => {
                clerk.pushed.add(packet);
                totals.accounts.pushes.open();
            }
            Step::Made(Made::Descriptor) => {
                if let Some(Trigger::Arrival(packet) | Trigger::Passed(packet)) = row_here.call {
                    clerk.described.add((here, packet));
                }
            }
            Step::Sent {
                packet,
                peer,
                payload,
                is_in_frames,
            } => {
                totals.packets_sent += 1;
                totals.bytes_sent += payload.len() as u64;
                if clerk.sends(packet, is_in_frames) {
                    totals.accounts.pushes.close("sent");
                }
                row(rows, names, peer).totals.accounts.wire.open();
            }
            Step::Received {
                packet,
                peer,
                payload,
                is_in_frames,
            } => {
                let length = payload.len() as u64;
                totals.packets_received += 1;
                totals.bytes_received += length;
                let is_copy = is_in_frames && !clerk.in_frames.remove(&packet);
                if is_copy {
                    totals.accounts.wire.open();
                }
                totals.accounts.received();
                clerk.came = Some((here, Some(packet)));
                // A packet in frames can arrive more often than it was sent. A link without a CRC may change the number
                // of a frame, so that the frame opens another message. Such a packet counts as a copy that the link has
                // made. So does a packet whose last frame arrives after its sender has given it up.
                if is_copy {
                    let sender = &mut row(rows, names, peer).totals;
                    sender.packets_sent += 1;
                    sender.bytes_sent += length;
                }
            }
            Step::ControlSent { peer, length } => {
                totals.packets_sent += 1;
                totals.bytes_sent += u64::from(length);
                row(rows, names, peer).totals.accounts.wire.open();
            }
            Step::ControlReceived { kind, length } => {
                totals.packets_received += 1;
                totals.bytes_received += u64::from(length);
                totals.accounts.received();
                totals.accounts.arrivals.close(kind);
                clerk.came = Some((here, None));
            }
            Step::GivenUp { packet, peer } => {
                if clerk.pushed.take(packet) {
                    totals.accounts.pushes.close("failed");
                }
                if clerk.in_frames.remove(&packet) {
                    row(rows, names, peer).totals.accounts.wire.close("failed");
                }
            }
            Step::Lost { reason, .. } => {
                totals.drops.add(reason);
                totals.accounts.wire.close(reason);
                if names.is_switch(event.nic) {
                    switches.dropped(names, event.nic);
                }
            }
            Step::Forwarded(packet) => {
                // As on the link of a NIC, a copy counts as sent.
                if packet.is_copy {
                    totals.packets_sent += 1;
                    totals.bytes_sent += u64::from(packet.length);
                    row(rows, names, packet.peer).totals.accounts.wire.open();
                }
                switches.forwarded(names, (event.nic, time), packet);
            }
            Step::Consumed { by, .. } => totals.accounts.arrivals.close(by),
            Step::Delivered {
                packet, channel, ..
            } => {
                let is_notice = channel.is_notice();
                totals.delivered += u64::from(!is_notice);
                totals.notices += u64::from(is_notice);
                if let Some(packet) = packet
                    && !clerk.described.take((here, packet))
                {
                    totals.accounts.arrivals.close("delivered");
                }
            }
            Step::Dropped {
                packet,
                reason,
                what,
            } => {
                totals.drops.add(reason);
                if names.is_switch(event.nic) {
                    switches.dropped(names, event.nic);
                }
                if let Some(packet) = packet {
                    let call = row_here.call;
                    match clerk.dropped((here, packet), what, (came, call)) {
                        Some(Ended::Push) => totals.accounts.pushes.close(reason),
                        Some(Ended::Arrival) => totals.accounts.arrivals.close(reason),
                        None => {}
                    }
                }
            }
            Step::Detached => totals.detachments += 1,
            Step::Mapped { evicts } => {
                totals.windows_mapped += 1;
                totals.windows_evicted += u64::from(evicts);
            }
            Step::Made(Made::Nothing) | Step::Attached | Step::Other => {}
        }
    }
}

/// Returns the row of an endpoint; adds it at the endpoint's first event.
#[inline(always)]
fn row<'r>(
    rows: &'r mut Vec<Option<Box<EndpointRow>>>,
    names: &dyn Names,
    id: EndpointId,
) -> &'r mut EndpointRow {
    let place = id.0 as usize;
    if rows.get(place).is_none_or(Option::is_none) {
        add_row(rows, names, id);
    }
    rows[place].as_mut().expect("a row that was just added")
}

#[cold]
#[inline(never)]
fn add_row(rows: &mut Vec<Option<Box<EndpointRow>>>, names: &dyn Names, id: EndpointId) {
    let place = id.0 as usize;
    if place >= rows.len() {
        rows.resize(place + 1, None);
    }
    rows[place] = Some(Box::new(EndpointRow {
        endpoint: names.endpoint(id).to_owned(),
        nic: names.nic(names.home(id)).to_owned(),
        home: names.home(id),
        totals: Totals::default(),
        call_began: None,
        called: None,
        call: None,
        methods: Vec::new(),
    }));
}

impl EndpointRow {
    /// Gives the row and its methods another name.
    fn named(mut self, name: String) -> EndpointRow {
        for (_, method) in &mut self.methods {
            method.endpoint.clone_from(&name);
        }
        self.endpoint = name;
        self
    }

    /// Adds the counts and methods of another endpoint.
    fn merge(&mut self, other: &EndpointRow) {
        self.totals.merge(&other.totals);
        self.totals.applet_cycles += other.totals.applet_cycles;
        for (id, row) in &other.methods {
            let is_same =
                |own: &MethodRow| (&own.applet, &own.method) == (&row.applet, &row.method);
            match self.methods.iter_mut().find(|(_, own)| is_same(own)) {
                Some((_, own)) => {
                    own.bytecodes.merge(&row.bytecodes);
                    own.trapped += row.trapped;
                }
                None => self.methods.push((*id, row.clone())),
            }
        }
    }

    /// Adds the time for which the call has run.
    fn stops(&mut self, time: SimTime) {
        let began = self.call_began.take();
        self.totals.applet += time.since(began.unwrap_or(time));
    }

    /// Returns the row of a method; adds it at the end of the method's first call.
    fn method(&mut self, names: &dyn Names, id: EndpointId, method: MethodId) -> &mut MethodRow {
        let (name, applet) = (names.method(id, method), names.in_chain(id));
        // Methods are compared by name, because the class that replaces an applet numbers its methods in its own way.
        let mut methods = self.methods.iter();
        let known =
            methods.position(|(_, row)| row.method == name && row.applet.as_deref() == applet);
        let place = known.unwrap_or_else(|| {
            let row = MethodRow {
                endpoint: self.endpoint.clone(),
                applet: applet.map(str::to_owned),
                method: name.to_owned(),
                bytecodes: Distribution::default(),
                trapped: 0,
            };
            self.methods.push((method, row));
            self.methods.len() - 1
        });
        &mut self.methods[place].1
    }
}

impl Totals {
    /// Adds the counts and sums of another endpoint to these totals. Cycles are not added, because they are rounded for
    /// each endpoint.
    fn merge(&mut self, other: &Totals) {
        let Totals {
            posted,
            packets_sent,
            bytes_sent,
            packets_received,
            bytes_received,
            delivered,
            notices,
            accounts,
            drops,
            traps,
            detachments,
            windows_mapped,
            windows_evicted,
            applet,
            applet_cycles: _,
            dma,
            wire,
        } = other;
        self.posted += posted;
        self.packets_sent += packets_sent;
        self.bytes_sent += bytes_sent;
        self.packets_received += packets_received;
        self.bytes_received += bytes_received;
        self.delivered += delivered;
        self.notices += notices;
        self.accounts.merge(accounts);
        self.drops.merge(drops);
        self.traps.merge(traps);
        self.detachments += detachments;
        self.windows_mapped += windows_mapped;
        self.windows_evicted += windows_evicted;
        self.applet += *applet;
        self.dma += *dma;
        self.wire += *wire;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_those_of_the_paper() {
        let lanai = NonZeroU64::new(37_000_000).unwrap();
        // In U-Net/SLE the null call takes 203.5 cycles, `doTx` 144 and `doRx` 118. Half cycles are rounded up.
        for (ns, expected) in [(5_500, 204), (3_900, 144), (3_200, 118), (0, 0)] {
            assert_eq!(cycles(SimDuration::from_ns(ns), lanai), expected);
        }
        let most = SimDuration::from_ps(u64::MAX);
        assert_eq!(cycles(most, NonZeroU64::MAX), u64::MAX);
    }
}
