//! Loading of a class in an arena: parse, verify and link.

use bumpalo::Bump;
use jive_core::{
    ClassFile, LinkError, LinkedClass, LinkedConstant, LinkedField, LinkedMethod, Mark, NativeDecl,
    Op, ParseError, Pc, ProgramSize, ProgramStorage, SwitchCase, Verified, count_code, link,
};
use jive_verifier::{
    CodeMarks, Observer, Policy, Resolved, VerifyError, WorkArea, WorkSize, verify_with, work_size,
};

/// Padding between the parts of a work area, in bytes. An upper bound.
const ALIGNING: usize = 64;

/// Why a class could not be loaded.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The bytes are not a class file.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The class is unsafe or outside the subset.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The class exceeds a limit of the linked form.
    #[error(transparent)]
    Link(#[from] LinkError),
}

impl LoadError {
    /// Returns the stable code of the broken rule.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            LoadError::Parse(error) => error.code(),
            LoadError::Verify(error) => error.kind.code(),
            LoadError::Link(error) => error.kind.code(),
        }
    }
}

/// Loads a class against a natives table. Allocates everything in `arena`.
///
/// # Errors
///
/// The [`LoadError`] names the stage that rejected the class.
pub fn load_class<'a>(
    arena: &'a Bump,
    bytes: &'a [u8],
    policy: Policy,
    natives: &'static [NativeDecl],
) -> Result<LinkedClass<'a>, LoadError> {
    let index = arena.alloc_slice_fill_copy(ClassFile::index_len(bytes), 0u32);
    let class = ClassFile::parse(bytes, index)?;
    let (work, size) = load_size(&class);
    let verified = verify_in(work, class, policy, natives, &mut ())?;
    let storage = ProgramStorage {
        ops: arena.alloc_slice_fill_copy(size.ops, Op::default()),
        ends: arena.alloc_slice_fill_copy(size.ops, 0),
        places: arena.alloc_slice_fill_copy(size.places, Pc(0)),
        methods: arena.alloc_slice_fill_copy(size.methods, LinkedMethod::default()),
        fields: arena.alloc_slice_fill_copy(size.fields, LinkedField::default()),
        switches: arena.alloc_slice_fill_copy(size.switches, SwitchCase::default()),
        constants: arena.alloc_slice_fill_copy(size.constants, LinkedConstant::default()),
        marks: arena.alloc_slice_fill_copy(size.marks, Mark::default()),
    };
    let program = link(&verified, storage)?;
    Ok(LinkedClass { class, program })
}

/// Returns the memory sizes for verification and linking of a class. Counts in a single pass over its code.
fn load_size(class: &ClassFile<'_>) -> (WorkSize, ProgramSize) {
    let mut work = WorkSize::without_methods(class);
    let mut program = ProgramSize::without_code(class);
    for method in class.methods() {
        let code = method.code().map(|code| code.bytes);
        let counts = code.map(count_code);
        work.add_method(&method, counts.as_ref());
        if let (Some(code), Some(counts)) = (code, counts) {
            program.add_code(code, &counts);
        }
    }
    (work, program)
}

/// Verifies a class against a natives table, in temporary memory.
///
/// # Errors
///
/// The broken rule.
pub fn verify_class<'a>(
    class: ClassFile<'a>,
    policy: Policy,
    natives: &'static [NativeDecl],
    observer: &mut impl Observer,
) -> Result<Verified<'a>, VerifyError> {
    verify_in(work_size(&class), class, policy, natives, observer)
}

/// Verifies a class in temporary memory of the given size.
fn verify_in<'a>(
    size: WorkSize,
    class: ClassFile<'a>,
    policy: Policy,
    natives: &'static [NativeDecl],
    observer: &mut impl Observer,
) -> Result<Verified<'a>, VerifyError> {
    // A single allocation, with some extra space for alignment between the parts.
    let arena = Bump::with_capacity(size.bytes().saturating_add(ALIGNING));
    let work = WorkArea {
        constants: arena.alloc_slice_fill_copy(size.constants, Resolved::default()),
        signatures: arena.alloc_slice_fill_copy(size.signatures, 0),
        marks: arena.alloc_slice_fill_copy(size.marks, CodeMarks::default()),
        leaders: arena.alloc_slice_fill_copy(size.leaders, 0),
        queue: arena.alloc_slice_fill_copy(size.queue, 0),
        states: arena.alloc_slice_fill_copy(size.states, 0),
    };
    verify_with(class, policy, natives, work, observer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jive_core::program_size;
    use nic_core::sle::{NicEntry, NicNative};

    #[test]
    fn the_sizes_counted_in_a_single_pass_are_exact() {
        for applet in applets::ALL {
            let (name, bytes) = (applet.name, applet.class);
            let arena = Bump::new();
            let index = arena.alloc_slice_fill_copy(ClassFile::index_len(bytes), 0u32);
            let class = ClassFile::parse(bytes, index).expect(name);
            let policy = Policy::Applet {
                entries: NicEntry::TABLE,
            };
            let verified = verify_class(class, policy, NicNative::TABLE, &mut ()).expect(name);
            let counted = (work_size(&class), program_size(&verified).expect(name));
            assert_eq!(load_size(&class), counted, "{name}");
        }
    }
}
