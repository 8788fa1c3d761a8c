//! The host version of the program, so that its trace can be compared with that of the device.

use std::fmt::Arguments;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use crate::failure::Failure;
use crate::machine::{Footprint, Machine};
use crate::run::run;

/// Runs the program with the process's arguments.
pub(crate) fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&mut Host, arguments.iter().map(String::as_str)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("firmware: {failure}");
            ExitCode::FAILURE
        }
    }
}

struct Host;

impl Machine for Host {
    fn read(&mut self, path: &str, place: &mut [u8]) -> Result<usize, Failure> {
        let mut bytes = Vec::new();
        let limit = place.len() as u64 + 1;
        let file = std::fs::File::open(path).map_err(|_| Failure::Read)?;
        file.take(limit)
            .read_to_end(&mut bytes)
            .map_err(|_| Failure::Read)?;
        let read = place.get_mut(..bytes.len()).ok_or(Failure::Read)?;
        read.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_trace(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        io::stdout().write_all(bytes).map_err(|_| Failure::Write)
    }

    fn write_report(&mut self, line: Arguments<'_>) -> Result<(), Failure> {
        writeln!(io::stderr(), "{line}").map_err(|_| Failure::Write)
    }

    fn mark_stack(&mut self) {}

    fn stack_since_mark(&self) -> Option<usize> {
        None
    }

    fn footprint(&self) -> Option<Footprint> {
        None
    }
}
