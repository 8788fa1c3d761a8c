//! Processes that run a class: a program of the subset on the host, with the natives of `via/Via` (Javia).
//!
//! A program is a [`HostProgram`](super::HostProgram) whose actions are those of its natives. Between two natives the
//! class runs at once, in the linear memory of its process, which NICs read and write too; the time of its instructions
//! passes before the next native begins.
//!
//! - `wait`, `ticket`, `costs` and `memory` have values; `vi` is what the library keeps of a VI
//! - `state` is the program, with its collector, and says how a native ends
//! - `connecting`, `sending`, `receiving`, `posted`, `buffers` and `other` perform the natives
//! - `news` is what the program learns of its VIs
//! - `program` runs the class from native to native

mod buffers;
mod connecting;
mod costs;
mod memory;
mod news;
mod other;
mod posted;
mod program;
mod receiving;
mod sending;
mod state;
mod ticket;
mod vi;
mod wait;

pub(crate) use state::{ClassProgram, Loaded};
