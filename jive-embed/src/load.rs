//! Loading and verifying in memory of an arena from the heap.

use bumpalo::Bump;
use jive_core::{ClassFile, LinkError, LinkedClass, NativeDecl, Verified};
pub use jive_load::LoadError;
use jive_load::{Arena, LoadSize};
use jive_verifier::{Observer, Policy, VerifyError, work_size};

/// Number of bytes of padding between the slices of a scratch arena.
pub(crate) const PADDING: usize = 64;

/// An arena that lends as much memory as a caller wants, because it takes more from the heap when it has none left.
pub(crate) struct Growing<'a>(pub(crate) &'a Bump);

impl<'a> Arena<'a> for Growing<'a> {
    fn lend<T: Copy + Default>(&self, count: usize) -> &'a mut [T] {
        self.0.alloc_slice_fill_copy(count, T::default())
    }
}

/// Loads a class against a table of natives, in memory that is taken from `arena`.
///
/// # Errors
///
/// A [`LoadError`] names the stage of loading that refused the class.
pub fn load_class<'a>(
    arena: &'a Bump,
    bytes: &'a [u8],
    policy: Policy,
    natives: &[NativeDecl<'_>],
) -> Result<LinkedClass<'a>, LoadError> {
    let arena = Growing(arena);
    let class = jive_load::parse(bytes, &arena)?;
    let LoadSize { work, program } = LoadSize::of(&class);
    // The memory that the verifier used is freed before the linker takes any memory.
    let verified = {
        let scratch = Bump::with_capacity(work.bytes().saturating_add(PADDING));
        jive_load::verify(class, work, policy, natives, &mut (), &Growing(&scratch))?
    };
    let program = jive_load::link(&verified, program, &arena, &arena)?;
    Ok(LinkedClass { class, program })
}

/// Links a class that the verifier accepted, in memory that is taken from `arena`.
///
/// # Errors
///
/// Fails if the class is unsafe, although `verified` declares it verified.
pub fn link_class<'a>(
    arena: &'a Bump,
    verified: &Verified<'a>,
) -> Result<LinkedClass<'a>, LinkError> {
    let (arena, class) = (Growing(arena), verified.class());
    let program = jive_load::link(verified, LoadSize::of(&class).program, &arena, &arena)?;
    Ok(LinkedClass { class, program })
}

/// Verifies a class against a table of natives, in memory that is freed afterwards.
///
/// # Errors
///
/// The error names the rule that the class breaks.
pub fn verify_class<'a>(
    class: ClassFile<'a>,
    policy: Policy,
    natives: &'a [NativeDecl<'a>],
    observer: &mut impl Observer,
) -> Result<Verified<'a>, VerifyError> {
    let size = work_size(&class);
    let scratch = Bump::with_capacity(size.bytes().saturating_add(PADDING));
    jive_load::verify(class, size, policy, natives, observer, &Growing(&scratch))
}
