//! Events of programs: classes that processes of a host run.

use jive_core::{MethodId, Pc, TrapKind};

use crate::report::fields::{FieldSink, Fields, Value};
use crate::report::roles::{Roles, Shape, Step, Track};
use crate::time::SimDuration;

/// An event of a process that runs a class. The event's endpoint is the first of the process.
#[derive(Copy, Clone, Debug)]
pub enum HostEvent<'a> {
    /// The program waits in a native, and holds no processor of its host.
    ProgramWait {
        /// The native.
        native: &'a str,
    },
    /// The program's `run` returned.
    ProgramReturn {
        /// The value that `run` returned.
        value: i32,
    },
    /// The program trapped, and does nothing more.
    ProgramTrap {
        /// Kind of the trap.
        kind: TrapKind,
        /// The innermost method.
        method: MethodId,
        /// The instruction that trapped.
        pc: Pc,
        /// Source line of that instruction, if the class has line numbers.
        line: Option<u16>,
        /// The native that trapped, if one did.
        native: Option<&'a str>,
        /// The state of the buffer in which the native is not allowed, for `BufferState`.
        state: Option<&'a str>,
    },
    /// The collector has freed the arrays that the program can no longer reach.
    Collection {
        /// Number of places that named an array.
        roots: u32,
        /// Number of bytes that were moved.
        bytes: u32,
        /// Number of bytes of the heap that are free for new arrays, which were not before.
        freed: u32,
        /// How long the collection takes the process.
        duration: SimDuration,
    },
}

impl<'a> HostEvent<'a> {
    /// Returns the roles of the event, by which outputs treat it.
    #[must_use]
    pub fn roles(&self) -> Roles<'a> {
        match *self {
            HostEvent::ProgramWait { .. } => Roles::of("program-wait"),
            HostEvent::ProgramReturn { .. } => Roles::of("program-return"),
            HostEvent::ProgramTrap { kind, .. } => Roles {
                shape: Shape::Moment(kind.name()),
                ..Roles::of("program-trap")
            },
            HostEvent::Collection { duration, .. } => Roles {
                track: Track::Host,
                shape: Shape::From("collection", duration),
                ..Roles::of("collection")
            },
        }
    }

    /// Returns what the event means for messages, packets and calls of applets: nothing.
    #[must_use]
    pub const fn step(&self) -> Step<'a> {
        Step::Other
    }

    /// Writes the event's fields to a sink.
    pub(crate) fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
        match *self {
            HostEvent::ProgramWait { native } => fields.put("native", Value::Name(native)),
            HostEvent::ProgramReturn { value } => fields.put("value", Value::Signed(value)),
            HostEvent::ProgramTrap {
                kind,
                method,
                pc,
                line,
                native,
                state,
            } => {
                fields.trap(kind, (method, pc), line)?;
                if let Some(native) = native {
                    fields.put("native", Value::Name(native))?;
                }
                match state {
                    Some(state) => fields.put("state", Value::Name(state)),
                    None => Ok(()),
                }
            }
            HostEvent::Collection {
                roots,
                bytes,
                freed,
                duration,
            } => {
                fields.put("roots", Value::Number(roots.into()))?;
                fields.put("bytes", Value::Number(bytes.into()))?;
                fields.put("freed", Value::Number(freed.into()))?;
                fields.put("dur_ns", Value::Cost(duration.as_ns()))
            }
        }
    }
}
