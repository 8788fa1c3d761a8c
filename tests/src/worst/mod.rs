//! Class files that are as much work to judge as a file of their size can be: the worst-case family.
//!
//! Each is made to be slow in one way. `trust worst` measures them; tests hold them to their budgets.

mod family;
mod flow;
mod measure;
mod pool;
mod writer;

pub use family::{Worst, family};
pub use measure::{Measured, Steps, measure};
