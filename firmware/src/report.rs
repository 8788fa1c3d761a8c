//! What a run took: the last lines, behind the trace and not part of it.

use jive_core::{
    Frame, LinkedConstant, LinkedField, LinkedMethod, Op, Origin, ProgramSize, SwitchCase,
};

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
    pub(crate) work: usize,
    /// Stack while the class was parsed and verified.
    pub(crate) stack_verify: Option<usize>,
    /// Stack while it was linked.
    pub(crate) stack_link: Option<usize>,
    /// Stack while the applet ran, its natives were performed and the trace was written.
    pub(crate) stack_run: Option<usize>,
    /// What the linked program needs.
    pub(crate) program: ProgramSize,
    /// Fields of the applet.
    pub(crate) fields: usize,
    /// Frames of its calls.
    pub(crate) frames: usize,
    /// Slots of its calls.
    pub(crate) slots: usize,
    /// The applet's own arrays.
    pub(crate) arrays: usize,
}

impl Report {
    /// Writes the report, a line `name value` for each figure.
    pub(crate) fn write(&self, machine: &mut impl Machine) -> Result<(), Failure> {
        machine.write_report(format_args!("trace-lines {}", self.lines))?;
        machine.write_report(format_args!("trace-sha256 {}", Hex(&self.hash)))?;
        let parts = [
            ("ops", self.program.ops * size_of::<Op>()),
            ("origins", self.program.ops * size_of::<Origin>()),
            ("methods", self.program.methods * size_of::<LinkedMethod>()),
            (
                "fields",
                self.program.fields * size_of::<LinkedField>() + self.fields * size_of::<i32>(),
            ),
            ("switches", self.program.switches * size_of::<SwitchCase>()),
            ("frames", self.frames * size_of::<Frame>()),
            ("slots", self.slots * size_of::<i32>()),
        ];
        let endpoint: usize = parts.iter().map(|(_, bytes)| bytes).sum();
        for (name, bytes) in parts {
            machine.write_report(format_args!("endpoint-{name} {bytes}"))?;
        }
        machine.write_report(format_args!("endpoint {endpoint}"))?;
        machine.write_report(format_args!("endpoint-arrays {}", self.arrays))?;
        let constants = self.program.constants * size_of::<LinkedConstant>();
        machine.write_report(format_args!("link-constants {constants}"))?;
        machine.write_report(format_args!("parse-index {}", self.index))?;
        machine.write_report(format_args!("verify-work {}", self.work))?;
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
