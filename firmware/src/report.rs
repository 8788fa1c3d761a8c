//! What a run took: the last lines, behind the trace and not part of it.

use crate::failure::Failure;
use crate::machine::Machine;

/// What a run took, in bytes where nothing else is said.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Lines of the trace.
    pub(crate) lines: u32,
    /// SHA-256 of the trace.
    pub(crate) hash: [u8; 32],
    /// The parser's index.
    pub(crate) index: usize,
    /// The verifier's work area.
    pub(crate) verifier: usize,
    /// The linker's.
    pub(crate) linker: usize,
    /// Stack while the class was parsed and verified.
    pub(crate) stack_verify: Option<usize>,
    /// Stack while it was linked.
    pub(crate) stack_link: Option<usize>,
    /// Stack while the applet ran, its natives were performed and the trace was written.
    pub(crate) stack_run: Option<usize>,
    /// What the linked program and its fields keep, by name.
    pub(crate) program: [(&'static str, usize); 4],
    /// Frames and slots of the applet's calls.
    pub(crate) calls: usize,
    /// The applet's own arrays.
    pub(crate) arrays: usize,
}

impl Report {
    /// Writes the report, a line `name value` for each figure.
    pub(crate) fn write(&self, machine: &mut impl Machine) -> Result<(), Failure> {
        machine.write_report(format_args!("trace-lines {}", self.lines))?;
        machine.write_report(format_args!("trace-sha256 {}", Hex(&self.hash)))?;
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
        if let Some(footprint) = machine.footprint() {
            machine.write_report(format_args!("program-code {}", footprint.code))?;
            machine.write_report(format_args!("program-constants {}", footprint.constants))?;
            machine.write_report(format_args!("program-memory {}", footprint.memory))?;
        }
        Ok(())
    }
}

/// Shows bytes in hexadecimal.
struct Hex<'a>(&'a [u8]);

impl core::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
