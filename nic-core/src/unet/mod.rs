//! U-Net: endpoints with a buffer area, three queues and channels, and the base path for endpoints without an applet
//! (U-Net/SLE §2).

mod base;
mod channel;
mod descriptor;
mod endpoint;
mod event;
mod free;
mod receive;
mod transmit;

pub use base::{accept, resolve, resolve_packet};
pub use channel::{Channel, Channels};
pub use descriptor::{BufferList, MessageBody, ReceiveDescriptor, TransmitDescriptor};
pub use endpoint::{Endpoint, QueueSizes};
pub use event::{Refusal, RxBody, TxStatus, UnetEvent};
pub use free::FreeQueue;
pub use receive::ReceiveQueue;
pub use transmit::{Completion, TransmitQueue};

pub use crate::limits::{INLINE_MAX, MESSAGE_BUFFERS_MAX};

/// The error of a full queue. The error returns the element that the queue rejected.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Full<T>(pub T);
