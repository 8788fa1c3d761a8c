//! LMMC in virtual time: the interface and its controller, the traps of both hosts, and the processes that store, load
//! and wait (S4-01 to S4-24).
//!
//! `nic_core::lmmc` has the tables and the steps of paging, without time and without bytes. This engine decides when each
//! step happens, and moves the bytes.
//!
//! | files, from the bottom | hold |
//! |---|---|
//! | `site`, `node`, `place`, `delays`, `state` | what the engine keeps of an end of a link, a host and a process |
//! | `open` | makes these from the scenario |
//! | `timing`, `telling`, `process`, `bytes` | delays, events, what a process is told; frames, and the pages that show them |
//! | `messages`, `lines` | messages on their way out and the room for them; writes that are gathered |
//! | `ports`, `declared`, `set_up` | ports of processes and of the scenario, and what set-up messages do to them |
//! | `faulting`, `serving` | the seven steps of either side |
//! | `stores`, `loads`, `waiting`, `asked` | what a process asks for |
//! | `controller` | takes the messages that arrive, one after the other, and stops for a trap |
//! | `resuming`, `engine` | what goes on when something else is over; how the simulation reaches the interface |
//!
//! A trap takes its time on the host and delays no process that runs: the paper does not say what a trap takes from whom.

mod asked;
mod bytes;
mod controller;
mod declared;
mod delays;
mod engine;
mod faulting;
mod lines;
mod loads;
mod messages;
mod node;
mod open;
mod place;
mod ports;
mod process;
mod resuming;
mod serving;
mod set_up;
mod site;
mod state;
mod stores;
mod telling;
#[cfg(test)]
mod tests;
mod timing;
mod waiting;

pub(crate) use self::engine::Lmmc;
pub(crate) use self::state::{HasLmmc, LmmcState};
