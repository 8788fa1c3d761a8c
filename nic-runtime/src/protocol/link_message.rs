//! The mark of messages between the two ends of an LMMC link.

/// Marks a packet as a message of LMMC. The packet's bytes are the whole message, header and all, and prove nothing: a
/// program may forge them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LinkMessage;
