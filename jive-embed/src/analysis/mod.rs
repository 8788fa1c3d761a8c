//! What a verified class can do at most, and where its values come from. Running a class needs none of this; it serves
//! readers of the class.
//!
//! Every answer takes time that grows with the class file and no faster. Where an exact answer would
//! take longer (loops nested thousands deep), a budget of steps ends the search and the report says so.

mod calls;
mod components;
mod depths;
mod explore;
mod graph;
mod line_table;
mod loops;
mod origin;
mod paths;
mod report;
mod shown;

pub(crate) use depths::Depths;
pub(crate) use graph::ControlFlow;
pub use line_table::LineTable;
pub(crate) use origin::{Origin, Origins, Slot};
pub use report::{EntryPoint, LoopPlace, Report, UNCOUNTED_LISTED_MAX};
