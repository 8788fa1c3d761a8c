//! What a verified class can do at most, and where its values come from: questions that nobody asks
//! before a class runs, answered for those who look at it.

mod calls;
mod graph;
mod loops;
mod origin;
mod paths;
mod report;

pub(crate) use graph::ControlFlow;
pub(crate) use origin::{Depths, Origin, Origins, Slot};
pub(crate) use report::{EntryPoint, Report};
