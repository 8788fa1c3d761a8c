//! Clients and servers whose messages go through rings in windows, without a VI (docs/clan.md).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use nic_core::event::EndReason;
use nic_core::id::EndpointId;
use nic_core::random::Generator;
use nic_core::time::SimTime;
use nic_runtime::Run;
use nic_runtime::host::rings::{RING_ENTRIES, RingClient, RingServer, Rings};
use nic_runtime::host::{Actions, Happened, HostProgram, Programs, WindowNews};
use nic_runtime::spec::{HostSpec, RingRequests, Scenario};

use crate::runs::runs;
use crate::scenario::read;
use crate::trace::{Trace, number, run_with};
use crate::via_connect::us;

/// A client of the scenarios here: its program, its requests and their length.
#[derive(Copy, Clone, Debug)]
struct Client {
    program: &'static str,
    rounds: u32,
    length: u32,
}

/// A server on NIC `s`, and clients on NICs of their own, with keys of each endpoint and each link.
fn scenario((each, link): (&str, &str), clients: &[Client], rest: &str) -> Scenario {
    let length = |client: &Client| Rings::window_for(client.length);
    let area: u64 = clients.iter().map(length).sum();
    let mut text = format!(
        "profile = 'clan-2001'\nuntil = '100s'\n[[nic]]\nname = 's'\n[[endpoint]]\nnic = 's'\nname = 'server'\n\
         host = 'clan-server'\nbuffer_area = {area}\nfree_buffers = {{ count = 0 }}\n{each}\n"
    );
    let mut offset = 0;
    for (place, client) in clients.iter().enumerate() {
        let Client {
            program, rounds, ..
        } = client;
        let window = length(client);
        let _infallible = write!(
            text,
            "[[nic]]\nname = 'n{place}'\n[[link]]\nbetween = ['s', 'n{place}']\n{link}\n\
             [[endpoint]]\nnic = 'n{place}'\nname = 'c{place}'\nhost = '{program}'\n\
             rounds = {rounds}\nmessage_length = {}\nbuffer_area = {window}\n\
             free_buffers = {{ count = 0 }}\n{each}\n\
             [[window]]\nowner = 'server'\nwriter = 'c{place}'\nnumber = {place}\n\
             offset = {offset}\nlength = {window}\n\
             [[window]]\nowner = 'c{place}'\nwriter = 'server'\nnumber = {place}\n\
             length = {window}\n",
            client.length
        );
        offset += window;
    }
    read(&(text + rest))
}

/// The answers that a client has taken for right: the entry of each, from its number on.
type Taken = Arc<Mutex<Vec<Vec<u8>>>>;

/// A client that writes down which answers it takes, and whose place another takes after some of them.
struct Watched {
    client: RingClient,
    /// The client that takes the place of the first, and after how many answers.
    next: Option<(u32, RingClient)>,
    taken: Taken,
}

impl HostProgram for Watched {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if let Happened::Time = what {
            return self.client.happened(Happened::Started, actions);
        }
        let before = self.client.answers();
        self.client.happened(what, actions);
        if let Happened::Window {
            what: WindowNews::Loaded { payload, .. },
            ..
        } = what
            && self.client.answers() > before
        {
            self.taken.lock().unwrap().push(payload.to_vec());
        }
        if let Some((_, client)) = self
            .next
            .take_if(|(after, _)| *after == self.client.answers())
        {
            self.client = client;
            // The new client begins while requests of the first are still under way.
            actions.wake_at(actions.now() + us(1));
        }
    }
}

fn client_of(scenario: &Scenario, id: EndpointId) -> RingClient {
    let HostSpec::RingClient(requests) = scenario.endpoints[id].host else {
        panic!("{id:?} is a client");
    };
    RingClient::new(Rings::of(id, &scenario.windows)[0], requests)
}

/// Runs a scenario of [`scenario`]. Returns the trace, and the answers that each client has taken.
fn run(
    scenario: &Scenario,
    mut next: BTreeMap<u32, (u32, RingClient)>,
) -> (Trace, BTreeMap<u32, Vec<Vec<u8>>>) {
    let mut programs = Programs::new();
    let mut all = BTreeMap::new();
    let count = u32::try_from(scenario.endpoints.len()).expect("few");
    for id in 1..count {
        let taken = Taken::default();
        all.insert(id, Arc::clone(&taken));
        let watched = Watched {
            client: client_of(scenario, EndpointId(id)),
            next: next.remove(&id),
            taken,
        };
        programs = programs.with(&format!("c{}", id - 1), watched);
    }
    let trace = run_with(scenario, programs);
    assert_eq!(trace.end.reason, EndReason::Idle);
    let taken = all
        .into_iter()
        .map(|(id, taken)| (id, taken.lock().unwrap().clone()))
        .collect();
    (trace, taken)
}

/// The entries that an endpoint has stored in a window, with their numbers, in hexadecimal.
fn entries(trace: &Trace, of: &str, window: u32) -> Vec<(u32, String)> {
    let written = trace.at(of, "window-write").into_iter();
    let entries = written
        .filter(|event| number(event, "window") == u64::from(window) && number(event, "offset") > 0)
        .map(|event| event["payload"].as_str().unwrap().to_owned());
    let numbered = entries.map(|hex| {
        let bytes = u32::from_str_radix(&hex[..8], 16).expect("a number");
        (bytes.swap_bytes(), hex)
    });
    numbered.collect()
}

/// Checks the answers that a client has taken: one for each request, in order, with the bytes of the request.
fn check_answers(trace: &Trace, client: u32, taken: &[Vec<u8>]) {
    let requests: BTreeMap<u32, String> = entries(trace, &format!("c{client}"), client)
        .into_iter()
        .collect();
    for (place, answer) in (1..).zip(taken) {
        let hex: String = answer.iter().map(|byte| format!("{byte:02x}")).collect();
        let request = &requests[&place];
        assert!(
            hex.starts_with(request),
            "request {place} of client {client}: {request}, {hex}"
        );
    }
    assert_eq!(requests.len(), taken.len());
}

const PLAIN: (&str, &str) = ("", "");

fn client(program: &'static str, rounds: u32, length: u32) -> Client {
    Client {
        program,
        rounds,
        length,
    }
}

#[test]
fn rings_wrap_and_every_answer_has_the_bytes_of_its_request() {
    let clients = [
        client("clan-ping", 100, 8),
        client("clan-stream", 300, 40),
        client("clan-stream", 50, 0),
    ];
    let (trace, taken) = run(&scenario(PLAIN, &clients, ""), BTreeMap::new());
    for (id, client) in (1..).zip(&clients) {
        assert_eq!(taken[&id].len(), client.rounds as usize);
        check_answers(&trace, id - 1, &taken[&id]);
        // Nothing is repeated, and the server answers each request once.
        let answers = entries(&trace, "server", id - 1);
        assert_eq!(answers, entries(&trace, &format!("c{}", id - 1), id - 1));
    }
    assert!(trace.of("drop").is_empty());
    // A full ring takes less time for a request than one request at a time.
    let last = |id: u32| {
        let events = trace.at(&format!("c{id}"), "window-written");
        number(events[events.len() - 1], "t_ns")
    };
    assert!(last(1) / 300 < last(0) / 100 / 2);
}

#[test]
fn answers_are_right_over_links_with_faults() {
    for seed in 0..runs(12) {
        let mut generator = Generator::named(seed, &["rings"]);
        let mut draw = |below: u64| generator.draw() % below;
        let link = format!(
            "loss = 0.0{}\nduplicate = 0.{}\ncorrupt = 0.0{}\nreorder = 0.{}",
            draw(10),
            draw(3),
            draw(5),
            draw(3)
        );
        let clients: Vec<Client> = (0..1 + draw(4))
            .map(|_| {
                let program = ["clan-ping", "clan-stream"][draw(2) as usize];
                client(program, 1 + draw(100) as u32, draw(70) as u32)
            })
            .collect();
        let seeded = format!("seed = {seed}\n");
        let scenario = scenario(("", &link), &clients, "");
        let scenario = Scenario { seed, ..scenario };
        let (trace, taken) = run(&scenario, BTreeMap::new());
        for (id, client) in (1..).zip(&clients) {
            let context = format!("{seeded}{link}, {client:?}");
            assert_eq!(taken[&id].len(), client.rounds as usize, "{context}");
            check_answers(&trace, id - 1, &taken[&id]);
        }
    }
}

#[test]
fn flipped_bits_that_no_crc_finds_are_no_answers() {
    for seed in 0..runs(6) {
        let link = "corrupt = 0.05\ncrc = false";
        let clients = [client("clan-ping", 60, 24), client("clan-stream", 60, 24)];
        let scenario = scenario(("", link), &clients, "");
        let scenario = Scenario { seed, ..scenario };
        let (trace, taken) = run(&scenario, BTreeMap::new());
        for id in [1, 2] {
            assert_eq!(taken[&id].len(), 60, "{seed}");
            check_answers(&trace, id - 1, &taken[&id]);
        }
    }
}

#[test]
fn another_client_takes_the_place_of_one_that_is_gone() {
    for first in ["clan-ping", "clan-stream"] {
        for after in [1, 5, 8, 21] {
            let clients = [client(first, 100, 24), client("clan-ping", 50, 24)];
            let scenario = scenario(PLAIN, &clients, "");
            let rings = Rings::of(EndpointId(1), &scenario.windows)[0];
            let requests = RingRequests {
                rounds: 30,
                length: 20,
                outstanding: RING_ENTRIES,
            };
            let next = RingClient::new(rings, requests);
            let next = BTreeMap::from([(1, (after, next))]);
            let (trace, taken) = run(&scenario, next);
            // The second client has its own answers, which are shorter, and none of the first.
            let answers = &taken[&1];
            assert_eq!(answers.len(), after as usize + 30, "{first} {after}");
            let lengths = answers.iter().map(|entry| entry[4]);
            let shorter = lengths.filter(|&length| length == 20).count();
            assert_eq!(shorter, 30);
            let entries: BTreeMap<u32, u8> = answers
                .iter()
                .map(|entry| {
                    (
                        u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]),
                        entry[8],
                    )
                })
                .collect();
            // The first byte of a request is its number, and 101 for each endpoint before.
            assert!(
                entries
                    .iter()
                    .all(|(number, byte)| *byte == (number + 101) as u8)
            );
            // The neighbour notices nothing.
            assert_eq!(taken[&2].len(), 50);
            check_answers(&trace, 1, &taken[&2]);
        }
    }
}

/// A server whose place another takes at a time.
struct Replaced {
    server: RingServer,
    next: Option<RingServer>,
}

impl HostProgram for Replaced {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if let (Happened::Time, Some(next)) =
            (what, self.next.take_if(|_| matches!(what, Happened::Time)))
        {
            self.server = next;
            return self.server.happened(Happened::Started, actions);
        }
        if let Happened::Started = what {
            actions.wake_at(SimTime::ZERO + us(40));
        }
        self.server.happened(what, actions);
    }
}

#[test]
fn another_server_takes_the_place_of_one_that_is_gone() {
    let clients = [client("clan-ping", 100, 24), client("clan-stream", 200, 24)];
    let scenario = scenario(PLAIN, &clients, "");
    let server = RingServer::new(Rings::of(EndpointId(0), &scenario.windows));
    let replaced = Replaced {
        next: Some(server.clone()),
        server,
    };
    let mut programs = Programs::new().with("server", replaced);
    let mut all = Vec::new();
    for id in [1, 2] {
        let taken = Taken::default();
        all.push(Arc::clone(&taken));
        let watched = Watched {
            client: client_of(&scenario, EndpointId(id)),
            next: None,
            taken,
        };
        programs = programs.with(&format!("c{}", id - 1), watched);
    }
    let trace = run_with(&scenario, programs);
    for (id, (client, taken)) in (0..).zip(clients.iter().zip(all)) {
        let taken = taken.lock().unwrap();
        assert_eq!(taken.len(), client.rounds as usize);
        check_answers(&trace, id, &taken);
    }
}

/// Keys of idle VIs, whose memory a `[[region]]` can deregister.
const VI: &str = "interface = 'via'";

/// Two idle VIs, a client and its server. The server's window is closed from 50 us to the given time.
fn closed_until(time: Option<&str>) -> (Trace, usize) {
    let mut rest = "[[channel]]\nserver = 1\nc0 = 1\nconnect = 'program'\n\
        [[region]]\nat = '50us'\nendpoint = 'server'\naction = 'deregister'\n"
        .to_owned();
    if let Some(time) = time {
        let _infallible = write!(
            rest,
            "[[region]]\nat = '{time}'\nendpoint = 'server'\naction = 'register'\n"
        );
    }
    let clients = [client("clan-stream", 200, 16)];
    let (trace, taken) = run(&scenario((VI, ""), &clients, &rest), BTreeMap::new());
    let taken = &taken[&1];
    let refused = trace.at("server", "drop");
    assert!(!refused.is_empty());
    assert!(
        refused
            .iter()
            .all(|drop| drop["reason"] == "window-refused")
    );
    let requests: BTreeMap<u32, String> = entries(&trace, "c0", 0).into_iter().collect();
    for (place, answer) in (1..).zip(taken) {
        let hex: String = answer.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, requests[&place]);
    }
    (trace, taken.len())
}

#[test]
fn a_client_waits_for_a_closed_window_and_gives_up_in_the_end() {
    let (trace, answers) = closed_until(Some("30ms"));
    assert_eq!(answers, 200);
    let end = trace.end.time;
    assert!(
        (us(40_000)..us(60_000)).contains(&end.since(SimTime::ZERO)),
        "{end:?}"
    );
    let (trace, answers) = closed_until(None);
    assert!((1..200).contains(&answers));
    // The client stores its requests again 8 times, and waits 20 ms after each.
    let end = trace.end.time.since(SimTime::ZERO);
    assert!((us(180_000)..us(181_000)).contains(&end), "{end:?}");
}

#[test]
fn a_server_has_no_watch_for_one_client_too_many() {
    // The 64 owners of windows on a NIC share its 4096 watches, so the server has 64 of them.
    const SHARE: usize = 64;
    let clients = [client("clan-ping", 2, 0); SHARE + 1];
    let mut others = String::new();
    for other in 0..63 {
        let _infallible = write!(
            others,
            "[[endpoint]]\nnic = 's'\nname = 'o{other}'\n\
             [[window]]\nowner = 'o{other}'\nwriter = 'c0'\nnumber = {}\nlength = 4\n",
            1_000 + other
        );
    }
    let scenario = scenario(PLAIN, &clients, &others);
    let mut programs = Programs::new();
    let mut all = Vec::new();
    for place in 0..clients.len() {
        let taken = Taken::default();
        all.push(Arc::clone(&taken));
        let id = u32::try_from(place).expect("few") + 1;
        let watched = Watched {
            client: client_of(&scenario, EndpointId(id)),
            next: None,
            taken,
        };
        programs = programs.with(&format!("c{place}"), watched);
    }
    let end = Run::new(&scenario).programs(programs).execute();
    assert_eq!(end.expect("it fits").end.reason, EndReason::Idle);
    let answers: Vec<usize> = all
        .iter()
        .map(|taken| taken.lock().unwrap().len())
        .collect();
    assert!(answers[..SHARE].iter().all(|&count| count == 2));
    assert_eq!(answers[SHARE..], [0]);
}

#[test]
fn a_client_whose_answers_do_not_come_gives_up_and_the_run_says_so() {
    let client = Client {
        program: "clan-ping",
        rounds: 3,
        length: 8,
    };
    for (link, expected) in [
        ("", vec![]),
        (
            "loss = 1.0",
            vec!["endpoint c0: 0 of 3 requests have their answers"],
        ),
    ] {
        let scenario = scenario(("", link), &[client], "");
        let end = Run::new(&scenario).execute().expect("it fits").end;
        let said: Vec<String> = end.gave_up.iter().map(ToString::to_string).collect();
        assert_eq!(said, expected, "{link}");
        assert_eq!(end.reason, EndReason::Idle, "{link}");
    }
}
