//! Connections that programs make: requests, answers, time-outs, and connections after a connection.

use std::sync::{Arc, Mutex};

use nic_core::event::TxStatus;
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::{SimDuration, SimTime};
use nic_core::via::{ConnectionId, Reason, ViaHeader};
use nic_runtime::Run;
use nic_runtime::host::{Actions, ConnectionNews, Happened, HostProgram, Programs};
use nic_runtime::run::SimError;
use nic_runtime::scenario::{ScenarioError, parse};
use nic_runtime::spec::Scenario;

/// The providers whose programs do not wait for a loop of the kernel, with a profile of each.
pub(crate) const PROVIDERS: [(&str, &str); 2] =
    [("giganet-1999", "hardware"), ("clan-2001", "clan")];

/// All providers, with a profile of each.
pub(crate) const ALL_PROVIDERS: [(&str, &str); 3] =
    [PROVIDERS[0], PROVIDERS[1], ("mvia-2001", "emulated")];

/// A program that consists of what it does when something happens.
pub(crate) struct Does<F>(pub(crate) F);

impl<F: FnMut(Happened<'_>, &mut Actions<'_>) + Send> HostProgram for Does<F> {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        (self.0)(what, actions);
    }
}

/// What programs write down.
pub(crate) type Log = Arc<Mutex<Vec<String>>>;

pub(crate) fn note(log: &Log, line: impl Into<String>) {
    log.lock().expect("nobody panics").push(line.into());
}

pub(crate) fn noted(log: &Log) -> Vec<String> {
    log.lock().expect("nobody panics").clone()
}

/// Two VIs whose programs connect them, with these keys.
pub(crate) fn two_vis((profile, provider): (&str, &str), of_each: &str, rest: &str) -> Scenario {
    let vi = |nic: &str, name: &str| {
        format!(
            "[[nic]]\nname = '{nic}'\n[[endpoint]]\nnic = '{nic}'\nname = '{name}'\ninterface = 'via'\n\
             provider = '{provider}'\n{of_each}\n"
        )
    };
    let text = format!(
        "profile = '{profile}'\n{}{}[[channel]]\nclient = 1\nserver = 7\nconnect = 'program'\n{rest}",
        vi("a", "client"),
        vi("b", "server"),
    );
    parse(text.as_bytes(), None, None).unwrap_or_else(|error| panic!("{error:?}"))
}

pub(crate) fn ms(count: u64) -> Option<SimDuration> {
    Some(us(1_000 * count))
}

pub(crate) fn us(count: u64) -> SimDuration {
    SimDuration::from_ns(1_000 * count)
}

/// What a program does when something happens, with the log to which it writes.
pub(crate) type Program = Box<dyn FnMut(&Log, Happened<'_>, &mut Actions<'_>) + Send>;

/// What a program does at a time in microseconds.
pub(crate) type Step = (u64, fn(&mut Actions<'_>));

/// Runs a scenario with a program at each end, and returns what they wrote down.
pub(crate) fn run(
    scenario: &Scenario,
    client: impl FnMut(&Log, Happened<'_>, &mut Actions<'_>) + Send + 'static,
    server: impl FnMut(&Log, Happened<'_>, &mut Actions<'_>) + Send + 'static,
) -> Vec<String> {
    let log = Log::default();
    let with_log = |mut program: Program| {
        let log = Arc::clone(&log);
        Does(move |what: Happened<'_>, actions: &mut Actions<'_>| program(&log, what, actions))
    };
    Run::new(scenario)
        .programs(
            Programs::new()
                .with("client", with_log(Box::new(client)))
                .with("server", with_log(Box::new(server))),
        )
        .execute()
        .expect("the scenario fits");
    noted(&log)
}

/// Writes down what happens at an end, except times and completed sends.
pub(crate) fn write_down(log: &Log, who: &str, what: Happened<'_>) {
    match what {
        Happened::Vi { what, .. } => note(log, format!("{who}: {what:?}")),
        Happened::Connection { what, .. } => note(log, format!("{who}: {what:?}")),
        Happened::Message { payload, .. } => {
            note(log, format!("{who}: {}", String::from_utf8_lossy(payload)));
        }
        Happened::Completed { status, .. } if status != TxStatus::Ok => {
            note(log, format!("{who}: {status:?}"));
        }
        Happened::Completed { .. }
        | Happened::Port { .. }
        | Happened::Window { .. }
        | Happened::Started
        | Happened::Time => {}
    }
}

/// A server that accepts tag 5 again and again, and answers messages.
pub(crate) fn serve(log: &Log, what: Happened<'_>, actions: &mut Actions<'_>) {
    write_down(log, "server", what);
    let home = actions.endpoints()[0];
    match what {
        Happened::Started
        | Happened::Connection {
            what: ConnectionNews::Ended { .. },
            ..
        } => actions.accept(home, 5, None),
        Happened::Message { payload, .. } => {
            let mut answer = payload.to_vec();
            answer.reverse();
            actions.post(home, ChannelId(7), answer);
        }
        Happened::Connection { .. }
        | Happened::Vi { .. }
        | Happened::Port { .. }
        | Happened::Window { .. }
        | Happened::Completed { .. }
        | Happened::Time => {}
    }
}

#[test]
fn programs_connect_exchange_disconnect_and_connect_again() {
    for provider in PROVIDERS {
        for level in ["unreliable", "delivery", "reception"] {
            let keys = format!("reliability = '{level}'");
            let mut round = 0;
            let log = run(
                &two_vis(provider, &keys, ""),
                move |log, what, actions| {
                    write_down(log, "client", what);
                    let home = actions.endpoints()[0];
                    match what {
                        Happened::Started => actions.connect(home, 5, ms(10)),
                        Happened::Connection {
                            what: ConnectionNews::Made,
                            ..
                        } => {
                            round += 1;
                            actions.post(home, ChannelId(1), format!("{round}-abc").into_bytes());
                        }
                        Happened::Message { .. } => actions.disconnect(home),
                        Happened::Connection {
                            what: ConnectionNews::Ended { .. },
                            ..
                        } if round < 3 => actions.connect(home, 5, ms(10)),
                        _ => {}
                    }
                },
                serve,
            );
            let mut expected = Vec::new();
            for round in 1..=3 {
                expected.extend([
                    "server: Made".to_owned(),
                    "client: Made".to_owned(),
                    format!("server: {round}-abc"),
                    format!("client: cba-{round}"),
                    "client: Ended { reason: Disconnect }".to_owned(),
                    "server: Ended { reason: Disconnect }".to_owned(),
                ]);
            }
            assert_eq!(log, expected, "{provider:?} {level}");
        }
    }
}

#[test]
fn a_connection_of_programs_needs_a_program_at_one_end() {
    for provider in PROVIDERS {
        let scenario = two_vis(provider, "host = 'echo'", "");
        let refused = Run::new(&scenario).execute().map(|_| ());
        assert_eq!(refused, Err(SimError::NobodyConnects { channel: 0 }));
    }
}

#[test]
fn a_process_that_ends_its_connection_does_one_thing_at_a_time() {
    for provider in PROVIDERS {
        let log = run(
            &two_vis(provider, "", ""),
            |log, what, actions| {
                let (now, home) = (actions.now().as_ns(), actions.endpoints()[0]);
                match what {
                    Happened::Started => actions.connect(home, 5, None),
                    Happened::Connection { what, .. } => {
                        if what == ConnectionNews::Made {
                            actions.disconnect(home);
                            actions.compute(us(100));
                            // Nothing waits that could be refused, which the program learns when it asks.
                            actions.refuse(home);
                        }
                        note(log, format!("{what:?} {now}"));
                    }
                    _ => {}
                }
            },
            |_, what, actions| {
                if let Happened::Started = what {
                    actions.accept(actions.endpoints()[0], 5, None);
                }
            },
        );
        let time = |word: &str| {
            let line = log.iter().find(|line| line.starts_with(word));
            let time = line.and_then(|line| line.split(' ').next_back()?.parse::<u64>().ok());
            time.unwrap_or_else(|| panic!("{word}: {log:?}"))
        };
        assert_eq!(time("NotPossible") - time("Made"), 100_000, "{provider:?}");
    }
}

/// Does something at each of these times in microseconds.
pub(crate) fn at_times(
    who: &'static str,
    mut steps: Vec<Step>,
) -> impl FnMut(&Log, Happened<'_>, &mut Actions<'_>) + Send {
    move |log, what, actions| {
        write_down(log, who, what);
        match what {
            Happened::Started => {
                for (time, _) in &steps {
                    actions.wake_at(SimTime::ZERO + us(*time));
                }
            }
            Happened::Time => {
                let (_, step) = steps.remove(0);
                step(actions);
            }
            Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. }
            | Happened::Message { .. }
            | Happened::Completed { .. } => {}
        }
    }
}

pub(crate) fn home(actions: &Actions<'_>) -> EndpointId {
    actions.endpoints()[0]
}

/// Checks what programs of both providers write down.
pub(crate) fn check(client: &[Step], server: &[Step], expected: &[&str]) {
    for provider in PROVIDERS {
        let log = run(
            &two_vis(provider, "", ""),
            at_times("client", client.to_vec()),
            at_times("server", server.to_vec()),
        );
        // The order at one end does not depend on the provider, that of both ends may.
        for end in ["client", "server"] {
            let of_end = |line: &&str| line.starts_with(end);
            let found: Vec<&str> = log.iter().map(String::as_str).filter(of_end).collect();
            let expected: Vec<&str> = expected.iter().copied().filter(of_end).collect();
            assert_eq!(found, expected, "{provider:?}");
        }
    }
}

#[test]
fn a_request_waits_for_its_answer() {
    check(
        &[
            (10, |actions| actions.connect(home(actions), 5, None)),
            (900, |actions| actions.connect(home(actions), 5, None)),
        ],
        &[
            (500, |actions| actions.refuse(home(actions))),
            (600, |actions| actions.refuse(home(actions))),
            (990, |actions| actions.accept(home(actions), 5, None)),
        ],
        &[
            "server: Requested { tag: 5 }",
            "client: Refused",
            "server: NotPossible",
            "server: Requested { tag: 5 }",
            "server: Made",
            "client: Made",
        ],
    );
}

#[test]
fn a_request_that_nobody_accepts_and_an_accept_without_a_request_time_out() {
    check(
        &[
            (10, |actions| {
                actions.connect(home(actions), 5, Some(us(100)))
            }),
            // The time-outs of these requests are due while a later one waits, and during the connection.
            (90, |actions| actions.disconnect(home(actions))),
            (95, |actions| {
                actions.connect(home(actions), 5, Some(us(200)))
            }),
            (500, |actions| {
                actions.connect(home(actions), 5, Some(us(700)))
            }),
            (1_600, |actions| actions.disconnect(home(actions))),
        ],
        &[
            // The request that waited was taken back at 295, so this finds none.
            (310, |actions| {
                actions.accept(home(actions), 5, Some(us(100)))
            }),
            (1_000, |actions| {
                actions.accept(home(actions), 5, Some(us(400)))
            }),
        ],
        &[
            "server: Requested { tag: 5 }",
            "server: Requested { tag: 5 }",
            "client: TimedOut",
            "server: TimedOut",
            "server: Requested { tag: 5 }",
            "server: Made",
            "client: Made",
            "client: Ended { reason: Disconnect }",
            "server: Ended { reason: Disconnect }",
        ],
    );
}

#[test]
fn a_stale_tag_is_refused_and_the_accept_waits_on() {
    check(
        &[
            (10, |actions| actions.connect(home(actions), 4, None)),
            (300, |actions| actions.connect(home(actions), 6, None)),
            (600, |actions| actions.connect(home(actions), 5, None)),
        ],
        &[
            // The first request waits when the server accepts, the second comes later.
            (200, |actions| actions.accept(home(actions), 5, None)),
        ],
        &[
            "server: Requested { tag: 4 }",
            "client: Refused",
            "client: Refused",
            "server: Made",
            "client: Made",
        ],
    );
}

#[test]
fn what_a_vi_cannot_do_is_answered_and_changes_nothing() {
    check(
        &[
            (10, |actions| {
                actions.connect(home(actions), 5, None);
                actions.connect(home(actions), 5, None);
                actions.accept(home(actions), 5, None);
            }),
            (500, |actions| {
                actions.connect(home(actions), 5, None);
                actions.accept(home(actions), 5, None);
                actions.refuse(home(actions));
                actions.post(home(actions), ChannelId(1), b"still".to_vec());
            }),
        ],
        &[(5, |actions| {
            actions.accept(home(actions), 5, None);
            actions.accept(home(actions), 6, None);
        })],
        &[
            "server: NotPossible",
            "client: NotPossible",
            "client: NotPossible",
            "server: Made",
            "client: Made",
            "client: NotPossible",
            "client: NotPossible",
            "client: NotPossible",
            "server: still",
        ],
    );
}

#[test]
fn requests_that_cross_refuse_each_other() {
    let both: &[Step] = &[(10, |actions| actions.connect(home(actions), 5, None))];
    for provider in PROVIDERS {
        let mut log = run(
            &two_vis(provider, "", ""),
            at_times("client", both.to_vec()),
            at_times("server", both.to_vec()),
        );
        log.sort_unstable();
        assert_eq!(log, ["client: Refused", "server: Refused"], "{provider:?}");
    }
}

#[test]
fn only_vis_leave_their_connection_to_programs() {
    let vi = "interface = 'via'";
    let text = |interface: &str, connect: &str| {
        format!(
            "[[nic]]\nname = 'n'\n[[endpoint]]\nnic = 'n'\nname = 'a'\n{interface}\n\
             [[endpoint]]\nnic = 'n'\nname = 'b'\n{interface}\n[[channel]]\na = 1\nb = 1\n{connect}\n"
        )
    };
    let read = |interface: &str, connect: &str| {
        parse(text(interface, connect).as_bytes(), None, None)
            .map(|scenario| {
                scenario
                    .endpoints
                    .iter()
                    .all(|spec| spec.vi.is_some_and(|vi| vi.connects_by_program))
            })
            .map_err(|error| match error {
                ScenarioError::Mistakes(mistakes) => mistakes
                    .iter()
                    .map(|mistake| mistake.kind.to_string())
                    .collect(),
                other => vec![format!("{other:?}")],
            })
    };
    assert_eq!(read(vi, "connect = 'program'"), Ok(true));
    assert_eq!(read(vi, ""), Ok(false));
    let one = |text: &str| Err(vec![text.to_owned()]);
    assert_eq!(read(vi, "connect = 'applet'"), one("expected `program`"));
    let found = read("", "connect = 'program'").expect_err("it is of U-Net");
    assert!(found.len() == 1 && found[0].contains("via"), "{found:?}");
    // An endpoint may have this name, and then it has a number.
    let named = text(vi, "")
        .replace("name = 'b'", "name = 'connect'")
        .replace("b = 1", "connect = 1");
    assert!(parse(named.as_bytes(), None, None).is_ok());
}

/// Forges control packets of every kind, for connections before, at and after the current one.
fn forge(actions: &mut Actions<'_>, connections: &[u32], is_current: bool) {
    let endpoint = home(actions);
    let mut send = |header: ViaHeader| {
        for bytes in [vec![], vec![0; 16], vec![0xff; 16], vec![1; 700]] {
            actions.send_control(endpoint, header, bytes);
        }
    };
    for &connection in connections {
        let connection = ConnectionId(connection);
        for tag in [0, 5] {
            send(ViaHeader::Connect { connection, tag });
        }
        send(ViaHeader::Accept { connection });
        send(ViaHeader::Refuse { connection });
        for before in [0, 1, 1 << 40, u64::MAX] {
            send(ViaHeader::Acknowledgement { connection, before });
            if !is_current {
                send(ViaHeader::Count { connection, before });
            }
        }
        if !is_current {
            let reason = Reason::Loss;
            send(ViaHeader::Close { connection, reason });
        }
        // Messages are no control packets, so these are ignored.
        send(ViaHeader::Unsent {
            connection,
            immediate: None,
        });
        send(ViaHeader::Message {
            connection,
            number: 0,
            immediate: None,
        });
    }
}

#[test]
fn forged_control_packets_touch_nothing_but_the_connection_that_they_name() {
    for provider in PROVIDERS {
        for level in ["unreliable", "delivery", "reception"] {
            let log = run(
                &two_vis(provider, &format!("reliability = '{level}'"), ""),
                at_times(
                    "client",
                    vec![
                        (10, |actions| forge(actions, &[1, 3, u32::MAX], false)),
                        (5_000, |actions| actions.connect(home(actions), 5, None)),
                        (7_000, |actions| {
                            forge(actions, &[0, 1, 3, 4, 99, u32::MAX], false);
                            forge(actions, &[2], true);
                        }),
                        (20_000, |actions| {
                            actions.post(home(actions), ChannelId(1), b"still here".to_vec());
                        }),
                    ],
                ),
                serve,
            );
            let expected = [
                "server: Made",
                "client: Made",
                "server: still here",
                "client: ereh llits",
            ];
            assert_eq!(log, expected, "{provider:?} {level}");
        }
    }
}

#[test]
fn a_forged_set_up_of_the_rings_makes_no_connection() {
    let mut forged = vec![vec![], vec![1, 2, 3]];
    for (offset, length) in [
        (u32::MAX, 0),
        (1 << 20, 4),
        (0, u32::MAX),
        (0, 5),
        (u32::MAX, 1),
    ] {
        let numbers = [3_u32, offset, length];
        let mut bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_be_bytes())
            .collect();
        bytes.extend([0; 4]);
        forged.push(bytes);
    }
    for bytes in forged {
        let mut sent = false;
        let log = run(
            &two_vis(PROVIDERS[1], "", ""),
            move |log, what, actions| {
                write_down(log, "client", what);
                let endpoint = home(actions);
                if let Happened::Started = what {
                    let connection = ConnectionId(2);
                    let header = ViaHeader::Connect { connection, tag: 5 };
                    actions.send_control(endpoint, header, bytes.clone());
                    actions.wake_at(SimTime::ZERO + us(500));
                }
                if matches!(what, Happened::Time) && !std::mem::replace(&mut sent, true) {
                    // The server has seen the number 2, so the first number is refused.
                    actions.connect(endpoint, 5, None);
                    actions.wake_at(SimTime::ZERO + us(1_000));
                } else if let Happened::Time = what {
                    actions.connect(endpoint, 5, None);
                }
            },
            |log, what, actions| {
                write_down(log, "server", what);
                let endpoint = home(actions);
                if matches!(what, Happened::Started)
                    || matches!(
                        what,
                        Happened::Connection {
                            what: ConnectionNews::Refused,
                            ..
                        }
                    )
                {
                    actions.accept(endpoint, 5, None);
                }
            },
        );
        let expected = [
            "server: Refused",
            "client: Refused",
            "server: Made",
            "client: Made",
        ];
        assert_eq!(log, expected);
    }
}
