//! How the programs at the ends of a VI's connection make it: requests, the wait for a request, and their numbers.
//!
//! One end requests a connection with a tag, and the other end accepts a request with this tag or refuses it. Each
//! request has a number of its own, which the connection keeps. Whatever belongs to an earlier request or connection
//! has another number, so it changes nothing when it arrives late.

/// The number of a request for a connection, and of the connection that comes of it. Number 0 belongs to the
/// connection that exists from the start.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConnectionId(pub u32);

/// A request for a connection, made by the peer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The number of the request.
    pub connection: ConnectionId,
    /// The tag, which the accepting end must name.
    pub tag: u32,
}

/// What one end does to get a connection.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum Doing {
    #[default]
    Nothing,
    /// This end has requested a connection and waits for the answer.
    Requesting,
    /// This end accepts a request with this tag.
    Accepting(u32),
}

/// What a program does about the request of its peer, or a new request means.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The request is accepted: both ends have the connection.
    Accept(Request),
    /// The request is refused.
    Refuse(ConnectionId),
    /// The request waits until the program answers it.
    Wait,
}

/// The part of a VI's end in making connections.
#[derive(Copy, Clone, Debug)]
pub struct Handshake {
    /// 0 at one end of the connection and 1 at the other, so that the ends never give the same number.
    side: u32,
    /// The number of this end's newest request, or of the connection that it accepted later.
    newest: ConnectionId,
    /// The highest number of a request, by either end.
    highest: u32,
    /// The highest number of a request by the peer.
    of_peer: u32,
    doing: Doing,
    /// The peer's request that waits for the program.
    requested: Option<Request>,
    /// How often this end has begun or ended to wait. A time-out for another turn is void.
    turn: u32,
}

impl Handshake {
    /// Returns the state of an end before the first request.
    #[must_use]
    pub fn new(side: u32) -> Handshake {
        Handshake {
            side: side & 1,
            newest: ConnectionId::default(),
            highest: 0,
            of_peer: 0,
            doing: Doing::Nothing,
            requested: None,
            turn: 0,
        }
    }

    /// Returns the number of this end's newest request or connection. Arrivals with another number are void.
    #[must_use]
    pub fn connection(&self) -> ConnectionId {
        self.newest
    }

    /// Returns the turn of the current wait.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Returns whether this end waits for the answer to its request.
    #[must_use]
    pub fn is_requesting(&self) -> bool {
        self.doing == Doing::Requesting
    }

    /// Returns whether this end waits for a request or for the answer to one.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.doing != Doing::Nothing
    }

    /// Returns the request of the peer that waits for the program.
    #[must_use]
    pub fn waiting(&self) -> Option<Request> {
        self.requested
    }

    /// Requests a connection. Returns the number of the request, or `None` if no numbers are left.
    pub fn request(&mut self) -> Option<ConnectionId> {
        let next = self.highest.checked_add(1)?;
        // The ends take turns with the numbers, so the next number may belong to the peer.
        let own = next.checked_add((next ^ self.side) & 1)?;
        self.newest = ConnectionId(own);
        self.highest = own;
        self.begin(Doing::Requesting);
        Some(self.newest)
    }

    /// Accepts a request with this tag. Returns what happens to the request that waits; if none does, this end waits for
    /// one.
    pub fn accept(&mut self, tag: u32) -> Answer {
        self.begin(Doing::Accepting(tag));
        match self.requested.take() {
            Some(request) => self.meet(request, tag),
            None => Answer::Wait,
        }
    }

    /// Refuses the request that waits. Returns its number, or `None` if no request waits.
    pub fn refuse(&mut self) -> Option<ConnectionId> {
        self.requested.take().map(|request| request.connection)
    }

    /// Decides about a request of the peer. The argument `is_free` says whether this end may take a connection. A request
    /// is refused if the peer has made a later one, or cannot have made it.
    pub fn requested(&mut self, request: Request, is_free: bool) -> Answer {
        let ConnectionId(number) = request.connection;
        let is_of_peer = number & 1 != self.side;
        if number <= self.of_peer || !is_of_peer {
            return Answer::Refuse(request.connection);
        }
        self.of_peer = number;
        self.highest = self.highest.max(number);
        match self.doing {
            // Requests of both ends that cross refuse each other.
            Doing::Requesting => Answer::Refuse(request.connection),
            Doing::Nothing | Doing::Accepting(_) if !is_free => Answer::Refuse(request.connection),
            Doing::Accepting(tag) => self.meet(request, tag),
            Doing::Nothing => {
                self.requested = Some(request);
                Answer::Wait
            }
        }
    }

    /// Accepts a request if it has the tag for which this end waits.
    fn meet(&mut self, request: Request, tag: u32) -> Answer {
        if request.tag != tag {
            return Answer::Refuse(request.connection);
        }
        self.newest = request.connection;
        self.begin(Doing::Nothing);
        Answer::Accept(request)
    }

    /// Records the peer's answer to a request of this end. Returns whether this end waits for it; any other answer is
    /// void.
    pub fn answered(&mut self, connection: ConnectionId) -> bool {
        let is_awaited = self.doing == Doing::Requesting && connection == self.newest;
        if is_awaited {
            self.begin(Doing::Nothing);
        }
        is_awaited
    }

    /// Ends the wait of this end. Returns the number of its request, which the peer should forget, if it made one.
    pub fn give_up(&mut self) -> Option<ConnectionId> {
        let was_requesting = self.doing == Doing::Requesting;
        self.begin(Doing::Nothing);
        was_requesting.then_some(self.newest)
    }

    /// Records that the peer has taken a request back. Returns whether the request waited.
    pub fn withdrawn(&mut self, connection: ConnectionId) -> bool {
        let waited = self
            .requested
            .filter(|request| request.connection == connection);
        if waited.is_some() {
            self.requested = None;
        }
        waited.is_some()
    }

    fn begin(&mut self, doing: Doing) {
        self.doing = doing;
        // A time-out is due long before as many waits have begun.
        self.turn = self.turn.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(connection: u32, tag: u32) -> Request {
        Request {
            connection: ConnectionId(connection),
            tag,
        }
    }

    fn refuse(connection: u32) -> Answer {
        Answer::Refuse(ConnectionId(connection))
    }

    #[test]
    fn a_request_meets_an_accept_with_its_tag() {
        let (mut client, mut server) = (Handshake::new(0), Handshake::new(1));
        let first = client.request().unwrap();
        assert_eq!(first, ConnectionId(2));
        assert_eq!(server.accept(7), Answer::Wait);
        let asked = request(first.0, 7);
        assert_eq!(server.requested(asked, true), Answer::Accept(asked));
        assert!(client.answered(first) && !client.answered(first));
        assert_eq!((client.connection(), server.connection()), (first, first));
        // The next request of either end has a higher number, and one of its own.
        assert_eq!(client.request(), Some(ConnectionId(4)));
        assert_eq!(server.request(), Some(ConnectionId(3)));
    }

    #[test]
    fn a_request_waits_for_the_program_and_may_be_refused_or_withdrawn() {
        let mut server = Handshake::new(1);
        assert_eq!(server.requested(request(2, 7), true), Answer::Wait);
        assert_eq!(server.refuse(), Some(ConnectionId(2)));
        assert_eq!(server.refuse(), None);
        assert_eq!(server.requested(request(4, 7), true), Answer::Wait);
        assert!(!server.withdrawn(ConnectionId(2)) && server.withdrawn(ConnectionId(4)));
        assert_eq!(server.accept(7), Answer::Wait);
        // Another tag is refused at once.
        assert_eq!(server.requested(request(6, 8), true), refuse(6));
        let asked = request(8, 7);
        assert_eq!(server.requested(asked, true), Answer::Accept(asked));
    }

    #[test]
    fn what_is_late_or_forged_is_refused_and_changes_nothing() {
        let mut server = Handshake::new(1);
        assert_eq!(server.requested(request(4, 7), true), Answer::Wait);
        for stale in [4, 2, 0] {
            assert_eq!(server.requested(request(stale, 7), true), refuse(stale));
        }
        // A number of the peer is even, since this end gives the odd ones.
        assert_eq!(server.requested(request(9, 7), true), refuse(9));
        let asked = request(4, 7);
        assert_eq!(server.accept(7), Answer::Accept(asked));
        assert!(!server.answered(ConnectionId(4)), "it requested nothing");
        assert_eq!(server.requested(request(6, 7), false), refuse(6));
        assert_eq!(server.connection(), ConnectionId(4));
    }

    #[test]
    fn requests_that_cross_refuse_each_other_and_the_next_one_is_free() {
        let (mut a, mut b) = (Handshake::new(0), Handshake::new(1));
        let (of_a, of_b) = (a.request().unwrap(), b.request().unwrap());
        assert_eq!(a.requested(request(of_b.0, 1), true), refuse(of_b.0));
        assert_eq!(b.requested(request(of_a.0, 1), true), refuse(of_a.0));
        assert!(a.answered(of_a) && b.answered(of_b));
        for _ in 0..3 {
            let again = request(a.request().unwrap().0, 1);
            assert_eq!(b.requested(again, true), Answer::Wait);
            assert_eq!(a.give_up(), Some(again.connection));
            assert!(b.withdrawn(again.connection));
            assert!(!a.answered(again.connection) && !a.is_waiting());
            assert_eq!(a.give_up(), None);
        }
    }

    #[test]
    fn numbers_run_out_without_wrapping() {
        let mut end = Handshake::new(1);
        assert_eq!(end.requested(request(u32::MAX - 1, 0), true), Answer::Wait);
        assert!(matches!(end.accept(0), Answer::Accept(_)));
        assert_eq!(end.request(), Some(ConnectionId(u32::MAX)));
        assert_eq!(end.request(), None);
    }
}
