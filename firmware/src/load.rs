//! From bytes to a program in lent memory: parse, verify, link. What memory each took is reported.

use core::mem::MaybeUninit;

use jive_core::{
    LinkedClass, LinkedConstant, LinkedField, LinkedMethod, Mark, Op, Pc, ProgramSize, SwitchCase,
    Verified,
};
use jive_load::{LoadSize, Storage, link, parse, verify};
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};

use crate::failure::Failure;

/// A class that the verifier accepted as an applet, and what that took.
pub(crate) struct Accepted {
    pub(crate) verified: Verified<'static>,
    pub(crate) size: LoadSize,
    /// Bytes of the parser's index.
    pub(crate) index_bytes: usize,
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

/// Links a class that was accepted; a function of its own, likewise.
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

/// Returns the bytes of memory that a program of this size keeps.
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

/// Says whether there is room for what is needed.
pub(crate) fn room(what: &'static str, needed: usize, room: usize) -> Result<(), Failure> {
    if needed > room {
        return Err(Failure::Room { what, needed, room });
    }
    Ok(())
}
