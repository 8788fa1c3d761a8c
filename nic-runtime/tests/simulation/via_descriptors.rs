//! Descriptors that programs post themselves: memory by handle, offset and length, in segments.

use std::num::NonZeroU32;
use std::sync::Arc;

use nic_core::id::EndpointId;
use nic_core::memory::Region;
use nic_core::storage::Fixed;
use nic_core::time::SimTime;
use nic_core::via::{Handle, Registry, RegistryError, SEGMENTS_MAX, Segment, Status};
use nic_runtime::Run;
use nic_runtime::host::{Actions, ConnectionNews, Happened, Programs, RegionRefusal, ViNews};
use nic_runtime::profile::Profile;
use nic_runtime::scenario::parse_on;
use nic_runtime::spec::Scenario;

use crate::trace::{Pair, simulate};

use crate::via_connect::{Does, Log, PROVIDERS, note, noted, two_vis, us};

/// The keys of VIs whose programs post the receive descriptors.
const OWN: &str = "free_buffers = { count = 0 }\nbuffer_area = 20000";

type Program = Box<dyn FnMut(&Log, Happened<'_>, &mut Actions<'_>) + Send>;

/// What a program does at a time, with its handles.
type Step = fn(&mut Actions<'_>, &[Handle]);

fn run(scenario: &Scenario, programs: Vec<(&str, Program)>) -> Vec<String> {
    let log = Log::default();
    let mut all = Programs::new();
    for (name, mut program) in programs {
        let log = Arc::clone(&log);
        all = all.with(
            name,
            Does(move |what: Happened<'_>, actions: &mut Actions<'_>| program(&log, what, actions)),
        );
    }
    let end = Run::new(scenario).programs(all).execute();
    end.expect("the scenario fits");
    noted(&log)
}

/// Writes down what happens at a VI, but not the registrations and connections that succeed.
fn write_down(log: &Log, who: &str, what: Happened<'_>) {
    let line = match what {
        Happened::Vi { what, .. } => match what {
            ViNews::Registered {
                registered: Ok(_), ..
            } => return,
            ViNews::Received(done) => {
                let payload = String::from_utf8_lossy(done.payload);
                let immediate = done
                    .immediate
                    .map_or(String::new(), |number| format!(" {number}"));
                format!("{:?} {:?} {payload}{immediate}", done.tickets, done.status)
            }
            other => format!("{other:?}"),
        },
        Happened::Connection {
            what: ConnectionNews::Made,
            ..
        } => return,
        Happened::Connection { what, .. } => format!("{what:?}"),
        Happened::Message { payload, .. } => String::from_utf8_lossy(payload).into_owned(),
        Happened::Completed { status, .. } => format!("{status:?}"),
        Happened::Started | Happened::Time | Happened::Port { .. } | Happened::Window { .. } => {
            return;
        }
    };
    note(log, format!("{who}: {line}"));
}

fn segment(handle: Handle, offset: u32, length: u32) -> Segment {
    Segment {
        handle,
        offset,
        length,
    }
}

/// A program that registers ranges of its memory, connects or accepts, and then does its steps at their times in
/// microseconds. The steps get the handles.
fn with_memory(
    who: &'static str,
    ranges: &'static [(u32, u32)],
    mut steps: Vec<(u64, Step)>,
) -> Program {
    let mut handles = Vec::new();
    Box::new(move |log, what, actions| {
        write_down(log, who, what);
        let home = actions.endpoints()[0];
        match what {
            Happened::Started => {
                for (ticket, range) in (0..).zip(ranges) {
                    actions.register(home, home, *range, ticket);
                }
                match who {
                    "client" => actions.connect(home, 5, None),
                    _ => actions.accept(home, 5, None),
                }
                for (time, _) in &steps {
                    actions.wake_at(SimTime::ZERO + us(*time));
                }
            }
            Happened::Vi {
                what:
                    ViNews::Registered {
                        registered: Ok(handle),
                        ..
                    },
                ..
            } => handles.push(handle),
            Happened::Time => {
                let (_, step) = steps.remove(0);
                step(actions, &handles);
            }
            _ => {}
        }
    })
}

fn home(actions: &Actions<'_>) -> EndpointId {
    actions.endpoints()[0]
}

#[test]
fn a_message_is_joined_from_segments_and_scattered_to_segments() {
    for provider in PROVIDERS {
        let ways: &[&str] = match provider.1 {
            "clan" => &["", "transfer = 'dma'", "transfer = 'pio'\nstrict = true"],
            _ => &["", "reliability = 'reception'"],
        };
        for way in ways {
            let log = run(
                &two_vis(provider, &format!("{OWN}\n{way}"), ""),
                vec![
                    (
                        "client",
                        with_memory(
                            "client",
                            &[(100, 50), (1_000, 50)],
                            vec![
                                (500, |actions, handles| {
                                    let home = home(actions);
                                    actions.fill(home, 100, b"..middle..".to_vec());
                                    actions.fill(home, 1_000, b"first last".to_vec());
                                    let pieces = vec![
                                        segment(handles[1], 0, 6),
                                        segment(handles[0], 2, 6),
                                        segment(handles[0], 50, 0),
                                        segment(handles[1], 5, 5),
                                    ];
                                    actions.post_send(home, 7, pieces, Some(99));
                                }),
                                (900, |actions, _| {
                                    let home = home(actions);
                                    actions.post_send(home, 8, Vec::new(), None);
                                }),
                            ],
                        ),
                    ),
                    (
                        "server",
                        with_memory(
                            "server",
                            &[(0, 64), (5_000, 64)],
                            vec![
                                (300, |actions, handles| {
                                    let home = home(actions);
                                    actions.fill(home, 0, vec![b'-'; 64]);
                                    actions.fill(home, 5_000, vec![b'-'; 64]);
                                    let places = vec![
                                        segment(handles[1], 10, 4),
                                        segment(handles[0], 3, 6),
                                        segment(handles[1], 30, 30),
                                    ];
                                    actions.post_receive(home, 1, places);
                                    actions.post_receive(home, 2, Vec::new());
                                    actions.receive_within(home, None);
                                }),
                                (1_500, |actions, handles| {
                                    let home = home(actions);
                                    actions.receive(home);
                                    // The server sends what is in its memory now, so that the client sees where it lies.
                                    let pieces = vec![
                                        segment(handles[1], 8, 8),
                                        segment(handles[0], 0, 10),
                                        segment(handles[1], 28, 12),
                                    ];
                                    actions.post_send(home, 3, pieces, None);
                                }),
                            ],
                        ),
                    ),
                ]
                .into_iter()
                .map(|(name, mut program): (&str, Program)| -> (&str, Program) {
                    if name == "server" {
                        return (name, program);
                    }
                    let receives: Program = Box::new(move |log, what, actions| {
                        program(log, what, actions);
                        if let Happened::Vi {
                            what:
                                ViNews::Registered {
                                    ticket: 0,
                                    registered: Ok(handle),
                                },
                            endpoint,
                        } = what
                        {
                            actions.post_receive(endpoint, 4, vec![segment(handle, 15, 32)]);
                            actions.receive_within(endpoint, None);
                        }
                    });
                    (name, receives)
                })
                .collect(),
            );
            let sent = |who: &str, ticket: u64, length: u32| {
                format!("{who}: Sent {{ ticket: {ticket}, status: Ok, length: {length} }}")
            };
            let mut expected = [
                sent("client", 7, 17),
                "server: [1] Ok first middle last 99".to_owned(),
                sent("client", 8, 0),
                "server: [2] Ok ".to_owned(),
                sent("server", 3, 30),
                "client: [4] Ok --firs-----t midd---le last---".to_owned(),
            ];
            // A send and the receive of its message may complete in either order.
            let mut log = log;
            log.sort_unstable();
            expected.sort_unstable();
            assert_eq!(log, expected, "{provider:?} {way}");
        }
    }
}

#[test]
fn a_program_takes_messages_when_it_asks_and_posts_when_it_wants() {
    for provider in PROVIDERS {
        let log = run(
            &two_vis(provider, &format!("{OWN}\nreliability = 'unreliable'"), ""),
            vec![
                (
                    "client",
                    with_memory(
                        "client",
                        &[(0, 100)],
                        vec![(500, |actions, handles| {
                            let home = home(actions);
                            actions.fill(home, 0, b"abcd".to_vec());
                            for (ticket, offset) in (0..).zip(0..3) {
                                actions.post_send(
                                    home,
                                    ticket,
                                    vec![segment(handles[0], offset, 2)],
                                    None,
                                );
                            }
                        })],
                    ),
                ),
                (
                    "server",
                    with_memory(
                        "server",
                        &[(0, 100)],
                        vec![
                            (300, |actions, handles| {
                                let home = home(actions);
                                actions.post_receive(home, 10, vec![segment(handles[0], 0, 20)]);
                                actions.post_receive(home, 11, vec![segment(handles[0], 20, 20)]);
                                actions.receive_within(home, Some(us(50)));
                            }),
                            (5_000, |actions, handles| {
                                let home = home(actions);
                                for _ in 0..3 {
                                    actions.receive(home);
                                }
                                actions.post_receive(home, 12, vec![segment(handles[0], 0, 20)]);
                            }),
                        ],
                    ),
                ),
            ],
        );
        let server: Vec<&String> = log
            .iter()
            .filter(|line| line.starts_with("server"))
            .collect();
        let expected = [
            "server: NoMessage",
            "server: [10] Ok ab",
            "server: [11] Ok bc",
            "server: NoMessage",
        ];
        assert_eq!(server, expected, "{provider:?}");
    }
}

#[test]
fn descriptors_may_name_only_what_is_registered_for_their_vi() {
    for provider in PROVIDERS {
        let client: Program = {
            let mut handles = Vec::new();
            Box::new(move |log, what, actions| {
                write_down(log, "client", what);
                let home = home(actions);
                match what {
                    Happened::Started => {
                        actions.register(home, home, (100, 50), 0);
                        actions.register(home, home, (200, 50), 1);
                        actions.register(home, home, (19_990, 11), 2);
                        actions.connect(home, 5, None);
                        actions.wake_at(SimTime::ZERO + us(1_000));
                    }
                    Happened::Vi {
                        what:
                            ViNews::Registered {
                                registered: Ok(handle),
                                ..
                            },
                        ..
                    } => handles.push(handle),
                    Happened::Time => {
                        let (kept, freed) = (handles[0], handles[1]);
                        actions.deregister(home, freed, 3);
                        actions.deregister(home, freed, 4);
                        // Handles 0 and 1 are those of the buffer areas. Each program registers its first range at the
                        // start, the client before the server.
                        let foreign = Handle(3);
                        actions.deregister(home, foreign, 5);
                        let mut ticket = 10;
                        for (handle, offset, length) in [
                            (freed, 0, 1),
                            (foreign, 0, 1),
                            (Handle(77), 0, 0),
                            (kept, 0, 51),
                            (kept, 51, 0),
                            (kept, u32::MAX, 1),
                            (kept, 1, u32::MAX),
                        ] {
                            let bad = vec![segment(kept, 0, 1), segment(handle, offset, length)];
                            actions.post_send(home, ticket, bad.clone(), None);
                            actions.post_receive(home, ticket, bad);
                            actions.receive(home);
                            ticket += 1;
                        }
                        let many = vec![segment(kept, 0, 0); SEGMENTS_MAX as usize + 1];
                        actions.post_send(home, ticket, many.clone(), None);
                        actions.post_receive(home, ticket, many);
                        actions.receive(home);
                        // The connection is as it was.
                        actions.fill(home, 100, b"fine".to_vec());
                        actions.post_send(home, 99, vec![segment(kept, 0, 4)], None);
                    }
                    _ => {}
                }
            })
        };
        let log = run(
            &two_vis(provider, OWN, ""),
            vec![
                ("client", client),
                (
                    "server",
                    with_memory(
                        "server",
                        &[(0, 100)],
                        vec![(300, |actions, handles| {
                            let home = home(actions);
                            assert_eq!(handles, [Handle(3)]);
                            actions.post_receive(home, 1, vec![segment(handles[0], 0, 20)]);
                            actions.receive_within(home, None);
                        })],
                    ),
                ),
            ],
        );
        let not = |ticket: u64| {
            let deregistered: Result<Handle, _> = Err(RegionRefusal::NotRegistered);
            format!(
                "client: {:?}",
                ViNews::Deregistered {
                    ticket,
                    deregistered
                }
            )
        };
        assert!(log.contains(&not(4)) && log.contains(&not(5)), "{log:?}");
        let outside = "client: Registered { ticket: 2, registered: Err(Outside) }".to_owned();
        assert!(log.contains(&outside), "{log:?}");
        for ticket in 10..=17 {
            let status = match ticket {
                17 => Status::LengthError,
                _ => Status::ProtectionError,
            };
            let length = 0;
            let sent = ViNews::Sent {
                ticket,
                status,
                length,
            };
            let sent = log
                .iter()
                .filter(|line| **line == format!("client: {sent:?}"));
            assert_eq!(sent.count(), 1, "{provider:?} {ticket} {log:?}");
            let received = format!("client: [{ticket}] {status:?} ");
            let received = log.iter().filter(|line| **line == received);
            assert_eq!(received.count(), 1, "{provider:?} {ticket} {log:?}");
        }
        assert!(log.contains(&"server: [1] Ok fine".to_owned()), "{log:?}");
    }
}

#[test]
fn memory_of_descriptors_under_way_stays_registered() {
    for provider in PROVIDERS {
        let log = run(
            &two_vis(provider, OWN, ""),
            vec![
                (
                    "client",
                    with_memory(
                        "client",
                        &[(0, 100)],
                        vec![(1_000, |actions, _| {
                            actions.disconnect(home(actions));
                        })],
                    ),
                ),
                (
                    "server",
                    with_memory(
                        "server",
                        &[(0, 100)],
                        vec![
                            (300, |actions, handles| {
                                let home = home(actions);
                                actions.post_receive(home, 1, vec![segment(handles[0], 0, 20)]);
                                actions.deregister(home, handles[0], 7);
                            }),
                            (1_500, |actions, handles| {
                                let home = home(actions);
                                actions.receive(home);
                                actions.deregister(home, handles[0], 8);
                                // A descriptor that is posted after the end of the connection waits for the next.
                                actions.register(home, home, (0, 10), 9);
                                actions.post_receive(home, 2, Vec::new());
                                actions.receive(home);
                            }),
                        ],
                    ),
                ),
            ],
        );
        let expected = [
            "server: Deregistered { ticket: 7, deregistered: Err(InUse) }",
            "client: Ended { reason: Disconnect }",
            "server: Ended { reason: Disconnect }",
            "server: [1] Flushed ",
            "server: Deregistered { ticket: 8, deregistered: Ok(Handle(3)) }",
            "server: NoMessage",
        ];
        assert_eq!(log, expected, "{provider:?}");
    }
}

#[test]
fn a_vi_with_free_buffers_takes_no_descriptors_of_its_program() {
    for provider in PROVIDERS {
        let log = run(
            &two_vis(provider, "", ""),
            vec![(
                "client",
                Box::new(|log, what, actions| {
                    write_down(log, "client", what);
                    if let Happened::Started = what {
                        let home = home(actions);
                        actions.post_receive(home, 1, Vec::new());
                        actions.post_send(home, 2, Vec::new(), None);
                        actions.receive(home);
                    }
                }),
            )],
        );
        let expected = [
            "client: NotPossible { ticket: 1 }",
            "client: NotPossible { ticket: 2 }",
            "client: NoMessage",
        ];
        assert_eq!(log, expected, "{provider:?}");
    }
}

#[test]
fn a_deregistered_buffer_area_flushes_no_descriptor_of_other_memory() {
    for provider in PROVIDERS {
        let region = "[[region]]\nat = '200us'\nendpoint = 'server'\naction = 'deregister'\n";
        let scenario = two_vis(provider, OWN, region);
        let receive: Step = |actions, handles| {
            let home = actions.endpoints()[0];
            actions.post_receive(home, 11, vec![segment(handles[0], 0, 64)]);
            actions.accept(home, 5, None);
        };
        let send: Step = |actions, handles| {
            let home = actions.endpoints()[0];
            actions.fill(home, 0, b"still there".to_vec());
            actions.post_send(home, 21, vec![segment(handles[0], 0, 11)], None);
        };
        let client: Vec<(u64, Step)> = vec![
            (300, |actions, _| actions.disconnect(actions.endpoints()[0])),
            (600, |actions, _| {
                actions.connect(actions.endpoints()[0], 5, None)
            }),
            (900, send),
        ];
        let server: Vec<(u64, Step)> = vec![
            (500, receive),
            (1_200, |actions, _| actions.receive(actions.endpoints()[0])),
        ];
        let log = run(
            &scenario,
            vec![
                ("client", with_memory("client", &[(0, 4_096)], client)),
                ("server", with_memory("server", &[(0, 4_096)], server)),
            ],
        );
        let log: Vec<_> = log.iter().filter(|line| !line.contains("Ended")).collect();
        assert_eq!(
            log,
            [
                "client: Sent { ticket: 21, status: Ok, length: 11 }",
                "server: [11] Ok still there"
            ],
            "{provider:?}"
        );
    }
}

#[test]
fn each_error_of_a_registration_is_a_refusal_of_its_own() {
    let mut registry = Registry::<Fixed>::default();
    let area = Region::sole(64);
    let refused = |error: Option<RegistryError>| error.map(RegionRefusal::from);
    let outside = registry.register(area, (60, 5), 1).err();
    assert_eq!(refused(outside), Some(RegionRefusal::Outside));
    let handle = registry.register(area, (0, 64), 1).expect("there is room");
    let foreign = registry.deregister(handle, 2).err();
    assert_eq!(refused(foreign), Some(RegionRefusal::NotRegistered));
    assert_eq!(registry.hold(handle), Ok(()));
    let held = registry.deregister(handle, 1).err();
    assert_eq!(refused(held), Some(RegionRefusal::InUse));
    let full = (0..=u32::MAX).find_map(|_| registry.register(area, (0, 1), 1).err());
    assert_eq!(refused(full), Some(RegionRefusal::Full));
}

#[test]
fn a_profile_limits_the_segments_of_a_descriptor() {
    for provider in PROVIDERS {
        let mut scenario = two_vis(provider, OWN, "");
        scenario.profile.memory.segments = NonZeroU32::new(2).expect("2 is not 0");
        let client: Vec<(u64, Step)> = vec![(500, |actions, handles| {
            let home = home(actions);
            actions.fill(home, 0, b"abcdefghijkl".to_vec());
            for (ticket, count) in [(1, 2), (2, 3)] {
                let pieces = (0..count).map(|piece| segment(handles[0], 4 * piece, 4));
                actions.post_send(home, ticket, pieces.collect(), None);
            }
        })];
        let server: Vec<(u64, Step)> = vec![
            (300, |actions, handles| {
                let home = home(actions);
                for (ticket, count) in [(11, 3), (12, 2)] {
                    let pieces = (0..count).map(|piece| segment(handles[0], 4 * piece, 4));
                    actions.post_receive(home, ticket, pieces.collect());
                }
            }),
            (900, |actions, _| {
                let home = home(actions);
                (0..2).for_each(|_| actions.receive(home));
            }),
        ];
        let mut log = run(
            &scenario,
            vec![
                ("client", with_memory("client", &[(0, 64)], client)),
                ("server", with_memory("server", &[(0, 64)], server)),
            ],
        );
        log.sort();
        assert_eq!(
            log,
            [
                "client: Sent { ticket: 1, status: Ok, length: 8 }",
                "client: Sent { ticket: 2, status: LengthError, length: 0 }",
                "server: [11] LengthError ",
                "server: [12] Ok abcdefgh",
            ],
            "{provider:?}"
        );
    }
}

#[test]
fn a_send_of_a_scenario_has_as_many_segments_as_the_profile_allows() {
    let mut profile = Profile::builtin("clan-2001").expect("a built-in profile");
    profile.memory.segments = NonZeroU32::new(2).expect("2 is not 0");
    let toml = |segments: &str| {
        Pair::PLAIN
            .client("interface = 'via'\nprovider = 'clan'")
            .server("interface = 'via'\nprovider = 'clan'")
            .rest(&format!(
                "[[send]]\nendpoint = 'client'\nchannel = 1\npayload = {{ text = 'abcdef' }}\n\
                 segments = {segments}\n"
            ))
            .toml()
    };
    let allowed = parse_on(&toml("[[4, 2], [0, 2]]"), &profile).expect("two segments");
    let trace = simulate(&allowed).expect("the scenario fits");
    assert_eq!(
        trace.at("server", "rx-descriptor")[0]["payload"],
        "65666162"
    );
    let refused = parse_on(&toml("[[4, 2], [0, 2], [2, 2]]"), &profile);
    let refused = format!("{:?}", refused.expect_err("three segments"));
    assert!(refused.contains("limit: 2"), "{refused}");
}
