//! Checks of the class as a whole: its kind, its limits, and the declarations of its fields and methods.

use jive_core::limits::{CONSTANTS_MAX, FIELDS_MAX, METHODS_MAX};
use jive_core::{
    ClassAccess, ClassFile, Field, MemberIdentity, Method, MethodAccess, NativeDecl, Utf8,
    find_native,
};

use crate::error::{Location, Reason, VerifyErrorKind};
use crate::faults::{ErrorOf, Report};
use crate::found::TypeUse;
use crate::resolve::{CLASS_INITIALIZER, OBJECT, declared_type, native_misfit};
use crate::signature::Signatures;
use crate::types::VerificationType;

/// The `final` methods of `Object` that a class of the subset could override. The descriptors of the other `final`
/// methods contain types outside the subset, so a method with such a descriptor is rejected anyway.
const FINAL_METHODS: [&str; 3] = ["notify", "notifyAll", "wait"];

/// Checks everything in the class except code and the members of an applet. Adds the signatures of the class's methods
/// to `signatures`.
///
/// A class that passes the checks is a direct subclass of `Object` and within the limits. After the checks, every type
/// declared in the class is in the subset. After the checks, no two methods of the class have the same name. After the
/// checks, every method of the class has code or is a native of the table.
pub(crate) fn check_class<R: Report>(
    class: &ClassFile<'_>,
    natives: &[NativeDecl<'_>],
    signatures: &mut Signatures<'_>,
    faults: &mut R,
) -> Result<(), ErrorOf<R>> {
    let whole = |kind: R::Kind| kind.at(Location::Class);
    let kind = check_kind(class).map_err(whole);
    kind.or_else(|error| faults.note_kind(error))?;
    let limits = check_limits(class).map_err(whole);
    limits.map_err(|error| faults.last(error))?;
    for field in class.fields() {
        let checked = check_field(class, &field);
        let checked = checked.map_err(|kind: R::Kind| kind.at(Location::Field(field.id)));
        checked.or_else(|error| faults.note(error))?;
    }
    let mut identities = class.method_identities();
    for method in class.methods() {
        let Some((_, identity)) = identities.next() else {
            break;
        };
        let start = signatures.used();
        let checked = check_method(class, &method, identity, natives, signatures);
        let checked = checked.map_err(|kind: R::Kind| kind.at(Location::Method(method.id)));
        if let Err(error) = checked {
            faults.note(error)?;
            let stand_in = signatures.stand_in(start, method.descriptor, class.name());
            match stand_in {
                Ok(true) => {}
                Ok(false) => faults.skip(method.id),
                Err(kind) => return Err(faults.last(whole(kind))),
            }
        }
    }
    Ok(())
}

/// Checks that the class is no interface or module, extends `Object` directly, and implements no interface.
fn check_kind<K: Reason>(class: &ClassFile<'_>) -> Result<(), K> {
    let access = class.access();
    if access.contains(ClassAccess::MODULE) {
        return Err(VerifyErrorKind::Module.into());
    }
    if access.contains(ClassAccess::INTERFACE) {
        return Err(VerifyErrorKind::Interface.into());
    }
    if class.name() == OBJECT {
        return Err(VerifyErrorKind::ClassCircularity.into());
    }
    let above = class.super_class();
    if above
        .and_then(|index| class.pool().find_class_name(index))
        .is_none_or(|name| name != OBJECT)
    {
        return Err(VerifyErrorKind::Superclass.into());
    }
    let count = class.interfaces().len();
    if count > 0 {
        return Err(VerifyErrorKind::Implements {
            count: u16::try_from(count).unwrap_or(u16::MAX),
        }
        .into());
    }
    Ok(())
}

fn check_limits<K: Reason>(class: &ClassFile<'_>) -> Result<(), K> {
    // The conversion is lossless: the class file stores the counts of fields and methods in 16 bits each.
    let demand = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (needed, limit) = (u32::from(class.pool().count()), u32::from(CONSTANTS_MAX));
    if needed > limit {
        return Err(VerifyErrorKind::Constants { needed, limit }.into());
    }
    let (needed, limit) = (demand(class.field_count()), u32::from(FIELDS_MAX));
    if needed > limit {
        return Err(VerifyErrorKind::Fields { needed, limit }.into());
    }
    let (needed, limit) = (demand(class.method_count()), u32::from(METHODS_MAX));
    if needed > limit {
        return Err(VerifyErrorKind::Methods { needed, limit }.into());
    }
    Ok(())
}

/// Checks that the type of a field is in the subset, and that the field's constant is an `int`.
fn check_field<K: Reason>(class: &ClassFile<'_>, field: &Field<'_>) -> Result<(), K> {
    let kind = declared_type::<K>(field, class.name())?;
    // A field of type `String` may have a constant, and the parser knows that type by name. If the class itself is
    // named `java/lang/String`, its fields of that type have no constants in the subset.
    if kind == VerificationType::This && field.constant_value().is_some() {
        return Err(VerifyErrorKind::String {
            found: TypeUse::Field,
        }
        .into());
    }
    Ok(())
}

fn check_method<K: Reason>(
    class: &ClassFile<'_>,
    method: &Method<'_>,
    identity: MemberIdentity,
    natives: &[NativeDecl<'_>],
    signatures: &mut Signatures<'_>,
) -> Result<(), K> {
    let mut earlier = class.method_identities().take(method.id.index());
    if let Some((first, _)) = earlier.find(|(_, other)| other.name == identity.name) {
        return Err(VerifyErrorKind::OverloadedMethod { first }.into());
    }
    let access = method.access;
    if access.contains(MethodAccess::ABSTRACT) {
        return Err(VerifyErrorKind::AbstractMethod.into());
    }
    if access.contains(MethodAccess::SYNCHRONIZED) {
        return Err(VerifyErrorKind::SynchronizedMethod.into());
    }
    signatures.add::<K>(method.descriptor, class.name())?;
    // Below class file version 51, a method named `<clinit>` with parameters is an ordinary method, which nothing can
    // call (JVMS §2.9.2). The subset rejects a method named `<clinit>` with parameters in all versions.
    if method.name == CLASS_INITIALIZER && method.descriptor != "()V" {
        return Err(VerifyErrorKind::ClassInitializer.into());
    }
    if overrides_final(method) {
        return Err(VerifyErrorKind::FinalOverride.into());
    }
    if access.contains(MethodAccess::NATIVE) {
        return check_native(method.name, method.descriptor, natives);
    }
    Ok(())
}

/// Returns whether a method overrides a `final` method of `Object` (JVMS §4.10). Private and static methods are left
/// out, because they do not override (JVMS §5.4.5).
fn overrides_final(method: &Method<'_>) -> bool {
    let overrides_nothing = MethodAccess::PRIVATE | MethodAccess::STATIC;
    FINAL_METHODS.iter().any(|name| method.name == *name)
        && method.descriptor == "()V"
        && !method.access.intersects(overrides_nothing)
}

fn check_native<K: Reason>(
    name: Utf8<'_>,
    descriptor: Utf8<'_>,
    natives: &[NativeDecl<'_>],
) -> Result<(), K> {
    let (name, descriptor) = (name.as_bytes(), descriptor.as_bytes());
    if find_native(natives, name, descriptor).is_some() {
        return Ok(());
    }
    Err(K::of(|| VerifyErrorKind::UnknownNative {
        misfit: native_misfit(natives, name),
    }))
}
