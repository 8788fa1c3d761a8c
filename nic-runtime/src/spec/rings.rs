//! The requests of a client whose rings lie in windows.

/// What a client sends to a server through a ring.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RingRequests {
    /// Number of requests.
    pub rounds: u32,
    /// Length of each request in bytes.
    pub length: u32,
    /// How many requests wait for their answers at a time; no more than a ring has entries.
    pub outstanding: u32,
}
