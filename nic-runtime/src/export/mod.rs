//! Outputs, each a fold over the events of a run. They are text, JSON Lines, the summary, one packet's story, a
//! Perfetto timeline, and a capture for Wireshark. They read events and nothing else, and never change a run.
//!
//! They know no interface: what they need of an event are its roles (see [`nic_core::event::roles`]).

pub mod accounts;
mod distribution;
pub mod follow;
pub mod golden;
pub mod json;
pub mod pcapng;
pub mod perfetto;
mod sha256;
pub mod summary;
pub mod tally;
pub mod text;

pub use nic_core::event::fields::PayloadMode;
use nic_core::event::roles::Shown;

/// Returns whether a trace shows an event.
fn is_shown(shown: Shown, shows_work: bool) -> bool {
    match shown {
        Shown::Always => true,
        Shown::WithWork => shows_work,
        Shown::Never => false,
    }
}
