//! EMP in the simulator: the engine, and the state of endpoints, messages and NICs.
//!
//! - `state` is what EMP keeps, `jobs` gives items to processors and schedules delays
//! - `engine` runs the items, and charges the time of each stage
//! - `transmit` cuts messages into frames, takes acknowledgements and repeats lost frames
//! - `receive` matches and places frames, acknowledges them and delivers messages
//! - `user` posts receives
//!
//! The stages of EMP are functions of an item, and none depends on the processor that runs it, so a placement changes
//! only times.

mod engine;
mod jobs;
mod receive;
mod state;
mod transmit;
mod user;

pub(crate) use self::state::{Emp, EmpState, HasEmp};
