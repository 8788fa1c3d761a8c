//! Every fixture gives the result that its first line states, and every rejection code has a fixture.

use std::collections::BTreeSet;

use jive_core::{Lifetime, NoNatives, ParseErrorKind, natives};
use jive_lab::asm::assemble;
use jive_verifier::{Policy, VerifyErrorKind};
use nic_core::sle::NicEntry;
use tests::fixture::{Fixture, Outcome};
use tests::machine::{Room, judge, machine};

/// Codes that no class file alone can cause. `limit/index-size` and `limit/work-area` are about the memory that the
/// caller lends. `applet/native-entry` needs a natives table that contains a method of the applet itself.
const NOT_THE_CLASS_ALONE: [&str; 3] =
    ["limit/index-size", "limit/work-area", "applet/native-entry"];

fn outcome(fixture: &Fixture) -> Outcome {
    match &fixture.expected {
        Outcome::Accepted | Outcome::Rejected { .. } => {
            judge(&fixture.bytes, fixture.policy, fixture.natives())
        }
        Outcome::Returned { .. } | Outcome::Trapped { .. } => machine(
            &fixture.bytes,
            fixture.policy,
            fixture.natives(),
            Room::default(),
            |machine| machine.outcome(&fixture.call, Lifetime::PerCall, &mut NoNatives),
        )
        .unwrap_or_else(|rejected| rejected),
    }
}

#[test]
fn every_fixture_meets_its_first_line() {
    let wrong: Vec<String> = Fixture::all()
        .iter()
        .filter_map(|fixture| {
            let found = outcome(fixture);
            (found != fixture.expected).then(|| {
                let Fixture { name, expected, .. } = fixture;
                format!("{name}\n    expected {expected}\n       found {found}")
            })
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_rejection_is_named_after_its_code() {
    for fixture in Fixture::all() {
        let code = match &fixture.expected {
            Outcome::Rejected { code, .. } => Some(code.as_str()),
            Outcome::Accepted | Outcome::Returned { .. } | Outcome::Trapped { .. } => None,
        };
        assert_eq!(fixture.rejection(), code, "{}", fixture.name);
    }
}

#[test]
fn every_rejection_code_has_a_fixture() {
    let fixtures = Fixture::all();
    let covered: BTreeSet<&str> = fixtures.iter().filter_map(Fixture::rejection).collect();
    let codes: BTreeSet<&str> = [ParseErrorKind::CODES, VerifyErrorKind::CODES]
        .concat()
        .into_iter()
        .filter(|code| !NOT_THE_CLASS_ALONE.contains(code))
        .collect();
    let without: Vec<_> = codes.difference(&covered).collect();
    let unknown: Vec<_> = covered.difference(&codes).collect();
    assert!(without.is_empty(), "no fixture for {without:?}");
    assert!(unknown.is_empty(), "no such code: {unknown:?}");
}

/// The cost classes of the natives table `Entries`.
#[derive(Debug, PartialEq)]
enum Cost {
    Free,
}

natives! {
    /// A natives table that declares a method of the applet as a native.
    enum Entries: "unet/Nic", cost Cost {
        /// The entry for transmit descriptors.
        DoTx = doTx(length: Int, channel: Int, offset: Int) -> Int, Free;
    }
}

#[test]
fn an_entry_is_not_native_even_where_the_table_has_it() {
    assert_eq!(Entries::DoTx.cost(), Cost::Free);
    let class = assemble("native-entry", ".method native static doTx(III)I").unwrap();
    assert_eq!(
        judge(
            &class.bytes,
            Policy::Applet {
                entries: NicEntry::TABLE
            },
            Entries::TABLE
        )
        .to_string(),
        "applet/native-entry in method doTx"
    );
}
