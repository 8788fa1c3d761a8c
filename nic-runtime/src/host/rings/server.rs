//! A server that answers the requests in the rings of its clients.

use super::layout::{POINTER, RING_ENTRIES, Rings, is_ahead, message, pointer};
use crate::host::program::{Actions, Happened, HostProgram};
use crate::host::window::WindowNews;

/// A server that sends the bytes of each request back. It watches the pointers of its rings, and takes the events of the
/// watches one by one.
#[derive(Clone, Debug)]
pub struct RingServer(Vec<Served>);

/// A client of the server.
#[derive(Copy, Clone, Debug)]
struct Served {
    rings: Rings,
    /// Number of the last request that has its answer.
    answered: u32,
    doing: Doing,
    /// Whether the client has written the pointer since the server loaded it.
    is_behind: bool,
}

/// What the server does for a client.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Doing {
    /// Loads the pointer that stands in the ring at the start.
    Start,
    Nothing,
    /// Loads the pointer.
    Pointer,
    /// Loads the entries from this number to the other.
    Entries {
        number: u32,
        last: u32,
    },
}

impl RingServer {
    /// Returns the server of these rings. A server that begins later than its clients goes on behind the last request that
    /// its ring counts; the clients repeat those requests that have no answer.
    #[must_use]
    pub fn new(rings: Vec<Rings>) -> RingServer {
        let served = rings.into_iter().map(|rings| Served {
            rings,
            answered: 0,
            doing: Doing::Start,
            is_behind: false,
        });
        RingServer(served.collect())
    }

    fn start(&self, actions: &mut Actions<'_>) {
        for (ticket, Served { rings, .. }) in (0..).zip(&self.0) {
            actions.watch(rings.endpoint, ticket, (rings.own, 0, POINTER));
            rings.load_pointer(actions, ticket);
        }
        let mut endpoints: Vec<_> = self.0.iter().map(|served| served.rings.endpoint).collect();
        endpoints.sort_unstable();
        endpoints.dedup();
        for endpoint in endpoints {
            actions.event_within(endpoint, None);
        }
    }
}

impl HostProgram for RingServer {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started => self.start(actions),
            Happened::Window {
                endpoint,
                what: WindowNews::Event { window, .. },
            } => {
                let mut served = (0..).zip(&mut self.0);
                let of_window = served.find(|(_, served)| {
                    (served.rings.endpoint, served.rings.own) == (endpoint, window)
                });
                if let Some((ticket, served)) = of_window {
                    served.is_behind = true;
                    served.go_on(ticket, actions);
                }
                actions.event_within(endpoint, None);
            }
            Happened::Window {
                what: WindowNews::Loaded { ticket, payload },
                ..
            } => {
                let place = usize::try_from(ticket).ok();
                if let Some(served) = place.and_then(|place| self.0.get_mut(place)) {
                    served.loaded(ticket, payload, actions);
                }
            }
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

impl Served {
    /// Looks at the pointer if the client has written it, unless the server is busy with the client.
    fn go_on(&mut self, ticket: u64, actions: &mut Actions<'_>) {
        if self.doing == Doing::Nothing && self.is_behind {
            self.is_behind = false;
            self.doing = Doing::Pointer;
            self.rings.load_pointer(actions, ticket);
        }
    }

    fn loaded(&mut self, ticket: u64, bytes: &[u8], actions: &mut Actions<'_>) {
        self.doing = match self.doing {
            Doing::Nothing => Doing::Nothing,
            Doing::Start => {
                self.answered = pointer(bytes);
                Doing::Nothing
            }
            Doing::Pointer => {
                let last = pointer(bytes);
                let (number, last) = match is_ahead(last, self.answered) {
                    true => (self.answered.wrapping_add(1), last),
                    // An answer was lost.
                    false => (self.answered.wrapping_sub(RING_ENTRIES - 1), self.answered),
                };
                Doing::Entries { number, last }
            }
            Doing::Entries { number, last } => {
                let is_known = !is_ahead(number, self.answered);
                let request = message(bytes, number);
                if let Some(request) = request {
                    self.answer(number, request, actions);
                }
                // Behind a request that was lost, the client repeats all.
                match number == last || (request.is_none() && !is_known) {
                    true => Doing::Nothing,
                    false => Doing::Entries {
                        number: number.wrapping_add(1),
                        last,
                    },
                }
            }
        };
        if let Doing::Entries { number, .. } = self.doing {
            self.rings.load(actions, ticket, number);
        }
        self.go_on(ticket, actions);
    }

    fn answer(&mut self, number: u32, request: &[u8], actions: &mut Actions<'_>) {
        if is_ahead(number, self.answered) {
            self.answered = number;
        }
        self.rings.store(actions, number, request);
        self.rings.point(actions, self.answered);
    }
}
