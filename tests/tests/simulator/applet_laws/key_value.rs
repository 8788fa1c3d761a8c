//! `KeyValue`: an answer is never older than an update that was acknowledged before the question, and a hit never
//! reaches the host.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use nic_core::id::ChannelId;
use nic_core::time::SimDuration;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use tests::seen::Seen;

use super::network::{Network, random};

const GET: u8 = 1;
const PUT: u8 = 2;
const VALUE: u8 = 3;
const STORED: u8 = 4;
const CLIENTS: usize = 3;

/// For each key, the values that the host stored, in order.
type History = Arc<Mutex<BTreeMap<u32, Vec<Vec<u8>>>>>;

/// The table in the host's memory.
struct Table {
    history: History,
    pauses: Vec<u64>,
}

impl HostProgram for Table {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let Happened::Message {
            endpoint,
            channel: ChannelId(channel),
            payload,
        } = what
        else {
            return;
        };
        let key = key(payload);
        let mut history = self.history.lock().expect("nobody panics");
        let values = history.entry(key).or_insert_with(|| vec![Vec::new()]);
        let mut answer = payload[..9].to_vec();
        if payload[0] == PUT {
            values.push(payload[9..].to_vec());
        }
        answer[0] = if payload[0] == PUT { STORED } else { VALUE };
        answer.extend(values.last().expect("there is a first value"));
        actions.compute(SimDuration::from_ns(1000 * self.pauses.pop().unwrap_or(0)));
        actions.post(endpoint, ChannelId(channel), answer);
    }
}

fn key(payload: &[u8]) -> u32 {
    u32::from_be_bytes(payload[1..5].try_into().expect("four bytes"))
}

pub(crate) fn law(seed: u64) {
    let random = &mut random("key value", seed);
    let mut network = Network::new();
    let bits = random.below(4);
    let table = network.endpoint(&format!(
        "applet = \"builtin:KeyValue\"\nstate = {{ PLACES_BITS = {bits} }}\n\
         rx_queue = 1000\ntx_queue = 1000\npoll_every = \"20us\""
    ));
    let mut number = 0_u32;
    for client in 1..=CLIENTS {
        network.endpoint("rx_queue = 1000");
        network.channel((client, 1), (table, i32::try_from(client).expect("small")));
        let mut at = 10;
        for _ in 0..50 {
            number += 1;
            let kind = if random.one_in(4) { PUT } else { GET };
            let key = u32::try_from(random.below(4)).expect("small");
            let mut request = vec![kind];
            request.extend(key.to_be_bytes());
            request.extend(number.to_be_bytes());
            if kind == PUT {
                // Complete a value of any length, which is stored only once.
                request.extend(number.to_be_bytes());
                request.resize(13 + random.below(44), 0);
            }
            network.send(client, 1, at, &request);
            if random.one_in(10) {
                // Send a forged answer, or a packet that is no answer.
                let forged = if random.one_in(2) { VALUE } else { STORED };
                network.send(client, 1, at, &[&[forged], &request[1..]].concat());
                network.send(client, 1, at, &request[..random.below(9)]);
            }
            at += if random.one_in(3) {
                random.below(1500)
            } else {
                random.below(50)
            };
        }
    }
    let history = History::default();
    let host = Table {
        history: Arc::clone(&history),
        pauses: (0..200).map(|_| random.draw() % 100).collect(),
    };
    let seen = Seen::with(&network.scenario(seed), Programs::new().with("e0", host));
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));

    let history = history.lock().expect("nobody panics");
    let version = |key: u32, value: &[u8]| {
        let position = history[&key].iter().position(|stored| stored == value);
        position.expect("a value that was stored")
    };
    let answers = seen.received.iter().filter(|message| message.endpoint != 0);
    let asked = |request: &[u8]| {
        let mut own = seen.posted.iter().filter(|message| message.endpoint != 0);
        own.find(|message| {
            message.payload.get(5..9) == Some(request) && matches!(message.payload[0], GET | PUT)
        })
    };
    let mut count = 0;
    for answer in answers.clone() {
        let question = asked(&answer.payload[5..9]).expect("an answer to a question");
        assert_eq!(question.endpoint, answer.endpoint);
        assert_eq!(key(&question.payload), key(&answer.payload));
        let key = key(&answer.payload);
        let found = version(key, &answer.payload[9..]);
        let acknowledged = answers.clone().filter(|earlier| {
            earlier.payload[0] == STORED
                && self::key(&earlier.payload) == key
                && earlier.time < question.time
        });
        let newest = acknowledged.map(|earlier| version(key, &earlier.payload[9..]));
        assert!(
            newest.max().is_none_or(|newest| newest <= found),
            "{answer:?}"
        );
        count += 1;
    }
    assert_eq!(count, number, "each question has one answer");
    let hits = seen
        .calls
        .iter()
        .filter(|call| call.method == "doRx" && call.value > 0);
    let asked_host = seen.received.iter().filter(|message| message.endpoint == 0);
    let total = usize::try_from(number).expect("small");
    assert_eq!(hits.count() + asked_host.count(), total);
}
