//! What an endpoint's applet may name in natives.

use crate::memory::Region;
use crate::remote::WindowRights;
use crate::storage::Storage;
use crate::unet::{Channels, Endpoint};

/// The resources that an endpoint's applet may name in natives.
#[derive(Copy, Clone, Debug)]
pub struct Rights<'e, S: Storage> {
    /// The endpoint's buffer area.
    pub area: Region,
    /// Length of the endpoint's free buffers in bytes.
    pub buffer_length: u32,
    /// The endpoint's channels.
    pub channels: &'e Channels<S>,
    /// Maximum number of bytes that a packet of the endpoint may carry.
    pub max_packet: u32,
    /// The windows that the applet may name, or `None` if it may name none. A reference to the window rights keeps
    /// `Rights` small.
    pub windows: Option<&'e WindowRights<'e>>,
    /// The packet in a free buffer that the call handles, or `None` if it handles no such packet.
    pub arrival: Option<Arrived>,
}

/// A packet that a NIC has received directly into a free buffer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// Offset of the buffer in the buffer area.
    pub offset: u32,
    /// Number of bytes of the packet's header that the NIC keeps, no more than the packet has.
    pub header: u32,
}

impl<'e, S: Storage> Rights<'e, S> {
    /// Returns the rights of an endpoint's applet that may name no windows.
    #[must_use]
    pub fn of(endpoint: &'e Endpoint<S>) -> Rights<'e, S> {
        Rights {
            area: endpoint.area,
            buffer_length: endpoint.free.buffer_length(),
            channels: &endpoint.channels,
            max_packet: endpoint.max_packet,
            windows: None,
            arrival: None,
        }
    }

    /// Returns the same rights, with the right to name these windows.
    #[must_use]
    pub fn with(self, windows: &'e WindowRights<'e>) -> Rights<'e, S> {
        Rights {
            windows: Some(windows),
            ..self
        }
    }
}
