//! Events of U-Net/SLE: applets that are loaded and called, and what their calls do.

use jive_core::{MethodId, Pc, TrapKind};

use crate::event::fields::{FieldSink, Fields, Value};
use crate::event::roles::{Cause, Roles, Shape, Step, Track};
use crate::event::{Made, Trigger};
use crate::time::{SimDuration, SimTime};

/// An event of an endpoint's applet.
#[derive(Copy, Clone, Debug)]
pub enum SleEvent<'a> {
    /// An applet's class is loaded: its initializers have returned.
    Load {
        /// Sum of the methods' `code_length`, in bytes.
        code_bytes: u32,
        /// Arrays alive after the constructor, in bytes of heap.
        heap_bytes: u32,
    },
    /// The runtime calls a method of an applet.
    AppletCall {
        /// The method.
        method: MethodId,
        /// Its arguments.
        args: &'a [i32],
        /// What it is called for; not in the trace.
        trigger: Trigger,
        /// The number of the processor that runs it, among those of its NIC; not in the trace.
        processor: u32,
    },
    /// A method that the runtime called has returned.
    AppletReturn {
        /// The method.
        method: MethodId,
        /// What it returned; `None` for `void`.
        value: Option<i32>,
        /// Class-file instructions executed, callees' included.
        bytecodes: u64,
    },
    /// A native has completed.
    Native {
        /// Its name.
        name: &'static str,
        /// Its arguments.
        args: &'a [NativeArg],
        /// What it returned; `None` for `void`.
        result: Option<NativeArg>,
        /// When the applet had reached it; not in the trace.
        begun: SimTime,
        /// What it left behind; not in the trace.
        made: Made,
    },
    /// An applet notes something about itself.
    AppletTrace {
        /// What it calls it.
        tag: i32,
        /// What it notes.
        value: i32,
    },
    /// A call of an applet ended in a trap.
    Trap {
        /// Which trap.
        kind: TrapKind,
        /// The innermost method.
        method: MethodId,
        /// The instruction that trapped.
        pc: Pc,
        /// Its source line, where the class has line numbers.
        line: Option<u16>,
    },
    /// An applet trapped so often in a row that its endpoint is on the base path for a while.
    AppletDetach {
        /// Traps since a call last returned.
        traps: u32,
        /// For how long the applet gets no call.
        duration: SimDuration,
        /// What it trapped on last; not in the trace.
        trigger: Trigger,
    },
    /// The time of a detached applet is over and it takes what its endpoint has to do: this is about
    /// to be its first call.
    AppletAttach {
        /// What it is about to be called for; not in the trace.
        trigger: Trigger,
    },
    /// A call of an applet waits for a place for the packet that it pushes; the processor serves others.
    AppletSuspend {
        /// What the applet was called for; not in the trace.
        trigger: Trigger,
    },
    /// A suspended call goes on: its packet has a place.
    AppletResume {
        /// What the applet was called for; not in the trace.
        trigger: Trigger,
    },
}

impl<'a> SleEvent<'a> {
    /// Returns what the event is to the outputs.
    #[must_use]
    pub fn roles(&self) -> Roles<'a> {
        match *self {
            SleEvent::Load { .. } => Roles::of("load"),
            SleEvent::AppletCall {
                method,
                trigger,
                processor,
                ..
            } => Roles {
                track: Track::Call,
                cause: Cause::Of(trigger),
                step: Step::CallBegan { method, processor },
                ..Roles::of("applet-call")
            },
            SleEvent::AppletReturn {
                method, bytecodes, ..
            } => Roles {
                track: Track::Call,
                cause: Cause::OfCall,
                step: Step::CallReturned { method, bytecodes },
                ..Roles::of("applet-return")
            },
            SleEvent::Native {
                name, begun, made, ..
            } => Roles {
                track: Track::Call,
                shape: Shape::Since(name, begun),
                cause: Cause::OfCall,
                step: Step::Made(made),
                ..Roles::of("native")
            },
            SleEvent::AppletTrace { .. } => Roles {
                track: Track::Call,
                cause: Cause::OfCall,
                ..Roles::of("applet-trace")
            },
            SleEvent::Trap { kind, pc, line, .. } => Roles {
                track: Track::Call,
                shape: Shape::Moment(kind.name()),
                cause: Cause::OfCall,
                step: Step::CallTrapped { kind, pc, line },
                ..Roles::of("trap")
            },
            SleEvent::AppletDetach {
                duration, trigger, ..
            } => Roles {
                track: Track::Applet,
                shape: Shape::From("detached", duration),
                cause: Cause::Of(trigger),
                step: Step::Detached,
                ..Roles::of("applet-detach")
            },
            SleEvent::AppletAttach { trigger } => Roles {
                track: Track::Applet,
                cause: Cause::Of(trigger),
                step: Step::Attached,
                ..Roles::of("applet-attach")
            },
            SleEvent::AppletSuspend { trigger } => Roles {
                track: Track::Call,
                cause: Cause::Of(trigger),
                step: Step::CallSuspended,
                ..Roles::of("applet-suspend")
            },
            SleEvent::AppletResume { trigger } => Roles {
                track: Track::Call,
                cause: Cause::Of(trigger),
                step: Step::CallResumed,
                ..Roles::of("applet-resume")
            },
        }
    }

    /// Gives the event's fields to a sink.
    pub(crate) fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
        match *self {
            SleEvent::Load {
                code_bytes,
                heap_bytes,
            } => {
                fields.class("class")?;
                fields.put("code_bytes", Value::Number(code_bytes.into()))?;
                fields.put("heap_bytes", Value::Number(heap_bytes.into()))
            }
            SleEvent::AppletCall { method, args, .. } => {
                fields.method("method", method)?;
                fields.put("args", Value::Arguments(args))
            }
            SleEvent::AppletReturn {
                method,
                value,
                bytecodes,
            } => {
                fields.method("method", method)?;
                fields.put("value", value.map_or(Value::Null, Value::Signed))?;
                fields.put("bytecodes", Value::Cost(bytecodes))
            }
            SleEvent::Native {
                name, args, result, ..
            } => {
                fields.put("name", Value::Word(name))?;
                fields.put("args", Value::NativeArguments(args))?;
                fields.put("result", result.map_or(Value::Null, Value::Native))
            }
            SleEvent::AppletTrace { tag, value } => {
                fields.put("tag", Value::Signed(tag))?;
                fields.put("value", Value::Signed(value))
            }
            SleEvent::Trap {
                kind,
                method,
                pc,
                line,
            } => {
                fields.put("kind", Value::Word(kind.name()))?;
                fields.method("method", method)?;
                fields.put("pc", Value::Number(pc.0.into()))?;
                match line {
                    Some(line) => fields.put("line", Value::Number(line.into())),
                    None => Ok(()),
                }
            }
            SleEvent::AppletDetach {
                traps, duration, ..
            } => {
                fields.put("traps", Value::Number(traps.into()))?;
                fields.put("dur_ns", Value::Cost(duration.as_ns()))
            }
            SleEvent::AppletAttach { .. }
            | SleEvent::AppletSuspend { .. }
            | SleEvent::AppletResume { .. } => Ok(()),
        }
    }
}

/// An argument or result of a native, as the trace shows it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NativeArg {
    /// An integer.
    Int(i32),
    /// The null reference.
    Null,
    /// An array, shown as `byte[4096]`.
    Array {
        /// Name of its element type in Java.
        element: &'static str,
        /// Its length in elements.
        length: u32,
    },
}
