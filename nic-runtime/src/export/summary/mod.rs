//! The summary of a run: counts and sums, computed from the events.

mod count;
mod page;
mod rows;
mod sends;
mod totals;

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use nic_core::event::fields::Escaped;
use nic_core::event::roles::Shown;
use nic_core::event::{EndReason, Event, Names, Sink};
use nic_core::id::NicId;
use nic_core::time::{SimDuration, SimTime};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use self::rows::{EndpointRow, MethodRow};
pub use self::sends::CutLine;
use self::sends::{CaptureRow, CutRow};
pub use self::totals::Totals;
use self::totals::cycles;
use super::accounts::Clerk;
use super::groups::{ROWS_MAX, groups};
use super::is_shown;
use super::ports::Switches;
use super::stats::StatsReport;
use crate::nic::waiting::{CutSend, HowFar, Waiting};
use crate::spec::Scenario;

/// The summary of a run. The summary is complete after [`Summary::end`].
#[derive(Clone, Debug)]
pub struct Summary {
    /// Clock rate of each NIC's processors, in hertz.
    clocks: Vec<NonZeroU64>,
    time: SimTime,
    reason: EndReason,
    /// What waits for what, if the run is stuck.
    waiting: Vec<Waiting>,
    /// The programs that gave up.
    gave_up: Vec<HowFar>,
    unfinished: Vec<HowFar>,
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
            gave_up: Vec::new(),
            unfinished: Vec::new(),
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
            switches: Switches::new(scenario, SimTime::ZERO),
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

    /// Records the programs that gave up, and those that the end of the run cut.
    pub fn programs_left(&mut self, gave_up: &[HowFar], unfinished: &[HowFar]) {
        self.gave_up = gave_up.to_vec();
        self.unfinished = unfinished.to_vec();
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
        if !self.gave_up.is_empty() {
            map.serialize_entry("gave_up", &self.gave_up)?;
        }
        if !self.unfinished.is_empty() {
            map.serialize_entry("unfinished", &self.unfinished)?;
        }
        map.serialize_entry("cut", &self.cut)?;
        map.serialize_entry("captures", &self.captures)?;
        map.serialize_entry("events", &self.events)?;
        map.serialize_entry("totals", &self.totals)?;
        map.serialize_entry("endpoints", &Vec::from_iter(self.rows()))?;
        map.serialize_entry("methods", &Vec::from_iter(Summary::methods(self.rows())))?;
        let switches = self.switches.rows(self.time);
        if !switches.is_empty() {
            map.serialize_entry("switches", &switches)?;
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
