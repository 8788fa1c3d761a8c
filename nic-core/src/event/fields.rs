//! The fields of each event, by the names and in the order of the trace's contract.
//!
//! Text and JSON show the same fields, so they are listed once, here.

use core::fmt::{self, Write};
use core::iter::{once, repeat_n};

use super::{
    DmaDirection, DropReason, EndReason, Event, EventKind, Names, NativeArg, Refusal, RxBody,
    TxStatus, WireDropReason,
};

/// The value of a field.
#[derive(Copy, Clone, Debug)]
pub enum Value<'a> {
    /// A signed number.
    Signed(i32),
    /// A count, a length, an offset.
    Number(u64),
    /// Yes or no.
    Flag(bool),
    /// A name that someone else chose.
    Name(&'a str),
    /// A word of ours.
    Word(&'static str),
    /// Nothing, where a value could be.
    Null,
    /// Arguments of an applet's method.
    Arguments(&'a [i32]),
    /// An argument or the result of a native.
    Native(NativeArg),
    /// Arguments of a native.
    NativeArguments(&'a [NativeArg]),
    /// Offsets of buffers.
    Offsets(&'a [u32]),
    /// Bytes of a message.
    Payload(Payload<'a>),
}

/// The bytes of a message, wherever they lie.
#[derive(Copy, Clone, Debug)]
pub enum Payload<'a> {
    /// In one piece.
    Whole(&'a [u8]),
    /// In buffers of a buffer area.
    Shares {
        /// Offset of each share.
        offsets: &'a [u32],
        /// Bytes in each share but the last.
        share: u32,
        /// The buffer area.
        area: &'a [u8],
        /// Bytes in all.
        length: u32,
    },
}

impl<'a> Payload<'a> {
    /// Returns the pieces in the order in which they are read.
    fn pieces(self) -> impl Iterator<Item = &'a [u8]> {
        let (whole, offsets, share, area, mut left) = match self {
            Payload::Whole(bytes) => (Some(bytes), &[][..], 0, &[][..], 0),
            Payload::Shares {
                offsets,
                share,
                area,
                length,
            } => (None, offsets, share, area, length),
        };
        let shares = offsets.iter().map(move |offset| {
            let here = left.min(share);
            left -= here;
            let start = *offset as usize;
            area.get(start..start + here as usize).unwrap_or(&[])
        });
        whole.into_iter().chain(shares)
    }

    /// Returns the bytes in the order in which they are read.
    pub fn bytes(self) -> impl Iterator<Item = u8> {
        self.pieces().flatten().copied()
    }
}

impl fmt::Display for Payload<'_> {
    /// Shows hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|piece| hex(piece, f))
    }
}

fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// Returns the name of an event's kind.
pub fn event_name(kind: &EventKind<'_>) -> &'static str {
    match kind {
        EventKind::Load { .. } => "load",
        EventKind::TxPost { .. } => "tx-post",
        EventKind::TxDone { .. } => "tx-done",
        EventKind::AppletCall { .. } => "applet-call",
        EventKind::AppletReturn { .. } => "applet-return",
        EventKind::Native { .. } => "native",
        EventKind::Dma { .. } => "dma",
        EventKind::WireTx { .. } => "wire-tx",
        EventKind::WireRx { .. } => "wire-rx",
        EventKind::WireDrop { .. } => "wire-drop",
        EventKind::RxDescriptor { .. } => "rx-descriptor",
        EventKind::Drop { .. } => "drop",
        EventKind::Trap { .. } => "trap",
        EventKind::AppletDetach { .. } => "applet-detach",
        EventKind::AppletAttach { .. } => "applet-attach",
        EventKind::AppletSuspend { .. } => "applet-suspend",
        EventKind::AppletResume { .. } => "applet-resume",
        EventKind::Levels(_) => "levels",
    }
}

/// Returns whether the trace shows an event.
pub fn is_in_trace(kind: &EventKind<'_>) -> bool {
    !matches!(kind, EventKind::Levels(_))
}

/// Whether messages' bytes are shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PayloadMode {
    /// They are left out.
    Omitted,
    /// They are shown in hexadecimal.
    Shown,
}

/// Takes one field after the other.
pub trait FieldSink {
    /// Why a field cannot be taken.
    type Error;

    /// Takes a field.
    fn field(&mut self, key: &'static str, value: Value<'_>) -> Result<(), Self::Error>;
}

/// Gives the fields of an event to `sink`, those that all events share not included.
pub fn visit<S: FieldSink>(
    names: &dyn Names,
    event: &Event<'_>,
    payload_mode: PayloadMode,
    sink: &mut S,
) -> Result<(), S::Error> {
    use Value::{Arguments, Flag, Name, Native, NativeArguments, Number, Offsets, Signed, Word};

    let class = || event.endpoint.and_then(|endpoint| names.class(endpoint));
    let method = |method| {
        event
            .endpoint
            .map_or("", |endpoint| names.method(endpoint, method))
    };
    let shown = payload_mode == PayloadMode::Shown;
    match event.kind {
        EventKind::Load {
            code_bytes,
            heap_bytes,
        } => {
            sink.field("class", Name(class().unwrap_or("")))?;
            sink.field("code_bytes", Number(code_bytes.into()))?;
            sink.field("heap_bytes", Number(heap_bytes.into()))
        }
        EventKind::TxPost {
            channel,
            offset,
            length,
            ..
        } => {
            sink.field("channel", Signed(channel.0))?;
            sink.field("offset", Number(offset.into()))?;
            sink.field("length", Number(length.into()))
        }
        EventKind::TxDone {
            channel,
            offset,
            length,
            status,
            refusal: reason,
            ..
        } => {
            sink.field("channel", Signed(channel.0))?;
            sink.field("offset", Number(offset.into()))?;
            sink.field("length", Number(length.into()))?;
            sink.field("status", Word(tx_status(status)))?;
            match reason {
                Some(reason) => sink.field("reason", Word(refusal(reason))),
                None => Ok(()),
            }
        }
        EventKind::AppletCall {
            method: id, args, ..
        } => {
            sink.field("method", Name(method(id)))?;
            sink.field("args", Arguments(args))
        }
        EventKind::AppletReturn {
            method: id,
            value,
            bytecodes,
        } => {
            sink.field("method", Name(method(id)))?;
            sink.field("value", value.map_or(Value::Null, Signed))?;
            sink.field("bytecodes", Number(bytecodes))
        }
        EventKind::Native {
            name, args, result, ..
        } => {
            sink.field("name", Word(name))?;
            sink.field("args", NativeArguments(args))?;
            sink.field("result", result.map_or(Value::Null, Native))
        }
        EventKind::Dma {
            direction,
            offset,
            length,
            duration,
            ..
        } => {
            sink.field("direction", Word(dma_direction(direction)))?;
            sink.field("offset", Number(offset.into()))?;
            sink.field("length", Number(length.into()))?;
            sink.field("dur_ns", Number(duration.as_ns()))
        }
        EventKind::WireTx {
            packet,
            peer,
            channel,
            payload,
            ..
        }
        | EventKind::WireRx {
            packet,
            peer,
            channel,
            payload,
        } => {
            sink.field("packet", Number(packet.0))?;
            sink.field("peer", Name(names.endpoint(peer)))?;
            sink.field("channel", Signed(channel.0))?;
            sink.field("length", Number(payload.len() as u64))?;
            if shown {
                sink.field("payload", Value::Payload(Payload::Whole(payload)))?;
            }
            Ok(())
        }
        EventKind::WireDrop { packet, reason } => {
            sink.field("packet", Number(packet.0))?;
            sink.field("reason", Word(wire_drop_reason(reason)))
        }
        EventKind::RxDescriptor {
            packet,
            channel,
            length,
            body,
        } => {
            if let Some(packet) = packet {
                sink.field("packet", Number(packet.0))?;
            }
            sink.field("channel", Signed(channel.0))?;
            sink.field("length", Number(length.into()))?;
            sink.field("inline", Flag(matches!(body, RxBody::Inline(_))))?;
            if let RxBody::Buffers { offsets, .. } = body {
                sink.field("buffers", Offsets(offsets))?;
            }
            if shown {
                sink.field("payload", Value::Payload(message(body, length)))?;
            }
            Ok(())
        }
        EventKind::Drop { packet, reason } => {
            if let Some(packet) = packet {
                sink.field("packet", Number(packet.0))?;
            }
            sink.field("reason", Word(drop_reason(reason)))
        }
        EventKind::Trap {
            kind,
            method: id,
            pc,
            line,
        } => {
            sink.field("kind", Word(kind.name()))?;
            sink.field("method", Name(method(id)))?;
            sink.field("pc", Number(pc.0.into()))?;
            if let Some(line) = line {
                sink.field("line", Number(line.into()))?;
            }
            Ok(())
        }
        EventKind::AppletDetach {
            traps, duration, ..
        } => {
            sink.field("traps", Number(traps.into()))?;
            sink.field("dur_ns", Number(duration.as_ns()))
        }
        EventKind::AppletAttach { .. }
        | EventKind::AppletSuspend { .. }
        | EventKind::AppletResume { .. } => Ok(()),
        EventKind::Levels(levels) => {
            sink.field("transmit", Number(levels.transmit.into()))?;
            sink.field("receive", Number(levels.receive.into()))?;
            sink.field("free", Number(levels.free.into()))?;
            sink.field("heap", Number(levels.heap.into()))
        }
    }
}

/// Returns the bytes of a received message.
pub fn message(body: RxBody<'_>, length: u32) -> Payload<'_> {
    match body {
        RxBody::Inline(bytes) => Payload::Whole(bytes),
        RxBody::Buffers {
            offsets,
            share,
            area,
        } => Payload::Shares {
            offsets,
            share,
            area,
            length,
        },
    }
}

/// Returns the word for how a transmit descriptor ended.
pub fn tx_status(status: TxStatus) -> &'static str {
    match status {
        TxStatus::Ok => "ok",
        TxStatus::Trap => "trap",
        TxStatus::Refused => "refused",
    }
}

/// Returns the word for why a NIC refuses a transmit descriptor.
pub fn refusal(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::UnknownChannel => "unknown-channel",
        Refusal::OutsideArea => "outside-area",
        Refusal::TooLong => "too-long",
    }
}

/// Returns the word for which way a DMA transfer goes.
pub fn dma_direction(direction: DmaDirection) -> &'static str {
    match direction {
        DmaDirection::HostToNic => "host-to-nic",
        DmaDirection::NicToHost => "nic-to-host",
    }
}

/// Returns the word for why the wire dropped a packet.
pub fn wire_drop_reason(reason: WireDropReason) -> &'static str {
    match reason {
        WireDropReason::Loss => "loss",
        WireDropReason::Crc => "crc",
    }
}

/// Returns the word for why the runtime dropped a packet.
pub fn drop_reason(reason: DropReason) -> &'static str {
    match reason {
        DropReason::NoFreeBuffer => "no-free-buffer",
        DropReason::RxQueueFull => "rx-queue-full",
        DropReason::AppletTrap => "applet-trap",
        DropReason::TooLong => "too-long",
        DropReason::NicFull => "nic-full",
        DropReason::NoTransmitRoom => "no-transmit-room",
    }
}

/// Returns the word for why a run ended.
pub fn end_reason(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Idle => "idle",
        EndReason::Until => "until",
        EndReason::MaxEvents => "max-events",
        EndReason::MaxBytecodes => "max-bytecodes",
        EndReason::LoadTrap => "load-trap",
        EndReason::Unheard => "unheard",
        EndReason::Interrupted => "interrupted",
    }
}

/// Shows an array as `byte[4096]`.
#[derive(Copy, Clone, Debug)]
pub struct ArrayShape {
    /// Name of its element type in Java.
    pub element: &'static str,
    /// Its length in elements.
    pub length: u32,
}

impl fmt::Display for ArrayShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.element, self.length)
    }
}

/// Shows a name so that no byte of it can steer a terminal or be taken for another field.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_alphanumeric() || "_-.$<>/:+".contains(c);
        if !self.0.is_empty() && self.0.chars().all(plain) {
            return f.pad(self.0);
        }
        // `escape_debug` leaves printable characters and covers those that change direction.
        let escaped = || self.0.chars().flat_map(char::escape_debug);
        let mut quoted = once('"').chain(escaped()).chain(once('"'));
        quoted.try_for_each(|c| f.write_char(c))?;
        let shown = escaped().count() + 2;
        let missing = f.width().unwrap_or(0).saturating_sub(shown);
        repeat_n(' ', missing).try_for_each(|c| f.write_char(c))
    }
}

impl fmt::Display for Value<'_> {
    /// Shows the value as the text trace does: no spaces outside of quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::Signed(number) => write!(f, "{number}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Name(name) => write!(f, "{}", Escaped(name)),
            Value::Word(word) => f.write_str(word),
            Value::Null | Value::Native(NativeArg::Null) => f.write_str("null"),
            Value::Arguments(args) => list(args, f),
            Value::Offsets(offsets) => list(offsets, f),
            Value::NativeArguments(args) => {
                let values = args.iter().map(|arg| Value::Native(*arg));
                list(values, f)
            }
            Value::Native(NativeArg::Int(number)) => write!(f, "{number}"),
            Value::Native(NativeArg::Array { element, length }) => {
                write!(f, "{}", ArrayShape { element, length })
            }
            Value::Payload(payload) => write!(f, "{payload}"),
        }
    }
}

fn list<T: fmt::Display>(
    items: impl IntoIterator<Item = T>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    f.write_char('[')?;
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            f.write_char(',')?;
        }
        write!(f, "{item}")?;
    }
    f.write_char(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_steer_a_terminal_or_pose_as_fields() {
        let shown = |name| Escaped(name).to_string();
        assert_eq!(shown("client"), "client");
        assert_eq!(shown("<init>"), "<init>");
        assert_eq!(shown("größe"), "größe");
        assert_eq!(shown("a b=1"), "\"a b=1\"");
        assert_eq!(shown("\u{1b}[31m"), "\"\\u{1b}[31m\"");
        assert_eq!(shown("\u{202e}x"), "\"\\u{202e}x\"");
        assert_eq!(shown("say \"hi\"\n"), "\"say \\\"hi\\\"\\n\"");
        assert_eq!(shown(""), "\"\"");
        assert_eq!(format!("{:6}|", Escaped("é\n")), "\"é\\n\" |");
        assert_eq!(format!("{:6}|", Escaped("é")), "é     |");
    }

    #[test]
    fn a_message_in_shares_reads_as_one() {
        let payload = Payload::Shares {
            offsets: &[4, 0],
            share: 2,
            area: &[0xaa, 0xbb, 0xcc, 0xdd, 0x01, 0x02],
            length: 3,
        };
        assert_eq!(payload.to_string(), "0102aa");
    }
}
