//! What the constants mean that code names, each looked up once.

use super::broken::Broken;
use crate::classfile::{Constant, MemberKind, MemberRef, Method, MethodAccess};
use crate::descriptor::MethodDescriptor;
use crate::id::{CpIndex, NativeId};
use crate::link::field_kind;
use crate::native::{NativeDecl, find_native, find_native_of};
use crate::program::{LinkedConstant, Meaning};
use crate::verified::Verified;

/// The constants of a class, and what is known of them.
pub(crate) struct Constants<'s, 'v, 'a> {
    pub(crate) verified: &'v Verified<'a>,
    /// What is known already, by their index.
    pub(crate) known: &'s mut [LinkedConstant],
}

impl Constants<'_, '_, '_> {
    /// Returns what a constant means, looked up once however often code names it: names can be long,
    /// and code that names them is short.
    pub(super) fn meaning(&mut self, constant: CpIndex) -> Result<Meaning, Broken> {
        let known = self.known.get_mut(constant.index());
        let known = known.ok_or(Broken::Constant)?;
        match known.0 {
            Some(meaning) => Ok(meaning),
            None => {
                let meaning = look_up(self.verified, constant)?;
                known.0 = Some(meaning);
                Ok(meaning)
            }
        }
    }
}

fn look_up(verified: &Verified<'_>, index: CpIndex) -> Result<Meaning, Broken> {
    let pool = verified.class().pool();
    if let Ok(Constant::Integer(value)) = pool.get(index) {
        return Ok(Meaning::Int(value));
    }
    let member = pool.member(index).map_err(|_| Broken::Constant)?;
    let meaning = match member.kind {
        MemberKind::Field => look_up_field(verified, &member),
        MemberKind::Method | MemberKind::InterfaceMethod => look_up_method(verified, &member),
    };
    meaning.ok_or(Broken::Member)
}

fn look_up_field(verified: &Verified<'_>, member: &MemberRef<'_>) -> Option<Meaning> {
    let class = verified.class();
    let field = class
        .fields()
        .find(|field| field.name == member.name && field.descriptor == member.descriptor)
        .filter(|_| member.class == class.name())?;
    let kind = field_kind(&field).ok()?;
    Some(Meaning::Field {
        field: field.id,
        kind,
    })
}

/// Finds a method of the class, `Object.<init>`, or a native of the natives' own class.
fn look_up_method(verified: &Verified<'_>, member: &MemberRef<'_>) -> Option<Meaning> {
    let class = verified.class();
    if member.class == class.name() {
        let own = class
            .methods()
            .find(|method| method.name == member.name && method.descriptor == member.descriptor);
        if let Some(method) = own {
            return own_method(verified, &method);
        }
    }
    if member.class == "java/lang/Object" && member.name == "<init>" {
        return Some(Meaning::Nothing);
    }
    let (id, native) = find_native_of(
        verified.natives(),
        member.class.as_bytes(),
        member.name.as_bytes(),
        member.descriptor.as_bytes(),
    )?;
    native_method(id, native, false)
}

fn own_method(verified: &Verified<'_>, method: &Method<'_>) -> Option<Meaning> {
    let has_receiver = !method.access.contains(MethodAccess::STATIC);
    if method.access.contains(MethodAccess::NATIVE) {
        let (id, native) = find_native(
            verified.natives(),
            method.name.as_bytes(),
            method.descriptor.as_bytes(),
        )?;
        return native_method(id, native, has_receiver);
    }
    let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes()).ok()?;
    let parameters = usize::from(descriptor.parameter_slots());
    let arguments = parameters.checked_add(usize::from(has_receiver))?;
    Some(Meaning::Method {
        id: method.id,
        arguments: u8::try_from(arguments).ok()?,
        has_receiver,
        has_result: descriptor.result().is_some(),
    })
}

fn native_method(id: NativeId, native: &NativeDecl, has_receiver: bool) -> Option<Meaning> {
    Some(Meaning::Native {
        id,
        arguments: u8::try_from(native.parameters.len()).ok()?,
        has_receiver,
        has_result: native.result.is_some(),
    })
}
