//! Events of U-Net/SLE: loading of applets, calls of applets and the natives that they call.

use jive_core::{MethodId, Pc, TrapKind};

use super::FragmentHeader;
use crate::id::PacketId;
use crate::native::{NativeArg, TrapDetails};
use crate::report::fields::{FieldSink, Fields, Value};
use crate::report::roles::{Cause, Roles, Shape, Shown, Step, Track};
use crate::report::{Made, Trigger};
use crate::time::{SimDuration, SimTime};

/// An event of an endpoint's applet.
#[derive(Copy, Clone, Debug)]
pub enum SleEvent<'a> {
    /// An applet's class was loaded, and its initializers have returned.
    Load {
        /// Sum of `code_length` over the methods of the class, in bytes.
        code_bytes: u32,
        /// Number of bytes of the applet's heap in use after the constructor.
        heap_bytes: u32,
    },
    /// The runtime calls a method of an applet.
    AppletCall {
        /// The method.
        method: MethodId,
        /// The arguments.
        args: &'a [i32],
        /// The packet in `RxBuf`, if the call is for a packet; not in the trace.
        packet: &'a [u8],
        /// What caused the call; not in the trace.
        trigger: Trigger,
        /// Number, among those of the NIC, of the processor that runs the call; not in the trace.
        processor: u32,
    },
    /// A call has returned.
    AppletReturn {
        /// The method.
        method: MethodId,
        /// The value that the call returned, or `None` for a `void` method.
        value: Option<i32>,
        /// Number of class-file instructions that the call executed, including those of callees.
        bytecodes: u64,
    },
    /// A native has completed.
    Native {
        /// Name of the native.
        name: &'static str,
        /// The arguments.
        args: &'a [NativeArg],
        /// The value that the native returned, or `None` for a `void` native.
        result: Option<NativeArg>,
        /// The array elements that the native moved or read, as bytes; not in the trace.
        moved: &'a [u8],
        /// When the applet called the native; not in the trace.
        begun: SimTime,
        /// What the native created; not in the trace.
        made: Made,
    },
    /// An applet called `trace`.
    AppletTrace {
        /// The tag that the applet passed.
        tag: i32,
        /// The value that the applet passed.
        value: i32,
    },
    /// An applet's call ended in a trap.
    Trap {
        /// Kind of the trap.
        kind: TrapKind,
        /// The innermost method.
        method: MethodId,
        /// The instruction that trapped.
        pc: Pc,
        /// Source line of the instruction that trapped, if the class has line numbers.
        line: Option<u16>,
        /// The cause of the trap and the nested calls that led to it; not in the text trace.
        details: TrapDetails<'a>,
        /// Number of class-file instructions that the call executed; not in the trace.
        bytecodes: u64,
    },
    /// An applet trapped so often in a row that its endpoint uses the base path for a while.
    AppletDetach {
        /// Number of traps since a call of the applet last returned.
        traps: u32,
        /// The time for which the applet receives no calls.
        duration: SimDuration,
        /// What caused the last call that trapped; not in the trace.
        trigger: Trigger,
    },
    /// The time for which the applet was detached is over, and its next call follows.
    AppletAttach {
        /// What caused the next call of the applet; not in the trace.
        trigger: Trigger,
    },
    /// An endpoint's applet was replaced by another class, whose initializers have returned.
    AppletSwap {
        /// Sum of `code_length` over the methods of the new class, in bytes.
        code_bytes: u32,
        /// Number of bytes of the applet's heap in use after the swap.
        heap_bytes: u32,
        /// Number of fields whose values the new class took over.
        carried: u32,
    },
    /// A class did not become an endpoint's applet, and the endpoint continues as before.
    SwapRefused {
        /// Name of the refused class, if it could be read.
        class: Option<&'a str>,
        /// Why it was refused.
        reason: SwapRefusal,
    },
    /// The NIC took a packet from an endpoint's code channel.
    Capsule {
        /// The packet.
        packet: PacketId,
        /// The header of the fragment that the packet carries, if it carries one.
        fragment: Option<FragmentHeader>,
        /// Length of the packet in bytes.
        length: u32,
        /// What became of the packet: `more`, `ignored`, `again` or `whole`, or the word of a [`CapsuleRefusal`].
        ///
        /// [`CapsuleRefusal`]: super::CapsuleRefusal
        status: &'static str,
    },
    /// A call is suspended until the packet that it pushes has a slot, or yields to work that keeps connections alive.
    /// While the call is suspended, its processor does other work.
    AppletSuspend {
        /// What caused the call; not in the trace.
        trigger: Trigger,
    },
    /// A suspended call continues.
    AppletResume {
        /// What caused the call; not in the trace.
        trigger: Trigger,
    },
}

impl<'a> SleEvent<'a> {
    /// Returns the roles of the event, by which outputs treat it.
    #[must_use]
    pub fn roles(&self) -> Roles<'a> {
        let of = match *self {
            SleEvent::Load { .. } => Roles::of("load"),
            SleEvent::AppletCall { trigger, .. } => Roles {
                track: Track::Call,
                cause: Cause::Of(trigger),
                ..Roles::of("applet-call")
            },
            SleEvent::AppletReturn { .. } => Roles {
                track: Track::Call,
                cause: Cause::OfCall,
                ..Roles::of("applet-return")
            },
            SleEvent::Native { name, begun, .. } => Roles {
                track: Track::Call,
                shape: Shape::Since(name, begun),
                cause: Cause::OfCall,
                ..Roles::of("native")
            },
            SleEvent::AppletTrace { .. } => Roles {
                track: Track::Call,
                cause: Cause::OfCall,
                ..Roles::of("applet-trace")
            },
            SleEvent::Trap { kind, .. } => Roles {
                track: Track::Call,
                shape: Shape::Moment(kind.name()),
                cause: Cause::OfCall,
                ..Roles::of("trap")
            },
            SleEvent::AppletDetach {
                duration, trigger, ..
            } => Roles {
                track: Track::Applet,
                shape: Shape::From("detached", duration),
                cause: Cause::Of(trigger),
                ..Roles::of("applet-detach")
            },
            SleEvent::AppletAttach { trigger } => Roles {
                track: Track::Applet,
                cause: Cause::Of(trigger),
                ..Roles::of("applet-attach")
            },
            SleEvent::AppletSwap { .. } => Roles {
                track: Track::Applet,
                ..Roles::of("applet-swap")
            },
            SleEvent::SwapRefused { .. } => Roles {
                track: Track::Applet,
                ..Roles::of("swap-refused")
            },
            SleEvent::Capsule { packet, .. } => Roles {
                track: Track::Applet,
                cause: Cause::Of(Trigger::Arrival(packet)),
                ..Roles::of("capsule")
            },
            SleEvent::AppletSuspend { trigger } => Roles {
                track: Track::Call,
                cause: Cause::Of(trigger),
                ..Roles::of("applet-suspend")
            },
            SleEvent::AppletResume { trigger } => Roles {
                track: Track::Call,
                cause: Cause::Of(trigger),
                ..Roles::of("applet-resume")
            },
        };
        Roles {
            shown: self.shown(),
            step: self.step(),
            ..of
        }
    }

    /// Returns whether the event's fields include the name of the class.
    fn names_class(&self) -> bool {
        match self {
            SleEvent::Load { .. } | SleEvent::AppletSwap { .. } | SleEvent::SwapRefused { .. } => {
                true
            }
            SleEvent::AppletCall { .. }
            | SleEvent::AppletReturn { .. }
            | SleEvent::Native { .. }
            | SleEvent::AppletTrace { .. }
            | SleEvent::Trap { .. }
            | SleEvent::AppletDetach { .. }
            | SleEvent::AppletAttach { .. }
            | SleEvent::Capsule { .. }
            | SleEvent::AppletSuspend { .. }
            | SleEvent::AppletResume { .. } => false,
        }
    }

    /// Returns whether the trace shows the event.
    #[inline]
    #[must_use]
    pub fn shown(&self) -> Shown {
        match self {
            SleEvent::Native {
                made: Made::Nothing,
                ..
            } => Shown::InDetail,
            SleEvent::Native { .. }
            | SleEvent::Load { .. }
            | SleEvent::AppletCall { .. }
            | SleEvent::AppletReturn { .. }
            | SleEvent::AppletTrace { .. }
            | SleEvent::Trap { .. }
            | SleEvent::AppletDetach { .. }
            | SleEvent::AppletAttach { .. }
            | SleEvent::AppletSwap { .. }
            | SleEvent::SwapRefused { .. }
            | SleEvent::Capsule { .. }
            | SleEvent::AppletSuspend { .. }
            | SleEvent::AppletResume { .. } => Shown::Always,
        }
    }

    /// Returns what the event means for a call or a packet.
    #[inline(always)]
    #[must_use]
    pub fn step(&self) -> Step<'a> {
        match *self {
            SleEvent::AppletCall {
                method,
                trigger,
                processor,
                ..
            } => Step::CallBegan {
                method,
                processor,
                trigger,
            },
            SleEvent::AppletReturn {
                method,
                value,
                bytecodes,
            } => Step::CallReturned {
                method,
                bytecodes,
                value,
            },
            SleEvent::Native { made, .. } => Step::Made(made),
            SleEvent::Trap {
                kind,
                method,
                pc,
                line,
                details,
                bytecodes,
            } => Step::CallTrapped {
                kind,
                pc,
                line,
                method,
                details,
                bytecodes,
            },
            SleEvent::AppletDetach { .. } => Step::Detached,
            SleEvent::AppletAttach { .. } => Step::Attached,
            SleEvent::Capsule { packet, .. } => Step::Consumed {
                packet,
                by: "capsule",
            },
            SleEvent::AppletSuspend { .. } => Step::CallSuspended,
            SleEvent::AppletResume { .. } => Step::CallResumed,
            SleEvent::Load { .. }
            | SleEvent::AppletTrace { .. }
            | SleEvent::AppletSwap { .. }
            | SleEvent::SwapRefused { .. } => Step::Other,
        }
    }

    /// Writes the event's fields to a sink.
    pub(crate) fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
        if !self.names_class() {
            fields.applet()?;
        }
        match *self {
            SleEvent::Load {
                code_bytes,
                heap_bytes,
            } => {
                fields.class("class")?;
                fields.put("code_bytes", Value::CodeSize(code_bytes))?;
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
                details,
                ..
            } => {
                fields.trap(kind, (method, pc), line)?;
                fields.details(details)
            }
            SleEvent::AppletDetach {
                traps, duration, ..
            } => {
                fields.put("traps", Value::Number(traps.into()))?;
                fields.put("dur_ns", Value::Cost(duration.as_ns()))
            }
            SleEvent::AppletSwap {
                code_bytes,
                heap_bytes,
                carried,
            } => {
                fields.class("class")?;
                fields.put("code_bytes", Value::CodeSize(code_bytes))?;
                fields.put("heap_bytes", Value::Number(heap_bytes.into()))?;
                fields.put("carried", Value::Number(carried.into()))
            }
            SleEvent::SwapRefused { class, reason } => {
                if let Some(class) = class {
                    fields.put("class", Value::Name(class))?;
                }
                fields.put("reason", Value::Word(reason.word()))
            }
            SleEvent::Capsule {
                packet,
                fragment,
                length,
                status,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                if let Some(fragment) = fragment {
                    fields.put("number", Value::Number(fragment.number.into()))?;
                    fields.put("offset", Value::Number(fragment.offset.into()))?;
                    fields.put("total", Value::Number(fragment.total.into()))?;
                }
                fields.put("length", Value::Number(length.into()))?;
                fields.put("status", Value::Word(status))
            }
            SleEvent::AppletAttach { .. }
            | SleEvent::AppletSuspend { .. }
            | SleEvent::AppletResume { .. } => Ok(()),
        }
    }
}

/// Why a class did not become an endpoint's applet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SwapRefusal {
    /// The class was rejected. The string is the code of the rejection.
    Rejected(&'static str),
    /// The NIC's SRAM has no room for the new class beside the running one.
    NoSram,
    /// The endpoint's heap has no room for the arrays of the former applet and of the new class.
    NoHeap,
    /// An initializer of the class trapped.
    Trapped(TrapKind),
    /// The run's capsules contain more bytes of different classes than the simulator keeps.
    TooMany,
}

impl SwapRefusal {
    /// Returns the word that the trace shows for the refusal.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            SwapRefusal::Rejected(code) => code,
            SwapRefusal::NoSram => "sram",
            SwapRefusal::NoHeap => "heap",
            SwapRefusal::Trapped(kind) => kind.name(),
            SwapRefusal::TooMany => "too-many",
        }
    }
}
