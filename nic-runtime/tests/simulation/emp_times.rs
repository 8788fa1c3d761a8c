//! EMP's times, to the nanosecond: the time-out, the end of a message without acknowledgements, and of one whose frames
//! cease to come.

use nic_core::emp::{EmpEvent, Frame, FrameKind, ResendReason};
use nic_core::event::{
    EndReason, Event, EventKind, Names, NicEvent, Sink, TxStatus, UnetEvent, WireDropReason,
};
use nic_core::id::ChannelId;
use nic_core::time::SimDuration;
use nic_runtime::Run;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};

use crate::scenario::read;
use crate::trace::read_on;

const TIMEOUT_NS: u64 = 5_000_000;
const RETRIES: u64 = 16;

/// A program that puts forged frames on the wire, each after a time of computing.
struct Forger(Vec<(u64, Vec<u8>)>);

impl HostProgram for Forger {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if let Happened::Started = what {
            for (after_ns, bytes) in self.0.drain(..) {
                let endpoint = actions.endpoints()[0];
                actions.compute(SimDuration::from_ns(after_ns));
                actions.send_frame(endpoint, ChannelId(1), bytes);
            }
        }
    }
}

/// The times of events in nanoseconds.
#[derive(Default)]
struct Times {
    sent: Vec<u64>,
    /// When frames arrived, or found no slot.
    came: Vec<u64>,
    overruns: usize,
    matched: Vec<u64>,
    complete: Vec<u64>,
    resent: Vec<u64>,
    done: Vec<(u64, TxStatus)>,
}

impl Sink for Times {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let now = event.time.as_ns();
        match event.kind {
            EventKind::Nic(NicEvent::WireTx { .. }) => self.sent.push(now),
            EventKind::Nic(NicEvent::WireRx { .. }) => self.came.push(now),
            EventKind::Nic(NicEvent::WireDrop {
                reason: WireDropReason::Overrun,
                ..
            }) => {
                self.came.push(now);
                self.overruns += 1;
            }
            EventKind::Emp(EmpEvent::Match { .. }) => self.matched.push(now),
            EventKind::Emp(EmpEvent::Complete { .. }) => self.complete.push(now),
            EventKind::Emp(EmpEvent::Resend { reason, .. }) => {
                assert_eq!(reason, ResendReason::Silence);
                self.resent.push(now);
            }
            EventKind::Unet(UnetEvent::TxDone { status, .. }) => self.done.push((now, status)),
            _ => {}
        }
    }
}

#[test]
fn unacknowledged_message_is_resent_then_fails() {
    // The receiver has no receive, so it answers no frame.
    let text = "profile = 'tigon2-2002'\nuntil = '10s'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
        [[endpoint]]\nnic = 'a'\nname = 's'\ninterface = 'emp'\n\
        [[endpoint]]\nnic = 'b'\nname = 'r'\ninterface = 'emp'\nfree_buffers = { count = 0, length = 1 }\n\
        [[channel]]\ns = 1\nr = 1\n\
        [[send]]\nendpoint = 's'\nchannel = 1\npayload = { zeros = 100 }\nat = '3us'\n";
    let mut times = Times::default();
    let end = Run::new(&read(text))
        .sink(&mut times)
        .execute()
        .expect("it fits")
        .end;
    assert_eq!(end.reason, EndReason::Idle);
    let sent = &times.sent;
    assert_eq!(sent.len() as u64, 1 + RETRIES);
    let due: Vec<u64> = sent.iter().map(|sent| sent + TIMEOUT_NS).collect();
    let (last, again) = due.split_last().expect("a time-out");
    assert_eq!(times.resent, again);
    assert_eq!(times.done, [(*last, TxStatus::Failed)]);
    // A frame that is sent again leaves when the NIC has cut it and moved its bytes, 10.75 us later.
    for (resent, sent) in times.resent.iter().zip(&sent[1..]) {
        assert_eq!(sent - resent, 5_250 + 5_500);
    }
}

/// The first frame of a message of two frames, and the second.
fn half(message: u16, frame: u16) -> Vec<u8> {
    let kind = match frame {
        0 => FrameKind::Header,
        _ => FrameKind::Data,
    };
    frame_of(
        kind,
        (message, frame),
        (1_500, if frame == 0 { 1_486 } else { 14 }),
    )
}

fn frame_of(kind: FrameKind, (message, frame): (u16, u16), (length, own): (u32, usize)) -> Vec<u8> {
    let header = Frame {
        kind,
        pending: message as u8,
        source: 0,
        tag: 0,
        message,
        frame,
        length,
    };
    [&header.encode()[..], &vec![7; own]].concat()
}

/// Runs forged frames to a receiver whose NIC has a single arrival slot. Returns the times of events, and the time at
/// which the run ends.
fn forge(receiver: &str, frames: Vec<(u64, Vec<u8>)>) -> (Times, u64) {
    let profile = include_str!("../../profiles/tigon2-2002.toml");
    let profile = profile.replace("arrival_slots = 128", "arrival_slots = 1");
    let text = format!(
        "until = '10s'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 's'\ninterface = 'emp'\n\
         [[endpoint]]\nnic = 'b'\nname = 'r'\ninterface = 'emp'\n{receiver}\n\
         [[channel]]\ns = 1\nr = 1\n"
    );
    let mut times = Times::default();
    let programs = Programs::new().with("s", Forger(frames));
    let end = Run::new(&read_on(&text, &profile))
        .programs(programs)
        .sink(&mut times)
        .execute()
        .expect("it fits")
        .end;
    assert_eq!(end.reason, EndReason::Idle);
    (times, end.time.as_ns())
}

const PATIENCE_NS: u64 = TIMEOUT_NS * (RETRIES + 1);

#[test]
fn half_received_message_is_given_up_after_all_time_outs() {
    for receiver in ["", "applet = 'builtin:RawUnetSingle'"] {
        let (alone, end) = forge(receiver, vec![(1_000, half(0, 0))]);
        // The bookkeeping of the first frame ends with the match.
        let heard = alone.came[0] + 6_250;
        if receiver.is_empty() {
            assert_eq!(alone.matched, [heard]);
        }
        assert_eq!(end, heard + PATIENCE_NS, "{receiver}");
        // The second frame arrives a nanosecond before the end, or with it.
        let second = |gap| forge(receiver, vec![(1_000, half(0, 0)), (gap, half(0, 1))]).0;
        let gap = 1_000_000;
        let distance = second(gap).came[1] - gap;
        for (early, is_complete) in [(1, true), (0, false)] {
            let times = second(heard + PATIENCE_NS - early - distance);
            assert_eq!(times.came[1], heard + PATIENCE_NS - early, "{receiver}");
            assert_eq!(times.complete.len(), usize::from(is_complete), "{receiver}");
        }
    }
}

/// The only frame of a message of 50 bytes.
fn whole(message: u16) -> Vec<u8> {
    frame_of(FrameKind::Header, (message, 0), (50, 50))
}

#[test]
fn giving_up_a_message_delivers_those_behind_it() {
    let applet = "applet = 'builtin:RawUnetSingle'";
    for receiver in ["", applet] {
        let frames = vec![(1_000, half(0, 0)), (100_000, whole(1))];
        let (times, _) = forge(receiver, frames);
        let end = times.came[0] + 6_250 + PATIENCE_NS;
        assert_eq!(times.complete, [end], "{receiver}");
    }
}

#[test]
fn giving_up_a_message_frees_its_slot_and_receive() {
    let receive = "free_buffers = { count = 1, length = 2000 }";
    let applet = "applet = 'builtin:RawUnetSingle'";
    // The NIC has a slot for everyone, and one for the applet.
    for (receiver, unfinished) in [(receive, 1), (applet, 2)] {
        let next = |gap| {
            let first = (0..unfinished).map(|message| (1_000, half(message, 0)));
            let frames = first.chain([(gap, whole(unfinished))]);
            forge(receiver, frames.collect()).0
        };
        let last = usize::from(unfinished);
        let gap = 1_000_000;
        let early = next(gap);
        assert_eq!(early.complete.len(), 0, "{receiver}");
        assert_eq!(early.overruns, last - 1, "{receiver}");
        let distance = early.came[last] - gap;
        let end = early.came[0] + 6_250 + PATIENCE_NS;
        // A message for an applet needs the slot when it arrives, and one for a user its receive after the bookkeeping.
        let decided = if receiver == applet { end } else { end - 6_250 };
        for (early, is_complete) in [(1, false), (0, true)] {
            let times = next(decided - distance - early);
            let complete = usize::from(is_complete);
            assert_eq!(times.complete.len(), complete, "{receiver} {early}");
        }
    }
}

#[test]
fn only_silences_in_a_row_make_a_message_fail() {
    const RETRIES: usize = 1;
    let profile = include_str!("../../profiles/tigon2-2002.toml");
    let profile = profile.replace("retries = 16", &format!("retries = {RETRIES}"));
    assert_ne!(profile, include_str!("../../profiles/tigon2-2002.toml"));
    let (mut often, mut failed) = (0, 0);
    for seed in 1..=30 {
        // 21 frames, which are acknowledged in groups of four.
        let text = format!(
            "until = '10s'\nseed = {seed}\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
             [[link]]\nbetween = ['a', 'b']\nloss = 0.25\n\
             [[endpoint]]\nnic = 'a'\nname = 's'\ninterface = 'emp'\n\
             [[endpoint]]\nnic = 'b'\nname = 'r'\ninterface = 'emp'\nfree_buffers = {{ count = 1, length = 30000 }}\n\
             [[channel]]\ns = 1\nr = 1\n\
             [[send]]\nendpoint = 's'\nchannel = 1\npayload = {{ zeros = 30000 }}\n"
        );
        let mut times = InARow::default();
        let end = Run::new(&read_on(&text, &profile))
            .sink(&mut times)
            .execute()
            .expect("it fits")
            .end;
        assert_eq!(end.reason, EndReason::Idle, "seed {seed}");
        match times.status {
            // The last silence is the one after which nothing is sent again.
            Some(TxStatus::Failed) => {
                assert_eq!(times.in_a_row, RETRIES, "seed {seed}");
                failed += 1;
            }
            Some(TxStatus::Ok) => often += usize::from(times.in_all > RETRIES),
            other => panic!("seed {seed}: {other:?}"),
        }
        assert!(times.most <= RETRIES, "seed {seed}");
    }
    assert!(often > 3 && failed > 0, "{often} {failed}");
}

/// The silences of a message, and its end.
#[derive(Default)]
struct InARow {
    in_all: usize,
    in_a_row: usize,
    most: usize,
    /// The first frame that was sent again last.
    from: Option<u16>,
    status: Option<TxStatus>,
}

impl Sink for InARow {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        match event.kind {
            EventKind::Emp(EmpEvent::Resend {
                frame,
                reason: ResendReason::Silence,
                ..
            }) => {
                // A silence is behind another if nothing was acknowledged in between.
                self.in_a_row = match self.from.replace(frame) {
                    Some(before) if before == frame => self.in_a_row + 1,
                    Some(_) | None => 1,
                };
                self.most = self.most.max(self.in_a_row);
                self.in_all += 1;
            }
            EventKind::Unet(UnetEvent::TxDone { status, .. }) => self.status = Some(status),
            _ => {}
        }
    }
}
