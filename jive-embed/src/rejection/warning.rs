//! What is told of an instruction of a verified class: shown like a rejection by the verifier.

use jive_core::{ClassFile, MethodId, Pc};

use super::listing::{Listing, instruction};
use super::{FoundAt, Rejection};
use crate::lint::Lint;

impl Rejection {
    /// Explains what a lint found at an instruction.
    pub(crate) fn warning(
        found: FoundAt<'_>,
        class: &ClassFile<'_>,
        place: (MethodId, Pc),
        lint: Lint,
    ) -> Rejection {
        let mut warning = Rejection::at(found, class, place, (lint.code(), lint.to_string()));
        warning.is_warning = true;
        warning
    }

    /// Explains why a verified class cannot be used because of an instruction, for a `code` that has an explanation.
    #[must_use]
    pub fn at(
        found: FoundAt<'_>,
        class: &ClassFile<'_>,
        (id, pc): (MethodId, Pc),
        (code, message): (&'static str, String),
    ) -> Rejection {
        let mut told = Rejection::new(found.file, code, message);
        told.of_class(class, found);
        told.pc = Some(pc.0);
        if let Some(method) = class.method(id) {
            told.name(&method);
            if let Some(code) = method.code() {
                told.line = code.line(pc);
                told.instruction = Some(instruction(class, &code, pc));
                // The diagnosis shows the instructions around the finding and, if the source is found, the source line
                // after them.
                told.listing = Listing::of_code(class, &code, pc, "", &[]);
                told.instructions = told.listing.instructions.clone();
            }
        }
        told.quote_line();
        told
    }
}
