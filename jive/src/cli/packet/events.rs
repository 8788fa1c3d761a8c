//! The actions of an applet for each of a few packets, collected from the events of a run.

use std::fmt::{self, Write as _};

use nic_core::event::fields::ArrayShape;
use nic_core::event::roles::Step;
use nic_core::event::{Event, EventKind, Names, NativeArg, RxBody, Sink, SleEvent, UnetEvent};
use nic_runtime::export::traps::{TracedTrap, TrapLog};
use nic_runtime::hexdump;
use nic_runtime::scenario::alone::APPLET;
use serde::{Serialize, Serializer};

/// Maximum number of actions of one kind that are kept for each packet. An applet may perform many more actions within
/// its fuel.
const KEPT_MAX: usize = 64;

/// The actions of the applet for one packet, or while it was loaded.
#[derive(Debug, Default, Serialize)]
pub(super) struct Happened {
    pub(super) calls: Vec<Called>,
    sent: Vec<Message>,
    delivered: Vec<Message>,
    dropped: Vec<&'static str>,
    /// How many calls, natives, messages and notes of the applet were not kept.
    #[serde(skip_serializing_if = "is_zero")]
    omitted: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A call of the applet.
#[derive(Debug, Serialize)]
pub(super) struct Called {
    method: String,
    pub(super) args: Vec<i32>,
    #[serde(flatten)]
    pub(super) end: CallEnd,
    pub(super) natives: Vec<Native>,
    notes: Vec<Note>,
}

/// How a call ended.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum CallEnd {
    Returned {
        value: Option<i32>,
        bytecodes: u64,
    },
    Trapped {
        trap: TracedTrap,
    },
    /// The run ended before the call did.
    Cut {},
}

/// A call of a native.
#[derive(Debug, Serialize)]
pub(super) struct Native {
    name: &'static str,
    args: Vec<Argument>,
    result: Option<Argument>,
}

/// An argument or result of a native: a number, null, or an array as `byte[4096]`.
#[derive(Debug)]
struct Argument(NativeArg);

impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            NativeArg::Int(number) => serializer.serialize_i32(number),
            NativeArg::Null => serializer.serialize_unit(),
            NativeArg::Array { element, length } => {
                serializer.collect_str(&ArrayShape { element, length })
            }
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            NativeArg::Int(number) => write!(f, "{number}"),
            NativeArg::Null => f.write_str("null"),
            NativeArg::Array { element, length } => {
                write!(f, "{}", ArrayShape { element, length })
            }
        }
    }
}

/// A value that the applet recorded with `trace`.
#[derive(Debug, Serialize)]
struct Note {
    tag: i32,
    value: i32,
}

/// A message that the applet sent or delivered.
#[derive(Debug, Serialize)]
struct Message {
    channel: i32,
    length: usize,
    /// The offsets of the message's buffers; empty if the message is stored in its descriptor.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    buffers: Vec<u32>,
    #[serde(serialize_with = "hex")]
    payload: Vec<u8>,
}

/// Writes bytes as hexadecimal digits.
pub(super) fn hex<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(digits, "{byte:02x}").expect("a string takes all");
    }
    serializer.serialize_str(&digits)
}

/// The actions of the applet, collected from the events of a run that handles one packet after the other.
pub(super) struct Gathered {
    /// The applet's only channel.
    channel: i32,
    /// The actions while the applet was loaded, and after these the actions for each packet.
    pub(super) steps: Vec<Happened>,
    pub(super) traps: TrapLog,
}

impl Gathered {
    /// Prepares for a number of packets on the applet's only channel.
    pub(super) fn new(channel: i32, packets: usize) -> Gathered {
        let mut steps = Vec::new();
        steps.resize_with(1 + packets, Happened::default);
        Gathered {
            channel,
            steps,
            traps: TrapLog::default(),
        }
    }

    /// Records an event of the applet's endpoint; `begun` packets have arrived so far.
    pub(super) fn take(&mut self, names: &dyn Names, event: &Event<'_>, begun: usize) {
        self.traps.event(names, event);
        let Some(here) = self.steps.get_mut(begun) else {
            return;
        };
        match event.kind.roles().step {
            Step::Sent { payload, .. } => here.send(Message {
                channel: self.channel,
                length: payload.len(),
                buffers: Vec::new(),
                payload: payload.to_vec(),
            }),
            Step::Dropped { reason, .. } => {
                Happened::keep(&mut here.dropped, &mut here.omitted, reason);
            }
            _ => {}
        }
        match event.kind {
            EventKind::Sle(of_applet) => here.take(names, of_applet),
            EventKind::Unet(UnetEvent::RxDescriptor {
                channel,
                length,
                body,
                ..
            }) => here.deliver(Message {
                channel: channel.0,
                length: length as usize,
                buffers: match body {
                    RxBody::Inline(_) => Vec::new(),
                    RxBody::Buffers { offsets, .. } => offsets.to_vec(),
                },
                payload: body.payload(length).bytes().collect(),
            }),
            // Skip these events: the user's requests are the input, and the use of the NIC's resources is no action of
            // the applet.
            EventKind::Unet(UnetEvent::TxPost { .. } | UnetEvent::TxDone { .. })
            | EventKind::Nic(_)
            | EventKind::Emp(_)
            | EventKind::Via(_)
            | EventKind::Remote(_)
            | EventKind::Lmmc(_)
            | EventKind::Host(_) => {}
        }
    }
}

impl Happened {
    fn keep<T>(list: &mut Vec<T>, omitted: &mut u64, item: T) {
        if list.len() < KEPT_MAX {
            list.push(item);
        } else {
            *omitted += 1;
        }
    }

    fn send(&mut self, message: Message) {
        Happened::keep(&mut self.sent, &mut self.omitted, message);
    }

    fn deliver(&mut self, message: Message) {
        Happened::keep(&mut self.delivered, &mut self.omitted, message);
    }

    fn note(&mut self, note: Note) {
        if let Some(call) = self.calls.last_mut() {
            Happened::keep(&mut call.notes, &mut self.omitted, note);
        }
    }

    fn take_native(&mut self, native: Native) {
        if let Some(call) = self.calls.last_mut() {
            Happened::keep(&mut call.natives, &mut self.omitted, native);
        }
    }

    fn end_call(&mut self, end: CallEnd) {
        if let Some(call) = self.calls.last_mut() {
            call.end = end;
        }
    }

    /// Returns whether a call trapped.
    pub(super) fn has_trapped(&self) -> bool {
        let mut calls = self.calls.iter();
        calls.any(|call| matches!(call.end, CallEnd::Trapped { .. }))
    }
}

impl Happened {
    /// Records an event that the applet caused.
    fn take(&mut self, names: &dyn Names, event: SleEvent<'_>) {
        let name_of = |method| names.method(APPLET, method).to_owned();
        match event {
            SleEvent::AppletCall { method, args, .. } => {
                // Always keep the last call, because the events that follow belong to it.
                if self.calls.len() == KEPT_MAX {
                    self.calls.pop();
                    self.omitted += 1;
                }
                self.calls.push(Called {
                    method: name_of(method),
                    args: args.to_vec(),
                    end: CallEnd::Cut {},
                    natives: Vec::new(),
                    notes: Vec::new(),
                });
            }
            SleEvent::AppletReturn {
                value, bytecodes, ..
            } => self.end_call(CallEnd::Returned { value, bytecodes }),
            SleEvent::Trap { .. } => {
                let trap = TracedTrap::of(names, APPLET, &event.roles().step);
                if let Some(trap) = trap {
                    self.end_call(CallEnd::Trapped { trap });
                }
            }
            SleEvent::Native {
                name, args, result, ..
            } => self.take_native(Native {
                name,
                args: args.iter().copied().map(Argument).collect(),
                result: result.map(Argument),
            }),
            SleEvent::AppletTrace { tag, value } => self.note(Note { tag, value }),
            SleEvent::Load { .. }
            | SleEvent::AppletSwap { .. }
            | SleEvent::SwapRefused { .. }
            | SleEvent::Capsule { .. }
            | SleEvent::AppletDetach { .. }
            | SleEvent::AppletAttach { .. }
            | SleEvent::AppletSuspend { .. }
            | SleEvent::AppletResume { .. } => {}
        }
    }
}

impl fmt::Display for Happened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for call in &self.calls {
            write!(f, "{call}")?;
        }
        for reason in &self.dropped {
            writeln!(f, "  dropped: {reason}")?;
        }
        for (what, messages) in [("sent", &self.sent), ("delivered", &self.delivered)] {
            for message in messages {
                let (length, channel) = (message.length, message.channel);
                write!(f, "  {what} {} on channel {channel}", Bytes(length))?;
                if !message.buffers.is_empty() {
                    write!(f, ", in buffers {:?}", message.buffers)?;
                }
                writeln!(f)?;
                for row in hexdump::rows(&message.payload) {
                    writeln!(f, "    {row}")?;
                }
            }
        }
        match self.omitted {
            0 => Ok(()),
            more => writeln!(f, "  and {more} more calls, natives, notes and messages"),
        }
    }
}

/// Formats a number of bytes.
pub(super) struct Bytes(pub(super) usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} byte{plural}", self.0)
    }
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {}(", self.method)?;
        list(f, &self.args)?;
        f.write_str(") ")?;
        match &self.end {
            CallEnd::Returned { value, bytecodes } => {
                f.write_str("returned")?;
                if let Some(value) = value {
                    write!(f, " {value}")?;
                }
                writeln!(f, ", {bytecodes} bytecodes")?;
            }
            CallEnd::Trapped { trap } => {
                let TracedTrap {
                    kind,
                    method,
                    pc,
                    line,
                    facts,
                } = trap;
                write!(f, "trap: {kind} at {method} pc {pc}")?;
                if let Some(line) = line {
                    write!(f, " (line {line})")?;
                }
                match &facts.why {
                    Some(why) => writeln!(f, ": {why}")?,
                    None => writeln!(f)?,
                }
            }
            CallEnd::Cut {} => writeln!(f, "did not end before the run did")?,
        }
        for Native { name, args, result } in &self.natives {
            write!(f, "    {name}(")?;
            list(f, args)?;
            f.write_str(")")?;
            match result {
                Some(result) => writeln!(f, " = {result}")?,
                None => writeln!(f)?,
            }
        }
        for Note { tag, value } in &self.notes {
            writeln!(f, "    noted {tag}: {value}")?;
        }
        Ok(())
    }
}

fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    for (position, item) in items.iter().enumerate() {
        let separator = if position == 0 { "" } else { ", " };
        write!(f, "{separator}{item}")?;
    }
    Ok(())
}
