//! Reasons why a run fails. The firmware prints the reason and stops.

use core::fmt;

use jive_core::{LinkError, ParseError};
use jive_load::CertifiedError;
use jive_verifier::VerifyError;
use nic_core::sle::AppletError;

/// Why a run failed.
#[derive(Copy, Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The arguments are invalid.
    #[error("usage: firmware CLASS SEED LENGTH…, with lengths of up to {max} bytes")]
    Usage {
        /// Greatest length of a message.
        max: usize,
    },
    /// The arguments of the program that swaps are invalid.
    #[error(
        "usage: swapping CLASS CERTIFICATE SEED STEP…, a step is `swap` or a length of up to {max} bytes"
    )]
    UsageOfSwapping {
        /// Greatest length of a message.
        max: usize,
    },
    /// A file cannot be read.
    #[error("the class file cannot be read")]
    Read,
    /// An output cannot be written.
    #[error("the output cannot be written")]
    Write,
    /// A part of the program needs more memory than the firmware reserves for it.
    #[error("{what}: {needed} are needed, there is room for {room}")]
    Room {
        /// What needs the memory.
        what: &'static str,
        /// Amount that is needed.
        needed: usize,
        /// Amount that is reserved.
        room: usize,
    },
    /// The file is not a class file.
    #[error("the class is refused: {0}")]
    Parse(#[from] ParseError),
    /// The verifier rejected the class as unsafe or outside of the subset.
    #[error("the class is refused: {0}")]
    Verify(#[from] VerifyError),
    /// The class or its certificate was refused.
    #[error("the class is refused: {0}")]
    Certified(#[from] CertifiedError),
    /// The first class was refused, for a reason that classes on the line are refused for too.
    #[error("the class is refused: {0}")]
    First(&'static str),
    /// The linker rejected the class because it exceeds a limit of the linked form.
    #[error("the class is refused: {0}")]
    Link(#[from] LinkError),
    /// The class cannot run as an applet.
    #[error("the class is refused: {0}")]
    Applet(#[from] AppletError),
    /// The applet trapped while it was loaded. The trace of the run contains the applet's trap.
    #[error("the applet trapped while it was loaded")]
    LoadTrap,
    /// A message was due while the NIC was still busy with the previous message.
    #[error("a message was due while the NIC was busy, which this model does not do")]
    Busy,
}

impl From<fmt::Error> for Failure {
    fn from(_: fmt::Error) -> Failure {
        Failure::Write
    }
}
