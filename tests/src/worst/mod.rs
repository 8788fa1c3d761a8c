//! Class files that are as much work to judge as a file of their size can be: the worst-case family.
//!
//! Each is made to be slow in one way. `trust worst` measures them; tests hold them to their budgets.

#[cfg(feature = "simulation")]
mod analysed;
mod body;
mod explored;
mod family;
mod flow;
mod measure;
mod pool;
mod searched;
mod writer;

#[cfg(feature = "simulation")]
pub use analysed::{Analysed, analyse, steps_max};
pub use family::{Worst, explored_family, family};
pub use measure::{Measured, Steps, measure};
pub use searched::searched;
