//! The fuzz target of classes with certificates.

use jive_lab::Random;
use jive_verifier::Policy;

use super::seeds;
use crate::certified::{APPLET, claimed, holds, honest, verdict};
use crate::machine::parsed;

/// The input is a class file, a certificate, and the length of the certificate in two bytes. The check must accept the
/// class with this certificate only if the verifier accepts the class, and with its own certificate if there is one.
pub fn certified(input: &[u8]) {
    let Some((bytes, certificate)) = split(input) else {
        return;
    };
    for policy in [Policy::ClassOnly, APPLET] {
        let held = parsed(bytes, |class| {
            let verdict = verdict(class, policy);
            holds(class, policy, certificate, verdict)?;
            honest(class, policy, verdict).map(drop)
        });
        if let Ok(Err(finding)) = held {
            panic!("{finding}");
        }
    }
}

fn split(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let (rest, length) = input.split_last_chunk()?;
    let class_len = rest.len().checked_sub(u16::from_be_bytes(*length).into())?;
    rest.split_at_checked(class_len)
}

fn joined(bytes: &[u8], certificate: &[u8]) -> Option<Vec<u8>> {
    let length = u16::try_from(certificate.len()).ok()?;
    Some([bytes, certificate, &length.to_be_bytes()].concat())
}

/// Returns the class files of the repository by name, each with its certificate, or with a random one if it is rejected.
pub fn certified_seeds() -> Vec<(String, Vec<u8>)> {
    let with_certificate = |(name, bytes): (String, Vec<u8>)| {
        let certificate = parsed(&bytes, |class| {
            let verdict = verdict(class, Policy::ClassOnly);
            let honest = honest(class, Policy::ClassOnly, verdict)
                .unwrap_or_else(|finding| panic!("{finding}"));
            honest.unwrap_or_else(|| claimed(&class, &mut Random::new(&bytes)))
        });
        Some((name, joined(&bytes, &certificate.unwrap_or_default())?))
    };
    seeds().into_iter().filter_map(with_certificate).collect()
}
