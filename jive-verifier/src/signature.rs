//! Signatures of methods as verification types, parsed once for each method.

use jive_core::{FieldType, MethodDescriptor, MethodId, Utf8};

use crate::descriptor::field_type;
use crate::error::{Reason, VerifyErrorKind};
use crate::found::TypeUse;
use crate::types::VerificationType;

/// Length of a signature without parameters, in bytes: parameter count and result type.
const HEADER: usize = 2;
/// Result type of a method that returns `void`. The value differs from the bits of all types.
const VOID: u8 = 0;

/// The offset of a method's signature in [`Signatures`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    start: u16,
}

/// The signatures of all methods of a class, in file order, in lent memory.
#[derive(Debug)]
pub(crate) struct Signatures<'w> {
    bytes: &'w mut [u8],
    used: usize,
}

/// Returns the length of the stored signature for a descriptor, in bytes.
pub(crate) fn signature_len(descriptor: &[u8]) -> usize {
    let parsed = MethodDescriptor::parse(descriptor).ok();
    HEADER.saturating_add(parsed.map_or(0, |parsed| parsed.parameters().len()))
}

impl<'w> Signatures<'w> {
    pub(crate) fn new(bytes: &'w mut [u8]) -> Signatures<'w> {
        Signatures { bytes, used: 0 }
    }

    /// Adds the signature of the next method. Fails if one of the method's types is outside the subset.
    pub(crate) fn add<K: Reason>(
        &mut self,
        descriptor: Utf8<'_>,
        own_name: Utf8<'_>,
    ) -> Result<(), K> {
        // Parsing the descriptor never fails for a class from the parser, but a trusted class can have a malformed
        // descriptor.
        let parsed = MethodDescriptor::parse(descriptor.as_bytes()).map_err(|_| {
            VerifyErrorKind::ForeignType {
                found: TypeUse::Result,
            }
        })?;
        let parameters = parsed.parameters();
        self.push::<K>(u8::try_from(parameters.len()).unwrap_or(u8::MAX))?;
        let result = match parsed.result() {
            None => VOID,
            Some(result) => field_type::<K>(result, own_name, TypeUse::Result)?.bits(),
        };
        self.push::<K>(result)?;
        let mut number = 0_u8;
        for parameter in parameters {
            // The sum does not saturate, because a method has at most 255 parameters.
            number = number.saturating_add(1);
            let found = TypeUse::Parameter(number);
            self.push::<K>(field_type::<K>(parameter, own_name, found)?.bits())?;
        }
        Ok(())
    }

    /// Returns how many bytes of the lent memory the signatures use.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Replaces the signature that begins at `start`, because the declaration of its method has an error.
    ///
    /// A similar type replaces a type outside the subset, so that the code of callers is checked for its own errors
    /// only. Returns whether all types of the signature are in the subset.
    pub(crate) fn stand_in<K: Reason>(
        &mut self,
        start: usize,
        descriptor: Utf8<'_>,
        own_name: Utf8<'_>,
    ) -> Result<bool, K> {
        self.used = start;
        let mut is_exact = true;
        let mut bits = |kind: FieldType<'_>| {
            field_type::<K>(kind, own_name, TypeUse::Result).unwrap_or_else(|_| {
                is_exact = false;
                match kind {
                    FieldType::Object(_) | FieldType::Array { .. } => VerificationType::Null,
                    FieldType::Byte
                    | FieldType::Char
                    | FieldType::Double
                    | FieldType::Float
                    | FieldType::Int
                    | FieldType::Long
                    | FieldType::Short
                    | FieldType::Boolean => VerificationType::Int,
                }
            })
        };
        let Ok(parsed) = MethodDescriptor::parse(descriptor.as_bytes()) else {
            return Err(VerifyErrorKind::WorkArea.into());
        };
        let parameters = parsed.parameters();
        let header = [
            u8::try_from(parameters.len()).unwrap_or(u8::MAX),
            parsed.result().map_or(VOID, |kind| bits(kind).bits()),
        ];
        for byte in header {
            self.push::<K>(byte)?;
        }
        for parameter in parameters {
            // Callers may pass any reference as argument, because the type of the parameter is unknown.
            self.push::<K>(match bits(parameter) {
                VerificationType::Null => VerificationType::AnyReference.bits(),
                kind => kind.bits(),
            })?;
        }
        Ok(is_exact)
    }

    fn push<K: Reason>(&mut self, byte: u8) -> Result<(), K> {
        let slot = self
            .bytes
            .get_mut(self.used)
            .ok_or(VerifyErrorKind::WorkArea)?;
        *slot = byte;
        self.used = self.used.saturating_add(1);
        Ok(())
    }

    /// Returns the signature of a method, or `None` if the signature has not been added.
    pub(crate) fn of(&self, method: MethodId) -> Option<Signature> {
        let added = self.bytes.get(..self.used)?;
        let mut start = 0_usize;
        for _ in 0..method.0 {
            let count = usize::from(*added.get(start)?);
            start = start.checked_add(HEADER)?.checked_add(count)?;
        }
        added.get(start)?;
        Some(Signature {
            start: u16::try_from(start).ok()?,
        })
    }

    /// Returns the types of a method's parameters in order, without `this`, as bits.
    pub(crate) fn parameters(&self, signature: Signature) -> &[u8] {
        let at = self.bytes.get(usize::from(signature.start)..);
        let parameters = match at {
            Some([count, _, rest @ ..]) => rest.get(..usize::from(*count)),
            Some(_) | None => None,
        };
        parameters.unwrap_or(&[])
    }

    /// Returns the result type of a method, or `None` for `void`.
    pub(crate) fn result(&self, signature: Signature) -> Option<VerificationType> {
        let bits = self
            .bytes
            .get(usize::from(signature.start).saturating_add(1))?;
        (*bits != VOID).then_some(VerificationType::from_bits(*bits))
    }
}
