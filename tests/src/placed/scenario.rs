//! Draws a scenario: two endpoints with applets and a pair of neighbours on the same two NICs, over each interface.

use core::fmt::Write as _;
use std::collections::BTreeMap;

use jive_core::ClassFile;
use jive_embed::verify_class;
use jive_lab::Random;
use jive_lab::asm::assemble;
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};
use nic_runtime::profile::Profile;

use jive_lab::generate::counted::{Gear, placed};

/// A scenario with what it names.
pub(super) struct Case {
    pub(super) toml: String,
    /// The profile, which the scenario names as the file `p.toml`.
    pub(super) profile: String,
    /// The classes by name.
    pub(super) applets: BTreeMap<String, Applet>,
    pub(super) interface: &'static str,
}

/// A class of a scenario.
pub(super) struct Applet {
    pub(super) source: String,
    pub(super) bytes: Vec<u8>,
    /// Index of the endpoint where it runs.
    pub(super) endpoint: u32,
    /// Position of the class in the chain there.
    pub(super) position: usize,
}

/// The profiles on which applets run.
const PROFILES: [(&str, &str); 9] = [
    (
        "lanai-1998",
        include_str!("../../../nic-runtime/profiles/lanai-1998.toml"),
    ),
    (
        "lanai-1998-parallel",
        include_str!("../../../nic-runtime/profiles/lanai-1998-parallel.toml"),
    ),
    (
        "lanai-1998-split",
        include_str!("../../../nic-runtime/profiles/lanai-1998-split.toml"),
    ),
    (
        "lanai-1998-dual-dma",
        include_str!("../../../nic-runtime/profiles/lanai-1998-dual-dma.toml"),
    ),
    (
        "modern",
        include_str!("../../../nic-runtime/profiles/modern.toml"),
    ),
    (
        "giganet-1999",
        include_str!("../../../nic-runtime/profiles/giganet-1999.toml"),
    ),
    (
        "tigon2-2002",
        include_str!("../../../nic-runtime/profiles/tigon2-2002.toml"),
    ),
    (
        "clan-programmable",
        include_str!("../../../nic-runtime/profiles/clan-programmable.toml"),
    ),
    (
        "unet-host-1998",
        include_str!("../../../nic-runtime/profiles/unet-host-1998.toml"),
    ),
];

const EMP: usize = 6;
const WINDOWS: usize = 7;
const ON_HOST: usize = 8;

/// The memory of an endpoint.
#[derive(Copy, Clone)]
struct Area {
    keys: &'static str,
    /// Bytes of its buffer area.
    length: usize,
    /// Bytes of the longest message that its user can post.
    room: usize,
}

const AREAS: [Area; 4] = [
    Area {
        keys: "",
        length: 65_536,
        room: 900,
    },
    Area {
        keys: "buffer_area = 1024\nfree_buffers = { count = 2, length = 100 }\n",
        length: 1_024,
        room: 824,
    },
    Area {
        keys: "buffer_area = 16\nfree_buffers = { count = 1, length = 8 }\n",
        length: 16,
        room: 8,
    },
    Area {
        keys: "buffer_area = 2048\nfree_buffers = { count = 4, length = 50 }\n",
        length: 2_048,
        room: 900,
    },
];

/// Draws a scenario.
pub(super) fn draw(random: &mut Random) -> Result<Case, String> {
    let interface = ["unet", "unet", "via", "emp", "windows"][random.below(5)];
    let base = match interface {
        "emp" => EMP,
        "windows" => WINDOWS,
        "via" => [0, 2, 4, 5][random.below(4)],
        _ => random.below(PROFILES.len()),
    };
    let (_, text) = PROFILES[base];
    let profile = altered(random, text);
    // A few changes contradict each other.
    let is_right = Profile::parse(&profile).is_ok();
    let profile = match is_right && !random.one_in(4) {
        true => profile,
        false => text.to_owned(),
    };
    let mut writer = Writer {
        random,
        interface,
        gear: Gear {
            extras: true,
            windows: interface == "windows",
        },
        case: Case {
            toml: String::new(),
            profile,
            applets: BTreeMap::new(),
            interface,
        },
    };
    writer.scenario(base)?;
    Ok(writer.case)
}

/// Returns a profile with other values of some keys.
fn altered(random: &mut Random, text: &str) -> String {
    let slice = random.below(5);
    let mut changes = vec![(
        "[nic]",
        "slice",
        ["'3us'", "'20us'", "'90us'", "'300us'", "'500us'"][slice].to_owned(),
    )];
    if random.one_in(2) {
        let factor = ["1.001", "1.4", "1.7", "3.0"][random.below(4)];
        changes.push(("[processor]", "contention", factor.to_owned()));
    }
    if random.one_in(2) {
        let each = ["'1ns'", "'126ns'", "'0.333ns'", "'400ns'", "'0us'"][random.below(5)];
        changes.push(("[processor]", "bytecode", each.to_owned()));
    }
    if random.one_in(3) {
        let rate = ["'1MB/s'", "'7KB/s'", "'40GB/s'"][random.below(3)];
        changes.push(("[native]", "copy", rate.to_owned()));
    }
    if random.one_in(4) {
        changes.push(("[dma]", "takes", "'one'".to_owned()));
    }
    if random.one_in(4) {
        changes.push(("[dma]", "request", "'2.5us'".to_owned()));
    }
    if random.one_in(4) {
        changes.push(("[memory]", "dma_slots", "1".to_owned()));
        changes.push(("[memory]", "send_slots", "2".to_owned()));
    }
    let mut changed = String::new();
    for line in text.lines() {
        let key = line.split_once('=').map(|(key, _)| key.trim());
        if changes.iter().any(|(_, other, _)| key == Some(other)) {
            continue;
        }
        let _ = writeln!(changed, "{line}");
        for (_, key, value) in changes.iter().filter(|(section, ..)| *section == line) {
            let _ = writeln!(changed, "{key} = {value}");
        }
    }
    changed
}

struct Writer<'r> {
    random: &'r mut Random,
    interface: &'static str,
    gear: Gear,
    case: Case,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        // Writing to a string never fails.
        let _ = writeln!(self.case.toml, "{line}");
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len())]
    }

    fn scenario(&mut self, base: usize) -> Result<(), String> {
        let until = self.pick(&["20ms", "60ms"]);
        self.line(&format!(
            "profile = './p.toml'\nuntil = '{until}'\nmax_events = 30000\nmax_bytecodes = 20000000"
        ));
        for name in ["a", "b"] {
            let processors = self.processors(base);
            self.line(&format!(
                "[[nic]]\nname = '{name}'\nsram = '8MiB'\n{processors}"
            ));
        }
        if base == ON_HOST {
            // A processor for each loop, and sometimes one for the processes.
            for name in ["a", "b"] {
                let processors = self.pick(&[2, 3]);
                self.line(&format!(
                    "[[host]]\nnic = '{name}'\nprocessors = {processors}"
                ));
            }
        }
        let areas = [self.area(0), self.area(1)];
        let is_capsule = matches!(self.interface, "unet" | "windows") && self.random.one_in(3);
        let is_swap = self.interface != "emp" && self.random.one_in(3);
        for (number, name) in ["c", "s"].into_iter().enumerate() {
            let is_replaced = number == 1 && (is_capsule || is_swap);
            let count = match self.interface {
                "unet" if !is_replaced => 1 + self.random.below(5) / 2,
                _ => 1,
            };
            let mut keys = areas[number].keys.to_owned();
            if number == 1 && is_capsule {
                keys += "accept_capsules = true\n";
            }
            self.endpoint(number, name, count, &keys)?;
        }
        self.line("[[channel]]\nc = 1\ns = 1");
        self.neighbours(base)?;
        if self.interface == "windows" {
            for (owner, writer, area) in [("c", "s", areas[0]), ("s", "c", areas[1])] {
                let length = area.length.min(64);
                self.line(&format!(
                    "[[window]]\nowner = '{owner}'\nwriter = '{writer}'\nnumber = 1\nlength = {length}"
                ));
            }
        }
        if is_capsule {
            self.line("[[endpoint]]\nnic = 'a'\nname = 'k'\n[[channel]]\nk = 1\ns = 0");
            self.applet("N0", 1, 0)?;
            self.line(
                "[[send]]\nendpoint = 'k'\nchannel = 1\nat = '4ms'\npayload = { capsule = 'N0.class', number = 1 }",
            );
        }
        if is_swap {
            self.applet("W0", 1, 0)?;
            self.line("[[swap]]\nendpoint = 's'\nat = '9ms'\napplet = 'W0.class'");
        }
        for _ in 0..6 + self.random.below(8) {
            let from = self.pick(&[0, 0, 1]);
            let length = self.pick(&[0, 1, 4, 12, 57, 100, 1_000]);
            let length = length.min(areas[from].room);
            let endpoint = ["c", "s"][from];
            let at = self.random.below(19_000);
            let repeat = self.pick(&[1, 1, 2, 5]);
            let every = self.pick(&["0us", "40us", "700us", "3ms"]);
            self.line(&format!(
                "[[send]]\nendpoint = '{endpoint}'\nchannel = 1\nat = '{at}us'\nrepeat = {repeat}\nevery = \
                 '{every}'\npayload = {{ count = {length} }}"
            ));
        }
        Ok(())
    }

    fn processors(&mut self, base: usize) -> String {
        let placement = if self.interface == "emp" {
            self.pick(&["'base'", "'SO'", "'RO'", "'DSR'", "'SR'", "'dynamic'"])
        } else if base == EMP && self.random.one_in(4) {
            "'RO'"
        } else {
            match self.random.below(5) {
                0 => "{ doTx = 0, doRx = 1 }",
                1 => "{ transmit = 1, receive = 0, doTx = 0, doRx = 1 }",
                2 => "{ doTx = 1, doRx = 1, doTimer = 0, receive = 0 }",
                _ => return String::new(),
            }
        };
        format!("processors = 2\nplacement = {placement}\n")
    }

    fn area(&mut self, number: usize) -> Area {
        match self.random.below(5) {
            0 => AREAS[1],
            1 if number == 1 => AREAS[2],
            2 => AREAS[3],
            _ => AREAS[0],
        }
    }

    /// Writes an endpoint with this many applets.
    fn endpoint(
        &mut self,
        number: usize,
        name: &str,
        count: usize,
        keys: &str,
    ) -> Result<(), String> {
        let mut names = Vec::new();
        for position in 0..count {
            let class = format!("{}{position}", name.to_uppercase());
            self.applet(&class, number, position)?;
            names.push(format!("'{class}.class'"));
        }
        let applets = match &names[..] {
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        let nic = ["a", "b"][number % 2];
        let fuel = self.pick(&[500, 8_000, 8_000, 30_000]);
        // Two users that echo would not end.
        let host = self.pick(if number == 0 {
            &["sink"]
        } else {
            &["sink", "echo", "echo"]
        });
        let mut line = format!(
            "[[endpoint]]\nnic = '{nic}'\nname = '{name}'\napplet = {applets}\nfuel = {fuel}\nhost = '{host}'\n{keys}"
        );
        line += match self.interface {
            "emp" => "interface = 'emp'\n",
            "via" => "interface = 'via'\nreliability = 'delivery'\nsplit = true\n",
            _ => "",
        };
        if count == 1 {
            if self.random.one_in(4) {
                line += "state = { f = 700, fixed = 300 }\n";
            }
            line += self.pick(&["", "", "on_trap = 'base-path'\n", "on_trap = 'detach'\n"]);
        }
        self.line(&line);
        Ok(())
    }

    /// Writes two endpoints beside those with applets. Their messages make long calls yield, and use the same slots and
    /// engines.
    fn neighbours(&mut self, base: usize) -> Result<(), String> {
        let interface = match base {
            EMP => self.pick(&["emp", "emp", "via", "unet"]),
            _ => self.pick(&["via", "via", "unet"]),
        };
        let with_applet = self.random.one_in(3);
        for (number, name) in ["x", "y"].into_iter().enumerate() {
            let nic = ["a", "b"][number];
            let applet = match with_applet && number == 1 {
                true => {
                    self.applet("Y0", 3, 0)?;
                    "applet = 'Y0.class'\nfuel = 30000\n"
                }
                false => "",
            };
            let host = self.pick(if number == 0 {
                &["sink"]
            } else {
                &["sink", "echo"]
            });
            self.line(&format!(
                "[[endpoint]]\nnic = '{nic}'\nname = '{name}'\ninterface = '{interface}'\nhost = '{host}'\n{applet}"
            ));
        }
        self.line("[[channel]]\nx = 1\ny = 1");
        for endpoint in ["x", "y"] {
            let length = self.pick(&[0, 60, 900, 3_000]);
            let length = length.min(if interface == "via" { 900 } else { length });
            let repeat = self.pick(&[10, 60]);
            let every = self.pick(&["30us", "170us", "500us"]);
            self.line(&format!(
                "[[send]]\nendpoint = '{endpoint}'\nchannel = 1\nrepeat = {repeat}\nevery = '{every}'\npayload = {{ count = \
                 {length} }}"
            ));
        }
        Ok(())
    }

    /// Generates a class that runs at this place.
    fn applet(&mut self, name: &str, endpoint: usize, position: usize) -> Result<(), String> {
        let gear = Gear {
            extras: position == 0 || self.random.one_in(2),
            windows: self.gear.windows && endpoint < 2,
        };
        let source = placed(self.random, name, gear);
        let assembled = assemble(name, &source).map_err(|error| format!("{error}\n{source}"))?;
        let mut index = vec![0; ClassFile::index_len(&assembled.bytes)];
        let class = ClassFile::parse(&assembled.bytes, &mut index);
        let class = class.map_err(|error| error.to_string())?;
        let policy = Policy::Applet {
            entries: NicEntry::TABLE,
        };
        verify_class(class, policy, NicNative::TABLE, &mut ())
            .map_err(|error| format!("{error}\n{source}"))?;
        let applet = Applet {
            source,
            bytes: assembled.bytes,
            endpoint: u32::try_from(endpoint).map_err(|error| error.to_string())?,
            position,
        };
        self.case.applets.insert(name.to_owned(), applet);
        Ok(())
    }
}
