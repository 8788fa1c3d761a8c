//! What is measured: the applets of the library, class files that are large or slow to verify, and scenarios of any
//! size, which have pairs of NICs, pairs of endpoints on them, and messages between the endpoints.

pub mod draws;
pub mod large;
pub mod library;
pub mod programs;
pub mod worst;

use nic_core::id::{ChannelId, EndpointId, NicId};
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::ids::Table;
use nic_runtime::profile::WireProfile;
use nic_runtime::scenario::parse;
use nic_runtime::spec::{
    ChannelSpec, EndpointSpec, Full, LinkSpec, NicSpec, Scenario, SendSpec, SwitchMode, SwitchSpec,
};

/// One pair of NICs and endpoints as a scenario file, from which all pairs are copied. The profile of the scenario
/// stays fixed, so that figures can be compared with earlier versions.
const PAIR: &str = r#"
profile = "lanai-1998-parallel"
[[nic]]
name = "a"
[[nic]]
name = "b"
[[endpoint]]
nic = "a"
name = "client"
applet = "builtin:RawUnet"
buffer_area = 8192
free_buffers = { count = 8, length = 512 }
heap = "10KiB"
[[endpoint]]
nic = "b"
name = "server"
applet = "builtin:RawUnet"
buffer_area = 8192
free_buffers = { count = 8, length = 512 }
heap = "10KiB"
[[channel]]
client = 1
server = 7
[[send]]
endpoint = "client"
channel = 1
at = "10us"
payload = { zeros = 0 }
"#;

/// Time between two messages on a pair of NICs: a little more than the receiving NIC needs for a message.
const SPACING: SimDuration = SimDuration::from_ns(100_000);

/// Numbers of the channels that join a pair of NICs with the next pair and with the previous pair.
const TO_NEXT: ChannelId = ChannelId(2);
const FROM_PREVIOUS: ChannelId = ChannelId(3);

/// How pairs of NICs are joined.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Network {
    /// No channel joins the pairs.
    Apart,
    /// A channel joins each pair with the next pair, but nothing is sent on it.
    Silent,
    /// Each pair sends one message to the next pair at the start, so the simulator cannot run the pairs as separate
    /// groups.
    Met,
    /// No link joins the NICs of a pair. Each NIC has a link to one of the leaf switches, and these to a root switch.
    /// The NICs of a pair are at different leaves.
    Switched,
}

impl Network {
    /// Returns the number of links on the way of a packet.
    #[must_use]
    pub fn hops(self) -> u32 {
        match self {
            Network::Apart | Network::Silent | Network::Met => 1,
            Network::Switched => 4,
        }
    }
}

/// Number of NICs at each leaf switch.
const NICS_OF_LEAF: u32 = 20;

/// Messages between pairs of endpoints with `RawUnet` at both ends. Each message is received and read.
#[derive(Copy, Clone, Debug)]
pub struct Traffic {
    /// Pairs of NICs, each joined by a link.
    pub nic_pairs: u32,
    /// How the pairs are joined.
    pub network: Network,
    /// Number of endpoints on each NIC; each endpoint has a channel to the one at the same position of the other NIC.
    pub endpoints: u32,
    /// Number of endpoints that send, on each NIC that sends.
    pub active: u32,
    /// Number of messages in all, without those that pairs send to the next pair.
    pub packets: u64,
    /// Bytes of each message.
    pub length: usize,
}

impl Traffic {
    /// Returns traffic of one pair of endpoints that sends `packets` messages of 64 bytes.
    #[must_use]
    pub fn of_one_pair(packets: u64) -> Traffic {
        Traffic {
            nic_pairs: 1,
            network: Network::Apart,
            endpoints: 1,
            active: 1,
            packets,
            length: 64,
        }
    }

    /// Returns the scenario.
    ///
    /// # Panics
    ///
    /// Panics if the messages do not divide evenly among the sending endpoints.
    #[must_use]
    pub fn scenario(&self) -> Scenario {
        let pair = parse(PAIR.as_bytes(), None, None).expect("the pair is a scenario");
        let mut scenario = Scenario {
            until: SimTime::MAX,
            events_max: u64::MAX,
            nics: Table::new(),
            links: Vec::new(),
            endpoints: Table::new(),
            channels: Vec::new(),
            sends: Vec::new(),
            ..pair.clone()
        };
        let link = pair
            .links
            .iter()
            .find(|link| link.between == (NicId(0), NicId(1)));
        let link = |between| LinkSpec {
            between,
            ..link.expect("the pair is joined").clone()
        };
        for number in 0..self.nic_pairs {
            let nics = (NicId(2 * number), NicId(2 * number + 1));
            self.add_nics(&mut scenario, &pair, nics);
            if self.network != Network::Switched {
                scenario.links.push(link(nics));
            }
        }
        let joined = match self.network {
            Network::Apart => 0..0,
            Network::Silent | Network::Met => 1..self.nic_pairs,
            Network::Switched => {
                add_switches(&mut scenario, link((NicId(0), NicId(0))));
                0..0
            }
        };
        for number in joined {
            let first = |number| EndpointId(2 * number * self.endpoints);
            scenario.channels.push(ChannelSpec {
                a: (first(number - 1), TO_NEXT),
                b: (first(number), FROM_PREVIOUS),
            });
            scenario
                .links
                .push(link((NicId(2 * number - 2), NicId(2 * number))));
            if self.network == Network::Met {
                scenario.sends.push(SendSpec {
                    table: 0,
                    gap: None,
                    endpoint: first(number - 1),
                    channel: TO_NEXT,
                    payload: vec![0x55; self.length],
                    tag: 0,
                    immediate: None,
                    segments: Vec::new(),
                    ..pair.sends[0].clone()
                });
            }
        }
        scenario
    }

    /// Returns the number of sending endpoints on all NICs.
    #[must_use]
    pub fn senders(&self) -> u64 {
        u64::from(self.nic_pairs) * u64::from(self.active)
    }

    /// Adds two NICs, their endpoints and the endpoints' messages.
    fn add_nics(&self, scenario: &mut Scenario, pair: &Scenario, nics: (NicId, NicId)) {
        for nic in [nics.0, nics.1] {
            let name = format!("nic{}", nic.0);
            // Give each NIC enough SRAM for any number of endpoints, because the benchmark measures the simulator and
            // not the NIC.
            scenario.nics.push(NicSpec {
                name,
                sram: u32::MAX,
                ..pair.nics[0].clone()
            });
        }
        let senders = self.senders();
        assert!(self.packets.is_multiple_of(senders), "equal shares");
        for position in 0..self.endpoints {
            let client = add_endpoint(scenario, &pair.endpoints[0], nics.0);
            let server = add_endpoint(scenario, &pair.endpoints[1], nics.1);
            let ChannelSpec { a, b } = pair.channels[0];
            scenario.channels.push(ChannelSpec {
                a: (client, a.1),
                b: (server, b.1),
            });
            if position < self.active {
                let first = pair.sends[0].at + SPACING.times(position.into());
                scenario.sends.push(SendSpec {
                    table: 0,
                    gap: None,
                    endpoint: client,
                    at: first,
                    payload: vec![0x55; self.length],
                    tag: 0,
                    immediate: None,
                    segments: Vec::new(),
                    repeat: self.packets / senders,
                    every: SPACING.times(self.active.into()),
                    ..pair.sends[0].clone()
                });
            }
        }
    }
}

/// Adds the root switch, the leaf switches and their links, which are copies of `link`.
fn add_switches(scenario: &mut Scenario, link: LinkSpec) {
    let nics = u32::try_from(scenario.nics.len()).expect("NICs have u32 numbers");
    let leaves = nics.div_ceil(NICS_OF_LEAF).max(2);
    let root = NicId(nics);
    let leaf = |number: u32| NicId(nics + 1 + number % leaves);
    // A switch sends whole packets on.
    let wire = WireProfile {
        cell: 0,
        ..link.wire
    };
    let switch = |name: String, ports: u32| SwitchSpec {
        name,
        ports,
        latency: SimDuration::from_ns(300),
        mode: SwitchMode::CutThrough,
        buffer: None,
        full: Full::Drop,
        at: Vec::new(),
    };
    scenario.switches.push(switch("root".to_owned(), leaves));
    for number in 0..leaves {
        let name = format!("leaf{number}");
        scenario.switches.push(switch(name, NICS_OF_LEAF + 1));
    }
    // Both NICs of a pair are half of the leaves apart.
    let at_leaf = |nic: u32| leaf(nic / 2 + nic % 2 * (leaves / 2));
    let of_nics = (0..nics).map(|nic| (NicId(nic), at_leaf(nic)));
    let of_leaves = (0..leaves).map(|number| (root, leaf(number)));
    let links = of_nics.chain(of_leaves).map(|between| LinkSpec {
        between,
        wire,
        ..link.clone()
    });
    scenario.links.extend(links);
}

fn add_endpoint(scenario: &mut Scenario, spec: &EndpointSpec, nic: NicId) -> EndpointId {
    let id = u32::try_from(scenario.endpoints.len()).expect("endpoints have u32 numbers");
    scenario.endpoints.push(EndpointSpec {
        nic,
        name: format!("endpoint{id}"),
        ..spec.clone()
    });
    EndpointId(id)
}
