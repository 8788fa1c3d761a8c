//! Verification policies: whether a class must have the members of an applet or of a program (docs/subset.md).

use jive_core::{
    AppletMembers, ClassFile, EntryDecl, FieldAccess, FieldId, MethodAccess, MethodId,
};

use crate::error::{Location, Reason, VerifyErrorKind};
use crate::faults::{ErrorOf, Report};
use crate::found::AppletMember;

/// The purpose for which a class is verified.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// An applet. An applet must have the members that the runtime sets and calls.
    Applet {
        /// The methods that the runtime calls.
        entries: &'static [EntryDecl],
    },
    /// An applet for a NIC that receives directly: the members of an applet without `RxBuf`.
    DirectApplet {
        /// The methods that the runtime calls.
        entries: &'static [EntryDecl],
    },
    /// A program on the host: the methods that the host calls, all of them `static`. Nobody makes an instance of a
    /// program, so it needs no constructor, and its field `RxBuf` is a field like any other.
    Program {
        /// The methods that the host calls.
        entries: &'static [EntryDecl],
    },
    /// An arbitrary class, without required members.
    ClassOnly,
}

impl Policy {
    /// Returns the methods that the runtime calls.
    #[must_use]
    pub const fn entries(self) -> &'static [EntryDecl] {
        match self {
            Policy::Applet { entries }
            | Policy::DirectApplet { entries }
            | Policy::Program { entries } => entries,
            Policy::ClassOnly => &[],
        }
    }
}

/// Checks the members that the policy requires of a class whose declarations have already been checked. Returns those
/// of an applet, and `None` for another class.
pub(crate) fn applet_members<R: Report>(
    class: &ClassFile<'_>,
    policy: Policy,
    faults: &mut R,
) -> Result<Option<AppletMembers>, ErrorOf<R>> {
    let is_program = match policy {
        Policy::Applet { .. } | Policy::DirectApplet { .. } => false,
        Policy::Program { .. } => true,
        Policy::ClassOnly => return Ok(None),
    };
    let mut constructor = None;
    if !is_program {
        let found = method_of::<R::Kind>(class, AppletMember::Constructor, true, false);
        constructor = faults.found(found)?.flatten();
    }
    for entry in policy.entries() {
        let member = AppletMember::Entry(entry);
        faults.found(method_of::<R::Kind>(
            class,
            member,
            entry.is_required,
            is_program,
        ))?;
    }
    if is_program {
        return Ok(None);
    }
    let is_direct = matches!(policy, Policy::DirectApplet { .. });
    let rx_buf = faults.found(receive_buffer::<R::Kind>(class, is_direct))?;
    Ok(match (constructor, rx_buf) {
        (Some(constructor), Some(rx_buf)) => Some(AppletMembers {
            constructor,
            rx_buf,
        }),
        (Some(_) | None, None) | (None, Some(_)) => None,
    })
}

/// Finds and checks the first method with the name of `member`. If it is not required, there may be none. If it need not
/// be `static`, it may be static or not. It may have any visibility.
fn method_of<K: Reason>(
    class: &ClassFile<'_>,
    member: AppletMember,
    is_required: bool,
    is_static: bool,
) -> Result<Option<MethodId>, K::Error> {
    let name = member.name();
    let mut methods = class.methods();
    let Some(method) = methods.find(|method| method.name == name) else {
        return match is_required {
            true => Err(missing::<K>(member)),
            false => Ok(None),
        };
    };
    let kind = if method.descriptor != member.descriptor() {
        VerifyErrorKind::MemberDescriptor { member }
    } else if method.access.contains(MethodAccess::NATIVE) {
        VerifyErrorKind::NativeEntry { member }
    } else if is_static && !method.access.contains(MethodAccess::STATIC) {
        VerifyErrorKind::InstanceEntry { member }
    } else {
        return Ok(Some(method.id));
    };
    Err(K::from(kind).at(Location::Method(method.id)))
}

/// Finds the field `RxBuf`. Other fields named `RxBuf` are permitted if their types differ. On a NIC that receives
/// directly there must be none, of whatever type: the NIC would never set it.
fn receive_buffer<K: Reason>(
    class: &ClassFile<'_>,
    is_direct: bool,
) -> Result<Option<FieldId>, K::Error> {
    let member = AppletMember::RxBuf;
    let (name, descriptor) = (member.name(), member.descriptor());
    let mut first = None;
    let mut found = None;
    for field in class.fields() {
        if field.name == name {
            first = first.or(Some(field.id));
            if field.descriptor == descriptor {
                found = Some((field.id, field.access));
            }
        }
    }
    if is_direct {
        return match first {
            Some(field) => Err(K::from(VerifyErrorKind::UnsetRxBuf).at(Location::Field(field))),
            None => Ok(None),
        };
    }
    let Some((field, access)) = found else {
        return Err(first.map_or(missing::<K>(member), |field| {
            K::from(VerifyErrorKind::MemberDescriptor { member }).at(Location::Field(field))
        }));
    };
    if access.contains(FieldAccess::FINAL) {
        return Err(K::from(VerifyErrorKind::FinalRxBuf).at(Location::Field(field)));
    }
    Ok(Some(field))
}

fn missing<K: Reason>(member: AppletMember) -> K::Error {
    K::from(VerifyErrorKind::MissingMember { member }).at(Location::Class)
}
