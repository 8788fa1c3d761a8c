//! Framing: the bytes that a wire carries in addition to a packet's message.

/// The bytes around each message on a wire. The framing bytes need no memory of a NIC.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// Bytes of headers and trailers of a frame.
    pub header: u32,
    /// Least number of bytes of a frame, headers and trailers included.
    pub min_frame: u32,
    /// Least idle time after a frame, expressed in bytes.
    pub gap: u32,
}

impl Framing {
    /// Returns the number of bytes of a frame that carries a message of this length.
    #[must_use]
    pub fn frame(self, message: u32) -> u32 {
        message.saturating_add(self.header).max(self.min_frame)
    }
}
