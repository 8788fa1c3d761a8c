//! An applet on a device without an allocator. Loads a class file and runs it on a NIC in memory that is joined to
//! itself. Prints the simulator's trace, its hash, and what all of it takes.
//!
//! `firmware CLASS SEED LENGTH…` — the applet's class file, the seed of the messages' bytes, their lengths.
//! On a Cortex-M arguments and files come from the debugger's host by semihosting; built for a host, the
//! same program runs there.
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
