//! Runs an applet on a device without an allocator. The program loads a class file and runs it on a NIC that is
//! connected to itself. The program prints the simulator's trace, the hash of the trace, and its memory use.
//!
//! `firmware CLASS SEED LENGTH…`: the applet's class file, the seed for the contents of the messages, and their
//! lengths. On a Cortex-M, arguments and files come from the debugger's host through semihosting. The firmware can also
//! be built for a host, as a program with the same trace.
#![cfg_attr(target_os = "none", no_std)]
#![cfg_attr(target_os = "none", no_main)]

mod failure;
mod load;
mod machine;
mod memory;
mod names;
mod nic;
mod report;
mod run;
mod trace;
mod traffic;

#[cfg(target_os = "none")]
mod bytes;
#[cfg(target_os = "none")]
mod cortex_m;
#[cfg(target_os = "none")]
mod linked;

#[cfg(not(target_os = "none"))]
mod hosted;

#[cfg(not(target_os = "none"))]
fn main() -> std::process::ExitCode {
    hosted::main()
}
