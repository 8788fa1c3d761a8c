//! The interface of the program to the machine that it runs on.

use crate::failure::Failure;

/// A machine: files, two outputs, and measurement of the stack.
pub(crate) trait Machine {
    /// Reads a file into `place`. Returns the length of the file that was read.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or does not fit in `place`.
    fn read(&mut self, path: &str, place: &mut [u8]) -> Result<usize, Failure>;

    /// Writes to the output for the trace.
    ///
    /// # Errors
    ///
    /// Fails if the machine cannot write the output.
    fn write_trace(&mut self, bytes: &[u8]) -> Result<(), Failure>;

    /// Writes a line to the output for the report.
    ///
    /// # Errors
    ///
    /// Fails if the machine cannot write the output.
    fn write_report(&mut self, line: core::fmt::Arguments<'_>) -> Result<(), Failure>;

    /// Starts a new measurement of the stack's depth, by a mark at the current depth.
    fn mark_stack(&mut self);

    /// Returns the greatest depth of the stack since the mark, in bytes, relative to the depth at the mark. Returns
    /// `None` if the machine cannot measure the stack's depth.
    fn stack_since_mark(&self) -> Option<usize>;

    /// Returns the size of code, constants and reserved memory. Returns `None` if the machine cannot measure the sizes
    /// of code, constants and memory.
    fn footprint(&self) -> Option<Footprint>;
}

/// A machine with a serial line.
pub(crate) trait Line {
    /// Returns the next byte of the line. Returns `None` if the line stays silent for longer than `wait` allows.
    ///
    /// # Errors
    ///
    /// Fails if the line cannot be read.
    fn receive(&mut self, wait: Wait) -> Result<Option<u8>, Failure>;

    /// Writes bytes to the line. Nobody may be listening.
    ///
    /// # Errors
    ///
    /// Fails if the line cannot be written.
    fn transmit(&mut self, bytes: impl Iterator<Item = u8>) -> Result<(), Failure>;
}

/// How long to wait for a byte.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// As long as it takes.
    Forever,
    /// As long as half a capsule is kept: [`PATIENCE`](nic_core::sle::PATIENCE), of real time.
    Patience,
}

/// Memory use of the linked program, in bytes.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Footprint {
    /// Size of the instructions.
    pub(crate) code: usize,
    /// Size of the constants.
    pub(crate) constants: usize,
    /// Size of the statically reserved memory, without the stack.
    pub(crate) memory: usize,
}
