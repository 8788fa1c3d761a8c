//! Programs whose messages go through rings in each other's windows, without a VI.
//!
//! A ring lies in a window of its reader: a pointer, which counts the entries that its writer has made, and a fixed
//! number of entries. The writer stores an entry and then the pointer. A client and its server have a ring for requests
//! and one for answers. The answer to a request takes the same place as the request, and frees both.
//!
//! Each entry has the number of its message, so a reader knows whether the entry is the one that the pointer counts. A
//! client that misses an answer stores its requests again. A pointer that counts no new request makes the server store
//! the answers of the whole ring again.

mod client;
mod layout;
mod server;

pub use client::RingClient;
pub use layout::{RING_ENTRIES, Rings};
pub use server::RingServer;
