//! EMP over time: messages with pauses between them, so that each record, slot and check is used again. Users stall for
//! longer than the time-outs.

use nic_core::event::{
    DropReason, EndReason, Event, EventKind, Names, NicEvent, Sink, TxStatus, UnetEvent,
};
use nic_core::id::{EndpointId, PostId};
use nic_core::random::Generator;
use nic_runtime::Run;
use nic_runtime::profile::Profile;

use crate::runs::runs;
use crate::scenario::read;
use crate::spaced::{Traffic, below, index};
use crate::trace::{read_on, run, simulate};

/// A sink that keeps what each user receives, and the statuses of what each user sends, in the order of posting.
#[derive(Default)]
struct Heard {
    received: Vec<Vec<Vec<u8>>>,
    posted: Vec<Vec<(PostId, Vec<u8>)>>,
    done: Vec<Vec<(PostId, TxStatus)>>,
    /// How many messages each user missed, because its queue or its buffers were full.
    missed: Vec<usize>,
}

impl Heard {
    fn of(endpoints: usize) -> Heard {
        Heard {
            received: vec![Vec::new(); endpoints],
            posted: vec![Vec::new(); endpoints],
            done: vec![Vec::new(); endpoints],
            missed: vec![0; endpoints],
        }
    }
}

impl Sink for Heard {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let Some(EndpointId(here)) = event.endpoint else {
            return;
        };
        let here = here as usize;
        match event.kind {
            EventKind::Unet(UnetEvent::RxDescriptor { length, body, .. }) => {
                let payload = body.payload(length).bytes().collect();
                self.received[here].push(payload);
            }
            EventKind::Unet(UnetEvent::TxPost { payload, post, .. }) => {
                self.posted[here].push((post, payload.to_vec()));
            }
            EventKind::Unet(UnetEvent::TxDone { post, status, .. }) => {
                self.done[here].push((post, status));
            }
            EventKind::Nic(NicEvent::Drop {
                reason: DropReason::NoFreeBuffer | DropReason::RxQueueFull,
                ..
            }) => self.missed[here] += 1,
            _ => {}
        }
    }
}

/// How the endpoints of a pair handle messages.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Kind {
    /// No applets: the NIC matches messages with posted receives.
    Plain,
    /// An applet that passes messages on at both ends.
    Passing,
    /// An applet that acknowledges and repeats messages itself at both ends.
    Reliable,
}

/// Two endpoints with a channel, of which the first sends messages to the second.
struct Pair {
    kind: Kind,
    is_clean: bool,
    /// Whether the receiving user reads messages soon after they arrive.
    is_quick: bool,
    messages: Vec<Vec<u8>>,
}

struct Exchange {
    text: String,
    pairs: Vec<Pair>,
}

const PLACEMENTS: [&str; 6] = ["base", "SO", "RO", "DSR", "SR", "dynamic"];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Exchange {
    /// Pairs of endpoints from NIC `a` to NIC `b`, over a link with faults, and to NIC `c`, over a link without any.
    fn new(seed: u64) -> Exchange {
        let mut generator = Generator::named(seed, &["emp", "spaced"]);
        let g = &mut generator;
        let profile = Profile::builtin("tigon2-2002").expect("a built-in profile");
        let traffic = Traffic::of(&profile, 3_100);
        let percent = |g: &mut Generator| below(g, 26) as f64 / 100.0;
        let faults = [0; 4].map(|_| percent(g));
        let [loss, duplicate, corrupt, reorder] = match below(g, 4) {
            0 => [0.0; 4],
            1 => [faults[0], 0.0, 0.0, 0.0],
            _ => faults,
        };
        let has_faults = [loss, duplicate, corrupt, reorder] != [0.0; 4];
        let mut text = format!("profile = 'tigon2-2002'\nuntil = '18000000s'\nseed = {seed}\n");
        for nic in ["a", "b", "c"] {
            let placement = PLACEMENTS[index(g, PLACEMENTS.len())];
            text += &format!(
                "[[nic]]\nname = '{nic}'\nprocessors = 2\nplacement = '{placement}'\nsram = '64MiB'\n"
            );
        }
        text += &format!(
            "[[link]]\nbetween = ['a', 'b']\nloss = {loss}\nduplicate = {duplicate}\ncorrupt = {corrupt}\nreorder = {reorder}\n\
             [[link]]\nbetween = ['a', 'c']\n"
        );
        let mut pairs = Vec::new();
        for number in 0..2 + index(g, 3) {
            let is_clean = number == 0 || (number > 1 && below(g, 3) == 0);
            let kind = match below(g, 6) {
                0..3 => Kind::Plain,
                3..5 => Kind::Passing,
                _ => Kind::Reliable,
            };
            let applet = match kind {
                Kind::Plain => "",
                Kind::Passing => "applet = 'builtin:RawUnet'\n",
                Kind::Reliable => "applet = 'builtin:Reliable'\n",
            };
            let poll = ["1us", "100us", "6ms", "20ms"][index(g, 4)];
            let is_quick = poll.ends_with("us");
            let tx_queue = [1, 4, 8, 64][index(g, 4)];
            let buffers = match kind {
                Kind::Plain => 2 + index(g, 8),
                Kind::Passing | Kind::Reliable => 64,
            };
            let (sender, receiver) = (format!("s{number}"), format!("r{number}"));
            let nic = if is_clean { "c" } else { "b" };
            let room =
                |extra: &str| format!("interface = 'emp'\nbuffer_area = 400000\n{applet}{extra}\n");
            text += &format!(
                "[[endpoint]]\nnic = 'a'\nname = '{sender}'\n{}\
                 [[endpoint]]\nnic = '{nic}'\nname = '{receiver}'\n{}\
                 [[channel]]\n{sender} = 1\n{receiver} = 1\n",
                room(&format!(
                    "tx_queue = {tx_queue}\nfree_buffers = {{ count = 2, length = 3200 }}"
                )),
                room(&format!(
                    "poll_every = '{poll}'\nfree_buffers = {{ count = {buffers}, length = 3200 }}"
                )),
            );
            let count = 20 + index(g, 100);
            let tags = 1 + below(g, 3);
            let mut messages = Vec::new();
            for (place, due) in traffic.draw(g, count).into_iter().enumerate() {
                let most = match kind {
                    Kind::Plain => 3_100,
                    // An applet's packet has at most 1,500 bytes. The checksum of 1,024 bytes takes this NIC 7 ms, and
                    // `Reliable` repeats messages after 2 ms.
                    Kind::Passing => 1_500,
                    Kind::Reliable => 60,
                };
                let tag = (below(g, tags)) as u8;
                let start = [number as u8, tag, (place >> 8) as u8, place as u8];
                let length = due.length.clamp(4, most) as usize;
                let rest = (4..length).map(|byte| (byte * 7 + place) as u8);
                let bytes: Vec<u8> = start.into_iter().chain(rest).collect();
                text += &format!(
                    "[[send]]\nendpoint = '{sender}'\nchannel = 1\nat = '{}ns'\ntag = {tag}\npayload = {{ hex = '{}' }}\n",
                    due.at_ns,
                    hex(&bytes)
                );
                messages.push(bytes);
            }
            pairs.push(Pair {
                kind,
                is_clean: is_clean || !has_faults,
                is_quick,
                messages,
            });
        }
        Exchange { text, pairs }
    }
}

/// Returns the number of a message of [`Exchange`], with its tag.
fn tag_and_number(bytes: &[u8]) -> (u8, u16) {
    (bytes[1], u16::from_be_bytes([bytes[2], bytes[3]]))
}

/// What happened to the messages of an exchange.
#[derive(Copy, Clone, Default)]
struct Counts {
    arrived: usize,
    failed: usize,
}

fn exchanged(seed: u64, total: &mut Counts) {
    let exchange = Exchange::new(seed);
    let mut heard = Heard::of(2 * exchange.pairs.len());
    let scenario = read(&exchange.text);
    let end = Run::new(&scenario)
        .sink(&mut heard)
        .execute()
        .expect("it fits")
        .end;
    crate::trace::check_moves(&end);
    assert_eq!(end.reason, EndReason::Idle, "{seed}");
    for (number, pair) in exchange.pairs.iter().enumerate() {
        let (from, to) = (2 * number, 2 * number + 1);
        let posted = &heard.posted[from];
        let received = &heard.received[to];
        assert_eq!(posted.len(), pair.messages.len(), "{seed} {number}: posted");
        assert_eq!(
            heard.done[from].len(),
            posted.len(),
            "{seed} {number}: told"
        );
        let (mut failed, mut missing) = (0, 0);
        for (post, bytes) in posted {
            let count = received.iter().filter(|other| *other == bytes).count();
            let mut statuses = heard.done[from].iter().filter(|(done, _)| done == post);
            let status = statuses.next().expect("told").1;
            assert!(statuses.next().is_none(), "{seed} {number}: told once");
            match status {
                TxStatus::Ok => {
                    assert!(count <= 1, "{seed} {number}");
                    missing += 1 - count;
                }
                TxStatus::Failed => {
                    assert!(count <= 1, "{seed} {number}");
                    failed += 1;
                }
                TxStatus::Refused | TxStatus::Trap => panic!("{seed} {number}: {status:?}"),
            }
        }
        // What the NIC has acknowledged arrives, unless an applet's message finds its user's queue full.
        match pair.kind {
            Kind::Plain | Kind::Passing => {
                assert_eq!(missing, heard.missed[to], "{seed} {number}");
            }
            // The applet tells its user of each message that may not have arrived.
            Kind::Reliable => assert!(missing <= heard.received[from].len(), "{seed} {number}"),
        }
        for bytes in received {
            assert!(pair.messages.contains(bytes), "{seed} {number}: altered");
        }
        for tag in 0..3 {
            let numbers = received.iter().map(|bytes| tag_and_number(bytes));
            let of_tag: Vec<_> = numbers.filter(|(of, _)| *of == tag).collect();
            assert!(of_tag.is_sorted(), "{seed} {number}: {of_tag:?}");
        }
        if pair.is_clean && pair.is_quick {
            assert_eq!(failed, 0, "{seed} {number}: a clean link and a quick user");
            // The applet `Reliable` refuses messages for which it has no place, and does not give up.
            let refused = heard.received[from].len();
            let missed = heard.missed[to];
            assert_eq!(
                received.len() + refused + missed,
                posted.len(),
                "{seed} {number}"
            );
        }
        total.failed += failed;
        total.arrived += received.len();
    }
}

#[test]
fn spaced_messages_arrive_once_and_in_order() {
    let mut total = Counts::default();
    let seeds = runs(6);
    for seed in 0..seeds {
        exchanged(seed, &mut total);
    }
    let Counts { arrived, failed } = total;
    println!("{seeds} seeds: {arrived} messages arrived once, {failed} failed");
    assert!(failed * 20 <= arrived, "{failed} of {arrived}");
}

/// Two NICs with an endpoint each.
fn two(sender: &str, receiver: &str, rest: &str) -> String {
    format!(
        "profile = 'tigon2-2002'\nuntil = '20s'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 's'\ninterface = 'emp'\n{sender}\n\
         [[endpoint]]\nnic = 'b'\nname = 'r'\ninterface = 'emp'\n{receiver}\n\
         [[channel]]\ns = 1\nr = 1\n{rest}"
    )
}

fn all_arrive(text: &str, count: usize) {
    let trace = run(text);
    assert_eq!(trace.end.reason, EndReason::Idle);
    let done = trace.at("s", "tx-done");
    assert!(done.iter().all(|done| done["status"] == "ok"), "{done:?}");
    assert_eq!(done.len(), count);
    assert_eq!(trace.at("r", "rx-descriptor").len(), count);
}

#[test]
fn a_check_does_not_count_for_the_next_message() {
    // The receive of the second message is posted after two time-outs. Its place and those of the others are used again
    // while checks are scheduled.
    let mut rest = String::new();
    for number in 0..11 {
        let at = if number == 1 { "12ms" } else { "0s" };
        rest += &format!(
            "[[receive]]\nendpoint = 'r'\ntag = {number}\nsource = 's'\nlength = 16\nat = '{at}'\n\
             [[send]]\nendpoint = 's'\nchannel = 1\ntag = {number}\nat = '{}us'\npayload = {{ count = 5 }}\n",
            10 + 400 * number
        );
    }
    all_arrive(&two("", "", &rest), 11);
}

#[test]
fn messages_beyond_the_outstanding_limit_survive_loss() {
    let send = "[[send]]\nendpoint = 's'\nchannel = 1\npayload = { zeros = 60 }\nrepeat = 200\n\
                [[link]]\nbetween = ['a', 'b']\nloss = 0.05\n";
    for applet in ["", "applet = 'builtin:RawUnetSingle'"] {
        all_arrive(&two(applet, "", send), 200);
    }
}

#[test]
fn messages_that_wait_for_their_turn_are_not_sent_before_it() {
    let send = "[[send]]\nendpoint = 's'\nchannel = 1\npayload = { zeros = 16384 }\nrepeat = 200\nevery = '1us'\n";
    let receiver = "free_buffers = { count = 64, length = 512 }\npoll_every = '1us'";
    let sender = "tx_queue = 64\nbuffer_area = 8000000";
    all_arrive(&two(sender, receiver, send), 200);
}

#[test]
fn a_server_that_runs_out_of_receives_gets_every_message_later() {
    let burst = |at: &str| {
        format!(
            "[[send]]\nendpoint = 's'\nchannel = 1\nat = '{at}'\npayload = {{ zeros = 64 }}\nrepeat = 40\nevery = '1us'\n"
        )
    };
    let receiver = "free_buffers = { count = 8, length = 512 }\npoll_every = '20ms'";
    let rest = burst("0s") + &burst("30ms");
    all_arrive(&two("", receiver, &rest), 80);
}

/// The profile `tigon2-2002` with few slots, and wires that drop packets or hold them back.
fn few_slots(flow: &str) -> String {
    let text = include_str!("../../profiles/tigon2-2002.toml");
    text.replace("send_slots = 64", "send_slots = 8")
        .replace("arrival_slots = 128", "arrival_slots = 8")
        .replace(
            "sram = { value = \"512KB\", from = \"paper S3-01\" }",
            "sram = \"4MiB\"",
        )
        .replace("flow = \"drop\"", flow)
}

#[test]
fn applet_on_a_lossy_link_leaves_slots_to_a_neighbour() {
    let end = |nic: &str, name: &str, applet: &str| {
        format!("[[endpoint]]\nnic = '{nic}'\nname = '{name}'\ninterface = 'emp'\n{applet}\n")
    };
    let flows = [
        "flow = 'drop'",
        "flow = 'hold'",
        "flow = 'stop'\nbuffer = '1MiB'",
    ];
    for flow in flows {
        for (applet, peer) in [("Burst25", ""), ("Burst25", "applet = 'builtin:RawUnet'")] {
            let text = format!(
                "until = '60s'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n[[nic]]\nname = 'c'\n{}{}{}{}\
                 [[channel]]\ns = 1\nr = 1\n[[channel]]\nx = 1\ny = 1\n\
                 [[link]]\nbetween = ['a', 'b']\nloss = 0.5\n\
                 [[send]]\nendpoint = 'x'\nchannel = 1\npayload = {{ zeros = 900 }}\nrepeat = 8\n\
                 [[send]]\nendpoint = 's'\nchannel = 1\nat = '100ms'\npayload = {{ count = 700 }}\nrepeat = 10\nevery = '5ms'\n",
                end("a", "s", ""),
                end("c", "r", ""),
                end("a", "x", &format!("applet = 'builtin:{applet}'")),
                end("b", "y", peer),
            );
            let trace = simulate(&read_on(&text, &few_slots(flow))).expect("it fits");
            assert_eq!(trace.end.reason, EndReason::Idle, "{flow}");
            let done = trace.at("s", "tx-done");
            assert_eq!(done.len(), 10);
            assert!(done.iter().all(|done| done["status"] == "ok"), "{flow}");
            // The neighbour is busy all the time, and the messages wait for its calls but for none of its time-outs.
            let last = done[9]["t_ns"].as_u64().expect("a time");
            assert!(trace.end.time.as_ns() > 150_000_000, "{flow}");
            assert!(
                last < 100_000_000 + 9 * 5_000_000 + 5_000_000,
                "{flow}: {last}"
            );
            assert_eq!(trace.at("r", "rx-descriptor").len(), 10, "{flow}");
        }
    }
}

#[test]
fn packets_that_wait_for_slots_leave_slots_to_frames() {
    let end = |nic: &str, name: &str, keys: &str| {
        format!("[[endpoint]]\nnic = '{nic}'\nname = '{name}'\n{keys}\n")
    };
    // Packets of U-Net wait at `a` for the slots of `c`, where frames come without asking for one.
    let text = format!(
        "until = '60s'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n[[nic]]\nname = 'c'\n{}{}{}{}\
         [[channel]]\ns = 1\nr = 1\n[[channel]]\nx = 1\ny = 1\n\
         [[send]]\nendpoint = 'x'\nchannel = 1\npayload = {{ zeros = 900 }}\nrepeat = 160\n\
         [[send]]\nendpoint = 's'\nchannel = 1\nat = '2ms'\npayload = {{ count = 5000 }}\nrepeat = 2\nevery = '10ms'\n",
        end("b", "s", "interface = 'emp'"),
        end(
            "c",
            "r",
            "interface = 'emp'\nfree_buffers = { count = 4, length = 6000 }"
        ),
        end("a", "x", "applet = 'builtin:Burst25'"),
        end("c", "y", "applet = 'builtin:RawUnet'"),
    );
    let mut messages = Messages::default();
    let scenario = read_on(&text, &few_slots("flow = 'hold'"));
    let end = Run::new(&scenario)
        .sink(&mut messages)
        .execute()
        .expect("it fits")
        .end;
    assert_eq!(end.reason, EndReason::Idle);
    assert_eq!((messages.done.len(), messages.received), (2, 2));
    let statuses = messages.done.iter().map(|(_, status)| *status);
    assert!(statuses.eq([TxStatus::Ok; 2]), "{:?}", messages.done);
    // The packets wait for longer than the sender of a message repeats it.
    let (last, _) = messages.done[1];
    let end = end.time.as_ns();
    assert!(end > last + 85_000_000, "{last} {end}");
}

/// The messages of 5,000 bytes: times and statuses of those sent, and the number of those received.
#[derive(Default)]
struct Messages {
    done: Vec<(u64, TxStatus)>,
    received: usize,
}

impl Sink for Messages {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        match event.kind {
            EventKind::Unet(UnetEvent::TxDone {
                length: 5000,
                status,
                ..
            }) => self.done.push((event.time.as_ns(), status)),
            EventKind::Unet(UnetEvent::RxDescriptor { length: 5000, .. }) => self.received += 1,
            _ => {}
        }
    }
}

/// Counts the messages that are refused.
#[derive(Default)]
struct Refused(usize);

impl Sink for Refused {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        if let EventKind::Unet(UnetEvent::TxDone { status, .. }) = event.kind {
            assert_eq!(status, TxStatus::Refused);
            self.0 += 1;
        }
    }
}

#[test]
fn refused_messages_are_posted_one_after_another() {
    const MESSAGES: usize = 50_000;
    // A message that completes while it is posted must not make its user post the next one inside.
    for (interface, queue) in [("emp", 1), ("emp", 64), ("unet", 64)] {
        let text = format!(
            "profile = 'tigon2-2002'\nuntil = '20s'\n[[nic]]\nname = 'a'\n\
             [[endpoint]]\nnic = 'a'\nname = 's'\ninterface = '{interface}'\ntx_queue = {queue}\n\
             [[send]]\nendpoint = 's'\nchannel = 99\npayload = {{ zeros = 8 }}\nrepeat = {MESSAGES}\n"
        );
        let mut refused = Refused::default();
        let end = Run::new(&read(&text))
            .sink(&mut refused)
            .execute()
            .expect("it fits")
            .end;
        assert_eq!(end.reason, EndReason::Idle, "{interface}");
        assert_eq!(refused.0, MESSAGES, "{interface}");
    }
}
