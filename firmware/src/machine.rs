//! What the program asks of the machine that it runs on.

use crate::failure::Failure;

/// A machine: files, two outputs and a look at its own stack.
pub(crate) trait Machine {
    /// Reads a file into `place` and returns how much of it that was.
    ///
    /// # Errors
    ///
    /// Where it cannot be read, or is longer than `place`.
    fn read(&mut self, path: &str, place: &mut [u8]) -> Result<usize, Failure>;

    /// Writes to the output that the trace goes to.
    ///
    /// # Errors
    ///
    /// Where that fails.
    fn write_trace(&mut self, bytes: &[u8]) -> Result<(), Failure>;

    /// Writes a line to the output that the report goes to.
    ///
    /// # Errors
    ///
    /// Where that fails.
    fn write_report(&mut self, line: core::fmt::Arguments<'_>) -> Result<(), Failure>;

    /// Forgets how deep the stack was.
    fn mark_stack(&mut self);

    /// Returns how many bytes of stack were in use at once since the mark, beyond those in use then. Returns `None`
    /// where the machine cannot tell.
    fn stack_since_mark(&self) -> Option<usize>;

    /// Returns how many bytes of code and constants the program has and of memory it reserves, or `None`
    /// where the machine cannot tell.
    fn footprint(&self) -> Option<Footprint>;
}

/// What a linked program takes, in bytes.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Footprint {
    /// Instructions.
    pub(crate) code: usize,
    /// Constants.
    pub(crate) constants: usize,
    /// Memory besides the stack.
    pub(crate) memory: usize,
}
