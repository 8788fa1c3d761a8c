//! The natives of U-Net/SLE: the table of natives, and the check that each call must pass.
//!
//! The function [`check`] has no side effects. [`check`] turns the arguments of a call into an [`Effect`] that the
//! endpoint is entitled to, or into a trap. The code that performs an [`Effect`] does not check the arguments again.

use jive_core::{ArrayView, Heap, TrapKind, natives};

use super::breach::{Bound, Refusal};
use super::windows;
use crate::cost_class::CostClass;
use crate::id::ChannelId;
use crate::memory::{HostSpan, Region};
use crate::remote::{WindowId, WindowRights};
use crate::storage::Storage;
use crate::time::SimDuration;
use crate::unet::{Channel, Channels, Endpoint, INLINE_MAX, MESSAGE_BUFFERS_MAX};

natives! {
    /// The natives of the class `unet/Nic`.
    pub enum NicNative: "unet/Nic", cost CostClass {
        /// Returns a new byte array of `length` bytes, all zero and aligned for DMA.
        NewAlignedArray = newAlignedArray(length: Int) -> ByteArray, NullCall;
        /// Returns the length in bytes of each of the endpoint's free buffers.
        GetFreeBufferLength = getFreeBufferLength() -> Int, NullCall;
        /// Pops a buffer from the endpoint's free queue and returns the buffer's offset in the buffer area. Returns -1
        /// if the free queue is empty.
        GetFreeBuffer = getFreeBuffer() -> Int, FreeBuffer;
        /// Copies `length` bytes by DMA from the endpoint's buffer area into the array `to`. The bytes start at offset
        /// `hostOffset` of the buffer area, and at index `toOffset` of `to`. `doHtoLDMA` returns when the bytes have
        /// arrived in `to`.
        DoHtoLDma = doHtoLDMA(to: ByteArray, toOffset: Int, hostOffset: Int, length: Int) -> Void, DmaSetup;
        /// Copies `length` bytes by DMA from the array `from` into the endpoint's buffer area. The bytes start at index
        /// `fromOffset` of `from`, and at offset `hostOffset` of the buffer area. `doLtoHDMA` queues the DMA transfer,
        /// which copies the bytes as they are at the call, and does not wait for the transfer's end.
        DoLtoHDma = doLtoHDMA(from: ByteArray, fromOffset: Int, hostOffset: Int, length: Int) -> Void, DmaSetup;
        /// Sends `length` bytes of the array `buffer`, from index `offset` on, as one packet on channel `channel`. The
        /// packet contains the bytes as they are at the call of `txPush`.
        TxPush = txPush(buffer: ByteArray, offset: Int, channel: Int, length: Int) -> Void, Transmit;
        /// Pushes a receive descriptor for a message of `length` bytes in the endpoint's buffer area. The message
        /// consists of at most 14 shares of `getFreeBufferLength()` bytes, of which the last share may be shorter.
        /// Share number `i`, counted from 0, starts at offset `offsets[i]` of the buffer area.
        DmaRxd = dmaRxd(offsets: IntArray, channel: Int, length: Int) -> Void, DescriptorBuffers;
        /// Pushes a receive descriptor that contains the message itself: the first `length` bytes of the array `from`.
        /// The argument `length` is at most 56.
        DmaRxdPayload = dmaRxdPayload(from: ByteArray, channel: Int, length: Int) -> Void, DescriptorInline;
        /// Returns the time since the run began, in whole microseconds. The returned time wraps from 2147483647 to
        /// -2147483648. The difference of two times is right if less than 2147483648 us (about 35 minutes) lie between
        /// them. An applet that keeps times must forget older ones, by `doTimer`. The U-Net/SLE paper does not have
        /// `currentTime`.
        CurrentTime = currentTime() -> Int, NullCall;
        /// Sets the applet's timer: the NIC calls `doTimer` once, after a time of `microseconds`. A later call of
        /// `setTimer` replaces the timer, and the argument 0 clears the timer. The U-Net/SLE paper does not have
        /// `setTimer`.
        SetTimer = setTimer(microseconds: Int) -> Void, NullCall;
        /// Emits an event `applet-trace` with the numbers `tag` and `value`. The U-Net/SLE paper does not have `trace`.
        Trace = trace(tag: Int, value: Int) -> Void, NullCall;
        /// Returns the immediate data of the message that the current call of a VI's applet handles. Returns 0 if the
        /// call handles no message with immediate data. The U-Net/SLE paper does not have `immediate`.
        Immediate = immediate() -> Int, NullCall;
        /// Sets the immediate data of the packets that the applet's current call sends after `setImmediate`. Without a
        /// call of `setImmediate`, a packet has the immediate data of the message that the applet's call handles.
        /// `setImmediate` does nothing if the applet's endpoint is not a VI. The U-Net/SLE paper does not have
        /// `setImmediate`.
        SetImmediate = setImmediate(value: Int) -> Void, NullCall;
        /// Watches `length` bytes of the endpoint's window number `window`, from `offset` on. The NIC calls `doWatch`
        /// after a peer has written to a watched byte. If `length` is 0, `watch` removes all watches of the window. In
        /// an applet without `doWatch`, `watch` does nothing. The U-Net/SLE paper does not have `watch`.
        Watch = watch(window: Int, offset: Int, length: Int) -> Void, NullCall;
        /// Writes `length` bytes of the array `from`, from index `fromOffset` on, into a peer's window number `window`.
        /// The bytes start at offset `windowOffset` of the peer's window. The packet to the peer contains the bytes as
        /// they are at the call of `windowWrite`. The U-Net/SLE paper does not have `windowWrite`.
        WindowWrite = windowWrite(from: ByteArray, fromOffset: Int, window: Int, windowOffset: Int, length: Int) -> Void, Transmit;
    }
}

/// A checked call of a native. An `Effect` proves that the endpoint is entitled to the call.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The native makes a byte array of this length.
    NewArray {
        /// Length of the array, which is not negative.
        length: i32,
    },
    /// The native returns the length of a free buffer.
    BufferLength,
    /// Pops the free queue.
    PopBuffer,
    /// The native copies bytes from the buffer area into an array.
    HostToNic {
        /// Destination of the bytes.
        to: ArraySpan,
        /// Source of the bytes.
        host: HostSpan,
    },
    /// The native copies bytes from an array into the buffer area.
    NicToHost {
        /// Source of the bytes.
        from: ArraySpan,
        /// Destination of the bytes.
        host: HostSpan,
    },
    /// Sends a packet.
    Send {
        /// The message.
        from: ArraySpan,
        /// The channel on which the native sends the packet.
        channel: Channel,
    },
    /// The native pushes a receive descriptor for a message in the buffer area.
    Describe {
        /// Elements of an `int` array, which are the offsets of the message's shares in the buffer area.
        offsets: ArraySpan,
        /// The channel that the descriptor names.
        channel: ChannelId,
        /// The message's length in bytes.
        length: u32,
    },
    /// The native pushes a receive descriptor that carries the message.
    Carry {
        /// The message.
        from: ArraySpan,
        /// The channel that the descriptor names.
        channel: ChannelId,
    },
    /// Returns the time.
    Time,
    /// Sets the applet's timer.
    Timer {
        /// Time from now until the timer expires; zero clears the timer.
        after: SimDuration,
    },
    /// Emits an event `applet-trace`.
    Note {
        /// The applet's tag.
        tag: i32,
        /// The applet's value.
        value: i32,
    },
    /// The native returns the immediate data of the message that the applet handles.
    Immediate,
    /// The native sets the immediate data of the packets that the call sends.
    SetImmediate {
        /// The data.
        value: i32,
    },
    /// The native sets a watch, or removes all watches of a window.
    Watch {
        /// The window.
        window: WindowId,
        /// Offset and length of the watched bytes. If the length is 0, the native removes the watches of the window.
        range: (u32, u32),
    },
    /// The native writes bytes to a window of a peer.
    WriteWindow {
        /// Source of the bytes.
        from: ArraySpan,
        /// Position of the window in the table of the peers' windows.
        peer: u32,
        /// Offset in the window. The window has room for the bytes from this offset on.
        offset: u32,
    },
}

impl Effect {
    /// Returns the reference to the array that the call names, if it names one.
    #[must_use]
    #[inline]
    pub fn array(&self) -> Option<i32> {
        match *self {
            Effect::HostToNic { to: span, .. }
            | Effect::NicToHost { from: span, .. }
            | Effect::Send { from: span, .. }
            | Effect::Describe { offsets: span, .. }
            | Effect::Carry { from: span, .. }
            | Effect::WriteWindow { from: span, .. } => Some(span.array()),
            Effect::NewArray { .. }
            | Effect::BufferLength
            | Effect::PopBuffer
            | Effect::Time
            | Effect::Timer { .. }
            | Effect::Note { .. }
            | Effect::Immediate
            | Effect::SetImmediate { .. }
            | Effect::Watch { .. } => None,
        }
    }
}

impl Effect {
    /// Returns how many bytes the native copies from or to an array.
    #[must_use]
    #[inline]
    pub fn bytes_moved(&self) -> u32 {
        match *self {
            Effect::HostToNic { to: span, .. }
            | Effect::NicToHost { from: span, .. }
            | Effect::Send { from: span, .. }
            | Effect::Carry { from: span, .. }
            | Effect::WriteWindow { from: span, .. } => span.length(),
            // The bytes of a message in free buffers are copied within a chain only.
            Effect::Describe { length, .. } => length,
            Effect::NewArray { .. }
            | Effect::BufferLength
            | Effect::PopBuffer
            | Effect::Time
            | Effect::Timer { .. }
            | Effect::Note { .. }
            | Effect::Immediate
            | Effect::SetImmediate { .. }
            | Effect::Watch { .. } => 0,
        }
    }
}

/// Number of bytes of an element of the array that holds the offsets of a message's shares.
const SHARE_BYTES: u32 = size_of::<i32>() as u32;

/// A range of bytes within an array. An `ArraySpan` proves that the range lay inside the array when the span was made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
// The alignment lets the compiler copy the struct as 8-byte words; see `memory::HostSpan`.
#[repr(align(8))]
pub struct ArraySpan {
    array: i32,
    length: u32,
    // Start of the range in the heap's memory.
    start: u32,
}

impl ArraySpan {
    /// Returns all bytes of an array, or `None` if the reference is null.
    pub(super) fn whole(heap: &Heap<'_>, array: i32) -> Option<ArraySpan> {
        let view = heap.array(array)?;
        Some(ArraySpan {
            array,
            length: view.byte_length(),
            start: view.start,
        })
    }

    /// Returns the reference to the span's array.
    #[must_use]
    pub fn array(self) -> i32 {
        self.array
    }

    /// Returns the span's length in bytes.
    #[must_use]
    pub fn length(self) -> u32 {
        self.length
    }

    /// Returns the bytes. The span stays valid during a call, because arrays neither move nor shrink.
    #[must_use]
    pub fn bytes<'h>(self, heap: &'h Heap<'_>) -> &'h [u8] {
        heap.bytes_at(self.start, self.length).unwrap_or_default()
    }

    /// Returns the elements of the span, whose array is an `int[]`.
    pub fn offsets<'h>(self, heap: &'h Heap<'_>) -> impl Iterator<Item = i32> + use<'h> {
        let elements = self.bytes(heap).chunks_exact(SHARE_BYTES as usize);
        // The conversion cannot fail, because `chunks_exact` yields slices of exactly `SHARE_BYTES`.
        elements.map(|element| i32::from_le_bytes(element.try_into().unwrap_or_default()))
    }

    /// Returns the bytes of the span for writing.
    pub fn bytes_mut<'h>(self, heap: &'h mut Heap<'_>) -> &'h mut [u8] {
        heap.bytes_at_mut(self.start, self.length)
            .unwrap_or_default()
    }
}

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

/// Checks the arguments of a native's call in a fixed order: null, then a negative array length, then everything else.
///
/// # Errors
///
/// Returns `NullPointerException`, `NegativeArraySizeException`, or `ProtectionFault` for anything that the endpoint is
/// not entitled to, array bounds included. Returns [`TrapKind::Unverified`] for a wrong number of arguments, which no
/// verified class can pass.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn check<S: Storage>(
    native: NicNative,
    args: &[i32],
    heap: &Heap<'_>,
    rights: &Rights<'_, S>,
) -> Result<Effect, TrapKind> {
    examine(native, args, heap, rights)
}

/// Checks a call of a native as [`check`] does. The caller chooses the type `R` of a refusal: the trap, or the bound
/// that explains it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn examine<S: Storage, R: Refusal>(
    native: NicNative,
    args: &[i32],
    heap: &Heap<'_>,
    rights: &Rights<'_, S>,
) -> Result<Effect, R> {
    match (native, args) {
        (NicNative::NewAlignedArray, &[length]) if length < 0 => Err(R::of(
            TrapKind::NegativeArraySizeException,
            Bound::Negative { value: length },
        )),
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
            let Some(&own) = rights.channels.get(ChannelId(channel)) else {
                return Err(fault(Bound::Channel { channel }));
            };
            if from.length > rights.max_packet {
                let most = rights.max_packet;
                return Err(fault(Bound::Packet { length, most }));
            }
            Ok(Effect::Send { from, channel: own })
        }
        (NicNative::DmaRxd, &[offsets, channel, length]) => Ok(Effect::Describe {
            offsets: shares(heap, rights, offsets, length)?,
            channel: ChannelId(channel),
            length: u32::try_from(length).map_err(|_| fault(Bound::Negative { value: length }))?,
        }),
        (NicNative::DmaRxdPayload, &[from, channel, length]) => {
            let from = array_span(heap, from, 0, length)?;
            if from.length as usize > INLINE_MAX {
                return Err(fault(Bound::Inline { length }));
            }
            Ok(Effect::Carry {
                from,
                channel: ChannelId(channel),
            })
        }
        (NicNative::CurrentTime, &[]) => Ok(Effect::Time),
        (NicNative::SetTimer, &[value]) => {
            let microseconds =
                u32::try_from(value).map_err(|_| fault(Bound::Negative { value }))?;
            Ok(Effect::Timer {
                after: SimDuration::from_ns(u64::from(microseconds) * 1_000),
            })
        }
        (NicNative::Trace, &[tag, value]) => Ok(Effect::Note { tag, value }),
        (NicNative::Immediate, &[]) => Ok(Effect::Immediate),
        (NicNative::SetImmediate, &[value]) => Ok(Effect::SetImmediate { value }),
        (NicNative::Watch, &[window, offset, length]) => {
            windows::watch(rights, window, offset, length)
        }
        (NicNative::WindowWrite, &[from, from_offset, window, offset, length]) => {
            windows::write(heap, rights, (from, from_offset, length), (window, offset))
        }
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
            | NicNative::Trace
            | NicNative::Immediate
            | NicNative::SetImmediate
            | NicNative::Watch
            | NicNative::WindowWrite,
            _,
        ) => Err(R::unverified()),
    }
}

/// Returns the refusal of a call that breaks a bound set by the endpoint's protection.
pub(super) fn fault<R: Refusal>(bound: Bound) -> R {
    R::of(TrapKind::ProtectionFault, bound)
}

/// Returns the span of `length` bytes from `offset` of a byte array. An empty span may start at the end of the array.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn array_span<R: Refusal>(
    heap: &Heap<'_>,
    array: i32,
    offset: i32,
    length: i32,
) -> Result<ArraySpan, R> {
    let view = array_view(heap, array)?;
    // The end of the range cannot overflow, because an `i64` holds the sum of any two `i32` values.
    let end = i64::from(offset) + i64::from(length);
    match (u32::try_from(offset), u32::try_from(length)) {
        (Ok(offset), Ok(length)) if end <= i64::from(view.length) => Ok(ArraySpan {
            array,
            length,
            start: view.start + offset,
        }),
        _ => Err(fault(Bound::Array {
            offset,
            length,
            elements: view.length,
        })),
    }
}

fn host_span<S: Storage, R: Refusal>(
    rights: &Rights<'_, S>,
    offset: i32,
    length: i32,
) -> Result<HostSpan, R> {
    let area = rights.area;
    area.span(offset.into(), length.into()).map_err(|_| {
        fault(Bound::Area {
            offset,
            length,
            area: area.length(),
        })
    })
}

/// Returns the span of the elements that contain the offsets of the shares of a message. Each share of that message
/// lies in the buffer area.
#[cfg_attr(not(debug_assertions), inline(always))]
fn shares<S: Storage, R: Refusal>(
    heap: &Heap<'_>,
    rights: &Rights<'_, S>,
    offsets: i32,
    length: i32,
) -> Result<ArraySpan, R> {
    let view = array_view(heap, offsets)?;
    let buffer = rights.buffer_length;
    let Ok(bytes) = u32::try_from(length) else {
        return Err(fault(Bound::Negative { value: length }));
    };
    let needed = match (bytes, buffer) {
        (0, _) => 1,
        (_, 0) => return Err(fault(Bound::Buffers { length, buffer })),
        (bytes, buffer) => bytes.div_ceil(buffer),
    };
    if needed as usize > MESSAGE_BUFFERS_MAX {
        return Err(fault(Bound::Buffers { length, buffer }));
    }
    if needed > view.length {
        return Err(fault(Bound::Offsets {
            needed,
            elements: view.length,
        }));
    }
    let elements = ArraySpan {
        array: offsets,
        // The length in bytes cannot overflow, because `needed` is at most `MESSAGE_BUFFERS_MAX`.
        length: needed * SHARE_BYTES,
        start: view.start,
    };
    // The check fails for no verified class, because the verifier proved that the array is an `int[]`.
    if view.byte_length() < elements.length {
        return Err(R::unverified());
    }
    let mut rest = bytes;
    for (position, offset) in (0..).zip(elements.offsets(heap)) {
        let share = rest.min(buffer);
        let area = rights.area;
        area.span(offset.into(), share.into()).map_err(|_| {
            fault(Bound::Share {
                position,
                offset,
                share,
                area: area.length(),
            })
        })?;
        rest -= share;
    }
    Ok(elements)
}

/// Returns the header of an array, whose type the verifier proved.
#[inline]
fn array_view<R: Refusal>(heap: &Heap<'_>, array: i32) -> Result<ArrayView, R> {
    if array == 0 {
        return Err(R::of(TrapKind::NullPointerException, Bound::Null));
    }
    heap.array(array).ok_or(R::unverified())
}
