//! Outputs, all computed from the event stream: text, JSON Lines, summary, story of a packet, Perfetto timeline and
//! Wireshark capture. The outputs only read events and never change a run.
//!
//! No output depends on an interface: each output reads the roles of events (see [`nic_core::event::roles`]).

pub mod accounts;
mod distribution;
pub mod executions;
pub mod follow;
pub mod golden;
mod groups;
pub mod json;
pub mod moments;
pub mod pcapng;
pub mod perfetto;
pub mod plain_json;
mod ports;
pub mod stats;
pub mod summary;
pub mod tally;
pub mod text;
pub mod traps;

pub use nic_core::event::fields::PayloadMode;
use nic_core::event::roles::Shown;

/// Returns whether a trace shows an event with this visibility.
fn is_shown(shown: Shown, shows_work: bool) -> bool {
    match shown {
        Shown::Always | Shown::InDetail => true,
        Shown::WithWork => shows_work,
        Shown::AsBusy | Shown::Never => false,
    }
}
