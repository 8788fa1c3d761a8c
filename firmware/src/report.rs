//! The report on memory use, printed after the trace.

use crate::failure::Failure;
use crate::machine::Machine;

/// Memory use of a run. Sizes are in bytes.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Number of lines of the run's trace.
    pub(crate) lines: u32,
    /// SHA-256 of the trace.
    pub(crate) hash: [u8; 32],
    /// Size of the parser's index.
    pub(crate) index: usize,
    /// Size of the verifier's work area.
    pub(crate) verifier: usize,
    /// Size of the linker's work memory.
    pub(crate) linker: usize,
    /// Stack depth while parsing and verifying the class.
    pub(crate) stack_verify: Option<usize>,
    /// Stack depth while linking.
    pub(crate) stack_link: Option<usize>,
    /// Stack depth while running the applet, performing natives and writing the trace.
    pub(crate) stack_run: Option<usize>,
    /// Size and name of each part of the linked program.
    pub(crate) program: [(&'static str, usize); 4],
    /// Size of the call stack's frames and slots.
    pub(crate) calls: usize,
    /// Size of the applet's arrays.
    pub(crate) arrays: usize,
}

impl Report {
    /// Writes the report on memory use, with a line `name value` for each figure.
    pub(crate) fn write(&self, machine: &mut impl Machine) -> Result<(), Failure> {
        write_totals(machine, self.lines, &self.hash)?;
        let mut endpoint = self.calls;
        for (name, bytes) in self.program {
            endpoint += bytes;
            machine.write_report(format_args!("endpoint-{name} {bytes}"))?;
        }
        machine.write_report(format_args!("endpoint-calls {}", self.calls))?;
        machine.write_report(format_args!("endpoint {endpoint}"))?;
        machine.write_report(format_args!("endpoint-arrays {}", self.arrays))?;
        machine.write_report(format_args!("link-work {}", self.linker))?;
        machine.write_report(format_args!("parse-index {}", self.index))?;
        machine.write_report(format_args!("verify-work {}", self.verifier))?;
        for (name, stack) in [
            ("verify-stack", self.stack_verify),
            ("link-stack", self.stack_link),
            ("run-stack", self.stack_run),
        ] {
            if let Some(bytes) = stack {
                machine.write_report(format_args!("{name} {bytes}"))?;
            }
        }
        write_footprint(machine)
    }
}

/// Writes the size of the program, if the machine can measure it.
pub(crate) fn write_footprint(machine: &mut impl Machine) -> Result<(), Failure> {
    if let Some(footprint) = machine.footprint() {
        machine.write_report(format_args!("program-code {}", footprint.code))?;
        machine.write_report(format_args!("program-constants {}", footprint.constants))?;
        machine.write_report(format_args!("program-memory {}", footprint.memory))?;
    }
    Ok(())
}

/// Writes how long a trace is, and its hash.
pub(crate) fn write_totals(
    machine: &mut impl Machine,
    lines: u32,
    hash: &[u8; 32],
) -> Result<(), Failure> {
    machine.write_report(format_args!("trace-lines {lines}"))?;
    machine.write_report(format_args!("trace-sha256 {}", Hex(hash)))
}

/// Displays bytes in hexadecimal.
struct Hex<'a>(&'a [u8]);

impl core::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
