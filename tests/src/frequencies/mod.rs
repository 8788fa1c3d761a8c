//! How often programs execute which instructions, one after the other: what fused ops are justified by.

mod corpus;
mod page;
mod sequence;
mod taken;
mod together;

pub use corpus::{Counted, count};
pub use page::{OPS, render};
pub use together::pairs;
