//! Static analysis of verified classes: resource bounds and origins of values. Not needed for running a class, only
//! for reports about it.
//!
//! All analyses take time linear in the size of the class file. For loops nested thousands deep, an exact answer
//! would take longer. Then a step budget ends the search, and the report says so.

mod bound;
mod calls;
mod components;
mod condition;
mod depths;
mod environment;
mod explore;
mod facts;
mod graph;
mod interval;
mod line_table;
mod loops;
mod members;
mod origin;
mod paths;
mod ranges;
mod report;
mod rounds;
mod shown;
mod worst;

pub use bound::{Bound, BoundedLoop, Bounds, Reason, UnboundedLoop};
pub(crate) use calls::{Callee, Signatures, callee};
pub(crate) use components::Components;
pub(crate) use depths::Depths;
pub use environment::{Entry, Environment, Native};
pub(crate) use explore::makes_array;
pub(crate) use graph::ControlFlow;
pub use line_table::LineTable;
pub(crate) use loops::loops;
pub(crate) use origin::{Origin, Origins, Slot};
pub use report::{EntryPoint, LISTED_MAX, LoopPlace, Report};
