//! The fabric: packets, and the links that carry them with loss, duplication, corruption and reordering.

#[cfg(feature = "std")]
mod direction;
#[cfg(feature = "std")]
mod fate;
#[cfg(feature = "std")]
mod flow;
mod number;
#[cfg(feature = "std")]
mod packet;

#[cfg(feature = "std")]
pub use direction::{Direction, Fabric, Wire};
#[cfg(feature = "std")]
pub(crate) use fate::flip;
#[cfg(feature = "std")]
pub use fate::{Fate, Faults};
#[cfg(feature = "std")]
pub use flow::Flows;
pub use number::{DirectionId, packet_number};
#[cfg(feature = "std")]
pub use packet::{Packet, PacketRef, PacketStore};
