//! Reads a whole scenario: first the TOML, then each part after the parts that it refers to.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use bumpalo::Bump;
use jive_embed::plain_text::{self, NotUtf8};
use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::context::Context;
use super::endpoints;
use super::expect;
use super::files::{Directory, Files};
use super::golden;
use super::keys::{ROOT, STATS};
use super::limits;
use super::mistake::Mistake;
use super::network;
use super::nics;
use super::ports;
use super::print;
use super::processes;
use super::profiles::{self, NicProfiles};
use super::programs;
use super::ranges;
use super::receives;
use super::regions;
use super::rings;
use super::swaps;
use super::table::{Mistakes, Table, wrong_type};
use super::topology;
use super::traffic::{self, Sends};
use super::vis;
use super::windows;
use crate::profile::Profile;
use crate::spec::{LimitsSet, Scenario, Span};

/// The reason why a text is no valid scenario.
#[derive(Clone, Debug)]
pub enum ScenarioError {
    /// The text is not UTF-8.
    NotUtf8(NotUtf8),
    /// The text is not TOML; each syntax error has its place in the [plain text](plain_text), and the parser's message.
    Syntax(Vec<(Span, String)>),
    /// The text is TOML, but no valid scenario. The list has at least one mistake, and is in the order of the file.
    Mistakes(Vec<Mistake>),
}

impl std::fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (count, (span, message)) = match self {
            Self::NotUtf8(error) => return error.fmt(f),
            Self::Syntax(errors) => {
                let first = errors.first().map(|(span, text)| (*span, text.clone()));
                (errors.len(), first.unwrap_or_default())
            }
            Self::Mistakes(mistakes) => {
                let first = mistakes.first();
                let first = first.map(|mistake| (mistake.span, mistake.kind.to_string()));
                (mistakes.len(), first.unwrap_or_default())
            }
        };
        write!(f, "{message} (offset {})", span.start)?;
        match count {
            0 | 1 => Ok(()),
            more => write!(f, ", and {} more mistakes", more - 1),
        }
    }
}

impl std::error::Error for ScenarioError {}

/// How long a run with a capture goes on after its last packet is due.
const AFTER_LAST_PACKET: SimDuration = SimDuration::from_ns(1_000_000_000);

/// How many events each packet of a capture adds to the default of `max_events`: many times what a packet needs.
const EVENTS_PER_PACKET: u64 = 1_000;

/// How many instructions each packet of a capture adds to the default of `max_bytecodes`, in the proportion of the
/// defaults.
const BYTECODES_PER_PACKET: u64 = 200_000;

/// Reads a scenario, whose file names are relative to `directory`. If `directory` is `None`, the scenario may only name
/// files that are built in. A given `seed` overrides that of the scenario.
///
/// # Errors
///
/// Returns every mistake that was found in the scenario, with its place.
pub fn parse(
    bytes: &[u8],
    directory: Option<&Path>,
    seed: Option<u64>,
) -> Result<Scenario, ScenarioError> {
    let files = directory.map(|directory| {
        let files: Arc<dyn Files> = Arc::new(Directory(directory.to_owned()));
        files
    });
    parse_with(bytes, files, seed, None)
}

/// Reads a scenario as [`parse`] does, with the files that it names from anywhere.
///
/// # Errors
///
/// Returns the same errors as [`parse`].
pub fn parse_from(
    bytes: &[u8],
    files: Arc<dyn Files>,
    seed: Option<u64>,
) -> Result<Scenario, ScenarioError> {
    parse_with(bytes, Some(files), seed, None)
}

/// Reads a scenario that names only built-in files, and replaces its profile by the given profile.
///
/// # Errors
///
/// Returns the same errors as [`parse`].
pub fn parse_on(text: &str, profile: &Profile) -> Result<Scenario, ScenarioError> {
    parse_with(text.as_bytes(), None, None, Some(profile))
}

/// Returns the text of a scenario in which each entry with ranges is written out, and so is its topology. It is the
/// same scenario. Comments are lost.
///
/// # Errors
///
/// Returns an error if the text is not TOML, or if ranges or topology have mistakes.
pub fn write_out(bytes: &[u8]) -> Result<String, ScenarioError> {
    let text = text(bytes)?;
    let arena = Bump::new();
    let mut mistakes = Mistakes::default();
    let document = document(&text, &arena, &mut mistakes)?;
    match mistakes.is_empty() {
        true => Ok(print::text(document.get_ref())),
        false => Err(ScenarioError::Mistakes(mistakes.into_sorted())),
    }
}

fn text(bytes: &[u8]) -> Result<Cow<'_, str>, ScenarioError> {
    let text = plain_text::plain(bytes).map_err(ScenarioError::NotUtf8)?;
    if plain_text::has_another_mark(&text) {
        let place = 0..plain_text::BYTE_ORDER_MARK.len();
        let mistake = (place.into(), plain_text::ANOTHER_MARK.to_owned());
        return Err(ScenarioError::Syntax(vec![mistake]));
    }
    Ok(text)
}

/// Returns the tables of a text, in which entries with ranges are written out, and the topology is.
fn document<'t>(
    text: &'t str,
    arena: &'t Bump,
    mistakes: &mut Mistakes,
) -> Result<Spanned<DeTable<'t>>, ScenarioError> {
    let (mut document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(ScenarioError::Syntax(
            errors
                .iter()
                .take(limits::MISTAKES_MAX)
                .map(|error| {
                    let span = error.span().unwrap_or(0..0);
                    (span.into(), error.message().to_owned())
                })
                .collect(),
        ));
    }
    ranges::write_out(document.get_mut(), ROOT.section, arena, mistakes);
    topology::write_out(document.get_mut(), arena, mistakes);
    Ok(document)
}

fn parse_with(
    bytes: &[u8],
    files: Option<Arc<dyn Files>>,
    seed: Option<u64>,
    profile: Option<&Profile>,
) -> Result<Scenario, ScenarioError> {
    let text = text(bytes)?;
    let arena = Bump::new();
    let mut mistakes = Mistakes::default();
    let document = document(&text, &arena, &mut mistakes)?;
    let root = Table::new(
        document.get_ref(),
        document.span(),
        ROOT.section,
        &mut mistakes,
    );
    let in_file = ROOT.seed.get(&root, &mut mistakes);
    let seed = seed.unwrap_or(in_file);
    let context = Context::new(files, seed, mistakes);
    read_root(&root, context, profile).map_err(ScenarioError::Mistakes)
}

fn read_root(
    root: &Table<'_>,
    mut context: Context,
    given: Option<&Profile>,
) -> Result<Scenario, Vec<Mistake>> {
    let profile = match given {
        Some(given) => shared(given),
        None => profile(root, &mut context),
    };
    let (mut nics, nic_names) = nics::read(root, &profile, &mut context);
    let of_nic = NicProfiles::new(&profile, &nics);
    let network = network::read(root, (&nics, &nic_names), &of_nic, &mut context);
    processes::hosts(root, (&mut nics, &of_nic), &nic_names, &mut context);
    let processes = processes::read(root, (&nic_names, &of_nic), &mut context);
    let mut endpoints = endpoints::read(root, (&nic_names, &processes), &of_nic, &mut context);
    let channels = traffic::channels(
        root,
        &mut endpoints,
        (&nics, &of_nic, &network),
        &mut context,
    );
    programs::check(&mut endpoints, processes.classes(), context.mistakes());
    endpoints::check_interfaces(&endpoints, &channels, &of_nic, context.mistakes());
    vis::check_connections(&endpoints, &channels, context.mistakes());
    traffic::check_code_channels(&endpoints, &channels, context.mistakes());
    let receives = receives::read(root, &mut endpoints, &mut context);
    processes::check_exchanges(&endpoints, &channels, &of_nic, context.mistakes());
    let Sends {
        sends,
        replays,
        captures,
        last,
    } = traffic::sends(root, &endpoints, &of_nic, &mut context);
    let swaps = swaps::read(root, &endpoints, &of_nic, &mut context);
    let regions = regions::read(root, &endpoints, &mut context);
    let mut of_programs = |what, why, named: Vec<EndpointId>| {
        programs::check_theirs(&endpoints, (what, why), named, context.mistakes());
    };
    let named = sends.iter().map(|send| send.endpoint);
    let why = "it sends the messages itself";
    of_programs("no `[[send]]` here", why, named.collect());
    let named = swaps.iter().map(|swap| swap.endpoint);
    let why = "its VIs have no applets";
    of_programs("no `[[swap]]` here", why, named.collect());
    let named = regions.iter().map(|region| region.endpoint);
    let why = "its library registers the buffer area";
    of_programs("no `[[region]]` here", why, named.collect());
    let places = (&nics[..], &of_nic, &network);
    let before = context.mistakes().len();
    let windows = windows::read(root, &endpoints, places, &mut context);
    // A window that could not be read is not missing.
    if context.mistakes().len() == before {
        rings::check(&endpoints, &windows, &of_nic, context.mistakes());
    }
    let ports = ports::read(root, &endpoints, places, &mut context);
    let mistakes = context.mistakes();
    ports::check_links(&endpoints, &network, mistakes);
    ports::check_programs(&endpoints, &ports, &of_nic, mistakes);
    let ends = channels
        .iter()
        .flat_map(|channel| [channel.a.0, channel.b.0]);
    let of_messages = ends.map(|id| ("[[channel]]", id));
    let of_messages = of_messages.chain(sends.iter().map(|send| ("[[send]]", send.endpoint)));
    let of_messages = of_messages.chain(replays.iter().map(|send| ("[[send]]", send.endpoint)));
    let ends = windows
        .iter()
        .flat_map(|window| [window.owner, window.writer]);
    let of_messages = of_messages.chain(ends.map(|id| ("[[window]]", id)));
    ports::check_theirs(&endpoints, of_messages, mistakes);
    let of_channels = channels.iter().map(|channel| (channel.a.0, channel.b.0));
    let of_windows = windows.iter().map(|window| (window.owner, window.writer));
    let pairs: Vec<_> = of_channels.chain(of_windows).collect();
    network.check_buffers(&pairs, (&endpoints.nics, &of_nic), mistakes);
    let allows_deadlock = ROOT.allow_deadlock.get(root, mistakes);
    if !allows_deadlock {
        network.check_circles(&pairs, &endpoints.nics, &nics, mistakes);
    }
    let until = ROOT.until.given(root, mistakes);
    let events_max = ROOT.max_events.given(root, mistakes);
    let bytecodes_max = ROOT.max_bytecodes.given(root, mistakes);
    let limits_set = LimitsSet {
        until: until.is_some(),
        events: events_max.is_some(),
        bytecodes: bytecodes_max.is_some(),
    };
    // A capture runs to its end unless the scenario says otherwise.
    let packets: u64 = captures.iter().map(|capture| capture.sent).sum();
    let more = |each: u64, most: u64, default: u64| {
        packets
            .saturating_mul(each)
            .saturating_add(default)
            .min(most)
    };
    let until = until.map_or_else(
        || {
            let default = SimTime::ZERO + ROOT.until.default();
            match captures.is_empty() {
                true => default,
                false => default.max(last + AFTER_LAST_PACKET),
            }
        },
        |until| SimTime::ZERO + until.value,
    );
    let events_max = events_max.map_or_else(
        || {
            more(
                EVENTS_PER_PACKET,
                limits::EVENTS_MAX,
                ROOT.max_events.default(),
            )
        },
        |given| given.value,
    );
    let bytecodes_max = bytecodes_max.map_or_else(
        || {
            more(
                BYTECODES_PER_PACKET,
                limits::BYTECODES_MAX,
                ROOT.max_bytecodes.default(),
            )
        },
        |given| given.value,
    );
    let link_type = ROOT.link_type.get(root, mistakes);
    let stats = ROOT.stats.raw(root, mistakes);
    let stats = stats.and_then(|value| Table::of_value(value, STATS.section, mistakes));
    let stats_from = stats.map_or(SimDuration::ZERO, |stats| STATS.from.get(&stats, mistakes));
    let stats_from = SimTime::ZERO + stats_from;
    // The plan of a sweep has its own reader.
    if let Some(sweep) = ROOT.sweep.raw(root, mistakes)
        && !matches!(sweep.get_ref(), DeValue::Table(_))
    {
        mistakes.add(sweep.span(), wrong_type("a table", sweep.get_ref()));
    }
    let expectations = expect::read(root, (&endpoints, &swaps, &processes), &mut context);
    let golden = golden::read(root, &mut context);
    let seed = context.seed();
    let (classes, files, mistakes) = context.finish();
    if !mistakes.is_empty() {
        return Err(mistakes.into_sorted());
    }
    Ok(Scenario {
        profile: Arc::unwrap_or_clone(profile),
        seed,
        until,
        events_max,
        bytecodes_max,
        limits_set,
        stats_from,
        link_type,
        golden,
        nics: nics.into(),
        switches: network.switches,
        routing: network.routing,
        links: network.links,
        allows_deadlock,
        processes: processes.specs,
        programs: processes.programs,
        endpoints: endpoints.specs.into(),
        completion_queues: endpoints.completion_queues,
        channels,
        receives,
        sends,
        replays,
        captures,
        swaps,
        regions,
        windows,
        ports,
        expectations,
        classes,
        poisons_rx_buf: false,
        lenient_load: false,
        files,
    })
}

/// Reads the profile of the scenario, or the default one.
fn profile(root: &Table<'_>, context: &mut Context) -> Arc<Profile> {
    match profiles::named(&ROOT.profile, root, context) {
        Some(profile) => profile,
        None => {
            profiles::builtin(&ROOT.profile.default()).expect("the default profile is built in")
        }
    }
}

/// Copies a profile to the heap, because it is large and the reader's stack should stay small.
#[inline(never)]
fn shared(profile: &Profile) -> Arc<Profile> {
    Arc::new(profile.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::MistakeKind;
    use crate::spec::InterfaceKind;
    use crate::spec::{ChannelSpec, HostSpec, Notify};
    use nic_core::id::{ChannelId, EndpointId, NicId};

    const ONE_NIC: &str = "[[nic]]\nname = \"a\"\n[[endpoint]]\nnic = \"a\"\nname = \"e\"\n";

    fn read(text: &str) -> Scenario {
        parse(text.as_bytes(), None, None).expect("the scenario is right")
    }

    #[test]
    fn what_is_absent_has_the_contracts_defaults() {
        let scenario = read(ONE_NIC);
        assert_eq!(scenario.profile.name, "lanai-1998");
        assert_eq!(scenario.until, SimTime::from_ps(1_000_000_000_000));
        assert_eq!(scenario.events_max, 10_000_000);
        assert_eq!(scenario.bytecodes_max, 2_000_000_000);
        assert_eq!(scenario.nics[0].sram, 256 * 1024);
        let endpoint = &scenario.endpoints[0];
        assert_eq!(endpoint.class, None);
        assert_eq!(endpoint.buffer_area, 65_536);
        assert_eq!(endpoint.free_buffer_count, 8);
        assert_eq!(endpoint.free_buffer_length, 4_096);
        assert_eq!(endpoint.host, HostSpec::Sink);
        assert_eq!(endpoint.fuel, 1_000_000);
        assert_eq!((endpoint.tx_queue, endpoint.rx_queue), (64, 64));
        assert!(matches!(endpoint.notify, Notify::Poll { .. }));
        let [link] = &scenario.links[..] else {
            panic!("expected one link, found {:?}", scenario.links);
        };
        assert_eq!(link.between, (NicId(0), NicId(0)));
        assert_eq!(link.wire.bandwidth.get(), 160_000_000);
        assert_eq!((link.loss, link.crc), (0.0, true));
    }

    #[test]
    fn unknown_interface_lists_known_ones() {
        let with = |name| format!("{ONE_NIC}interface = '{name}'\n");
        assert_eq!(
            read(&with("unet")).endpoints[0].interface,
            InterfaceKind::Unet
        );
        let error = parse(with("unett").as_bytes(), None, None).unwrap_err();
        let ScenarioError::Mistakes(mistakes) = error else {
            panic!("expected a mistake, found {error:?}");
        };
        let [mistake] = &mistakes[..] else {
            panic!("expected one mistake, found {mistakes:?}");
        };
        assert_eq!(
            mistake.kind.to_string(),
            "expected `unet`, `emp`, `via` or `lmmc`"
        );
    }

    #[test]
    fn an_endpoint_is_joined_to_itself_by_two_numbers() {
        let scenario = read(&format!("{ONE_NIC}[[channel]]\ne = [4, 3]\n"));
        let end = |channel| (EndpointId(0), ChannelId(channel));
        let (a, b) = (end(4), end(3));
        assert_eq!(scenario.channels, [ChannelSpec { a, b }]);
    }

    #[test]
    fn payloads_have_their_forms() {
        let send = |payload: &str| {
            let text = format!(
                "{ONE_NIC}[[send]]\nendpoint = \"e\"\nchannel = 1\nat = \"1.5us\"\n\
                 repeat = 2\nevery = \"2ms\"\npayload = {{ {payload} }}\n"
            );
            let [send] = <[_; 1]>::try_from(read(&text).sends).expect("one send");
            assert_eq!(send.at, SimTime::from_ps(1_500_000));
            assert_eq!(
                (send.repeat, send.every),
                (2, SimDuration::from_ns(2_000_000))
            );
            send.payload
        };
        assert_eq!(send("text = \"hé\""), "hé".as_bytes());
        assert_eq!(send("hex = \"00fF\""), [0x00, 0xff]);
        assert_eq!(send("zeros = 3"), [0, 0, 0]);
        let counted = send("count = 258");
        assert_eq!(
            (counted.len(), &counted[254..]),
            (258, &[254, 255, 0, 1][..])
        );
        assert_eq!(send("random = \"1KB\"").len(), 1_000);
        assert_eq!(send("random = 9"), send("random = 9"));
    }

    #[test]
    fn random_payloads_depend_on_the_seed_and_not_on_neighbours() {
        let random = "[[send]]\nendpoint = \"e\"\nchannel = 1\npayload = { random = 16 }\n";
        let neighbour = "[[endpoint]]\nnic = \"a\"\nname = \"f\"\n[[send]]\nendpoint = \"f\"\n\
                         channel = 1\npayload = { random = 16 }\n";
        let alone = read(&format!("{ONE_NIC}{random}"));
        let crowded = read(&format!("{ONE_NIC}{neighbour}{random}{random}"));
        assert_eq!(alone.sends[0].payload, crowded.sends[1].payload);
        assert_ne!(crowded.sends[1].payload, crowded.sends[2].payload);
        assert_ne!(crowded.sends[0].payload, crowded.sends[1].payload);
        let text = format!("{ONE_NIC}{random}");
        let other = parse(text.as_bytes(), None, Some(2)).expect("the scenario is right");
        assert_ne!(alone.sends[0].payload, other.sends[0].payload);
    }

    #[test]
    fn what_endpoints_allocate_is_limited_in_sum() {
        let rejected = |key: &str| {
            let mut text = String::from("[[nic]]\nname = \"a\"\nsram = 4294967295\n");
            for name in 0..limits::ENDPOINTS_MAX {
                text += &format!("[[endpoint]]\nnic = \"a\"\nname = \"e{name}\"\n{key}\n");
            }
            match parse(text.as_bytes(), None, None) {
                Err(ScenarioError::Mistakes(mistakes)) => mistakes[0].kind.clone(),
                other => panic!("expected too much of {key}, found {other:?}"),
            }
        };
        let many = |what, limit| MistakeKind::TooMany { what, limit };
        let descriptors = many("descriptors of queues", limits::QUEUES_TOTAL_MAX);
        assert_eq!(rejected("rx_queue = 65536"), descriptors);
        assert_eq!(rejected("tx_queue = 65536"), descriptors);
        assert_eq!(
            rejected("free_buffers = { count = 65536, length = 1 }"),
            many("free buffers", limits::FREE_BUFFERS_TOTAL_MAX)
        );
        // With at most 65,536 - 9,216 bytes of heap per endpoint, 4,096 heaps with their `RxBuf`s just fit the limit.
        assert_eq!(
            rejected("applet = \"builtin:Drop\"\nheap = 56321"),
            many("bytes of heaps and `RxBuf`s", limits::HEAPS_TOTAL_MAX)
        );
    }

    #[test]
    fn a_pair_without_a_link_has_the_profiles_wire() {
        let nics = "[[nic]]\nname = \"a\"\n[[nic]]\nname = \"b\"\n[[nic]]\nname = \"c\"\n";
        let pairs = |text: &str| {
            let links = read(text).links;
            links
                .iter()
                .map(|link| (link.between.0.0, link.between.1.0))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            pairs(nics),
            [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
        );
        let one = format!("{nics}[[link]]\nbetween = [\"c\", \"a\"]\nlatency = \"1us\"\n");
        assert_eq!(
            pairs(&one),
            [(0, 2), (0, 0), (0, 1), (1, 1), (1, 2), (2, 2)]
        );
        let us = |index: usize| read(&one).links[index].wire.latency.as_ns();
        assert_eq!((us(0), us(2)), (1_000, 500));
    }

    #[test]
    fn of_an_unknown_nic_no_link_is_missed() {
        let ends = "[[endpoint]]\nnic = \"x\"\nname = \"e\"\n[[endpoint]]\nnic = \"b\"\nname = \"f\"\n\
                    [[channel]]\ne = 1\nf = 1\n";
        let a = "[[nic]]\nname = \"a\"\n";
        let b = "[[nic]]\nname = \"b\"\nprofile = \"modern\"\n";
        let kinds = |nics: &str| match parse(format!("{nics}{ends}").as_bytes(), None, None) {
            Err(ScenarioError::Mistakes(mistakes)) => {
                mistakes.into_iter().map(|it| it.kind).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
        assert!(matches!(
            kinds(&format!("{a}{b}"))[..],
            [MistakeKind::UnknownName { .. }]
        ));
        assert!(matches!(
            kinds("")[..],
            [
                MistakeKind::NoNics,
                MistakeKind::UnknownName { .. },
                MistakeKind::UnknownName { .. }
            ]
        ));
    }

    #[test]
    fn deeply_nested_input_is_refused_and_does_not_exhaust_the_stack() {
        // The reader refuses nesting deeper than a few dozen levels. A stack of a megabyte is enough for a few dozen
        // levels of nesting.
        let reader = std::thread::Builder::new().stack_size(1 << 20);
        let read = reader.spawn(|| {
            for open in ["[", "{a="] {
                let text = format!("x = {}", open.repeat(100_000));
                let error = parse(text.as_bytes(), None, None).expect_err("it is no scenario");
                assert!(matches!(error, ScenarioError::Syntax(_)), "{error:?}");
            }
        });
        read.expect("a thread starts")
            .join()
            .expect("nothing was found");
    }

    #[test]
    fn unbounded_demands_are_refused() {
        let refused = |more: &str| {
            let text = format!("{ONE_NIC}{more}");
            match parse(text.as_bytes(), None, None) {
                Err(ScenarioError::Mistakes(mistakes)) => mistakes[0].kind.clone(),
                other => panic!("expected a mistake, found {other:?}"),
            }
        };
        assert!(matches!(
            refused("buffer_area = \"2048MiB\"\n"),
            MistakeKind::OutOfRange {
                maximum: 0x7fff_ffff,
                ..
            }
        ));
        assert!(matches!(
            refused("buffer_area = \"1024MiB\"\n"),
            MistakeKind::TooMany {
                what: "bytes of buffer areas",
                ..
            }
        ));
        assert!(matches!(
            refused(&"[[nic]]\nname = \"n\"\n".repeat(4_097)),
            MistakeKind::TooMany {
                what: "`[[nic]]`",
                limit: 4_096
            }
        ));
        let send = "[[send]]\nendpoint = \"e\"\nchannel = 1\npayload = { zeros = \"999MiB\" }\n";
        assert!(matches!(refused(send), MistakeKind::OutOfRange { .. }));
    }
}
