//! A message of every length, over each interface and level of reliability, under each built-in profile.

use nic_core::event::roles::Step;
use nic_core::event::{EndReason, Event, EventKind, Names, NicEvent, Sink};
use nic_core::id::EndpointId;
use nic_core::random::Generator;
use nic_core::time::SimTime;
use nic_core::via::Reliability;
use nic_runtime::Run;
use nic_runtime::profile::{Profile, Receive};
use nic_runtime::scenario::parse;
use nic_runtime::spec::InterfaceKind;

use crate::runs::runs;

/// Lengths from 0 to this one are tried: one byte more than the largest packet of the first NIC with U-Net.
const LONGEST: u64 = 9_217;

/// What the users at both ends of a run see.
#[derive(Default)]
struct Seen {
    posted: u32,
    completed: Vec<(SimTime, &'static str)>,
    received: Vec<Vec<u8>>,
    /// The time at which the receiver's memory has the message.
    landed: SimTime,
}

impl Sink for Seen {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        if let (Some(EndpointId(1)), EventKind::Nic(NicEvent::Dma { duration, .. })) =
            (event.endpoint, event.kind)
        {
            self.landed = event.time + duration;
        }
        match (event.endpoint, event.kind.roles().step) {
            (Some(EndpointId(0)), Step::Posted { .. }) => self.posted += 1,
            (Some(EndpointId(0)), Step::Completed { status, .. }) => {
                self.completed.push((event.time, status));
            }
            (Some(EndpointId(1)), Step::Delivered { payload, .. }) => {
                self.received.push(payload.bytes().collect());
            }
            _ => {}
        }
    }
}

/// The keys of both endpoints of a run.
struct Ends {
    keys: String,
    level: Option<Reliability>,
}

/// Returns the keys of endpoints of every kind that NICs with this profile have.
fn ends(profile: &Profile) -> Vec<Ends> {
    const HARDWARE: &[&str] = &["provider = 'hardware'"];
    const EMULATED: &[&str] = &["provider = 'emulated'"];
    const CLAN: &[&str] = &[
        "provider = 'clan'\ntransfer = 'pio'",
        "provider = 'clan'\ntransfer = 'dma'",
        "provider = 'clan'\nstrict = true",
    ];
    // One receive descriptor for the message, or as many as a message may take.
    const LARGE: &str = "free_buffers = { count = 2, length = 9600 }";
    const SMALL: &str = "free_buffers = { count = 14, length = 686 }";
    let has = |sections: &[&'static str]| profile.lacks(sections).is_none();
    let mut all = Vec::new();
    for (name, interface) in InterfaceKind::ALL {
        let keys = |free: &str| format!("interface = '{name}'\nbuffer_area = '64KiB'\n{free}\n");
        let plain = |free: &str| Ends {
            keys: keys(free),
            level: None,
        };
        match interface {
            InterfaceKind::Unet if has(&["base"]) => all.extend([LARGE, SMALL].map(plain)),
            // EMP does not divide a message among receives.
            InterfaceKind::Emp if has(&["emp"]) => all.push(plain(LARGE)),
            InterfaceKind::Unet | InterfaceKind::Emp => {}
            // A process writes to pages, and sends no messages.
            InterfaceKind::Lmmc => {}
            InterfaceKind::Via if profile.receive == Receive::Direct => {}
            InterfaceKind::Via => {
                let by_processor = match has(&["base"]) {
                    true if profile.is_on_host() => EMULATED,
                    true => HARDWARE,
                    false => &[],
                };
                let clan = if has(&["via", "clan"]) { CLAN } else { &[] };
                for provider in by_processor.iter().chain(clan) {
                    for (free, (word, level)) in [LARGE, SMALL]
                        .into_iter()
                        .flat_map(|free| Reliability::ALL.map(|level| (free, level)))
                    {
                        all.push(Ends {
                            keys: format!(
                                "{}split = true\nreliability = '{word}'\n{provider}\n",
                                keys(free)
                            ),
                            level: Some(level),
                        });
                    }
                }
            }
        }
    }
    all
}

/// Sends one message of this length, and checks what both users see.
fn check(profile: &Profile, ends: &Ends, length: u64) {
    let Ends { keys, level } = ends;
    // Processors that share a semaphore are two at least.
    let processors = match profile.semaphore {
        Some(_) => "processors = 2\n",
        None => "",
    };
    let text = format!(
        "profile = '{}'\nuntil = '10s'\n[[nic]]\nname = 'a'\nsram = '4MiB'\n{processors}[[nic]]\nname = 'b'\nsram = '4MiB'\n{processors}\
         [[endpoint]]\nnic = 'a'\nname = 'left'\n{keys}\
         [[endpoint]]\nnic = 'b'\nname = 'right'\n{keys}\
         [[channel]]\nleft = 1\nright = 1\n\
         [[send]]\nendpoint = 'left'\nchannel = 1\npayload = {{ count = {length} }}\n",
        profile.name
    );
    let case = || format!("{}, {length} bytes, {keys}", profile.name);
    let scenario =
        parse(text.as_bytes(), None, None).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let mut seen = Seen::default();
    let end = Run::new(&scenario)
        .sink(&mut seen)
        .execute()
        .expect("the scenario fits")
        .end;
    assert_eq!(end.reason, EndReason::Idle, "{}", case());
    assert_eq!(seen.posted, 1);
    let is_frame = keys.contains("'emp'");
    let fits = is_frame || length <= u64::from(profile.memory.max_packet.get());
    let [(completed, status)] = seen.completed[..] else {
        panic!("completes {} times: {}", seen.completed.len(), case());
    };
    let expected = match (fits, level) {
        (true, _) => "ok",
        (false, Some(_)) => "length-error",
        (false, None) => "refused",
    };
    assert_eq!(status, expected, "{}", case());
    // A NIC that receives directly has one buffer for a packet.
    let is_direct = profile.receive == Receive::Direct;
    let fits = fits && !(is_direct && keys.contains("length = 686") && length > 686);
    if !fits {
        return assert!(seen.received.is_empty(), "{}", case());
    }
    let [found] = &seen.received[..] else {
        panic!("arrives {} times: {}", seen.received.len(), case());
    };
    assert!(
        (0u8..=255)
            .cycle()
            .zip(found)
            .all(|(expected, found)| expected == *found)
            && found.len() as u64 == length,
        "{}",
        case()
    );
    if *level == Some(Reliability::Reception) {
        assert!(completed > seen.landed, "{}", case());
    }
}

/// Returns the lengths at which the way of a message through a NIC changes.
fn limits_of(profile: &Profile) -> [u64; 8] {
    let limits = [
        // No bytes, a message inside its receive descriptor, and a full receive descriptor.
        0,
        56,
        686,
        profile.wire.cell,
        profile.emp.map_or(0, |emp| emp.payload.get()),
        profile.via.map_or(0, |via| via.pio_max),
        profile.clan.map_or(0, |clan| clan.burst),
        profile.memory.max_packet.get(),
    ];
    limits.map(u64::from)
}

/// By default some lengths are tried, the limits of each profile and their neighbours among them. With `JIVE_RUNS` of
/// 9,218 or more, every length is.
#[test]
fn a_message_of_every_length_arrives_once_and_completes_once() {
    let sample = runs(8);
    // Endpoints of LMMC have pages and no messages.
    for name in Profile::builtin_names().filter(|name| *name != "lmmc-1997") {
        let profile = Profile::builtin(name).expect("a built-in profile");
        let lengths: Vec<u64> = if sample > LONGEST {
            (0..=LONGEST).collect()
        } else {
            let mut limits = limits_of(&profile).to_vec();
            limits.sort_unstable();
            limits.dedup();
            let around = limits.into_iter().flat_map(|limit| [limit, limit + 1]);
            let mut generator = Generator::named(0, &["length", name]);
            let drawn = (0..sample).map(|_| generator.draw() % (LONGEST + 1));
            let sampled = around.chain(drawn);
            sampled.filter(|length| *length <= LONGEST).collect()
        };
        let ends = ends(&profile);
        assert!(!ends.is_empty(), "{name}");
        for ends in &ends {
            for &length in &lengths {
                check(&profile, ends, length);
            }
        }
    }
}
