//! An exchange of equal messages, as the measurements of EMP have them.

/// When a program posts its next message.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ExchangePattern {
    /// The program posts when its previous message is complete and a message has arrived.
    Ping,
    /// The program posts when fewer than two of its messages are outstanding.
    Stream,
    /// The program posts when fewer than two of its messages are outstanding, and as many messages have arrived as are
    /// complete.
    BothWays,
    /// The program posts as many messages as the peer has free buffers or receive descriptors, and then one for each
    /// credit. A message of the peer is a credit, or as many credits as messages that the peer answers with one.
    Credits,
}

/// What a program exchanges.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// When the program posts the next message.
    pub pattern: ExchangePattern,
    /// Number of messages that the program posts.
    pub rounds: u32,
    /// Length of each message in bytes.
    pub length: u32,
}
