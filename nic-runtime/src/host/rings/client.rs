//! A client that sends requests through a ring, and compares the answers.

use nic_core::id::EndpointId;
use nic_core::time::SimDuration;

use super::layout::{RING_ENTRIES, Rings, is_ahead, message, pointer};
use crate::host::program::{Actions, Happened, HostProgram, Unfinished};
use crate::host::window::WindowNews;
use crate::spec::RingRequests;

/// How long a client waits for an answer before it stores its requests again: as long as a reliable VI waits for an
/// acknowledgement.
const PATIENCE: SimDuration = SimDuration::from_ns(20_000_000);

/// How often a client stores a request again before it gives up.
const REPEATS: u32 = 8;

/// A client that sends a number of requests. The answer to a request is right if it has the same bytes. A client counts
/// on behind the last answer in its ring, so it can take the place of a client that is gone.
#[derive(Copy, Clone, Debug)]
pub struct RingClient {
    rings: Rings,
    requests: RingRequests,
    /// Number of the last request that has its answer.
    answered: u32,
    /// Number of the last request in the ring.
    posted: u32,
    /// How many requests are still to be put into the ring.
    left: u32,
    /// The last value of the pointer to the answers.
    seen: u32,
    /// How often the requests were stored again since the last answer.
    repeats: u32,
    /// How often the client has waited, which tells its waits apart.
    waits: u64,
    doing: Doing,
}

/// What the client does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Doing {
    /// Loads the pointer that stands in the ring at the start.
    Start,
    /// Waits for the pointer to change.
    Waiting,
    /// Loads the next answer, after the pointer has changed or the client has lost patience.
    Loading { is_late: bool },
}

impl RingClient {
    /// Returns a client with these rings and requests.
    #[must_use]
    pub fn new(rings: Rings, requests: RingRequests) -> RingClient {
        RingClient {
            rings,
            requests,
            answered: 0,
            posted: 0,
            left: requests.rounds,
            seen: 0,
            repeats: 0,
            waits: 0,
            doing: Doing::Start,
        }
    }

    /// Returns how many of its requests have their answers.
    #[must_use]
    pub fn answers(&self) -> u32 {
        let posted = self.requests.rounds - self.left;
        posted - self.posted.wrapping_sub(self.answered)
    }

    /// Puts as many requests into the ring as may be outstanding.
    fn post(&mut self, actions: &mut Actions<'_>) {
        let most = self.requests.outstanding.clamp(1, RING_ENTRIES);
        while self.left > 0 && self.posted.wrapping_sub(self.answered) < most {
            self.left -= 1;
            self.posted = self.posted.wrapping_add(1);
            self.store(self.posted, actions);
            self.rings.point(actions, self.posted);
        }
    }

    fn store(&self, number: u32, actions: &mut Actions<'_>) {
        let request = request(self.rings.endpoint, number, self.requests.length);
        self.rings.store(actions, number, &request);
    }

    fn wait(&mut self, actions: &mut Actions<'_>) {
        self.doing = Doing::Waiting;
        self.waits += 1;
        let (word, wait) = ((self.rings.own, 0), (self.seen, Some(PATIENCE)));
        actions.wait_word(self.rings.endpoint, self.waits, word, wait);
    }

    fn load(&mut self, is_late: bool, actions: &mut Actions<'_>) {
        self.doing = Doing::Loading { is_late };
        self.rings.load(actions, 0, self.answered.wrapping_add(1));
    }

    fn loaded(&mut self, bytes: &[u8], actions: &mut Actions<'_>) {
        match self.doing {
            Doing::Start => {
                self.seen = pointer(bytes);
                (self.answered, self.posted) = (self.seen, self.seen);
                self.post(actions);
                self.wait(actions);
            }
            Doing::Waiting => {}
            Doing::Loading { is_late } => {
                let number = self.answered.wrapping_add(1);
                let expected = request(self.rings.endpoint, number, self.requests.length);
                match message(bytes, number) {
                    Some(answer) if answer == expected => self.answered(actions),
                    _ if is_late => self.repeat(actions),
                    _ => self.wait(actions),
                }
            }
        }
    }

    /// Goes on after an answer.
    fn answered(&mut self, actions: &mut Actions<'_>) {
        self.answered = self.answered.wrapping_add(1);
        self.repeats = 0;
        self.post(actions);
        if is_ahead(self.seen, self.answered) {
            self.load(false, actions);
        } else if self.answered != self.posted {
            self.wait(actions);
        }
    }

    /// Stores all requests without an answer again.
    fn repeat(&mut self, actions: &mut Actions<'_>) {
        self.repeats += 1;
        if self.repeats > REPEATS {
            return;
        }
        let mut number = self.answered;
        while number != self.posted {
            number = number.wrapping_add(1);
            self.store(number, actions);
        }
        self.rings.point(actions, self.posted);
        self.wait(actions);
    }
}

/// Returns the bytes of a request, which differ from those of the requests before it and from other clients'.
fn request(client: EndpointId, number: u32, length: u32) -> Vec<u8> {
    let first = number.wrapping_add(client.0.wrapping_mul(101));
    let bytes = (0..length).map(|place| first.wrapping_add(place).to_le_bytes()[0]);
    bytes.collect()
}

impl HostProgram for RingClient {
    fn unfinished(&self) -> Option<Unfinished> {
        let (answers, rounds) = (self.answers(), self.requests.rounds);
        (answers < rounds).then(|| Unfinished {
            after: format!("{answers} of {rounds} requests have their answers"),
            has_stopped: self.repeats > REPEATS,
        })
    }

    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started => self.rings.load_pointer(actions, 0),
            Happened::Window {
                what: WindowNews::Word { ticket, value },
                ..
            } if self.doing == Doing::Waiting && ticket == self.waits => {
                self.seen = value.unwrap_or(self.seen);
                self.load(value.is_none(), actions);
            }
            Happened::Window {
                what: WindowNews::Loaded { payload, .. },
                ..
            } => self.loaded(payload, actions),
            Happened::Window { .. }
            | Happened::Message { .. }
            | Happened::Completed { .. }
            | Happened::Time
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. } => {}
        }
    }
}
