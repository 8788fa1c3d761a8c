//! From bytes to a program in lent memory: parse, verify, link. What the class asks for is compared with
//! what there is before any of it is used.

use jive_core::{
    ClassFile, LinkedClass, LinkedConstant, LinkedField, LinkedMethod, Mark, Op, Pc, ProgramSize,
    ProgramStorage, SwitchCase, Verified, link, program_size,
};
use jive_verifier::{Policy, WorkArea, verify, work_size};
use nic_core::sle::{NicEntry, NicNative};

use crate::failure::Failure;
use crate::memory::{ProgramMemory, VerifierMemory};

/// A class that the verifier accepted as an applet, and what that took.
pub(crate) struct Accepted {
    pub(crate) verified: Verified<'static>,
    /// Bytes of the parser's index.
    pub(crate) index_bytes: usize,
    /// Bytes of the verifier's work area.
    pub(crate) work_bytes: usize,
}

/// A class that was linked, and what that took.
pub(crate) struct Linked {
    pub(crate) class: LinkedClass<'static>,
    /// Bytes of what is kept, by name.
    pub(crate) kept: [(&'static str, usize); 4],
    /// Bytes of what linking alone needed.
    pub(crate) work_bytes: usize,
}

/// Parses and verifies a class; a function of its own, so that its stack can be told from its caller's.
#[inline(never)]
pub(crate) fn accept(bytes: &'static [u8], memory: VerifierMemory) -> Result<Accepted, Failure> {
    let class = ClassFile::parse(bytes, memory.index)?;
    let size = work_size(&class);
    for (what, needed, there) in [
        ("resolved constants", size.constants, memory.constants.len()),
        (
            "bytes of signatures",
            size.signatures,
            memory.signatures.len(),
        ),
        ("marks of code", size.marks, memory.marks.len()),
        ("branch targets", size.leaders, memory.leaders.len()),
        ("words of the worklist", size.queue, memory.queue.len()),
        ("bytes of type states", size.states, memory.states.len()),
    ] {
        room(what, needed, there)?;
    }
    let work = WorkArea {
        constants: memory.constants,
        signatures: memory.signatures,
        marks: memory.marks,
        leaders: memory.leaders,
        queue: memory.queue,
        states: memory.states,
    };
    let verified = verify(
        class,
        Policy::Applet {
            entries: NicEntry::TABLE,
        },
        NicNative::TABLE,
        work,
    )?;
    Ok(Accepted {
        verified,
        index_bytes: class.index_words() * size_of::<u32>(),
        work_bytes: size.bytes(),
    })
}

/// Links a class that was accepted; a function of its own, likewise.
#[inline(never)]
pub(crate) fn link_class(
    verified: &Verified<'static>,
    memory: ProgramMemory,
) -> Result<Linked, Failure> {
    let size = program_size(verified)?;
    for (what, needed, there) in [
        ("linked instructions", size.ops, memory.ops.len()),
        ("ends of linked instructions", size.ops, memory.ends.len()),
        ("instructions", size.places, memory.places.len()),
        ("methods", size.methods, memory.methods.len()),
        ("fields", size.fields, memory.fields.len()),
        ("cases of switches", size.switches, memory.switches.len()),
        ("linked constants", size.constants, memory.constants.len()),
        ("bytes of one method's code", size.marks, memory.marks.len()),
    ] {
        room(what, needed, there)?;
    }
    let storage = ProgramStorage {
        ops: memory.ops,
        ends: memory.ends,
        places: memory.places,
        methods: memory.methods,
        fields: memory.fields,
        switches: memory.switches,
        constants: memory.constants,
        marks: memory.marks,
    };
    let program = link(verified, storage)?;
    Ok(Linked {
        class: LinkedClass {
            class: verified.class(),
            program,
        },
        kept: kept(size),
        work_bytes: size.constants * size_of::<LinkedConstant>() + size.marks * size_of::<Mark>(),
    })
}

/// Returns the bytes of memory that a program of this size keeps.
fn kept(size: ProgramSize) -> [(&'static str, usize); 4] {
    [
        (
            "ops",
            size.ops * (size_of::<Op>() + size_of::<u16>()) + size.places * size_of::<Pc>(),
        ),
        ("methods", size.methods * size_of::<LinkedMethod>()),
        (
            "fields",
            size.fields * (size_of::<LinkedField>() + size_of::<i32>()),
        ),
        ("switches", size.switches * size_of::<SwitchCase>()),
    ]
}

/// Says whether there is room for what is needed.
pub(crate) fn room(what: &'static str, needed: usize, room: usize) -> Result<(), Failure> {
    if needed > room {
        return Err(Failure::Room { what, needed, room });
    }
    Ok(())
}
