//! The table of `docs/emp.md` that shows what a second processor is worth to each shipped applet.

use nic_runtime::Run;
use std::fmt::Write as _;

use nic_core::event::{Event, EventKind, Names, Sink, SleEvent};
use nic_core::id::NicId;
use nic_core::time::SimTime;

use crate::page;
use crate::trace::read_on;

const PROFILE: &str = include_str!("../../profiles/lanai-1998-parallel.toml");

/// Number of messages in each direction, and the numbers of the calls between which times are measured.
const MESSAGES: usize = 200;
const FIRST: usize = 60;
const LAST: usize = 160;

/// The times at which the first NIC calls `doTx` and `doRx`.
#[derive(Default)]
struct Calls {
    transmit: Vec<SimTime>,
    receive: Vec<SimTime>,
}

impl Sink for Calls {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let Some(endpoint) = event.endpoint.filter(|_| event.nic == NicId(0)) else {
            return;
        };
        if let EventKind::Sle(SleEvent::AppletCall { method, .. }) = event.kind {
            match names.method(endpoint, method) {
                "doTx" => self.transmit.push(event.time),
                "doRx" => self.receive.push(event.time),
                _ => {}
            }
        }
    }
}

/// Runs a scenario in which the first NIC runs the applet, and its peers are on the base path. Returns the mean time in
/// microseconds in which the NIC handles a message in each direction; `None` if the NIC makes too few calls.
fn us_per_pair(applet: &str, processors: u32, is_apart: bool, profile: &str) -> Option<f64> {
    let nic = match processors {
        1 => "",
        _ => "processors = 2\nplacement = { doTx = 0, doRx = 1 }\n",
    };
    let ends = match is_apart {
        true => [("source", "far-sink"), ("sink", "far-source")],
        false => [("both", "far"), ("both", "far")],
    };
    let mut text = format!(
        "[[nic]]\nname = 'a'\nsram = '4MiB'\n{nic}\
         [[nic]]\nname = 'b'\nsram = '4MiB'\nprocessors = 2\nplacement = {{ transmit = 0, receive = 1 }}\n"
    );
    let distinct = if is_apart { &ends[..] } else { &ends[..1] };
    for (near, far) in distinct {
        text += &format!(
            "[[endpoint]]\nnic = 'a'\nname = '{near}'\nrx_queue = 4096\napplet = 'builtin:{applet}'\n\
             [[endpoint]]\nnic = 'b'\nname = '{far}'\nrx_queue = 4096\n\
             [[channel]]\n{near} = 1\n{far} = 7\n"
        );
    }
    let senders = [(ends[0].0, 1), (ends[1].1, 7)];
    for (endpoint, channel) in senders {
        text += &format!(
            "[[send]]\nendpoint = '{endpoint}'\nchannel = {channel}\nat = '10us'\nrepeat = {MESSAGES}\n\
             every = '1us'\npayload = {{ zeros = 40 }}\n"
        );
    }
    let mut calls = Calls::default();
    Run::new(&read_on(&text, profile))
        .sink(&mut calls)
        .execute()
        .expect("it fits");
    let each = |times: &[SimTime]| {
        let (first, last) = (times.get(FIRST)?, times.get(LAST)?);
        Some(last.since(*first).as_ns() as f64 / 1e3 / (LAST - FIRST) as f64)
    };
    Some(each(&calls.transmit)?.max(each(&calls.receive)?))
}

fn table() -> String {
    let slowed = PROFILE.replace("[processor]\n", "[processor]\ncontention = 1.4\n");
    assert_ne!(slowed, PROFILE);
    let mut table = "| applet | one | two | two, apart | two at 1.4 | two, apart at 1.4 |\n|---|---:|---:|---:|---:|---:|\n".to_owned();
    // A NIC of this profile has no windows.
    for applet in applets::staged().filter(|applet| applet.name != "WindowBarrier") {
        let columns = [
            us_per_pair(applet.name, 1, false, PROFILE),
            us_per_pair(applet.name, 2, false, PROFILE),
            us_per_pair(applet.name, 2, true, PROFILE),
            us_per_pair(applet.name, 2, false, &slowed),
            us_per_pair(applet.name, 2, true, &slowed),
        ];
        let columns = columns.map(|us| us.map_or("-".to_owned(), |us| format!("{us:.1}")));
        writeln!(table, "| `{}` | {} |", applet.name, columns.join(" | "))
            .expect("a string takes all that is written");
    }
    table
}

#[test]
fn the_table_of_applets_on_two_processors_is_fresh() {
    page::has_table("emp.md", "processors", &table());
}

#[test]
fn contention_slows_two_processors_but_not_one() {
    let slowed = PROFILE.replace("[processor]\n", "[processor]\ncontention = 1.4\n");
    let us = |processors, is_apart, profile: &str| {
        us_per_pair("RawUnet", processors, is_apart, profile).expect("it calls")
    };
    let near = |us: f64, expected: f64| {
        assert!(
            (us / expected - 1.0).abs() < 0.03,
            "{us:.2} us, expected {expected}"
        );
    };
    // The times equal those that `processors.rs` measures with an applet at both ends.
    near(us(1, false, PROFILE), 71.6);
    near(us(2, false, PROFILE), 40.7);
    near(us(2, true, PROFILE), 36.3);
    near(us(1, false, &slowed), us(1, false, PROFILE));
    // Work of a processor that runs beside work of another processor takes 1.4 times as long. Work of a processor that
    // runs alone takes no longer.
    for is_apart in [false, true] {
        let (free, slow) = (us(2, is_apart, PROFILE), us(2, is_apart, &slowed));
        assert!(
            slow > 1.05 * free && slow < 1.4 * free + 0.1,
            "{free} {slow}"
        );
    }
}
