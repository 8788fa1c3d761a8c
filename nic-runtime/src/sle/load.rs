//! From bytes to a program: parse, verify, link, in memory that an arena lends.

#[cfg(feature = "std")]
use bumpalo::Bump;
use jive_core::{ClassFile, LinkError, MethodId, ParseError, Pc, Program};
#[cfg(feature = "std")]
use jive_core::{
    LinkedConstant, LinkedField, LinkedMethod, Mark, Op, ProgramStorage, SwitchCase, Verified, link,
};
pub use jive_verifier::Policy;
use jive_verifier::VerifyError;
#[cfg(feature = "std")]
use jive_verifier::{
    CodeMarks, LoadSize, Observer, Resolved, WorkArea, WorkSize, load_size, verify_with, work_size,
};

#[cfg(feature = "std")]
use super::NicNative;

/// Bytes that the parts of a work area may lie apart in all.
#[cfg(feature = "std")]
const ALIGNING: usize = 64;

/// A class that the verifier accepted, linked. Every instance of it shares this value.
#[derive(Copy, Clone, Debug)]
pub struct LoadedClass<'a> {
    /// The class as parsed, for names and line numbers.
    pub class: ClassFile<'a>,
    /// The class as linked.
    pub program: Program<'a>,
}

impl LoadedClass<'_> {
    /// Returns the source line of an instruction, where the class has line numbers.
    #[must_use]
    pub fn line(&self, method: MethodId, pc: Pc) -> Option<u16> {
        self.class.method(method)?.code()?.line(pc)
    }
}

/// Why a class could not be loaded.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It is no class file.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// It is not safe, or outside of the subset.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The virtual machine has no room for it.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// It was verified as a class only and is to run as an applet.
    #[error("the class was not verified as an applet")]
    NotAnApplet,
    /// `RxBuf` alone is larger than a heap.
    #[error("`RxBuf` does not fit in a heap")]
    TooLarge,
}

/// Loads a class against the table of [`NicNative`]; everything it needs is taken from `arena`.
///
/// # Errors
///
/// [`LoadError`] names the stage that refused the class.
#[cfg(feature = "std")]
pub fn load_class<'a>(
    arena: &'a Bump,
    bytes: &'a [u8],
    policy: Policy,
) -> Result<LoadedClass<'a>, LoadError> {
    let index = arena.alloc_slice_fill_copy(ClassFile::index_len(bytes), 0u32);
    let class = ClassFile::parse(bytes, index)?;
    let LoadSize {
        work,
        program: size,
    } = load_size(&class);
    let verified = verify_in(work, class, policy, &mut ())?;
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
    Ok(LoadedClass { class, program })
}

/// Verifies a class against the table of [`NicNative`], in memory that is given back afterwards.
///
/// # Errors
///
/// The rule that the class breaks.
#[cfg(feature = "std")]
pub fn verify_class<'a>(
    class: ClassFile<'a>,
    policy: Policy,
    observer: &mut impl Observer,
) -> Result<Verified<'a>, VerifyError> {
    verify_in(work_size(&class), class, policy, observer)
}

/// Verifies a class in as much memory as was counted.
#[cfg(feature = "std")]
fn verify_in<'a>(
    size: WorkSize,
    class: ClassFile<'a>,
    policy: Policy,
    observer: &mut impl Observer,
) -> Result<Verified<'a>, VerifyError> {
    // All of it at once; a little more, since each part is aligned.
    let arena = Bump::with_capacity(size.bytes().saturating_add(ALIGNING));
    let work = WorkArea {
        constants: arena.alloc_slice_fill_copy(size.constants, Resolved::default()),
        signatures: arena.alloc_slice_fill_copy(size.signatures, 0),
        marks: arena.alloc_slice_fill_copy(size.marks, CodeMarks::default()),
        leaders: arena.alloc_slice_fill_copy(size.leaders, 0),
        queue: arena.alloc_slice_fill_copy(size.queue, 0),
        states: arena.alloc_slice_fill_copy(size.states, 0),
    };
    verify_with(class, policy, NicNative::TABLE, work, observer)
}
