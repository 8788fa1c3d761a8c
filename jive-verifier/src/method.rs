//! A method with its code and signature, as input of the code checks.

use jive_core::{Code, Method, MethodAccess, MethodId, Pc};

use crate::error::{Location, VerifyError, VerifyErrorKind};
use crate::resolve::CONSTRUCTOR;
use crate::signature::Signature;
use crate::state::Shape;

/// A method with code. The declaration of the method has been checked already.
#[derive(Copy, Clone, Debug)]
pub(crate) struct MethodCode<'a> {
    pub(crate) declaration: Method<'a>,
    pub(crate) code: Code<'a>,
    pub(crate) signature: Signature,
}

impl<'a> MethodCode<'a> {
    pub(crate) fn id(&self) -> MethodId {
        self.declaration.id
    }

    /// Returns the code array.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.code.bytes
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape::of(&self.code)
    }

    pub(crate) fn is_static(&self) -> bool {
        self.declaration.access.contains(MethodAccess::STATIC)
    }

    pub(crate) fn is_constructor(&self) -> bool {
        self.declaration.name == CONSTRUCTOR
    }

    /// Returns an error at an instruction of this method.
    pub(crate) fn error(&self, pc: Pc, kind: VerifyErrorKind) -> VerifyError {
        VerifyError {
            at: Location::Code {
                method: self.id(),
                pc,
            },
            kind,
        }
    }
}
