//! The fabric: packets, and the links that carry them, with loss, duplication, corruption and reordering.

mod backlog;
mod direction;
mod fate;
mod flow;
mod framing;
mod header;
mod packet;

pub use backlog::{Backlog, Signal, reserve};
pub use direction::{Admission, Direction, Fabric, Wire};
pub use fate::{Fate, Faults};
pub use flow::Flows;
pub use framing::Framing;
pub use header::Header;
pub use packet::{Packet, PacketRef, PacketStore};
