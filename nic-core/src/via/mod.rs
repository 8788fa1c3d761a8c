//! VIA: the states of a VI, sequence numbers and acknowledgements, receive descriptors, completion queues and registered
//! regions (S2-01 to S2-06, S5-01 to S5-05).
//!
//! A VI is an endpoint with one channel, its connection. The send queue of a VI is the endpoint's transmit queue. The
//! receive queue of a VI is the endpoint's free queue: each free buffer is a receive descriptor with one segment. The
//! user finds the completed receives of a VI in the endpoint's receive queue. An applet's natives therefore mean on a
//! VI what they mean in U-Net.
//!
//! The code of this module depends neither on the provider that moves the bytes nor on how long anything takes.

mod completion;
mod control;
mod event;
mod handshake;
mod over_memory;
mod packet;
mod receive;
mod registration;
mod state;
mod vi;

pub use completion::{Completed, CompletionQueue, Side, TooSmall};
pub use control::{ControlLayout, ENTRY_BYTES};
pub use event::{RegionAction, ViaEvent};
pub use handshake::{Answer, ConnectionId, Handshake, Request};
pub use over_memory::{Library, LibraryError, PointerWrite, Share, Target, Transfer, Unsent};
pub use packet::{CONTROL_BYTES, ViaHeader};
pub use receive::{Placement, needed, place};
pub use registration::{Handle, Registry, RegistryError, SEGMENTS_MAX, Segment};
pub use state::{Reason, Reliability, Status, ViState};
pub use vi::{Acknowledged, Arrival, Vi, WrongState};
