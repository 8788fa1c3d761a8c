//! The Cortex-M version of the program: arguments, files and output through semihosting.

use core::ffi::CStr;
use core::fmt::{Arguments, Write as _};

use heapless::{String, Vec};
use semihosting::experimental::env;
use semihosting::fs::File;
use semihosting::io::{self, Read, Stderr, Stdout, Write};
use semihosting::process::ExitCode;

use crate::failure::Failure;
use crate::linked::{self, Mark};
use crate::machine::{Footprint, Line, Machine, Wait};
use crate::uart::Uart;

/// Greatest length of the program's command line, in bytes.
const COMMAND_LINE_MAX: usize = 512;

/// Greatest length of a line of the report, in bytes.
const REPORT_LINE_MAX: usize = 128;

/// Runs a program with the arguments of the debugger's host, and ends.
pub fn start(program: fn(&mut Device, &mut dyn Iterator<Item = &str>) -> Result<(), Failure>) -> ! {
    match main(program) {
        Ok(()) => ExitCode::SUCCESS.exit_process(),
        Err(failure) => {
            // If writing to standard error fails too, the program cannot report its failure.
            if let Ok(mut output) = io::stderr() {
                let _ = writeln!(Lines(&mut output), "firmware: {failure}");
            }
            ExitCode::FAILURE.exit_process()
        }
    }
}

fn main(
    program: fn(&mut Device, &mut dyn Iterator<Item = &str>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let arguments = env::args::<COMMAND_LINE_MAX>().map_err(|_| Failure::Read)?;
    let mut device = Device {
        trace: io::stdout().map_err(|_| Failure::Write)?,
        report: io::stderr().map_err(|_| Failure::Write)?,
        mark: Mark::paint(),
        uart: None,
    };
    // Skips the program's name. The list of arguments ends at the first argument that is not UTF-8.
    program(&mut device, &mut arguments.skip(1).map_while(Result::ok))
}

/// The device, and the debugger's host.
pub struct Device {
    trace: Stdout,
    report: Stderr,
    mark: Mark,
    /// The serial line, which is enabled when it is first used.
    uart: Option<Uart>,
}

impl Machine for Device {
    fn read(&mut self, path: &str, place: &mut [u8]) -> Result<usize, Failure> {
        let mut name =
            Vec::<u8, COMMAND_LINE_MAX>::from_slice(path.as_bytes()).map_err(|_| Failure::Read)?;
        name.push(0).map_err(|_| Failure::Read)?;
        let name = CStr::from_bytes_with_nul(&name).map_err(|_| Failure::Read)?;
        let mut file = File::open(name).map_err(|_| Failure::Read)?;
        let mut length = 0;
        loop {
            match file.read(&mut place[length..]).map_err(|_| Failure::Read)? {
                0 => break,
                read => length += read,
            }
        }
        // If a file fills the buffer that it is read into, the file may be longer than the buffer.
        if length == place.len() {
            return Err(Failure::Read);
        }
        Ok(length)
    }

    fn write_trace(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.trace.write_all(bytes).map_err(|_| Failure::Write)
    }

    fn write_report(&mut self, line: Arguments<'_>) -> Result<(), Failure> {
        Ok(writeln!(Lines(&mut self.report), "{line}")?)
    }

    fn mark_stack(&mut self) {
        self.mark = Mark::paint();
    }

    fn stack_since_mark(&self) -> Option<usize> {
        Some(self.mark.depth())
    }

    fn footprint(&self) -> Option<Footprint> {
        Some(linked::footprint())
    }
}

impl Line for Device {
    fn receive(&mut self, wait: Wait) -> Result<Option<u8>, Failure> {
        Ok(self.uart.get_or_insert_with(Uart::enable).receive(wait))
    }

    fn transmit(&mut self, bytes: impl Iterator<Item = u8>) -> Result<(), Failure> {
        let uart = self.uart.get_or_insert_with(Uart::enable);
        bytes.for_each(|byte| uart.transmit(byte));
        Ok(())
    }
}

/// Writes to an output line by line, because each semihosting call stops the device.
struct Lines<'a>(&'a mut Stderr);

impl core::fmt::Write for Lines<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.0
            .write_all(text.as_bytes())
            .map_err(|_| core::fmt::Error)
    }

    fn write_fmt(&mut self, text: Arguments<'_>) -> core::fmt::Result {
        let mut line = String::<REPORT_LINE_MAX>::new();
        line.write_fmt(text)?;
        self.write_str(&line)
    }
}
