//! Resolution of the constants that code uses. The linker looks up each constant once.

use super::error::LowerError;
use crate::classfile::{ClassFile, MemberKind, OwnMember, Utf8};
use crate::id::{CpIndex, FieldId, MethodId};
use crate::native::find;
use crate::program::{LinkedConstant, LinkedField, LinkedMethod, Meaning};
use crate::verified::Verified;

/// The constants of a class, and the results of looking them up.
pub(crate) struct Constants<'s, 'v, 'a> {
    pub(crate) verified: &'v Verified<'a>,
    /// The fields of the class, all of which are linked.
    pub(crate) fields: &'s [LinkedField],
    /// The methods of the class. The signatures of all methods are linked already.
    pub(crate) methods: &'s mut [LinkedMethod],
    /// The constants looked up so far, by their index in the pool.
    pub(crate) known: &'s mut [LinkedConstant],
}

impl Constants<'_, '_, '_> {
    /// Returns the meaning of a constant.
    ///
    /// Each constant is looked up once, however often code uses the constant. If each use were a new search, short code
    /// that uses a long name many times would make linking slow.
    pub(super) fn meaning(&mut self, constant: CpIndex) -> Result<Meaning, LowerError> {
        let known = self.known.get(constant.index());
        match known.ok_or(LowerError::Constant)?.0 {
            Some(meaning) => Ok(meaning),
            None => self.look_up(constant),
        }
    }

    #[cold]
    #[inline(never)]
    fn look_up(&mut self, index: CpIndex) -> Result<Meaning, LowerError> {
        let class = self.verified.class_ref();
        let meaning = match class.own_member(index) {
            Some(OwnMember::Field(field)) => self.look_up_field(field),
            Some(OwnMember::Method(id)) => self.look_up_method(class, id),
            None => match class.pool().find_integer(index) {
                Some(value) => Some(Meaning::Int(value)),
                None => self.look_up_foreign(class, index)?,
            },
        };
        if let Some(known) = self.known.get_mut(index.index()) {
            known.0 = meaning;
        }
        meaning.ok_or(LowerError::Member)
    }

    fn look_up_field(&self, field: FieldId) -> Option<Meaning> {
        let kind = self.fields.get(field.index())?.kind;
        Some(Meaning::Field { field, kind })
    }

    /// Looks up a method of the class, possibly a native.
    fn look_up_method(&self, class: &ClassFile<'_>, id: MethodId) -> Option<Meaning> {
        let linked = self.methods.get(id.index())?;
        if linked.is_native {
            let method = class.method(id)?;
            return self.look_up_native(None, method.name, method.descriptor, linked.has_receiver);
        }
        Some(Meaning::Method {
            id,
            arguments: linked.arguments,
            has_receiver: linked.has_receiver,
            has_result: linked.result.is_some(),
        })
    }

    /// Looks up a member of another class: the constructor of `Object`, or a native of the class that declares natives.
    fn look_up_foreign(
        &self,
        class: &ClassFile<'_>,
        index: CpIndex,
    ) -> Result<Option<Meaning>, LowerError> {
        let member = class
            .pool()
            .find_member(index)
            .ok_or(LowerError::Constant)?;
        if member.kind == MemberKind::Field {
            return Ok(None);
        }
        if member.name == "<init>" && member.class == "java/lang/Object" {
            return Ok(Some(Meaning::Nothing));
        }
        Ok(self.look_up_native(Some(member.class), member.name, member.descriptor, false))
    }

    fn look_up_native(
        &self,
        class: Option<Utf8<'_>>,
        name: Utf8<'_>,
        descriptor: Utf8<'_>,
        has_receiver: bool,
    ) -> Option<Meaning> {
        let (id, native) = find(
            self.verified.natives(),
            class.map(Utf8::as_bytes),
            name.as_bytes(),
            descriptor.as_bytes(),
        )?;
        Some(Meaning::Native {
            id,
            arguments: u8::try_from(native.parameters.len()).ok()?,
            has_receiver,
            has_result: native.result.is_some(),
        })
    }
}
