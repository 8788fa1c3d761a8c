//! Outputs that are folds over the events of a run: text, JSON Lines, the summary, one packet's story,
//! a timeline for Perfetto and a capture for Wireshark. They read events and nothing else, and never
//! change a run.

pub mod accounts;
mod distribution;
pub mod follow;
pub mod json;
pub mod pcapng;
pub mod perfetto;
pub mod summary;
pub mod text;

pub use nic_core::event::fields::PayloadMode;
