//! Host programs: what a user does with a message.

use core::num::NonZeroU32;

use crate::id::ChannelId;
use crate::unet::ReceiveDescriptor;

/// A program at an endpoint. Whatever its reaction, the runtime gives it the message when the user learns
/// of it, and puts the message's buffers back after it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// Reads messages.
    Sink,
    /// Sends each message back on the channel it came from.
    Echo,
    /// Reads messages, and answers the Nth, 2Nth, … message with its first bytes, on the channel it came from.
    Acknowledge {
        /// How many messages for each answer.
        every: NonZeroU32,
    },
}

/// Most bytes of an answer of [`Program::Acknowledge`].
const ACKNOWLEDGEMENT_BYTES: u32 = 4;

/// What a program does with a message.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Reads it.
    Read,
    /// Copies its beginning to the transmit region and sends that.
    Send {
        /// On which channel.
        channel: ChannelId,
        /// How many bytes of it.
        length: u32,
    },
}

impl Program {
    /// Returns what the program does with a message that comes after so many others.
    #[must_use]
    pub fn react(self, message: &ReceiveDescriptor, before: u64) -> Reaction {
        let ReceiveDescriptor {
            channel, length, ..
        } = *message;
        match self {
            Program::Sink => Reaction::Read,
            Program::Echo => Reaction::Send { channel, length },
            Program::Acknowledge { every }
                if (before + 1).is_multiple_of(u64::from(every.get())) =>
            {
                let length = length.min(ACKNOWLEDGEMENT_BYTES);
                Reaction::Send { channel, length }
            }
            Program::Acknowledge { .. } => Reaction::Read,
        }
    }
}
