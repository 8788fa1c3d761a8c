//! Classes with certificates: the check accepts nothing that the verifier rejects, and each honest certificate.

mod certificates;

use core::fmt;

use jive_core::ClassFile;
use jive_embed::{CertifyError, certify, check_certified, verify_class};
use jive_lab::Random;
use jive_verifier::{Policy, VerifyError, VerifyErrorKind};
use nic_core::sle::{NicEntry, NicNative};

use crate::fixture::Outcome;
use crate::judge::Maker;
use crate::machine::{judge, parsed};

pub use certificates::{claimed, inferred, mutate};

/// The policy of an applet.
pub const APPLET: Policy = Policy::Applet {
    entries: NicEntry::TABLE,
};

/// How many certificates of a kind were refused and accepted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// The check refused the class with the certificate.
    pub refused: u64,
    /// The check accepted it.
    pub accepted: u64,
}

impl Judged {
    fn add(&mut self, is_accepted: bool) {
        match is_accepted {
            true => self.accepted += 1,
            false => self.refused += 1,
        }
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Judged { refused, accepted } = self;
        write!(f, "{accepted} accepted and {refused} refused")
    }
}

/// The number of classes and of certificates of each kind.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Files that the parser refuses.
    pub malformed: u64,
    /// Classes that the verifier rejects.
    pub rejected: u64,
    /// Classes that the verifier accepts, each of which passes with its own certificate.
    pub honest: u64,
    /// Classes that the verifier accepts, and whose certificates would be too long.
    pub uncertified: u64,
    /// Certificates of the last accepted class.
    pub foreign: Judged,
    /// Certificates with random types at the branch targets of the class.
    pub claimed: Judged,
    /// Certificates of rejected classes, with the types that the verifier had inferred.
    pub inferred: Judged,
    /// Certificates with these types, of rejected and accepted classes, with a few changes.
    pub mutated: Judged,
}

impl Tally {
    /// Returns the number of files.
    #[must_use]
    pub const fn files(&self) -> u64 {
        self.malformed + self.rejected + self.honest + self.uncertified
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} files: {} malformed, {} rejected, {} accepted with their own certificates, {} accepted without; \
             foreign certificates: {}; random ones: {}; of rejected classes: {}; changed ones: {}",
            self.files(),
            self.malformed,
            self.rejected,
            self.honest,
            self.uncertified,
            self.foreign,
            self.claimed,
            self.inferred,
            self.mutated
        )
    }
}

/// Random classes, each judged with certificates of every kind.
#[derive(Debug)]
pub struct Campaign {
    random: Random,
    /// The certificate of the last accepted class.
    last: Vec<u8>,
    /// What was judged.
    pub tally: Tally,
}

impl Campaign {
    /// Starts with a seed.
    #[must_use]
    pub fn new(seed: usize) -> Campaign {
        Campaign {
            random: Random::new(&seed.to_le_bytes()),
            last: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Makes and judges class files, every fourth of them as an applet.
    ///
    /// # Errors
    ///
    /// Returns a sentence about the first class that breaks the law.
    pub fn run(&mut self, count: usize, seed: usize) -> Result<(), String> {
        let mut maker = Maker::new(seed);
        for number in 0..count {
            let (kind, bytes) = maker.class();
            let policy = match number % 4 {
                3 => APPLET,
                _ => Policy::ClassOnly,
            };
            self.judge(&bytes, policy)
                .map_err(|finding| format!("class {number} of seed {seed}, {kind:?}: {finding}"))?;
        }
        Ok(())
    }

    /// Judges a class file with certificates of every kind. The verdict is that of the check: the class is accepted if
    /// any of the certificates makes the check accept it.
    ///
    /// # Errors
    ///
    /// Returns a sentence if the check accepts what the verifier rejects, or refuses an honest certificate.
    pub fn judge(&mut self, bytes: &[u8], policy: Policy) -> Result<Outcome, String> {
        let accepted = parsed(bytes, |class| self.judge_class(class, policy));
        match accepted {
            Ok(Ok(true)) => Ok(Outcome::Accepted),
            Ok(Ok(false)) => Ok(judge(bytes, policy, NicNative::TABLE)),
            Ok(Err(finding)) => Err(finding),
            Err(_) => {
                self.tally.malformed += 1;
                Ok(judge(bytes, policy, NicNative::TABLE))
            }
        }
    }

    /// Returns the verdict of the check on a class file that need not be an applet.
    ///
    /// # Panics
    ///
    /// Panics if the class breaks the law, as [`judge`](Self::judge) says.
    pub fn checked(&mut self, bytes: &[u8]) -> Outcome {
        let verdict = self.judge(bytes, Policy::ClassOnly);
        verdict.unwrap_or_else(|finding| panic!("{finding}"))
    }

    fn judge_class(&mut self, class: ClassFile<'_>, policy: Policy) -> Result<bool, String> {
        let verdict = verdict(class, policy);
        let foreign = holds(class, policy, &self.last, verdict)?;
        self.tally.foreign.add(foreign);
        let claimed = claimed(&class, &mut self.random);
        let claimed = holds(class, policy, &claimed, verdict)?;
        self.tally.claimed.add(claimed);
        let own = honest(class, policy, verdict)?;
        let has_own = own.is_some();
        let inferred = match own {
            Some(honest) => {
                self.tally.honest += 1;
                self.last = honest.clone();
                honest
            }
            // The verifier accepts the class, but the certificate would be too long.
            None if verdict.is_ok() => {
                self.tally.uncertified += 1;
                Vec::new()
            }
            None => {
                self.tally.rejected += 1;
                let inferred = inferred(&class, policy);
                let is_accepted = holds(class, policy, &inferred, verdict)?;
                self.tally.inferred.add(is_accepted);
                inferred
            }
        };
        let mut mutated = inferred;
        mutate(&mut mutated, &mut self.random);
        let mutated = holds(class, policy, &mutated, verdict)?;
        self.tally.mutated.add(mutated);
        Ok(foreign || claimed || mutated || has_own)
    }
}

/// The verifier's verdict on a class.
pub type Verdict = Result<(), VerifyError>;

/// Returns the verifier's verdict on a class.
pub fn verdict(class: ClassFile<'_>, policy: Policy) -> Verdict {
    verify_class(class, policy, NicNative::TABLE, &mut ()).map(drop)
}

/// Returns whether the check accepts a class with a certificate.
///
/// # Errors
///
/// Returns a sentence if the verifier rejects the accepted class for anything but the limit on its own steps, which a
/// check does not take.
pub fn holds(
    class: ClassFile<'_>,
    policy: Policy,
    certificate: &[u8],
    verdict: Verdict,
) -> Result<bool, String> {
    let is_accepted = check_certified(class, policy, NicNative::TABLE, certificate).is_ok();
    match verdict {
        Err(error) if is_accepted && !matches!(error.kind, VerifyErrorKind::VerifySteps { .. }) => {
            Err(format!(
                "the check accepts with {certificate:02x?} what the verifier rejects: {error}"
            ))
        }
        Err(_) | Ok(()) => Ok(is_accepted),
    }
}

/// Returns the certificate of a class, or `None` if the class has none.
///
/// # Errors
///
/// Returns a sentence if the check refuses the certificate, or if there is none although the verifier accepts the class.
pub fn honest(
    class: ClassFile<'_>,
    policy: Policy,
    verdict: Verdict,
) -> Result<Option<Vec<u8>>, String> {
    match (certify(class, policy, NicNative::TABLE), verdict) {
        (Ok(honest), Ok(())) if holds(class, policy, &honest, verdict)? => Ok(Some(honest)),
        (Ok(honest), Ok(())) => Err(format!("the check refuses the honest {honest:02x?}")),
        (Err(CertifyError::Rejected(error)), Err(rejected)) if error == rejected => Ok(None),
        (Err(CertifyError::TooLong { .. }), Ok(())) => Ok(None),
        (certificate, verdict) => Err(format!("certified {certificate:?}, verified {verdict:?}")),
    }
}
