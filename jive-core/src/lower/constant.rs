//! What the constants mean that code names, each looked up once.

use super::broken::Broken;
use crate::classfile::{ClassFile, MemberKind, MemberRef};
use crate::id::{CpIndex, MethodId};
use crate::native::find;
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
        let class = self.verified.class_ref();
        let pool = class.pool();
        let meaning = if let Some(value) = pool.find_integer(index) {
            Some(Meaning::Int(value))
        } else {
            let member = pool.find_member(index).ok_or(Broken::Constant)?;
            let is_own = member.class == class.name();
            match member.kind {
                MemberKind::Field if is_own => self.look_up_field(class, &member),
                MemberKind::Field => None,
                MemberKind::Method | MemberKind::InterfaceMethod => {
                    let own = class.method_of(member.identity).filter(|_| is_own);
                    self.look_up_method(own, &member)
                }
            }
        };
        if let Some(known) = self.known.get_mut(index.index()) {
            known.0 = meaning;
        }
        meaning.ok_or(Broken::Member)
    }

    fn look_up_field(&self, class: &ClassFile<'_>, member: &MemberRef<'_>) -> Option<Meaning> {
        let field = class.field_of(member.identity)?;
        let kind = self.fields.get(field.index())?.kind;
        Some(Meaning::Field { field, kind })
    }

    /// Finds a method of the class, `Object.<init>`, or a native of the natives' own class.
    fn look_up_method(&self, own: Option<MethodId>, member: &MemberRef<'_>) -> Option<Meaning> {
        let mut natives_of = Some(member.class.as_bytes());
        let mut has_receiver = false;
        if let Some(id) = own {
            let linked = self.methods.get(id.index())?;
            if !linked.is_native {
                return Some(Meaning::Method {
                    id,
                    arguments: linked.arguments,
                    has_receiver: linked.has_receiver,
                    has_result: linked.result.is_some(),
                });
            }
            natives_of = None;
            has_receiver = linked.has_receiver;
        } else if member.class == "java/lang/Object" && member.name == "<init>" {
            return Some(Meaning::Nothing);
        }
        let (id, native) = find(
            self.verified.natives(),
            natives_of,
            member.name.as_bytes(),
            member.descriptor.as_bytes(),
        )?;
        Some(Meaning::Native {
            id,
            arguments: u8::try_from(native.parameters.len()).ok()?,
            has_receiver,
            has_result: native.result.is_some(),
        })
    }
}
