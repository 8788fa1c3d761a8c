//! The header of writes to windows.

use std::num::NonZeroU32;

use nic_core::event::WriteHow;
use nic_core::remote::WindowId;
use nic_core::via::ConnectionId;

/// The header of a packet that carries a write: the destination of the write and how it was made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RemoteWrite {
    /// The window.
    pub window: WindowId,
    /// Offset in it.
    pub offset: u32,
    /// Whether the write is the first write of a message, which outputs show as the message's packet.
    pub opens: bool,
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
        self.opens || self.is_of_applet()
    }
}
