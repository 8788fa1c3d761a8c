//! What a NIC keeps about the calls of its applets, as values. The functions that run the calls are in
//! [`applet`](crate::applet).
//!
//! - `processor` is a processor of a NIC, `call` is a call and its state of execution, `suspended` keeps calls that wait for slots
//! - `pending` holds timers, refills and watches, `chain` the messages between the applets of a chain
//! - `last_arrays` remembers the arrays that a packet is about to need
//! - `quota` limits a call, `budget` limits what all calls of a run execute
//! - `collector` collects the arrays of an applet, `programs` loads the classes that processes run
//! - `classes` loads each class of the scenario, `swaps` keeps those that come during the run
//! - `sram` adds up what a NIC's memory holds, `ledger` counts what is free for classes that come during the run, `refused`
//!   says why a scenario cannot be simulated

pub(crate) mod budget;
pub(crate) mod call;
pub(crate) mod chain;
pub(crate) mod classes;
pub(crate) mod collector;
pub(crate) mod last_arrays;
pub(crate) mod ledger;
pub(crate) mod needs;
pub(crate) mod pending;
pub(crate) mod processor;
pub(crate) mod programs;
pub(crate) mod quota;
pub(crate) mod refused;
pub(crate) mod sram;
pub(crate) mod suspended;
pub(crate) mod swaps;
