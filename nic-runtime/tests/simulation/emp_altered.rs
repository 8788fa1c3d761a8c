//! EMP over links that lose, copy, reorder and alter frames, some of them without a CRC. The receiver acknowledges no
//! message that it has given up, and the accounts add up.

use nic_runtime::Run;
use std::collections::{BTreeMap, BTreeSet};

use nic_core::emp::{EmpEvent, Frame, FrameKind};
use nic_core::event::{
    EndReason, Event, EventKind, Names, NicEvent, Sink, Trigger, TxStatus, UnetEvent,
};
use nic_core::id::{ChannelId, EndpointId, PacketId, PostId};
use nic_core::random::Generator;
use nic_runtime::export::PayloadMode;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::summary::Summary;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use nic_runtime::profile::Profile;
use serde_json::Value;

use crate::json_lines::values;
use crate::runs::runs;
use crate::scenario::read;
use crate::spaced::{Traffic, below, index};

/// What happened to the messages of one endpoint.
#[derive(Default)]
struct End {
    posted: BTreeMap<PostId, Vec<u8>>,
    done: BTreeMap<PostId, TxStatus>,
    /// The packets that the endpoint has sent, with their descriptors.
    sent: BTreeMap<PacketId, PostId>,
    /// The acknowledgements that the endpoint has sent: the packet, and how many of its frames have arrived.
    told: BTreeSet<(PacketId, u16)>,
    /// How many acknowledgements have reached the endpoint that nobody had sent so.
    altered: usize,
    /// The messages that were complete at the endpoint, in order.
    complete: Vec<(PacketId, Vec<u8>)>,
    /// The messages of which not all had arrived when their sender, this endpoint, gave them up.
    failed: BTreeSet<PacketId>,
}

/// A sink that counts what the summary counts.
struct Seen {
    ends: Vec<End>,
    summary: Summary,
}

impl Sink for Seen {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.summary.event(names, event);
        let Some(EndpointId(here)) = event.endpoint else {
            return;
        };
        let here = here as usize;
        // The endpoints of a pair follow each other.
        let peer = here ^ 1;
        let end = &mut self.ends[here];
        match event.kind {
            EventKind::Unet(UnetEvent::TxPost { payload, post, .. }) => {
                end.posted.insert(post, payload.to_vec());
            }
            EventKind::Unet(UnetEvent::TxDone { post, status, .. }) => {
                assert_eq!(end.done.insert(post, status), None, "told once");
            }
            EventKind::Nic(NicEvent::WireTx {
                packet,
                part: Some(part),
                trigger,
                ..
            }) => match (part.kind, trigger) {
                ("ack", _) => {
                    end.told.insert((packet, part.frame));
                }
                ("header", Trigger::Post(post)) => {
                    end.sent.insert(packet, post);
                }
                _ => {}
            },
            EventKind::Emp(EmpEvent::Ack { packet, frames, .. }) => {
                let was_told = self.ends[peer].told.contains(&(packet, frames));
                self.ends[here].altered += usize::from(!was_told);
            }
            EventKind::Emp(EmpEvent::Complete {
                packet, payload, ..
            }) => end.complete.push((packet, payload.to_vec())),
            EventKind::Emp(EmpEvent::GiveUp { packet, .. }) => {
                let arrived = &self.ends[peer].complete;
                if arrived.iter().all(|(complete, _)| *complete != packet) {
                    self.ends[here].failed.insert(packet);
                }
            }
            _ => {}
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Two pairs of endpoints that send to each other, over a link that has a CRC or not. Returns the scenario, and whether
/// every message that arrives is intact.
fn scenario(seed: u64) -> (String, bool) {
    let mut generator = Generator::named(seed, &["emp", "altered"]);
    let g = &mut generator;
    let profile = Profile::builtin("tigon2-2002").expect("a built-in profile");
    let traffic = Traffic::of(&profile, 3_100);
    let mut chance = || match below(g, 3) {
        0 => 0.0,
        1 => below(g, 10) as f64 / 100.0,
        _ => below(g, 40) as f64 / 100.0,
    };
    let [loss, duplicate, corrupt, reorder] = [0; 4].map(|_| chance());
    let crc = below(g, 4) == 0;
    let mut text = format!(
        "profile = 'tigon2-2002'\nuntil = '18000000s'\nseed = {seed}\n\
         [[nic]]\nname = 'a'\nsram = '64MiB'\n[[nic]]\nname = 'b'\nsram = '64MiB'\n\
         [[link]]\nbetween = ['a', 'b']\nloss = {loss}\nduplicate = {duplicate}\nreorder = {reorder}\n\
         corrupt = {corrupt}\ncrc = {crc}\n"
    );
    for pair in 0..2 {
        let applet = ["", "applet = 'builtin:RawUnet'\n"][index(g, 2)];
        let longest = if applet.is_empty() { 3_100 } else { 1_500 };
        for (nic, side) in [("a", 0), ("b", 1)] {
            text += &format!(
                "[[endpoint]]\nnic = '{nic}'\nname = 'e{pair}{side}'\ninterface = 'emp'\nbuffer_area = 400000\n\
                 free_buffers = {{ count = 64, length = 3200 }}\n{applet}"
            );
        }
        text += &format!("[[channel]]\ne{pair}0 = 1\ne{pair}1 = 1\n");
        for side in 0..=index(g, 2) {
            let tags = 1 + below(g, 3);
            let count = 10 + index(g, 50);
            for (place, due) in traffic.draw(g, count).into_iter().enumerate() {
                let length = due.length.clamp(4, longest) as usize;
                let start = [pair as u8, side as u8, 0, place as u8];
                let rest = (4..length).map(|byte| (byte * 7 + place) as u8);
                let bytes: Vec<u8> = start.into_iter().chain(rest).collect();
                text += &format!(
                    "[[send]]\nendpoint = 'e{pair}{side}'\nchannel = 1\nat = '{}ns'\ntag = {}\npayload = {{ hex = '{}' }}\n",
                    due.at_ns,
                    below(g, tags),
                    hex(&bytes)
                );
            }
        }
    }
    (text, crc || corrupt == 0.0)
}

fn count(counts: &Value, name: &str) -> usize {
    usize::try_from(counts[name].as_u64().unwrap_or(0)).expect("a count")
}

/// What happened in all runs.
#[derive(Default)]
struct Total {
    arrived: usize,
    ok: usize,
    posted: usize,
    copies: usize,
    /// How many messages are `ok` although they did not arrive, apart from altered acknowledgements.
    unfounded: usize,
}

fn exchanged(seed: u64, total: &mut Total) {
    let (text, is_intact) = scenario(seed);
    let scenario = read(&text);
    let mut seen = Seen {
        ends: (0..4).map(|_| End::default()).collect(),
        summary: Summary::new(&scenario),
    };
    let end = Run::new(&scenario)
        .sink(&mut seen)
        .execute()
        .expect("it fits")
        .end;
    assert_eq!(end.reason, EndReason::Idle, "{seed}");
    seen.summary.end(end.time, end.reason);
    let trace = JsonTrace::new(Vec::new(), PayloadMode::Omitted, &scenario);
    let lines = trace.finish(&seen.summary).expect("memory takes it");
    let summary = values(&lines).pop().expect("a summary");
    let (mut sent_in_all, mut sent_by_link) = (0, 0);
    for (number, to) in seen.ends.iter().enumerate() {
        let what = format!("seed {seed}, to {number}");
        let from = &seen.ends[number ^ 1];
        let done = from.done.keys();
        assert!(done.eq(from.posted.keys()), "{what}: each is told");
        let mut copies: BTreeMap<PacketId, usize> = BTreeMap::new();
        for (packet, payload) in &to.complete {
            *copies.entry(*packet).or_default() += 1;
            let post = from.sent.get(packet).expect("what arrives was sent");
            assert!(!is_intact || from.posted[post] == *payload, "{what}");
        }
        let ok = from.done.values().filter(|status| **status == TxStatus::Ok);
        let ok = ok.count();
        if is_intact {
            assert!(copies.values().all(|&count| count == 1), "{what}");
            for (packet, post) in &from.sent {
                let arrived = copies.contains_key(packet);
                assert!(arrived || from.done[post] == TxStatus::Failed, "{what}");
            }
        }
        // Without a CRC, an altered acknowledgement may name another message, and so may an altered frame: its receiver
        // then takes the message of that name for one that it knows.
        let unfounded = ok.saturating_sub(to.complete.len() + from.altered);
        assert!(!is_intact || unfounded == 0, "{what}: {unfounded}");
        let by_link = to.complete.len() - copies.len();
        let lost = from.sent.keys().filter(|sent| !copies.contains_key(sent));
        let lost = lost.filter(|sent| !from.failed.contains(sent));
        let lost = lost.count();
        assert!(!is_intact || lost == 0, "{what}: {lost} are on their way");
        // A message that arrives late counts as a copy of the one that failed.
        let late = from.failed.iter().filter(|late| copies.contains_key(late));
        let late = late.count();
        let endpoint = format!("e{}{}", number / 2, number % 2);
        let mut rows = summary["endpoints"].as_array().expect("rows").iter();
        let row = rows.find(|row| row["endpoint"] == endpoint).expect("a row");
        let wire = &row["accounts"]["wire"];
        assert_eq!(count(wire, "received"), to.complete.len(), "{what}");
        assert_eq!(count(wire, "in-flight"), lost, "{what}");
        assert_eq!(count(wire, "failed"), from.failed.len(), "{what}");
        let arrivals = row["accounts"]["arrivals"].as_object().expect("counts");
        let arrivals = arrivals.values().filter_map(Value::as_u64).sum::<u64>();
        assert_eq!(arrivals as usize, to.complete.len(), "{what}");
        assert_eq!(count(&row["accounts"]["arrivals"], "waiting"), 0, "{what}");
        sent_in_all += from.sent.len() + by_link + late;
        sent_by_link += by_link;
        total.arrived += to.complete.len();
        total.ok += ok;
        total.unfounded += unfounded;
        total.posted += from.posted.len();
    }
    let totals = &summary["totals"];
    assert_eq!(count(totals, "packets_sent"), sent_in_all, "{seed}");
    let wire = totals["accounts"]["wire"].as_object().expect("counts");
    let parts = wire.values().filter_map(Value::as_u64).sum::<u64>();
    assert_eq!(parts as usize, sent_in_all, "{seed}");
    total.copies += sent_by_link;
}

#[test]
fn the_parts_add_up_and_ok_is_true_when_links_alter_frames() {
    let mut total = Total::default();
    let seeds = runs(24);
    for seed in 0..seeds {
        exchanged(seed, &mut total);
    }
    let Total {
        arrived,
        ok,
        posted,
        copies,
        unfounded,
    } = total;
    println!(
        "{seeds} seeds: of {posted} messages {arrived} arrived, {ok} ok ({unfounded} unfounded), {copies} more than were sent"
    );
    assert!(unfounded * 1_000 <= ok, "{unfounded} of {ok}");
    assert!(ok * 10 > posted * 5, "{ok} of {posted}");
}

/// A program that puts a forged frame on the wire when the run begins.
struct Forger(Frame);

impl HostProgram for Forger {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if let Happened::Started = what {
            let endpoint = actions.endpoints()[0];
            actions.send_frame(endpoint, ChannelId(1), self.0.encode().to_vec());
        }
    }
}

#[test]
fn messages_before_a_forged_number_fail_and_later_ones_arrive() {
    // The frame says that the messages before number 3 are over.
    let forged = Frame {
        kind: FrameKind::Header,
        pending: 0,
        source: 0,
        tag: 9,
        message: 3,
        frame: 0,
        length: 0,
    };
    let text = "profile = 'tigon2-2002'\nuntil = '10s'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
        [[endpoint]]\nnic = 'a'\nname = 'e00'\ninterface = 'emp'\n\
        [[endpoint]]\nnic = 'b'\nname = 'e01'\ninterface = 'emp'\n\
        [[channel]]\ne00 = 1\ne01 = 1\n\
        [[send]]\nendpoint = 'e00'\nchannel = 1\nat = '1ms'\npayload = { count = 10 }\nrepeat = 6\nevery = '100ms'\n";
    let scenario = read(text);
    let mut seen = Seen {
        ends: (0..2).map(|_| End::default()).collect(),
        summary: Summary::new(&scenario),
    };
    let programs = Programs::new().with("e00", Forger(forged));
    let end = Run::new(&scenario)
        .programs(programs)
        .sink(&mut seen)
        .execute()
        .expect("it fits")
        .end;
    assert_eq!(end.reason, EndReason::Idle);
    use TxStatus::{Failed, Ok};
    let done: Vec<_> = seen.ends[0].done.values().copied().collect();
    // The receiver has message 3 already, so it acknowledges the fourth message, and takes it for a copy.
    assert_eq!(done, [Failed, Failed, Failed, Ok, Ok, Ok]);
    let lengths = seen.ends[1]
        .complete
        .iter()
        .map(|(_, payload)| payload.len());
    assert_eq!(lengths.collect::<Vec<_>>(), [0, 10, 10]);
}
