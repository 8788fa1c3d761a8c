//! What an applet needs of its NIC: the facilities of the natives that it calls.

use std::collections::BTreeSet;

use jive_core::{ClassFile, MethodId, Pc};
use jive_embed::analysis::native_calls;
use nic_core::sle::{Need, NicNative};

use crate::profile::Offers;

/// A call of a native that a NIC does not offer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NotOffered {
    /// The native.
    pub native: NicNative,
    /// What it needs.
    pub need: Need,
    /// The calling method.
    pub method: MethodId,
    /// The pc of the call.
    pub pc: Pc,
}

impl NotOffered {
    /// The stable code of the refusal, for `jive explain`.
    pub const CODE: &'static str = "applet/native-not-offered";
}

/// Returns the first call of each native that a NIC with these offers does not have. The class must be verified.
pub fn not_offered(class: &ClassFile<'_>, offers: Offers) -> impl Iterator<Item = NotOffered> {
    let mut known = BTreeSet::new();
    native_calls(class).filter_map(move |call| {
        let named = |native: &&NicNative| call.name == native.decl().name;
        let native = *NicNative::ALL.iter().find(named)?;
        let need = native.kind().needs().filter(|need| !offers.has(*need))?;
        known.insert(native).then_some(NotOffered {
            native,
            need,
            method: call.method,
            pc: call.pc,
        })
    })
}
