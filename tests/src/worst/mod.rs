//! The work of verifying and analysing class files that are slow for their size.

mod analysed;
mod measure;

pub use analysed::{Analysed, analyse, bound, bound_steps_max, steps_max};
pub use measure::{Measured, Steps, measure};
