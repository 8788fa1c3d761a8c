//! Host programs: how a user reacts to a message.

use core::num::NonZeroU32;

use crate::id::ChannelId;
use crate::unet::ReceiveDescriptor;

/// The program of the user at an endpoint. The runtime calls the program when the user learns of a message, and puts
/// the message's buffers back after the reaction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// Reads each message.
    Sink,
    /// A program that sends each message back on the channel it came from.
    Echo,
    /// A program that reads messages, and answers the Nth, 2Nth, … message with its first bytes, on the channel it came
    /// from.
    Acknowledge {
        /// Number of messages that the program answers with one message.
        every: NonZeroU32,
    },
}

/// Length limit of an answer of [`Program::Acknowledge`], in bytes.
const ACKNOWLEDGEMENT_BYTES: u32 = 4;

/// How a program reacts to a message.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Reads the message.
    Read,
    /// The program copies the beginning of the message to the transmit region, and sends the copy.
    Send {
        /// The channel on which the program sends the copy.
        channel: ChannelId,
        /// Number of bytes of the message to send.
        length: u32,
    },
}

impl Program {
    /// Returns the program's reaction to a message that follows `before` earlier messages.
    #[must_use]
    pub fn react(self, message: &ReceiveDescriptor, before: u64) -> Reaction {
        let ReceiveDescriptor {
            channel, length, ..
        } = *message;
        match self {
            Program::Sink => Reaction::Read,
            // An applet's notice to its user has no sender who could get an answer.
            Program::Echo | Program::Acknowledge { .. } if channel.is_notice() => Reaction::Read,
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
