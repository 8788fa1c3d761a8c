//! VIA: the states of a VI, sequence numbers and acknowledgements, receive descriptors, completion queues and registered
//! regions (S2-01 to S2-06, S5-01 to S5-05).
//!
//! A VI is an endpoint with one channel, its connection. Its send queue is the endpoint's transmit queue. Its receive
//! queue is the endpoint's free queue: each free buffer is a receive descriptor with one segment. The user finds
//! completed receives in the endpoint's receive queue. So an applet's natives mean on a VI what they mean in U-Net.
//!
//! Nothing here knows which provider moves the bytes, or how long anything takes.

mod completion;
mod control;
mod event;
mod over_memory;
mod packet;
mod receive;
mod registration;
mod state;
mod vi;

pub use completion::{Completed, CompletionQueue, Side, TooSmall};
pub use control::{ControlLayout, ENTRY_BYTES};
pub use event::{RegionAction, ViaEvent};
pub use over_memory::{
    Library, LibraryError, PointerWrite, SEGMENTS_MAX, Share, Target, Transfer, Unsent,
};
pub use packet::{CONTROL_BYTES, ViaHeader};
pub use receive::{Placement, needed, place};
pub use registration::{Handle, Registry, RegistryError};
pub use state::{Reason, Reliability, Status, ViState};
pub use vi::{Acknowledged, Arrival, Vi, WrongState};
