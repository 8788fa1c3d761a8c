//! Compares verdicts with OpenJDK's type-inferring verifier on thousands of generated class files.

mod normal;

use core::fmt;
use std::collections::BTreeMap;

use jive_core::{ClassFile, Opcode};
use jive_lab::Random;
use jive_lab::generate::{Kind, Smith, program};
use jive_verifier::{Policy, VerifyError, VerifyErrorKind};
use nic_core::sle::NicNative;

use self::normal::normalised;
use crate::fixture::Outcome;
use crate::machine::{judge, parsed, verified};
use crate::openjdk::{committed, jdk};

/// Number of class files that one Java process judges.
const BATCH: usize = 50_000;
/// Number of larger programs that changes start from.
const PROGRAMS: u8 = 60;
/// Number of disagreements shown in full.
const SHOWN: usize = 12;

/// The verdicts on the class files of one kind.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// Accepted by both verifiers.
    pub accepted: u64,
    /// The number of accepted class files that OpenJDK accepted only after the parts that JIVE does not read had been
    /// removed.
    pub normalised: u64,
    /// Rejected by both.
    pub rejected: u64,
    /// The number of class files that OpenJDK accepts and JIVE rejects because of the subset or a limit, by code.
    pub outside_subset: BTreeMap<String, u64>,
    /// The number of class files that OpenJDK accepts and JIVE rejects for a difference listed in `docs/verifier.md`,
    /// by name.
    pub known: BTreeMap<&'static str, u64>,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The verdicts by kind.
    pub verdicts: BTreeMap<Kind, Verdicts>,
    /// Number of other disagreements.
    pub disagreements: u64,
    /// The first disagreements, each as the kind with both verdicts, and the class file.
    pub shown: Vec<(String, Vec<u8>)>,
}

impl Report {
    /// Returns the number of class files that both verifiers accepted, and the number that were compared.
    #[must_use]
    pub fn totals(&self) -> (u64, u64) {
        let accepted = self.verdicts.values().map(|of| of.accepted).sum();
        let judged = self.verdicts.values().map(|of| {
            let outside: u64 = of.outside_subset.values().sum();
            let known: u64 = of.known.values().sum();
            of.accepted + of.rejected + outside + known
        });
        (accepted, judged.sum::<u64>() + self.disagreements)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (accepted, judged) = self.totals();
        writeln!(
            f,
            "judged {judged}, accepted by both {accepted}, disagreements {}",
            self.disagreements
        )?;
        for (kind, of) in &self.verdicts {
            writeln!(
                f,
                "{kind:?}: accepted by both {} (normalised {}), rejected by both {}, outside the subset {:?}, known to differ {:?}",
                of.accepted, of.normalised, of.rejected, of.outside_subset, of.known
            )?;
        }
        for (text, _) in &self.shown {
            writeln!(f, "{text}")?;
        }
        Ok(())
    }
}

/// Generates `count` class files and compares JIVE's verdict with OpenJDK's on each.
///
/// Calls `progress` after each batch.
///
/// # Panics
///
/// Panics if OpenJDK does not answer.
#[must_use]
pub fn compare(count: usize, seed: usize, progress: impl FnMut(&Report)) -> Report {
    let verified = |bytes: &[u8]| judge(bytes, Policy::ClassOnly, NicNative::TABLE);
    compare_by(verified, count, seed, progress)
}

/// Compares verdicts as [`compare`] does, with those that `ours` gives in place of the verifier's.
///
/// # Panics
///
/// Panics if OpenJDK does not answer.
#[must_use]
pub fn compare_by(
    mut ours: impl FnMut(&[u8]) -> Outcome,
    count: usize,
    seed: usize,
    mut progress: impl FnMut(&Report),
) -> Report {
    let mut maker = Maker::new(seed);
    let mut report = Report::default();
    let mut left = count;
    while left > 0 {
        let batch: Vec<(Kind, Vec<u8>)> = core::iter::repeat_with(|| maker.class())
            .take(left.min(BATCH))
            .collect();
        left -= batch.len();
        let theirs = jdk::verdicts(batch.iter().map(|(_, bytes)| bytes.as_slice()));
        assert_eq!(theirs.len(), batch.len());
        let mut again = Vec::new();
        for ((kind, bytes), theirs) in batch.into_iter().zip(theirs) {
            let ours = ours(&bytes);
            let is_rejected = matches!(ours, Outcome::Rejected { .. });
            if is_rejected || theirs == "ok" {
                report.add(kind, bytes, &ours, &theirs);
            } else {
                again.push((kind, bytes, ours, theirs));
            }
        }
        report.judge_again(again);
        progress(&report);
    }
    report
}

impl Report {
    /// Asks OpenJDK again about classes that only JIVE accepted, without the parts that JIVE does not read.
    fn judge_again(&mut self, refused: Vec<(Kind, Vec<u8>, Outcome, String)>) {
        if refused.is_empty() {
            return;
        }
        let normal: Vec<Vec<u8>> = refused
            .iter()
            .map(|(_, bytes, ..)| normalised(bytes).expect("a class that is accepted"))
            .collect();
        let theirs = jdk::verdicts(normal.iter().map(Vec::as_slice));
        assert_eq!(theirs.len(), refused.len());
        for ((kind, bytes, ours, first), theirs) in refused.into_iter().zip(theirs) {
            if theirs == "ok" {
                self.verdicts.entry(kind).or_default().normalised += 1;
                self.add(kind, bytes, &ours, &theirs);
            } else {
                self.add(kind, bytes, &ours, &format!("{first}, normalised {theirs}"));
            }
        }
    }

    fn add(&mut self, kind: Kind, bytes: Vec<u8>, ours: &Outcome, theirs: &str) {
        let of = self.verdicts.entry(kind).or_default();
        match (ours, theirs == "ok") {
            (Outcome::Rejected { .. }, false) => of.rejected += 1,
            (Outcome::Rejected { code, .. }, true)
                if code.starts_with("subset/") || code.starts_with("limit/") =>
            {
                *of.outside_subset.entry(code.clone()).or_default() += 1;
            }
            (Outcome::Rejected { .. }, true) => match known_difference(&bytes) {
                Some(name) => *of.known.entry(name).or_default() += 1,
                None => self.disagree(kind, bytes, ours, theirs),
            },
            (_, true) => of.accepted += 1,
            (_, false) => self.disagree(kind, bytes, ours, theirs),
        }
    }

    fn disagree(&mut self, kind: Kind, bytes: Vec<u8>, ours: &Outcome, theirs: &str) {
        self.disagreements += 1;
        if self.shown.len() < SHOWN {
            self.shown
                .push((format!("{kind:?}: here {ours}, OpenJDK {theirs}"), bytes));
        }
    }
}

/// Returns the name of the difference, listed in `docs/verifier.md`, for which only JIVE rejects a class.
#[must_use]
pub fn known_difference(bytes: &[u8]) -> Option<&'static str> {
    let verdict = parsed(bytes, |class| {
        verified(class, Policy::ClassOnly, NicNative::TABLE, |_| ())
    });
    match verdict {
        Ok(Err(VerifyError {
            kind:
                VerifyErrorKind::UninitializedThis {
                    opcode: Opcode::Putfield,
                    depth: 0,
                },
            ..
        })) => Some("putfield-of-uninitialized-this"),
        _ => None,
    }
}

/// The generator of class files.
pub(crate) struct Maker {
    smith: Smith,
    random: Random,
}

impl Maker {
    pub(crate) fn new(seed: usize) -> Maker {
        let mut kindals = compiled();
        kindals.extend((0..PROGRAMS).map(|n| program(&mut Random::new(&[n]))));
        Maker {
            smith: Smith::new(kindals),
            random: Random::new(&seed.to_be_bytes()),
        }
    }

    pub(crate) fn class(&mut self) -> (Kind, Vec<u8>) {
        let kind = Kind::draw(&mut self.random);
        (kind, self.smith.class(kind, &mut self.random))
    }
}

/// Returns class files of a compiler, with and without debug information, in the newest version for which OpenJDK
/// infers types.
fn compiled() -> Vec<Vec<u8>> {
    ["compilers/javac-8-g-none", "compilers/javac-8-g"]
        .into_iter()
        .flat_map(|directory| committed::files(directory).into_values())
        .map(|mut bytes| {
            bytes[6..8].copy_from_slice(&49_u16.to_be_bytes());
            bytes
        })
        .filter(|bytes| {
            let mut index = vec![0; ClassFile::index_len(bytes)];
            ClassFile::parse(bytes, &mut index).is_ok()
        })
        .collect()
}
