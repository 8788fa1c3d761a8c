//! Class files that take as much work to verify as possible for their size: the worst-case family.
//!
//! Each of the class files is slow in one way. `trust worst` measures the family, and tests check that its class files
//! stay within their budgets.

mod body;
mod explored;
mod family;
mod flow;
mod pool;
mod searched;
mod writer;

pub use family::{Worst, explored_family, family};
pub use searched::searched;
