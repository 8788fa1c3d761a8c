//! Framing: the bytes that a wire carries in addition to a packet's message.

use nic_core::time::SimDuration;

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

/// Returns the bytes that a backlog needs above its mark. The bytes above the mark hold the frame that passes the mark,
/// the frame being sent, and the bytes sent until the stop takes effect.
#[must_use]
pub fn reserve(longest_frame: u32, latency: SimDuration, bytes_per_second: u64) -> u64 {
    let picoseconds = 2 * u128::from(latency.as_ps()) * u128::from(bytes_per_second);
    let carried = picoseconds.div_ceil(1_000_000_000_000);
    let carried = u64::try_from(carried).unwrap_or(u64::MAX);
    carried.saturating_add(2 * u64::from(longest_frame))
}
