//! The windows that an endpoint's applet may name in natives, by numbers that are the endpoint's own.

use super::WindowId;
use crate::unet::Channel;

/// Maximum number of reads of an endpoint that are under way at a time.
pub const READS_MAX: u32 = 64;

/// A window of an endpoint's memory, which the endpoint's applet may watch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OwnWindow {
    /// The number by which the endpoint's applet names the window.
    pub number: i32,
    /// The window.
    pub window: WindowId,
    /// Length in bytes.
    pub length: u32,
}

/// A window of a peer's memory, which the endpoint's applet may write, and read if the window allows reads.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PeerWindow {
    /// The number by which the endpoint's applet names the window.
    pub number: i32,
    /// The window.
    pub window: WindowId,
    /// Length in bytes.
    pub length: u32,
    /// Whether the endpoint may also read the window.
    pub is_readable: bool,
    /// The channel that packets to the window take. Both ends of the channel have the number of the window.
    pub path: Channel,
}

/// The windows that an endpoint's applet may name. If the endpoint has no windows, each native that names one is a
/// protection fault.
#[derive(Copy, Clone, Debug, Default)]
pub struct WindowRights<'e> {
    /// The windows of the endpoint's memory, sorted by number.
    pub own: &'e [OwnWindow],
    /// The windows of peers that the endpoint may write, sorted by number.
    pub peers: &'e [PeerWindow],
    /// Number of watches that the endpoint may still set.
    pub watches_left: u32,
    /// Number of reads that the endpoint may still begin while others are under way.
    pub reads_left: u32,
}

impl WindowRights<'_> {
    /// No windows.
    pub const NONE: WindowRights<'static> = WindowRights {
        own: &[],
        peers: &[],
        watches_left: 0,
        reads_left: 0,
    };

    /// Returns the window of the endpoint's memory that has this number.
    #[must_use]
    pub fn own(&self, number: i32) -> Option<&OwnWindow> {
        let place = self.own.binary_search_by_key(&number, |own| own.number);
        place.ok().map(|place| &self.own[place])
    }

    /// Returns the position in `peers` of the peer's window that has this number.
    #[must_use]
    pub fn peer(&self, number: i32) -> Option<usize> {
        let place = self.peers.binary_search_by_key(&number, |peer| peer.number);
        place.ok()
    }
}
