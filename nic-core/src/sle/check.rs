//! The check that each call of a native must pass.
//!
//! The function [`check`] has no side effects. [`check`] turns the arguments of a call into an [`Effect`] that the
//! endpoint is entitled to, or into a trap. The code that performs an [`Effect`] does not check the arguments again.

use jive_core::{Heap, TrapKind};

use super::effect::Effect;
use super::local::LocalEffect;
use super::rights::{Arrived, Rights};
use super::span::{ArraySpan, SHARE_BYTES, array_span, array_view};
use super::windows;
use crate::id::ChannelId;
use crate::limits::{INLINE_MAX, MESSAGE_BUFFERS_MAX};
use crate::memory::HostSpan;
use crate::native::{Bound, NicNative, Refusal, fault};
use crate::storage::Storage;

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
        (NicNative::WindowWrite, &[from, from_offset, window, offset, length]) => {
            let from = (from, from_offset, length);
            let (from, peer, offset) = windows::write(heap, rights, from, (window, offset))?;
            Ok(Effect::WriteWindow { from, peer, offset })
        }
        (NicNative::WindowRead, &[into, into_offset, window, offset, length]) => {
            let into = (into, into_offset, length);
            let (into, peer, offset) = windows::read(heap, rights, into, (window, offset))?;
            Ok(Effect::ReadWindow { into, peer, offset })
        }
        (NicNative::Peek, &[into, into_offset, offset, length]) => {
            // Without a packet in a free buffer the array does not matter. Firmware never has one, so that it needs no code
            // for `peek`.
            let arrived = rights.arrival.ok_or_else(|| fault(Bound::NoArrival))?;
            let into = array_span(heap, into, into_offset, length)?;
            let offset = peeked(arrived, offset, length)?;
            Ok(Effect::Peek { into, offset })
        }
        (local, args) => LocalEffect::of(local, args, rights).map(Effect::Local),
    }
}

/// Checks that bytes lie in the header of the handled packet. Returns the first of them.
fn peeked<R: Refusal>(arrived: Arrived, offset: i32, length: i32) -> Result<u32, R> {
    let header = arrived.header;
    let start = u32::try_from(offset).ok();
    let end = start
        .zip(u32::try_from(length).ok())
        .and_then(|(start, length)| start.checked_add(length));
    match (start, end) {
        (Some(start), Some(end)) if end <= header => Ok(start),
        _ => Err(fault(Bound::Header {
            offset,
            length,
            header,
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
