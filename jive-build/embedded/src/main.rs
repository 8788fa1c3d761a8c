//! Filters packets on a Cortex-M, in an image that has neither a class file nor an interpreter.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use semihosting::println;
use semihosting::process::ExitCode;

include!(concat!(env!("OUT_DIR"), "/filter.rs"));

#[entry]
fn start() -> ! {
    match run() {
        Ok(()) => ExitCode::SUCCESS.exit_process(),
        Err(trap) => {
            println!("{trap}");
            ExitCode::FAILURE.exit_process()
        }
    }
}

fn run() -> Result<(), jive_core::Trap> {
    let mut filter = filter::Filter::new(jive_core::NoNatives)?;
    let accepted = filter.accept(b"hello", 5)?;
    let executed = filter.unit().executed();
    println!("{accepted}, for {executed} instructions");
    // The length is longer than the array, so that the class reads beyond its end.
    if let Err(trap) = filter.accept(b"", 5) {
        let method = filter::METHOD_NAMES[usize::from(trap.method.0)];
        let line = filter::line(trap.method, trap.pc).unwrap_or(0);
        println!("{} in {method}, line {line}", trap.kind);
    }
    Ok(())
}
