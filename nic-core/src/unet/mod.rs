//! U-Net: endpoints with a buffer area, three queues and channels, and what the NIC does for them when
//! they have no applet (U-Net/SLE §2).

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
pub use descriptor::{
    BufferList, INLINE_MAX, MESSAGE_BUFFERS_MAX, MessageBody, ReceiveDescriptor, TransmitDescriptor,
};
pub use endpoint::{Endpoint, QueueSizes};
pub use event::{Refusal, RxBody, TxStatus, UnetEvent};
pub use free::FreeQueue;
pub use receive::ReceiveQueue;
pub use transmit::{Completion, TransmitQueue};

/// A queue that takes no more gives back what it was offered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Full<T>(pub T);
