//! The program `compiled`: runs the applet whose class the build script has printed as Rust.
#![cfg_attr(target_os = "none", no_std)]
#![cfg_attr(target_os = "none", no_main)]

#[cfg(target_os = "none")]
#[cortex_m_rt::entry]
fn start() -> ! {
    firmware::start(firmware::run_compiled)
}

#[cfg(not(target_os = "none"))]
fn main() -> std::process::ExitCode {
    firmware::start(firmware::run_compiled)
}
