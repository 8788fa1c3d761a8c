//! Programs at windows, without a VI (docs/clan.md).

use std::sync::Arc;

use nic_core::event::EndReason;
use nic_core::time::SimTime;
use nic_runtime::host::{Actions, Happened, Programs, WindowNews};

use crate::scenario::read;
use crate::trace::{Trace, number, run_with};
use crate::via_connect::{Does, Log, note, noted, us};

/// Two NICs with a program each. `a` may write to window 1 of `b`, of 64 bytes, and `b` to window 1 of `a`.
fn pair((each, link): (&str, &str), rest: &str) -> String {
    format!(
        "profile = 'clan-programmable'\n[[nic]]\nname = 'x'\n[[nic]]\nname = 'y'\n\
         [[link]]\nbetween = ['x', 'y']\n{link}\n\
         [[endpoint]]\nnic = 'x'\nname = 'a'\n{each}\n[[endpoint]]\nnic = 'y'\nname = 'b'\n{each}\n\
         [[window]]\nowner = 'b'\nwriter = 'a'\nnumber = 1\noffset = 128\nlength = 64\n\
         [[window]]\nowner = 'a'\nwriter = 'b'\nnumber = 1\noffset = 128\nlength = 64\n{rest}"
    )
}

/// What a program does at a time in microseconds.
type Step = (u64, fn(&mut Actions<'_>));

/// A program that does its steps at their times, and writes down what happens at its windows.
fn steps(
    (name, log): (&'static str, &Log),
    mut steps: Vec<Step>,
) -> impl FnMut(Happened<'_>, &mut Actions<'_>) + Send + use<> {
    let log = Arc::clone(log);
    move |what, actions| match what {
        Happened::Started => {
            for (time, _) in &steps {
                actions.wake_at(SimTime::ZERO + us(*time));
            }
        }
        Happened::Time => (steps.remove(0).1)(actions),
        Happened::Window { what, .. } => note(&log, format!("{name}: {}", shown(what))),
        _ => {}
    }
}

fn shown(what: WindowNews<'_>) -> String {
    match what {
        WindowNews::Loaded { ticket, payload } => format!("{ticket} {payload:?}"),
        WindowNews::Watching { ticket } => format!("{ticket} watching"),
        WindowNews::Event {
            window,
            offset,
            length,
        } => format!("event {window} {offset} {length}"),
        WindowNews::NoEvent => "no event".to_owned(),
        WindowNews::Word { ticket, value } => format!("{ticket} word {value:?}"),
        WindowNews::ProtectionFault { ticket, fault } => format!("{ticket} {fault}"),
        WindowNews::NotPossible { ticket } => format!("{ticket} not possible"),
        WindowNews::Read { ticket, status, .. } => format!("{ticket} {}", status.word()),
    }
}

fn run(toml: &str, of_a: Vec<Step>, of_b: Vec<Step>) -> (Trace, Vec<String>) {
    let log = Log::default();
    let programs = Programs::new()
        .with("a", Does(steps(("a", &log), of_a)))
        .with("b", Does(steps(("b", &log), of_b)));
    let trace = run_with(&read(toml), programs);
    assert_eq!(trace.end.reason, EndReason::Idle);
    (trace, noted(&log))
}

const PLAIN: (&str, &str) = ("", "");

#[test]
fn stored_bytes_lie_in_the_window_of_the_peer() {
    let (trace, log) = run(
        &pair(PLAIN, ""),
        vec![
            (10, |actions| {
                let home = actions.endpoints()[0];
                actions.store(home, 1, (1, 2), vec![7, 8, 9]);
                actions.store(home, 2, (1, 60), vec![1, 2, 3, 4]);
            }),
            (200, |actions| {
                actions.store(actions.endpoints()[0], 3, (1, 3), vec![5])
            }),
        ],
        vec![
            (100, |actions| {
                let home = actions.endpoints()[0];
                actions.load(home, 4, (1, 0, 6));
                actions.load(home, 5, (1, 60, 4));
            }),
            (300, |actions| {
                actions.load(actions.endpoints()[0], 6, (1, 2, 3))
            }),
        ],
    );
    let expected = [
        "b: 4 [0, 0, 7, 8, 9, 0]",
        "b: 5 [1, 2, 3, 4]",
        "b: 6 [7, 5, 9]",
    ];
    assert_eq!(log, expected);
    let written = trace.at("a", "window-write");
    assert!(
        written
            .iter()
            .all(|event| event["how"] == "pio" && number(event, "window") == 1)
    );
    // The processor writes the second bytes after the first.
    assert!(number(written[1], "t_ns") > number(written[0], "t_ns"));
}

#[test]
fn what_a_program_may_not_do_at_windows_is_refused() {
    let (trace, log) = run(
        &pair(PLAIN, ""),
        vec![(10, |actions| {
            let home = actions.endpoints()[0];
            actions.store(home, 1, (1, 64), vec![1]);
            actions.store(home, 2, (1, u32::MAX), vec![1, 2]);
            actions.store(home, 3, (2, 0), vec![1]);
            actions.load(home, 4, (1, 63, 2));
            actions.load(home, 5, (3, 0, 1));
            actions.watch(home, 6, (1, 60, 5));
            actions.wait_word(home, 7, (1, 61), (0, None));
            actions.read_window(home, 8, (1, 0, 1), 0);
            actions.take_event(home);
        })],
        vec![],
    );
    let mut expected: Vec<String> = (1..=8)
        .map(|ticket| format!("a: {ticket} not possible"))
        .collect();
    expected.push("a: no event".to_owned());
    assert_eq!(log, expected);
    assert!(trace.of("wire-tx").is_empty());
}

#[test]
fn a_closed_window_refuses_stores_until_it_opens_again() {
    let region = |at: &str, action: &str| {
        format!("[[region]]\nat = '{at}'\nendpoint = 'b'\naction = '{action}'\n")
    };
    let rest = "[[channel]]\na = 1\nb = 1\n".to_owned()
        + &region("50us", "deregister")
        + &region("250us", "register");
    let keys = "interface = 'via'\nfree_buffers = { count = 0 }\nbuffer_area = 4096";
    let store: fn(&mut Actions<'_>) = |actions| {
        let byte = u8::try_from(actions.now().as_ps() / 10_000_000).expect("small");
        actions.store(actions.endpoints()[0], 1, (1, 0), vec![byte]);
    };
    let load: fn(&mut Actions<'_>) = |actions| actions.load(actions.endpoints()[0], 2, (1, 0, 1));
    let (trace, log) = run(
        &pair((keys, ""), &rest),
        vec![(10, store), (100, store), (300, store)],
        vec![(40, load), (200, load), (400, load)],
    );
    assert_eq!(log, ["b: 2 [1]", "b: 2 [1]", "b: 2 [30]"]);
    assert_eq!(trace.at("b", "drop")[0]["reason"], "window-refused");
}

#[test]
fn a_watch_puts_one_event_into_the_queue_until_the_program_takes_it() {
    let store: fn(&mut Actions<'_>) = |actions| {
        let home = actions.endpoints()[0];
        actions.store(home, 1, (1, 4), vec![1; 4]);
        actions.store(home, 2, (1, 4), vec![2; 4]);
        actions.store(home, 3, (1, 20), vec![2]);
    };
    let (trace, log) = run(
        &pair(PLAIN, ""),
        vec![(100, store), (300, store), (600, store)],
        vec![
            (10, |actions| {
                let home = actions.endpoints()[0];
                actions.watch(home, 1, (1, 7, 1));
                actions.watch(home, 2, (1, 20, 8));
                actions.watch(home, 2, (1, 20, 8));
                actions.take_event(home);
            }),
            (200, |actions| {
                let home = actions.endpoints()[0];
                (0..3).for_each(|_| actions.take_event(home));
                // Waits for the next event, which the process takes at once.
                actions.event_within(home, None);
            }),
            (500, |actions| {
                let home = actions.endpoints()[0];
                actions.watch(home, 3, (1, 0, 0));
                // The event that waited went with its watch.
                actions.event_within(home, Some(us(400)));
            }),
        ],
    );
    let expected = [
        "b: 1 watching",
        "b: 2 watching",
        "b: 2 watching",
        "b: no event",
        "b: event 1 7 1",
        "b: event 1 20 8",
        "b: no event",
        "b: event 1 7 1",
        "b: 3 watching",
        "b: no event",
    ];
    assert_eq!(log, expected);
    assert_eq!(trace.at("b", "watch").len(), 5);
    assert_eq!(trace.end.time, SimTime::ZERO + us(900));
}

#[test]
fn watch_4097_is_refused() {
    let scenario = pair(PLAIN, "")
        .replace("length = 64", "length = 8192")
        .replace("offset = 128", "offset = 0");
    let (_, log) = run(
        &scenario,
        vec![],
        vec![(10, |actions| {
            let home = actions.endpoints()[0];
            (0..4_097).for_each(|place| actions.watch(home, place.into(), (1, place, 1)));
            actions.watch(home, 5_000, (1, 0, 0));
            actions.watch(home, 5_001, (1, 4_096, 1));
        })],
    );
    assert!(log[..4_096].iter().all(|line| line.ends_with("watching")));
    assert_eq!(
        log[4_096..],
        [
            "b: 4096 not possible",
            "b: 5000 watching",
            "b: 5001 watching"
        ]
    );
}

#[test]
fn a_program_waits_for_a_word() {
    // An applet has the watches of its endpoint, and takes nothing from a program that compares words.
    for each in ["", "applet = 'builtin:RawUnet'"] {
        assert_eq!(
            words((each, "")),
            [
                "b: 3 word Some(0)",
                "b: 2 word None",
                "b: 1 word Some(256)",
                "b: 4 word Some(256)",
            ]
        );
    }
}

/// Lets `b` wait for words that `a` writes, and returns what `b` writes down.
fn words(keys: (&str, &str)) -> Vec<String> {
    let (_, log) = run(
        &pair(keys, ""),
        vec![
            (100, |actions| {
                actions.store(actions.endpoints()[0], 1, (1, 8), vec![0; 4])
            }),
            (200, |actions| {
                actions.store(actions.endpoints()[0], 1, (1, 9), vec![1])
            }),
        ],
        vec![
            (10, |actions| {
                let home = actions.endpoints()[0];
                actions.wait_word(home, 1, (1, 8), (0, None));
                actions.wait_word(home, 2, (1, 12), (0, Some(us(50))));
                actions.wait_word(home, 3, (1, 12), (9, None));
            }),
            (300, |actions| {
                actions.wait_word(actions.endpoints()[0], 4, (1, 8), (0, None))
            }),
        ],
    );
    log
}

#[test]
fn two_programs_answer_each_other_word_by_word() {
    // Each waits until the other has counted on, which takes two writes and no interrupt for a round.
    const ROUNDS: u32 = 50;
    let side = |begins: bool, log: &Log| {
        let log = Arc::clone(log);
        Does(move |what: Happened<'_>, actions: &mut Actions<'_>| {
            let home = actions.endpoints()[0];
            let heard = match what {
                Happened::Started => 0,
                Happened::Window {
                    what:
                        WindowNews::Word {
                            value: Some(value), ..
                        },
                    ..
                } => value,
                _ => return,
            };
            if heard >= 2 * ROUNDS {
                return note(
                    &log,
                    format!("{heard} at {}", actions.now().as_ps() / 1_000),
                );
            }
            if heard > 0 || begins {
                actions.store(home, 0, (1, 0), (heard + 1).to_le_bytes().to_vec());
            }
            actions.wait_word(home, 0, (1, 0), (heard, None));
        })
    };
    let log = Log::default();
    let programs = Programs::new()
        .with("a", side(true, &log))
        .with("b", side(false, &log));
    let trace = run_with(&read(&pair(PLAIN, "")), programs);
    assert_eq!(noted(&log).len(), 1, "{:?}", noted(&log));
    let half = trace.end.time.since(SimTime::ZERO).as_ps() / u64::from(2 * ROUNDS);
    // The profile's wire and switch take most of it (S5-10 has 2.6 us).
    assert!((1_000_000..4_000_000).contains(&half), "{half} ps");
    assert_eq!(trace.of("watch").len(), 0);
}
