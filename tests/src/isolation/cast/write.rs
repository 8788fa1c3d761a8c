//! The scenario of a cast, as a file and as a value.

use std::fmt::Write as _;

use jive_lab::asm::assemble;
use nic_runtime::profile::{Flow, Profile};
use nic_runtime::spec::{ClassSpec, Scenario};

use super::{Cast, Link, Send, Stage, VICTIM_AREA, VICTIM_BUFFERS, Victims, setting, victim_names};
use crate::simulation;

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

impl Cast {
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
        if let Some(network) = &self.network {
            let _infallible = writeln!(text, "[topology]\n{network}");
        }
        let profile = Profile::builtin(self.stage.profile).expect("a built-in profile");
        for (nic, keys) in self.nics.iter().enumerate() {
            let processors = &keys.processors;
            let _infallible = writeln!(
                text,
                "[[nic]]\nname = 'n{nic}'\nsram = '512MiB'\n{processors}"
            );
            if let Some(processors) = keys.host_processors(&profile) {
                let _infallible =
                    writeln!(text, "[[host]]\nnic = 'n{nic}'\nprocessors = {processors}");
            }
        }
        for a in 0..self.nics.len() {
            for b in a..self.nics.len() {
                if self.network.is_some() && a != b {
                    continue;
                }
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
            pair.write(&mut text, victim_names(number), self.stage);
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

impl Send {
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
    fn write(&self, text: &mut String, names: [String; 2], stage: Stage) {
        let [client, server] = &names;
        for (name, nic, host) in [
            (client, self.nics.0, "sink"),
            (server, self.nics.1, self.host),
        ] {
            // A packet that is received directly needs one buffer.
            let (count, length) = match stage.receives_directly() {
                true => (VICTIM_BUFFERS / 3, 9216),
                false => setting(self.interface).buffers,
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
