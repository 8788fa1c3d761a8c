//! The states of a VI, the levels of reliability, and the status with which a descriptor completes.

/// The state of a VI.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ViState {
    /// The VI has no connection and is not making one.
    Idle,
    /// The VI has requested a connection from its peer.
    Connecting,
    /// The VI has a connection.
    Connected,
    /// The VI's connection broke.
    Error,
    /// The VI or its peer ended the connection.
    Disconnected,
}

impl ViState {
    /// Returns the word that the trace shows for the state.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            ViState::Idle => "idle",
            ViState::Connecting => "connecting",
            ViState::Connected => "connected",
            ViState::Error => "error",
            ViState::Disconnected => "disconnected",
        }
    }
}

/// Why a VI changed its state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// This end of the connection requested the connection.
    Requested,
    /// The peer accepted the connection that this end requested.
    Accepted,
    /// No peer accepted the connection that this end requested.
    NotAccepted,
    /// This end or the peer ended the connection.
    Disconnect,
    /// A message was lost.
    Loss,
    /// The receiver of a message had no receive descriptor for it.
    Overrun,
    /// A message was longer than the receive descriptor for it.
    LengthError,
}

impl Reason {
    /// Returns the word that the trace shows for the reason.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Reason::Requested => "requested",
            Reason::Accepted => "accepted",
            Reason::NotAccepted => "not-accepted",
            Reason::Disconnect => "disconnect",
            Reason::Loss => "loss",
            Reason::Overrun => "overrun",
            Reason::LengthError => "length-error",
        }
    }
}

/// The level of reliability that a VI promises for the messages on its connection (S5-04). Both ends of a connection
/// have the same level of reliability.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Reliability {
    /// A message arrives at most once.
    Unreliable,
    /// A message arrives exactly once, or the connection breaks. At the level of delivery, a send completes when the
    /// sender's transfers are done.
    #[default]
    Delivery,
    /// A message arrives exactly once, or the connection breaks, and a send completes when the peer's memory has the
    /// message.
    Reception,
}

impl Reliability {
    /// Every level of reliability, with its name in a scenario.
    pub const ALL: [(&'static str, Reliability); 3] = [
        ("unreliable", Reliability::Unreliable),
        ("delivery", Reliability::Delivery),
        ("reception", Reliability::Reception),
    ];

    /// Returns whether a lost message or a missing receive descriptor breaks the connection.
    #[must_use]
    pub const fn is_reliable(self) -> bool {
        match self {
            Reliability::Unreliable => false,
            Reliability::Delivery | Reliability::Reception => true,
        }
    }
}

/// How a descriptor completed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// The NIC has sent or received the message.
    #[default]
    Ok,
    /// The sender did not transmit the message, because the peer had no receive descriptor.
    Dropped,
    /// The message is longer than a packet, or than the receive descriptor for it.
    LengthError,
    /// The descriptor names memory or a connection that the VI may not use.
    ProtectionError,
    /// The VI was not connected, or its connection ended while the descriptor was under way.
    Flushed,
    /// The applet trapped while it handled the descriptor.
    Trap,
}

impl Status {
    /// The statuses with which a receive descriptor completes for a message that has come and is lost. Such a message
    /// counts as a drop, with the status as its reason.
    pub const OF_LOST_MESSAGES: [Status; 1] = [Status::LengthError];

    /// Returns the word that the trace shows for the status.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Dropped => "dropped",
            Status::LengthError => "length-error",
            Status::ProtectionError => "protection-error",
            Status::Flushed => "flushed",
            Status::Trap => "trap",
        }
    }
}
