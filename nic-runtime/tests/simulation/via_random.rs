//! Random runs of VIs on both providers, compared with plain queues.

use nic_runtime::Run;
use std::collections::VecDeque;

use nic_core::event::roles::Step;
use nic_core::event::{Event, EventKind, Names, NicEvent, Sink, ViaEvent};
use nic_core::id::{ChannelId, EndpointId, PostId, PostNumber};
use nic_core::random::Generator;
use nic_core::time::{SimDuration, SimTime};
use nic_core::via::{Reason, Reliability, Side, Status, ViState};
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use nic_runtime::profile::Events;
use nic_runtime::scenario::parse_on;

use crate::runs::runs;
use crate::scenario::read;
use crate::spaced::{Due, Traffic};
use crate::via::pair;
use crate::via_over_memory::profile_with;

/// A plain model of two connected VIs, which reads the events of a run: queues of messages and of descriptors.
struct Queues {
    level: Reliability,
    /// Whether a fault of the link ends the connection at every level, as over remote memory.
    ends_at_faults: bool,
    ends: [Queue; 2],
}

#[derive(Default)]
struct Queue {
    /// Messages that this end has posted and that the peer has not received, oldest first.
    sent: VecDeque<(PostNumber, Vec<u8>)>,
    /// Send descriptors that have not completed, oldest first.
    posts: VecDeque<(PostId, PostNumber, Vec<u8>)>,
    /// Receive descriptors that have not completed, oldest first.
    receives: VecDeque<u32>,
    /// The messages that this end has received.
    received: Vec<Vec<u8>>,
    /// The messages that this end has sent with status `ok`.
    accepted: Vec<Vec<u8>>,
    /// Number of sends that completed with a status other than `ok`, and number of sends with status `ok`.
    completed: [u64; 2],
    lost: u64,
    dropped: u64,
    state: Option<(ViState, Reason)>,
    completions: [u64; 2],
}

impl Sink for Queues {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let Some(EndpointId(here)) = event.endpoint else {
            return;
        };
        let (here, there) = (here as usize, 1 - here as usize);
        let level = self.level;
        match event.kind {
            EventKind::Via(ViaEvent::TxPost {
                payload,
                post,
                number,
                ..
            }) => {
                let end = &mut self.ends[here];
                end.posts.push_back((post, number, payload.to_vec()));
                end.sent.push_back((number, payload.to_vec()));
            }
            EventKind::Via(ViaEvent::TxDone { status, post, .. }) => {
                let posted = self.ends[here].posts.pop_front();
                let (oldest, number, message) = posted.expect("a descriptor completes once");
                assert_eq!(post, oldest, "send descriptors complete in posting order");
                if status == Status::Dropped {
                    // The message was not sent, so the peer never receives it.
                    let sent = &mut self.ends[here].sent;
                    let place = sent.iter().position(|(sent, _)| *sent == number);
                    sent.remove(place.expect("it was not received"));
                    self.ends[here].completed[0] += 1;
                    self.ends[here].dropped += 1;
                    return;
                }
                assert!(matches!(status, Status::Ok | Status::Flushed), "{status:?}");
                if status == Status::Ok && level == Reliability::Reception {
                    // The peer's memory has the message, so the peer's NIC has used a receive descriptor for it.
                    let received = self.ends[there].received.len() as u64;
                    assert!(received + 1 > self.ends[here].completed[1]);
                }
                if status == Status::Flushed {
                    assert_ne!(
                        self.ends[here].state.map(|(state, _)| state),
                        Some(ViState::Connected)
                    );
                }
                self.ends[here].completed[usize::from(status == Status::Ok)] += 1;
                if status == Status::Ok {
                    self.ends[here].accepted.push(message);
                }
            }
            EventKind::Via(ViaEvent::RxPost { offset, .. }) => {
                assert!(!self.ends[here].receives.contains(&offset), "it is posted");
                self.ends[here].receives.push_back(offset);
            }
            EventKind::Via(ViaEvent::RxDescriptor {
                status,
                offsets,
                post,
                ..
            }) => {
                let receives = &mut self.ends[here].receives;
                for offset in offsets {
                    let place = receives.iter().position(|posted| posted == offset);
                    let place = place.expect("a posted descriptor completes, and once");
                    assert_eq!(place, 0, "receive descriptors complete in posting order");
                    receives.remove(place);
                }
                match (status, event.kind.roles().step) {
                    (Status::Ok, Step::Delivered { payload, .. }) => {
                        let message: Vec<u8> = payload.bytes().collect();
                        self.receive(here, post, &message);
                    }
                    (Status::Flushed, _) => {
                        let state = self.ends[here].state.map(|(state, _)| state);
                        assert_ne!(state, Some(ViState::Connected));
                    }
                    other => panic!("{other:?}"),
                }
            }
            EventKind::Via(ViaEvent::ViState { state, reason }) => {
                self.ends[here].state = Some((state, reason));
            }
            EventKind::Via(ViaEvent::Completion { side, .. }) => {
                self.ends[here].completions[usize::from(side == Side::Receive)] += 1;
            }
            EventKind::Nic(NicEvent::WireDrop { .. } | NicEvent::Drop { .. }) => {
                self.ends[there].lost += 1;
            }
            _ => {}
        }
    }
}

impl Queues {
    /// Records that an end has received the next message of its peer, which the descriptor says to come from `post`. If
    /// the VIs are unreliable, the link may have lost earlier messages of the peer.
    fn receive(&mut self, here: usize, post: Option<PostNumber>, message: &[u8]) {
        let there = &mut self.ends[1 - here];
        let post = post.expect("every message was posted");
        loop {
            let next = there.sent.pop_front();
            let (number, sent) = next.expect("a message that was sent arrives, and once");
            if number == post {
                assert_eq!(sent, message, "a descriptor names the post of its message");
                break;
            }
            assert_eq!(
                self.level,
                Reliability::Unreliable,
                "messages arrive in order"
            );
        }
        self.ends[here].received.push(message.to_vec());
    }

    /// Checks the queues at the end of a run, when no message is under way any more.
    fn check(&self) {
        let states = [0, 1].map(|end| self.ends[end].state.expect("it connects"));
        let is_connected = states.map(|(state, _)| state == ViState::Connected);
        assert_eq!(is_connected[0], is_connected[1], "{states:?}");
        for (end, peer) in [(0, 1), (1, 0)] {
            let (end, peer) = (&self.ends[end], &self.ends[peer]);
            assert_eq!(end.posts.len(), 0, "every send descriptor completes");
            let [sends, receives] = end.completions;
            assert_eq!(sends, end.completed[0] + end.completed[1]);
            assert!(receives >= end.received.len() as u64);
            if is_connected[0] {
                let flushed = end.completed[0] - end.dropped;
                assert_eq!(flushed, 0, "nothing is flushed while it is connected");
                // Over remote memory, a connection that has not ended has lost no message.
                if self.level.is_reliable() || self.ends_at_faults {
                    assert!(end.sent.is_empty(), "a reliable connection delivers all");
                }
            } else {
                assert!(
                    end.receives.is_empty(),
                    "every receive descriptor completes"
                );
            }
            if self.level == Reliability::Reception {
                assert!(peer.received.starts_with(&end.accepted));
            }
        }
        if self.level == Reliability::Unreliable {
            for (state, reason) in states {
                let reasons = [
                    (ViState::Connected, Reason::Accepted),
                    (ViState::Disconnected, Reason::Disconnect),
                ];
                let is_fault = (state, reason) == (ViState::Error, Reason::Loss);
                assert!(
                    reasons.contains(&(state, reason)) || self.ends_at_faults && is_fault,
                    "{state:?} {reason:?}"
                );
            }
        }
    }
}

/// A program that posts messages at random times, and may end the connection.
struct Random {
    generator: Generator,
    left: u32,
    number: u32,
    disconnects: bool,
    /// When messages are due, if they are spaced.
    due: Option<VecDeque<Due>>,
}

impl Random {
    fn post(&mut self, actions: &mut Actions<'_>, length: usize) {
        self.number += 1;
        let mut payload = self.number.to_be_bytes().to_vec();
        // A message without bytes may overtake those before it.
        match length < 20 {
            true => payload.clear(),
            false => payload.resize(4 + length, self.number as u8),
        }
        actions.post(actions.endpoints()[0], ChannelId(1), payload);
    }

    /// Posts the spaced messages that are due, and waits for the next.
    fn post_due(&mut self, actions: &mut Actions<'_>) {
        let now = actions.now().as_ns();
        while let Some(due) = self.due.as_mut().and_then(VecDeque::pop_front) {
            if due.at_ns > now {
                let wait = SimDuration::from_ns(due.at_ns - now);
                actions.wake_at(actions.now() + wait);
                self.due.iter_mut().for_each(|list| list.push_front(due));
                return;
            }
            self.post(actions, due.length as usize);
        }
        if self.disconnects {
            actions.disconnect(actions.endpoints()[0]);
        }
    }
}

impl HostProgram for Random {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if !matches!(what, Happened::Started | Happened::Time) {
            return;
        }
        if self.due.is_some() {
            return self.post_due(actions);
        }
        let home = actions.endpoints()[0];
        for _ in 0..self.generator.draw() % 4 {
            if self.left == 0 {
                if self.disconnects {
                    actions.disconnect(home);
                }
                return;
            }
            self.left -= 1;
            let length = (self.generator.draw() % 150) as usize;
            self.post(actions, length);
        }
        let wait = SimDuration::from_ns(self.generator.draw() % 80_000);
        actions.wake_at(actions.now() + wait);
    }
}

#[test]
fn random_runs_are_those_of_plain_queues() {
    let mut seen = [[[0; 2]; 3]; 2];
    let wanted = runs(600);
    for seed in 0..wanted {
        let mut generator = Generator::named(seed, &["via"]);
        let mut below = |limit: u64| generator.draw() % limit;
        let (name, level) = Reliability::ALL[below(3) as usize];
        let is_clan = below(2) == 0;
        // Over CLAN the probabilities of faults are lower, because a message is several writes.
        let faults = match is_clan {
            true => [
                "",
                "loss = 0.01",
                "corrupt = 0.01\nduplicate = 0.1",
                "corrupt = 0.01\ncrc = false",
                "reorder = 0.02",
                "duplicate = 0.3",
            ],
            false => [
                "",
                "",
                "loss = 0.03",
                "loss = 0.03",
                "corrupt = 0.05\nduplicate = 0.1",
                "reorder = 0.05",
            ],
        };
        let link = faults[below(6) as usize];
        let count = 3 + below(12);
        let mut both = format!(
            "reliability = '{name}'\nsplit = true\nfree_buffers = {{ count = {count}, length = 64 }}\n\
             completion = {{ send = 'q', receive = 'q' }}\ntx_queue = {}\n",
            1 + below(6)
        );
        if is_clan {
            let transfer = ["auto", "pio", "dma"][below(3) as usize];
            let on_empty = ["drop", "defer"][below(2) as usize];
            both += &format!(
                "transfer = '{transfer}'\non_empty = '{on_empty}'\nstrict = {}\n",
                below(2) == 0
            );
        }
        let text = format!(
            "seed = {seed}\nuntil = '18000000s'\n{}",
            pair(link, &both, "")
        );
        let scenario = match is_clan {
            true => {
                // With few mappings, writes wait for each other.
                let mut profile = profile_with(1 + below(3) as u32);
                let clan = profile.clan.as_mut().expect("a section of CLAN");
                clan.events = [Events::User, Events::Interrupt][below(2) as usize];
                parse_on(&text, &profile).expect("it is right")
            }
            false => read(&text),
        };
        let (left, right) = (1 + below(20) as u32, below(20) as u32);
        let disconnects = below(3) == 0;
        // Half of the runs are spaced: the times between messages are those for which a NIC waits.
        let is_spaced = below(2) == 0;
        let traffic = Traffic::of(&scenario.profile, 150).with_limit(60);
        let program = |side: &str, left| {
            let mut generator = Generator::named(seed, &[side]);
            let due = is_spaced.then(|| traffic.draw(&mut generator, left as usize).into());
            Random {
                generator,
                left,
                number: 0,
                disconnects: disconnects && side == "left",
                due,
            }
        };
        let programs = Programs::new()
            .with("left", program("left", left))
            .with("right", program("right", right));
        let mut queues = Queues {
            level,
            ends_at_faults: is_clan,
            ends: Default::default(),
        };
        let end = Run::new(&scenario)
            .programs(programs)
            .sink(&mut queues)
            .execute()
            .expect("the scenario fits")
            .end;
        crate::trace::check_moves(&end);
        let is_soon = end.time < SimTime::ZERO + SimDuration::from_ns(900_000_000);
        assert!(is_spaced || is_soon, "{seed}");
        queues.check();
        let broken = queues.ends[0]
            .state
            .is_some_and(|(state, _)| state != ViState::Connected);
        let row = Reliability::ALL.iter().position(|(_, row)| *row == level);
        seen[usize::from(is_clan)][row.expect("a level")][usize::from(broken)] += 1;
    }
    println!("runs by provider and level, connected and ended: {seen:?}");
    let all = seen.iter().flatten().flatten();
    // Each of the twelve kinds has its part of the runs, however many there are.
    assert!(all.into_iter().all(|seen| *seen >= wanted / 60), "{seen:?}");
}
