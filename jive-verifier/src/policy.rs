//! What is asked of a class besides its safety: the members that make it an applet (CONTRACT §1).

use jive_core::{AppletMembers, ClassFile, FieldAccess, FieldId, Method, MethodAccess, MethodId};

use crate::error::{Location, VerifyError, VerifyErrorKind};
use crate::found::AppletMember;

/// What a class is verified for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// To be an applet: it must have the members that the NIC calls and sets.
    Applet,
    /// For itself alone: whatever members it has.
    ClassOnly,
}

/// Finds the members that make a class an applet, whose declarations have been checked.
pub(crate) fn applet_members(class: &ClassFile<'_>) -> Result<AppletMembers, VerifyError> {
    let [mut constructor, mut do_tx, mut do_rx] = [None; 3];
    for method in class.methods() {
        for (found, member) in [
            (&mut constructor, AppletMember::Constructor),
            (&mut do_tx, AppletMember::DoTx),
            (&mut do_rx, AppletMember::DoRx),
        ] {
            if method.name == member.name() {
                found.get_or_insert(method);
            }
        }
    }
    Ok(AppletMembers {
        constructor: entry(constructor, AppletMember::Constructor)?,
        do_tx: entry(do_tx, AppletMember::DoTx)?,
        do_rx: entry(do_rx, AppletMember::DoRx)?,
        rx_buf: receive_buffer(class)?,
    })
}

/// Checks the first method of the name of one that the runtime calls; it may be static or not, and of any
/// visibility.
fn entry(found: Option<Method<'_>>, member: AppletMember) -> Result<MethodId, VerifyError> {
    let method = found.ok_or(missing(member))?;
    let wrong = |kind| VerifyError {
        at: Location::Method(method.id),
        kind,
    };
    if method.descriptor != member.descriptor() {
        return Err(wrong(VerifyErrorKind::MemberDescriptor { member }));
    }
    if method.access.contains(MethodAccess::NATIVE) {
        return Err(wrong(VerifyErrorKind::NativeEntry { member }));
    }
    Ok(method.id)
}

/// Finds `RxBuf`. Fields of other types may share its name, as class files go.
fn receive_buffer(class: &ClassFile<'_>) -> Result<FieldId, VerifyError> {
    let member = AppletMember::RxBuf;
    let mut first = None;
    let mut found = None;
    for field in class.fields().filter(|field| field.name == member.name()) {
        first = first.or(Some(field.id));
        if field.descriptor == member.descriptor() {
            found = Some(field);
        }
    }
    let Some(field) = found else {
        return Err(first.map_or(missing(member), |field| VerifyError {
            at: Location::Field(field),
            kind: VerifyErrorKind::MemberDescriptor { member },
        }));
    };
    if field.access.contains(FieldAccess::FINAL) {
        return Err(VerifyError {
            at: Location::Field(field.id),
            kind: VerifyErrorKind::FinalRxBuf,
        });
    }
    Ok(field.id)
}

const fn missing(member: AppletMember) -> VerifyError {
    VerifyError {
        at: Location::Class,
        kind: VerifyErrorKind::MissingMember { member },
    }
}
