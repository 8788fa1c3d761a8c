//! Why a run ended early. Firmware says so and stops: there is nobody else to decide.

use core::fmt;

use jive_core::{LinkError, ParseError};
use jive_verifier::VerifyError;
use nic_core::sle::AppletError;

/// Why a run ended early.
#[derive(Copy, Clone, Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The arguments are not what they should be.
    #[error("usage: firmware CLASS SEED LENGTH…, with lengths of up to {max} bytes")]
    Usage {
        /// The longest message.
        max: usize,
    },
    /// A file cannot be read.
    #[error("the class file cannot be read")]
    Read,
    /// An output cannot be written.
    #[error("the output cannot be written")]
    Write,
    /// Something needs more memory than is reserved for it.
    #[error("{what}: {needed} are needed, there is room for {room}")]
    Room {
        /// What.
        what: &'static str,
        /// How much it needs.
        needed: usize,
        /// How much there is.
        room: usize,
    },
    /// It is no class file.
    #[error("the class is refused: {0}")]
    Parse(#[from] ParseError),
    /// It is not safe, or outside of the subset.
    #[error("the class is refused: {0}")]
    Verify(#[from] VerifyError),
    /// The virtual machine has no room for it.
    #[error("the class is refused: {0}")]
    Link(#[from] LinkError),
    /// It cannot be an applet.
    #[error("the class is refused: {0}")]
    Applet(#[from] AppletError),
    /// The applet trapped while it was loaded; the trap is in the trace.
    #[error("the applet trapped while it was loaded")]
    LoadTrap,
    /// The next message was due before all was done with the one before.
    #[error("a message was due while the NIC was busy, which this model does not do")]
    Busy,
}

impl From<fmt::Error> for Failure {
    fn from(_: fmt::Error) -> Failure {
        Failure::Write
    }
}
