//! Loading of a class in lent memory: parse, verify and link. Each of these steps reports the memory that it uses.

use core::mem::MaybeUninit;

use jive_core::{
    LinkedClass, LinkedConstant, LinkedField, LinkedMethod, Mark, Op, Pc, ProgramSize, SwitchCase,
    Verified,
};
use jive_load::{LoadSize, Storage, link, parse, verify};
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};

use crate::failure::Failure;

/// A class that the verifier accepted as an applet, and the memory that parsing and verifying it used.
pub(crate) struct Accepted {
    pub(crate) verified: Verified<'static>,
    pub(crate) size: LoadSize,
    /// Size of the parser's index, in bytes.
    pub(crate) index_bytes: usize,
}

/// A linked class, and the memory that it uses.
pub(crate) struct Linked {
    pub(crate) class: LinkedClass<'static>,
    /// Size in bytes and name of each part of the linked class.
    pub(crate) kept: [(&'static str, usize); 4],
    /// Size of the memory that only the linker needs, in bytes.
    pub(crate) work_bytes: usize,
}

/// Parses and verifies a class. `accept` is a separate function, so that its stack use can be measured.
#[inline(never)]
pub(crate) fn accept(
    bytes: &'static [u8],
    kept: &Storage<'static>,
    scratch: &mut [MaybeUninit<u8>],
) -> Result<Accepted, Failure> {
    let class = parse(bytes, kept)?;
    let size = LoadSize::of(&class);
    let policy = Policy::Applet {
        entries: NicEntry::TABLE,
    };
    let scratch = Storage::new(scratch);
    let verified = verify(
        class,
        size.work,
        policy,
        NicNative::TABLE,
        &mut (),
        &scratch,
    )?;
    Ok(Accepted {
        verified,
        size,
        index_bytes: class.index_words() * size_of::<u32>(),
    })
}

/// Links a verified class. `link_class` is a separate function, so that its stack use can be measured.
#[inline(never)]
pub(crate) fn link_class(
    verified: &Verified<'static>,
    size: ProgramSize,
    kept: &Storage<'static>,
    scratch: &mut [MaybeUninit<u8>],
) -> Result<Linked, Failure> {
    let program = link(verified, size, kept, &Storage::new(scratch))?;
    Ok(Linked {
        class: LinkedClass {
            class: verified.class(),
            program,
        },
        kept: parts(size),
        work_bytes: size.constants * size_of::<LinkedConstant>() + size.marks * size_of::<Mark>(),
    })
}

/// Returns the memory that a program of this size keeps, in bytes.
fn parts(size: ProgramSize) -> [(&'static str, usize); 4] {
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

/// Checks that the reserved memory `room` is at least as large as the memory `needed` for `what`.
pub(crate) fn room(what: &'static str, needed: usize, room: usize) -> Result<(), Failure> {
    if needed > room {
        return Err(Failure::Room { what, needed, room });
    }
    Ok(())
}
