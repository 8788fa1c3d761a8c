//! Reads `[[host]]` and `[[process]]` tables: the programs on each host, and how many of them run at a time.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use nic_core::id::{EndpointId, NicId};

use super::context::Context;
use super::endpoint_table::{Endpoints, transmit_region};
use super::limits;
use super::mistake::{MistakeKind, Named};
use super::names::NameIndex;
use super::table::{self, Mistakes, Table, choice, keys};
use crate::spec::Span;
use crate::spec::{ChannelSpec, HostSpec, NicSpec, ProcessSpec};
use crate::spec::{Exchange, ExchangePattern};

pub(super) const PROCESS_KEYS: &[&str] = &[
    "name",
    "nic",
    "program",
    "acknowledge_every",
    "rounds",
    "message_length",
];
pub(super) const HOST_KEYS: &[&str] = &["nic", "processors"];

/// Default of `acknowledge_every`: the paper's burst length.
const ACKNOWLEDGE_EVERY_DEFAULT: NonZeroU32 = NonZeroU32::new(25).expect("25 is not 0");

/// Default of `rounds`: 20 rounds to fill every queue, and 200 rounds to measure.
const ROUNDS_DEFAULT: u32 = 220;

/// Default of `message_length`, in bytes: the shortest message that the paper on EMP measures.
const MESSAGE_LENGTH_DEFAULT: u32 = 10;

/// The programs that a process can run.
const PROGRAMS: [(&str, HostSpec); 6] = [
    ("sink", HostSpec::Sink),
    ("echo", HostSpec::Echo),
    (
        "acknowledge",
        HostSpec::Acknowledge {
            every: ACKNOWLEDGE_EVERY_DEFAULT,
        },
    ),
    ("emp-ping", exchange(ExchangePattern::Ping)),
    ("emp-stream", exchange(ExchangePattern::Stream)),
    ("emp-both-ways", exchange(ExchangePattern::BothWays)),
];
const PROGRAM_NAMES: [&str; PROGRAMS.len()] = keys(&PROGRAMS);

/// The keys of programs, which a process has beside the key `program`, and an endpoint beside `host`.
const PROGRAM_KEYS: [&str; 3] = ["acknowledge_every", "rounds", "message_length"];

const fn exchange(pattern: ExchangePattern) -> HostSpec {
    HostSpec::Exchange(Exchange {
        pattern,
        rounds: ROUNDS_DEFAULT,
        length: MESSAGE_LENGTH_DEFAULT,
    })
}

/// The processes of a scenario, with their names and places.
pub(super) struct Processes<'t> {
    pub(super) specs: Vec<ProcessSpec>,
    /// The NIC of each process; `None` if the process's table names no NIC of the scenario.
    nics: Vec<Option<NicId>>,
    names: NameIndex<'t>,
    places: Vec<Span>,
}

/// Reads every `[[process]]`.
pub(super) fn read<'t>(
    root: &Table<'t>,
    nics: &NameIndex<'_>,
    context: &mut Context<'_>,
) -> Processes<'t> {
    let mistakes = context.mistakes();
    let mut names = NameIndex::new(Named::Process);
    let limit = limits::ENDPOINTS_MAX;
    let tables = root.tables("process", "`[[process]]`", PROCESS_KEYS, limit, mistakes);
    let (mut homes, mut places) = (Vec::new(), Vec::new());
    let specs = tables.iter().map(|table| {
        let name = names.define(table, mistakes).to_owned();
        let nic = table.need("nic", mistakes);
        places.push(nic.map_or(table.span, |nic| nic.span().into()));
        let nic = nic.and_then(|value| nics.find_value(value, mistakes));
        let nic = nic.map(NicId);
        homes.push(nic);
        ProcessSpec {
            name,
            // Any NIC id serves as a placeholder, because a scenario with a mistake is not run. Checks that need the
            // process's NIC use `Processes::nics`.
            nic: nic.unwrap_or(NicId(0)),
            program: program(table, "program", mistakes),
        }
    });
    Processes {
        specs: specs.collect(),
        nics: homes,
        names,
        places,
    }
}

impl Processes<'_> {
    /// Reads the process of an endpoint on `nic`, and the program that the process runs. An endpoint without the key
    /// `process` is a process of its own and runs the program `host`.
    pub(super) fn of_endpoint(
        &self,
        endpoint: &Table<'_>,
        nic: Option<NicId>,
        mistakes: &mut Mistakes,
    ) -> (Option<u32>, HostSpec) {
        let Some(value) = endpoint.value("process") else {
            return (None, program(endpoint, "host", mistakes));
        };
        for key in std::iter::once("host").chain(PROGRAM_KEYS) {
            if let Some(both) = endpoint.value(key) {
                let of = "process";
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
    nics: &mut [NicSpec],
    names: &NameIndex<'_>,
    context: &mut Context<'_>,
) {
    let mistakes = context.mistakes();
    let tables = root.tables("host", "`[[host]]`", HOST_KEYS, nics.len(), mistakes);
    let mut places: Vec<Option<Span>> = vec![None; nics.len()];
    for table in &tables {
        let range = 1..=limits::HOST_PROCESSORS_MAX;
        let processors = table
            .need("processors", mistakes)
            .map(|_| table.number("processors", 1, range, table::integer, mistakes));
        let nic = table.need("nic", mistakes);
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
}

/// Reads the program that `key` names, and the keys of that program.
fn program(table: &Table<'_>, key: &'static str, mistakes: &mut Mistakes) -> HostSpec {
    let program = choice(table, key, &PROGRAMS, &PROGRAM_NAMES, mistakes);
    let program = program.unwrap_or(HostSpec::Sink);
    for own in PROGRAM_KEYS {
        let of_exchange = own != "acknowledge_every";
        let is_known = match program {
            HostSpec::Sink | HostSpec::Echo => false,
            HostSpec::Acknowledge { .. } => !of_exchange,
            HostSpec::Exchange(_) => of_exchange,
        };
        if let Some(value) = table.value(own).filter(|_| !is_known) {
            let partner = match (key, of_exchange) {
                ("program", false) => "program = \"acknowledge\"",
                ("program", true) => "program = \"emp-ping\"",
                (_, false) => "host = \"acknowledge\"",
                (_, true) => "host = \"emp-ping\"",
            };
            let kind = MistakeKind::NeedsPartner { key: own, partner };
            mistakes.add(value.span(), kind);
        }
    }
    let mut number = |key, default: u32, range| {
        let number = table.number(key, default.into(), range, table::integer, mistakes);
        u32::try_from(number).unwrap_or(default)
    };
    match program {
        HostSpec::Sink | HostSpec::Echo => program,
        HostSpec::Acknowledge { every } => {
            let found = number("acknowledge_every", every.get(), 1..=u64::from(u32::MAX));
            let every = NonZeroU32::new(found).unwrap_or(every);
            HostSpec::Acknowledge { every }
        }
        HostSpec::Exchange(exchange) => HostSpec::Exchange(Exchange {
            pattern: exchange.pattern,
            rounds: number("rounds", exchange.rounds, 1..=u64::from(u32::MAX)),
            length: number(
                "message_length",
                exchange.length,
                0..=limits::BUFFER_AREA_MAX,
            ),
        }),
    }
}

/// Checks that each endpoint on which messages are exchanged has a channel, and room for a message.
pub(super) fn check_exchanges(
    endpoints: &Endpoints<'_>,
    channels: &[ChannelSpec],
    mistakes: &mut Mistakes,
) {
    let joined: BTreeSet<EndpointId> = channels
        .iter()
        .flat_map(|spec| [spec.a.0, spec.b.0])
        .collect();
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
        if !joined.contains(&id) {
            mistakes.add(*place, MistakeKind::ExchangeWithoutChannel);
        }
        let (length, region) = (exchange.length.into(), transmit_region(spec));
        if length > region {
            mistakes.add(*place, MistakeKind::PayloadDoesNotFit { length, region });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{ScenarioError, parse};

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
