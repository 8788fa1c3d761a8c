//! The interfaces that a NIC offers: a folder for the engine of each, and the traits that an engine implements.
//!
//! The simulation provides the NIC: clock, processors, memory, DMA engines and wires. The loop of a processor takes a
//! transmit descriptor or a packet, and calls the engine of the endpoint's interface to handle it. An applet runs
//! before the interface of its endpoint. The module [`applet`](crate::applet) runs the calls of applets.
//!
//! An interface may also have packets with a header (`protocol`), which it handles as soon as they arrive, items of its
//! own for processors, and delays and state of its own. The macros in `table` and `hooks` generate every function
//! that dispatches to an interface.
//!
//! - `interface` has the traits that an engine implements
//! - `table` has the states of all engines, and dispatches what applets and the loop of a run ask of them
//! - `hooks` dispatches what the parts of a simulation ask of them
//! - `unet`, `emp`, `via` and `lmmc` are the engines, `remote` is remote memory

pub(crate) mod emp;
mod hooks;
mod interface;
pub(crate) mod lmmc;
pub(crate) mod remote;
mod table;
pub(crate) mod unet;
pub(crate) mod via;

pub(crate) use self::table::*;
