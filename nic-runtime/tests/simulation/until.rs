//! The key `until` gives the last instant of a run: events due at this time occur, and no later events.

use nic_runtime::Run;
use std::collections::BTreeSet;

use nic_core::event::fields::PayloadMode;
use nic_core::event::line::Line;
use nic_core::event::{EndReason, Event, EventKind, Names, NicEvent, Sink};
use nic_core::time::SimTime;
use nic_runtime::run::RunEnd;
use nic_runtime::spec::Scenario;

use crate::scenario::read;
use crate::trace::{Pair, run, send};

/// A sink that keeps all events of a run, with exact times.
#[derive(Default)]
struct Timed(Vec<(SimTime, String)>);

impl Sink for Timed {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        if !matches!(event.kind, EventKind::Nic(NicEvent::Levels(_))) {
            let line = Line::new(names, event, PayloadMode::Shown);
            self.0.push((event.time, line.to_string()));
        }
    }
}

fn events(scenario: &Scenario) -> (Vec<(SimTime, String)>, RunEnd) {
    let mut timed = Timed::default();
    let end = Run::new(scenario)
        .sink(&mut timed)
        .execute()
        .expect("it runs")
        .end;
    crate::trace::check_moves(&end);
    (timed.0, end)
}

fn echoed() -> Scenario {
    let client = "applet = 'builtin:RawUnet'";
    read(
        &Pair::PLAIN
            .client(client)
            .server("applet = 'builtin:RawUnet'\nhost = 'echo'")
            .rest(&(send("10us", "{ count = 3000 }") + &send("15us", "{ count = 40 }")))
            .toml(),
    )
}

#[test]
fn a_message_that_is_due_at_the_end_is_posted() {
    for (until, end_ns, posted) in [
        ("9999ns", 9_999, 0),
        ("10us", 10_000, 1),
        ("15us", 15_000, 2),
    ] {
        let text = Pair::PLAIN
            .scenario(&format!("until = '{until}'"))
            .rest(&(send("10us", "{ zeros = 1 }") + &send("15us", "{ zeros = 1 }")))
            .toml();
        let (events, end) = events(&read(&text));
        let posts = events.iter().filter(|(_, line)| line.contains("tx-post"));
        assert_eq!(posts.count(), posted, "{until}");
        assert_eq!(end.reason, EndReason::Until, "{until}");
        assert_eq!(end.time.as_ns(), end_ns, "{until}");
    }
}

#[test]
fn the_last_moment_of_a_run_is_complete() {
    let mut scenario = echoed();
    let (whole, end) = events(&scenario);
    assert_eq!(end.reason, EndReason::Idle);
    let moments: BTreeSet<SimTime> = whole.iter().map(|(time, _)| *time).collect();
    assert!(moments.len() > 40, "only {} moments", moments.len());
    for until in moments {
        let just_before = SimTime::from_ps(until.as_ps().saturating_sub(1));
        for until in [until, just_before] {
            scenario.until = until;
            let (cut, end) = events(&scenario);
            let due = whole.iter().take_while(|(time, _)| *time <= until);
            assert!(cut.iter().eq(due), "until {until}");
            assert!(end.time <= until);
            let unheard = Run::new(&scenario).execute().expect("it runs").end;
            assert_eq!(unheard, end, "until {until}");
        }
    }
}

/// All messages of the send are due at once; one of them fits on the wire before the run ends.
#[test]
fn simultaneous_messages_count_at_their_turn() {
    let toml = |repeat: u64| {
        Pair::PLAIN
            .scenario("until = '1ms'\nmax_events = 1000")
            .link("bandwidth = '1B/s'")
            .rest(&format!(
                "{}repeat = {repeat}\n",
                send("0us", "{ zeros = 0 }")
            ))
            .toml()
    };
    let (few, many) = (run(&toml(200)), run(&toml(1_000_000)));
    assert_eq!(many.end.reason, EndReason::Until);
    assert!(many.end.events < 1000, "{}", many.end.events);
    assert!(!many.of("tx-post").is_empty());
    assert!(few.events == many.events);
    assert_eq!(few.end.events, many.end.events);
}
