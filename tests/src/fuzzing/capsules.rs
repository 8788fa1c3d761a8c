//! The fuzz target of capsules: packets on a code channel, from a hostile sender.

use nic_runtime::Run;
use std::sync::LazyLock;

use jive_verifier::Policy;
use nic_core::event::{Event, Names, Sink};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::sle::capsule::FRAGMENT_HEADER_BYTES;
use nic_core::sle::{FragmentHeader, NicEntry, NicNative, checksum};
use nic_core::time::SimDuration;
use nic_runtime::run::AppletClass;
use nic_runtime::scenario::parse;
use nic_runtime::spec::Scenario;
use nic_runtime::spec::SendSpec;

use super::files;
use crate::fixture::Outcome;
use crate::machine::judge;

/// Maximum number of instructions of a run: verifying the longest input takes fewer.
const BYTECODES_MAX: u64 = 20_000_000;

/// Maximum number of packets of an input, because more packets would only repeat the same effects.
const PACKETS_MAX: usize = 24;

/// In this scenario, the server runs an applet or none, and receives messages between the packets of code.
const SCENARIO: &str = r#"
    until = "20ms"
    [[nic]]
    name = "a"
    [[nic]]
    name = "b"
    [[endpoint]]
    nic = "a"
    name = "operator"
    rx_queue = 256
    [[endpoint]]
    nic = "b"
    name = "server"
    accept_capsules = true
    fuel = 2000
    APPLET
    [[channel]]
    operator = 1
    server = 0
    [[channel]]
    operator = 2
    server = 7
    [[send]]
    endpoint = "operator"
    channel = 2
    at = "10us"
    payload = { count = 40 }
    repeat = 20
    every = "150us"
"#;

static SCENARIOS: LazyLock<[Scenario; 2]> = LazyLock::new(|| {
    ["", "applet = \"builtin:Counter\""].map(|applet| {
        let text = SCENARIO.replace("APPLET", applet);
        parse(text.as_bytes(), None, None).expect("the scenario is right")
    })
});

/// The input is a list of packets, each after its length in two bytes. If the first byte of the input is odd, the
/// target corrects the checksums of the fragments, which a fuzzer would not find. The run must end, and must be the
/// same without a listener. Every whole class file is installed or refused, and a class that is installed passes the
/// verifier.
pub fn capsule(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let mut packets = packets(rest);
    if first % 2 == 1 {
        mend(&mut packets);
    }
    let mut scenario = SCENARIOS[usize::from(first / 2 % 2)].clone();
    let at = scenario.sends[0].at;
    scenario
        .sends
        .extend(packets.into_iter().map(|payload| SendSpec {
            table: 0,
            gap: None,
            endpoint: EndpointId(0),
            channel: ChannelId(1),
            at,
            payload,
            tag: 0,
            immediate: None,
            segments: Vec::new(),
            repeat: 1,
            every: SimDuration::ZERO,
        }));
    files::run_within(scenario.clone(), BYTECODES_MAX);
    scenario.bytecodes_max = BYTECODES_MAX;
    let mut seen = Seen::default();
    let heard = Run::new(&scenario)
        .sink(&mut seen)
        .keep_states()
        .execute()
        .expect("the scenario fits")
        .end_and_states();
    let unheard = Run::new(&scenario)
        .keep_states()
        .execute()
        .expect("the scenario fits")
        .end_and_states();
    assert!(heard == unheard, "a listener changes the run");
    // The instruction budget may end a run before the class is verified, and `until` may end the run during a call.
    assert!(seen.swaps + seen.refusals <= seen.whole);
    assert!(seen.whole <= seen.swaps + seen.refusals + 1, "{seen:?}");
    let applet = heard.1[1].applet.as_ref();
    if let Some(AppletClass::OfCapsule(class)) = applet.map(|applet| &applet.class) {
        let policy = Policy::Applet {
            entries: NicEntry::TABLE,
        };
        assert_eq!(judge(class, policy, NicNative::TABLE), Outcome::Accepted);
    }
}

/// Cuts an input into packets. The last packet may be shorter than its stated length.
fn packets(mut rest: &[u8]) -> Vec<Vec<u8>> {
    let mut packets = Vec::new();
    while let Some((length, behind)) = rest.split_first_chunk()
        && packets.len() < PACKETS_MAX
    {
        let length = usize::from(u16::from_be_bytes(*length)) % 9_217;
        let (packet, next) = behind.split_at(length.min(behind.len()));
        packets.push(packet.to_vec());
        rest = next;
    }
    packets
}

/// Corrects the checksums of fragments. The class file of each number is the concatenation of the fragments with that
/// number.
fn mend(packets: &mut [Vec<u8>]) {
    let read = |packet: &[u8]| FragmentHeader::read(packet).ok().map(|(header, _)| header);
    for place in 0..packets.len() {
        let Some(header) = read(&packets[place]) else {
            continue;
        };
        let same = packets
            .iter()
            .filter(|packet| read(packet).is_some_and(|other| other.number == header.number));
        let mut class: Vec<u8> = same
            .flat_map(|packet| packet[FRAGMENT_HEADER_BYTES..].to_vec())
            .collect();
        class.truncate(header.total as usize);
        let checksum = checksum(&class);
        let mended = FragmentHeader { checksum, ..header };
        packets[place][..FRAGMENT_HEADER_BYTES].copy_from_slice(&mended.to_bytes());
    }
}

/// The number of capsules that were whole, that were installed and that were refused.
#[derive(Debug, Default)]
struct Seen {
    whole: u32,
    swaps: u32,
    refusals: u32,
}

impl Sink for Seen {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        match event.kind.roles().name {
            "applet-swap" => self.swaps += 1,
            "swap-refused" => self.refusals += 1,
            "capsule" => {
                let line = nic_core::event::line::Line::new(
                    names,
                    event,
                    nic_core::event::fields::PayloadMode::Omitted,
                );
                self.whole += u32::from(line.to_string().ends_with("status=whole"));
            }
            _ => {}
        }
    }
}

/// Returns the seeds by name: each built-in class in fragments of different lengths, twice, and in the wrong order.
#[must_use]
pub fn capsule_seeds() -> Vec<(String, Vec<u8>)> {
    let mut seeds = Vec::new();
    for (index, applet) in applets::ALL.iter().enumerate() {
        let class = applet.class;
        let length = [200, 500, 2_000][index % 3];
        let fragments = |number: u32| {
            let header = move |offset: usize| FragmentHeader {
                number,
                total: u32::try_from(class.len()).expect("a small file"),
                offset: u32::try_from(offset).expect("a small file"),
                checksum: checksum(class),
            };
            let pieces = class.chunks(length).enumerate();
            pieces
                .map(move |(place, piece)| [&header(place * length).to_bytes()[..], piece].concat())
        };
        let mut packets: Vec<Vec<u8>> = fragments(1).chain(fragments(2)).collect();
        if index % 2 == 1 {
            let last = packets.len() - 1;
            packets.swap(0, last);
        }
        let first = u8::try_from(index % 4).expect("below four");
        let input = packets.iter().flat_map(|packet| {
            let length = u16::try_from(packet.len()).expect("a small packet");
            [&length.to_be_bytes()[..], packet].concat()
        });
        let input = std::iter::once(first).chain(input).collect();
        seeds.push((format!("capsule-{}", applet.name), input));
    }
    seeds
}
