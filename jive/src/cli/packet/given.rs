//! The packets that the command runs the applet on.

use serde::Serialize;

/// The direction of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Way {
    /// The packet arrives: `doRx`.
    Rx,
    /// The user sends the packet: `doTx`.
    Tx,
}

impl Way {
    pub(super) const ALL: [Way; 2] = [Way::Rx, Way::Tx];

    pub(super) fn word(self) -> &'static str {
        match self {
            Way::Rx => "rx",
            Way::Tx => "tx",
        }
    }

    pub(super) fn help(self) -> &'static str {
        match self {
            Way::Rx => "A packet that arrives",
            Way::Tx => "A message that the user sends",
        }
    }
}

/// A packet with its bytes.
pub(super) struct Packet {
    pub(super) way: Way,
    pub(super) bytes: Vec<u8>,
}
