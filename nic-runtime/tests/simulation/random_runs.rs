//! Random scenarios: every run obeys the laws of traces and can be repeated.

use std::fmt::Write;

use nic_core::random::Generator;

use crate::apart::ends;
use crate::scenario::read;
use crate::trace::run;

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
    let mut toml = format!("seed = {seed}\nuntil = '20ms'\nmax_events = 100000\n");
    for nic in ["a", "b", "c"] {
        writeln!(toml, "[[nic]]\nname = '{nic}'\nsram = '1MiB'").unwrap();
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
        let host = choose.one_of(&["sink", "echo"]);
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
        let (tx, rx) = (1 + choose.below(8), 1 + choose.below(8));
        let (count, length) = (choose.below(9), 100 + choose.below(3000));
        writeln!(
            toml,
            "fuel = 2000\ntx_queue = {tx}\nrx_queue = {rx}\n\
             free_buffers = {{ count = {count}, length = {length} }}"
        )
        .unwrap();
        match choose.one_of(APPLETS) {
            "" => {}
            applet => writeln!(toml, "applet = '{applet}'").unwrap(),
        }
    }
    for channel in 0..9 {
        let (a, b) = (choose.below(6), choose.below(6));
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

#[test]
fn the_laws_hold_for_whatever_meets_whatever() {
    let mut events = 0;
    for seed in 0..60 {
        let toml = scenario(seed);
        let trace = run(&toml);
        assert_eq!(trace.text, run(&toml).text, "seed {seed} repeats itself");
        events += trace.events.len();
        ends(&read(&toml));
    }
    assert!(
        events > 10_000,
        "only {events} events: the scenarios do too little"
    );
}
