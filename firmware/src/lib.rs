//! Runs an applet on a device without an allocator. The program loads a class file and runs it on a NIC that is
//! connected to itself. The program prints the simulator's trace, the hash of the trace, and its memory use.
//!
//! There are three programs:
//!
//! - `firmware CLASS SEED LENGTH…`: the applet's class file, the seed for the contents of the messages, and their
//!   lengths. The class is verified here.
//! - `swapping CLASS CERTIFICATE SEED STEP…`: a step is the length of a message, or `swap`. At a `swap` the program waits
//!   for a class on its serial line, checks it against the certificate that comes with it, and makes it the applet.
//! - `compiled SEED LENGTH…`, with the feature `compiled`: the class is printed as Rust when the program is built, so that
//!   no class is loaded and nothing is interpreted.
//!
//! On a Cortex-M, arguments and files come from the debugger's host through semihosting. All can also be built for a
//! host, as programs with the same trace.
#![cfg_attr(target_os = "none", no_std)]

#[cfg(feature = "compiled")]
mod compiled;
mod failure;
mod load;
mod machine;
mod memory;
mod names;
mod nic;
mod report;
mod run;
mod slots;
mod swapping;
mod trace;
mod traffic;

#[cfg(target_os = "none")]
mod bytes;
#[cfg(target_os = "none")]
mod cortex_m;
#[cfg(target_os = "none")]
mod linked;
#[cfg(target_os = "none")]
mod uart;

#[cfg(not(target_os = "none"))]
mod hosted;

#[cfg(feature = "compiled")]
pub use compiled::run as run_compiled;
#[cfg(target_os = "none")]
pub use cortex_m::{Device as ThisMachine, start};
pub use failure::Failure;
#[cfg(not(target_os = "none"))]
pub use hosted::{Host as ThisMachine, start};
pub use run::run;
pub use swapping::run as run_swapping;
