//! A simulator of network interfaces that run applets: scenarios in, events and a judgement out.
//!
//! A [scenario](spec::Scenario) says what there is (NICs with their [profiles](profile), links, endpoints with or
//! without applets) and what happens (messages, swaps, faults). [`scenario::parse`] reads a scenario from TOML. A
//! [`Run`] simulates it in virtual time, reports each event to a sink, and ends in an [`Outcome`]. The same scenario
//! makes the same events on every machine. The crate opens no files and prints nothing.
//!
//! In this scenario the server's applet answers each packet in the NIC, without the host:
//!
//! ```
//! use nic_runtime::export::{PayloadMode, text::TextTrace};
//! use nic_runtime::{Run, scenario};
//!
//! let text = r#"
//! [[nic]]
//! name = "n"
//! [[endpoint]]
//! nic = "n"
//! name = "client"
//! [[endpoint]]
//! nic = "n"
//! name = "server"
//! applet = "builtin:PingPong"
//! [[channel]]
//! client = 1
//! server = 1
//! [[send]]
//! endpoint = "client"
//! channel = 1
//! payload = { text = "ping" }
//! [[expect]]                          # the answer begins with 0xff
//! endpoint = "client"
//! payload = { hex = "ff696e67" }
//! "#;
//! let scenario = scenario::parse(text.as_bytes(), None, None).expect("a right scenario");
//! let mut trace = Vec::new();
//! let mut sink = TextTrace::new(&mut trace, PayloadMode::Omitted);
//! let outcome = Run::new(&scenario).sink(&mut sink).judge().execute()?;
//! let judgement = outcome.judgement.expect("the scenario has an expectation");
//! assert!(judgement.unmet.is_empty());
//! assert!(String::from_utf8_lossy(&trace).contains("doRx"));
//! # Ok::<(), nic_runtime::SimError>(())
//! ```
//!
//! The modules, from the bottom: numbers and tables ([`units`], [`storage`], [`ids`]); what a run is made of, as values
//! ([`profile`], [`spec`]); the clock ([`sched`]); headers of packets (`protocol`); the wires between NICs ([`wire`]); the
//! parts of a NIC ([`nic`]); memory and users of a host ([`memory`], [`host`]); what a NIC keeps about the calls of applets
//! (`calls`); these parts together in virtual time (`sim`); the engines of the interfaces (`engine`); applets ([`applet`]);
//! expectations ([`judge`]); the loop of events ([`run`]); the reader of scenarios ([`scenario`]); and what is written from
//! events ([`export`]). The repository's `ARCHITECTURE.md` follows a packet through them.

pub mod applet;
#[cfg(test)]
mod at_rest;
mod calls;
mod engine;
pub mod export;
pub mod hexdump;
pub mod host;
pub mod ids;
pub mod judge;
pub mod memory;
pub mod nic;
pub mod profile;
mod protocol;
mod recent;
pub mod run;
pub mod scenario;
pub mod sched;
mod sim;
mod slab;
pub mod spec;
pub mod storage;
pub mod units;
pub mod wire;

pub use run::{Outcome, Run, RunEnd, SimError};
