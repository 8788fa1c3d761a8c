//! Reads `[[host]]` and `[[process]]` tables: the programs on each host, and how many of them run at a time.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use nic_core::id::{EndpointId, NicId};

use super::context::Context;
use super::endpoint_table::{Endpoints, transmit_region};
use super::key::{Count, Default, Key};
use super::keys::{ENDPOINT, HOST, PROCESS, Program, ROOT};
use super::limits;
use super::mistake::{MistakeKind, Named};
use super::names::NameIndex;
use super::profiles::NicProfiles;
use super::programs;
use super::table::{Mistakes, Table};
use crate::host::PROCESSORS_WITH_LOOP;
use crate::spec::{
    ChannelSpec, EndpointSpec, Exchange, ExchangePattern, HostSpec, InterfaceKind, NicSpec,
    PageTraffic, ProcessSpec, ProgramSpec, RingRequests, Span,
};

/// The processes of a scenario, with their names and places.
pub(super) struct Processes<'t> {
    pub(super) specs: Vec<ProcessSpec>,
    /// The NIC of each process; `None` if the process's table names no NIC of the scenario.
    nics: Vec<Option<NicId>>,
    pub(super) names: NameIndex<'t>,
    places: Vec<Span>,
    /// The classes that processes run.
    pub(super) programs: Vec<ProgramSpec>,
}

/// Reads every `[[process]]`.
pub(super) fn read<'t>(
    root: &Table<'t>,
    (nics, of_nic): (&NameIndex<'_>, &NicProfiles),
    context: &mut Context,
) -> Processes<'t> {
    let mut names = NameIndex::new(Named::Process);
    let limit = limits::ENDPOINTS_MAX;
    let mistakes = context.mistakes();
    let tables = root.tables(ROOT.process.name, PROCESS.section, limit, mistakes);
    let (mut homes, mut places) = (Vec::new(), Vec::new());
    let mut programs = Vec::new();
    let specs = tables.iter().map(|table| {
        let mistakes = context.mistakes();
        let name = names.define(&PROCESS.name, table, mistakes).to_owned();
        let nic = PROCESS.nic.raw(table, mistakes);
        places.push(nic.map_or(table.span, |nic| nic.span().into()));
        let nic = nic.and_then(|value| nics.find_value(value, mistakes));
        let nic = nic.map(NicId);
        homes.push(nic);
        let chosen = PROCESS.program.get(table, mistakes);
        let mut program = program(table, (PROCESS.program.name, chosen), OF_PROCESS, mistakes);
        if chosen != Program::Class {
            programs::check_keys(table, mistakes);
        } else if let Some(class) = programs::read(table, nic, of_nic, context) {
            let number = u32::try_from(programs.len()).expect("there are few processes");
            program = HostSpec::Class(number);
            programs.push(class);
        }
        ProcessSpec {
            name,
            // Any NIC id serves as a placeholder, because a scenario with a mistake is not run. Checks that need the
            // process's NIC use `Processes::nics`.
            nic: nic.unwrap_or(NicId(0)),
            program,
        }
    });
    Processes {
        specs: specs.collect(),
        nics: homes,
        names,
        places,
        programs,
    }
}

impl Processes<'_> {
    /// Returns the processes that run classes: the number of the program, and the place of the process.
    pub(super) fn classes(&self) -> impl Iterator<Item = (u32, Span)> {
        let of_each = self.specs.iter().zip(&self.places);
        of_each.filter_map(|(spec, place)| match spec.program {
            HostSpec::Class(program) => Some((program, *place)),
            HostSpec::Sink
            | HostSpec::Echo
            | HostSpec::Acknowledge { .. }
            | HostSpec::Exchange(_)
            | HostSpec::RingServer
            | HostSpec::Pages(_)
            | HostSpec::PageEcho { .. }
            | HostSpec::RingClient(_) => None,
        })
    }

    /// Reads the process of an endpoint on `nic`, and the program that the process runs. An endpoint without the key
    /// `process` is a process of its own and runs the program `host`.
    pub(super) fn of_endpoint(
        &self,
        endpoint: &Table<'_>,
        nic: Option<NicId>,
        mistakes: &mut Mistakes,
    ) -> (Option<u32>, HostSpec) {
        let Some(value) = endpoint.value(ENDPOINT.process.name) else {
            let chosen = (ENDPOINT.host.name, ENDPOINT.host.get(endpoint, mistakes));
            return (None, program(endpoint, chosen, OF_ENDPOINT, mistakes));
        };
        let keys = OF_ENDPOINT.map(|key| key.name);
        for key in std::iter::once(ENDPOINT.host.name).chain(keys) {
            if let Some(both) = endpoint.value(key) {
                let of = ENDPOINT.process.name;
                mistakes.add(both.span(), MistakeKind::Excluded { key, of });
            }
        }
        let Some(process) = self.names.find_value(value, mistakes) else {
            return (None, HostSpec::Sink);
        };
        let Some(spec) = self.specs.get(process as usize) else {
            return (None, HostSpec::Sink);
        };
        let home = self.nics[process as usize];
        if let (Some(nic), Some(home)) = (nic, home)
            && nic != home
        {
            let place = self.places[process as usize];
            mistakes.add(value.span(), MistakeKind::ProcessElsewhere { place });
        }
        (Some(process), spec.program)
    }

    /// Reports processes that have the name of an endpoint as mistakes. An endpoint without a process counts as a
    /// process of its own name, so endpoints and processes must have different names.
    pub(super) fn check_names(&self, endpoints: &NameIndex<'_>, mistakes: &mut Mistakes) {
        for (name, place) in self.names.defined() {
            if let Some(first) = endpoints.place(name) {
                let named = Named::Endpoint;
                mistakes.add(place, MistakeKind::DuplicateName { named, first });
            }
        }
    }
}

/// Reads every `[[host]]`, and stores its number of processors in the host's NIC.
pub(super) fn hosts(
    root: &Table<'_>,
    (nics, of_nic): (&mut [NicSpec], &NicProfiles),
    names: &NameIndex<'_>,
    context: &mut Context,
) {
    let mistakes = context.mistakes();
    let tables = root.tables(ROOT.host.name, HOST.section, nics.len(), mistakes);
    let mut places: Vec<Option<Span>> = vec![None; nics.len()];
    for table in &tables {
        let processors = HOST.processors.or(1, table, mistakes);
        let nic = HOST.nic.raw(table, mistakes);
        let Some(nic) = nic else { continue };
        let Some(id) = names.find_value(nic, mistakes) else {
            continue;
        };
        let Some(spec) = nics.get_mut(id as usize) else {
            continue;
        };
        if let Some(first) = places[id as usize] {
            mistakes.add(nic.span(), MistakeKind::DuplicateHost { first });
        }
        places[id as usize] = Some(nic.span().into());
        spec.host = processors.and_then(|count| u32::try_from(count).ok());
    }
    for (id, spec) in (0u32..).map(NicId).zip(nics.iter()) {
        let has = spec.host.unwrap_or(PROCESSORS_WITH_LOOP);
        if of_nic.of(id).is_on_host() && spec.processors > has {
            let place = places[id.0 as usize];
            let loops = spec.processors;
            mistakes.add(
                spec.processors_place,
                MistakeKind::LoopsExceedHost { loops, has, place },
            );
        }
    }
}

/// The keys of programs: every how many messages one is answered, and the number and length of messages to exchange.
type ProgramKeys = [&'static Key<Count, Default>; 3];

const OF_PROCESS: ProgramKeys = [
    &PROCESS.acknowledge_every,
    &PROCESS.rounds,
    &PROCESS.message_length,
];
const OF_ENDPOINT: ProgramKeys = [
    &ENDPOINT.acknowledge_every,
    &ENDPOINT.rounds,
    &ENDPOINT.message_length,
];

/// Reads the keys of a program, which the given key has chosen.
fn program(
    table: &Table<'_>,
    (chosen_by, program): (&'static str, Program),
    keys: ProgramKeys,
    mistakes: &mut Mistakes,
) -> HostSpec {
    let [every, rounds, length] = keys;
    let is_acknowledge = program == Program::Acknowledge;
    let is_exchange = matches!(
        program,
        Program::Exchange(_) | Program::RingClient(_) | Program::Pages(_)
    );
    let has_length = is_exchange || program == Program::PageEcho;
    for (own, is_known) in [
        (every, is_acknowledge),
        (rounds, is_exchange),
        (length, has_length),
    ] {
        let of_exchange = own.name != every.name;
        if let Some(value) = table.value(own.name).filter(|_| !is_known) {
            let partner = match (chosen_by, of_exchange) {
                ("program", true) if program == Program::RingServer => "program = \"clan-ping\"",
                (_, true) if program == Program::RingServer => "host = \"clan-ping\"",
                ("program", true) if program == Program::PageEcho => "program = \"lmmc-ping\"",
                (_, true) if program == Program::PageEcho => "host = \"lmmc-ping\"",
                ("program", false) => "program = \"acknowledge\"",
                ("program", true) => "program = \"emp-ping\"",
                (_, false) => "host = \"acknowledge\"",
                (_, true) => "host = \"emp-ping\"",
            };
            let kind = MistakeKind::NeedsPartner {
                key: own.name,
                partner,
            };
            mistakes.add(value.span(), kind);
        }
    }
    let mut number = |key: &Key<Count, Default>| {
        u32::try_from(key.get(table, mistakes)).expect("the ranges of these keys have 32 bits")
    };
    match program {
        // The reader of classes puts its own in the place of a class.
        Program::Sink | Program::Class => HostSpec::Sink,
        Program::Echo => HostSpec::Echo,
        Program::Acknowledge => HostSpec::Acknowledge {
            every: NonZeroU32::new(number(every)).unwrap_or(NonZeroU32::MIN),
        },
        Program::Exchange(pattern) => HostSpec::Exchange(Exchange {
            pattern,
            rounds: number(rounds),
            length: number(length),
        }),
        Program::RingServer => HostSpec::RingServer,
        Program::Pages(pattern) => HostSpec::Pages(PageTraffic {
            pattern,
            rounds: number(rounds),
            length: number(length),
        }),
        Program::PageEcho => HostSpec::PageEcho {
            length: number(length),
        },
        Program::RingClient(outstanding) => HostSpec::RingClient(RingRequests {
            rounds: number(rounds),
            length: number(length),
            outstanding,
        }),
    }
}

/// Checks that each endpoint on which messages are exchanged has a channel, and room for a message.
pub(super) fn check_exchanges(
    endpoints: &Endpoints<'_>,
    channels: &[ChannelSpec],
    of_nic: &NicProfiles,
    mistakes: &mut Mistakes,
) {
    let mut served = BTreeSet::new();
    let specs = endpoints.specs.iter().zip(&endpoints.places);
    for (id, (spec, place)) in (0u32..).map(EndpointId).zip(specs) {
        let HostSpec::Exchange(exchange) = spec.host else {
            continue;
        };
        // The first endpoint of a process exchanges the messages of the process.
        if spec.process.is_some_and(|process| !served.insert(process)) {
            continue;
        }
        let ends = channels.iter();
        let mut ends = ends.flat_map(|spec| [(spec.a.0, spec.b.0), (spec.b.0, spec.a.0)]);
        match ends.find(|(own, _)| *own == id) {
            None => mistakes.add(*place, MistakeKind::ExchangeWithoutChannel),
            Some((_, peer)) => {
                let peer = &endpoints.specs[peer.0 as usize];
                mistakes.extend(*place, credits_run_out(exchange, peer));
            }
        }
        let (length, region) = (exchange.length.into(), transmit_region(spec));
        if length > region {
            mistakes.add(*place, MistakeKind::PayloadDoesNotFit { length, region });
        } else if let Some(nic) = endpoints.nics[id.0 as usize] {
            let most = of_nic.of(nic).memory.max_packet.get();
            mistakes.extend(*place, too_long(exchange, spec, most));
        }
    }
}

/// Returns the mistake of a stream that stops because its receiver never gives credits back.
fn credits_run_out(exchange: Exchange, peer: &EndpointSpec) -> Option<MistakeKind> {
    let HostSpec::Acknowledge { every } = peer.host else {
        return None;
    };
    let (every, buffers) = (every.get(), peer.free_buffer_count);
    let stops = exchange.pattern == ExchangePattern::Credits
        && every > buffers
        && exchange.rounds > buffers;
    stops.then_some(MistakeKind::CreditsRunOut { every, buffers })
}

/// Returns the mistake of messages that are longer than a packet, on an interface whose NIC refuses them. An applet may
/// cut a message into packets.
fn too_long(exchange: Exchange, spec: &EndpointSpec, most: u32) -> Option<MistakeKind> {
    let length = exchange.length;
    let may_be_cut = spec.class.is_some() || spec.interface == InterfaceKind::Emp;
    (!may_be_cut && length > most).then_some(MistakeKind::MessageTooLong { length, most })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{ScenarioError, parse};
    use crate::spec::ExchangePattern;

    const NICS: &str = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n";

    fn mistake(rest: &str) -> MistakeKind {
        match parse(format!("{NICS}{rest}").as_bytes(), None, None) {
            Err(ScenarioError::Mistakes(mistakes)) => match mistakes.as_slice() {
                [mistake] => mistake.kind.clone(),
                mistakes => panic!("{mistakes:?}"),
            },
            other => panic!("{rest}: {other:?}"),
        }
    }

    const SERVER: &str = "[[process]]\nname = 'server'\nnic = 'b'\nprogram = 'echo'\n";

    #[test]
    fn an_endpoint_runs_the_program_of_its_process() {
        let text = format!(
            "{NICS}[[host]]\nnic = 'b'\nprocessors = 2\n{SERVER}\
             [[endpoint]]\nnic = 'b'\nname = 'e'\nprocess = 'server'\n[[endpoint]]\nnic = 'a'\nname = 'f'\n"
        );
        let scenario = parse(text.as_bytes(), None, None).expect("the scenario is right");
        let [of_process, alone] = &*scenario.endpoints else {
            panic!("expected two endpoints");
        };
        assert_eq!(
            (of_process.process, of_process.host),
            (Some(0), HostSpec::Echo)
        );
        assert_eq!((alone.process, alone.host), (None, HostSpec::Sink));
        let hosts: Vec<_> = scenario.nics.iter().map(|nic| nic.host).collect();
        assert_eq!(hosts, [None, Some(2)]);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let endpoint = |nic: &str, more: &str| {
            format!("{SERVER}[[endpoint]]\nnic = '{nic}'\nname = 'e'\nprocess = 'server'\n{more}")
        };
        assert!(matches!(
            mistake(&endpoint("a", "")),
            MistakeKind::ProcessElsewhere { .. }
        ));
        // The NIC of the process is unknown, so the reader cannot tell that the endpoint is on another host.
        let lost = "[[process]]\nname = 'server'\nnic = 'x'\n\
                    [[endpoint]]\nnic = 'b'\nname = 'e'\nprocess = 'server'\n";
        assert!(matches!(mistake(lost), MistakeKind::UnknownName { .. }));
        let both = MistakeKind::Excluded {
            key: "host",
            of: "process",
        };
        assert_eq!(mistake(&endpoint("b", "host = 'sink'\n")), both);
        let unknown = "[[endpoint]]\nnic = 'a'\nname = 'e'\nprocess = 'sever'\n";
        assert!(matches!(
            mistake(&format!("{SERVER}{unknown}")),
            MistakeKind::UnknownName {
                named: Named::Process,
                suggestion: Some(_)
            }
        ));
        let same = "[[endpoint]]\nnic = 'a'\nname = 'server'\n";
        assert!(matches!(
            mistake(&format!("{SERVER}{same}")),
            MistakeKind::DuplicateName { .. }
        ));
        let host = "[[host]]\nnic = 'a'\nprocessors = 1\n";
        assert!(matches!(
            mistake(&format!("{host}{host}")),
            MistakeKind::DuplicateHost { .. }
        ));
        let none = "[[host]]\nnic = 'a'\nprocessors = 0\n";
        assert!(matches!(mistake(none), MistakeKind::OutOfRange { .. }));
        let missing = "[[host]]\nnic = 'a'\n";
        assert!(matches!(mistake(missing), MistakeKind::MissingKey { .. }));
    }

    #[test]
    fn keys_of_requests_at_their_server_name_the_client() {
        let text = "[[endpoint]]\nnic = 'a'\nname = 'e'\nhost = 'clan-server'\nrounds = 3\n";
        let mistakes = match parse(format!("{NICS}{text}").as_bytes(), None, None) {
            Err(ScenarioError::Mistakes(mistakes)) => mistakes,
            other => panic!("{other:?}"),
        };
        let (key, partner) = ("rounds", "host = \"clan-ping\"");
        let kinds: Vec<_> = mistakes.iter().map(|mistake| &mistake.kind).collect();
        assert!(
            kinds.contains(&&MistakeKind::NeedsPartner { key, partner }),
            "{kinds:?}"
        );
    }

    #[test]
    fn an_exchange_that_cannot_end_is_a_mistake() {
        let ends = |own: &str, peer: &str| {
            format!(
                "[[endpoint]]\nnic = 'a'\nname = 'e'\n{own}\n[[endpoint]]\nnic = 'b'\nname = 'f'\n{peer}\n\
                 [[link]]\nbetween = ['a', 'b']\n[[channel]]\ne = 1\nf = 1\n"
            )
        };
        let is_right = |own: &str, peer: &str| {
            let text = format!("{NICS}{}", ends(own, peer));
            parse(text.as_bytes(), None, None).is_ok()
        };
        let stream = |rounds: u32| format!("host = 'credit-stream'\nrounds = {rounds}");
        let peer = |every: u32| {
            format!(
                "host = 'acknowledge'\nacknowledge_every = {every}\n\
                 free_buffers = {{ count = 3, length = 64 }}"
            )
        };
        let (every, buffers) = (4, 3);
        assert_eq!(
            mistake(&ends(&stream(4), &peer(4))),
            MistakeKind::CreditsRunOut { every, buffers }
        );
        // The last three messages need no acknowledgement.
        assert!(is_right(&stream(3), &peer(4)) && is_right(&stream(4), &peer(3)));
        let ping = |length: u32| format!("host = 'emp-ping'\nmessage_length = {length}");
        let (length, most) = (9_217, 9_216);
        assert_eq!(
            mistake(&ends(&ping(length), "")),
            MistakeKind::MessageTooLong { length, most }
        );
        assert!(is_right(&ping(most), ""));
    }

    #[test]
    fn an_exchange_has_rounds_a_length_and_a_channel() {
        let text = |more: &str| {
            format!(
                "[[endpoint]]\nnic = 'a'\nname = 'e'\n{more}\n[[endpoint]]\nnic = 'b'\nname = 'f'\n\
                 [[channel]]\ne = 3\nf = 1\n"
            )
        };
        let read = |more: &str| {
            let text = format!("{NICS}{}", text(more));
            parse(text.as_bytes(), None, None)
                .expect("it is right")
                .endpoints[0]
                .host
        };
        let expected = |pattern, rounds, length| {
            HostSpec::Exchange(Exchange {
                pattern,
                rounds,
                length,
            })
        };
        assert_eq!(
            read("host = 'emp-stream'\nrounds = 7\nmessage_length = 0"),
            expected(ExchangePattern::Stream, 7, 0)
        );
        assert_eq!(
            read("host = 'emp-both-ways'"),
            expected(ExchangePattern::BothWays, 220, 10)
        );
        let needs = |key, partner| MistakeKind::NeedsPartner { key, partner };
        assert_eq!(
            mistake(&text("rounds = 7")),
            needs("rounds", "host = \"emp-ping\"")
        );
        assert_eq!(
            mistake(&text("host = 'emp-ping'\nacknowledge_every = 7")),
            needs("acknowledge_every", "host = \"acknowledge\"")
        );
        let none = "[[endpoint]]\nnic = 'a'\nname = 'e'\nhost = 'emp-ping'\n";
        assert_eq!(mistake(none), MistakeKind::ExchangeWithoutChannel);
        assert_eq!(
            mistake(&text("host = 'emp-ping'\nmessage_length = 32769")),
            MistakeKind::PayloadDoesNotFit {
                length: 32_769,
                region: 32_768
            }
        );
        for wrong in ["rounds = 0", "message_length = -1", "rounds = 4294967296"] {
            let found = mistake(&text(&format!("host = 'emp-ping'\n{wrong}")));
            assert!(matches!(found, MistakeKind::OutOfRange { .. }), "{found:?}");
        }
    }
}
