//! Random exchanges: pairs of endpoints of any interface on shared NICs, with spaced messages and stalled users.

use std::fmt::Write;

use nic_core::random::Generator;
use nic_core::via::Reliability;
use nic_runtime::profile::Profile;
use nic_runtime::spec::InterfaceKind;

use crate::spaced::{Traffic, below, index};

/// How the messages of a pair travel.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// U-Net, moved by the NIC.
    Plain,
    /// U-Net, moved by an applet at both ends.
    Applet(Applet),
    /// Writes of an applet to a window of the peer.
    Windows,
    /// EMP, moved by the NIC.
    Emp,
    /// EMP, with an applet at both ends.
    EmpApplet(Applet),
    /// VIs whose NICs move the messages.
    Via(Reliability),
    /// VIs with an applet at both ends.
    ViaApplet(Reliability, Applet),
    /// VIs over remote memory.
    Clan(Reliability),
}

/// An applet that delivers each message to the user of its peer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Applet {
    RawUnet,
    RawUnetSingle,
    Reliable,
}

impl Applet {
    const ALL: [Applet; 3] = [Applet::RawUnet, Applet::RawUnetSingle, Applet::Reliable];

    fn name(self) -> &'static str {
        match self {
            Applet::RawUnet => "RawUnet",
            Applet::RawUnetSingle => "RawUnetSingle",
            Applet::Reliable => "Reliable",
        }
    }
}

impl Way {
    /// Returns all ways of an interface.
    fn of(interface: InterfaceKind) -> Vec<Way> {
        let levels = Reliability::ALL.map(|(_, level)| level);
        match interface {
            InterfaceKind::Unet => [Way::Plain, Way::Windows]
                .into_iter()
                .chain(Applet::ALL.map(Way::Applet))
                .collect(),
            InterfaceKind::Emp => [Way::Emp]
                .into_iter()
                .chain(Applet::ALL.map(Way::EmpApplet))
                .collect(),
            InterfaceKind::Via => levels
                .iter()
                .flat_map(|level| {
                    let applets = Applet::ALL.map(|applet| Way::ViaApplet(*level, applet));
                    [Way::Via(*level), Way::Clan(*level)]
                        .into_iter()
                        .chain(applets)
                })
                .collect(),
            // A process writes to pages, and sends no messages.
            InterfaceKind::Lmmc => Vec::new(),
        }
    }

    /// Returns the ways that NICs with a profile offer.
    pub(super) fn on(profile: &Profile) -> Vec<Way> {
        let all = InterfaceKind::ALL
            .into_iter()
            .flat_map(|(_, interface)| Way::of(interface));
        all.filter(|way| profile.lacks(way.sections()).is_none())
            .collect()
    }

    /// Returns the sections of a profile that the way needs.
    fn sections(self) -> &'static [&'static str] {
        match self {
            Way::Plain => InterfaceKind::Unet.sections(),
            Way::Applet(_) | Way::ViaApplet(..) => &["base", "entry", "native"],
            Way::Windows => &["base", "entry", "native", "clan"],
            Way::Emp => InterfaceKind::Emp.sections(),
            Way::EmpApplet(_) => &["emp", "entry", "native"],
            Way::Via(_) => &["base"],
            Way::Clan(_) => &["via", "clan"],
        }
    }

    pub(super) fn interface(self) -> InterfaceKind {
        match self {
            Way::Plain | Way::Applet(_) | Way::Windows => InterfaceKind::Unet,
            Way::Emp | Way::EmpApplet(_) => InterfaceKind::Emp,
            Way::Via(_) | Way::ViaApplet(..) | Way::Clan(_) => InterfaceKind::Via,
        }
    }

    pub(super) fn applet(self) -> Option<Applet> {
        match self {
            Way::Applet(applet) | Way::EmpApplet(applet) | Way::ViaApplet(_, applet) => {
                Some(applet)
            }
            Way::Plain | Way::Windows | Way::Emp | Way::Via(_) | Way::Clan(_) => None,
        }
    }

    fn level(self) -> Option<Reliability> {
        match self {
            Way::Via(level) | Way::ViaApplet(level, _) | Way::Clan(level) => Some(level),
            Way::Plain | Way::Applet(_) | Way::Windows | Way::Emp | Way::EmpApplet(_) => None,
        }
    }
}

/// A message of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) at_ns: u64,
    pub(super) tag: u16,
    pub(super) bytes: Vec<u8>,
}

/// Least length of a message whose bytes tell which message it is.
pub(super) const NAMED: usize = 4;

impl Message {
    /// Makes a message whose bytes nobody else sends: tag, sender and number, then random bytes of its own.
    fn new((at_ns, length): (u64, u32), (sender, number, tag): (u64, u64, u16)) -> Message {
        let name = nic_core::random::Name::new(sender, &["message"]);
        let mut bytes = vec![0; length as usize];
        Generator::numbered(name, &[number]).fill(&mut bytes);
        let head = [tag as u8, sender as u8, (number >> 8) as u8, number as u8];
        let named = bytes.len().min(NAMED);
        bytes[..named].copy_from_slice(&head[..named]);
        Message { at_ns, tag, bytes }
    }
}

/// A receive that the user of an endpoint of EMP posts.
#[derive(Clone, Debug)]
pub(super) struct Receive {
    at_ns: u64,
    tag: Option<u16>,
    length: u32,
    repeat: u64,
}

/// One end of a pair.
#[derive(Clone, Debug)]
pub(super) struct End {
    nic: char,
    /// Number and length of the free buffers.
    pub(super) buffers: (u32, u32),
    queues: (u64, u64),
    notify: String,
    pub(super) messages: Vec<Message>,
    receives: Vec<Receive>,
    /// When the region of a VI is deregistered (`false`) or registered.
    pub(super) regions: Vec<(u64, bool)>,
}

/// Two endpoints that send each other messages.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) way: Way,
    /// Keys of both endpoints.
    keys: Vec<String>,
    pub(super) ends: [End; 2],
}

/// Probabilities of faults in hundredths.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Faults {
    pub(super) loss: u64,
    pub(super) duplicate: u64,
    pub(super) corrupt: u64,
    pub(super) reorder: u64,
    pub(super) crc: bool,
}

impl Faults {
    const NONE: Faults = Faults {
        loss: 0,
        duplicate: 0,
        corrupt: 0,
        reorder: 0,
        crc: true,
    };

    /// Draws the faults of all links. Remote memory breaks at the first fault, so half the links have none.
    fn draw(generator: &mut Generator) -> Faults {
        let mut faults = Faults::NONE;
        if below(generator, 2) == 0 {
            return faults;
        }
        for fault in [
            &mut faults.loss,
            &mut faults.duplicate,
            &mut faults.corrupt,
            &mut faults.reorder,
        ] {
            *fault = [0, 0, 1, 5, 20][index(generator, 5)];
        }
        faults.crc = below(generator, 3) > 0;
        faults
    }

    pub(super) fn is_any(self) -> bool {
        self.loss + self.duplicate + self.corrupt + self.reorder > 0
    }

    /// Returns whether packets may arrive with a flipped bit.
    pub(super) fn flips(self) -> bool {
        self.corrupt > 0 && !self.crc
    }
}

/// An exchange between pairs of endpoints on two NICs.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    seed: u64,
    profile: &'static str,
    /// Keys of each NIC.
    nic_keys: String,
    /// If the NICs are in host software, how many processors each host has besides those that it needs.
    spare_processors: Option<u64>,
    pub(super) faults: Faults,
    pub(super) pairs: Vec<Pair>,
}

impl Exchange {
    /// Draws an exchange in which the first pair uses the way that the seed says. Successive seeds take all ways of all
    /// profiles in turn.
    pub(super) fn draw(seed: u64) -> Exchange {
        let mut generator = Generator::named(seed, &["exchange"]);
        let generator = &mut generator;
        // A NIC that receives directly has none of these ways, nor has one whose endpoints have pages and no messages. Both
        // have tests of their own.
        let has_no_way = |name: &&str| ["lanai-1998-direct", "lmmc-1997"].contains(name);
        let profiles = Profile::builtin_names().filter(|name| !has_no_way(name));
        let profiles = profiles.collect::<Vec<_>>();
        let name = profiles[(seed % profiles.len() as u64) as usize];
        let profile = Profile::builtin(name).expect("a built-in profile");
        let ways = Way::on(&profile);
        let first = ways[(seed / profiles.len() as u64) as usize % ways.len()];
        let mut pairs = vec![Pair::draw(generator, &profile, (0, first))];
        for number in 1..1 + below(generator, 3) {
            let way = ways[index(generator, ways.len())];
            pairs.push(Pair::draw(generator, &profile, (number, way)));
        }
        Exchange {
            seed,
            profile: name,
            nic_keys: processors(generator, &profile),
            spare_processors: profile.is_on_host().then(|| below(generator, 3)),
            faults: Faults::draw(generator),
            pairs,
        }
    }

    pub(super) fn toml(&self) -> String {
        let mut text = format!(
            "profile = '{}'\nseed = {}\nuntil = '18000000s'\nmax_events = 300000\n",
            self.profile, self.seed
        );
        for nic in ['a', 'b'] {
            let keys = &self.nic_keys;
            writeln!(text, "[[nic]]\nname = '{nic}'\nsram = '256MiB'\n{keys}").unwrap();
        }
        if let Some(spare) = self.spare_processors {
            // Each loop needs a processor. One is the default.
            let loops = if self.nic_keys.is_empty() { 1 } else { 2 };
            for nic in ['a', 'b'].iter().filter(|_| loops + spare > 1) {
                let processors = loops + spare;
                writeln!(text, "[[host]]\nnic = '{nic}'\nprocessors = {processors}").unwrap();
            }
        }
        let Faults {
            loss,
            duplicate,
            corrupt,
            reorder,
            crc,
        } = self.faults;
        for (a, b) in [('a', 'a'), ('a', 'b'), ('b', 'b')] {
            if !self.faults.is_any() {
                break;
            }
            writeln!(text, "[[link]]\nbetween = ['{a}', '{b}']\ncrc = {crc}").unwrap();
            for (key, hundredths) in [
                ("loss", loss),
                ("duplicate", duplicate),
                ("corrupt", corrupt),
                ("reorder", reorder),
            ] {
                if hundredths > 0 {
                    writeln!(text, "{key} = 0.{hundredths:02}").unwrap();
                }
            }
        }
        for (number, pair) in self.pairs.iter().enumerate() {
            pair.write(&mut text, number);
        }
        text
    }
}

/// Draws the keys of NICs for their processors.
fn processors(generator: &mut Generator, profile: &Profile) -> String {
    if profile.emp.is_some() {
        let names = profile.placements.iter().map(|(name, _)| name.as_str());
        let names = names.chain(["dynamic"]).collect::<Vec<_>>();
        let name = names[index(generator, names.len())];
        return format!("processors = 2\nplacement = '{name}'\n");
    }
    match below(generator, 4) {
        0 if profile.entry.is_some() => {
            "processors = 2\nplacement = { doTx = 0, doRx = 1 }\n".to_owned()
        }
        _ => String::new(),
    }
}

impl Pair {
    fn draw(generator: &mut Generator, profile: &Profile, (number, way): (u64, Way)) -> Pair {
        let mut pick = |of: &[&str]| of[index(generator, of.len())].to_owned();
        let mut keys = Vec::new();
        match way.interface() {
            InterfaceKind::Unet | InterfaceKind::Lmmc => {}
            InterfaceKind::Emp => keys.push("interface = 'emp'".to_owned()),
            InterfaceKind::Via => {
                let rows = Reliability::ALL;
                let row = rows.iter().find(|(_, level)| way.level() == Some(*level));
                let (level, _) = row.expect("a VI has a level");
                keys.push(format!("interface = 'via'\nreliability = '{level}'"));
                keys.push(pick(&["split = true", "split = true", "split = false"]));
                let is_clan = matches!(way, Way::Clan(_));
                keys.push(match is_clan {
                    true => "provider = 'clan'".to_owned(),
                    false if profile.is_on_host() => "provider = 'emulated'".to_owned(),
                    false => "provider = 'hardware'".to_owned(),
                });
                if is_clan {
                    keys.push(pick(&[
                        "transfer = 'auto'",
                        "transfer = 'pio'",
                        "transfer = 'dma'",
                    ]));
                    keys.push(pick(&["on_empty = 'drop'", "on_empty = 'defer'"]));
                    keys.push(pick(&["strict = false", "strict = true"]));
                }
            }
        }
        match (way, way.applet()) {
            (Way::Windows, _) => keys.push("applet = 'Windows.class'".to_owned()),
            (_, Some(applet)) => keys.push(format!("applet = 'builtin:{}'", applet.name())),
            (_, None) => {}
        }
        let splits = keys.iter().any(|key| key == "split = true");
        let is_local = below(generator, 6) == 0;
        let nics = [['a', 'b'], ['b', 'a'], ['a', 'a']];
        let nics = nics[if is_local { 2 } else { index(generator, 2) }];
        let mut lengths = [0; 2];
        for length in &mut lengths {
            *length = [64, 100, 1_000, 1_500, 4_096, 9_216][index(generator, 6)];
        }
        let ends = [0, 1].map(|end| {
            let longest = way.longest(
                profile,
                (lengths[1 - end], splits),
                below(generator, 4) == 0,
            );
            let whose = (2 * number + end as u64, lengths[end]);
            End::draw(generator, profile, (way, longest), (nics[end], whose))
        });
        Pair { way, keys, ends }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|own| own == key)
    }

    pub(super) fn names(number: usize) -> [String; 2] {
        ["x", "y"].map(|end| format!("{end}{number}"))
    }

    fn write(&self, text: &mut String, number: usize) {
        let names = Pair::names(number);
        for (end, name) in self.ends.iter().zip(&names) {
            end.write(text, name, &self.keys);
        }
        let [x, y] = &names;
        writeln!(text, "[[channel]]\n{x} = 1\n{y} = 1").unwrap();
        if self.way == Way::Windows {
            for (owner, writer) in [(x, y), (y, x)] {
                let length = WINDOW;
                writeln!(
                    text,
                    "[[window]]\nowner = '{owner}'\nwriter = '{writer}'\nnumber = 1\nlength = {length}"
                )
                .unwrap();
            }
        }
    }
}

/// Length of a window, and of the longest write of the applet `Windows`.
const WINDOW: u32 = 4_096;

impl Way {
    /// Returns the length of the longest message of an end whose peer has buffers of this length. If `is_any`, messages
    /// may also be longer than a buffer.
    fn longest(self, profile: &Profile, (buffer, splits): (u32, bool), is_any: bool) -> u32 {
        let packet = profile.memory.max_packet.get();
        match self {
            Way::Plain => packet.min(14 * buffer),
            Way::Windows => WINDOW.min(packet),
            Way::Applet(Applet::Reliable)
            | Way::EmpApplet(Applet::Reliable)
            | Way::ViaApplet(_, Applet::Reliable) => 1_024.min(buffer).min(packet - 16),
            // The applet assumes that each message fits in one buffer and in its own array.
            Way::Applet(Applet::RawUnetSingle)
            | Way::EmpApplet(Applet::RawUnetSingle)
            | Way::ViaApplet(_, Applet::RawUnetSingle) => packet.min(4_096).min(buffer),
            Way::Applet(_) | Way::EmpApplet(_) => packet.min(9_216).min(14 * buffer),
            Way::Emp if is_any => 20_000,
            Way::Emp => 20_000.min(buffer),
            Way::Via(_) | Way::ViaApplet(..) | Way::Clan(_) => match splits || is_any {
                true => packet.min(14 * buffer),
                false => packet.min(buffer),
            },
        }
    }
}

impl End {
    fn draw(
        generator: &mut Generator,
        profile: &Profile,
        (way, longest): (Way, u32),
        (nic, (sender, buffer)): (char, (u64, u32)),
    ) -> End {
        let traffic = Traffic::of(profile, longest).with_limit(buffer);
        // How often the user looks: often, or later than a time-out.
        let time_outs = traffic.time_outs_ns();
        let time_out = time_outs[index(generator, time_outs.len())];
        let stall = [time_out / 2, time_out, 2 * time_out, 20 * time_out][index(generator, 4)];
        let notify = match below(generator, 6) {
            0 => "notify = 'upcall'".to_owned(),
            1 | 2 => format!("poll_every = '{stall}ns'"),
            3 => "poll_every = '7us'".to_owned(),
            _ => String::new(),
        };
        let messages = match below(generator, 5) {
            0 => 0,
            1 => index(generator, 10),
            _ => 20 + index(generator, 140),
        };
        let messages = traffic.draw(generator, messages).into_iter().zip(0..);
        let messages = messages.map(|(due, number)| {
            let tag = match way {
                Way::Emp => below(generator, 3) as u16,
                _ => 0,
            };
            Message::new((due.at_ns, due.length), (sender, number, tag))
        });
        let messages: Vec<Message> = messages.collect();
        let latest = messages.last().map_or(1, |message| message.at_ns + 1);
        let mut receives = Vec::new();
        if way == Way::Emp && below(generator, 2) == 0 {
            for tag in [Some(0), Some(1), Some(2), None] {
                for _ in 0..below(generator, 4) {
                    let at_ns = [0, 0, stall, below(generator, latest)][index(generator, 4)];
                    let length = [buffer, 20_000][index(generator, 2)];
                    let repeat = 1 + below(generator, 400);
                    receives.push(Receive {
                        at_ns,
                        tag,
                        length,
                        repeat,
                    });
                }
            }
        }
        let mut regions = Vec::new();
        // `Reliable` repeats a message for ever if its peer has no buffer and says so.
        let repeats = way.applet() == Some(Applet::Reliable);
        if way.interface() == InterfaceKind::Via && below(generator, 4) == 0 && !repeats {
            for number in 0..2 * (1 + below(generator, 6)) {
                regions.push((below(generator, latest), number % 2 == 1));
            }
            regions.sort_unstable();
        }
        let few = below(generator, 3) == 0 && !repeats;
        let count = if few {
            below(generator, 4)
        } else {
            4 + below(generator, 60)
        };
        End {
            nic,
            buffers: (count as u32, buffer),
            queues: (1 + below(generator, 12), 1 + below(generator, 64)),
            notify,
            messages,
            receives,
            regions,
        }
    }

    fn write(&self, text: &mut String, name: &str, keys: &[String]) {
        let (count, length) = self.buffers;
        let receives: u32 = self.receives.iter().map(|receive| receive.length).sum();
        // A window of the peer lies at the start, where the owner's user puts no messages.
        let held = (count * length).max(receives).max(WINDOW);
        let area = held + (count + 1) * 4 + 2 * 65_536;
        let (tx, rx) = self.queues;
        writeln!(
            text,
            "[[endpoint]]\nnic = '{}'\nname = '{name}'\n{}\n{}\nbuffer_area = {area}\n\
             tx_queue = {tx}\nrx_queue = {rx}",
            self.nic,
            keys.join("\n"),
            self.notify
        )
        .unwrap();
        // Without buffers the window is the part of the area before the transmit region.
        match keys.iter().any(|key| key.contains("Windows")) {
            true => writeln!(text, "free_buffers = {{ count = 1, length = {WINDOW} }}").unwrap(),
            false => writeln!(
                text,
                "free_buffers = {{ count = {count}, length = {length} }}"
            )
            .unwrap(),
        }
        for receive in &self.receives {
            let Receive {
                at_ns,
                length,
                repeat,
                ..
            } = receive;
            let tag = receive
                .tag
                .map_or("'any'".to_owned(), |tag| tag.to_string());
            writeln!(
                text,
                "[[receive]]\nendpoint = '{name}'\ntag = {tag}\nsource = 'any'\nlength = {length}\n\
                 at = '{at_ns}ns'\nrepeat = {repeat}"
            )
            .unwrap();
        }
        for (at_ns, registers) in &self.regions {
            let action = if *registers { "register" } else { "deregister" };
            writeln!(
                text,
                "[[region]]\nat = '{at_ns}ns'\nendpoint = '{name}'\naction = '{action}'"
            )
            .unwrap();
        }
        let is_emp = keys.iter().any(|key| key.contains("'emp'"));
        for message in &self.messages {
            let hex: String = message
                .bytes
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let tag = match is_emp {
                true => format!("tag = {}\n", message.tag),
                false => String::new(),
            };
            writeln!(
                text,
                "[[send]]\nendpoint = '{name}'\nchannel = 1\n{tag}at = '{}ns'\npayload = {{ hex = '{hex}' }}",
                message.at_ns
            )
            .unwrap();
        }
    }
}

impl Exchange {
    /// Returns smaller exchanges, those that leave out most first.
    pub(super) fn smaller(&self) -> Vec<Exchange> {
        let mut all = Vec::new();
        let mut add = |change: &dyn Fn(&mut Exchange)| {
            let mut smaller = self.clone();
            change(&mut smaller);
            all.push(smaller);
        };
        if self.pairs.len() > 1 {
            for pair in 0..self.pairs.len() {
                add(&|exchange| _ = exchange.pairs.remove(pair));
            }
        }
        if self.faults.is_any() {
            add(&|exchange| exchange.faults = Faults::NONE);
            add(&|exchange| exchange.faults.loss = 0);
            add(&|exchange| exchange.faults.duplicate = 0);
            add(&|exchange| exchange.faults.corrupt = 0);
            add(&|exchange| exchange.faults.reorder = 0);
        }
        if !self.nic_keys.is_empty() {
            add(&|exchange| exchange.nic_keys = String::new());
        }
        for pair in 0..self.pairs.len() {
            for end in 0..2 {
                let of = &self.pairs[pair].ends[end];
                let count = of.messages.len();
                let mut part = count;
                while part > 0 {
                    for start in (0..count).step_by(part).take(24) {
                        let range = start..(start + part).min(count);
                        add(&|exchange| {
                            _ = exchange.pairs[pair].ends[end].messages.drain(range.clone());
                        });
                    }
                    part /= 2;
                }
                if !of.regions.is_empty() {
                    add(&|exchange| exchange.pairs[pair].ends[end].regions.clear());
                    add(&|exchange| _ = exchange.pairs[pair].ends[end].regions.pop());
                }
                for receive in 0..of.receives.len() {
                    add(&|exchange| _ = exchange.pairs[pair].ends[end].receives.remove(receive));
                }
                if !of.notify.is_empty() {
                    add(&|exchange| exchange.pairs[pair].ends[end].notify.clear());
                }
            }
        }
        all
    }
}
