//! Statistics of a run: rates, goodput, losses, latencies, shares of time in use and lengths of queues.
//!
//! The statistics count what happens from a time of the scenario on (`stats = { from = "1ms" }`), so that the beginning
//! of a run, in which queues are still empty, can be left out. Memory is bounded: latencies are kept as histograms.

mod counts;
mod latency;
mod over_time;
mod page;
mod report;

use std::collections::{BTreeMap, VecDeque};

use nic_core::event::roles::{Dropped, InUse, Shown, Step};
use nic_core::event::{DmaDirection, Event, Levels, Names, Sink};
use nic_core::id::{ChannelId, EndpointId, NicId, PostNumber};
use nic_core::time::{SimDuration, SimTime};

use self::counts::ChannelCounts;
pub use self::latency::{Latencies, Latency};
use self::over_time::{Level, SpansInUse};
use self::report::GroupStats;
pub use self::report::{ChannelStats, EndpointStats, NicStats, QueueLength, StatsReport, Traffic};
use super::groups::{Group, ROWS_MAX, groups};
use super::is_shown;
use super::ports::Switches;
pub use super::ports::{PortStats, SwitchStats};
use super::tally::Tally;
use crate::recent::Recent;
use crate::spec::{HostSpec, Scenario};

/// What is known about a posted message.
#[derive(Copy, Clone, Debug)]
struct Origin {
    posted: SimTime,
    channel: ChannelId,
    /// When the request was posted that the message answers.
    request: Option<SimTime>,
    /// Whether a user was shown the message. A link may copy it, and an applet may repeat it.
    has_arrived: bool,
}

/// The state of an endpoint's statistics.
#[derive(Clone, Debug, Default)]
struct EndpointState {
    channels: BTreeMap<ChannelId, ChannelCounts>,
    notices: u64,
    /// Messages of its posts that users were shown more than once.
    repeated: u64,
    /// Whether applets make its packets, so that the numbers of posts may be wrong (docs/seeing.md, "Posts").
    has_applet: bool,
    drops: Tally,
    /// When the newest messages were posted, by their numbers among those of the endpoint.
    posts: Recent<Origin>,
    /// Whether each message that its user posts answers the oldest message that the user was shown.
    echoes: bool,
    /// When the messages were posted that the user has been shown and has not answered, if it echoes.
    requests: VecDeque<Option<SimTime>>,
    transmit: Level,
    receive: Level,
    free: Level,
}

/// The times in which the parts of a NIC were in use.
#[derive(Clone, Debug, Default)]
struct NicState {
    processors: Vec<SimDuration>,
    dma_in: SpansInUse,
    dma_out: SpansInUse,
    wire: SpansInUse,
}

/// The statistics of a run. They are complete after [`Stats::end`].
#[derive(Clone, Debug)]
pub struct Stats {
    /// Number of events that a trace shows.
    events: u64,
    from: SimTime,
    until: SimTime,
    endpoint_names: Vec<(String, NicId)>,
    nic_names: Vec<String>,
    endpoints: Vec<EndpointState>,
    nics: Vec<NicState>,
    switches: Switches,
}

impl Stats {
    /// Starts the statistics of a run of this scenario.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Stats {
        let sends = |id: EndpointId| {
            scenario.sends.iter().any(|send| send.endpoint == id)
                || scenario.replays.iter().any(|replay| replay.endpoint == id)
        };
        let endpoints = (0u32..).map(EndpointId).zip(&scenario.endpoints);
        let endpoints = endpoints.map(|(id, spec)| EndpointState {
            echoes: spec.host == HostSpec::Echo && !sends(id),
            has_applet: spec.class.is_some(),
            free: Level::new(spec.free_buffer_count),
            ..EndpointState::default()
        });
        let nics = scenario.nics.iter().map(|nic| NicState {
            processors: vec![SimDuration::ZERO; nic.processors as usize],
            ..NicState::default()
        });
        let names = scenario.endpoints.iter();
        Stats {
            events: 0,
            from: scenario.stats_from,
            until: SimTime::ZERO,
            endpoint_names: names.map(|spec| (spec.name.clone(), spec.nic)).collect(),
            nic_names: scenario.nics.iter().map(|nic| nic.name.clone()).collect(),
            endpoints: endpoints.collect(),
            nics: nics.collect(),
            switches: Switches::new(scenario, scenario.stats_from),
        }
    }

    /// Returns how many events a trace of the run shows, from its beginning on.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Records the end of the run, after its last event.
    pub fn end(&mut self, time: SimTime) {
        self.until = time.max(self.from);
        for endpoint in &mut self.endpoints {
            for level in [
                &mut endpoint.transmit,
                &mut endpoint.receive,
                &mut endpoint.free,
            ] {
                level.pass(time, self.from);
            }
        }
        for nic in &mut self.nics {
            let NicState {
                processors: _,
                dma_in,
                dma_out,
                wire,
            } = nic;
            for spans in [dma_in, dma_out, wire] {
                spans.end(time);
            }
        }
    }

    /// Returns the part of a span that the statistics count.
    fn within(&self, begin: SimTime, end: SimTime) -> SimDuration {
        let begin = begin.max(self.from);
        match end > begin {
            true => end.since(begin),
            false => SimDuration::ZERO,
        }
    }

    fn posted(
        &mut self,
        id: EndpointId,
        time: SimTime,
        number: PostNumber,
        (channel, bytes): (ChannelId, u64),
    ) {
        let is_counted = time >= self.from;
        let endpoint = &mut self.endpoints[id.0 as usize];
        let request = match endpoint.echoes {
            true => endpoint.requests.pop_front().flatten(),
            false => None,
        };
        let origin = Origin {
            posted: time,
            channel,
            request,
            has_arrived: false,
        };
        endpoint.posts.set(number.maker().1, Some(origin));
        if is_counted {
            let counts = endpoint.channels.entry(channel).or_default();
            counts.posted += 1;
            counts.posted_bytes += bytes;
        }
    }

    fn delivered(
        &mut self,
        id: EndpointId,
        time: SimTime,
        post: Option<PostNumber>,
        (channel, bytes): (ChannelId, u64),
    ) {
        let post = post.filter(|_| !channel.is_notice());
        let origin = post.and_then(|post| self.arrived(post));
        let from = self.from;
        let endpoint = &mut self.endpoints[id.0 as usize];
        if endpoint.echoes && !channel.is_notice() {
            endpoint
                .requests
                .push_back(origin.map(|origin| origin.posted));
        }
        if time < from {
            return;
        }
        if channel.is_notice() {
            endpoint.notices += 1;
            return;
        }
        let counts = endpoint.channels.entry(channel).or_default();
        counts.delivered += 1;
        counts.delivered_bytes += bytes;
        let Some(origin) = origin else {
            counts.untimed += 1;
            return;
        };
        // A message that was posted during the warm-up has waited behind what is left out.
        if origin.posted >= from {
            counts.one_way.add(time.since(origin.posted));
        }
        if let Some(request) = origin.request.filter(|request| *request >= from) {
            counts.round_trip.add(time.since(request));
        }
    }

    fn lost(&mut self, id: EndpointId, time: SimTime, reason: &'static str) {
        if time >= self.from {
            self.endpoints[id.0 as usize].drops.add(reason);
        }
    }

    /// Notes that a user is shown the message of a post, and returns what was known about it.
    fn arrived(&mut self, post: PostNumber) -> Option<Origin> {
        let (sender, number) = post.maker();
        let from = self.from;
        let sender = self.endpoints.get_mut(sender.0 as usize)?;
        let origin = sender.posts.get_mut(number)?;
        let known = *origin;
        origin.has_arrived = true;
        sender.repeated += u64::from(known.has_arrived);
        if !known.has_arrived && known.posted >= from {
            let counts = sender.channels.entry(known.channel).or_default();
            counts.arrived += 1;
        }
        Some(known)
    }

    /// Returns of which endpoints the loss is known: a message without a known post may be any that seems lost, and so may
    /// one that comes twice from an applet.
    fn loss_known(&self) -> Vec<bool> {
        let untimed = self
            .endpoints
            .iter()
            .flat_map(|state| state.channels.values());
        let all_known = untimed.map(|counts| counts.untimed).sum::<u64>() == 0;
        let states = self.endpoints.iter();
        states
            .map(|state| all_known && !(state.has_applet && state.repeated > 0))
            .collect()
    }

    /// Adds up the endpoints of each group.
    fn groups(&self, window: SimDuration) -> Vec<GroupStats> {
        let places = self.endpoint_names.iter();
        let places =
            places.map(|(name, nic)| (name.as_str(), self.nic_names[nic.0 as usize].as_str()));
        let groups = groups(places);
        let loss = self.loss_known();
        let rows = groups.into_iter().map(|Group { name, members }| {
            let mut counts = ChannelCounts::default();
            let mut drops = Tally::default();
            let mut lengths = [QueueLength::default(); 3];
            for &member in &members {
                let state = &self.endpoints[member];
                for of_channel in state.channels.values() {
                    counts.merge(of_channel);
                }
                drops.merge(&state.drops);
                let levels = [state.transmit, state.receive, state.free];
                for (length, level) in lengths.iter_mut().zip(levels) {
                    let QueueLength { mean, max } = level.over(window);
                    length.mean += mean / members.len() as f64;
                    length.max = length.max.max(max);
                }
            }
            GroupStats {
                name,
                traffic: Traffic::of(&counts, members.iter().all(|at| loss[*at]), window),
                drops,
                lengths,
            }
        });
        rows.collect()
    }

    /// Returns the statistics as values.
    #[must_use]
    pub fn report(&self) -> StatsReport {
        let window = self.until.since(self.from);
        let loss = self.loss_known();
        let mut all = ChannelCounts::default();
        let mut drops = Tally::default();
        let mut channels = Vec::new();
        let mut endpoints = Vec::new();
        let endpoints_with_loss = self.endpoints.iter().zip(loss);
        let mut all_known = true;
        for ((name, nic), (state, is_known)) in self.endpoint_names.iter().zip(endpoints_with_loss)
        {
            let mut of_endpoint = ChannelCounts::default();
            for (channel, counts) in &state.channels {
                of_endpoint.merge(counts);
                channels.push(ChannelStats {
                    endpoint: name.clone(),
                    channel: channel.0,
                    traffic: Traffic::of(counts, is_known, window),
                });
            }
            all_known &= is_known || of_endpoint.posted == 0;
            all.merge(&of_endpoint);
            drops.merge(&state.drops);
            endpoints.push(EndpointStats {
                endpoint: name.clone(),
                nic: self.nic_names[nic.0 as usize].clone(),
                traffic: Traffic::of(&of_endpoint, is_known, window),
                notices: state.notices,
                drops: state.drops.of_all_drops(),
                transmit_queue: state.transmit.over(window),
                receive_queue: state.receive.over(window),
                free_buffers: state.free.over(window),
            });
        }
        let share = |time: SimDuration| match window.as_ps() {
            0 => 0.0,
            ps => time.as_ps() as f64 / ps as f64,
        };
        let nics = self.nic_names.iter().zip(&self.nics);
        let nics = nics.map(|(name, state)| NicStats {
            nic: name.clone(),
            processors: state.processors.iter().map(|time| share(*time)).collect(),
            dma_in: share(state.dma_in.sum),
            dma_out: share(state.dma_out.sum),
            wire: share(state.wire.sum),
        });
        StatsReport {
            from_ns: self.from.as_ns(),
            to_ns: self.until.as_ns(),
            total: Traffic::of(&all, all_known, window),
            drops: drops.of_all_drops(),
            channels,
            groups: match endpoints.len() > ROWS_MAX {
                true => self.groups(window),
                false => Vec::new(),
            },
            endpoints,
            nics: nics.collect(),
            switches: self.switches.rows(self.until),
            shows_each: false,
        }
    }
}

impl Sink for Stats {
    fn wants(&self, shown: Shown) -> bool {
        match shown {
            Shown::Always | Shown::AsBusy | Shown::Never => true,
            Shown::InDetail | Shown::WithWork => false,
        }
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn left_out(&mut self, events: u64) {
        self.events += events;
    }

    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        self.events += u64::from(is_shown(event.kind.shown(), false));
        let (time, nic) = (event.time, event.nic.0 as usize);
        match event.kind.in_use() {
            Some(InUse::Dma(direction, duration)) => {
                let state = &mut self.nics[nic];
                let spans = match direction {
                    DmaDirection::HostToNic => &mut state.dma_in,
                    DmaDirection::NicToHost => &mut state.dma_out,
                };
                spans.add(time, duration, self.from);
            }
            Some(InUse::Wire(duration)) => self.nics[nic].wire.add(time, duration, self.from),
            Some(InUse::Processor(processor, begun)) => {
                let used = self.within(begun, time);
                if let Some(sum) = self.nics[nic].processors.get_mut(processor as usize) {
                    *sum += used;
                }
            }
            None => {}
        }
        let Some(id) = event.endpoint else {
            return;
        };
        if let Some(levels) = event.kind.levels() {
            let Levels {
                transmit,
                receive,
                free,
                ..
            } = levels;
            let from = self.from;
            let endpoint = &mut self.endpoints[id.0 as usize];
            endpoint.transmit.set(transmit, time, from);
            endpoint.receive.set(receive, time, from);
            endpoint.free.set(free, time, from);
            return;
        }
        match event.kind.step() {
            Step::Posted {
                number,
                channel,
                payload,
                ..
            } => self.posted(id, event.time, number, (channel, payload.len() as u64)),
            Step::Delivered {
                post,
                channel,
                payload,
                ..
            } => {
                let length = payload.length();
                self.delivered(id, event.time, post, (channel, length));
            }
            Step::Lost { reason, .. } => {
                self.lost(id, event.time, reason);
                self.switches
                    .lost((event.nic, event.time), event.kind.full_port());
            }
            Step::Forwarded(packet) => self.switches.forwarded((event.nic, event.time), packet),
            Step::Dropped { reason, what, .. } => {
                if what == Dropped::Answer {
                    self.endpoints[id.0 as usize].requests.pop_front();
                }
                self.lost(id, event.time, reason);
                self.switches
                    .lost((event.nic, event.time), event.kind.full_port());
            }
            Step::Other
            | Step::Sent { .. }
            | Step::Completed { .. }
            | Step::CallBegan { .. }
            | Step::CallSuspended
            | Step::CallResumed
            | Step::Made(_)
            | Step::CallReturned { .. }
            | Step::CallTrapped { .. }
            | Step::Detached
            | Step::Attached
            | Step::ControlSent { .. }
            | Step::ControlReceived { .. }
            | Step::Mapped { .. }
            | Step::Received { .. }
            | Step::GivenUp { .. }
            | Step::Consumed { .. } => {}
        }
    }
}
