//! The parts of a simulation, and what they do in virtual time: wires carry packets, DMA engines move bytes, slots are
//! given out, users post and read.
//!
//! An event of the trace is emitted only when the clock shows its time, so the stream of events is ordered by time. The
//! files:
//!
//! - `wire` moves packets between NICs, `switches` sends them on at switches, `room` waits for room
//!   there, `worms` keeps links for those that wait, `cells` moves them in pieces, `backlogs` holds them at the ends of wires
//! - `dma` moves bytes between NIC and host
//! - `staging` assigns slots to packets
//! - `user` and `programs` are the hosts, from a post to its completion and from a message to its return, `prefetch` loads what they will touch
//! - `processors` wakes processors and hands items over, `pending` notes what applets are to be called for
//! - `setup` is what is fixed for a run, `limits` when it ends at the latest, `event_count` how many events it has handled,
//!   and `sends` how many messages have become due
//! - `report` tells the sink of events, `levels` the fill levels of queues, and `posts` which post a packet comes from
//! - `engines` is what the parts ask of the interfaces

mod backlogs;
mod cells;
mod dma;
pub(crate) mod engines;
mod event_count;
mod landing;
mod levels;
pub(crate) mod limits;
mod on_host;
mod parts;
mod pending;
mod posts;
mod prefetch;
mod processors;
mod programs;
pub(crate) mod report;
mod room;
pub(crate) mod sends;
pub(crate) mod setup;
mod staging;
mod switches;
mod user;
mod wire;
mod worms;

pub(crate) use self::engines::{Engines, Protocols};
pub(crate) use self::parts::Parts;
