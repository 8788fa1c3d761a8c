//! What lowering is given of a method.

use crate::classfile::Code;
use crate::program::ValueKind;

/// The parts of the class file that lowering a method needs.
pub(crate) struct Source<'a> {
    pub(crate) code: Code<'a>,
    /// The type of the value that the method returns. A returned value is narrowed to the method's result type (JVMS
    /// §6.5.ireturn).
    pub(crate) result: ValueKind,
    pub(crate) has_receiver: bool,
}
