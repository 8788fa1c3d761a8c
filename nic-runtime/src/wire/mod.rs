//! The wires: packets with their headers, and the links that carry them, with loss, duplication, corruption and
//! reordering.

mod backlog;
mod crossbar;
mod direction;
mod fate;
mod flow;
mod packet;
mod port;
mod turns;
mod worm;

pub(crate) use backlog::Backlogs;
pub use backlog::{Backlog, Signal};
pub(crate) use crossbar::{Crossbar, Input};
pub use direction::{Admission, Direction, Fabric, Wire};
pub(crate) use direction::{BufferAt, Onward};
pub use fate::{Fate, Faults};
pub use flow::Flows;
pub use packet::{Packet, PacketRef, PacketStore};
pub(crate) use port::{Port, Waits};
pub(crate) use turns::{Taker, place_in_turn};
pub(crate) use worm::Worms;
