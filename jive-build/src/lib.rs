//! Prints verified class files as safe Rust.
#![forbid(unsafe_code)]

mod graph;
mod live;
mod method;
mod module;

use jive_core::{LinkError, ProgramStorage, Verified, link_portable, program_size};

pub use method::Interpreted;
pub use module::Printed;

/// Prints a verified class as the items of a module.
///
/// # Errors
///
/// Fails if the class was declared verified wrongly.
pub fn print(verified: &Verified<'_>) -> Result<Printed, LinkError> {
    let size = program_size(verified)?;
    let (mut ops, mut ends) = (vec![Default::default(); size.ops], vec![0; size.ops]);
    let mut places = vec![Default::default(); size.places];
    let mut methods = vec![Default::default(); size.methods];
    let mut fields = vec![Default::default(); size.fields];
    let mut switches = vec![Default::default(); size.switches];
    let mut constants = vec![Default::default(); size.constants];
    let mut marks = vec![Default::default(); size.marks];
    let program = link_portable(
        verified,
        ProgramStorage {
            ops: &mut ops,
            ends: &mut ends,
            places: &mut places,
            methods: &mut methods,
            fields: &mut fields,
            switches: &mut switches,
            constants: &mut constants,
            marks: &mut marks,
        },
    )?;
    Ok(module::module(&verified.class(), &program))
}
