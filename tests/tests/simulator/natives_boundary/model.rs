//! A model of the natives, written from their documentation alone. The model uses `i64` and no types of the runtime, so
//! that no sum overflows.

/// An endpoint as its applet sees it.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) area: Vec<u8>,
    /// Offsets of the free buffers, in the order in which they are popped.
    pub(crate) free: Vec<i64>,
    pub(crate) buffer_length: i64,
    /// The numbers of the endpoint's channels.
    pub(crate) channels: Vec<i64>,
    /// The windows of the endpoint's memory: their numbers and lengths.
    pub(crate) own_windows: Vec<(i64, i64)>,
    /// The windows of peers.
    pub(crate) peer_windows: Vec<(i64, i64)>,
    /// The numbers of the windows of peers that the endpoint may read.
    pub(crate) readable_windows: Vec<i64>,
    pub(crate) max_packet: i64,
    /// The offset of the packet that the call handles, and how many bytes of it the NIC keeps, if it receives directly.
    pub(crate) arrival: Option<(i64, i64)>,
    /// Free bytes of the heap.
    pub(crate) heap_left: i64,
}

/// An argument of a native.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    Int(i64),
    /// A `byte[]`, or null.
    Bytes(Option<Vec<u8>>),
    /// An `int[]`, or null.
    Ints(Option<Vec<i64>>),
}

/// The effect of a native that did not trap, besides moving bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    Nothing,
    Value(i64),
    Array(i64),
    Sent {
        bytes: Vec<u8>,
        channel: i64,
    },
    Described {
        offsets: Vec<i64>,
        channel: i64,
        length: i64,
    },
    Carried {
        bytes: Vec<u8>,
        channel: i64,
    },
    Watched {
        window: i64,
        offset: i64,
        length: i64,
    },
    Written {
        bytes: Vec<u8>,
        window: i64,
        offset: i64,
    },
    Peeked {
        offset: i64,
        /// The array, in which the bytes that are copied are [`READ`].
        into: Vec<u8>,
    },
    Read {
        window: i64,
        offset: i64,
        /// The array, in which the bytes that are read are [`READ`].
        into: Vec<u8>,
    },
}

/// Name of a trap.
pub(crate) type Trap = &'static str;

/// A byte that is read from a window.
pub(crate) const READ: u8 = 0xd7;

const FAULT: Trap = "ProtectionFault";
/// Maximum bytes of a message in a receive descriptor.
const INLINE_MAX: i64 = 56;
/// Maximum number of shares of a message.
const SHARES_MAX: i64 = 14;

/// Performs the native with this Java name; a native that traps changes nothing.
pub(crate) fn perform(
    endpoint: &mut Endpoint,
    native: &str,
    arguments: &mut [Argument],
) -> Result<Done, Trap> {
    use Argument::{Bytes, Int, Ints};
    match (native, arguments) {
        ("newAlignedArray", [Int(length)]) => new_array(endpoint, *length),
        ("getFreeBufferLength", []) => Ok(Done::Value(endpoint.buffer_length)),
        ("getFreeBuffer", []) if endpoint.free.is_empty() => Ok(Done::Value(-1)),
        ("getFreeBuffer", []) => Ok(Done::Value(endpoint.free.remove(0))),
        ("doHtoLDMA", [Bytes(to), Int(offset), Int(host), Int(length)]) => {
            let to = not_null(to)?;
            let into = range(to.len(), *offset, *length)?;
            let from = range(endpoint.area.len(), *host, *length)?;
            to[into].copy_from_slice(&endpoint.area[from]);
            Ok(Done::Nothing)
        }
        ("doLtoHDMA", [Bytes(from), Int(offset), Int(host), Int(length)]) => {
            let from = not_null(from)?;
            let out = range(from.len(), *offset, *length)?;
            let into = range(endpoint.area.len(), *host, *length)?;
            endpoint.area[into].copy_from_slice(&from[out]);
            Ok(Done::Nothing)
        }
        ("txPush", [Bytes(buffer), Int(offset), Int(channel), Int(length)]) => {
            let buffer = not_null(buffer)?;
            let out = range(buffer.len(), *offset, *length)?;
            if !endpoint.channels.contains(channel) || *length > endpoint.max_packet {
                return Err(FAULT);
            }
            Ok(Done::Sent {
                bytes: buffer[out].to_vec(),
                channel: *channel,
            })
        }
        ("dmaRxd", [Ints(offsets), Int(channel), Int(length)]) => {
            let offsets = not_null(offsets)?;
            describe(endpoint, offsets, *channel, *length)
        }
        ("dmaRxdPayload", [Bytes(from), Int(channel), Int(length)]) => {
            let from = not_null(from)?;
            let out = range(from.len(), 0, *length)?;
            if *length > INLINE_MAX {
                return Err(FAULT);
            }
            Ok(Done::Carried {
                bytes: from[out].to_vec(),
                channel: *channel,
            })
        }
        ("rxOffset", []) => endpoint
            .arrival
            .map(|(offset, _)| Done::Value(offset))
            .ok_or(FAULT),
        ("peek", [Bytes(into), Int(into_offset), Int(offset), Int(length)]) => {
            let (_, header) = endpoint.arrival.ok_or(FAULT)?;
            let into = not_null(into)?;
            let place = range(into.len(), *into_offset, *length)?;
            if *offset < 0 || *offset + *length > header {
                return Err(FAULT);
            }
            into[place].fill(READ);
            Ok(Done::Peeked {
                offset: *offset,
                into: into.clone(),
            })
        }
        // The detached endpoint has no clock, so the time is always the start of the run.
        ("currentTime", []) => Ok(Done::Value(0)),
        // An endpoint of U-Net has no immediate data.
        ("immediate", []) => Ok(Done::Value(0)),
        ("setImmediate", [Int(_)]) => Ok(Done::Nothing),
        ("setTimer", [Int(microseconds)]) if *microseconds < 0 => Err(FAULT),
        ("setTimer", [Int(_)]) | ("trace", [Int(_), Int(_)]) => Ok(Done::Nothing),
        ("watch", [Int(window), Int(offset), Int(length)]) => {
            in_window(&endpoint.own_windows, *window, *offset, *length)?;
            Ok(Done::Watched {
                window: *window,
                offset: *offset,
                length: *length,
            })
        }
        (
            "windowWrite",
            [
                Bytes(from),
                Int(start),
                Int(window),
                Int(offset),
                Int(length),
            ],
        ) => {
            let from = not_null(from)?;
            let out = range(from.len(), *start, *length)?;
            in_window(&endpoint.peer_windows, *window, *offset, *length)?;
            if *length > endpoint.max_packet {
                return Err(FAULT);
            }
            Ok(Done::Written {
                bytes: from[out].to_vec(),
                window: *window,
                offset: *offset,
            })
        }
        (
            "windowRead",
            [
                Bytes(into),
                Int(start),
                Int(window),
                Int(offset),
                Int(length),
            ],
        ) => {
            let into = not_null(into)?;
            let place = range(into.len(), *start, *length)?;
            in_window(&endpoint.peer_windows, *window, *offset, *length)?;
            let may_read = endpoint.readable_windows.contains(window);
            if *length > endpoint.max_packet || !may_read {
                return Err(FAULT);
            }
            Ok(Done::Read {
                window: *window,
                offset: *offset,
                into: {
                    let mut read = into.clone();
                    read[place].fill(READ);
                    read
                },
            })
        }
        (other, arguments) => panic!("the contract has no native {other} of {arguments:?}"),
    }
}

fn new_array(endpoint: &mut Endpoint, length: i64) -> Result<Done, Trap> {
    if length < 0 {
        return Err("NegativeArraySizeException");
    }
    if length > endpoint.heap_left {
        return Err("OutOfMemoryError");
    }
    Ok(Done::Array(length))
}

/// Checks the shares of a message: as many as `length` needs, of `buffer_length` bytes each, of which the last may be
/// shorter.
fn describe(endpoint: &Endpoint, offsets: &[i64], channel: i64, length: i64) -> Result<Done, Trap> {
    if length < 0 {
        return Err(FAULT);
    }
    let whole = length / endpoint.buffer_length;
    let rest = length % endpoint.buffer_length;
    let shares = (whole + i64::from(rest > 0)).max(1);
    let offered = i64::try_from(offsets.len()).expect("arrays are short");
    if shares > SHARES_MAX || shares > offered {
        return Err(FAULT);
    }
    let mut named = Vec::new();
    for (share, offset) in (0..shares).zip(offsets) {
        let bytes = if share < whole {
            endpoint.buffer_length
        } else {
            rest
        };
        range(endpoint.area.len(), *offset, bytes)?;
        named.push(*offset);
    }
    Ok(Done::Described {
        offsets: named,
        channel,
        length,
    })
}

fn not_null<T>(array: &mut Option<T>) -> Result<&mut T, Trap> {
    array.as_mut().ok_or("NullPointerException")
}

/// Returns the range of `length` bytes from `offset`, if the range ends at or below `size`.
fn range(size: usize, offset: i64, length: i64) -> Result<core::ops::Range<usize>, Trap> {
    let size = i64::try_from(size).expect("memories are short");
    if offset < 0 || length < 0 || offset + length > size {
        return Err(FAULT);
    }
    let at = |n| usize::try_from(n).expect("it lies from 0 to a size");
    Ok(at(offset)..at(offset + length))
}

/// Checks that a range is inside the window with this number.
fn in_window(windows: &[(i64, i64)], window: i64, offset: i64, length: i64) -> Result<(), Trap> {
    let found = windows.iter().find(|(number, _)| *number == window);
    let (_, bytes) = found.ok_or(FAULT)?;
    match offset >= 0 && length >= 0 && offset + length <= *bytes {
        true => Ok(()),
        false => Err(FAULT),
    }
}
