//! The natives of U-Net/SLE: their table, and the protection that every call of one passes.
//!
//! [`check`] is pure: it turns a call's arguments into an [`Effect`] that the endpoint may have, or
//! into a trap. The code that performs effects has nothing left to check.

use jive_core::{ArrayView, Heap, TrapKind, natives};

use crate::cost_class::CostClass;
use crate::id::ChannelId;
use crate::memory::{HostSpan, Region};
use crate::storage::Storage;
use crate::time::SimDuration;
use crate::unet::{Channel, Channels, Endpoint, INLINE_MAX, MESSAGE_BUFFERS_MAX};

natives! {
    /// The natives of the class `unet/Nic`.
    pub enum NicNative: "unet/Nic", cost CostClass {
        /// Returns a new byte array of `length` bytes, all zero and aligned for DMA.
        NewAlignedArray = newAlignedArray(length: Int) -> ByteArray, NullCall;
        /// Returns the number of bytes in each of the endpoint's free buffers.
        GetFreeBufferLength = getFreeBufferLength() -> Int, NullCall;
        /// Pops the endpoint's free queue and returns the buffer's offset in the buffer area, or -1
        /// where the queue is empty.
        GetFreeBuffer = getFreeBuffer() -> Int, FreeBuffer;
        /// Copies `length` bytes by DMA from `hostOffset` of the endpoint's buffer area into `to`, from
        /// `toOffset` on; returns when the bytes are there.
        DoHtoLDma = doHtoLDMA(to: ByteArray, toOffset: Int, hostOffset: Int, length: Int) -> Void, DmaSetup;
        /// Copies `length` bytes of `from`, from `fromOffset` on, by DMA to `hostOffset` of the endpoint's buffer area.
        /// The copy is queued, with the bytes as they are at the call.
        DoLtoHDma = doLtoHDMA(from: ByteArray, fromOffset: Int, hostOffset: Int, length: Int) -> Void, DmaSetup;
        /// Sends `length` bytes of `buffer`, from `offset` on, as one packet on `channel`, with the
        /// bytes as they are at the call.
        TxPush = txPush(buffer: ByteArray, offset: Int, channel: Int, length: Int) -> Void, Transmit;
        /// Pushes a receive descriptor for a message of `length` bytes in the buffer area. Its shares of
        /// `getFreeBufferLength()` bytes each start at `offsets[0]`, `offsets[1]`, and so on, at most 14 of them.
        DmaRxd = dmaRxd(offsets: IntArray, channel: Int, length: Int) -> Void, DescriptorBuffers;
        /// Pushes a receive descriptor that carries the first `length` bytes of `from` itself, at most
        /// 56.
        DmaRxdPayload = dmaRxdPayload(from: ByteArray, channel: Int, length: Int) -> Void, DescriptorInline;
        /// Returns the time in whole microseconds since the run began; behind 2147483647 comes -2147483648.
        /// Beyond the paper.
        CurrentTime = currentTime() -> Int, NullCall;
        /// Has `doTimer` called once, `microseconds` from now, in place of any time that was set before; 0
        /// sets none. Beyond the paper.
        SetTimer = setTimer(microseconds: Int) -> Void, NullCall;
        /// Notes a tag and a value in the trace, as the event `applet-trace`. Beyond the paper.
        Trace = trace(tag: Int, value: Int) -> Void, NullCall;
    }
}

/// What a call of a native asks for. Holding one proves that the endpoint may have it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Makes a byte array of this length.
    NewArray {
        /// Its length, not negative.
        length: i32,
    },
    /// Returns the length of a free buffer.
    BufferLength,
    /// Pops the free queue.
    PopBuffer,
    /// Copies from the buffer area into an array.
    HostToNic {
        /// Where the bytes go.
        to: ArraySpan,
        /// Where they come from.
        host: HostSpan,
    },
    /// Copies from an array into the buffer area.
    NicToHost {
        /// Where the bytes come from.
        from: ArraySpan,
        /// Where they go.
        host: HostSpan,
    },
    /// Sends a packet.
    Send {
        /// The message.
        from: ArraySpan,
        /// Whom to.
        channel: Channel,
    },
    /// Pushes a receive descriptor for a message in the buffer area.
    Describe {
        /// Where its shares begin: elements of an `int` array, each an offset in the buffer area.
        offsets: ArraySpan,
        /// The channel that the descriptor names.
        channel: ChannelId,
        /// The message's length in bytes.
        length: u32,
    },
    /// Pushes a receive descriptor that carries the message.
    Carry {
        /// The message.
        from: ArraySpan,
        /// The channel that the descriptor names.
        channel: ChannelId,
    },
    /// Returns the time.
    Time,
    /// Has the applet called when this is over; not at all for no time.
    Timer {
        /// How long from now.
        after: SimDuration,
    },
    /// Notes two numbers in the trace.
    Note {
        /// What the applet calls it.
        tag: i32,
        /// What it notes.
        value: i32,
    },
}

impl Effect {
    /// Returns the array that the call names, where it names one.
    #[must_use]
    #[inline]
    pub fn array(&self) -> Option<i32> {
        match *self {
            Effect::HostToNic { to: span, .. }
            | Effect::NicToHost { from: span, .. }
            | Effect::Send { from: span, .. }
            | Effect::Describe { offsets: span, .. }
            | Effect::Carry { from: span, .. } => Some(span.array()),
            Effect::NewArray { .. }
            | Effect::BufferLength
            | Effect::PopBuffer
            | Effect::Time
            | Effect::Timer { .. }
            | Effect::Note { .. } => None,
        }
    }
}

/// Bytes of an element that says where a share begins.
const SHARE_BYTES: u32 = size_of::<i32>() as u32;

/// Bytes of an array. Holding one proves that they lay inside it when it was made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
// Its fields are copied by two words wherever it lies: what was written by fields need not be waited for.
#[repr(align(8))]
pub struct ArraySpan {
    array: i32,
    length: u32,
    // Where they lie in the heap's memory.
    start: u32,
}

impl ArraySpan {
    /// Returns all bytes of an array, or `None` where the reference names none.
    pub(super) fn whole(heap: &Heap<'_>, array: i32) -> Option<ArraySpan> {
        let view = heap.array(array)?;
        Some(ArraySpan {
            array,
            length: view.byte_length(),
            start: view.start,
        })
    }

    /// Returns the array, as a reference.
    #[must_use]
    pub fn array(self) -> i32 {
        self.array
    }

    /// Returns its length in bytes.
    #[must_use]
    pub fn length(self) -> u32 {
        self.length
    }

    /// Returns the bytes; arrays neither move nor shrink while a call lasts.
    #[must_use]
    pub fn bytes<'h>(self, heap: &'h Heap<'_>) -> &'h [u8] {
        heap.bytes_at(self.start, self.length).unwrap_or_default()
    }

    /// Returns the values of what lies here of an `int` array.
    pub(super) fn offsets<'h>(self, heap: &'h Heap<'_>) -> impl Iterator<Item = i32> + use<'h> {
        let elements = self.bytes(heap).chunks_exact(SHARE_BYTES as usize);
        // `chunks_exact` gives slices of the array's length.
        elements.map(|element| i32::from_le_bytes(element.try_into().unwrap_or_default()))
    }

    /// Returns the bytes, to be written.
    pub fn bytes_mut<'h>(self, heap: &'h mut Heap<'_>) -> &'h mut [u8] {
        heap.bytes_at_mut(self.start, self.length)
            .unwrap_or_default()
    }
}

/// What an endpoint's applet may name.
#[derive(Copy, Clone, Debug)]
pub struct Rights<'e, S: Storage> {
    /// Its buffer area.
    pub area: Region,
    /// Length of its free buffers in bytes.
    pub buffer_length: u32,
    /// Its channels.
    pub channels: &'e Channels<S>,
    /// Bytes that one packet holds at most.
    pub max_packet: u32,
}

impl<'e, S: Storage> Rights<'e, S> {
    /// Returns the rights of an endpoint's applet.
    #[must_use]
    pub fn of(endpoint: &'e Endpoint<S>) -> Rights<'e, S> {
        Rights {
            area: endpoint.area,
            buffer_length: endpoint.free.buffer_length(),
            channels: &endpoint.channels,
            max_packet: endpoint.max_packet,
        }
    }
}

/// Checks a call in the order that the contract gives: null, a negative array length, all the rest.
///
/// # Errors
///
/// `NullPointerException`, `NegativeArraySizeException`, or `ProtectionFault` for whatever the endpoint
/// may not have, array bounds included. ([`TrapKind::Unverified`] for a count of arguments that no verified
/// class can pass.)
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn check<S: Storage>(
    native: NicNative,
    args: &[i32],
    heap: &Heap<'_>,
    rights: &Rights<'_, S>,
) -> Result<Effect, TrapKind> {
    match (native, args) {
        (NicNative::NewAlignedArray, &[length]) if length < 0 => {
            Err(TrapKind::NegativeArraySizeException)
        }
        (NicNative::NewAlignedArray, &[length]) => Ok(Effect::NewArray { length }),
        (NicNative::GetFreeBufferLength, &[]) => Ok(Effect::BufferLength),
        (NicNative::GetFreeBuffer, &[]) => Ok(Effect::PopBuffer),
        (NicNative::DoHtoLDma, &[to, to_offset, host_offset, length]) => Ok(Effect::HostToNic {
            to: array_span(heap, to, to_offset, length)?,
            host: host_span(rights, host_offset, length)?,
        }),
        (NicNative::DoLtoHDma, &[from, from_offset, host_offset, length]) => {
            Ok(Effect::NicToHost {
                from: array_span(heap, from, from_offset, length)?,
                host: host_span(rights, host_offset, length)?,
            })
        }
        (NicNative::TxPush, &[buffer, offset, channel, length]) => {
            let from = array_span(heap, buffer, offset, length)?;
            let channel = rights.channels.get(ChannelId(channel));
            match channel {
                Some(&channel) if from.length <= rights.max_packet => {
                    Ok(Effect::Send { from, channel })
                }
                _ => Err(TrapKind::ProtectionFault),
            }
        }
        (NicNative::DmaRxd, &[offsets, channel, length]) => Ok(Effect::Describe {
            offsets: shares(heap, rights, offsets, length)?,
            channel: ChannelId(channel),
            length: u32::try_from(length).map_err(|_| TrapKind::ProtectionFault)?,
        }),
        (NicNative::DmaRxdPayload, &[from, channel, length]) => {
            let from = array_span(heap, from, 0, length)?;
            if from.length as usize > INLINE_MAX {
                return Err(TrapKind::ProtectionFault);
            }
            Ok(Effect::Carry {
                from,
                channel: ChannelId(channel),
            })
        }
        (NicNative::CurrentTime, &[]) => Ok(Effect::Time),
        (NicNative::SetTimer, &[microseconds]) => {
            let microseconds =
                u32::try_from(microseconds).map_err(|_| TrapKind::ProtectionFault)?;
            Ok(Effect::Timer {
                after: SimDuration::from_ns(u64::from(microseconds) * 1_000),
            })
        }
        (NicNative::Trace, &[tag, value]) => Ok(Effect::Note { tag, value }),
        (
            NicNative::NewAlignedArray
            | NicNative::GetFreeBufferLength
            | NicNative::GetFreeBuffer
            | NicNative::DoHtoLDma
            | NicNative::DoLtoHDma
            | NicNative::TxPush
            | NicNative::DmaRxd
            | NicNative::DmaRxdPayload
            | NicNative::CurrentTime
            | NicNative::SetTimer
            | NicNative::Trace,
            _,
        ) => Err(TrapKind::Unverified),
    }
}

/// Returns `length` bytes of a byte array; none at all may lie at its very end.
#[cfg_attr(not(debug_assertions), inline(always))]
fn array_span(
    heap: &Heap<'_>,
    array: i32,
    offset: i32,
    length: i32,
) -> Result<ArraySpan, TrapKind> {
    let view = array_view(heap, array)?;
    // Wider than the arguments, so the sum cannot overflow.
    let end = i64::from(offset) + i64::from(length);
    match (u32::try_from(offset), u32::try_from(length)) {
        (Ok(offset), Ok(length)) if end <= i64::from(view.length) => Ok(ArraySpan {
            array,
            length,
            start: view.start + offset,
        }),
        _ => Err(TrapKind::ProtectionFault),
    }
}

fn host_span<S: Storage>(
    rights: &Rights<'_, S>,
    offset: i32,
    length: i32,
) -> Result<HostSpan, TrapKind> {
    rights
        .area
        .span(offset.into(), length.into())
        .map_err(|_| TrapKind::ProtectionFault)
}

/// Returns the elements that say where the shares of a message of `length` bytes begin, each of which lies
/// in the buffer area.
#[cfg_attr(not(debug_assertions), inline(always))]
fn shares<S: Storage>(
    heap: &Heap<'_>,
    rights: &Rights<'_, S>,
    offsets: i32,
    length: i32,
) -> Result<ArraySpan, TrapKind> {
    let view = array_view(heap, offsets)?;
    let length = u32::try_from(length).map_err(|_| TrapKind::ProtectionFault)?;
    let needed = match (length, rights.buffer_length) {
        (0, _) => 1,
        (_, 0) => return Err(TrapKind::ProtectionFault),
        (length, buffer_length) => length.div_ceil(buffer_length),
    };
    if needed as usize > MESSAGE_BUFFERS_MAX || needed > view.length {
        return Err(TrapKind::ProtectionFault);
    }
    let elements = ArraySpan {
        array: offsets,
        // At most what a descriptor names.
        length: needed * SHARE_BYTES,
        start: view.start,
    };
    // The verifier proved that the elements are of this width.
    if view.byte_length() < elements.length {
        return Err(TrapKind::Unverified);
    }
    let mut rest = length;
    for offset in elements.offsets(heap) {
        let share = rest.min(rights.buffer_length);
        let span = rights.area.span(offset.into(), share.into());
        span.map_err(|_| TrapKind::ProtectionFault)?;
        rest -= share;
    }
    Ok(elements)
}

/// Returns what an array's header says; its type is what the verifier proved.
#[inline]
fn array_view(heap: &Heap<'_>, array: i32) -> Result<ArrayView, TrapKind> {
    if array == 0 {
        return Err(TrapKind::NullPointerException);
    }
    heap.array(array).ok_or(TrapKind::Unverified)
}
