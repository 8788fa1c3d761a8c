//! EMP: every message arrives once and in order whatever a link does, and placements change only times.

use nic_runtime::Run;
use std::fs;
use std::path::Path;

use nic_core::emp::EmpEvent;
use nic_core::event::{EndReason, Event, EventKind, Names, Sink, TxStatus, UnetEvent};
use nic_core::id::EndpointId;
use nic_core::random::Generator;
use nic_core::time::SimTime;
use nic_runtime::profile::{Locks, Profile};
use nic_runtime::run::{self, SimError, SramShare};
use nic_runtime::scenario::{parse, parse_on};

use crate::runs::runs;
use crate::scenario::read;
use crate::spaced::Traffic;
use crate::trace::run;

const PLACEMENTS: [&str; 6] = ["base", "SO", "RO", "DSR", "SR", "dynamic"];

/// Messages of each direction.
const MESSAGES: usize = 12;

/// A scenario of two NICs with this placement, and an endpoint of EMP on each NIC.
fn pair(placement: &str, link: &str, (left, right): (&str, &str)) -> String {
    format!(
        "profile = 'tigon2-2002'\nuntil = '100s'\n\
         [[nic]]\nname = 'a'\nprocessors = 2\nplacement = '{placement}'\n\
         [[nic]]\nname = 'b'\nprocessors = 2\nplacement = '{placement}'\n\
         [[link]]\nbetween = ['a', 'b']\n{link}\n\
         [[endpoint]]\nnic = 'a'\nname = 'left'\ninterface = 'emp'\n{left}\n\
         [[endpoint]]\nnic = 'b'\nname = 'right'\ninterface = 'emp'\n{right}\n\
         [[channel]]\nleft = 1\nright = 1\n"
    )
}

/// A sink that keeps the messages that users receive, and the statuses of the messages that users send.
#[derive(Default)]
struct Heard {
    received: [Vec<Vec<u8>>; 2],
    sent: [Vec<(u32, TxStatus)>; 2],
    last: SimTime,
}

impl Sink for Heard {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let Some(EndpointId(here)) = event.endpoint else {
            return;
        };
        match event.kind {
            EventKind::Unet(UnetEvent::RxDescriptor { length, body, .. }) => {
                self.last = event.time;
                let payload = body.payload(length).bytes().collect();
                self.received[here as usize].push(payload);
            }
            EventKind::Unet(UnetEvent::TxDone { length, status, .. }) => {
                self.sent[here as usize].push((length, status));
            }
            _ => {}
        }
    }
}

/// Returns a random message of EMP. The message's length is unique among the messages of an endpoint, and its bytes
/// contain tag and number.
fn message(generator: &mut Generator, endpoint: usize, number: usize) -> (u8, Vec<u8>) {
    let tag = (generator.draw() % 3) as u8;
    // The message has 0 to 5 frames, and the lengths include those at the edge of a frame.
    let length = 4 + number + MESSAGES * (generator.draw() % 500) as usize;
    let start = [endpoint as u8, tag, number as u8, 0xee];
    let rest = (4..length).map(|place| (place * 7 + number + endpoint) as u8);
    (tag, start.into_iter().chain(rest).collect())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An exchange in which two endpoints send messages to each other over a faulty link.
struct Exchange {
    text: String,
    messages: [Vec<(u8, Vec<u8>)>; 2],
}

impl Exchange {
    fn new(seed: u64, placement: &str) -> Exchange {
        let mut generator = Generator::named(seed, &["emp"]);
        let mut faults = [(); 4].map(|()| (generator.draw() % 31) as f64 / 100.0);
        // Some links only lose packets, and some links have no fault at all.
        if seed.is_multiple_of(8) {
            faults = [faults[0], 0.0, 0.0, 0.0];
        }
        if seed.is_multiple_of(16) {
            faults = [0.0; 4];
        }
        let [loss, duplicate, corrupt, reorder] = faults;
        let link = format!(
            "loss = {loss}\nduplicate = {duplicate}\ncorrupt = {corrupt}\nreorder = {reorder}"
        );
        let room = "buffer_area = 200000\nfree_buffers = { count = 6, length = 6100 }\n";
        let mut text = pair(placement, &link, (room, room));
        let of = |endpoint| {
            let mut one = |number| message(&mut generator, endpoint, number);
            (0..MESSAGES).map(&mut one).collect::<Vec<_>>()
        };
        let messages = [0, 1].map(of);
        // A third of the exchanges are spaced. The others begin with all messages.
        let is_spaced = seed % 3 == 1;
        let profile = Profile::builtin("tigon2-2002").expect("a built-in profile");
        let traffic = Traffic::of(&profile, 6_100);
        for (endpoint, messages) in ["left", "right"].iter().zip(&messages) {
            let due = match is_spaced {
                true => traffic.draw(&mut generator, messages.len()),
                false => Vec::new(),
            };
            for (place, (tag, bytes)) in messages.iter().enumerate() {
                let at = due.get(place).map_or(0, |due| due.at_ns);
                text += &format!(
                    "[[send]]\nendpoint = '{endpoint}'\nchannel = 1\nat = '{at}ns'\ntag = {tag}\npayload = {{ hex = '{}' }}\n",
                    hex(bytes)
                );
            }
        }
        text = format!("seed = {seed}\n{text}").replace("until = '100s'", "until = '18000000s'");
        Exchange { text, messages }
    }

    fn run(&self) -> Heard {
        self.run_under(None)
    }

    /// Runs the exchange on NICs whose processors take semaphores.
    fn run_under(&self, locks: Option<Locks>) -> Heard {
        let mut heard = Heard::default();
        let scenario = match locks {
            None => read(&self.text),
            Some(locks) => {
                let profile = Profile::builtin("tigon2-2002-locks").expect("a built-in profile");
                let text = self.text.replace("profile = 'tigon2-2002'\n", "");
                parse_on(&text, &profile.with_locks(locks)).expect("a scenario")
            }
        };
        let end = Run::new(&scenario)
            .sink(&mut heard)
            .execute()
            .expect("it fits")
            .end;
        crate::trace::check_moves(&end);
        assert_eq!(end.reason, EndReason::Idle);
        heard
    }
}

/// Checks an exchange of messages under a placement. Returns the number of messages that failed, and the number that
/// arrived.
fn exchanged(seed: u64, placement: &str, locks: Option<Locks>) -> (usize, usize) {
    let (mut failed, mut arrived) = (0, 0);
    let exchange = Exchange::new(seed, placement);
    let heard = exchange.run_under(locks);
    for (from, messages) in exchange.messages.iter().enumerate() {
        let received = &heard.received[1 - from];
        let sent = &heard.sent[from];
        assert_eq!(
            sent.len(),
            MESSAGES,
            "{seed} {placement}: each is told once"
        );
        for (_, bytes) in messages {
            let count = received.iter().filter(|other| *other == bytes).count();
            let status = sent
                .iter()
                .find(|(length, _)| *length as usize == bytes.len());
            match status.expect("told").1 {
                TxStatus::Ok => assert_eq!(count, 1, "{seed} {placement}"),
                TxStatus::Failed => {
                    assert!(count <= 1, "{seed} {placement}");
                    failed += 1;
                }
                status => panic!("{seed} {placement}: {status:?}"),
            }
            arrived += count;
        }
        let known = |bytes: &&Vec<u8>| messages.iter().any(|(_, other)| other == *bytes);
        assert_eq!(
            received.iter().filter(known).count(),
            received.len(),
            "{seed}"
        );
        for tag in 0..3 {
            let of_tag = received.iter().filter(|bytes| bytes[1] == tag);
            let numbers: Vec<u8> = of_tag.map(|bytes| bytes[2]).collect();
            assert!(numbers.is_sorted(), "{seed} {placement}: {numbers:?}");
        }
    }
    (failed, arrived)
}

#[test]
fn every_message_arrives_once_and_in_order() {
    let (mut failed, mut arrived) = (0, 0);
    let seeds = runs(34);
    for seed in 0..seeds {
        for placement in PLACEMENTS {
            let (lost, came) = exchanged(seed, placement, None);
            failed += lost;
            arrived += came;
        }
    }
    println!("{seeds} seeds, six placements: {arrived} messages arrived once, {failed} failed");
    // A message fails if none of its 17 transmissions succeeds, which is rare.
    assert!(failed * 1_000 <= arrived, "{failed} of {arrived}");
}

/// Under each kind of lock, on links with faults too, messages arrive as ever and the run comes to rest.
#[test]
fn locks_change_times_and_no_payload() {
    let locks = [Locks::One, Locks::PerObject, Locks::Private];
    for placement in PLACEMENTS {
        for seed in [2, 8, 13, 16] {
            for locks in locks {
                exchanged(seed, placement, Some(locks));
            }
        }
        let last = |locks| Exchange::new(16, placement).run_under(Some(locks)).last;
        let [one, per_object, private] = locks.map(last);
        match placement {
            // One processor runs all stages, and shares nothing.
            "base" => assert_eq!(one, per_object),
            _ => assert!(private < one && one != per_object, "{placement}"),
        }
    }
}

#[test]
fn a_message_fails_after_its_retries_whatever_the_placement() {
    for placement in PLACEMENTS {
        // The link loses every packet, so each message is sent once and then 16 times again (`emp.retries`).
        let send =
            "[[send]]\nendpoint = 'left'\nchannel = 1\npayload = { zeros = 50 }\nrepeat = 3\n";
        let trace = run(&(pair(placement, "loss = 1.0", ("", "")) + send));
        let statuses = trace.at("left", "tx-done");
        let statuses: Vec<_> = statuses.iter().map(|done| &done["status"]).collect();
        assert_eq!(statuses, ["failed"; 3], "{placement}");
        let sent = trace.at("left", "wire-tx").len();
        assert_eq!(sent, 3 * 17, "{placement}");
        assert_eq!(trace.at("right", "rx-descriptor").len(), 0);
    }
}

#[test]
fn placements_change_times_and_no_payload() {
    for seed in [16, 32] {
        let heard = PLACEMENTS.map(|placement| Exchange::new(seed, placement).run());
        for other in &heard {
            for end in [0, 1] {
                let sorted = |heard: &Heard| {
                    let mut received = heard.received[end].clone();
                    received.sort();
                    received
                };
                assert_eq!(sorted(other), sorted(&heard[0]), "{seed}");
            }
        }
        let mut times: Vec<SimTime> = heard.iter().map(|heard| heard.last).collect();
        times.sort();
        times.dedup();
        assert_eq!(times.len(), PLACEMENTS.len(), "{seed}: {times:?}");
    }
}

#[test]
fn ten_bytes_take_what_the_paper_says() {
    // A message of ten bytes takes the stages of Tables 1 and 2, and a frame of 84 bytes on the wire. In placement
    // `base` the acknowledgement precedes the DMA transfer. In the placements `SO`, `RO` and `DSR` the acknowledgement
    // runs beside the transfer. While acknowledgement and transfer run beside each other, both take 1.4 times as long,
    // so 2.5 us of each take 3.5 us. After the acknowledgement, the DMA transfer takes another 0.25 us alone.
    let before = 5_250 + 5_500 + 672 + 6_250 - 2_860 + 4_250;
    let beside = 3_500 + 250;
    for (placement, expected) in [
        ("base", before + 2_500 + 2_750),
        ("SO", before + beside),
        ("RO", before + beside),
        ("DSR", before + beside),
        // In placement `SR` one processor does both the acknowledgement and the transfer.
        ("SR", before + 2_500 + 2_750),
    ] {
        let trace = run(&format!(
            "{}[[send]]\nendpoint = 'left'\nchannel = 1\npayload = {{ zeros = 10 }}\n",
            pair(placement, "", ("", ""))
        ));
        let delivered = trace.at("right", "rx-descriptor");
        assert_eq!(delivered[0]["t_ns"], expected, "{placement}");
    }
}

#[test]
fn a_message_without_a_receive_fails_and_its_user_learns_of_it() {
    let receive = "[[receive]]\nendpoint = 'right'\ntag = 7\nsource = 'left'\nlength = 100\n";
    let send = |tag| {
        format!(
            "[[send]]\nendpoint = 'left'\nchannel = 1\ntag = {tag}\npayload = {{ zeros = 50 }}\n"
        )
    };
    let trace = run(&(pair("base", "", ("", "")) + receive + &send(8) + &send(7) + &send(7)));
    let statuses: Vec<_> = trace.at("left", "tx-done");
    let statuses: Vec<_> = statuses
        .iter()
        .map(|event| event["status"].clone())
        .collect();
    // The tags of the first and the second message differ, so the second message need not wait for the first. The third
    // message finds no receive either, and fails like the second.
    assert_eq!(statuses, ["ok", "failed", "failed"]);
    assert_eq!(trace.at("right", "rx-descriptor").len(), 1);
    // Each frame is sent once and then 16 times again (`emp.retries`).
    let drops = trace.at("right", "drop");
    assert_eq!(drops.len(), 2 * 17);
    assert!(drops.iter().all(|drop| drop["reason"] == "no-descriptor"));
}

#[test]
fn nothing_is_written_behind_a_receive() {
    let room = "buffer_area = 16384\nfree_buffers = { count = 1, length = 100 }";
    for (length, receive) in [
        (1_486, 1_485),
        (3_000, 1_500),
        (3_000, 1),
        (10, 0),
        (5_000, 2_972),
    ] {
        let text = format!(
            "{}[[receive]]\nendpoint = 'right'\ntag = 'any'\nsource = 'any'\nlength = {receive}\n\
             [[receive]]\nendpoint = 'right'\ntag = 9\nsource = 'any'\nlength = 4096\n\
             [[send]]\nendpoint = 'left'\nchannel = 1\npayload = {{ hex = '{}' }}\n",
            pair("SR", "", (room, room)),
            "ff".repeat(length)
        );
        let trace = run(&text);
        let [truncated] = trace.at("right", "truncated")[..] else {
            panic!("one message is cut off");
        };
        assert_eq!(truncated["length"], length);
        assert_eq!(truncated["room"], receive);
        assert_eq!(trace.at("right", "rx-descriptor")[0]["length"], receive);
        let (_, states) = Run::new(&read(&text))
            .keep_states()
            .execute()
            .expect("it fits")
            .end_and_states();
        let area = &states[1].area;
        assert!(area[..receive].iter().all(|&byte| byte == 0xff));
        assert!(area[receive..].iter().all(|&byte| byte == 0), "{receive}");
    }
}

#[test]
fn frames_of_one_message_leave_before_those_of_the_next() {
    let room = "buffer_area = 200000\nfree_buffers = { count = 2, length = 20000 }";
    let trace = run(&format!(
        "{}[[send]]\nendpoint = 'left'\nchannel = 1\npayload = {{ zeros = 14860 }}\nrepeat = 2\n",
        pair("SO", "", (room, room))
    ));
    let frames: Vec<_> = trace
        .at("left", "wire-tx")
        .iter()
        .filter(|event| event["kind"] != "ack")
        .map(|event| (event["packet"].as_u64(), event["frame"].as_u64()))
        .collect();
    let of = |packet| (0..10).map(move |frame| (Some(packet), Some(frame)));
    assert_eq!(frames, of(1).chain(of(2)).collect::<Vec<_>>());
}

#[test]
fn flipped_headers_harm_nobody() {
    // Without a CRC the receiver accepts frames whose numbers a flipped bit has changed.
    let link = "corrupt = 0.9\ncrc = false";
    let room = "buffer_area = 65536\nfree_buffers = { count = 4, length = 64 }";
    for seed in 0..runs(100) {
        let text = format!(
            "seed = {seed}\n{}[[send]]\nendpoint = 'left'\nchannel = 1\ntag = 3\npayload = {{ zeros = 40 }}\nrepeat = 20\n",
            pair(PLACEMENTS[(seed % 6) as usize], link, (room, room))
        );
        let (end, states) = Run::new(&read(&text))
            .keep_states()
            .execute()
            .expect("it fits")
            .end_and_states();
        crate::trace::check_moves(&end);
        assert_eq!(end.reason, EndReason::Idle, "{seed}");
        // The receiver has four receives of 64 bytes, and no frame is written beyond them.
        assert!(
            states[1].area[4 * 64..].iter().all(|&byte| byte == 0),
            "{seed}"
        );
    }
}

#[test]
fn applets_deliver_over_emp_what_they_deliver_over_u_net() {
    for applet in ["RawUnet", "Counter", "Drop"] {
        let delivered = |interface: &str| {
            let with = format!("interface = '{interface}'\napplet = 'builtin:{applet}'\n");
            let mut text = pair("SR", "", ("", "")).replace("interface = 'emp'\n", &with);
            for length in [0, 5, 56, 57, 1_000, 1_500] {
                text += &format!(
                    "[[send]]\nendpoint = 'left'\nchannel = 1\nat = '{}ms'\npayload = {{ count = {length} }}\n",
                    length + 1
                );
            }
            let mut heard = Heard::default();
            let end = Run::new(&read(&text))
                .sink(&mut heard)
                .execute()
                .expect("it fits")
                .end;
            crate::trace::check_moves(&end);
            assert_eq!(end.reason, EndReason::Idle);
            heard.received
        };
        let over_unet = delivered("unet");
        assert_eq!(delivered("emp"), over_unet, "{applet}");
        if applet == "RawUnet" {
            assert_eq!(over_unet[1].len(), 6);
        }
    }
}

/// Returns the largest number of an endpoint's messages that were posted and not complete at the same time.
fn outstanding_max(trace: &crate::trace::Trace, endpoint: &str) -> usize {
    let (posts, done) = (trace.at(endpoint, "tx-post"), trace.at(endpoint, "tx-done"));
    assert_eq!(posts.len(), done.len());
    let time = |event: &serde_json::Value| event["t_ns"].as_u64().expect("events have times");
    let before = |post: &serde_json::Value| {
        // A program posts a message in the nanosecond in which another completes, so equal times count as completed.
        let ended = done.iter().filter(|done| time(done) <= time(post));
        ended.count()
    };
    let outstanding = posts.iter().enumerate();
    let outstanding = outstanding.map(|(number, post)| number + 1 - before(post));
    outstanding.max().unwrap_or(0)
}

#[test]
fn programs_exchange_messages_as_the_papers_do() {
    let room = "buffer_area = 200000\nfree_buffers = { count = 8, length = 15000 }\n";
    let of = |program: &str, length: u32| {
        format!("{room}host = '{program}'\nrounds = 6\nmessage_length = {length}\n")
    };
    let sends = |trace: &crate::trace::Trace, endpoint| trace.at(endpoint, "tx-post").len();
    let reads = |trace: &crate::trace::Trace, endpoint| trace.at(endpoint, "rx-descriptor").len();

    let echo = format!("{room}host = 'echo'\n");
    let trace = run(&pair("base", "", (&of("emp-ping", 10), &echo)));
    assert_eq!((sends(&trace, "left"), reads(&trace, "left")), (6, 6));
    let posts = trace.at("left", "tx-post");
    let times = posts.iter().map(|post| post["t_ns"].as_u64());
    let times: Vec<u64> = times.map(|time| time.expect("a time")).collect();
    // A round takes twice the time of one way (see `ten_bytes_take_what_the_paper_says`). Each host notices a message
    // up to a nanosecond late.
    let mut rounds = times.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(rounds.all(|round| (2 * 24_312..=2 * 24_312 + 2).contains(&round)));

    let trace = run(&pair("SO", "", (&of("emp-stream", 14_860), room)));
    assert_eq!((sends(&trace, "left"), reads(&trace, "right")), (6, 6));
    assert_eq!(outstanding_max(&trace, "left"), 2);

    let both = of("emp-both-ways", 14_860);
    let trace = run(&pair("SR", "", (&both, &both)));
    for endpoint in ["left", "right"] {
        assert_eq!((sends(&trace, endpoint), reads(&trace, endpoint)), (6, 6));
        assert_eq!(outstanding_max(&trace, endpoint), 2);
    }
    // A program posts no further message after it was told of a failed message.
    let deaf = "buffer_area = 65536\nfree_buffers = { count = 0, length = 1 }";
    let trace = run(&pair("SO", "", (&of("emp-stream", 10), deaf)));
    let statuses = trace.at("left", "tx-done");
    let statuses: Vec<_> = statuses.iter().map(|done| &done["status"]).collect();
    assert_eq!(statuses, ["failed", "failed"]);
}

#[test]
fn receives_and_records_take_memory_of_the_nic() {
    let held = |left: &str| {
        let holders = run::sram_holders(&read(&pair("base", "", (left, ""))));
        let holders = holders.expect("there are no classes").into_iter();
        let mut queues = holders.filter(|holder| matches!(holder.share, SramShare::Queues(_)));
        queues.next().expect("an endpoint").bytes
    };
    // The queues need 64 descriptors of 16 bytes, 8 receives of 16, and a channel of 16 with the records of 8 messages
    // each way.
    let records = 16 + 8 * (32 + 32);
    assert_eq!(held(""), 64 * 16 + 8 * 16 + records);
    let room = "free_buffers = { count = 100, length = 64 }";
    assert_eq!(held(room), 64 * 16 + 100 * 16 + records);
    // An endpoint with an applet has free buffers of 4 bytes, and no receives.
    let applet = "applet = 'builtin:RawUnet'";
    assert_eq!(held(applet), 64 * 16 + 8 * 4 + records);
    let room = "buffer_area = 4194304\nfree_buffers = { count = 40000, length = 64 }";
    let refused = Run::new(&read(&pair("base", "", (room, ""))))
        .execute()
        .unwrap_err();
    let SimError::SramTooSmall(demand) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(demand.shares.queues, 64 * 16 + 40_000 * 16 + records);
}

/// A sink that counts frames of EMP that are sent again.
#[derive(Default)]
struct Resent(u32);

impl Sink for Resent {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        if let EventKind::Emp(EmpEvent::Resend { .. }) = event.kind {
            self.0 += 1;
        }
    }
}

#[test]
fn reduce_is_exact_over_links_that_lose_frames() {
    let text = include_str!("../../../tests/scenarios/emp-reduce.toml");
    let mut resent = Resent::default();
    for seed in 0..runs(10) {
        let scenario = parse(text.as_bytes(), None, Some(seed)).expect("the scenario is right");
        let (_, judgement) = Run::new(&scenario)
            .sink(&mut resent)
            .judge()
            .execute()
            .expect("it fits")
            .judged();
        let judgement = judgement.expect("each user expects the sum");
        // The met expectations are eight sums, the number of sums, and that nothing traps.
        assert_eq!((judgement.met, judgement.unmet), (10, Vec::new()), "{seed}");
    }
    assert!(resent.0 > 0, "no frame was lost");
}

/// A sender repeats the frames of its own groups, and a receiver waits for as long as it would try itself. So ends that
/// differ in these keys lose messages on a link with faults.
#[test]
fn both_ends_of_a_channel_cut_and_repeat_messages_alike() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emp-payload");
    fs::create_dir_all(&directory).expect("it can be made");
    let own = include_str!("../../profiles/tigon2-2002.toml");
    let scenario = |interface: &str, other: &str| {
        fs::write(directory.join("other.toml"), other).expect("it can be written");
        let text = format!(
            "profile = 'tigon2-2002'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\nprofile = './other.toml'\n\
             [[link]]\nbetween = ['a', 'b']\nprofile = 'tigon2-2002'\n\
             [[endpoint]]\nnic = 'a'\nname = 'x'\ninterface = '{interface}'\n\
             [[endpoint]]\nnic = 'b'\nname = 'y'\ninterface = '{interface}'\n[[channel]]\nx = 1\ny = 1\n"
        );
        let parsed = parse(text.as_bytes(), Some(&directory), None);
        parsed.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(scenario("emp", own), Ok(()));
    let others = [
        (
            "value = \"1486B\"",
            "value = \"500B\"",
            "`emp.payload`, found 1486B and 500B",
        ),
        (
            "ack_every = { value = 4",
            "ack_every = { value = 8",
            "`emp.ack_every`, found 4 and 8",
        ),
        (
            "timeout = \"5ms\"",
            "timeout = \"6ms\"",
            "`emp.timeout`, found 5ms and 6ms",
        ),
        (
            "retries = 16",
            "retries = 15",
            "`emp.retries`, found 16 and 15",
        ),
    ];
    for (from, to, found) in others {
        assert_eq!(own.matches(from).count(), 1, "{from}");
        let other = own.replace(from, to);
        assert_eq!(scenario("unet", &other), Ok(()));
        let refused = scenario("emp", &other).expect_err("the ends differ");
        let says = format!("expected a channel between NICs with the same {found}");
        assert!(
            refused.starts_with(&says) && refused.lines().count() == 1,
            "{refused}"
        );
    }
}
