//! The interfaces that are compared: one row each, which says whose NIC it has and how its ends are written in a scenario.
//!
//! A further interface is a further row of [`INTERFACES`]. If its users need programs of their own, [`User`] gets a variant.

use std::fmt::Write as _;

use nic_core::time::SimDuration;
use nic_runtime::profile::{BaseCosts, Profile};

use super::work::{Ends, REQUEST, Work};
use crate::paper::via::Variant;

/// An interface of a paper.
#[derive(Copy, Clone, Debug)]
pub(super) struct Interface {
    /// The name under which tables and relations show the interface.
    pub(super) name: &'static str,
    /// The built-in profile of its paper's NIC.
    pub(super) profile: &'static str,
    /// The optional sections of a profile that it needs.
    pub(super) needs: &'static [&'static str],
    /// Keys of each NIC.
    nic: &'static str,
    /// Keys of each endpoint.
    endpoint: &'static str,
    user: User,
}

/// What the processes at both ends run.
#[derive(Copy, Clone, Debug)]
enum User {
    /// The built-in programs that exchange messages over every interface.
    Messages(Server),
    /// The programs in Java, with the natives of a variant.
    Java(Variant),
}

/// How a server is joined to its clients.
#[derive(Copy, Clone, Debug)]
enum Server {
    /// One endpoint has a channel to each client.
    Channels,
    /// A process has a VI for each client, and one completion queue.
    Vis,
}

const UNET: Interface = Interface {
    name: "U-Net, base",
    profile: "lanai-1998",
    needs: &["base"],
    nic: "",
    endpoint: "",
    user: User::Messages(Server::Channels),
};

const VIA: Interface = Interface {
    name: "VIA, hardware",
    profile: "giganet-1999",
    needs: &["base"],
    nic: "",
    endpoint: "interface = 'via'\nprovider = 'hardware'\n",
    user: User::Messages(Server::Vis),
};

const EMP: Interface = Interface {
    name: "EMP, base",
    profile: "tigon2-2002",
    needs: &["emp"],
    nic: "processors = 2\nplacement = 'base'\n",
    endpoint: "interface = 'emp'\n",
    user: User::Messages(Server::Channels),
};

const fn java(name: &'static str, variant: Variant) -> Interface {
    Interface {
        name,
        needs: &["base", "javia"],
        user: User::Java(variant),
        ..VIA
    }
}

/// The interfaces, in the order of the tables.
pub(super) const INTERFACES: &[Interface] = &[
    UNET,
    Interface {
        name: "U-Net, RawUnet",
        needs: &["base", "entry", "native", "native_fuel", "quota"],
        endpoint: "applet = 'builtin:RawUnet'\n",
        ..UNET
    },
    VIA,
    Interface {
        name: "VIA, clan",
        profile: "clan-2001",
        needs: &["via", "clan"],
        endpoint: "interface = 'via'\nprovider = 'clan'\n",
        ..VIA
    },
    EMP,
    Interface {
        name: "EMP, RO",
        nic: "processors = 2\nplacement = 'RO'\n",
        ..EMP
    },
    java("Javia-I, copy+alloc", Variant::CopyAlloc),
    java("Javia-I, copy", Variant::Copy),
    java("Javia-I, pin", Variant::Pin),
    java("Javia-I, pin+alloc", Variant::PinAlloc),
    java("Javia-II, buffer", Variant::Buffer),
];

/// Returns a time of a processor with the first of two clocks as one of as many cycles of the second, to the nearest
/// picosecond.
fn in_cycles(time: SimDuration, [from, to]: [u64; 2]) -> SimDuration {
    let scaled =
        (u128::from(time.as_ps()) * u128::from(from) * 2 + u128::from(to)) / (2 * u128::from(to));
    SimDuration::from_ps(u64::try_from(scaled).unwrap_or(u64::MAX))
}

/// Buffers for messages at each end that receives from one other.
const BUFFERS: u32 = 16;

/// Messages of a stream that one message of the receiver answers.
const ANSWERED: u32 = BUFFERS / 2;

impl Interface {
    /// Returns the profile of its paper's NIC.
    pub(super) fn own_profile(&self) -> Profile {
        Profile::builtin(self.profile).expect("it is built in")
    }

    /// Returns a profile as the interface has it on a NIC that all interfaces share, with none but the sections that it
    /// needs. A VI in the NIC is no program of the NIC's processor, so that the costs of U-Net are not its own: it has those
    /// of its paper's NIC, in as many cycles.
    pub(super) fn on_shared(&self, shared: &Profile) -> Profile {
        let mut profile = self.bare(shared);
        if self.profile == VIA.profile {
            let own = self.own_profile();
            let clocks = [&own, shared].map(|profile| profile.processor.clock.get());
            profile.base = own.base.map(|base| BaseCosts {
                transmit: in_cycles(base.transmit, clocks),
                receive: in_cycles(base.receive, clocks),
                poll: in_cycles(base.poll, clocks),
            });
        }
        profile
    }

    /// Returns a profile without the sections that the interface does not need.
    pub(super) fn bare(&self, profile: &Profile) -> Profile {
        let mut bare = profile.clone();
        let needs = |section: &str| self.needs.contains(&section);
        bare.base = bare.base.filter(|_| needs("base"));
        bare.entry = bare.entry.filter(|_| needs("entry"));
        bare.native = bare.native.filter(|_| needs("native"));
        bare.native_fuel = bare.native_fuel.filter(|_| needs("native_fuel"));
        bare.quota = bare.quota.filter(|_| needs("quota"));
        bare.emp = bare.emp.filter(|_| needs("emp"));
        bare.via = bare.via.filter(|_| needs("via"));
        bare.clan = bare.clan.filter(|_| needs("clan"));
        bare.javia = bare.javia.filter(|_| needs("javia"));
        bare
    }

    /// Returns the scenario in which the interface does a piece of work `rounds` times; a word for the reason if it
    /// cannot.
    pub(super) fn scenario(&self, work: Work, rounds: u32) -> Result<String, &'static str> {
        let head = "until = '100s'\nmax_events = 100000000\n";
        let body = match (self.user, work) {
            (User::Messages(_), Work::PingPong(length)) => {
                let programs = [
                    format!("host = 'emp-ping'\nrounds = {rounds}\nmessage_length = {length}\n"),
                    "host = 'echo'\n".to_owned(),
                ];
                self.pair(length, programs)
            }
            (User::Messages(_), Work::Stream(length)) => {
                let programs = [
                    format!(
                        "host = 'credit-stream'\nrounds = {rounds}\nmessage_length = {length}\n"
                    ),
                    format!("host = 'acknowledge'\nacknowledge_every = {ANSWERED}\n"),
                ];
                self.pair(length, programs)
            }
            (User::Messages(server), Work::Server(clients)) => {
                self.clients(server, (clients, rounds))
            }
            (User::Java(variant), Work::PingPong(length)) => {
                let state = format!("rounds = {rounds}");
                self.classes(["Ping", "Pong"], variant, (length, &state))
            }
            (User::Java(variant), Work::Stream(length)) => {
                let state = format!("count = {rounds}, credits = {BUFFERS}");
                self.classes(["Source", "Drain"], variant, (length, &state))
            }
            (User::Java(variant), Work::Server(clients)) => {
                self.clients_in_java(variant, (clients, rounds))
            }
        };
        Ok(head.to_owned() + &body)
    }

    /// Returns the ends whose messages are measured.
    pub(super) fn ends(&self, work: Work) -> Ends {
        match (self.user, work) {
            (_, Work::PingPong(_) | Work::Stream(_)) => Ends::PAIR,
            // The server's endpoints come first.
            (User::Messages(Server::Vis) | User::Java(_), Work::Server(clients)) => {
                Ends::clients_after(clients)
            }
            (User::Messages(Server::Channels), Work::Server(_)) => Ends::clients_after(1),
        }
    }

    /// Writes a NIC.
    fn nic(&self, name: &str) -> String {
        format!("[[nic]]\nname = '{name}'\n{}", self.nic)
    }

    /// Writes an endpoint with `count` buffers.
    fn end(&self, (nic, name): (&str, &str), (count, length): (u32, u32), rest: &str) -> String {
        let room = room(length);
        let area = room * u64::from(2 * count + 2);
        format!(
            "[[endpoint]]\nnic = '{nic}'\nname = '{name}'\n{}poll_every = '1ns'\n\
             buffer_area = '{area}B'\nfree_buffers = {{ count = {count}, length = '{room}B' }}\n\
             rx_queue = {count}\n{rest}",
            self.endpoint
        )
    }

    /// Writes two ends that exchange messages.
    fn pair(&self, length: u32, [left, right]: [String; 2]) -> String {
        let buffers = (BUFFERS, length);
        [
            self.nic("a"),
            self.nic("b"),
            self.end(("a", "left"), buffers, &left),
            self.end(("b", "right"), buffers, &right),
            "[[channel]]\nleft = 1\nright = 1\n".to_owned(),
        ]
        .concat()
    }

    /// Writes a server and its clients, each on a NIC of its own.
    fn clients(&self, server: Server, (clients, rounds): (u32, u32)) -> String {
        let mut text = self.nic("server");
        text += "[[process]]\nname = 'service'\nnic = 'server'\nprogram = 'echo'\n";
        let of_service = "process = 'service'\n";
        let name_at_server = |client: u32| match server {
            Server::Channels => ("s".to_owned(), client + 1),
            Server::Vis => (format!("s{client}"), 1),
        };
        match server {
            Server::Channels => {
                text += &self.end(("server", "s"), (2 * clients, REQUEST), of_service);
            }
            Server::Vis => {
                let rest = format!("{of_service}completion = {{ receive = 'q' }}\n");
                for client in 0..clients {
                    let (name, _) = name_at_server(client);
                    text += &self.end(("server", &name), (2, REQUEST), &rest);
                }
            }
        }
        let program = format!("host = 'emp-ping'\nrounds = {rounds}\nmessage_length = {REQUEST}\n");
        for client in 0..clients {
            let (nic, name) = (format!("n{client}"), format!("c{client}"));
            let (at_server, number) = name_at_server(client);
            text += &self.nic(&nic);
            text += &self.end((&nic, &name), (2, REQUEST), &program);
            let _infallible = write!(text, "[[channel]]\n{name} = 1\n{at_server} = {number}\n");
        }
        text
    }

    /// Writes two programs in Java.
    fn classes(
        &self,
        [left, right]: [&str; 2],
        variant: Variant,
        (length, state): (u32, &str),
    ) -> String {
        let count = 2 * BUFFERS + 4;
        let of_one = |nic: &str, class: &str, name: &str| {
            [
                self.nic(nic),
                runs(nic, class, (variant, count), (length, state)),
                self.of_class((nic, name), (variant, count), length),
            ]
            .concat()
        };
        [
            of_one("a", left, "left"),
            of_one("b", right, "right"),
            "[[channel]]\nleft = 1\nright = 1\nconnect = 'program'\n".to_owned(),
        ]
        .concat()
    }

    /// Writes a server in Java and its clients, each on a NIC of its own.
    fn clients_in_java(&self, variant: Variant, (clients, rounds): (u32, u32)) -> String {
        let state = format!("rounds = {rounds}");
        let of_server = format!("{state}, clients = {clients}");
        let of_server = (REQUEST, of_server.as_str());
        let mut text = self.nic("server");
        text += &runs("server", "Turns", (variant, 4 * clients), of_server);
        for client in 0..clients {
            let end = format!("s{client}");
            text += &self.of_class(("server", &end), (variant, 4), REQUEST);
        }
        for client in 0..clients {
            let (nic, end) = (format!("n{client}"), format!("c{client}"));
            text += &self.nic(&nic);
            text += &runs(&nic, "Ping", (variant, 4), (REQUEST, &state));
            text += &self.of_class((&nic, &end), (variant, 4), REQUEST);
            let _infallible = write!(
                text,
                "[[channel]]\n{end} = 1\ns{client} = 1\nconnect = 'program'\n"
            );
        }
        text
    }

    /// Writes a VI of a class, with `count` native buffers.
    fn of_class(
        &self,
        (nic, name): (&str, &str),
        (variant, count): (Variant, u32),
        length: u32,
    ) -> String {
        let room = room(length);
        let free = match variant {
            Variant::Buffer => 0,
            Variant::CopyAlloc | Variant::Copy | Variant::Pin | Variant::PinAlloc => count,
        };
        format!(
            "[[endpoint]]\nnic = '{nic}'\nname = '{name}'\nprocess = '{nic}-runs'\n{}\
             buffer_area = '{}B'\nfree_buffers = {{ count = {free}, length = '{room}B' }}\n",
            self.endpoint,
            room * u64::from(2 * count),
        )
    }
}

/// Returns the bytes of a buffer for messages of a length.
fn room(length: u32) -> u64 {
    u64::from(length.max(64).next_multiple_of(64))
}

/// Writes the process of a class, with room for so many messages.
fn runs(
    nic: &str,
    class: &str,
    (variant, count): (Variant, u32),
    (length, state): (u32, &str),
) -> String {
    let memory = (room(length) + 64) * u64::from(2 * count);
    format!(
        "[[process]]\nname = '{nic}-runs'\nnic = '{nic}'\nprogram = 'class:builtin:{class}'\n\
         heap = '{memory}B'\nbuffers = '{memory}B'\n\
         state = {{ variant = {}, length = {length}, {state} }}\n",
        variant.number(),
    )
}
