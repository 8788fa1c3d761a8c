//! Why an operation on a buffer of a program is refused.

use core::fmt;

use jive_core::{ArrayKind, TrapKind};

/// What a program asks of a buffer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `alloc`.
    Alloc,
    /// `free`.
    Free,
    /// `register`.
    Register,
    /// `deregister`.
    Deregister,
    /// `toByteArray` and its like.
    ToArray(ArrayKind),
    /// `unRef`.
    UnRef,
    /// `sendBufPost`.
    PostSend,
    /// `recvBufPost`.
    PostReceive,
}

impl Operation {
    /// Returns the word that the trace shows for the operation.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Operation::Alloc => "alloc",
            Operation::Free => "free",
            Operation::Register => "register",
            Operation::Deregister => "deregister",
            Operation::ToArray(ArrayKind::Boolean) => "to-boolean-array",
            Operation::ToArray(ArrayKind::Byte) => "to-byte-array",
            Operation::ToArray(ArrayKind::Short) => "to-short-array",
            Operation::ToArray(ArrayKind::Int) => "to-int-array",
            Operation::UnRef => "un-ref",
            Operation::PostSend => "post-send",
            Operation::PostReceive => "post-receive",
        }
    }
}

/// Whether a buffer has an array, and whether the program has left it to the collector (S2-18).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The buffer has no array.
    Unref,
    /// The buffer has an array of this type.
    Ref(ArrayKind),
    /// The buffer has an array of this type that the program has left to the collector.
    ToBeUnref(ArrayKind),
}

impl State {
    /// Returns the words that the trace shows for the state.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            State::Unref => "unref",
            State::Ref(ArrayKind::Boolean) => "ref boolean[]",
            State::Ref(ArrayKind::Byte) => "ref byte[]",
            State::Ref(ArrayKind::Short) => "ref short[]",
            State::Ref(ArrayKind::Int) => "ref int[]",
            State::ToBeUnref(ArrayKind::Boolean) => "2b-unref boolean[]",
            State::ToBeUnref(ArrayKind::Byte) => "2b-unref byte[]",
            State::ToBeUnref(ArrayKind::Short) => "2b-unref short[]",
            State::ToBeUnref(ArrayKind::Int) => "2b-unref int[]",
        }
    }
}

/// What of a buffer forbids an operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The state of the buffer's array.
    State,
    /// A registration of the buffer for this VI.
    Registered {
        /// The VI's number among the endpoints of the process.
        vi: u32,
    },
    /// Descriptors under way that name the buffer.
    UnderWay {
        /// Number of descriptors.
        descriptors: u32,
    },
    /// The length of the buffer, which is no multiple of an element's.
    Length {
        /// The length in bytes.
        bytes: u32,
    },
}

/// Why an operation on a buffer is refused. A refused operation changes nothing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No buffer of the program has the handle: it was freed, or never made.
    NoBuffer {
        /// The handle.
        buffer: i32,
    },
    /// No buffer of the program is registered under the ticket.
    NoTicket {
        /// The ticket.
        ticket: i32,
    },
    /// The range does not lie in the buffer.
    Outside {
        /// Start of the range.
        offset: i32,
        /// Length of the range.
        length: i32,
        /// Length of the buffer.
        bytes: u32,
    },
    /// The length of a new buffer is negative.
    NegativeLength {
        /// The length.
        bytes: i32,
    },
    /// There is no room for another buffer of this length, or no handle is left.
    NoRoom {
        /// The length.
        bytes: u32,
    },
    /// The table of registrations is full, or no ticket is left.
    NoRegistration,
    /// The state of the buffer forbids the operation.
    Forbidden {
        /// The buffer.
        buffer: i32,
        /// The operation.
        operation: Operation,
        /// The state of the buffer's array.
        state: State,
        /// What forbids the operation.
        obstacle: Obstacle,
    },
}

impl Refusal {
    /// Returns the trap in which the program's native ends.
    #[must_use]
    pub const fn trap(self) -> TrapKind {
        match self {
            Refusal::NoBuffer { .. } | Refusal::NoTicket { .. } | Refusal::Outside { .. } => {
                TrapKind::ProtectionFault
            }
            Refusal::NegativeLength { .. } => TrapKind::NegativeArraySizeException,
            Refusal::NoRoom { .. } | Refusal::NoRegistration => TrapKind::OutOfMemoryError,
            Refusal::Forbidden { .. } => TrapKind::BufferState,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Refusal::NoBuffer { buffer } => {
                write!(f, "expected the handle of a buffer, found {buffer}")
            }
            Refusal::NoTicket { ticket } => {
                write!(f, "expected the ticket of a registration, found {ticket}")
            }
            Refusal::Outside {
                offset,
                length,
                bytes,
            } => write!(
                f,
                "offset {offset}, length {length}, buffer has {bytes} bytes"
            ),
            Refusal::NegativeLength { bytes } => {
                write!(f, "expected a length of 0 or more, found {bytes}")
            }
            Refusal::NoRoom { bytes } => {
                write!(f, "expected room for a buffer of {bytes} bytes, found none")
            }
            Refusal::NoRegistration => {
                f.write_str("expected room for another registration, found none")
            }
            Refusal::Forbidden {
                buffer,
                operation,
                state,
                obstacle,
            } => {
                write!(f, "`{}` of buffer {buffer}: ", operation.word())?;
                match obstacle {
                    Obstacle::State => {
                        let expected = match operation {
                            Operation::Alloc
                            | Operation::Free
                            | Operation::Register
                            | Operation::Deregister => "`unref`",
                            Operation::ToArray(_) => "`unref`, or `ref` with this type",
                            Operation::UnRef => "`ref`",
                            Operation::PostSend | Operation::PostReceive => "`unref` or `ref`",
                        };
                        write!(f, "expected state {expected}, found `{}`", state.words())
                    }
                    Obstacle::Registered { vi } => match operation {
                        Operation::Register => {
                            write!(f, "expected a VI without it, it is registered for VI {vi}")
                        }
                        _ => write!(f, "expected no registration, found one for VI {vi}"),
                    },
                    Obstacle::UnderWay { descriptors } => {
                        write!(f, "expected no descriptors under way, found {descriptors}")
                    }
                    Obstacle::Length { bytes } => {
                        write!(
                            f,
                            "expected a length of whole elements, found {bytes} bytes"
                        )
                    }
                }
            }
        }
    }
}

impl core::error::Error for Refusal {}
