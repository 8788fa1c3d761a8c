//! Verification policies: whether a class must have the members of an applet or of a program (docs/subset.md).

use jive_core::{
    AppletMembers, ClassFile, EntryDecl, FieldAccess, FieldId, MethodAccess, MethodId,
};

use crate::error::{Location, VerifyError, VerifyErrorKind};
use crate::faults::Faults;
use crate::found::AppletMember;
use crate::observer::Observer;

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
pub(crate) fn applet_members<O: Observer>(
    class: &ClassFile<'_>,
    policy: Policy,
    faults: &mut Faults<'_, O>,
) -> Result<Option<AppletMembers>, VerifyError> {
    let is_direct = match policy {
        Policy::Applet { .. } => false,
        Policy::DirectApplet { .. } => true,
        Policy::Program { entries } => {
            for entry in entries {
                faults.found(entry_of_program(class, entry))?;
            }
            return Ok(None);
        }
        Policy::ClassOnly => return Ok(None),
    };
    let constructor = AppletMember::Constructor;
    let found = called(class, constructor).and_then(|found| found.ok_or(missing(constructor)));
    let constructor = faults.found(found)?;
    for entry in policy.entries() {
        faults.found(entry_of(class, entry))?;
    }
    let rx_buf = match is_direct {
        true => no_receive_buffer(class).map(|()| None),
        false => receive_buffer(class).map(Some),
    };
    let rx_buf = faults.found(rx_buf)?;
    Ok(match (constructor, rx_buf) {
        (Some(constructor), Some(rx_buf)) => Some(AppletMembers {
            constructor,
            rx_buf,
        }),
        (Some(_) | None, None) | (None, Some(_)) => None,
    })
}

/// Finds and checks the method that implements an entry. An optional entry may be absent.
fn entry_of(
    class: &ClassFile<'_>,
    entry: &'static EntryDecl,
) -> Result<Option<MethodId>, VerifyError> {
    let member = AppletMember::Entry(entry);
    match called(class, member)? {
        None if entry.is_required => Err(missing(member)),
        found => Ok(found),
    }
}

/// Finds and checks the method that implements an entry of a program, which must be `static`.
fn entry_of_program(
    class: &ClassFile<'_>,
    entry: &'static EntryDecl,
) -> Result<Option<MethodId>, VerifyError> {
    let found = entry_of(class, entry)?;
    let Some(method) = found.and_then(|id| class.method(id)) else {
        return Ok(found);
    };
    match method.access.contains(MethodAccess::STATIC) {
        true => Ok(found),
        false => Err(VerifyError {
            at: Location::Method(method.id),
            kind: VerifyErrorKind::InstanceEntry {
                member: AppletMember::Entry(entry),
            },
        }),
    }
}

/// Finds and checks the first method with the name of `member`. The method found may be static or not, and have any
/// visibility.
fn called(class: &ClassFile<'_>, member: AppletMember) -> Result<Option<MethodId>, VerifyError> {
    let mut methods = class.methods();
    let Some(method) = methods.find(|method| method.name == member.name()) else {
        return Ok(None);
    };
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
    Ok(Some(method.id))
}

/// Finds the field `RxBuf`. Other fields named `RxBuf` are permitted if their types differ.
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

/// Checks that the class has no field `RxBuf`, of whatever type: a NIC that receives directly would never set it.
fn no_receive_buffer(class: &ClassFile<'_>) -> Result<(), VerifyError> {
    let member = AppletMember::RxBuf;
    let mut fields = class.fields();
    let found = fields.find(|field| field.name == member.name());
    found.map_or(Ok(()), |field| {
        Err(VerifyError {
            at: Location::Field(field.id),
            kind: VerifyErrorKind::UnsetRxBuf,
        })
    })
}

const fn missing(member: AppletMember) -> VerifyError {
    VerifyError {
        at: Location::Class,
        kind: VerifyErrorKind::MissingMember { member },
    }
}
