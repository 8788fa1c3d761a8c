//! Why a scenario cannot be simulated.

use jive_embed::LoadError;
use nic_core::id::NicId;
use nic_core::sle::AppletError;

use super::needs::NotOffered;

#[cfg(doc)]
use crate::host::Programs;
use crate::nic::sram::SramDemand;
#[cfg(doc)]
use crate::spec::Scenario;

/// Why a scenario cannot be simulated. Positions in a [`SimError`] are positions in the lists of the [`Scenario`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimError {
    /// A class was rejected.
    #[error("class {class} is rejected: {error}")]
    Class {
        /// Position in [`Scenario::classes`].
        class: usize,
        /// The reason.
        error: LoadError,
    },
    /// An accepted class cannot be used as an applet.
    #[error("class {class} is rejected: {error}")]
    Applet {
        /// Position in [`Scenario::classes`].
        class: usize,
        /// The reason.
        error: AppletError,
    },
    /// An accepted class calls a native that its NIC does not offer.
    #[error(
        "class {class} calls `{}`, which NIC {} does not offer",
        call.native.decl().name, nic.0
    )]
    NotOffered {
        /// Position in [`Scenario::classes`].
        class: usize,
        /// The NIC.
        nic: NicId,
        /// The call.
        call: NotOffered,
    },
    /// The endpoints of a NIC need more SRAM than it has.
    #[error("{0}")]
    SramTooSmall(SramDemand),
    /// A send's payload is longer than its endpoint's transmit region.
    #[error("send {send} has {length} bytes of payload, its endpoint's transmit region {room}")]
    PayloadTooLong {
        /// Position in [`Scenario::sends`].
        send: usize,
        /// Length of the payload in bytes.
        length: usize,
        /// Length of the transmit region in bytes.
        room: u32,
    },
    /// A host program was supplied for a process that does not exist or owns no endpoint.
    #[error("program {program} is for a process that does not exist, or owns no endpoint")]
    NoProcess {
        /// Position of the program among the names of [`Programs`].
        program: usize,
    },
    /// Programs are to make the connection of a channel, and none was supplied that can.
    #[error(
        "nobody makes the connection of channel {channel}: `connect = \"program\"` needs a class or a program in Rust at one end; \
         without the key, the connection exists from the start"
    )]
    NobodyConnects {
        /// Position in [`Scenario::channels`].
        channel: usize,
    },
    /// A channel joins endpoints on NICs without a link between them.
    #[error("channel {channel} joins endpoints between whose NICs there is no link")]
    NoLink {
        /// Position in [`Scenario::channels`].
        channel: usize,
    },
}
