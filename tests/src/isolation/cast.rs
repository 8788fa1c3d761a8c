//! A random cast: victims and hostile endpoints, with the NICs and links that they share.

use std::fmt::Write as _;

use nic_core::random::Generator;
use nic_runtime::profile::{Flow, Profile};
use nic_runtime::spec::ClassSpec;
use nic_runtime::spec::InterfaceKind;
use nic_runtime::spec::Scenario;

use super::hostile::HostileApplet;
use super::spaced::Traffic;
use crate::random::Random;
use crate::simulation;
use jive_lab::asm::assemble;

/// An applet that always traps, so its messages are dropped or handled by the base path.
const STUMBLER: &str = "\
    .method static doTx(III)I stack 2 locals 3
        iconst_1
        iconst_0
        idiv
        ireturn
    .method static doRx(II)I stack 2 locals 2
        iconst_1
        iconst_0
        idiv
        ireturn
";

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
        let (profile, of_hostile, pace) = match interface {
            InterfaceKind::Unet => (
                random.pick(&[
                    "lanai-1998",
                    "lanai-1998",
                    "lanai-1998-split",
                    "lanai-1998-dual-dma",
                    "modern",
                ]),
                InterfaceKind::Unet,
                1,
            ),
            InterfaceKind::Emp => (
                "tigon2-2002",
                random.pick(&[InterfaceKind::Unet, InterfaceKind::Emp]),
                100,
            ),
            InterfaceKind::Via => (
                random.pick(&[
                    "giganet-1999",
                    "clan-programmable",
                    "clan-programmable",
                    "lanai-1998-split",
                    "modern",
                ]),
                random.pick(&[InterfaceKind::Unet, InterfaceKind::Unet, InterfaceKind::Via]),
                100,
            ),
        };
        Stage {
            interface,
            profile,
            of_hostile,
            holds: random.below(2) == 0,
            pace,
        }
    }

    /// Returns whether wires may drop what neighbours leave no room for.
    fn drops(self) -> bool {
        let profile = Profile::builtin(self.profile).expect("a built-in profile");
        !self.holds && profile.wire.flow == Flow::Drop
    }

    /// Draws the interface of a pair of victims.
    fn of_victims(self, random: &mut Random) -> InterfaceKind {
        match self.interface {
            InterfaceKind::Unet | InterfaceKind::Emp => self.interface,
            InterfaceKind::Via => {
                random.pick(&[InterfaceKind::Via, InterfaceKind::Via, InterfaceKind::Unet])
            }
        }
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
    /// Number of processors of the NIC's host, if limited.
    host: Option<u64>,
    /// Whether the NIC's hostile endpoints share a process.
    has_process: bool,
}

impl NicKeys {
    fn draw(random: &mut Random, stage: Stage) -> NicKeys {
        let count = random.pick(&[1, 1, 2, 3]);
        let mut processors = String::new();
        let of_emp = match stage.interface {
            InterfaceKind::Emp => random.pick(&["", "base", "SO", "RO", "DSR", "SR", "dynamic"]),
            InterfaceKind::Unet | InterfaceKind::Via => "",
        };
        if !of_emp.is_empty() {
            processors = format!("processors = 2\nplacement = '{of_emp}'\n");
        } else if count > 1 {
            let stages = ["transmit", "receive", "doTx", "doRx", "doTimer", "doRefill"];
            let stages = stages.into_iter().filter(|_| random.below(2) == 0);
            let stages: Vec<_> = stages.collect();
            let places = stages
                .iter()
                .map(|stage| format!("{stage} = {}", random.below(count)));
            let places: Vec<_> = places.collect();
            processors = format!(
                "processors = {count}\nplacement = {{ {} }}\n",
                places.join(", ")
            );
        }
        NicKeys {
            processors,
            host: (random.below(4) == 0).then(|| random.pick(&[1, 2])),
            has_process: random.below(3) == 0,
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

    fn write(&self, text: &mut String, endpoint: &str, channel: i32, name: u64) {
        let Send {
            at_ns,
            length,
            repeat,
            every_us,
            is_random,
        } = self;
        // If a message is long enough, it begins with a unique name.
        let payload = if *is_random {
            format!("{{ random = {length} }}")
        } else if (8..200).contains(length) {
            format!(
                "{{ hex = '{:016x}{}' }}",
                name,
                "5a".repeat(*length as usize - 8)
            )
        } else {
            format!("{{ count = {length} }}")
        };
        let _infallible = writeln!(
            text,
            "[[send]]\nendpoint = '{endpoint}'\nchannel = {channel}\nat = '{at_ns}ns'\n\
             payload = {payload}\nrepeat = {repeat}\nevery = '{every_us}us'"
        );
    }
}

impl Victims {
    /// Draws a pair of victims, whose sends, applets and keys depend on their interface.
    fn draw(random: &mut Random, nics: usize, stage: Stage) -> Victims {
        let interface = stage.of_victims(random);
        match interface {
            InterfaceKind::Unet => {
                let mut victims = Victims::of_unet(random, nics);
                if stage.pace > 1 || random.below(3) == 0 && victims.applet != "Burst25" {
                    victims.sends = stage.traffic(random, 9_000);
                }
                victims
            }
            InterfaceKind::Emp => {
                let sends = stage.traffic(random, 9_000);
                Victims::plain(
                    random,
                    (nics, interface),
                    sends,
                    "interface = 'emp'".to_owned(),
                )
            }
            InterfaceKind::Via => {
                let splits = random.below(2) == 0;
                let reliability = random.pick(&["delivery", "reception", "unreliable"]);
                let mut keys =
                    format!("interface = 'via'\nsplit = {splits}\nreliability = '{reliability}'");
                let is_over_memory = stage.profile == "clan-programmable" && random.below(3) > 0;
                keys += &match is_over_memory {
                    true => format!(
                        "\nprovider = 'clan'\ntransfer = '{}'\non_empty = '{}'\nstrict = {}",
                        random.pick(&["auto", "pio", "dma"]),
                        random.pick(&["drop", "defer"]),
                        random.below(2) == 0
                    ),
                    false => "\nprovider = 'hardware'".to_owned(),
                };
                let sends = stage.traffic(random, if splits { 9_000 } else { 4_096 });
                Victims::plain(random, (nics, interface), sends, keys)
            }
        }
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

    fn of_unet(random: &mut Random, nics: usize) -> Victims {
        let applet = random.pick(&[
            "", "", "RawUnet", "RawUnet", "RawUnet", "PingPong", "AckInNic", "Counter", "Burst25",
            "Stumbler",
        ]);
        let mut sends: Vec<Send> = (0..1 + random.below(4))
            .map(|_| Send::of_victim(random))
            .collect();
        if applet == "Burst25" {
            sends.truncate(1);
            sends[0].repeat = 1;
            sends[0].length = sends[0].length.min(1000);
        }
        let host = match applet {
            "" | "RawUnet" => random.pick(&["sink", "echo", "acknowledge"]),
            _ => "sink",
        };
        Victims {
            nics: (random.index(nics), random.index(nics)),
            interface: InterfaceKind::Unet,
            keys: String::new(),
            applet,
            on_trap: if applet == "Stumbler" {
                random.pick(&["drop", "base-path"])
            } else {
                random.pick(&["drop", "base-path", "detach"])
            },
            host,
            notify: notify(random),
            sends,
            // On one channel, replies and the user's own messages would alternate depending on time.
            two_way: host == "sink" && matches!(applet, "" | "RawUnet") && random.below(2) == 0,
        }
    }

    /// Returns whether every message must arrive as it was posted: no applet handles it, and its connection would end
    /// only if a neighbour broke it.
    fn are_plain(&self) -> bool {
        self.applet.is_empty() && self.host == "sink"
    }

    /// Returns whether an interface sees to it that messages arrive, or ends a connection if one does not. On a link
    /// with faults it depends on time which messages that are.
    fn have_connection(&self) -> bool {
        match self.interface {
            InterfaceKind::Unet => false,
            InterfaceKind::Emp | InterfaceKind::Via => true,
        }
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
                if pairs.any(|pair| pair.have_connection() && pair.crosses(&link)) {
                    continue;
                }
                links.push(link);
            }
        }
        let mut count = 1 + random.index(7);
        let channels: Vec<(usize, usize)> = match stage.of_hostile {
            InterfaceKind::Unet | InterfaceKind::Emp => (0..1 + random.below(6))
                .map(|_| (random.index(count), random.index(count)))
                .collect(),
            // A VI has one connection.
            InterfaceKind::Via => {
                count = 2 * count.div_ceil(2);
                (0..count / 2)
                    .map(|pair| (2 * pair, 2 * pair + 1))
                    .collect()
            }
        };
        let hostile = (0..count)
            .map(|position| {
                Hostile::draw(random, (nics, stage), &own_channels(&channels, position))
            })
            .collect();
        Cast {
            stage,
            seed: random.below(1 << 40),
            nics: keys,
            hostile_first: random.below(2) == 0,
            links,
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
        match self.stage.of_hostile {
            InterfaceKind::Unet | InterfaceKind::Emp => 1,
            InterfaceKind::Via => 2,
        }
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

    /// Returns the scenario, with or without the hostile endpoints.
    ///
    /// # Errors
    ///
    /// Returns the assembler's error for a hostile class.
    pub fn scenario(&self, with_hostile: bool) -> Result<Scenario, String> {
        let mut scenario = simulation::scenario(&self.toml(with_hostile), None, None);
        if self.stage.holds {
            for link in &mut scenario.links {
                link.wire.flow = Flow::Hold;
            }
        }
        for index in 0..scenario.endpoints.len() {
            let name = &scenario.endpoints[index].name;
            let bytes = if let Some(position) = name.strip_prefix('h') {
                let position: usize = position.parse().expect("hostile names end in a number");
                match &self.hostile[position].applet {
                    Some(applet) => applet.class()?,
                    None => continue,
                }
            } else {
                let pair: usize = name[1..name.len() - 1].parse().expect("so do victims'");
                if self.victims[pair].applet != "Stumbler" {
                    continue;
                }
                assemble("stumbler", STUMBLER)
                    .map_err(|error| error.to_string())?
                    .bytes
            };
            scenario.endpoints[index].class = Some(scenario.classes.len());
            scenario.classes.push(ClassSpec {
                origin: format!("class{index}"),
                bytes,
            });
        }
        Ok(scenario)
    }

    /// Returns the scenario file, without the names of class files.
    pub fn toml(&self, with_hostile: bool) -> String {
        let mut text = format!(
            "profile = '{}'\nseed = {}\nuntil = '1000s'\nmax_events = {}\n",
            self.stage.profile,
            self.seed,
            if self.stage.pace > 1 {
                40_000_000
            } else {
                4_000_000
            }
        );
        for (nic, keys) in self.nics.iter().enumerate() {
            let processors = &keys.processors;
            let _infallible = writeln!(
                text,
                "[[nic]]\nname = 'n{nic}'\nsram = '512MiB'\n{processors}"
            );
            if let Some(processors) = keys.host {
                let _infallible =
                    writeln!(text, "[[host]]\nnic = 'n{nic}'\nprocessors = {processors}");
            }
        }
        for a in 0..self.nics.len() {
            for b in a..self.nics.len() {
                let _infallible = writeln!(text, "[[link]]\nbetween = ['n{a}', 'n{b}']");
                let faults = self.links.iter().find(|link| link.between == (a, b));
                if let Some(link) = faults {
                    link.write(&mut text);
                }
            }
        }
        if with_hostile && self.hostile_first {
            self.write_hostile(&mut text);
        }
        for (number, pair) in self.victims.iter().enumerate() {
            pair.write(&mut text, victim_names(number));
        }
        if with_hostile && !self.hostile_first {
            self.write_hostile(&mut text);
        }
        text
    }

    fn write_hostile(&self, text: &mut String) {
        for (position, hostile) in self.hostile.iter().enumerate() {
            let nic = hostile.nic;
            let user = match self.nics[nic].has_process {
                true => format!("process = 'p{nic}'"),
                false => format!("host = '{}'", hostile.program),
            };
            let _infallible = write!(
                text,
                "[[endpoint]]\nname = 'h{position}'\nnic = 'n{nic}'\n{user}\n{}",
                hostile.keys
            );
        }
        for (nic, keys) in self.nics.iter().enumerate() {
            let mut here = self.hostile.iter().filter(|hostile| hostile.nic == nic);
            if keys.has_process
                && let Some(first) = here.next()
            {
                let program = first.program;
                let _infallible = writeln!(
                    text,
                    "[[process]]\nname = 'p{nic}'\nnic = 'n{nic}'\nprogram = '{program}'"
                );
            }
        }
        for (number, (a, b)) in self.channels.iter().enumerate() {
            let (first, second) = (2 * number, 2 * number + 1);
            if a.max(b) >= &self.hostile.len() {
                continue;
            }
            let _infallible = if a == b {
                writeln!(text, "[[channel]]\nh{a} = [{first}, {second}]")
            } else {
                writeln!(text, "[[channel]]\nh{a} = {first}\nh{b} = {second}")
            };
        }
        for (position, hostile) in self.hostile.iter().enumerate() {
            for (channel, send) in &hostile.sends {
                send.write(text, &format!("h{position}"), *channel, 0);
            }
        }
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

impl Link {
    fn write(&self, text: &mut String) {
        let Link {
            loss,
            duplicate,
            corrupt,
            reorder,
            crc,
            ..
        } = self;
        let _infallible = writeln!(
            text,
            "loss = {loss:?}\nduplicate = {duplicate:?}\ncorrupt = {corrupt:?}\nreorder = {reorder:?}\ncrc = {crc}"
        );
    }
}

impl Victims {
    fn write(&self, text: &mut String, names: [String; 2]) {
        let [client, server] = &names;
        for (name, nic, host) in [
            (client, self.nics.0, "sink"),
            (server, self.nics.1, self.host),
        ] {
            // An EMP message needs one buffer, however long it is.
            let (count, length) = match self.interface {
                InterfaceKind::Emp => (VICTIM_BUFFERS / 3, 9216),
                InterfaceKind::Unet | InterfaceKind::Via => (VICTIM_BUFFERS, 4096),
            };
            let _infallible = writeln!(
                text,
                "[[endpoint]]\nname = '{name}'\nnic = 'n{nic}'\nhost = '{host}'\n{}\n{}\n\
                 buffer_area = {VICTIM_AREA}\ntx_queue = 128\nrx_queue = 256\n\
                 free_buffers = {{ count = {count}, length = {length} }}\non_trap = '{}'",
                self.keys, self.notify, self.on_trap
            );
            if host == "acknowledge" {
                let _infallible = writeln!(text, "acknowledge_every = 3");
            }
            if !matches!(self.applet, "" | "Stumbler") {
                let _infallible = writeln!(text, "applet = 'builtin:{}'", self.applet);
            }
        }
        let _infallible = writeln!(text, "[[channel]]\n{client} = 1\n{server} = 2");
        for (number, send) in (1u64..).zip(&self.sends) {
            send.write(text, client, 1, number);
            if self.two_way {
                send.write(text, server, 2, 100 + number);
            }
        }
    }
}

impl Hostile {
    fn draw(random: &mut Random, (nics, stage): (usize, Stage), channels: &[i32]) -> Hostile {
        let applet =
            (random.below(8) > 0).then(|| HostileApplet::draw(random, channels, stage.pace));
        let interface = match stage.of_hostile {
            InterfaceKind::Unet => String::new(),
            InterfaceKind::Emp => "interface = 'emp'\n".to_owned(),
            InterfaceKind::Via => "interface = 'via'\nprovider = 'hardware'\n".to_owned(),
        };
        // Some calls take longer than every time-out. They are few, since each item of the others waits for them.
        let fuel: &[u64] = match stage.interface {
            InterfaceKind::Unet => &[600, 1000, 20_000],
            InterfaceKind::Emp => &[1000, 2_000, 20_000, 20_000, 20_000, 20_000, 20_000, 150_000],
            InterfaceKind::Via => &[1000, 20_000, 20_000, 60_000, 60_000, 250_000],
        };
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
