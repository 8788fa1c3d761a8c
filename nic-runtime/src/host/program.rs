//! Host programs: what a user does with a message.

use crate::event::ChannelId;
use crate::unet::ReceiveDescriptor;

/// A program at an endpoint. Whatever its reaction, the runtime gives it the message when the user learns
/// of it, and puts the message's buffers back after it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// Reads messages.
    Sink,
    /// Sends each message back on the channel it came from.
    Echo,
}

/// What a program does with a message.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Reads it.
    Read,
    /// Copies it to the transmit region and sends it on this channel.
    Send(ChannelId),
}

impl Program {
    /// Returns what the program does with a message.
    #[must_use]
    pub fn react(self, message: &ReceiveDescriptor) -> Reaction {
        match self {
            Program::Sink => Reaction::Read,
            Program::Echo => Reaction::Send(message.channel),
        }
    }
}
