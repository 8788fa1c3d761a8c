//! A warning, which is shown like a rejection.

use jive_core::{ClassFile, MethodId, Pc};

use super::listing::{Listing, instruction};
use super::{FoundAt, Rejection};
use crate::lint::Lint;

impl Rejection {
    /// Explains what a lint found at an instruction.
    pub(crate) fn warning(
        found: FoundAt<'_>,
        class: &ClassFile<'_>,
        (id, pc): (MethodId, Pc),
        lint: Lint,
    ) -> Rejection {
        let mut warning = Rejection::new(found.file, lint.code(), lint.to_string());
        warning.is_warning = true;
        warning.of_class(class, found);
        warning.pc = Some(pc.0);
        if let Some(method) = class.method(id) {
            warning.name(&method);
            if let Some(code) = method.code() {
                warning.line = code.line(pc);
                warning.instruction = Some(instruction(class, &code, pc));
                // The diagnosis shows the instructions around the finding and, if the source is found, the source line
                // after them.
                warning.listing = Listing::of_code(class, &code, pc, "", &[]);
                warning.instructions = warning.listing.instructions.clone();
            }
        }
        warning.quote_line();
        warning
    }
}
