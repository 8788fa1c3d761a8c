//! A random cast: victims and hostile endpoints, with the NICs and links that they share. What an interface has of its
//! own is in a [`Setting`], one file each.

mod emp;
mod network;
mod unet;
mod via;
mod write;

use nic_core::random::Generator;
use nic_runtime::profile::{Flow, Profile, Receive};
use nic_runtime::spec::InterfaceKind;

use super::hostile::HostileApplet;
use super::spaced::Traffic;
use crate::random::Random;

/// Number of a victim's free buffers, enough for all messages and duplicates: at most 28 messages of up to three
/// buffers, and as many replies.
const VICTIM_BUFFERS: u32 = 28 * 3 * 2 * 2;
/// Size of a victim's buffer area: its free buffers, and a transmit region for all of its messages.
const VICTIM_AREA: u32 = VICTIM_BUFFERS * 4096 + 2 * 56 * 9216;

/// The longest time between two messages of a victim. Hostile endpoints may be busy all the time, so a long pause takes
/// long to simulate.
const PAUSE_NS: u64 = 25_000_000;
/// The same where timers of hostile applets expire every microsecond.
const SHORT_PAUSE_NS: u64 = 2_000_000;

/// What the casts of an interface have of their own.
struct Setting {
    /// Draws a profile, the interface of the hostile endpoints, and the [`pace`](Stage::pace) of their timers.
    stage: fn(&mut Random) -> (&'static str, InterfaceKind, i32),
    /// Draws the interface of a pair of victims.
    of_victims: fn(&mut Random) -> InterfaceKind,
    /// Draws a pair of victims with this interface, on a number of NICs.
    victims: fn(&mut Random, usize, Stage) -> Victims,
    /// Number and length of a victim's free buffers.
    buffers: (u32, u32),
    /// Whether the interface sees to it that messages arrive, or ends a connection if one does not. On a link with
    /// faults it depends on time which messages that are.
    has_connection: bool,
    /// Placements of the stages on two processors, if the interface has its own.
    placements: &'static [&'static str],
    /// The keys of a hostile endpoint.
    hostile: &'static str,
    /// Whether an endpoint has one connection, so that hostile endpoints come in pairs.
    is_paired: bool,
    /// Fuel of hostile applets beside victims with this interface.
    fuel: &'static [u64],
}

fn setting(interface: InterfaceKind) -> &'static Setting {
    setting_of(interface).expect("only interfaces with a setting are cast")
}

/// Returns the setting of an interface; `None` if its users exchange no messages, and no applet runs beside them.
fn setting_of(interface: InterfaceKind) -> Option<&'static Setting> {
    match interface {
        InterfaceKind::Unet => Some(&unet::SETTING),
        InterfaceKind::Emp => Some(&emp::SETTING),
        InterfaceKind::Via => Some(&via::SETTING),
        InterfaceKind::Lmmc => None,
    }
}

/// Returns the interfaces that are cast.
pub(super) fn interfaces() -> Vec<InterfaceKind> {
    let all = InterfaceKind::ALL.map(|(_, interface)| interface);
    let cast = all.into_iter();
    cast.filter(|interface| setting_of(*interface).is_some())
        .collect()
}

/// The circumstances in which the victims of an interface are tested.
#[derive(Copy, Clone, Debug)]
struct Stage {
    /// The interface of the victims. U-Net victims may join the others if no wire drops packets.
    interface: InterfaceKind,
    profile: &'static str,
    /// The interface of the hostile endpoints.
    of_hostile: InterfaceKind,
    /// Whether packets wait for places instead of being dropped, although the profile's wires drop them.
    holds: bool,
    /// How many times longer the timers of hostile applets take than in the casts of U-Net.
    pace: i32,
}

impl Stage {
    /// Draws the circumstances for victims of an interface.
    fn draw(random: &mut Random, interface: InterfaceKind) -> Stage {
        let (profile, of_hostile, pace) = (setting(interface).stage)(random);
        Stage {
            interface,
            profile,
            of_hostile,
            holds: random.below(2) == 0,
            pace,
        }
    }

    /// Returns whether the NICs receive directly into free buffers.
    fn receives_directly(self) -> bool {
        let profile = Profile::builtin(self.profile).expect("a built-in profile");
        profile.receive == Receive::Direct
    }

    /// Returns whether wires may drop what neighbours leave no room for.
    fn drops(self) -> bool {
        let profile = Profile::builtin(self.profile).expect("a built-in profile");
        !self.holds && profile.wire.flow == Flow::Drop
    }

    /// Draws spaced messages of a victim, none longer than `longest`.
    fn traffic(self, random: &mut Random, longest: u32) -> Vec<Send> {
        let profile = Profile::builtin(self.profile).expect("a built-in profile");
        let mut generator = Generator::named(random.below(u64::MAX), &["spaced"]);
        let count = 1 + random.index(6);
        let pause_ns = if self.pace > 1 {
            PAUSE_NS
        } else {
            SHORT_PAUSE_NS
        };
        let (mut before_ns, mut at_ns) = (0, 0);
        let due = Traffic::of(&profile, longest).draw(&mut generator, count);
        let sends = due.into_iter().map(|due| {
            at_ns += (due.at_ns - before_ns).min(pause_ns);
            before_ns = due.at_ns;
            Send {
                at_ns,
                length: due.length,
                repeat: 1,
                every_us: 0,
                is_random: true,
            }
        });
        sends.collect()
    }
}

/// A scenario in parts that can be removed one by one.
#[derive(Clone, Debug)]
pub struct Cast {
    stage: Stage,
    seed: u64,
    /// The NICs.
    pub nics: Vec<NicKeys>,
    hostile_first: bool,
    /// The links that have faults.
    pub links: Vec<Link>,
    /// The keys of the topology that joins the NICs; `None` if each pair of them has a link.
    pub network: Option<String>,
    /// Pairs of victims.
    pub victims: Vec<Victims>,
    /// The hostile endpoints.
    pub hostile: Vec<Hostile>,
    /// Channels between hostile endpoints, by position. The channel at index `n` has the numbers `2n` and `2n + 1` at
    /// its two ends.
    channels: Vec<(usize, usize)>,
}

/// The scenario keys of a NIC and its host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NicKeys {
    /// Keys for the NIC's processors.
    processors: String,
    /// Number of the NIC's processors, if it is not 1.
    loops: Option<u64>,
    /// Number of processors of the NIC's host, if limited. A host whose NIC is in software has one more for each loop, so
    /// that no flood of packets keeps a user from running.
    host: Option<u64>,
    /// Whether the NIC's hostile endpoints share a process.
    has_process: bool,
}

impl NicKeys {
    fn draw(random: &mut Random, stage: Stage) -> NicKeys {
        let count = random.pick(&[1, 1, 2, 3]);
        let mut processors = String::new();
        let mut loops = None;
        let placements = setting(stage.interface).placements;
        let own = match placements {
            [] => "",
            placements => random.pick(placements),
        };
        if !own.is_empty() {
            loops = Some(2);
            processors = format!("processors = 2\nplacement = '{own}'\n");
        } else if count > 1 {
            let stages = ["transmit", "receive", "doTx", "doRx", "doTimer", "doRefill"];
            let stages = stages.into_iter().filter(|_| random.below(2) == 0);
            let stages: Vec<_> = stages.collect();
            let places = stages
                .iter()
                .map(|stage| format!("{stage} = {}", random.below(count)));
            let places: Vec<_> = places.collect();
            loops = Some(count);
            processors = format!(
                "processors = {count}\nplacement = {{ {} }}\n",
                places.join(", ")
            );
        }
        NicKeys {
            processors,
            loops,
            host: (random.below(4) == 0).then(|| random.pick(&[1, 2])),
            has_process: random.below(3) == 0,
        }
    }

    /// Returns the number of processors of the host under a profile, if the scenario is to give it.
    fn host_processors(&self, profile: &Profile) -> Option<u64> {
        match profile.is_on_host() {
            true => Some(self.loops.unwrap_or(1) + self.host.unwrap_or(1)),
            false => self.host,
        }
    }

    fn has_several(&self) -> bool {
        !self.processors.is_empty()
    }
}

/// A link with faults.
#[derive(Clone, Debug)]
pub struct Link {
    between: (usize, usize),
    loss: f64,
    duplicate: f64,
    corrupt: f64,
    reorder: f64,
    crc: bool,
}

/// Two victim endpoints, of which the first sends to the second.
#[derive(Clone, Debug)]
pub struct Victims {
    nics: (usize, usize),
    /// The interface of both endpoints.
    pub interface: InterfaceKind,
    /// The keys of this interface.
    keys: String,
    applet: &'static str,
    on_trap: &'static str,
    host: &'static str,
    notify: &'static str,
    /// The messages of the first endpoint.
    pub sends: Vec<Send>,
    /// Whether the second endpoint also sends to the first.
    two_way: bool,
}

/// A number of equal messages.
#[derive(Clone, Debug)]
pub struct Send {
    at_ns: u64,
    length: u32,
    repeat: u64,
    every_us: u64,
    /// Whether the bytes are random, so that no two messages are equal.
    is_random: bool,
}

/// A hostile endpoint.
#[derive(Clone, Debug)]
pub struct Hostile {
    nic: usize,
    /// The endpoint's applet; `None` for the base path.
    pub applet: Option<HostileApplet>,
    /// The endpoint's host program.
    program: &'static str,
    /// Further keys.
    keys: String,
    /// The endpoint's sends, each with its channel.
    pub sends: Vec<(i32, Send)>,
}

impl Send {
    fn of_victim(random: &mut Random) -> Send {
        Send {
            at_ns: random.below(500) * 1_000,
            length: random.pick(&[0, 1, 56, 57, 1000, 4096, 9000]),
            repeat: 1 + random.below(7),
            every_us: random.pick(&[0, 1, 50, 400]),
            is_random: false,
        }
    }

    fn of_hostile(random: &mut Random) -> Send {
        Send {
            at_ns: random.below(300) * 1_000,
            length: random.pick(&[0, 1, 56, 1000, 9000, 9216, 9300]),
            repeat: random.pick(&[1, 1, 5, 100, 10_000]),
            every_us: random.pick(&[0, 1, 10, 200]),
            is_random: false,
        }
    }
}

impl Victims {
    /// Draws a pair of victims, whose sends, applets and keys depend on their interface.
    fn draw(random: &mut Random, nics: usize, stage: Stage) -> Victims {
        let interface = (setting(stage.interface).of_victims)(random);
        (setting(interface).victims)(random, nics, stage)
    }

    /// Draws victims without applets, whose users only read what they receive.
    fn plain(
        random: &mut Random,
        (nics, interface): (usize, InterfaceKind),
        sends: Vec<Send>,
        keys: String,
    ) -> Victims {
        Victims {
            nics: (random.index(nics), random.index(nics)),
            interface,
            keys,
            applet: "",
            on_trap: "drop",
            host: "sink",
            notify: notify(random),
            sends,
            two_way: random.below(2) == 0,
        }
    }

    /// Returns whether every message must arrive as it was posted: no applet handles it, and its connection would end
    /// only if a neighbour broke it.
    fn are_plain(&self) -> bool {
        self.applet.is_empty() && self.host == "sink"
    }

    /// Returns whether the second endpoint sends only in response to messages, in their order.
    fn answers(&self) -> bool {
        self.host != "sink" || matches!(self.applet, "PingPong" | "AckInNic")
    }

    fn crosses(&self, link: &Link) -> bool {
        let (a, b) = self.nics;
        link.between == (a, b) || link.between == (b, a)
    }
}

impl Cast {
    /// Draws a random cast.
    pub fn draw(random: &mut Random, interface: InterfaceKind) -> Cast {
        let stage = Stage::draw(random, interface);
        let nics = 1 + random.index(4);
        let keys: Vec<NicKeys> = (0..nics).map(|_| NicKeys::draw(random, stage)).collect();
        let mut victims: Vec<Victims> = (0..1 + random.below(3))
            .map(|_| Victims::draw(random, nics, stage))
            .collect();
        for pair in &mut victims {
            let (a, b) = pair.nics;
            // With more than three packets in transit, two applets that answer each other may come to wait for each
            // other in a circle. Neighbours affect which packet would close the circle, and is dropped, only if a NIC
            // has several processors.
            if pair.applet == "PingPong" && keys[a].has_several() | keys[b].has_several() {
                pair.sends.truncate(1);
                pair.sends[0].repeat = pair.sends[0].repeat.min(3);
            }
        }
        let mut links = Vec::new();
        for a in 0..nics {
            for b in a..nics {
                if random.below(3) > 0 {
                    continue;
                }
                let mut chance = || random.pick(&[0.0, 0.0, 0.0, 0.05, 0.3, 1.0]);
                let mut link = Link {
                    between: (a, b),
                    loss: chance(),
                    duplicate: chance(),
                    corrupt: chance(),
                    reorder: chance(),
                    crc: random.below(2) == 0,
                };
                // A delayed packet waits for the next of its channel for a bounded time. Neighbours affect whether the
                // next packet comes in time, and thus the order of both packets. Answers would reveal this order in
                // ways that the law of isolation does not compare.
                if victims
                    .iter()
                    .any(|pair| pair.answers() && pair.crosses(&link))
                {
                    link.reorder = 0.0;
                    // Check CRCs, because a flipped bit would turn a ping into a pong, and the pair of endpoints would
                    // never end its exchange.
                    link.crc = true;
                }
                let mut pairs = victims.iter();
                if pairs.any(|pair| setting(pair.interface).has_connection && pair.crosses(&link)) {
                    continue;
                }
                links.push(link);
            }
        }
        let mut count = 1 + random.index(7);
        let channels: Vec<(usize, usize)> = if setting(stage.of_hostile).is_paired {
            count = 2 * count.div_ceil(2);
            let pairs = 0..count / 2;
            pairs.map(|pair| (2 * pair, 2 * pair + 1)).collect()
        } else {
            (0..1 + random.below(6))
                .map(|_| (random.index(count), random.index(count)))
                .collect()
        };
        let hostile = (0..count)
            .map(|position| {
                Hostile::draw(random, (nics, stage), &own_channels(&channels, position))
            })
            .collect();
        let (seed, hostile_first) = (random.below(1 << 40), random.below(2) == 0);
        let network = network::draw(random, stage);
        if network.is_some() {
            links.retain(|link| link.between.0 == link.between.1);
        }
        Cast {
            stage,
            seed,
            nics: keys,
            hostile_first,
            links,
            network,
            victims,
            hostile,
            channels,
        }
    }

    /// Returns whether packets of this victim may overtake each other.
    pub fn may_reorder(&self, name: &str) -> bool {
        let pair = (0..self.victims.len()).find(|pair| {
            let [a, b] = victim_names(*pair);
            name == a || name == b
        });
        let pair = pair.map(|pair| &self.victims[pair]);
        pair.is_some_and(|pair| {
            let links = self.links.iter();
            links
                .filter(|link| pair.crosses(link))
                .any(|link| link.reorder > 0.0)
        })
    }

    /// Returns the interface of an endpoint, if it is a victim.
    pub fn interface_of(&self, name: &str) -> Option<InterfaceKind> {
        let pair =
            (0..self.victims.len()).find(|pair| victim_names(*pair).contains(&name.to_owned()));
        pair.map(|pair| self.victims[pair].interface)
    }

    /// Returns the interface of the victims for which the cast was drawn.
    pub fn interface(&self) -> InterfaceKind {
        self.stage.interface
    }

    /// Returns whether wires may drop what neighbours leave no room for, so that messages may fail. Then a victim must
    /// still see no other messages than without its neighbours, in their order, and know which did not arrive.
    pub fn may_fail(&self) -> bool {
        self.stage.drops()
    }

    /// Returns how many hostile endpoints depend on each other.
    pub fn hostile_together(&self) -> usize {
        1 + usize::from(setting(self.stage.of_hostile).is_paired)
    }

    /// Returns the names of the victims whose messages must all arrive as they were posted.
    pub fn must_receive(&self) -> Vec<String> {
        let pairs = self.victims.iter().enumerate();
        let plain = pairs.filter(|(_, pair)| {
            pair.are_plain() && !self.links.iter().any(|link| pair.crosses(link))
        });
        plain.flat_map(|(number, _)| victim_names(number)).collect()
    }

    /// Returns whether this is the name of a victim.
    pub fn is_victim(name: &str) -> bool {
        name.starts_with('v')
    }
}

/// Returns an endpoint's own channel numbers.
fn own_channels(channels: &[(usize, usize)], position: usize) -> Vec<i32> {
    let mut own = Vec::new();
    for (number, (a, b)) in (0i32..).zip(channels) {
        if *a == position {
            own.push(2 * number);
        }
        if *b == position {
            own.push(2 * number + 1);
        }
    }
    own
}

fn notify(random: &mut Random) -> &'static str {
    random.pick(&[
        "notify = 'upcall'",
        "poll_every = '1us'",
        "poll_every = '70us'",
    ])
}

fn victim_names(pair: usize) -> [String; 2] {
    [format!("v{pair}c"), format!("v{pair}s")]
}

impl Hostile {
    fn draw(random: &mut Random, (nics, stage): (usize, Stage), channels: &[i32]) -> Hostile {
        let applet = (random.below(8) > 0).then(|| {
            HostileApplet::draw(random, channels, (stage.pace, stage.receives_directly()))
        });
        let interface = setting(stage.of_hostile).hostile;
        let fuel = setting(stage.interface).fuel;
        let keys = format!(
            "{interface}fuel = {}\ntx_queue = {}\nrx_queue = {}\n\
             free_buffers = {{ count = {}, length = {} }}\non_trap = '{}'\n{}",
            random.pick(fuel),
            random.pick(&[1, 8, 64]),
            random.pick(&[1, 8, 64]),
            random.pick(&[0, 1, 5]),
            random.pick(&[100, 1000, 9216]),
            random.pick(&["drop", "base-path", "detach"]),
            // The second choice is a heap with room for the array from which the applet sends, but not for a suspended
            // call.
            random.pick(&["", "heap = '9232B'\n"]),
        );
        let mut sends = Vec::new();
        for _ in 0..1 + random.below(3) {
            // Choose, sometimes, a channel that the endpoint does not have.
            let channel = match channels {
                [] => 99,
                _ if random.below(12) == 0 => 99,
                _ => random.pick(channels),
            };
            sends.push((channel, Send::of_hostile(random)));
        }
        Hostile {
            nic: random.index(nics),
            applet,
            program: random.pick(&["sink", "echo", "echo"]),
            keys,
            sends,
        }
    }
}
