//! Resolution: finds the member for each constant that code names, once for each constant.

use jive_core::{
    ClassFile, ConstantPool, CpIndex, Field, FieldAccess, FieldId, MemberAccess, MemberKind,
    MemberRef, MemberUse, Method, MethodAccess, MethodId, NativeDecl, NativeType, Opcode,
    OwnMember, PoolError, PoolErrorKind, Utf8, find_native_of, is_native_class, parse_field,
};

use crate::descriptor::field_type;
use crate::error::{Reason, VerifyErrorKind};
use crate::found::{ResolutionError, TypeUse};
use crate::signature::{Signature, Signatures};
use crate::types::VerificationType;

/// The superclass of every class in the subset.
pub(crate) const OBJECT: &str = "java/lang/Object";
/// The name of constructors (JVMS §2.9.1).
pub(crate) const CONSTRUCTOR: &str = "<init>";
/// The name of class initializers (JVMS §2.9.2).
pub(crate) const CLASS_INITIALIZER: &str = "<clinit>";

/// First major version in which `invokestatic` and `invokespecial` may name an interface method.
const INTERFACE_CALL_MAJOR: u16 = 52;

/// The resolution of a constant that names a member. The caller lends an array of resolutions in the
/// [`WorkArea`](crate::WorkArea).
#[derive(Copy, Clone, Debug, Default)]
pub struct Resolved(Option<Target>);

impl Resolved {
    /// Returns an unresolved constant for each in the pool of a class. Returns `None` if the memory is too small.
    pub(crate) fn none_of<'w>(
        class: &ClassFile<'_>,
        memory: &'w mut [Resolved],
    ) -> Option<&'w mut [Resolved]> {
        let constants = memory.get_mut(..usize::from(class.pool().count()))?;
        constants.fill(Resolved::default());
        Some(constants)
    }
}

/// The member that a constant names.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Target {
    /// A field of the class that is verified.
    Field {
        kind: VerificationType,
        is_static: bool,
        is_final: bool,
    },
    /// A method of the class that is verified, native or not, that is not an initializer.
    Method {
        signature: Signature,
        is_static: bool,
    },
    /// A static method of a class that the natives table lists.
    /// By its number in the table: the memory for constants outlives no table. In a word, so that it is copied at once.
    Native(u32),
    /// `java/lang/Object.<init>()V`.
    ObjectInit,
}

/// An instruction that accesses a member.
#[derive(Copy, Clone, Debug)]
pub(crate) struct MemberInsn {
    pub(crate) opcode: Opcode,
    pub(crate) usage: MemberUse,
}

/// The members that the code of a class can name, resolved as far as code has named them.
#[derive(Debug)]
pub(crate) struct Members<'a, 'w> {
    class: ClassFile<'a>,
    natives: &'a [NativeDecl<'a>],
    signatures: Signatures<'w>,
    constants: &'w mut [Resolved],
}

impl<'a, 'w> Members<'a, 'w> {
    /// Creates the members of a class with no constant resolved.
    #[inline(always)]
    pub(crate) fn new(
        class: ClassFile<'a>,
        natives: &'a [NativeDecl<'a>],
        signatures: Signatures<'w>,
        constants: &'w mut [Resolved],
    ) -> Members<'a, 'w> {
        Members {
            class,
            natives,
            signatures,
            constants,
        }
    }

    pub(crate) fn class(&self) -> &ClassFile<'a> {
        &self.class
    }

    pub(crate) fn signatures(&self) -> &Signatures<'w> {
        &self.signatures
    }

    pub(crate) fn natives(&self) -> &'a [NativeDecl<'a>] {
        self.natives
    }

    /// Returns the result of [`resolve`](Self::resolve) for a constant.
    pub(crate) fn target(&self, index: CpIndex) -> Option<Target> {
        self.constants.get(index.index())?.0
    }

    /// Resolves the member that an instruction names, and checks that the instruction may use it. The method `within`
    /// contains the instruction.
    pub(crate) fn resolve<K: Reason>(
        &mut self,
        index: CpIndex,
        asked: MemberInsn,
        within: &Method<'_>,
    ) -> Result<(), K> {
        let target = match self.target(index) {
            Some(target) => target,
            None => {
                let target = self.look_up::<K>(index, asked)?;
                if let Some(entry) = self.constants.get_mut(index.index()) {
                    *entry = Resolved(Some(target));
                }
                target
            }
        };
        check_use(target, index, asked, within)
    }

    fn look_up<K: Reason>(&self, index: CpIndex, asked: MemberInsn) -> Result<Target, K> {
        match (self.class.own_member(index), asked.usage.access()) {
            (Some(OwnMember::Field(id)), MemberAccess::Load | MemberAccess::Store) => {
                self.own_field(id)
            }
            (Some(OwnMember::Method(id)), MemberAccess::Call) => self.own_method(id, index, asked),
            (Some(_), _) => Err(VerifyErrorKind::ConstantKind {
                opcode: asked.opcode,
                index,
            }
            .into()),
            (None, _) => self.look_up_foreign(index, asked),
        }
    }

    /// Resolves a constant that does not name a member of the class that is verified.
    fn look_up_foreign<K: Reason>(&self, index: CpIndex, asked: MemberInsn) -> Result<Target, K> {
        let pool = self.class.pool();
        let reference = pool.find_member(index);
        let reference = reference.ok_or_else(|| K::of(|| not_a_member(&pool, asked, index)))?;
        match (reference.kind, asked.usage.access()) {
            (MemberKind::Method, MemberAccess::Call) => self.method(index, asked, &reference),
            (MemberKind::Method, MemberAccess::Load | MemberAccess::Store)
            | (MemberKind::Field | MemberKind::InterfaceMethod, _) => {
                Err(K::of(|| self.foreign_error(index, asked, &reference)))
            }
        }
    }

    /// Returns the error for a constant that names neither a member of the class nor a method of another class, or that
    /// names a method for an instruction that accesses fields.
    fn foreign_error(
        &self,
        index: CpIndex,
        asked: MemberInsn,
        reference: &MemberRef<'_>,
    ) -> VerifyErrorKind {
        let wrong_kind = VerifyErrorKind::ConstantKind {
            opcode: asked.opcode,
            index,
        };
        match (reference.kind, asked.usage.access()) {
            (MemberKind::Field, MemberAccess::Load | MemberAccess::Store) => {
                self.field_error(index, reference)
            }
            (MemberKind::InterfaceMethod, MemberAccess::Call) => {
                let named_by = matches!(asked.opcode, Opcode::Invokestatic | Opcode::Invokespecial);
                if !named_by || self.class.version().major < INTERFACE_CALL_MAJOR {
                    wrong_kind
                } else if self.is_own(reference) {
                    VerifyErrorKind::UnresolvedMethod {
                        index,
                        misfit: ResolutionError::Interface,
                    }
                } else {
                    VerifyErrorKind::ForeignMethod { index }
                }
            }
            (MemberKind::Field | MemberKind::Method, MemberAccess::Call)
            | (
                MemberKind::Method | MemberKind::InterfaceMethod,
                MemberAccess::Load | MemberAccess::Store,
            ) => wrong_kind,
        }
    }

    fn is_own(&self, reference: &MemberRef<'_>) -> bool {
        reference.class == self.class.name()
    }

    /// Returns the error for a field that the class does not declare.
    fn field_error(&self, index: CpIndex, reference: &MemberRef<'_>) -> VerifyErrorKind {
        if !self.is_own(reference) {
            return VerifyErrorKind::ForeignField { index };
        }
        let mut fields = self.class.field_identities();
        let misfit = if fields.any(|(_, identity)| identity.name == reference.identity.name) {
            ResolutionError::Descriptor
        } else {
            ResolutionError::Name
        };
        VerifyErrorKind::UnresolvedField { index, misfit }
    }

    /// Returns the error for a method that the class names as its own, but does not declare.
    fn method_error(&self, index: CpIndex, reference: &MemberRef<'_>) -> VerifyErrorKind {
        let mut methods = self.class.method_identities();
        let misfit = if methods.any(|(_, identity)| identity.name == reference.identity.name) {
            ResolutionError::Descriptor
        } else {
            ResolutionError::Name
        };
        VerifyErrorKind::UnresolvedMethod { index, misfit }
    }

    fn own_field<K: Reason>(&self, id: FieldId) -> Result<Target, K> {
        // The search for the field never fails, because `id` comes from the class itself.
        let field = self.class.field(id).ok_or(VerifyErrorKind::WorkArea)?;
        Ok(Target::Field {
            kind: declared_type::<K>(&field, self.class.name())?,
            is_static: field.access.contains(FieldAccess::STATIC),
            is_final: field.access.contains(FieldAccess::FINAL),
        })
    }

    fn own_method<K: Reason>(
        &self,
        id: MethodId,
        index: CpIndex,
        asked: MemberInsn,
    ) -> Result<Target, K> {
        // The search for the method never fails, because `id` comes from the class itself.
        let method = self.class.method(id).ok_or(VerifyErrorKind::WorkArea)?;
        if is_constructor::<K>(method.name, index, asked)? {
            return Err(VerifyErrorKind::ConstructorCall { index }.into());
        }
        Ok(Target::Method {
            signature: self.signatures.of(id).ok_or(VerifyErrorKind::WorkArea)?,
            is_static: method.access.contains(MethodAccess::STATIC),
        })
    }

    /// Resolves a native or `Object.<init>`. Returns an error for any other method, even for one that the class names
    /// as its own but does not declare.
    fn method<K: Reason>(
        &self,
        index: CpIndex,
        asked: MemberInsn,
        reference: &MemberRef<'_>,
    ) -> Result<Target, K> {
        let is_constructor = is_constructor::<K>(reference.name, index, asked)?;
        if self.is_own(reference) {
            if is_constructor {
                return Err(VerifyErrorKind::ConstructorCall { index }.into());
            }
            return Err(K::of(|| self.method_error(index, reference)));
        }
        if is_constructor && reference.class == OBJECT {
            if reference.descriptor == "()V" {
                return Ok(Target::ObjectInit);
            }
            return Err(VerifyErrorKind::UnresolvedMethod {
                index,
                misfit: ResolutionError::Descriptor,
            }
            .into());
        }
        self.native(index, reference)
    }

    fn native<K: Reason>(&self, index: CpIndex, reference: &MemberRef<'_>) -> Result<Target, K> {
        let (class, name) = (reference.class.as_bytes(), reference.name.as_bytes());
        match find_native_of(self.natives, class, name, reference.descriptor.as_bytes()) {
            Some((id, _)) => Ok(Target::Native(id.0.into())),
            None => Err(K::of(|| match is_native_class(self.natives, class) {
                true => VerifyErrorKind::UnresolvedNative {
                    index,
                    misfit: native_misfit(self.natives, name),
                },
                false => VerifyErrorKind::ForeignMethod { index },
            })),
        }
    }
}

/// Returns the error for a constant that is no member.
fn not_a_member(pool: &ConstantPool<'_>, asked: MemberInsn, index: CpIndex) -> VerifyErrorKind {
    match pool.member(index) {
        Err(error) => pool_error(asked.opcode, index, error),
        // This never happens: the search found nothing.
        Ok(_) => VerifyErrorKind::ConstantKind {
            opcode: asked.opcode,
            index,
        },
    }
}

/// Returns whether a method is a constructor, by its name. Fails if the instruction must not call an initializer: only
/// `invokespecial` may call `<init>`, and nothing may call `<clinit>`.
fn is_constructor<K: Reason>(name: Utf8<'_>, index: CpIndex, asked: MemberInsn) -> Result<bool, K> {
    let is_constructor = name == CONSTRUCTOR;
    let is_initializer = is_constructor || name == CLASS_INITIALIZER;
    if is_initializer && !(is_constructor && asked.opcode == Opcode::Invokespecial) {
        return Err(VerifyErrorKind::SpecialMethodCall {
            opcode: asked.opcode,
            index,
        }
        .into());
    }
    Ok(is_constructor)
}

/// Returns the verification type of a field. Fails if the field's type is outside the subset.
pub(crate) fn declared_type<K: Reason>(
    field: &Field<'_>,
    own_name: Utf8<'_>,
) -> Result<VerificationType, K> {
    let found = TypeUse::Field;
    // Parsing the descriptor never fails for a class from the parser, but a trusted class can have a malformed
    // descriptor.
    let declared = parse_field(field.descriptor.as_bytes())
        .map_err(|_| VerifyErrorKind::ForeignType { found })?;
    field_type(declared, own_name, found)
}

/// Checks that an instruction may use the member that it names.
fn check_use<K: Reason>(
    target: Target,
    index: CpIndex,
    asked: MemberInsn,
    within: &Method<'_>,
) -> Result<(), K> {
    let misfit = if asked.usage.is_static() {
        ResolutionError::Instance
    } else {
        ResolutionError::Static
    };
    let wrong_kind = VerifyErrorKind::ConstantKind {
        opcode: asked.opcode,
        index,
    };
    match (target, asked.usage.access()) {
        (
            Target::Field {
                is_static,
                is_final,
                ..
            },
            MemberAccess::Load | MemberAccess::Store,
        ) => {
            if is_static != asked.usage.is_static() {
                return Err(VerifyErrorKind::UnresolvedField { index, misfit }.into());
            }
            let initializer = if is_static {
                CLASS_INITIALIZER
            } else {
                CONSTRUCTOR
            };
            if is_final && asked.usage.access() == MemberAccess::Store && within.name != initializer
            {
                return Err(VerifyErrorKind::FinalStore { index }.into());
            }
            Ok(())
        }
        (Target::Method { is_static, .. }, MemberAccess::Call) => {
            if is_static == asked.usage.is_static() {
                Ok(())
            } else {
                Err(VerifyErrorKind::UnresolvedMethod { index, misfit }.into())
            }
        }
        (Target::Native(_), MemberAccess::Call) => {
            if asked.usage.is_static() {
                Ok(())
            } else {
                Err(VerifyErrorKind::UnresolvedNative { index, misfit }.into())
            }
        }
        (Target::ObjectInit, MemberAccess::Call) => {
            if asked.opcode == Opcode::Invokespecial {
                Ok(())
            } else {
                Err(VerifyErrorKind::SpecialMethodCall {
                    opcode: asked.opcode,
                    index,
                }
                .into())
            }
        }
        (Target::Field { .. }, MemberAccess::Call)
        | (
            Target::Method { .. } | Target::Native(_) | Target::ObjectInit,
            MemberAccess::Load | MemberAccess::Store,
        ) => Err(wrong_kind.into()),
    }
}

/// Returns why a `native` method matches no row of the natives table.
pub(crate) fn native_misfit(natives: &[NativeDecl<'_>], name: &[u8]) -> ResolutionError {
    if natives.iter().any(|native| native.name.as_bytes() == name) {
        ResolutionError::Descriptor
    } else {
        ResolutionError::Name
    }
}

/// Returns the verification type of a native's parameter or result.
pub(crate) const fn native_type(kind: NativeType) -> VerificationType {
    match kind {
        NativeType::Int => VerificationType::Int,
        NativeType::BooleanArray => VerificationType::BooleanArray,
        NativeType::ByteArray => VerificationType::ByteArray,
        NativeType::ShortArray => VerificationType::ShortArray,
        NativeType::IntArray => VerificationType::IntArray,
    }
}

/// Converts a constant pool error of a constant that an instruction names to a verification error.
pub(crate) fn pool_error(opcode: Opcode, index: CpIndex, error: PoolError) -> VerifyErrorKind {
    match error.kind {
        PoolErrorKind::OutOfRange { .. } | PoolErrorKind::Unusable => {
            VerifyErrorKind::ConstantIndex { opcode, index }
        }
        PoolErrorKind::Tag { .. } => VerifyErrorKind::ConstantKind { opcode, index },
    }
}
