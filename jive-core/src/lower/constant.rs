//! What the constants mean that code names, each looked up once.

use super::broken::Broken;
use crate::classfile::{MemberKind, MemberRef, MethodAccess};
use crate::id::{CpIndex, MethodId, NativeId};
use crate::native::{NativeDecl, find_native, find_native_of};
use crate::program::{LinkedConstant, LinkedField, LinkedMethod, Meaning};
use crate::verified::Verified;

/// The constants of a class, and what is known of them.
pub(crate) struct Constants<'s, 'v, 'a> {
    pub(crate) verified: &'v Verified<'a>,
    /// The fields of the class, all of them linked.
    pub(crate) fields: &'s [LinkedField],
    /// Its methods, of which what they take and give is known.
    pub(crate) methods: &'s mut [LinkedMethod],
    /// What is known already, by their index.
    pub(crate) known: &'s mut [LinkedConstant],
}

impl Constants<'_, '_, '_> {
    /// Returns what a constant means, looked up once however often code names it: names can be long,
    /// and code that names them is short.
    pub(super) fn meaning(&mut self, constant: CpIndex) -> Result<Meaning, Broken> {
        let known = self.known.get(constant.index());
        match known.ok_or(Broken::Constant)?.0 {
            Some(meaning) => Ok(meaning),
            None => self.look_up(constant),
        }
    }

    #[cold]
    #[inline(never)]
    fn look_up(&mut self, index: CpIndex) -> Result<Meaning, Broken> {
        let pool = self.verified.class().pool();
        let meaning = if let Ok(value) = pool.integer(index) {
            Some(Meaning::Int(value))
        } else {
            let member = pool.member(index).map_err(|_| Broken::Constant)?;
            match member.kind {
                MemberKind::Field => self.look_up_field(&member),
                MemberKind::Method | MemberKind::InterfaceMethod => self.look_up_method(&member),
            }
        };
        if let Some(known) = self.known.get_mut(index.index()) {
            known.0 = meaning;
        }
        meaning.ok_or(Broken::Member)
    }

    fn look_up_field(&self, member: &MemberRef<'_>) -> Option<Meaning> {
        let class = self.verified.class();
        let (field, _) = class
            .field_identities()
            .find(|(_, identity)| *identity == member.identity)
            .filter(|_| member.class == class.name())?;
        let kind = self.fields.get(field.index())?.kind;
        Some(Meaning::Field { field, kind })
    }

    /// Finds a method of the class, `Object.<init>`, or a native of the natives' own class.
    fn look_up_method(&self, member: &MemberRef<'_>) -> Option<Meaning> {
        let class = self.verified.class();
        if member.class == class.name() {
            let own = class
                .method_identities()
                .find(|(_, identity)| *identity == member.identity);
            if let Some((id, _)) = own {
                return self.own_method(id, member);
            }
        }
        if member.class == "java/lang/Object" && member.name == "<init>" {
            return Some(Meaning::Nothing);
        }
        let (id, native) = find_native_of(
            self.verified.natives(),
            member.class.as_bytes(),
            member.name.as_bytes(),
            member.descriptor.as_bytes(),
        )?;
        native_method(id, native, false)
    }

    fn own_method(&self, id: MethodId, member: &MemberRef<'_>) -> Option<Meaning> {
        let linked = self.methods.get(id.index())?;
        let declared = self.verified.class().method(id)?;
        if declared.access.contains(MethodAccess::NATIVE) {
            let (id, native) = find_native(
                self.verified.natives(),
                member.name.as_bytes(),
                member.descriptor.as_bytes(),
            )?;
            return native_method(id, native, linked.has_receiver);
        }
        Some(Meaning::Method {
            id,
            arguments: u8::try_from(linked.arguments).ok()?,
            has_receiver: linked.has_receiver,
            has_result: linked.result.is_some(),
        })
    }
}

fn native_method(id: NativeId, native: &NativeDecl, has_receiver: bool) -> Option<Meaning> {
    Some(Meaning::Native {
        id,
        arguments: u8::try_from(native.parameters.len()).ok()?,
        has_receiver,
        has_result: native.result.is_some(),
    })
}
