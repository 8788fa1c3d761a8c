//! Proof that a class passed verification. The linker accepts only a class with this proof.

use crate::classfile::ClassFile;
use crate::id::{FieldId, MethodId};
use crate::native::NativeDecl;

/// The members that every applet has, besides the [entries](crate::EntryDecl) that its runtime requires.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AppletMembers {
    /// The constructor without parameters.
    pub constructor: MethodId,
    /// The field `RxBuf`, with the array that the runtime copies an arriving packet into. An applet for a NIC that
    /// receives directly does not have it.
    pub rx_buf: Option<FieldId>,
}

/// A class that passed verification against a natives table.
///
/// If the verifier is correct, every instruction is in the subset, and every branch targets an instruction. On every
/// path, the code respects `max_stack`, `max_locals` and the operand types of each instruction. Every member and native
/// that the code names exists and has a matching type. The interpreter, not the verifier, checks null references, array
/// bounds, divisors, heap space, call depth and fuel, at run time.
#[derive(Copy, Clone, Debug)]
pub struct Verified<'a> {
    class: ClassFile<'a>,
    natives: &'a [NativeDecl<'a>],
    applet: Option<AppletMembers>,
}

impl<'a> Verified<'a> {
    /// Declares a class verified. **Only for the verifier**: no other code has checked that the class is safe.
    ///
    /// Skips verification. Devices that trust a host to verify a class use `vouch`, and read the class with
    /// [`ClassFile::trusted`].
    ///
    /// For an unsafe class, a call can trap with [`TrapKind::Unverified`] or compute wrong results within its instance.
    /// An unsafe class cannot cause undefined behaviour.
    ///
    /// [`TrapKind::Unverified`]: crate::TrapKind::Unverified
    #[must_use]
    pub const fn vouch(
        class: ClassFile<'a>,
        natives: &'a [NativeDecl<'a>],
        applet: Option<AppletMembers>,
    ) -> Self {
        Self {
            class,
            natives,
            applet,
        }
    }

    /// Returns the class.
    #[must_use]
    pub const fn class(&self) -> ClassFile<'a> {
        self.class
    }

    /// Borrows the class, so that readers need not copy it.
    pub(crate) const fn class_ref(&self) -> &ClassFile<'a> {
        &self.class
    }

    /// Returns the natives table that the class was verified against.
    #[must_use]
    pub const fn natives(&self) -> &'a [NativeDecl<'a>] {
        self.natives
    }

    /// Returns the applet's members if the class was verified as an applet.
    #[must_use]
    pub const fn applet(&self) -> Option<AppletMembers> {
        self.applet
    }
}
