//! The fields of events: their values, and the interface through which outputs read them.
//!
//! The text trace and JSON show the same fields. Each event lists its fields once, with the names and in the order that
//! the trace documents (docs/seeing.md).

use core::fmt::{self, Write};
use core::iter::{once, repeat_n};

use jive_core::{MethodId, Pc, TrapKind, TrapValues, is_plain};

use super::names::Names;
use crate::id::{EndpointId, NicId, PostNumber};
use crate::native::{NativeArg, TracedCall, TrapCause, TrapDetails};

/// The value of an event's field.
#[derive(Copy, Clone, Debug)]
pub enum Value<'a> {
    /// A signed number.
    Signed(i32),
    /// A number that is a count, a length or an offset.
    Number(u64),
    /// A cost: a number of instructions executed, or a time in nanoseconds.
    Cost(u64),
    /// The size of a class's code in bytes, which changes with each compilation of its source.
    CodeSize(u32),
    /// Yes or no.
    Flag(bool),
    /// A name chosen by the scenario or a class file.
    Name(&'a str),
    /// A word of the fixed vocabulary of the trace.
    Word(&'static str),
    /// No value.
    Null,
    /// Arguments of a call of an applet's method.
    Arguments(&'a [i32]),
    /// An argument or the result of a native's call.
    Native(NativeArg),
    /// Arguments of a native.
    NativeArguments(&'a [NativeArg]),
    /// Offsets of buffers.
    Offsets(&'a [u32]),
    /// Bytes of a message.
    Payload(Payload<'a>),
}

/// The bytes of a message, which are in one slice or spread over several buffers.
#[derive(Copy, Clone, Debug)]
pub enum Payload<'a> {
    /// In one piece.
    Whole(&'a [u8]),
    /// The bytes of the message are in buffers of a buffer area.
    Shares {
        /// Offset of each share.
        offsets: &'a [u32],
        /// Number of bytes in each share of the message but the last.
        share: u32,
        /// The buffer area.
        area: &'a [u8],
        /// Length of the message in bytes.
        length: u32,
    },
}

impl<'a> Payload<'a> {
    /// Returns the slices that make up the message, in order.
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

    /// Returns how many bytes the message has.
    #[must_use]
    pub fn length(self) -> u64 {
        match self {
            Payload::Whole(bytes) => bytes.len() as u64,
            Payload::Shares { length, .. } => length.into(),
        }
    }

    /// Returns the bytes of the message, in order.
    pub fn bytes(self) -> impl Iterator<Item = u8> {
        self.pieces().flatten().copied()
    }
}

impl fmt::Display for Payload<'_> {
    /// Shows the bytes of the message as hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|piece| hex(piece, f))
    }
}

fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// Whether outputs show the bytes of messages.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PayloadMode {
    /// The bytes of messages are left out.
    Omitted,
    /// The bytes of messages are shown in hexadecimal.
    Shown,
}

/// Receives the fields of an event, one after the other.
pub trait FieldSink {
    /// The error of a sink that could not receive a field.
    type Error;

    /// Takes one field.
    fn field(&mut self, key: &'static str, value: Value<'_>) -> Result<(), Self::Error>;

    /// Receives the cause and the nested calls of a trap.
    ///
    /// Lines of text leave out the cause and calls of a trap, so that a golden trace does not change when more is
    /// known.
    fn details(&mut self, _details: &NamedDetails<'_>) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// The cause and the nested calls of a trap, with the names of its endpoint's class.
pub struct NamedDetails<'a> {
    names: &'a dyn Names,
    endpoint: Option<EndpointId>,
    details: TrapDetails<'a>,
}

impl<'a> NamedDetails<'a> {
    /// Adds the names of an endpoint's class to the cause and nested calls of a trap at the endpoint.
    #[must_use]
    pub fn new(
        names: &'a dyn Names,
        endpoint: Option<EndpointId>,
        details: TrapDetails<'a>,
    ) -> NamedDetails<'a> {
        NamedDetails {
            names,
            endpoint,
            details,
        }
    }

    /// Returns why the instruction trapped.
    #[must_use]
    pub fn cause(&self) -> Option<TrapCause<'a>> {
        self.details.cause
    }

    /// Returns how many nested calls were left out after those that `calls` returns.
    #[must_use]
    pub fn omitted(&self) -> u32 {
        self.details.omitted
    }

    /// Returns each nested call with the name of its method, innermost first.
    pub fn calls(&self) -> impl ExactSizeIterator<Item = (&'a str, TracedCall)> {
        let (names, endpoint) = (self.names, self.endpoint);
        self.details.calls.iter().map(move |call| {
            let name = endpoint.map(|id| names.method(id, call.method));
            (name.unwrap_or(""), *call)
        })
    }
}

impl fmt::Display for NamedDetails<'_> {
    /// Shows the cause of the trap, as in `index 16, length 16`, or nothing if no cause is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(cause) = self.details.cause else {
            return Ok(());
        };
        cause.fmt(f)?;
        if let TrapCause::Values(TrapValues::Transient { field, .. }) = cause {
            let name = self.endpoint.map(|id| self.names.field(id, field));
            write!(f, ", field {}", name.unwrap_or(""))?;
        }
        Ok(())
    }
}

/// The sink to which an event writes its fields, with the names of the run's NICs, endpoints and classes.
pub struct Fields<'s, S> {
    names: &'s dyn Names,
    endpoint: Option<EndpointId>,
    payload_mode: PayloadMode,
    sink: &'s mut S,
}

impl<'s, S: FieldSink> Fields<'s, S> {
    /// Prepares a sink for the fields of an event of `endpoint`.
    pub(super) fn new(
        names: &'s dyn Names,
        endpoint: Option<EndpointId>,
        payload_mode: PayloadMode,
        sink: &'s mut S,
    ) -> Fields<'s, S> {
        Fields {
            names,
            endpoint,
            payload_mode,
            sink,
        }
    }

    /// Writes a field.
    pub(crate) fn put(&mut self, key: &'static str, value: Value<'_>) -> Result<(), S::Error> {
        self.sink.field(key, value)
    }

    /// Writes the name of an endpoint.
    pub(crate) fn endpoint(&mut self, key: &'static str, id: EndpointId) -> Result<(), S::Error> {
        let name = self.names.endpoint(id);
        self.sink.field(key, Value::Name(name))
    }

    /// Writes the name of a NIC or switch.
    pub(crate) fn node(&mut self, key: &'static str, id: NicId) -> Result<(), S::Error> {
        let name = self.names.nic(id);
        self.sink.field(key, Value::Name(name))
    }

    /// Writes the name of the class that the event's endpoint loaded.
    pub(crate) fn class(&mut self, key: &'static str) -> Result<(), S::Error> {
        let name = self.endpoint.and_then(|id| self.names.class(id));
        self.sink.field(key, Value::Name(name.unwrap_or("")))
    }

    /// Writes the name of the applet's class, if the endpoint has several applets.
    pub(crate) fn applet(&mut self) -> Result<(), S::Error> {
        match self.endpoint.and_then(|id| self.names.in_chain(id)) {
            Some(name) => self.sink.field("applet", Value::Name(name)),
            None => Ok(()),
        }
    }

    /// Writes the name of a method of the endpoint's class.
    pub(crate) fn method(&mut self, key: &'static str, method: MethodId) -> Result<(), S::Error> {
        let name = self.endpoint.map(|id| self.names.method(id, method));
        self.sink.field(key, Value::Name(name.unwrap_or("")))
    }

    /// Writes the kind of a trap, and the instruction that trapped: its method, and its source line if that is known.
    pub(crate) fn trap(
        &mut self,
        kind: TrapKind,
        (method, pc): (MethodId, Pc),
        line: Option<u16>,
    ) -> Result<(), S::Error> {
        self.put("kind", Value::Word(kind.name()))?;
        self.method("method", method)?;
        self.put("pc", Value::Number(pc.0.into()))?;
        match line {
            Some(line) => self.put("line", Value::Number(line.into())),
            None => Ok(()),
        }
    }

    /// Writes the cause and the nested calls of a trap.
    pub(crate) fn details(&mut self, details: TrapDetails<'_>) -> Result<(), S::Error> {
        let named = NamedDetails::new(self.names, self.endpoint, details);
        self.sink.details(&named)
    }

    /// Writes the number of the post that a message comes from, if it comes from one.
    pub(crate) fn post(&mut self, post: Option<PostNumber>) -> Result<(), S::Error> {
        match post {
            Some(PostNumber(number)) => self.sink.field("post", Value::Number(number.get())),
            None => Ok(()),
        }
    }

    /// Writes the bytes of a message as the field `payload`, if payloads are shown.
    pub(crate) fn payload(&mut self, payload: Payload<'_>) -> Result<(), S::Error> {
        match self.payload_mode {
            PayloadMode::Omitted => Ok(()),
            PayloadMode::Shown => self.sink.field("payload", Value::Payload(payload)),
        }
    }
}

/// Shows the shape of an array, as in `byte[4096]`.
#[derive(Copy, Clone, Debug)]
pub struct ArrayShape {
    /// Name of the array's element type in Java.
    pub element: &'static str,
    /// The array's length in elements.
    pub length: u32,
}

impl fmt::Display for ArrayShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.element, self.length)
    }
}

/// Shows a name, quoted and escaped if it contains anything but plain characters. The escaped name from a scenario or
/// class file can neither send control codes to a terminal nor pass for another field.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_alphanumeric() || "_-.$<>/:+".contains(c);
        if !self.0.is_empty() && self.0.chars().all(plain) {
            return f.pad(self.0);
        }
        let escaped = || self.0.chars().flat_map(escape);
        let mut quoted = once('"').chain(escaped()).chain(once('"'));
        quoted.try_for_each(|c| f.write_char(c))?;
        let shown = escaped().count() + 2;
        let missing = f.width().unwrap_or(0).saturating_sub(shown);
        repeat_n(' ', missing).try_for_each(|c| f.write_char(c))
    }
}

/// Escapes a character inside quotes.
fn escape(character: char) -> impl Iterator<Item = char> + Clone {
    let is_quoted = character.is_control() || "\"'\\".contains(character);
    let by_name = is_quoted.then(|| character.escape_debug());
    let is_hidden = by_name.is_none() && !is_plain(character);
    let by_number = is_hidden.then(|| character.escape_unicode());
    let itself = (by_name.is_none() && !is_hidden).then_some(character);
    let escaped = by_name.into_iter().flatten();
    escaped.chain(by_number.into_iter().flatten()).chain(itself)
}

impl fmt::Display for Value<'_> {
    /// Shows the value of a field as the text trace does, without spaces outside of quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::Signed(number) => write!(f, "{number}"),
            Value::Number(number) | Value::Cost(number) => write!(f, "{number}"),
            Value::CodeSize(bytes) => write!(f, "{bytes}"),
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
