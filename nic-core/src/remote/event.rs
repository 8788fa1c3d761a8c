//! Events of remote memory: writes to windows, watches that notice them, and reads of windows.

use super::WindowId;
use crate::id::PacketId;
use crate::report::Trigger;
use crate::report::fields::{FieldSink, Fields, Payload, Value};
use crate::report::roles::{Cause, Roles, Step, Track};

/// An event of remote memory.
#[derive(Copy, Clone, Debug)]
pub enum RemoteEvent<'a> {
    /// A write to a peer's window left the node.
    WindowWrite {
        /// The window, by the name that the writer uses for it.
        window: WindowName,
        /// Offset in the window.
        offset: u32,
        /// The bytes.
        payload: &'a [u8],
        /// What carried it out.
        how: WriteHow,
    },
    /// The host maps a window, because a processor of the host writes to it.
    WindowMap {
        /// The window.
        window: WindowId,
        /// The least recently used window, if it loses its mapping to make room.
        evicts: Option<WindowId>,
    },
    /// The NIC wrote the bytes of a peer's applet or program to a window of the endpoint.
    WindowWritten {
        /// The packet that brought the bytes.
        packet: PacketId,
        /// The window, by the name that its owner uses for it.
        window: WindowName,
        /// Offset in the window.
        offset: u32,
        /// Length in bytes.
        length: u32,
    },
    /// The request to read bytes of a peer's window left the node.
    WindowRead {
        /// The window, by the name that the reader uses for it.
        window: WindowName,
        /// Offset in the window.
        offset: u32,
        /// Length in bytes.
        length: u32,
    },
    /// A read of a peer's window ended.
    ReadDone {
        /// The window, by the name that the reader uses for it.
        window: WindowName,
        /// Offset in the window.
        offset: u32,
        /// The bytes, if they came.
        payload: &'a [u8],
        /// How the read ended.
        status: ReadStatus,
    },
    /// A peer wrote to bytes that an applet watches.
    Watch {
        /// The window, by the name that its owner uses for it.
        window: WindowName,
        /// Offset of the watched range in the window.
        offset: u32,
    },
}

/// The name by which an endpoint refers to a window.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WindowName {
    /// A number from the scenario, which the endpoint alone uses.
    Numbered(i32),
    /// A cookie that a library has passed to its peer.
    Cookie(WindowId),
}

/// How a read of a window ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ReadStatus {
    /// The bytes have come.
    Ok,
    /// The owner of the window refused the read: the window is closed, or its memory is not registered.
    Refused,
    /// No answer came in time.
    Lost,
}

impl ReadStatus {
    /// Returns the word that the trace shows for the status.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            ReadStatus::Ok => "ok",
            ReadStatus::Refused => "refused",
            ReadStatus::Lost => "lost",
        }
    }

    /// Returns the number that `doRead` gets for the status.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            ReadStatus::Ok => 0,
            ReadStatus::Refused => 1,
            ReadStatus::Lost => 2,
        }
    }
}

/// What carried out a write to a window.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WriteHow {
    /// The host's processor.
    Pio,
    /// A DMA engine.
    Dma,
    /// A processor of the NIC, on behalf of an applet.
    Nic,
}

impl WriteHow {
    /// Returns the word that the trace shows for the kind of writer.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            WriteHow::Pio => "pio",
            WriteHow::Dma => "dma",
            WriteHow::Nic => "nic",
        }
    }
}

impl WindowName {
    fn shown(self) -> Value<'static> {
        match self {
            WindowName::Numbered(number) => Value::Signed(number),
            WindowName::Cookie(window) => Value::Number(window.0.into()),
        }
    }
}

impl<'a> RemoteEvent<'a> {
    /// Returns the roles of the event, by which outputs treat it.
    #[must_use]
    pub fn roles(&self) -> Roles<'a> {
        match self {
            RemoteEvent::WindowWrite { .. } => Roles::of("window-write"),
            RemoteEvent::WindowMap { .. } => Roles {
                step: self.step(),
                ..Roles::of("window-map")
            },
            RemoteEvent::WindowWritten { packet, .. } => Roles {
                track: Track::WireIn,
                cause: Cause::Of(Trigger::Arrival(*packet)),
                step: self.step(),
                ..Roles::of("window-written")
            },
            RemoteEvent::WindowRead { .. } => Roles::of("window-read"),
            RemoteEvent::ReadDone { .. } => Roles::of("read-done"),
            RemoteEvent::Watch { .. } => Roles::of("watch"),
        }
    }

    /// Returns what the event means for a packet or a window.
    #[must_use]
    pub fn step(&self) -> Step<'a> {
        match *self {
            RemoteEvent::WindowMap { evicts, .. } => Step::Mapped {
                evicts: evicts.is_some(),
            },
            RemoteEvent::WindowWritten { packet, .. } => Step::Consumed {
                packet,
                by: "window",
            },
            RemoteEvent::WindowWrite { .. }
            | RemoteEvent::WindowRead { .. }
            | RemoteEvent::ReadDone { .. }
            | RemoteEvent::Watch { .. } => Step::Other,
        }
    }

    /// Writes the event's fields to a sink.
    pub(crate) fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
        match *self {
            RemoteEvent::WindowWrite {
                window,
                offset,
                payload,
                how,
            } => {
                fields.put("window", window.shown())?;
                fields.put("offset", Value::Number(offset.into()))?;
                fields.put("length", Value::Number(payload.len() as u64))?;
                fields.put("how", Value::Word(how.word()))?;
                fields.payload(Payload::Whole(payload))
            }
            RemoteEvent::WindowMap { window, evicts } => {
                fields.put("window", Value::Number(window.0.into()))?;
                match evicts {
                    Some(evicts) => fields.put("evicts", Value::Number(evicts.0.into())),
                    None => Ok(()),
                }
            }
            RemoteEvent::WindowWritten {
                packet,
                window,
                offset,
                length,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.put("window", window.shown())?;
                fields.put("offset", Value::Number(offset.into()))?;
                fields.put("length", Value::Number(length.into()))
            }
            RemoteEvent::WindowRead {
                window,
                offset,
                length,
            } => {
                fields.put("window", window.shown())?;
                fields.put("offset", Value::Number(offset.into()))?;
                fields.put("length", Value::Number(length.into()))
            }
            RemoteEvent::ReadDone {
                window,
                offset,
                payload,
                status,
            } => {
                fields.put("window", window.shown())?;
                fields.put("offset", Value::Number(offset.into()))?;
                fields.put("length", Value::Number(payload.len() as u64))?;
                fields.put("status", Value::Word(status.word()))?;
                fields.payload(Payload::Whole(payload))
            }
            RemoteEvent::Watch { window, offset } => {
                fields.put("window", window.shown())?;
                fields.put("offset", Value::Number(offset.into()))
            }
        }
    }
}
