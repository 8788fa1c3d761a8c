//! The stages of loading, each in memory that an arena lends.

use jive_core::{
    CallStack, ClassFile, Instance, Lifetime, LinkError, LinkedClass, LinkedConstant, Mark,
    NativeDecl, Natives, ParseError, Program, ProgramSize, ProgramStorage, Trap, Verified,
};
use jive_verifier::{
    CheckArea, CheckError, FRAME_BYTES, Location, Observer, Policy, VerifyError, WorkArea,
    WorkSize, verify_with,
};

use crate::error::{CertifiedError, LoadError};
use crate::size::LoadSize;
use crate::storage::Arena;

/// Parses a class file. The arena `kept` lends the memory for the parser's index. The parsed class borrows the index
/// and the bytes.
///
/// # Errors
///
/// Returns a [`ParseError`] if the bytes are not a class file, or `kept` has no room for the index.
pub fn parse<'m>(bytes: &'m [u8], kept: &impl Arena<'m>) -> Result<ClassFile<'m>, ParseError> {
    ClassFile::parse(bytes, kept.lend(ClassFile::index_len(bytes)))
}

/// Verifies a class against a table of natives, and shows an observer the types that the verifier infers.
///
/// # Errors
///
/// A [`VerifyError`] names the rule that the class breaks, or how much memory the verifier needs.
// Not inlined on 32-bit targets: what is returned through memory is moved once then, and not once for each caller.
#[cfg_attr(target_pointer_width = "32", inline(never))]
pub fn verify<'m, 's>(
    class: ClassFile<'m>,
    size: WorkSize,
    policy: Policy,
    natives: &'m [NativeDecl<'m>],
    observer: &mut impl Observer,
    scratch: &impl Arena<'s>,
) -> Result<Verified<'m>, VerifyError> {
    let work = WorkArea {
        constants: scratch.lend(size.constants),
        signatures: scratch.lend(size.signatures),
        marks: scratch.lend(size.marks),
        leaders: scratch.lend(size.leaders),
        queue: scratch.lend(size.queue),
        states: scratch.lend(size.states),
    };
    verify_with(class, policy, natives, work, observer)
}

/// Checks a class against a certificate, instead of verifying it. The check needs less of `scratch` than
/// [`verify`]: no states of branch targets, and the types of one frame.
///
/// # Errors
///
/// A [`CheckError`] says where the class breaks a rule or the certificate does not fit, or that `scratch` is too small.
pub fn check<'m, 's>(
    class: ClassFile<'m>,
    size: WorkSize,
    policy: Policy,
    natives: &'m [NativeDecl<'m>],
    certificate: &[u8],
    scratch: &impl Arena<'s>,
) -> Result<Verified<'m>, CheckError> {
    let constants = scratch.lend(size.constants);
    let signatures = scratch.lend(size.signatures);
    let frame = scratch.lend(FRAME_BYTES).first_chunk_mut();
    let area = CheckArea {
        constants,
        signatures,
        frame: frame.ok_or(CheckError {
            at: Location::Class,
        })?,
    };
    jive_verifier::check(class, policy, natives, certificate, area)
}

/// Links a verified class. The arena `kept` lends the memory for the linked program.
///
/// # Errors
///
/// Returns a [`LinkError`] if an arena has too little room.
pub fn link<'m, 's>(
    verified: &Verified<'_>,
    size: ProgramSize,
    kept: &impl Arena<'m>,
    scratch: &impl Arena<'s>,
) -> Result<Program<'m>, LinkError> {
    jive_core::link(verified, program_storage(size, kept, scratch))
}

/// Links a verified class as [`link`] does, for a collector ([`jive_core::link_collected`]).
///
/// # Errors
///
/// Returns a [`LinkError`] if an arena has too little room, or if the class calls a native of a reserved number.
pub fn link_collected<'m, 's>(
    verified: &Verified<'_>,
    size: ProgramSize,
    kept: &impl Arena<'m>,
    scratch: &impl Arena<'s>,
) -> Result<Program<'m>, LinkError> {
    jive_core::link_collected(verified, program_storage(size, kept, scratch))
}

/// Lends the memory for a program.
#[inline(always)]
fn program_storage<'m, 's>(
    size: ProgramSize,
    kept: &impl Arena<'m>,
    scratch: &impl Arena<'s>,
) -> ProgramStorage<'m, 's> {
    ProgramStorage {
        ops: kept.lend(size.ops),
        ends: kept.lend(size.ops),
        places: kept.lend(size.places),
        methods: kept.lend(size.methods),
        fields: kept.lend(size.fields),
        switches: kept.lend(size.switches),
        constants: scratch.lend::<LinkedConstant>(size.constants),
        marks: scratch.lend::<Mark>(size.marks),
    }
}

/// Loads a class against a table of natives: parses, verifies and links it.
///
/// The loaded class borrows its bytes and memory of the arena `kept`. Memory of the arena `scratch` is free again when
/// `load` returns.
///
/// # Errors
///
/// A [`LoadError`] names the stage that refused the class.
#[cfg_attr(target_pointer_width = "32", inline(never))]
pub fn load<'m, 's>(
    bytes: &'m [u8],
    policy: Policy,
    natives: &[NativeDecl<'_>],
    kept: &impl Arena<'m>,
    scratch: &impl Arena<'s>,
) -> Result<LinkedClass<'m>, LoadError> {
    let class = parse(bytes, kept)?;
    let size = LoadSize::of(&class);
    let verified = verify(class, size.work, policy, natives, &mut (), scratch)?;
    let program = link(&verified, size.program, kept, scratch)?;
    Ok(LinkedClass { class, program })
}

/// Loads a class as [`load`] does, but checks it against a certificate instead of verifying it.
///
/// # Errors
///
/// A [`CertifiedError`] names the stage that refused the class or the certificate.
pub fn load_certified<'m, 's>(
    (bytes, certificate): (&'m [u8], &[u8]),
    policy: Policy,
    natives: &[NativeDecl<'_>],
    kept: &impl Arena<'m>,
    scratch: &impl Arena<'s>,
) -> Result<LinkedClass<'m>, CertifiedError> {
    let class = parse(bytes, kept)?;
    let size = LoadSize::of(&class);
    let verified = check(class, size.work, policy, natives, certificate, scratch)?;
    let program = link(&verified, size.program, kept, scratch)?;
    Ok(LinkedClass { class, program })
}

/// Runs the static initializer of a class and then its constructor without parameters, if it has them. Initializer and
/// constructor may execute `fuel` instructions each. Arrays that initializer and constructor make live as long as the
/// instance.
///
/// # Errors
///
/// Returns the trap in which the initializer or the constructor ended.
pub fn initialize(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    fuel: u64,
    natives: &mut impl Natives,
) -> Result<(), Trap> {
    let program = instance.program();
    for method in program.initializers() {
        instance.call(stack, method, &[], fuel, Lifetime::Persistent, natives)?;
    }
    Ok(())
}
