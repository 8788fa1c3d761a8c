//! The program `swapping`: runs an applet, and replaces it by the classes that come on the serial line.
#![cfg_attr(target_os = "none", no_std)]
#![cfg_attr(target_os = "none", no_main)]

#[cfg(target_os = "none")]
#[cortex_m_rt::entry]
fn start() -> ! {
    firmware::start(firmware::run_swapping)
}

#[cfg(not(target_os = "none"))]
fn main() -> std::process::ExitCode {
    firmware::start(firmware::run_swapping)
}
