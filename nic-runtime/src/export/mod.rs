//! Outputs that are folds over the events of a run: text, JSON Lines, the summary, one packet's story,
//! a timeline for Perfetto and a capture for Wireshark. They read events and nothing else, and never
//! change a run.

mod distribution;
mod fields;
pub mod follow;
pub mod json;
pub mod pcapng;
pub mod perfetto;
pub mod summary;
pub mod text;

pub use fields::PayloadMode;
