//! Outputs that are folds over the events of a run: text, JSON Lines, the summary, one packet's story,
//! a timeline for Perfetto and a capture for Wireshark. They read events and nothing else, and never
//! change a run.

#[cfg(feature = "std")]
pub mod accounts;
#[cfg(feature = "std")]
mod distribution;
mod fields;
#[cfg(feature = "std")]
pub mod follow;
#[cfg(feature = "std")]
pub mod json;
#[cfg(feature = "std")]
pub mod pcapng;
#[cfg(feature = "std")]
pub mod perfetto;
#[cfg(feature = "std")]
pub mod summary;
pub mod text;

pub use fields::PayloadMode;
