//! Certificates of classes: what a device needs to check a class again without inferring its types.

use std::collections::{BTreeMap, BTreeSet};

use bumpalo::Bump;
use jive_core::{ClassFile, Code, MethodId, NativeDecl, Pc, Verified, raw_instructions};
use jive_verifier::{
    CheckArea, CheckError, FRAME_BYTES, Observer, Policy, TypeState, VerifyError, certified_len,
    work_size,
};

use crate::load::verify_class;

/// Greatest length of a certificate, in bytes. A class can have a million branch targets, each with 255 types; no device
/// would take the certificate of such a class.
pub const CERTIFICATE_BYTES_MAX: usize = 1 << 24;

/// Why a class gets no certificate.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertifyError {
    /// The verifier rejected the class.
    #[error(transparent)]
    Rejected(#[from] VerifyError),
    /// The class has more branch targets than a certificate may have.
    #[error("expected a certificate of at most {CERTIFICATE_BYTES_MAX} bytes, found {needed}")]
    TooLong {
        /// How long it would be.
        needed: usize,
    },
}

/// Verifies a class, and returns the certificate by which [`check_certified`] accepts it.
///
/// # Errors
///
/// Fails if the class is rejected, or if the certificate would be too long.
pub fn certify(
    class: ClassFile<'_>,
    policy: Policy,
    natives: &[NativeDecl<'_>],
) -> Result<Vec<u8>, CertifyError> {
    let mut targets = Targets::of(&class);
    let needed = targets.len();
    if needed > CERTIFICATE_BYTES_MAX {
        // The error of a rejected class says more than that of its length.
        verify_class(class, policy, natives, &mut ())?;
        return Err(CertifyError::TooLong { needed });
    }
    verify_class(class, policy, natives, &mut targets)?;
    Ok(targets.written())
}

/// Checks a class against a certificate, as [`jive_verifier::check`] does, in memory that is freed afterwards.
///
/// # Errors
///
/// Fails if the class breaks a rule, or if the certificate does not fit it.
pub fn check_certified<'a>(
    class: ClassFile<'a>,
    policy: Policy,
    natives: &'a [NativeDecl<'a>],
    certificate: &[u8],
) -> Result<Verified<'a>, CheckError> {
    let size = work_size(&class);
    let arena = Bump::new();
    let area = CheckArea {
        constants: arena.alloc_slice_fill_default(size.constants),
        signatures: arena.alloc_slice_fill_default(size.signatures),
        frame: &mut [0; FRAME_BYTES],
    };
    jive_verifier::check(class, policy, natives, certificate, area)
}

/// The entries of each method with code, which the verifier fills.
struct Targets<'a>(BTreeMap<MethodId, (Code<'a>, BTreeMap<Pc, Vec<u8>>)>);

impl<'a> Targets<'a> {
    /// Finds the branch targets of a class.
    fn of(class: &ClassFile<'a>) -> Targets<'a> {
        let methods = class.methods();
        let with_code = methods.filter_map(|method| Some((method.id, method.code()?)));
        let targets = with_code.map(|(id, code)| {
            let targets = raw_instructions(code.bytes).flat_map(|insn| insn.targets());
            let targets = targets.filter_map(|target| u16::try_from(target).ok());
            let targets = targets.map(Pc).collect::<BTreeSet<_>>();
            let entries = targets.into_iter().map(|pc| (pc, Vec::new()));
            (id, (code, entries.collect()))
        });
        Targets(targets.collect())
    }

    /// Returns the length of the certificate.
    fn len(&self) -> usize {
        let methods = self.0.values();
        let sections = methods.map(|(code, entries)| 2 + entries.len() * certified_len(code));
        sections.sum()
    }

    fn written(&self) -> Vec<u8> {
        let mut certificate = Vec::with_capacity(self.len());
        for (code, entries) in self.0.values() {
            let count = u16::try_from(entries.len()).unwrap_or(u16::MAX);
            certificate.extend(count.to_be_bytes());
            for (pc, entry) in entries {
                if entry.is_empty() {
                    let mut unreached = vec![0; certified_len(code)];
                    jive_verifier::certify(*pc, None, &mut unreached);
                    certificate.extend(unreached);
                } else {
                    certificate.extend(entry);
                }
            }
        }
        certificate
    }
}

impl Observer for Targets<'_> {
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        let Some((code, entries)) = self.0.get_mut(&method) else {
            return;
        };
        if let Some(entry) = entries.get_mut(&pc) {
            entry.resize(certified_len(code), 0);
            jive_verifier::certify(pc, Some(state), entry);
        }
    }

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}
}
