//! The fabric: packets, and the links that carry them with loss, duplication, corruption and reordering.

mod direction;
mod fate;
mod number;
mod packet;

pub use direction::{Direction, Fabric, Wire};
pub(crate) use fate::flip;
pub use fate::{Fate, Faults};
pub use number::{DirectionId, packet_number};
pub use packet::{Packet, PacketRef, PacketStore};
