//! VIA in the simulator: the state of VIs, the provider, connections and what users see.
//!
//! - `state` is what VIA keeps, `library` the state of a library over remote memory
//! - `delays` schedules, `control` sends control packets, `completions` fills completion queues
//! - `descriptors` does what programs ask of descriptors and memory, `own` has them as values, and `named` completes them
//! - `hardware` is a provider: the NIC fetches descriptors and moves messages
//! - `over_memory` is the other: a library writes to the memory of the peer; `joining` joins the ends of a connection, and
//!   `announcing` tells the peer of receive descriptors
//! - `written` is what the library does when the peer has written
//! - `order` numbers the writes of a connection and notices lost writes
//! - `connect` makes the connections that programs ask for
//! - `connection` numbers packets, acknowledges them and breaks connections
//! - `immediate` finds the immediate data of packets that applets send and deliver
//! - `interrupt` tells the library of writes by interrupts
//! - `receive` takes receive descriptors for messages
//! - `regions` registers memory, `requests` does what users ask of it
//! - `segments` finds the pieces of a message that is not in one piece
//! - `setup` has the bytes by which the ends over remote memory connect
//! - `user` reports posts and completions

mod announcing;
mod completions;
mod connect;
mod connection;
mod control;
mod delays;
mod descriptors;
mod hardware;
mod immediate;
mod interrupt;
mod joining;
mod library;
mod named;
mod order;
mod over_memory;
mod own;
mod receive;
mod regions;
mod requests;
mod segments;
mod setup;
mod state;
mod user;
mod written;

pub(crate) use self::hardware::Via;
pub(crate) use self::interrupt::interrupt_host;
pub(crate) use self::order::{number_write, takes_write};
pub(crate) use self::over_memory::{
    end_in_turn, occupy, schedule_mapped, schedule_request, writes_over,
};
pub(crate) use self::regions::is_registered;
pub(crate) use self::state::{HasVia, ViaState, is_vi};
pub(crate) use self::written::written;
