//! Random scenarios: every run obeys the laws of traces and can be repeated.

use nic_runtime::Run;
use std::fmt::Write;

use nic_core::event::EndReason;
use nic_core::random::Generator;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::profile::{Profile, Receive};
use nic_runtime::spec::InterfaceKind;

use crate::apart::ends;
use crate::runs::runs;
use crate::scenario::read;
use crate::spaced::Traffic;
use crate::trace::{check_moves, run};

const APPLETS: &[&str] = &[
    "",
    "builtin:RawUnet",
    "builtin:RawUnetSingle",
    "builtin:PingPong",
    "builtin:Drop",
    "builtin:Counter",
    "Trapper.class",
    "Hoarder.class",
    "Burst.class",
    "Volley.class",
    "Early.class",
    "Spinner.class",
];

/// Applets for NICs that receive directly.
const DIRECT_APPLETS: &[&str] = &[
    "",
    "builtin:DirectUnet",
    "builtin:DirectUnet",
    "builtin:DirectCounter",
    "builtin:DirectFirewall",
    "DirectHostile.class",
];

struct Choices(Generator);

impl Choices {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.draw() % limit
    }

    fn one_of<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let index = self.below(of.len() as u64);
        of[usize::try_from(index).expect("an index of a slice")]
    }
}

/// A random scenario of three NICs with links between all of them, six endpoints with channels between any two, and
/// sends.
pub(crate) fn scenario(seed: u64) -> String {
    let mut choose = Choices(Generator::named(seed, &["random scenario"]));
    let head = format!("seed = {seed}\nuntil = '20ms'\nmax_events = 100000\n");
    let toml = head + &network(&mut choose, "1MiB", (Answers::ByAny, APPLETS));
    toml + &bursts(&mut choose)
}

/// The same network under one of the profiles, with messages that are spaced.
pub(crate) fn spaced(seed: u64) -> String {
    let mut choose = Choices(Generator::named(seed, &["spaced scenario"]));
    let profiles = Profile::builtin_names().filter_map(Profile::builtin);
    let sections = InterfaceKind::Unet.sections();
    let profiles = profiles
        .filter(|profile| profile.lacks(sections).is_none() && profile.entry.is_some())
        .collect::<Vec<_>>();
    let profile = &profiles[choose.below(profiles.len() as u64) as usize];
    let mut toml = format!(
        "profile = '{}'\nseed = {seed}\nuntil = '17000000s'\nmax_events = 50000\n",
        profile.name
    );
    let applets = match profile.receive {
        Receive::Staged => APPLETS,
        Receive::Direct => DIRECT_APPLETS,
    };
    toml += &network(&mut choose, "8MiB", (Answers::ByOne, applets));
    // The slowest users poll each millisecond.
    let traffic = Traffic::of(profile, 9_300)
        .with_limit(4_096)
        .with_time_out(SimDuration::from_ns(1_000_000));
    for _ in 0..4 {
        let (endpoint, channel) = (choose.below(6), choose.below(38));
        let count = 1 + choose.below(60) as usize;
        for due in traffic.draw(&mut choose.0, count) {
            writeln!(
                toml,
                "[[send]]\nendpoint = 'e{endpoint}'\nchannel = {channel}\nat = '{}ns'\n\
                 payload = {{ count = {} }}",
                due.at_ns, due.length
            )
            .unwrap();
        }
    }
    toml
}

/// Which endpoints answer messages. Two that answer each other never stop, so a run over hours has one.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Answers {
    ByAny,
    ByOne,
}

fn network(choose: &mut Choices, sram: &str, (answers, applets): (Answers, &[&str])) -> String {
    let mut toml = String::new();
    for nic in ["a", "b", "c"] {
        writeln!(toml, "[[nic]]\nname = '{nic}'\nsram = '{sram}'").unwrap();
    }
    for (a, b) in [
        ("a", "b"),
        ("b", "c"),
        ("a", "c"),
        ("a", "a"),
        ("b", "b"),
        ("c", "c"),
    ] {
        writeln!(toml, "[[link]]\nbetween = ['{a}', '{b}']").unwrap();
        for fault in ["loss", "duplicate", "corrupt", "reorder"] {
            let probability = choose.one_of(&["0.0", "0.0", "0.1", "0.5", "1.0"]);
            writeln!(toml, "{fault} = {probability}").unwrap();
        }
        writeln!(toml, "crc = {}", choose.one_of(&["true", "false"])).unwrap();
    }
    for endpoint in 0..6 {
        let nic = choose.one_of(&["a", "b", "c"]);
        let may_answer = answers == Answers::ByAny || endpoint == 0;
        let hosts: &[&str] = if may_answer {
            &["sink", "echo"]
        } else {
            &["sink"]
        };
        let host = choose.one_of(hosts);
        let notify = choose.one_of(&[
            "notify = 'upcall'",
            "poll_every = '7us'",
            "poll_every = '1ms'",
        ]);
        writeln!(
            toml,
            "[[endpoint]]\nname = 'e{endpoint}'\nnic = '{nic}'\nhost = '{host}'\n{notify}"
        )
        .unwrap();
        let (mut tx, mut rx) = (1 + choose.below(8), 1 + choose.below(8));
        let (mut count, mut length) = (choose.below(9), 100 + choose.below(3000));
        if answers == Answers::ByOne {
            // A queue grows at powers of two. A descriptor names 14 buffers, and a short message travels in it.
            let mut near = |limits: &[u64]| {
                let limit = limits[choose.below(limits.len() as u64) as usize];
                (limit + choose.below(3)).max(2) - 1
            };
            (tx, rx) = (near(&[1, 8, 64]), near(&[1, 8, 64]));
            (count, length) = (near(&[1, 14, 16]) - 1, near(&[56, 64, 1_500, 4_096]));
            toml += "buffer_area = 131072\n";
        }
        writeln!(
            toml,
            "fuel = 2000\ntx_queue = {tx}\nrx_queue = {rx}\n\
             free_buffers = {{ count = {count}, length = {length} }}"
        )
        .unwrap();
        match choose.one_of(applets) {
            "" => {}
            "builtin:PingPong" | "Volley.class" if answers == Answers::ByOne => {}
            "DirectHostile.class" => {
                let kind = choose.below(11);
                writeln!(
                    toml,
                    "applet = 'DirectHostile.class'\nstate = {{ KIND = {kind} }}"
                )
                .unwrap();
            }
            applet => writeln!(toml, "applet = '{applet}'").unwrap(),
        }
    }
    // More than 16 channels of an endpoint are found by a search.
    let channels = match answers {
        Answers::ByAny => 9,
        Answers::ByOne => 9 + choose.below(10),
    };
    for channel in 0..channels {
        let (a, b) = match channel {
            0..9 => (choose.below(6), choose.below(6)),
            _ => (0, 1 + choose.below(5)),
        };
        if a == b {
            writeln!(
                toml,
                "[[channel]]\ne{a} = [{}, {}]",
                2 * channel,
                2 * channel + 1
            )
            .unwrap();
        } else {
            writeln!(
                toml,
                "[[channel]]\ne{a} = {}\ne{b} = {}",
                2 * channel,
                2 * channel + 1
            )
            .unwrap();
        }
    }
    toml
}

/// Sends whose messages follow each other closely, all within the first milliseconds.
fn bursts(choose: &mut Choices) -> String {
    let mut toml = String::new();
    for _ in 0..12 {
        let (endpoint, channel) = (choose.below(6), choose.below(19));
        let at = choose.below(300);
        let length = choose.one_of(&["0", "1", "40", "56", "57", "1000", "9000", "9300"]);
        let (repeat, every) = (1 + choose.below(20), choose.below(400));
        writeln!(
            toml,
            "[[send]]\nendpoint = 'e{endpoint}'\nchannel = {channel}\nat = '{at}us'\n\
             payload = {{ count = {length} }}\nrepeat = {repeat}\nevery = '{every}us'"
        )
        .unwrap();
    }
    toml
}

/// Checks that a run which `until` has cut goes on afterwards: nothing waits for what can never come.
pub(crate) fn goes_on(toml: &str) {
    let mut scenario = read(toml);
    // Timers and answers to answers may go on for ever.
    scenario.until = SimTime::from_ps(u64::MAX / 2);
    let end = Run::new(&scenario).execute().expect("it fits").end;
    check_moves(&end);
}

#[test]
fn the_laws_hold_for_whatever_meets_whatever() {
    let mut events = 0;
    let bursts = (0..runs(60)).map(scenario);
    for toml in bursts.chain((0..runs(20)).map(spaced)) {
        let trace = run(&toml);
        assert_eq!(trace.text, run(&toml).text, "it repeats itself\n{toml}");
        if trace.end.reason == EndReason::Until {
            goes_on(&toml);
        }
        events += trace.events.len();
        ends(&read(&toml));
    }
    assert!(
        events > 10_000,
        "only {events} events: the scenarios do too little"
    );
}
