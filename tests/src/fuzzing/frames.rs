//! The fuzz target of frames: a hostile sender of EMP beside an honest one.

use nic_runtime::Run;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use nic_core::emp::{Cut, Frame, FrameKind, HEADER_BYTES};
use nic_core::event::fields::PayloadMode;
use nic_core::event::line::Line;
use nic_core::event::{EndReason, Event, EventKind, Names, Sink, UnetEvent};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::SimDuration;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use nic_runtime::scenario::parse;
use nic_runtime::spec::Scenario;

/// Bytes of a frame in the input: how it is completed, the pause before it, and its header.
const FRAME_BYTES: usize = 2 + HEADER_BYTES;

/// Maximum number of frames of an input, because more frames would only repeat the same effects.
const FRAMES_MAX: usize = 48;

const PLACEMENTS: [&str; 6] = ["base", "SO", "RO", "DSR", "SR", "dynamic"];

const FORGER: u16 = 0;
const VICTIM: EndpointId = EndpointId(2);

/// Number of messages of the honest sender, and their length, which is three frames.
const HONEST: (usize, usize) = (4, 3_000);

/// Bytes of the victim's receives, of which those for the forger follow those for the honest sender.
const RECEIVES_END: usize = 3_000 + 3_000 + 104 + 2_000;

const SCENARIO: &str = r#"
    profile = "tigon2-2002"
    until = "2s"
    [[nic]]
    name = "a"
    processors = 2
    placement = "PLACEMENT"
    [[nic]]
    name = "b"
    processors = 2
    placement = "PLACEMENT"
    [[endpoint]]
    nic = "a"
    name = "forger"
    interface = "emp"
    [[endpoint]]
    nic = "a"
    name = "honest"
    interface = "emp"
    host = "emp-stream"
    rounds = 4
    message_length = 3000
    [[endpoint]]
    nic = "b"
    name = "victim"
    interface = "emp"
    host = "HOST"
    [[channel]]
    forger = 1
    victim = 1
    [[channel]]
    honest = 1
    victim = 2
    [[receive]]
    endpoint = "victim"
    tag = "any"
    source = "honest"
    length = 3000
    repeat = 10
    [[receive]]
    endpoint = "victim"
    tag = "any"
    source = "honest"
    length = 3000
    repeat = 10
    [[receive]]
    endpoint = "victim"
    tag = 7
    source = "forger"
    length = 100
    repeat = 5
    [[receive]]
    endpoint = "victim"
    tag = "any"
    source = "forger"
    length = 2000
    repeat = 5
"#;

static SCENARIOS: LazyLock<Vec<Scenario>> = LazyLock::new(|| {
    let placements = PLACEMENTS.iter();
    let texts = placements.flat_map(|placement| {
        let text = SCENARIO.replace("PLACEMENT", placement);
        // With `echo` the victim sends messages too, which the forger may acknowledge.
        ["sink", "echo"].map(|host| text.replace("HOST", host))
    });
    texts
        .map(|text| parse(text.as_bytes(), None, None).expect("the scenario is right"))
        .collect()
});

/// The input chooses a scenario and lists frames. The run must end, and must be the same without a listener. Each
/// honest message must arrive once, in order and unchanged. No frame may write outside the receives.
pub fn frames(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let scenario = &SCENARIOS[usize::from(first) % SCENARIOS.len()];
    let forged = forged(rest);
    let programs = || Programs::new().with("forger", Forger(forged.clone()));
    let mut seen = Seen::default();
    let heard = Run::new(scenario)
        .programs(programs())
        .sink(&mut seen)
        .keep_states()
        .execute()
        .expect("it fits")
        .end_and_states();
    let unheard = Run::new(scenario)
        .programs(programs())
        .keep_states()
        .execute()
        .expect("it fits")
        .end_and_states();
    assert!(heard == unheard, "a listener changes the run");
    let (end, states) = heard;
    assert_eq!(end.reason, EndReason::Idle);
    let message: Vec<u8> = (0..HONEST.1).map(|place| place as u8).collect();
    assert!(
        seen.honest == vec![message; HONEST.0],
        "honest messages arrive"
    );
    let area = &states[VICTIM.0 as usize].area;
    let behind = match seen.has_echoed {
        // The victim's answers are stored in the transmit region, which follows the receives.
        true => &[],
        false => &area[RECEIVES_END..],
    };
    assert!(behind.iter().all(|&byte| byte == 0));
    // The fourth receive begins at a multiple of eight, four bytes after the end of the third.
    let gap = 2 * 3_000 + 100;
    assert_eq!(area[gap..gap + 4], [0; 4]);
}

/// Reads the frames of an input, each with the pause before it. Each of three bits of a frame replaces its payload,
/// source or kind by a valid one, which a fuzzer rarely finds.
fn forged(bytes: &[u8]) -> Vec<(SimDuration, Vec<u8>)> {
    let cut = Cut::new(const { NonZeroU32::new(1_486).expect("not 0") });
    let frames = bytes.chunks_exact(FRAME_BYTES).take(FRAMES_MAX);
    frames
        .map(|bytes| {
            let (control, pause) = (bytes[0], bytes[1]);
            let mut header = bytes[2..].to_vec();
            let mut length = usize::from(control >> 3) * 50;
            if let Ok((mut frame, _)) = Frame::decode(&header) {
                if control & 2 != 0 {
                    frame.source = FORGER;
                }
                if control & 4 != 0 && frame.kind.carries_message() {
                    frame.kind = match frame.frame == 0 {
                        true => FrameKind::Header,
                        false => FrameKind::Data,
                    };
                }
                if control & 1 != 0 {
                    let place = cut.bytes(frame.frame, frame.length);
                    length = place.map_or(0, |place| place.len());
                }
                header = frame.encode().to_vec();
            }
            header.resize(header.len() + length, 0xff);
            (SimDuration::from_ns(500 * u64::from(pause)), header)
        })
        .collect()
}

struct Forger(Vec<(SimDuration, Vec<u8>)>);

impl HostProgram for Forger {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if let Happened::Started = what {
            for (pause, bytes) in self.0.drain(..) {
                let endpoint = actions.endpoints()[0];
                actions.compute(pause);
                actions.send_frame(endpoint, ChannelId(1), bytes);
            }
        }
    }
}

/// A sink with the honest messages that the victim received. The sink formats every event, so that a panic in
/// formatting is a finding.
#[derive(Default)]
struct Seen {
    honest: Vec<Vec<u8>>,
    has_echoed: bool,
}

impl Sink for Seen {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let line = Line::new(names, event, PayloadMode::Shown).to_string();
        assert!(!line.contains('\n'));
        if event.endpoint != Some(VICTIM) {
            return;
        }
        match event.kind {
            EventKind::Unet(UnetEvent::RxDescriptor {
                channel: ChannelId(2),
                length,
                body,
                ..
            }) => self.honest.push(body.payload(length).bytes().collect()),
            EventKind::Unet(UnetEvent::TxPost { .. }) => self.has_echoed = true,
            _ => {}
        }
    }
}

/// Returns the seeds by name: a message in order, in the wrong order and repeated, and frames of all kinds with fields at
/// their limits.
#[must_use]
pub fn frames_seeds() -> Vec<(String, Vec<u8>)> {
    let frame = |kind, (tag, message, frame), length| Frame {
        kind,
        pending: 0,
        source: FORGER,
        tag,
        message,
        frame,
        length,
    };
    let data = |number, place| frame(FrameKind::Data, (8, number, place), 2_000);
    let whole = |number| [data(number, 0), data(number, 1)];
    let reversed = |number| [data(number, 1), data(number, 0)];
    let answer = |kind, number, place| frame(kind, (0, number, place), 2_000);
    let kinds = [FrameKind::Ack, FrameKind::Nack];
    let answers = kinds.map(|kind| [0, 1, 2, u16::MAX].map(|place| answer(kind, 0, place)));
    let limits = [0, u16::MAX].map(|number| {
        let length = u32::from(number) * 0x1_0001;
        kinds
            .into_iter()
            .chain([FrameKind::Header, FrameKind::Data])
            .map(move |kind| frame(kind, (number, number, number), length))
            .collect::<Vec<_>>()
    });
    let lists: [(&str, Vec<Frame>); 6] = [
        ("in-order", [whole(0), whole(1), whole(2)].concat()),
        ("reversed", [reversed(0), reversed(1)].concat()),
        ("repeated", [whole(0), whole(0), reversed(0)].concat()),
        ("skipped", [whole(3), whole(0), whole(9)].concat()),
        ("answers", [answers.concat(), whole(0).to_vec()].concat()),
        ("limits", limits.concat()),
    ];
    let mut seeds = Vec::new();
    for (number, (name, list)) in (0u8..).zip(lists) {
        for (variant, control) in [(0, 7), (1, 3)] {
            let frames = list.iter().flat_map(|frame| {
                let start = [control, 20 * number];
                start.into_iter().chain(frame.encode())
            });
            let input = std::iter::once(2 * number + variant).chain(frames);
            seeds.push((format!("{name}-{control}"), input.collect()));
        }
    }
    seeds
}
