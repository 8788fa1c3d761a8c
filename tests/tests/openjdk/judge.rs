//! The verdicts of JIVE and of OpenJDK's type-inferring verifier agree on thousands of class files.

use jive_lab::Random;
use jive_lab::generate::Kind;
use jive_lab::generate::alphabet::{Alphabet, Family};
use jive_lab::generate::typed::typed;
use jive_verifier::Policy;
use nic_core::sle::NicNative;
use tests::certified::Campaign;
use tests::fixture::Outcome;
use tests::judge::{compare, compare_by};
use tests::machine::judge;
use tests::openjdk::jdk;
use tests::skipped::skip;

/// Number of class files on which the verdicts are compared; `trust judge N` compares any number.
const CLASS_FILES: usize = 6000;
/// Number of class files with certificates; `trust checked N` judges any number.
const CHECKED: usize = 1000;
/// Number of well-typed bodies that only JIVE verifies.
const BODIES: u32 = 3000;

#[test]
fn openjdk_judges_made_class_files_alike() {
    if !jdk::is_java_installed() {
        skip("comparison of made class files with OpenJDK", jdk::NONE);
        return;
    }
    let report = compare(CLASS_FILES, 1, |_| ());
    jdk::announce(&format!("judge: {report}"));
    assert_eq!(report.disagreements, 0);
    // The known difference between the verifiers occurs among constructors.
    let known = &report.verdicts[&Kind::Constructor].known;
    assert!(
        known.contains_key("putfield-of-uninitialized-this"),
        "{known:?}"
    );
    // The test is useful only if each kind has accepted and rejected class files, except for well-typed bodies.
    for (kind, of) in &report.verdicts {
        assert!(of.accepted > 0, "{kind:?}");
        assert_eq!(of.rejected > 0, *kind != Kind::Typed, "{kind:?}");
    }
}

#[test]
fn openjdk_accepts_what_the_check_accepts() {
    if !jdk::is_java_installed() {
        skip("classes with certificates on OpenJDK", jdk::NONE);
        return;
    }
    let mut campaign = Campaign::new(2);
    let report = compare_by(|bytes| campaign.checked(bytes), CHECKED, 2, |_| ());
    jdk::announce(&format!("check: {report}"));
    assert_eq!(report.disagreements, 0);
    let (accepted, judged) = report.totals();
    assert_eq!(judged, CHECKED as u64);
    assert!(accepted > 0 && accepted < judged);
}

#[test]
fn well_typed_bodies_are_accepted() {
    let alphabet = Alphabet::new();
    let mut random = Random::new(b"well typed");
    for number in 0..BODIES {
        let family = Family::ALL[usize::from(random.one_in(4))];
        let body = typed(&alphabet, family, 40, &mut random);
        let verdict = judge(&body.class(&alphabet), Policy::ClassOnly, NicNative::TABLE);
        assert_eq!(
            verdict,
            Outcome::Accepted,
            "number {number}: {}",
            body.shown(&alphabet)
        );
    }
}
