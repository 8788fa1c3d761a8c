//! How much memory loading a class needs, counted before an arena lends any memory.

use jive_core::{
    ClassFile, LinkedConstant, LinkedField, LinkedMethod, Mark, Op, Pc, ProgramSize, SwitchCase,
    count_code,
};
use jive_verifier::WorkSize;

/// How many bytes a linked program needs for each op: the op, and the count of instructions executed when the op is
/// done.
const OP_BYTES: usize = size_of::<Op>() + size_of::<u16>();

/// Maximum number of slices that each arena lends. Padding may precede each slice of an arena.
const SLICES: usize = 8;

/// Alignment of the most strictly aligned element of any slice, in bytes.
const ALIGNMENT: usize = 8;

/// How much memory the verifier and the linker need for a class.
///
/// One walk over the code counts the memory for the verifier and for the linker. The counts for verifier and linker are
/// upper bounds: a class may need less memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LoadSize {
    /// For the verifier.
    pub work: WorkSize,
    /// For the linker.
    pub program: ProgramSize,
}

impl LoadSize {
    /// Counts the memory that verifying and linking a class need.
    #[must_use]
    pub fn of(class: &ClassFile<'_>) -> LoadSize {
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
        LoadSize { work, program }
    }

    /// Returns how many bytes the linked class keeps, besides the class file and the parser's index.
    #[must_use]
    pub const fn kept_bytes(self) -> usize {
        let ProgramSize {
            ops,
            places,
            methods,
            fields,
            switches,
            ..
        } = self.program;
        padded(
            ops.saturating_mul(OP_BYTES)
                .saturating_add(places.saturating_mul(size_of::<Pc>()))
                .saturating_add(methods.saturating_mul(size_of::<LinkedMethod>()))
                .saturating_add(fields.saturating_mul(size_of::<LinkedField>()))
                .saturating_add(switches.saturating_mul(size_of::<SwitchCase>())),
        )
    }

    /// Returns how many bytes of scratch memory loading needs: the sum of what verifier and linker need.
    #[must_use]
    pub const fn scratch_bytes(self) -> usize {
        let ProgramSize {
            constants, marks, ..
        } = self.program;
        padded(
            constants
                .saturating_mul(size_of::<LinkedConstant>())
                .saturating_add(marks.saturating_mul(size_of::<Mark>()))
                .saturating_add(self.work.bytes()),
        )
    }
}

/// Adds room for the padding before each slice that an arena lends.
const fn padded(bytes: usize) -> usize {
    bytes.saturating_add(SLICES * 2 * ALIGNMENT)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec;

    use jive_core::program_size;
    use jive_verifier::{Policy, work_size};
    use nic_core::sle::{NicEntry, NicNative};

    use super::*;
    use crate::{Storage, verify};

    #[test]
    fn one_walk_sizes_verifier_and_linker() {
        for applet in applets::staged() {
            let (name, bytes) = (applet.name, applet.class);
            let mut index = vec![0; ClassFile::index_len(bytes)];
            let class = ClassFile::parse(bytes, &mut index).expect(name);
            let size = LoadSize::of(&class);
            let mut memory = vec![core::mem::MaybeUninit::uninit(); size.scratch_bytes()];
            let policy = Policy::Applet {
                entries: NicEntry::TABLE,
            };
            let scratch = Storage::new(&mut memory);
            let verified = verify(
                class,
                size.work,
                policy,
                NicNative::TABLE,
                &mut (),
                &scratch,
            )
            .expect(name);
            let counted = LoadSize {
                work: work_size(&class),
                program: program_size(&verified).expect(name),
            };
            assert_eq!(size, counted, "{name}");
        }
    }
}
