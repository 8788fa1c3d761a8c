//! Why a call of a native was refused: its argument, and the bound that the argument breaks.

use core::fmt;

use jive_core::TrapKind;

use super::table::NicNative;
use crate::limits::{INLINE_MAX, MESSAGE_BUFFERS_MAX};

/// The bound that a call of a native breaks, with the arguments that break it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The array is null.
    Null,
    /// The last argument of the call, which may be the only one, is negative.
    Negative {
        /// The argument.
        value: i32,
    },
    /// The range that the arguments name does not lie in the array.
    Array {
        /// Start of the range.
        offset: i32,
        /// Length of the range.
        length: i32,
        /// Length of the array.
        elements: u32,
    },
    /// The range that the arguments name does not lie in the endpoint's buffer area.
    Area {
        /// Start of the range.
        offset: i32,
        /// Length of the range.
        length: i32,
        /// Length of the buffer area.
        area: u32,
    },
    /// The endpoint has no channel with the number in the argument.
    Channel {
        /// The number of the channel.
        channel: i32,
    },
    /// The endpoint has no window with the number in the argument.
    Window {
        /// The number of the window.
        window: i32,
    },
    /// The range that the arguments name does not lie in the window.
    InWindow {
        /// Start of the range.
        offset: i32,
        /// Length of the range.
        length: i32,
        /// Length of the window.
        window: u32,
    },
    /// The endpoint has set all watches that it may set.
    Watches,
    /// The endpoint may not read the window with the number in the argument.
    Unreadable {
        /// The number of the window.
        window: i32,
    },
    /// As many reads of the endpoint are under way as may be.
    Reads,
    /// The array is freed at the end of the call, and the native would fill it later.
    Transient {
        /// Length of the array.
        elements: u32,
    },
    /// The call handles no packet that lies in a free buffer.
    NoArrival,
    /// The range that the arguments name does not lie in the part of the packet's header that the NIC keeps.
    Header {
        /// Start of the range.
        offset: i32,
        /// Length of the range.
        length: i32,
        /// Length of the header.
        header: u32,
    },
    /// The message is longer than a packet.
    Packet {
        /// Length of the message.
        length: i32,
        /// Maximum number of bytes that a packet can carry.
        most: u32,
    },
    /// The message is longer than a descriptor that carries it can hold.
    Inline {
        /// Length of the message.
        length: i32,
    },
    /// The message needs more free buffers than a descriptor can name.
    Buffers {
        /// Length of the message.
        length: i32,
        /// Length of each free buffer.
        buffer: u32,
    },
    /// The array has fewer offsets than the message has shares.
    Offsets {
        /// Number of shares.
        needed: u32,
        /// Length of the array.
        elements: u32,
    },
    /// A share of the message does not lie in the buffer area.
    Share {
        /// Position in the array of the share's offset.
        position: u32,
        /// The offset.
        offset: i32,
        /// Length of the share.
        share: u32,
        /// Length of the buffer area.
        area: u32,
    },
    /// The call's DMA transfers move more bytes than its quota allows.
    DmaQuota {
        /// Number of bytes that the call moves, including those of this native.
        bytes: u64,
        /// Maximum number of bytes that a call may move.
        most: u32,
    },
    /// The call sends more packets than its quota allows.
    SendQuota {
        /// Number of packets that the call sends, including that of this native.
        packets: u32,
        /// Maximum number of packets that a call may send.
        most: u32,
    },
}

/// A call of a native that was refused, and why.
///
/// The text of a violation names the native's parameters, as in `offset 10, length 20, buffer has 16 bytes`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NativeViolation {
    /// The native.
    pub native: NicNative,
    /// The bound.
    pub bound: Bound,
}

impl NativeViolation {
    fn parameter(&self, position: usize) -> &'static str {
        let parameter = self.native.decl().parameters.get(position);
        parameter.map_or("", |parameter| parameter.name)
    }

    /// Returns the name of the native's last parameter.
    fn last(&self) -> &'static str {
        self.parameter(self.native.decl().parameters.len().saturating_sub(1))
    }

    /// Returns whether the native's parameters name a range of the array by an offset, and not only by a length.
    fn has_offset(&self) -> bool {
        self.native != NicNative::DmaRxdPayload
    }

    /// Calls `each` with the name and the value of every number in the bound.
    pub fn values(&self, each: &mut dyn FnMut(&'static str, i64)) {
        match self.bound {
            Bound::Null | Bound::NoArrival => {}
            Bound::Header {
                offset,
                length,
                header,
            } => {
                each("offset", offset.into());
                each("length", length.into());
                each("header", header.into());
            }
            Bound::Negative { value } => each(self.last(), value.into()),
            Bound::Array {
                offset,
                length,
                elements,
            } => {
                if self.has_offset() {
                    each(self.parameter(1), offset.into());
                }
                each("length", length.into());
                each("array_length", elements.into());
            }
            Bound::Area {
                offset,
                length,
                area,
            } => {
                each("hostOffset", offset.into());
                each("length", length.into());
                each("buffer_area", area.into());
            }
            Bound::Channel { channel } => each("channel", channel.into()),
            Bound::Window { window } | Bound::Unreadable { window } => {
                each("window", window.into());
            }
            Bound::InWindow {
                offset,
                length,
                window,
            } => {
                each("offset", offset.into());
                each("length", length.into());
                each("window_length", window.into());
            }
            Bound::Watches => each("watches_left", 0),
            Bound::Reads => each("reads_left", 0),
            Bound::Transient { elements } => each("array_length", elements.into()),
            Bound::Packet { length, most } => {
                each("length", length.into());
                each("max_packet", most.into());
            }
            Bound::Inline { length } => each("length", length.into()),
            Bound::Buffers { length, buffer } => {
                each("length", length.into());
                each("free_buffer", buffer.into());
            }
            Bound::Offsets { needed, elements } => {
                each("needed", needed.into());
                each("array_length", elements.into());
            }
            Bound::Share {
                position,
                offset,
                share,
                area,
            } => {
                each("index", position.into());
                each("offset", offset.into());
                each("share", share.into());
                each("buffer_area", area.into());
            }
            Bound::DmaQuota { bytes, most } => {
                each("dma_bytes", i64::try_from(bytes).unwrap_or(i64::MAX));
                each("most", most.into());
            }
            Bound::SendQuota { packets, most } => {
                each("packets", packets.into());
                each("most", most.into());
            }
        }
    }
}

impl fmt::Display for NativeViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let array = self.parameter(0);
        match self.bound {
            Bound::Null => write!(f, "{array} is null"),
            Bound::NoArrival => write!(f, "the call handles no packet in a free buffer"),
            Bound::Header {
                offset,
                length,
                header,
            } => write!(
                f,
                "offset {offset}, length {length}, the NIC keeps {header} bytes of the packet"
            ),
            Bound::Negative { value } => {
                write!(f, "{} {value}, expected 0 or more", self.last())
            }
            Bound::Array {
                offset,
                length,
                elements,
            } => {
                if self.has_offset() {
                    write!(f, "{} {offset}, ", self.parameter(1))?;
                }
                write!(f, "length {length}, {array} has {elements} bytes")
            }
            Bound::Area {
                offset,
                length,
                area,
            } => write!(
                f,
                "hostOffset {offset}, length {length}, buffer area has {area} bytes"
            ),
            Bound::Channel { channel } => {
                write!(f, "channel {channel}, which the endpoint does not have")
            }
            Bound::Window { window } => {
                write!(f, "window {window}, which the endpoint does not have")
            }
            Bound::InWindow {
                offset,
                length,
                window,
            } => write!(
                f,
                "offset {offset}, length {length}, window has {window} bytes"
            ),
            Bound::Watches => write!(f, "0 watches are left for the endpoint"),
            Bound::Unreadable { window } => {
                write!(f, "window {window}, which the endpoint may not read")
            }
            Bound::Reads => write!(f, "0 reads are left for the endpoint"),
            Bound::Transient { elements } => write!(
                f,
                "{array} has {elements} bytes, and is freed at the end of the call"
            ),
            Bound::Packet { length, most } => {
                write!(f, "length {length}, a packet has at most {most} bytes")
            }
            Bound::Inline { length } => write!(
                f,
                "length {length}, a descriptor carries at most {INLINE_MAX} bytes"
            ),
            Bound::Buffers { length, buffer } => write!(
                f,
                "length {length}, a descriptor names at most {MESSAGE_BUFFERS_MAX} buffers of {buffer} bytes"
            ),
            Bound::Offsets { needed, elements } => {
                write!(f, "{needed} shares, {array} has {elements} elements")
            }
            Bound::Share {
                position,
                offset,
                share,
                area,
            } => write!(
                f,
                "{array}[{position}] {offset}, {share} bytes there, buffer area has {area} bytes"
            ),
            Bound::DmaQuota { bytes, most } => {
                write!(f, "{bytes} bytes of DMA, a call has at most {most}")
            }
            Bound::SendQuota { packets, most } => {
                write!(f, "{packets} packets sent, a call sends at most {most}")
            }
        }
    }
}

/// The result of a failed check of a call: the trap, or the bound that explains the trap. One check computes either the
/// trap or the bound, so that they agree.
pub(crate) trait Refusal {
    fn of(kind: TrapKind, bound: Bound) -> Self;

    /// Returns the refusal of a call that no verified class can make.
    fn unverified() -> Self;
}

impl Refusal for TrapKind {
    #[inline(always)]
    fn of(kind: TrapKind, _: Bound) -> TrapKind {
        kind
    }

    #[inline(always)]
    fn unverified() -> TrapKind {
        TrapKind::Unverified
    }
}

impl Refusal for Option<Bound> {
    fn of(_: TrapKind, bound: Bound) -> Option<Bound> {
        Some(bound)
    }

    fn unverified() -> Option<Bound> {
        None
    }
}

/// Returns the refusal of a call that breaks a bound set by the endpoint's protection.
pub(crate) fn fault<R: Refusal>(bound: Bound) -> R {
    R::of(TrapKind::ProtectionFault, bound)
}
