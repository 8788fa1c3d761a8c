//! The header of writes to windows.

use std::num::{NonZeroU16, NonZeroU32};

use nic_core::event::WriteHow;
use nic_core::remote::WindowId;
use nic_core::via::ConnectionId;

/// The number of a message's entry in the transfer queue of its connection. Numbers wrap around, and differ as long as
/// fewer than 65,535 messages are on their way.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryNumber(NonZeroU16);

impl EntryNumber {
    /// Returns the number of the newest of `count` entries.
    #[must_use]
    pub fn of(count: u32) -> EntryNumber {
        let number = u16::try_from(count % u32::from(u16::MAX)).unwrap_or(0);
        EntryNumber(NonZeroU16::MIN.saturating_add(number))
    }
}

/// The header of a packet that carries a write: the destination of the write and how it was made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RemoteWrite {
    /// The window.
    pub window: WindowId,
    /// Offset in it.
    pub offset: u32,
    /// The number of a message's entry in the transfer queue, if the write is the first of the message. Outputs show its
    /// packet as the message's.
    pub opens: Option<EntryNumber>,
    /// What carries it out.
    pub how: WriteHow,
    /// The connection of the write, if it has a number.
    pub connection: ConnectionId,
    /// The write's number among the writes of its connection, once it has left. Numbers wrap around. The number is
    /// `None` for a write that belongs to no connection.
    pub number: Option<NonZeroU32>,
}

impl RemoteWrite {
    /// Returns whether an applet has made the write, to a window that the scenario declares.
    pub(crate) fn is_of_applet(self) -> bool {
        self.how == WriteHow::Nic
    }

    /// Returns whether outputs show the write's packet as the packet of a message.
    pub(crate) fn carries_message(self) -> bool {
        self.opens.is_some() || self.is_of_applet()
    }
}
