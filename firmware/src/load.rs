//! From bytes to a program in lent memory: parse, verify, link. What the class asks for is compared with
//! what there is before any of it is used.

use jive_core::{ClassFile, ProgramStorage, Verified, link, program_size};
use jive_verifier::{WorkArea, verify, work_size};
use nic_runtime::sle::{LoadError, LoadedClass, NicNative, Policy};

use crate::failure::Failure;

/// Memory that the parser and the verifier work in.
pub(crate) struct VerifierMemory {
    pub(crate) index: &'static mut [u32],
    pub(crate) work: WorkArea<'static>,
}

/// A class that the verifier accepted as an applet, and what that took.
pub(crate) struct Accepted {
    pub(crate) verified: Verified<'static>,
    /// Bytes of the parser's index.
    pub(crate) index_bytes: usize,
    /// Bytes of the verifier's work area.
    pub(crate) work_bytes: usize,
}

/// Parses and verifies a class; a function of its own, so that its stack can be told from its caller's.
#[inline(never)]
pub(crate) fn accept(bytes: &'static [u8], memory: VerifierMemory) -> Result<Accepted, Failure> {
    let VerifierMemory { index, work } = memory;
    let index_length = ClassFile::index_len(bytes).map_err(LoadError::from)?;
    room("words of the parser's index", index_length, index.len())?;
    let class = ClassFile::parse(bytes, &mut index[..index_length]).map_err(LoadError::from)?;
    let size = work_size(&class);
    for (what, needed, room_for) in [
        ("resolved constants", size.constants, work.constants.len()),
        (
            "bytes of signatures",
            size.signatures,
            work.signatures.len(),
        ),
        ("marks of code", size.marks, work.marks.len()),
        ("branch targets", size.leaders, work.leaders.len()),
        ("words of the worklist", size.queue, work.queue.len()),
        ("bytes of type states", size.states, work.states.len()),
    ] {
        room(what, needed, room_for)?;
    }
    let verified =
        verify(class, Policy::Applet, NicNative::TABLE, work).map_err(LoadError::from)?;
    Ok(Accepted {
        verified,
        index_bytes: index_length * size_of::<u32>(),
        work_bytes: size.bytes(),
    })
}

/// Links a class that was accepted; a function of its own, likewise.
#[inline(never)]
pub(crate) fn link_class(
    verified: &Verified<'static>,
    storage: ProgramStorage<'static>,
) -> Result<LoadedClass<'static>, Failure> {
    let size = program_size(verified).map_err(LoadError::from)?;
    for (what, needed, room_for) in [
        (
            "linked instructions",
            size.ops,
            storage.ops.len().min(storage.origins.len()),
        ),
        ("methods", size.methods, storage.methods.len()),
        ("fields", size.fields, storage.fields.len()),
        ("cases of switches", size.switches, storage.switches.len()),
        ("linked constants", size.constants, storage.constants.len()),
    ] {
        room(what, needed, room_for)?;
    }
    let program = link(verified, storage).map_err(LoadError::from)?;
    Ok(LoadedClass {
        class: verified.class(),
        program,
    })
}

/// Says whether there is room for what is needed.
pub(crate) fn room(what: &'static str, needed: usize, room: usize) -> Result<(), Failure> {
    if needed > room {
        return Err(Failure::Room { what, needed, room });
    }
    Ok(())
}
