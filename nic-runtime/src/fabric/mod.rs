//! The fabric: packets, and the links that carry them, with loss, duplication, corruption and reordering.

mod backlog;
mod direction;
mod fate;
mod flow;
mod framing;
mod packet;

pub use backlog::{Backlog, Signal, reserve};
pub use direction::{Admission, Direction, Fabric, Wire};
pub(crate) use fate::flip;
pub use fate::{Fate, Faults};
pub use flow::Flows;
pub use framing::Framing;
pub use packet::{Packet, PacketRef, PacketStore};
