//! What a wire carries beside a packet's message.

/// Bytes around each message on a wire. None of them takes memory of a NIC.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// Bytes of headers and trailers of a frame.
    pub header: u32,
    /// Bytes of a frame at least, headers and trailers included.
    pub min_frame: u32,
    /// Bytes for which the wire is idle behind a frame, at least.
    pub gap: u32,
}

impl Framing {
    /// Returns how many bytes the frame of a message has.
    #[must_use]
    pub fn frame(self, message: u32) -> u32 {
        message.saturating_add(self.header).max(self.min_frame)
    }
}
