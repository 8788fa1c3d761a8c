//! Protocols: what a packet carries besides the bytes of a message.
//!
//! A protocol is a row of [`Header`]. The wires know its length and flip its bits, and leave the rest to the engine of
//! the protocol (`engine/interface.rs`).

mod link_message;
mod remote_read;
mod remote_write;

use std::fmt::Debug;

use nic_core::emp;
use nic_core::via::ViaHeader;

pub(crate) use self::link_message::LinkMessage;
pub(crate) use self::remote_read::{ReadKind, RemoteRead};
pub(crate) use self::remote_write::{EntryNumber, RemoteWrite};

/// A header of a packet, in the form that the wire carries.
pub(crate) trait WireHeader: Copy + Debug + PartialEq {
    /// The header's bytes.
    type Bytes: AsMut<[u8]>;

    /// The number of bytes.
    const LENGTH: u32;

    /// Whether the NIC itself detects every flipped bit, even where the link has no CRC.
    const IS_CHECKED: bool = false;

    /// Returns the header as bytes.
    fn to_bytes(self) -> Self::Bytes;

    /// Reads a header; returns `None` if the bytes are not a header.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;

    /// Returns whether the packet is for the receiving NIC itself, such as an acknowledgement. A packet for the NIC
    /// itself needs no slot there and does not reach an endpoint.
    fn is_for_nic(self) -> bool;

    /// Returns whether the packet is a frame, which carries a part of a message.
    fn is_frame(self) -> bool {
        false
    }

    /// Whether the packet waits at the end of a wire for as long as it must, and is never too late.
    const IS_PATIENT: bool = false;

    /// Returns whether the packet is a whole message, which the wires treat as a packet without a header.
    fn is_message(self) -> bool {
        false
    }

    /// Returns the immediate data of the packet's message, if the message has any.
    fn immediate(self) -> Option<u32> {
        None
    }
}

/// The rows of all protocols: the engine, and the header of its packets. Passes the rows to a macro.
macro_rules! protocols {
    ($then:ident) => {
        $then! {
            /// A frame of EMP.
            Emp(nic_core::emp::Frame);
            /// A message between VIs, or a control packet of their connection.
            Via(nic_core::via::ViaHeader);
            /// A write to a window of the receiver's memory.
            Remote(crate::protocol::RemoteWrite);
            /// The request for bytes of a window of the receiver's memory, or the answer.
            Read(crate::protocol::RemoteRead);
            /// A message between the ends of an LMMC link.
            Lmmc(crate::protocol::LinkMessage);
        }
    };
}
pub(crate) use protocols;

/// Declares the headers.
macro_rules! headers {
    ($($(#[$doc:meta])* $name:ident($header:ty);)*) => {
        /// The header of a packet.
        ///
        /// A packet with a header is passed to the engine of its interface as soon as it arrives.
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
        pub enum Header {
            /// No header: the packet is a whole message for its endpoint.
            #[default]
            None,
            $($(#[$doc])* $name($header),)*
        }

        impl Header {
            /// Returns whether the packet is for the receiving NIC itself. A packet for the NIC itself needs no slot
            /// there.
            #[must_use]
            pub fn is_for_nic(self) -> bool {
                match self {
                    Header::None => false,
                    $(Header::$name(header) => header.is_for_nic(),)*
                }
            }

            /// Returns whether the packet is a frame, which carries a part of a message.
            #[must_use]
            pub fn is_frame(self) -> bool {
                match self {
                    Header::None => false,
                    $(Header::$name(header) => header.is_frame(),)*
                }
            }

            /// Returns whether the packet waits at the end of a wire for as long as it must.
            #[must_use]
            pub(crate) fn is_patient(self) -> bool {
                match self {
                    Header::None => false,
                    $(Header::$name(_) => <$header>::IS_PATIENT,)*
                }
            }

            /// Returns whether the packet is a whole message, which the wires treat as a packet without a header.
            #[must_use]
            pub fn is_message(self) -> bool {
                match self {
                    Header::None => true,
                    $(Header::$name(header) => header.is_message(),)*
                }
            }

            /// Returns the immediate data of the packet's message, if the message has any.
            #[must_use]
            pub fn immediate(self) -> Option<u32> {
                match self {
                    Header::None => None,
                    $(Header::$name(header) => header.immediate(),)*
                }
            }

            /// The length of the longest header on the wire, in bytes.
            pub const LENGTH_MAX: u32 = {
                let mut longest = 0;
                $(if <$header>::LENGTH > longest {
                    longest = <$header>::LENGTH;
                })*
                longest
            };

            /// Returns the header's length on the wire, in bytes.
            #[must_use]
            pub fn length(self) -> u32 {
                match self {
                    Header::None => 0,
                    $(Header::$name(_) => <$header>::LENGTH,)*
                }
            }

            /// Flips the bit that `draw` selects among those of the header and the payload. Returns false if the
            /// flipped bytes are no valid header.
            #[must_use]
            pub(crate) fn flip(&mut self, payload: &mut [u8], draw: u64) -> bool {
                match self {
                    Header::None => {
                        flip(payload, draw);
                        true
                    }
                    $(Header::$name(header) => flip_in(header, payload, draw),)*
                }
            }
        }
    };
}

protocols!(headers);

/// Each packet of U-Net also has a field of this type, so the type should stay small.
const _: () = assert!(size_of::<Header>() <= 24);

impl Header {
    /// Returns whether the packet has no header and is a whole message.
    #[must_use]
    pub fn is_none(self) -> bool {
        matches!(self, Header::None)
    }
}

/// Flips the bit of `bytes` that `draw` selects. Does nothing if `bytes` is empty.
fn flip(bytes: &mut [u8], draw: u64) {
    let bits = bytes.len() as u64 * 8;
    if let Some(bit) = draw.checked_rem(bits) {
        // The number `bit` is below eight times the slice's length, so the casts lose nothing.
        bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
    }
}

fn flip_in<H: WireHeader>(header: &mut H, payload: &mut [u8], draw: u64) -> bool {
    if H::IS_CHECKED {
        return false;
    }
    let header_bits = u64::from(H::LENGTH) * 8;
    let bits = header_bits + payload.len() as u64 * 8;
    let draw = draw % bits;
    if let Some(bit) = draw.checked_sub(header_bits) {
        flip(payload, bit);
        return true;
    }
    let mut bytes = header.to_bytes();
    flip(bytes.as_mut(), draw);
    let flipped = H::from_bytes(bytes.as_mut());
    flipped.map(|flipped| *header = flipped).is_some()
}

impl WireHeader for emp::Frame {
    type Bytes = [u8; emp::HEADER_BYTES];

    const LENGTH: u32 = emp::HEADER_BYTES as u32;

    fn to_bytes(self) -> Self::Bytes {
        self.encode()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        emp::Frame::decode(bytes).ok().map(|(frame, _)| frame)
    }

    fn is_for_nic(self) -> bool {
        !self.kind.carries_message()
    }

    fn is_frame(self) -> bool {
        true
    }
}

/// The wire's own header has room for the header of a VIA message, so no bit of the latter can flip alone. Links apply
/// no faults to control packets of VIA.
impl WireHeader for ViaHeader {
    type Bytes = [u8; 0];

    const LENGTH: u32 = 0;

    fn to_bytes(self) -> Self::Bytes {
        []
    }

    fn from_bytes(_bytes: &[u8]) -> Option<Self> {
        None
    }

    fn is_for_nic(self) -> bool {
        self.control().is_some()
    }

    fn is_message(self) -> bool {
        self.control().is_none()
    }

    fn immediate(self) -> Option<u32> {
        ViaHeader::immediate(self)
    }
}

/// A link of LMMC loses and alters nothing, so no bit of a message ever flips. A message takes an arrival slot, as the
/// link holds back what follows while the receiver serves a paging request.
impl WireHeader for LinkMessage {
    type Bytes = [u8; 0];

    const LENGTH: u32 = 0;

    const IS_CHECKED: bool = true;

    /// The controller of the receiver may be stopped for as long as its host likes, and the link loses nothing (S4-09).
    const IS_PATIENT: bool = true;

    fn to_bytes(self) -> Self::Bytes {
        []
    }

    fn from_bytes(_bytes: &[u8]) -> Option<Self> {
        None
    }

    fn is_for_nic(self) -> bool {
        false
    }
}

/// Packets of remote memory without a header of their own: that of the wire has room for a window, an offset and a number.
/// One with a flipped bit never reaches memory, because no library can repair its rings.
macro_rules! without_header {
    ($($packet:ty),+) => {
        $(impl WireHeader for $packet {
            type Bytes = [u8; 0];

            const LENGTH: u32 = 0;

            const IS_CHECKED: bool = true;

            fn to_bytes(self) -> Self::Bytes {
                []
            }

            fn from_bytes(_bytes: &[u8]) -> Option<Self> {
                None
            }

            fn is_for_nic(self) -> bool {
                true
            }
        })+
    };
}

without_header!(RemoteWrite, RemoteRead);

#[cfg(test)]
mod tests {
    use nic_core::emp::{Frame, FrameKind, HEADER_BYTES};

    use super::*;

    #[test]
    fn every_bit_of_a_frame_can_be_flipped() {
        let frame = Frame {
            kind: FrameKind::Header,
            pending: 0,
            source: 0,
            tag: 0,
            message: 0,
            frame: 0,
            length: 0,
        };
        let (mut headers, mut payloads, mut broken) = (0, 0, 0);
        for draw in 0..(HEADER_BYTES as u64 + 2) * 8 {
            let (mut header, mut payload) = (Header::Emp(frame), [0; 2]);
            match header.flip(&mut payload, draw) {
                false => broken += 1,
                true if header != Header::Emp(frame) => headers += 1,
                true => payloads += u64::from(payload != [0; 2]),
            }
        }
        // Of the eight bits of a frame's kind, two give another valid kind when flipped.
        assert_eq!((headers, payloads, broken), (13 * 8 + 2, 16, 6));
    }

    #[test]
    fn acknowledgements_are_for_the_nic() {
        let kinds = [
            (FrameKind::Header, false),
            (FrameKind::Data, false),
            (FrameKind::Ack, true),
            (FrameKind::Nack, true),
        ];
        for (kind, expected) in kinds {
            let frame = Frame {
                kind,
                pending: 0,
                source: 0,
                tag: 0,
                message: 0,
                frame: 0,
                length: 0,
            };
            assert_eq!(Header::Emp(frame).is_for_nic(), expected);
        }
        assert!(!Header::None.is_for_nic());
    }

    #[test]
    fn exactly_one_bit_is_flipped() {
        for draw in [0, 7, 8, 23, 24, u64::MAX] {
            let mut bytes = [0u8; 3];
            flip(&mut bytes, draw);
            assert_eq!(bytes.iter().map(|byte| byte.count_ones()).sum::<u32>(), 1);
        }
        flip(&mut [], 5);
    }

    #[test]
    fn every_bit_can_be_flipped() {
        for length in 1..=9 {
            let mut bytes = vec![0u8; length];
            (0..8 * length as u64).for_each(|draw| flip(&mut bytes, draw));
            assert!(bytes.iter().all(|&byte| byte == 0xff), "{bytes:?}");
        }
    }
}
