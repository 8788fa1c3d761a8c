//! EMP and forged frames: a peer that sends any frame harms neither memory outside its receives nor others' messages.

use nic_core::emp::{Frame, FrameKind};
use nic_core::event::TxStatus;
use nic_core::event::{DropReason, EndReason, Event, EventKind, Names, NicEvent, Sink, UnetEvent};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::SimDuration;
use nic_runtime::Run;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};

use crate::scenario::read;

const FORGER: EndpointId = EndpointId(0);
const HONEST: EndpointId = EndpointId(1);
const VICTIM: EndpointId = EndpointId(2);

/// Lengths in bytes of the victim's receives: two for the honest endpoint, and two for the forger.
const RECEIVES: [usize; 4] = [40, 40, 64, 3_000];

/// A program that puts forged frames on the wire when the run begins, a microsecond apart.
struct Forger(Vec<Vec<u8>>);

impl HostProgram for Forger {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if let Happened::Started = what {
            for bytes in self.0.drain(..) {
                let endpoint = actions.endpoints()[0];
                actions.compute(SimDuration::from_ns(1_000));
                actions.send_frame(endpoint, ChannelId(1), bytes);
            }
        }
    }
}

/// The drops of frames and the fates of messages that a sink has seen.
#[derive(Default)]
struct Seen {
    drops: Vec<(EndpointId, DropReason)>,
    /// Lengths of the messages that the victim received, each with the victim's channel.
    received: Vec<(ChannelId, u32)>,
    sent: Vec<(EndpointId, TxStatus)>,
}

impl Sink for Seen {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let Some(endpoint) = event.endpoint else {
            return;
        };
        match event.kind {
            EventKind::Nic(NicEvent::Drop { reason, .. }) => self.drops.push((endpoint, reason)),
            EventKind::Unet(UnetEvent::RxDescriptor {
                channel, length, ..
            }) if endpoint == VICTIM => self.received.push((channel, length)),
            EventKind::Unet(UnetEvent::TxDone { status, .. }) => self.sent.push((endpoint, status)),
            _ => {}
        }
    }
}

/// Runs a scenario in which forged frames arrive beside five honest messages of 40 bytes. Checks that the honest
/// messages arrive, and that no frame is written outside the receives.
fn forge(placement: &str, frames: Vec<Vec<u8>>) -> Seen {
    let endpoint = |nic: &str, name: &str, more: &str| {
        format!("[[endpoint]]\nnic = '{nic}'\nname = '{name}'\ninterface = 'emp'\n{more}\n")
    };
    let nic = |name: &str| {
        format!("[[nic]]\nname = '{name}'\nprocessors = 2\nplacement = '{placement}'\n")
    };
    let receive = |source: &str, tag: &str, length: usize| {
        format!(
            "[[receive]]\nendpoint = 'victim'\nsource = '{source}'\ntag = {tag}\nlength = {length}\nrepeat = 20\n"
        )
    };
    let [first, second, tagged, long] = RECEIVES;
    let text = [
        "profile = 'tigon2-2002'\nuntil = '100s'\n".to_owned(),
        nic("a"),
        nic("b"),
        endpoint("a", "forger", ""),
        endpoint(
            "a",
            "honest",
            "host = 'emp-stream'\nrounds = 5\nmessage_length = 40",
        ),
        endpoint("b", "victim", ""),
        "[[channel]]\nforger = 1\nvictim = 1\n[[channel]]\nhonest = 1\nvictim = 2\n".to_owned(),
        receive("honest", "'any'", first),
        receive("honest", "'any'", second),
        receive("forger", "7", tagged),
        receive("forger", "8", long),
    ];
    let programs = Programs::new().with("forger", Forger(frames));
    let mut seen = Seen::default();
    let (end, states) = Run::new(&read(&text.concat()))
        .programs(programs)
        .sink(&mut seen)
        .keep_states()
        .execute()
        .expect("it fits")
        .end_and_states();
    crate::trace::check_moves(&end);
    assert_eq!(end.reason, EndReason::Idle);
    let honest: Vec<u32> = of_channel(&seen, 2);
    assert_eq!(honest, [40; 5], "{placement}");
    let honest = seen.sent.iter().filter(|(from, _)| *from == HONEST);
    assert!(honest.clone().all(|(_, status)| *status == TxStatus::Ok));
    assert_eq!(honest.count(), 5);
    let area = &states[VICTIM.0 as usize].area;
    let end: usize = RECEIVES.iter().sum();
    assert!(area[end..].iter().all(|&byte| byte == 0), "{placement}");
    seen
}

fn of_channel(seen: &Seen, channel: i32) -> Vec<u32> {
    let own = seen.received.iter();
    let own = own.filter(|(on, _)| *on == ChannelId(channel));
    own.map(|(_, length)| *length).collect()
}

/// The only frame of a message of 64 bytes with tag 7.
const WHOLE: Frame = Frame {
    kind: FrameKind::Header,
    pending: 0,
    source: FORGER.0 as u16,
    tag: 7,
    message: 0,
    frame: 0,
    length: 64,
};

fn with_payload(frame: Frame, length: usize) -> Vec<u8> {
    [&frame.encode()[..], &vec![0xff; length]].concat()
}

fn bad_frames(seen: &Seen, at: EndpointId) -> usize {
    let bad = (at, DropReason::BadFrame);
    seen.drops.iter().filter(|drop| **drop == bad).count()
}

#[test]
fn a_frame_of_the_wrong_length_is_dropped() {
    let lengths = [0, 1, 63, 65, 1_486, 1_500];
    let frames = lengths.map(|length| with_payload(WHOLE, length));
    let seen = forge("base", frames.into());
    assert_eq!(bad_frames(&seen, VICTIM), lengths.len());
    assert_eq!(of_channel(&seen, 1), [0; 0]);
    // The receive for the forger's tag is still there for a valid frame.
    let seen = forge(
        "base",
        vec![with_payload(WHOLE, 1), with_payload(WHOLE, 64)],
    );
    assert_eq!(
        (bad_frames(&seen, VICTIM), of_channel(&seen, 1)),
        (1, vec![64])
    );
}

#[test]
fn a_frame_number_beyond_the_message_is_dropped() {
    let message = Frame {
        kind: FrameKind::Data,
        tag: 8,
        length: 3_000,
        ..WHOLE
    };
    // A message of 3,000 bytes has three frames. The first frame must be a header frame, and the later frames must be
    // data frames.
    let numbers = [3, 4, u16::MAX];
    let beyond = numbers.map(|frame| with_payload(Frame { frame, ..message }, 28));
    let zero = with_payload(message, 1_486);
    let header = with_payload(
        Frame {
            kind: FrameKind::Header,
            frame: 1,
            ..message
        },
        1_486,
    );
    let seen = forge("RO", beyond.into_iter().chain([zero, header]).collect());
    assert_eq!(bad_frames(&seen, VICTIM), 5);
    assert_eq!(of_channel(&seen, 1), [0; 0]);
    // The frames belong to a message that changes its length or its tag between its frames.
    let first = Frame {
        kind: FrameKind::Header,
        ..message
    };
    let second = Frame {
        frame: 1,
        ..message
    };
    let longer = Frame {
        length: 4_000,
        ..second
    };
    let other = Frame { tag: 7, ..second };
    let frames = [first, longer, other].map(|frame| with_payload(frame, 1_486));
    let seen = forge("SR", frames.into());
    assert_eq!(bad_frames(&seen, VICTIM), 2);
}

#[test]
fn acknowledgements_of_what_was_not_sent_are_dropped() {
    // The forger receives a message for which it has posted no receive, so the message must fail.
    let ack = |kind, message, frame, length| {
        Frame {
            kind,
            message,
            frame,
            length,
            source: 0,
            tag: 0,
            pending: 0,
        }
        .encode()
        .to_vec()
    };
    let frames = vec![
        ack(FrameKind::Ack, 0, 2, 10),
        ack(FrameKind::Ack, 0, u16::MAX, 10),
        ack(FrameKind::Nack, 0, 2, 10),
        // The last two acknowledgements name another message, and a message with another length.
        ack(FrameKind::Ack, 1, 1, 10),
        ack(FrameKind::Ack, 0, 1, 11),
    ];
    let text = "profile = 'tigon2-2002'\nuntil = '100s'\n\
        [[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
        [[endpoint]]\nnic = 'a'\nname = 'forger'\ninterface = 'emp'\nfree_buffers = { count = 0, length = 1 }\n\
        [[endpoint]]\nnic = 'b'\nname = 'sender'\ninterface = 'emp'\n\
        [[channel]]\nforger = 1\nsender = 1\n\
        [[send]]\nendpoint = 'sender'\nchannel = 1\npayload = { zeros = 10 }\n";
    let programs = Programs::new().with("forger", Forger(frames));
    let mut seen = Seen::default();
    let end = Run::new(&read(text))
        .programs(programs)
        .sink(&mut seen)
        .execute()
        .expect("it fits")
        .end;
    crate::trace::check_moves(&end);
    assert_eq!(end.reason, EndReason::Idle);
    assert_eq!(seen.sent, [(EndpointId(1), TxStatus::Failed)]);
    // The acknowledgement of message 1 refers to no outstanding message, so it is ignored.
    assert_eq!(bad_frames(&seen, EndpointId(1)), 4);
}

#[test]
fn a_frame_in_the_name_of_another_process_is_dropped() {
    let sources = [HONEST.0 as u16, VICTIM.0 as u16, 3, u16::MAX];
    let frames = sources.map(|source| with_payload(Frame { source, ..WHOLE }, 64));
    let seen = forge("DSR", frames.into());
    assert_eq!(bad_frames(&seen, VICTIM), sources.len());
    // Tag 9 belongs to a receive for another source, so the forger cannot use this receive.
    let frame = Frame { tag: 9, ..WHOLE };
    let seen = forge("SO", vec![with_payload(frame, 64)]);
    assert_eq!(seen.drops, [(VICTIM, DropReason::NoDescriptor)]);
    assert_eq!(of_channel(&seen, 1), [0; 0]);
}

#[test]
fn every_field_at_its_limits_harms_nobody() {
    let mut frames = Vec::new();
    for kind in [
        FrameKind::Header,
        FrameKind::Data,
        FrameKind::Ack,
        FrameKind::Nack,
    ] {
        for ones in 0..1u32 << 6 {
            let field = |bit: u32, zero: u16| if ones >> bit & 1 == 1 { u16::MAX } else { zero };
            let frame = Frame {
                kind,
                pending: field(0, 0).to_be_bytes()[0],
                source: field(1, FORGER.0 as u16),
                tag: field(2, 7),
                message: field(3, 0),
                frame: field(4, 0),
                length: u32::from(field(5, 0)) * 0x1_0001,
            };
            frames.extend([0, 64].map(|length| with_payload(frame, length)));
        }
    }
    // The last four frames contain no valid header.
    frames.extend([Vec::new(), vec![0; 13], vec![4; 14], vec![0xff; 100]]);
    for placement in ["base", "SR", "dynamic"] {
        let seen = forge(placement, frames.clone());
        // A message without bytes and with tag 7 is valid whenever its number is new.
        assert!(of_channel(&seen, 1).iter().all(|&length| length == 0));
        // Many of the other forged frames find no slot, because they arrive faster than the NIC handles them.
        assert!(bad_frames(&seen, VICTIM) > 100, "{placement}");
    }
}
