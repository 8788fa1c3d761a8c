//! Outputs that are folds over the events of a run: text, JSON Lines and the summary. They read
//! events and nothing else, and never change a run.

mod distribution;
mod fields;
pub mod json;
pub mod summary;
pub mod text;

pub use fields::PayloadMode;
