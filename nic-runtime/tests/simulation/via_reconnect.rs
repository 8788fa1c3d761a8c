//! Descriptors that are posted before a connection or between two, and those of a connection while the next begins.

use nic_core::id::ChannelId;
use nic_core::time::SimTime;
use nic_runtime::Run;
use nic_runtime::export::PayloadMode;
use nic_runtime::export::text::TextTrace;
use nic_runtime::host::{Actions, ConnectionNews, Happened, Programs};

use crate::via_connect::{
    Does, PROVIDERS, Step, at_times, check, home, note, run, serve, two_vis, us, write_down,
};

#[test]
fn dma_requests_of_a_former_connection_do_not_count_for_the_next() {
    let keys = |level: &str| {
        format!(
            "reliability = '{level}'\ntransfer = 'dma'\nbuffer_area = 32768\n\
             free_buffers = {{ count = 4, length = 2048 }}"
        )
    };
    for level in ["unreliable", "delivery", "reception"] {
        // The connection ends at each stage of the requests for its two messages.
        for delay in (0..80).step_by(4) {
            let mut round = 0;
            let log = run(
                &two_vis(PROVIDERS[1], &keys(level), ""),
                move |log, what, actions| {
                    let home = actions.endpoints()[0];
                    match what {
                        Happened::Started => actions.connect(home, 5, None),
                        Happened::Time => actions.disconnect(home),
                        Happened::Completed { status, .. } => {
                            note(log, format!("{round} {status:?}"));
                        }
                        Happened::Connection { what, .. } => match what {
                            ConnectionNews::Made => {
                                round += 1;
                                let lengths = if round == 1 {
                                    [2_000, 1_500]
                                } else {
                                    [1_000, 0]
                                };
                                for length in lengths {
                                    actions.post(home, ChannelId(1), vec![round; length]);
                                }
                                if round == 1 {
                                    actions.wake_at(actions.now() + us(delay));
                                }
                            }
                            ConnectionNews::Ended { .. } => actions.connect(home, 5, None),
                            other => panic!("{other:?}"),
                        },
                        _ => {}
                    }
                },
                |log, what, actions| {
                    let home = actions.endpoints()[0];
                    match what {
                        Happened::Started
                        | Happened::Connection {
                            what: ConnectionNews::Ended { .. },
                            ..
                        } => actions.accept(home, 5, None),
                        Happened::Message { payload, .. } => {
                            let of = payload.first().copied().unwrap_or(2);
                            assert!(payload.iter().all(|byte| *byte == of));
                            note(log, format!("{of}: {} bytes", payload.len()));
                        }
                        _ => {}
                    }
                },
            );
            let what = format!("{level} {delay}: {log:?}");
            let of_first = log.iter().filter(|line| line.starts_with("1 ")).count();
            assert_eq!(
                of_first, 2,
                "they complete before the next connection: {what}"
            );
            let second: Vec<&str> = log
                .iter()
                .map(String::as_str)
                .filter(|line| line.starts_with("2"))
                .collect();
            let mut expected = ["2 Ok", "2 Ok", "2: 1000 bytes", "2: 0 bytes"];
            let mut found = second;
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{what}");
        }
    }
}

#[test]
fn a_send_without_a_connection_is_flushed_and_receives_stay_posted() {
    check(
        &[
            (10, |actions| {
                actions.post(home(actions), ChannelId(1), b"early".to_vec())
            }),
            // A descriptor that is posted while the VI connects does not go out when it is connected.
            (200, |actions| {
                actions.connect(home(actions), 5, None);
                actions.post(home(actions), ChannelId(1), b"also early".to_vec());
            }),
            (900, |actions| {
                actions.post(home(actions), ChannelId(1), b"in time".to_vec())
            }),
        ],
        &[(100, |actions| actions.accept(home(actions), 5, None))],
        &[
            "client: Failed",
            "client: Failed",
            "server: Made",
            "client: Made",
            "server: in time",
        ],
    );
}

/// A library takes a moment for each descriptor, in which the connection may be made.
#[test]
fn a_send_that_is_posted_before_the_connection_is_flushed_however_close() {
    for provider in PROVIDERS {
        let (mut flushed, mut sent) = (0, 0);
        for time in (180..260).map(us) {
            let mut trace = Vec::new();
            let mut sink = TextTrace::new(&mut trace, PayloadMode::Omitted);
            let client = Does(move |what: Happened<'_>, actions: &mut Actions<'_>| {
                let home = home(actions);
                match what {
                    Happened::Started => {
                        actions.wake_at(SimTime::ZERO + us(180));
                        actions.wake_at(SimTime::ZERO + time);
                        actions.connect(home, 5, None);
                    }
                    Happened::Time if actions.now() == SimTime::ZERO + time => {
                        actions.post(home, ChannelId(1), b"early".to_vec());
                    }
                    _ => {}
                }
            });
            let mut has_accepted = false;
            let server = Does(
                move |what: Happened<'_>, actions: &mut Actions<'_>| match what {
                    Happened::Started => actions.wake_at(SimTime::ZERO + us(190)),
                    Happened::Time if !has_accepted => {
                        has_accepted = true;
                        actions.accept(home(actions), 5, None);
                    }
                    _ => {}
                },
            );
            Run::new(&two_vis(provider, "", ""))
                .programs(
                    Programs::new()
                        .with("client", client)
                        .with("server", server),
                )
                .sink(&mut sink)
                .execute()
                .expect("the scenario fits");
            let trace = String::from_utf8_lossy(&trace);
            let line = |part: &str| {
                let lines = trace.lines().enumerate();
                let mut lines = lines.filter(|(_, line)| line.contains("client"));
                lines.find(|(_, line)| line.contains(part))
            };
            let (posted, _) = line("tx-post").expect("it is posted");
            let (connected, _) = line("state=connected").expect("the connection is made");
            let (_, done) = line("tx-done").expect("it completes");
            assert_eq!(
                done.contains("status=ok"),
                posted > connected,
                "{provider:?}: {trace}"
            );
            match posted > connected {
                true => sent += 1,
                false => flushed += 1,
            }
        }
        assert!(flushed > 5 && sent > 5, "{provider:?}: {flushed} {sent}");
    }
}

#[test]
fn a_buffer_that_comes_back_between_connections_takes_a_message_of_the_next_one() {
    // The server sees its message a millisecond late, when it already waits for the next connection.
    let keys = "poll_every = '1ms'\nbuffer_area = 8192\nfree_buffers = { count = 1, length = 64 }";
    for provider in PROVIDERS {
        let client: Vec<Step> = vec![
            (10, |actions| actions.connect(home(actions), 5, None)),
            (300, |actions| {
                actions.post(home(actions), ChannelId(1), b"first".to_vec())
            }),
            (600, |actions| actions.disconnect(home(actions))),
            (2_300, |actions| actions.connect(home(actions), 5, None)),
            (2_600, |actions| {
                actions.post(home(actions), ChannelId(1), b"second".to_vec())
            }),
        ];
        let log = run(
            &two_vis(provider, keys, ""),
            at_times("client", client),
            |log, what, actions| {
                write_down(log, "server", what);
                if let Happened::Started
                | Happened::Connection {
                    what: ConnectionNews::Ended { .. },
                    ..
                } = what
                {
                    actions.accept(home(actions), 5, None);
                }
            },
        );
        let of_server: Vec<&str> = log
            .iter()
            .map(String::as_str)
            .filter(|line| line.starts_with("server"))
            .collect();
        let expected = [
            "server: Made",
            "server: Ended { reason: Disconnect }",
            "server: first",
            "server: Made",
            "server: second",
        ];
        assert_eq!(of_server, expected, "{provider:?}");
    }
}

#[test]
fn a_vi_connects_again_while_descriptors_of_its_last_connection_end() {
    for provider in PROVIDERS {
        for level in ["unreliable", "delivery", "reception"] {
            let mut made = 0;
            let log = run(
                &two_vis(provider, &format!("reliability = '{level}'"), ""),
                move |log, what, actions| {
                    if !matches!(what, Happened::Completed { .. }) {
                        write_down(log, "client", what);
                    }
                    let home = home(actions);
                    match what {
                        Happened::Started => actions.connect(home, 5, None),
                        Happened::Connection {
                            what: ConnectionNews::Made,
                            ..
                        } if made == 0 => {
                            made += 1;
                            for _ in 0..4 {
                                actions.post(home, ChannelId(1), vec![b'x'; 3_000]);
                            }
                            actions.disconnect(home);
                            actions.connect(home, 5, None);
                        }
                        Happened::Connection {
                            what: ConnectionNews::Made,
                            ..
                        } => actions.post(home, ChannelId(1), b"new".to_vec()),
                        _ => {}
                    }
                },
                serve,
            );
            let ends = |line: &String| line.starts_with("server: x");
            let log: Vec<String> = log.into_iter().filter(|line| !ends(line)).collect();
            let expected = [
                "server: Made",
                "client: Made",
                "client: Ended { reason: Disconnect }",
                "server: Ended { reason: Disconnect }",
                "server: Made",
                "client: Made",
                "server: new",
                "client: wen",
            ];
            assert_eq!(log, expected, "{provider:?} {level}");
        }
    }
}
