//! The verifier's word that a class is safe, which is the only thing that the linker takes.

use crate::classfile::ClassFile;
use crate::id::{FieldId, MethodId};
use crate::native::NativeDecl;

/// The members that every applet has, beside the [entries](crate::EntryDecl) of its runtime.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AppletMembers {
    /// The constructor without parameters.
    pub constructor: MethodId,
    /// `RxBuf`, where the runtime puts an arriving packet.
    pub rx_buf: FieldId,
}

/// A class that passed verification against one natives table.
///
/// Holding one proves, if the verifier that vouched is right: every instruction of the class is inside the subset.
/// Every path keeps to `max_stack`, `max_locals` and the types that each instruction asks for. Every branch goes to an
/// instruction. Every member and native that the code names exists and fits. It says nothing about null, bounds,
/// divisors, heap, depth or fuel, which the interpreter tests as it runs.
#[derive(Copy, Clone, Debug)]
pub struct Verified<'a> {
    class: ClassFile<'a>,
    natives: &'static [NativeDecl],
    applet: Option<AppletMembers>,
}

impl<'a> Verified<'a> {
    /// Vouches for a class. **For the verifier alone**: no other code can know what this claims.
    ///
    /// Skips verification. For devices that trust a host which has already verified the class, and that read it by
    /// [`ClassFile::trusted`].
    ///
    /// A false voucher can make a call trap with [`TrapKind::Unverified`] or compute nonsense inside
    /// its own instance, but it cannot cause undefined behaviour.
    ///
    /// [`TrapKind::Unverified`]: crate::TrapKind::Unverified
    #[must_use]
    pub const fn vouch(
        class: ClassFile<'a>,
        natives: &'static [NativeDecl],
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

    /// Returns the natives that the class was verified against.
    #[must_use]
    pub const fn natives(&self) -> &'static [NativeDecl] {
        self.natives
    }

    /// Returns the applet's members, where the class was verified as an applet.
    #[must_use]
    pub const fn applet(&self) -> Option<AppletMembers> {
        self.applet
    }
}
