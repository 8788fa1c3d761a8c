//! At rest as at the start: whatever a run opens, sets, posts, swaps or maps and ends again, it holds as much after many
//! rounds of it as after a few.

use std::fmt::Write as _;
use std::path::Path;

use nic_core::event::EndReason;
use nic_core::id::ChannelId;
use nic_core::time::SimDuration;

use super::Census;
use crate::host::{Actions, ConnectionNews, Happened, HostProgram, Programs};
use crate::profile::{Events, Profile};
use crate::run::run_and_look;
use crate::scenario::{parse, parse_on};
use crate::spec::Scenario;

/// Numbers that say how often something happened, or when, or what comes next, that name something or are contents, by
/// the ends of their paths. All other numbers are amounts.
const COUNTERS: [&str; 47] = [
    ".acknowledged",
    ".attached_from",
    ".base",
    ".cookies_in.read",
    ".cookies_out.write",
    ".cookies_told",
    ".delivered",
    ".drawn",
    ".expected",
    ".first",
    ".free_at",
    ".free_at[]",
    ".gap_ends",
    ".handle",
    ".highest",
    ".in_a_row",
    ".interrupts_end[]",
    ".last",
    ".latest",
    ".left",
    ".libraries_end[]",
    ".link",
    ".lines{}",
    ".loads",
    ".messages",
    ".newest",
    ".next",
    ".next_creation",
    ".next_page",
    ".number",
    ".of_peer",
    ".oldest",
    ".opened",
    ".opened[]",
    ".packets_made",
    ".posted",
    ".region",
    ".returned",
    ".since",
    ".transfers_in.read",
    ".transfers_out.write",
    ".transfers_told",
    ".turn",
    ".waits",
    "chains[].buffers[]",
    "waits[].count",
    "waits[].time",
];

/// Amounts in spite of their names.
const AMOUNTS: [&str; 1] = ["swaps.ledger.shares{}.left"];

/// Entries that are used again, and those of them that are vacant. The number of entries is the most that were in use at
/// a time; the vacant ones keep what they held last.
const POOLS: [(&str, &str); 8] = [
    ("packets.packets", "packets.vacant"),
    ("engines.emp.delays.entries", "engines.emp.delays.vacant"),
    ("engines.emp.jobs.entries", "engines.emp.jobs.vacant"),
    ("engines.emp.outgoing", "engines.emp.vacant"),
    ("engines.lmmc.delays.entries", "engines.lmmc.delays.vacant"),
    ("engines.via.delays.entries", "engines.via.delays.vacant"),
    ("suspensions.calls", "suspensions.vacant"),
    ("transfers.entries", "transfers.vacant"),
];

/// What holds as much as was needed at most, or as much as the profile allows.
const BOUNDED: [&str; 7] = [
    // What the link does with the copy of a packet.
    "fabric.directions[].flows[].of_copy",
    // As long as the transmit queue at most. `pending` says how many entries are in use.
    "endpoints[].transmit.entries",
    // A NIC keeps its mappings until others take their places, `clan.mappings` at most.
    "engines.remote.mappings.of_nics[].by_use",
    "engines.remote.mappings.of_nics[].kept",
    "engines.remote.mappings.of_nics[].used",
    // What the NIC's processors did last.
    "processors.share",
    // Closed windows, at most as many as are open.
    "engines.remote.windows",
];

/// What the description of a run holds.
const DESCRIPTIONS: [&str; 2] = ["sends", "engines.remote.declared"];

/// A pair of NICs with an endpoint each, `left` and `right`, and a channel that both number 1.
fn pair(both: &str, left: &str, right: &str, link: &str) -> String {
    format!(
        "until = '900s'\n[[nic]]\nname = 'a'\nsram = '4MiB'\n[[nic]]\nname = 'b'\nsram = '4MiB'\n\
         [[link]]\nbetween = ['a', 'b']\n{link}\n\
         [[endpoint]]\nnic = 'a'\nname = 'left'\n{both}\n{left}\n\
         [[endpoint]]\nnic = 'b'\nname = 'right'\n{both}\n{right}\n\
         [[channel]]\nleft = 1\nright = 1\n"
    )
}

fn send(endpoint: &str, at_us: u64, payload: &str) -> String {
    format!(
        "[[send]]\nendpoint = '{endpoint}'\nchannel = 1\nat = '{at_us}us'\npayload = {payload}\n"
    )
}

/// Messages of several lengths, again and again.
fn messages(rounds: u64, endpoint: &str, lengths: &[u32]) -> String {
    let mut text = String::new();
    for (number, length) in lengths.iter().enumerate() {
        text += &send(
            endpoint,
            10 + 300 * number as u64,
            &format!("{{ count = {length} }}"),
        );
        writeln!(text, "repeat = {rounds}\nevery = '3ms'").expect("a string takes it");
    }
    text
}

pub(super) fn read(text: &str, profile: Option<&Profile>) -> Scenario {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classes");
    let read = match profile {
        Some(profile) => parse_on(text, profile),
        None => parse(text.as_bytes(), Some(&directory), None),
    };
    read.unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// Takes the census of a run, heard and unheard.
fn censuses(name: &str, scenario: &Scenario, programs: impl Fn() -> Programs) -> [Census; 2] {
    struct Deaf;
    impl nic_core::event::Sink for Deaf {
        fn event(&mut self, _: &dyn nic_core::event::Names, _: &nic_core::event::Event<'_>) {}
    }
    let sinks: [Option<&mut dyn nic_core::event::Sink>; 2] = [Some(&mut Deaf), None];
    sinks.map(|sink| {
        let (end, census) = run_and_look(scenario, programs(), sink, Census::of).expect("it fits");
        assert_eq!(end.reason, EndReason::Idle, "{name}: {:?}", end.waiting);
        census
    })
}

/// Returns how many entries of a pool are in use.
fn in_use(census: &Census, (entries, vacant): (&str, &str)) -> usize {
    let length = |path| census.lengths.get(path).copied().unwrap_or(0);
    length(entries) - length(vacant)
}

/// Returns what a run with more rounds holds in addition.
fn grown(few: &Census, many: &Census) -> Vec<String> {
    let mut grown = Vec::new();
    let starts = |path: &str, with: &[&str]| with.iter().any(|start| path.starts_with(start));
    let ends = |path: &str, with: &[&str]| with.iter().any(|end| path.ends_with(end));
    let is_left_out = |path: &str| {
        let mut pools = POOLS.iter();
        starts(path, &DESCRIPTIONS)
            || starts(path, &BOUNDED)
            || pools.any(|(entries, vacant)| starts(path, &[entries, vacant]))
    };
    let open = |census: &Census| {
        let length = census.lengths.get("engines.remote.windows.list").copied();
        let closed = census.numbers.get("engines.remote.windows.closed").copied();
        length.unwrap_or(0) as i128 - closed.unwrap_or(0)
    };
    if open(many) > open(few) {
        grown.push(format!("{} open windows, then {}", open(few), open(many)));
    }
    for pool in POOLS {
        let (before, after) = (in_use(few, pool), in_use(many, pool));
        if after > before {
            grown.push(format!("{}: {before} in use, then {after}", pool.0));
        }
    }
    for (path, length) in &many.lengths {
        let before = few.lengths.get(path).copied().unwrap_or(0);
        if *length > before && !is_left_out(path) {
            grown.push(format!("{path}: {before} elements, then {length}"));
        }
    }
    for (path, number) in &many.numbers {
        let before = few.numbers.get(path).copied().unwrap_or(0);
        let is_amount = !ends(path, &COUNTERS) || starts(path, &AMOUNTS);
        if *number != before && is_amount && !is_left_out(path) {
            grown.push(format!("{path}: {before}, then {number}"));
        }
    }
    grown
}

/// The runs that hold more after more rounds.
#[derive(Default)]
pub(super) struct Found(Vec<String>);

impl Found {
    /// Checks that a scenario of this many rounds leaves as much behind as one of twice as many.
    pub(super) fn check(
        &mut self,
        name: &str,
        of_rounds: impl Fn(u64) -> Scenario,
        programs: impl Fn(u64) -> Programs,
    ) {
        let take = |rounds: u64| censuses(name, &of_rounds(rounds), || programs(rounds));
        let (few, many) = (take(6), take(12));
        for ((few, many), run) in few.iter().zip(&many).zip(["heard", "unheard"]) {
            let grown = grown(few, many);
            if !grown.is_empty() {
                self.0.push(format!("{name}, {run}:\n{}", grown.join("\n")));
            }
        }
    }

    fn check_text(&mut self, name: &str, text: impl Fn(u64) -> String) {
        self.check(
            name,
            |rounds| read(&text(rounds), None),
            |_| Programs::new(),
        );
    }

    pub(super) fn none(self) {
        assert!(self.0.is_empty(), "{}", self.0.join("\n\n"));
    }
}

#[test]
fn messages_on_the_base_path_leave_nothing() {
    let mut found = Found::default();
    let profiles = ["lanai-1998", "giganet-1999", "modern"];
    for profile in profiles {
        for link in [
            "",
            "loss = 0.3\nduplicate = 0.3\ncorrupt = 0.3\nreorder = 0.3",
        ] {
            for (both, right) in [
                ("", "host = 'echo'"),
                ("free_buffers = { count = 1, length = 64 }", ""),
                ("tx_queue = 1\nrx_queue = 1", "poll_every = '900us'"),
            ] {
                found.check_text(&format!("{profile} {link} {both}"), |rounds| {
                    format!(
                        "profile = '{profile}'\n{}{}",
                        pair(both, "", right, link),
                        messages(rounds, "left", &[0, 56, 57, 1_000, 2_000])
                    )
                });
            }
        }
    }
    found.none();
}

/// Commands of the applet `Clock`: the number that says which, and its argument.
fn command(what: u8, number: u32) -> String {
    format!("{{ hex = '{what:02x}00{number:08x}' }}")
}

#[test]
fn calls_of_applets_leave_nothing() {
    let mut found = Found::default();
    let applets = [
        ("builtin:RawUnet", "builtin:RawUnet"),
        ("builtin:Reliable", "Refiller.class"),
        ("Trapper.class", "Trapper.class"),
        ("Hoarder.class", "Hoarder.class"),
        ("Burst.class", "Burst.class"),
        ("Relay.class", "Sidestep.class"),
    ];
    for (left, right) in applets {
        for (nics, both) in [
            ("", ""),
            ("", "on_trap = 'detach'\ndetach_after = 1\nback_off = '2ms'"),
            ("", "on_trap = 'base-path'"),
            (
                "processors = 2\nplacement = { doRx = 1, doTimer = 1 }\n",
                "",
            ),
        ] {
            found.check_text(&format!("{left} {right} {nics} {both}"), |rounds| {
                let text = pair(
                    both,
                    &format!("applet = '{left}'"),
                    &format!("applet = '{right}'"),
                    "",
                );
                let text = text.replace("sram = '4MiB'\n", &format!("sram = '4MiB'\n{nics}"));
                text + &messages(rounds, "left", &[0, 40, 700])
                    + &messages(rounds, "right", &[1, 300])
            });
        }
    }
    found.check_text("timers", |rounds| {
        let clock = "applet = 'Clock.class'";
        let mut text = pair("", clock, clock, "");
        for round in 0..rounds {
            let at = 1_000 * (round + 1);
            for (number, after) in [(0, 300), (100, 900), (200, 0), (300, 150)] {
                text += &send("left", at + number, &command(0, after));
            }
        }
        text
    });
    let chain = "applet = ['builtin:Policer', 'builtin:Reliable']";
    found.check_text("a chain", |rounds| {
        pair("", chain, chain, "loss = 0.2")
            + &messages(rounds, "left", &[40, 200])
            + &messages(rounds, "right", &[90])
    });
    found.none();
}

#[test]
fn swaps_and_capsules_leave_nothing() {
    let mut found = Found::default();
    let swap = |at: u64, applet: &str| {
        format!("[[swap]]\nendpoint = 'right'\nat = '{at}us'\napplet = '{applet}'\n")
    };
    found.check_text("swaps", |rounds| {
        let mut text = pair("", "", "applet = 'SwapOld.class'", "");
        for round in 0..rounds {
            let at = 3_000 * round;
            for (number, applet) in [
                "SwapNew.class",
                "SwapOld.class",
                // These are refused: the initializer traps, or needs more heap, or the class is rejected.
                "SwapSends.class",
                "SwapHungry.class",
                "Stillborn.class",
                "LongMaths.class",
            ]
            .into_iter()
            .enumerate()
            {
                text += &swap(at + 100 + 100 * number as u64, applet);
            }
        }
        text + &messages(rounds, "left", &[40, 200])
    });
    let capsules = |right: &str, rounds: u64, sends: &dyn Fn(u64) -> String| {
        let text = pair("", "", right, "").replace(
            "[[channel]]\nleft = 1\nright = 1\n",
            "[[channel]]\nleft = 1\nright = 0\n[[channel]]\nleft = 2\nright = 1\n",
        );
        text + &(0..rounds).map(sends).collect::<String>()
    };
    let capsule = |at: u64, class: &str, number: u64, rest: &str| {
        send(
            "left",
            at,
            &format!("{{ capsule = '{class}', number = {number}{rest} }}"),
        )
    };
    for right in [
        "accept_capsules = true",
        "accept_capsules = true\napplet = 'SwapOld.class'",
    ] {
        found.check_text("capsules", |rounds| {
            capsules(right, rounds, &|round| {
                let at = 5_000_000 * round;
                let classes = [
                    "builtin:Counter",
                    "SwapNew.class",
                    "SwapOld.class",
                    "LongMaths.class",
                ];
                let classes = classes.into_iter().enumerate();
                let whole = classes.map(|(place, class)| {
                    let place = place as u64;
                    capsule(
                        at + 20_000 * place,
                        class,
                        6 * round + place + 1,
                        ", fragment = 300",
                    )
                });
                // The second packet of the last capsule never comes, so its memory is given back after a second.
                let part = "{ hex = '4a434150010100000000NNNN000005000000000012345678aabb' }";
                let part = part.replace("NNNN", &format!("{:04x}", 6 * round + 5));
                whole.collect::<String>() + &send("left", at + 200_000, &part)
            })
        });
    }
    found.none();
}

#[test]
fn windows_and_watches_leave_nothing() {
    let mut found = Found::default();
    for interface in ["unet", "via"] {
        for region in [false, true] {
            if region && interface == "unet" {
                continue;
            }
            found.check_text(&format!("watches {interface} {region}"), |rounds| {
                let mut text = String::from("profile = 'clan-programmable'\n")
                    + &pair(
                        &format!("interface = '{interface}'"),
                        "applet = 'Windows.class'\nstate = { TIMES = 3 }",
                        "applet = 'Clock.class'",
                        "loss = 0.1\nduplicate = 0.1",
                    )
                    + "[[window]]\nowner = 'right'\nwriter = 'left'\nnumber = 0\nlength = 16\n\
                       [[window]]\nowner = 'right'\nwriter = 'left'\nnumber = 1\noffset = 16\nlength = 16\n";
                if interface == "via" {
                    text = text.replace("loss = 0.1\nduplicate = 0.1", "");
                }
                for round in 0..rounds {
                    let at = 10_000 * round + 100;
                    text += &send("right", at, &command(2, 4));
                    text += &send("right", at + 200, &command(2, 8));
                    text += &send("left", at + 500, "{ hex = '0102030405' }");
                    text += &send("right", at + 900, &command(2, 0));
                }
                text
            });
        }
    }
    found.none();
}

/// A program that posts messages, then ends its connection, and posts some more.
struct Leaves(u64);

impl HostProgram for Leaves {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let home = actions.endpoints()[0];
        match what {
            Happened::Started => {
                for _ in 0..self.0 {
                    actions.post(home, ChannelId(1), vec![7; 90]);
                }
                actions.wake_at(actions.now() + SimDuration::from_ns(50_000_000));
            }
            Happened::Time => {
                actions.post(home, ChannelId(1), vec![7; 90]);
                actions.disconnect(home);
                for _ in 0..self.0 {
                    actions.post(home, ChannelId(1), vec![7; 90]);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn connections_of_vis_leave_nothing() {
    let mut found = Found::default();
    let regions = |rounds: u64, first: &str| {
        let mut text = String::new();
        for round in 0..rounds {
            for (place, request) in [first, "register", "register"].into_iter().enumerate() {
                let at = 3_000 * round + 2_000 + 300 * place as u64;
                write!(
                    text,
                    "[[region]]\nendpoint = 'right'\nat = '{at}us'\naction = '{request}'\n"
                )
                .expect("a string takes it");
            }
        }
        text
    };
    for (profile, ways) in [
        ("lanai-1998", &["split = true", ""][..]),
        ("giganet-1999", &["split = true"]),
        (
            "clan-2001",
            &[
                "split = true",
                "strict = true\ntransfer = 'dma'",
                "strict = true\nsplit = true",
                "on_empty = 'defer'\ntransfer = 'pio'",
            ],
        ),
    ] {
        for level in ["unreliable", "delivery", "reception"] {
            for way in ways {
                for link in ["", "duplicate = 0.2"] {
                    let both = format!(
                        "interface = 'via'\nreliability = '{level}'\n{way}\n\
                         completion = {{ send = 'q', receive = 'q' }}\n\
                         free_buffers = {{ count = 9, length = 300 }}\npoll_every = '20us'"
                    );
                    let name = format!("{profile} {level} {way} {link}");
                    let segments = |rounds: u64| {
                        messages(rounds, "left", &[1, 90, 280])
                            + &send("left", 2_700, "{ count = 20 }")
                            + &format!("repeat = {rounds}\nevery = '3ms'\nimmediate = 7\n")
                            + &messages(rounds, "right", &[40])
                    };
                    found.check_text(&name, |rounds| {
                        format!(
                            "profile = '{profile}'\n{}{}",
                            pair(&both, "", "", link),
                            segments(rounds)
                        )
                    });
                    // A region is in use while receive descriptors are posted.
                    let none = "free_buffers = { count = 9, length = 300 }";
                    let sender = both.replace(none, "free_buffers = { count = 0, length = 300 }");
                    found.check_text(&format!("regions {name}"), |rounds| {
                        format!(
                            "profile = '{profile}'\n{}{}{}",
                            pair("", &both, &sender, link),
                            messages(rounds, "right", &[40]),
                            regions(rounds, "deregister")
                        )
                    });
                    found.check(
                        &format!("disconnect {name}"),
                        |_| {
                            read(
                                &format!("profile = '{profile}'\n{}", pair(&both, "", "", link)),
                                None,
                            )
                        },
                        |rounds| Programs::new().with("left", Leaves(rounds)),
                    );
                }
            }
        }
    }
    let mut profile = Profile::builtin("clan-2001").expect("a built-in profile");
    let clan = profile.clan.as_mut().expect("a section of CLAN");
    clan.mappings = 2.try_into().expect("more than 0");
    clan.events = Events::Interrupt;
    let both = "interface = 'via'\nstrict = true\ntransfer = 'pio'\nfree_buffers = { count = 3, length = 300 }";
    found.check(
        "few mappings and interrupts",
        |rounds| {
            let text = pair(both, "", "", "") + &messages(rounds, "left", &[1, 90, 280]);
            read(&text, Some(&profile))
        },
        |_| Programs::new(),
    );
    found.none();
}

/// A program that connects its VI, sends, receives and disconnects, again and again. The other end accepts.
struct Again {
    left: u64,
    accepts: bool,
}

impl HostProgram for Again {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let home = actions.endpoints()[0];
        let wait = Some(SimDuration::from_ns(300_000));
        let again = match what {
            Happened::Started => true,
            Happened::Connection { what, .. } => match what {
                ConnectionNews::Made => {
                    actions.post(home, ChannelId(1), vec![7; 90]);
                    false
                }
                ConnectionNews::Ended { .. }
                | ConnectionNews::Refused
                | ConnectionNews::TimedOut => true,
                ConnectionNews::Requested { .. } | ConnectionNews::NotPossible => false,
            },
            Happened::Message { .. } => {
                if !self.accepts {
                    actions.disconnect(home);
                }
                false
            }
            Happened::Completed { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. }
            | Happened::Time => false,
        };
        if again && self.accepts {
            // Every third connection is requested with another tag, and so refused.
            self.left += 1;
            actions.accept(home, 5 + u32::from(self.left.is_multiple_of(3)), None);
        } else if again && self.left > 0 {
            self.left -= 1;
            actions.connect(home, 5, wait);
            if self.left.is_multiple_of(4) {
                actions.disconnect(home);
                actions.wake_at(actions.now());
                actions.connect(home, 5, wait);
            }
        }
    }
}

#[test]
fn connections_of_programs_leave_nothing() {
    let mut found = Found::default();
    for (profile, ways) in [
        ("giganet-1999", &[""][..]),
        ("clan-2001", &["", "strict = true\ntransfer = 'dma'"]),
    ] {
        for level in ["unreliable", "delivery", "reception"] {
            for way in ways {
                for link in ["", "loss = 0.05\nduplicate = 0.2"] {
                    let both = format!(
                        "interface = 'via'\nreliability = '{level}'\n{way}\n\
                         completion = {{ send = 'q', receive = 'q' }}\n\
                         free_buffers = {{ count = 9, length = 300 }}"
                    );
                    let text = format!(
                        "profile = '{profile}'\n{}connect = 'program'\n",
                        pair(&both, "", "", link)
                    );
                    found.check(
                        &format!("connect {profile} {level} {way} {link}"),
                        |_| read(&text, None),
                        |rounds| {
                            let of = |left, accepts| Again { left, accepts };
                            Programs::new()
                                .with("left", of(rounds, false))
                                .with("right", of(0, true))
                        },
                    );
                }
            }
        }
    }
    found.none();
}

#[test]
fn messages_of_emp_leave_nothing() {
    let mut found = Found::default();
    for placement in ["base", "dynamic"] {
        for link in [
            "",
            "loss = 0.3\nduplicate = 0.2\ncorrupt = 0.2\nreorder = 0.2",
        ] {
            for (left, right) in [
                ("", ""),
                (
                    "tx_queue = 1",
                    "free_buffers = { count = 1, length = 900 }\npoll_every = '6ms'",
                ),
                (
                    "applet = 'builtin:RawUnetSingle'",
                    "applet = 'builtin:RawUnetSingle'",
                ),
                ("applet = 'Burst25.class'", ""),
            ] {
                let left = left.replace("Burst25.class", "builtin:Burst25");
                found.check_text(
                    &format!("emp {placement} {link} {left} {right}"),
                    |rounds| {
                        let text = pair("interface = 'emp'", &left, right, link).replace(
                            "sram = '4MiB'\n",
                            &format!("sram = '4MiB'\nprocessors = 2\nplacement = '{placement}'\n"),
                        );
                        format!("profile = 'tigon2-2002'\n{text}")
                            + &messages(rounds, "left", &[5, 1_400])
                            + &messages(rounds, "right", &[60])
                    },
                );
            }
        }
    }
    found.check_text("emp receives", |rounds| {
        let mut text = format!("profile = 'tigon2-2002'\n{}", pair("interface = 'emp'", "", "", ""));
        for tag in 0..3 {
            write!(
                text,
                "[[receive]]\nendpoint = 'right'\ntag = {tag}\nsource = 'left'\nlength = 2000\nrepeat = {}\n",
                rounds * 4
            )
            .expect("a string takes it");
            for length in [40, 3_000] {
                text += &send("left", 100 + 700 * tag, &format!("{{ count = {length} }}"));
                write!(text, "tag = {tag}\nrepeat = {rounds}\nevery = '9ms'\n")
                    .expect("a string takes it");
            }
        }
        text
    });
    found.none();
}
