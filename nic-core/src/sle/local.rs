//! The natives that involve nothing but the applet and its endpoint's free queue: their checks, and what they do.

use jive_core::{ArrayKind, TrapKind};

use super::port::Port;
use super::rights::Rights;
use super::windows;
use crate::native::{Bound, NicNative, Refusal, fault};
use crate::remote::WindowId;
use crate::report::Made;
use crate::storage::Storage;
use crate::time::SimDuration;

/// A checked call of a native that moves no bytes, sends nothing and counts towards no quota.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LocalEffect {
    /// The native makes a byte array of this length.
    NewArray {
        /// Length of the array, which is not negative.
        length: i32,
    },
    /// The native returns the length of a free buffer.
    BufferLength,
    /// Pops the free queue.
    PopBuffer,
    /// The native returns where the handled packet lies in the buffer area.
    ArrivalOffset {
        /// Offset of the buffer.
        offset: u32,
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
}

impl LocalEffect {
    /// Checks the arguments of a call.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn of<S: Storage, R: Refusal>(
        native: NicNative,
        args: &[i32],
        rights: &Rights<'_, S>,
    ) -> Result<LocalEffect, R> {
        match (native, args) {
            (NicNative::NewAlignedArray, &[length]) if length < 0 => Err(R::of(
                TrapKind::NegativeArraySizeException,
                Bound::Negative { value: length },
            )),
            (NicNative::NewAlignedArray, &[length]) => Ok(LocalEffect::NewArray { length }),
            (NicNative::GetFreeBufferLength, &[]) => Ok(LocalEffect::BufferLength),
            (NicNative::GetFreeBuffer, &[]) => Ok(LocalEffect::PopBuffer),
            (NicNative::RxOffset, &[]) => match rights.arrival {
                Some(arrived) => Ok(LocalEffect::ArrivalOffset {
                    offset: arrived.offset,
                }),
                None => Err(fault(Bound::NoArrival)),
            },
            (NicNative::CurrentTime, &[]) => Ok(LocalEffect::Time),
            (NicNative::SetTimer, &[value]) => {
                let microseconds =
                    u32::try_from(value).map_err(|_| fault(Bound::Negative { value }))?;
                Ok(LocalEffect::Timer {
                    after: SimDuration::from_ns(u64::from(microseconds) * 1_000),
                })
            }
            (NicNative::Trace, &[tag, value]) => Ok(LocalEffect::Note { tag, value }),
            (NicNative::Immediate, &[]) => Ok(LocalEffect::Immediate),
            (NicNative::SetImmediate, &[value]) => Ok(LocalEffect::SetImmediate { value }),
            (NicNative::Watch, &[window, offset, length]) => {
                let (window, range) = windows::watch(rights, window, offset, length)?;
                Ok(LocalEffect::Watch { window, range })
            }
            (
                NicNative::NewAlignedArray
                | NicNative::GetFreeBufferLength
                | NicNative::GetFreeBuffer
                | NicNative::CurrentTime
                | NicNative::SetTimer
                | NicNative::Trace
                | NicNative::Immediate
                | NicNative::SetImmediate
                | NicNative::Watch
                | NicNative::RxOffset
                // The natives of the other effects, whose number of arguments is wrong.
                | NicNative::DoHtoLDma
                | NicNative::DoLtoHDma
                | NicNative::TxPush
                | NicNative::DmaRxd
                | NicNative::DmaRxdPayload
                | NicNative::WindowWrite
                | NicNative::WindowRead
                | NicNative::Peek,
                _,
            ) => Err(R::unverified()),
        }
    }

    /// Performs the effect on a port. Returns the native's result, or its trap.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn perform<P: Port>(self, port: &mut P) -> Result<Result<i32, TrapKind>, P::Stop> {
        let value = match self {
            LocalEffect::NewArray { length } => {
                match port.with(|_, heap| heap.allocate(ArrayKind::Byte, length)) {
                    Ok(array) => array,
                    Err(kind) => return Ok(Err(kind)),
                }
            }
            // The cast cannot wrap, because an `int` can address the whole buffer area, and so hold the length of any
            // buffer.
            LocalEffect::BufferLength => {
                port.with(|endpoint, _| endpoint.next_buffer_length().cast_signed())
            }
            LocalEffect::PopBuffer => {
                port.with(|endpoint, _| endpoint.free.pop().map_or(-1, u32::cast_signed))
            }
            // The cast cannot wrap, as that of the length of a buffer cannot.
            LocalEffect::ArrivalOffset { offset } => offset.cast_signed(),
            // The cast truncates the time to the lowest 32 bits, because the native is documented to wrap.
            LocalEffect::Time => (port.now().as_ps() / 1_000_000) as i32,
            LocalEffect::Timer { after } => {
                port.set_timer(after)?;
                0
            }
            LocalEffect::Immediate => port.immediate().cast_signed(),
            LocalEffect::SetImmediate { value } => {
                port.set_immediate(value.cast_unsigned());
                0
            }
            LocalEffect::Watch { window, range } => {
                port.watch(window, range)?;
                0
            }
            LocalEffect::Note { tag, value } => {
                port.tell(0, Made::Nothing)?;
                port.note(tag, value)?;
                return Ok(Ok(0));
            }
        };
        port.tell(value, Made::Nothing)?;
        Ok(Ok(value))
    }
}
