//! What two processors pay for the records that they share, and what the NIC could do about it: rates under one lock, a lock
//! for each kind of record, and records of each processor alone.

use nic_runtime::profile::{Locks, Profile};

use super::lab::{Rounds, Scheme, Setup};
use super::{STREAMED, part};
use crate::paper::PaperError;
use crate::paper::report::{Agreement, Quantity, Row};

const FIGURE: &str = "§5: what the processors share";

const LOCKS: [(Locks, &str); 3] = [
    (Locks::One, "one lock"),
    (Locks::PerObject, "a lock for each kind of record"),
    (Locks::Private, "private records"),
];

/// Returns the rates of both directions together, under each kind of lock.
pub(super) fn rows(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let mut rows = Vec::new();
    for scheme in [Scheme::So, Scheme::Ro, Scheme::Dsr, Scheme::Sr] {
        let mut rates = [0; LOCKS.len()];
        for (rate, (locks, _)) in rates.iter_mut().zip(LOCKS) {
            let setup = Setup {
                scheme,
                length: STREAMED,
                rounds,
            };
            *rate = setup.both_ways(&profile.with_locks(locks))?;
        }
        let row = |name: &str, found| {
            let name = format!("{}, both ways: {name}", scheme.name());
            Row::new("S3-02", FIGURE, name, found)
        };
        for (rate, (_, name)) in rates.iter().zip(LOCKS) {
            rows.push(row(name, Agreement::Measured(Quantity::Rate(*rate))));
        }
        let [one, per_object, private] = rates;
        for (name, with) in [
            ("gain by locks for each kind", per_object),
            ("gain by private records", private),
        ] {
            rows.push(row(
                name,
                Agreement::Measured(Quantity::Share(-part(with, one))),
            ));
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::emp::{FEW, SHARING};

    /// Without waits and without the costs of locks no stage takes longer, so nothing comes later.
    #[test]
    fn private_records_are_never_slower_than_one_lock() {
        let profile = Profile::builtin(SHARING).unwrap();
        for scheme in [Scheme::So, Scheme::Ro, Scheme::Dsr, Scheme::Sr] {
            let setup = Setup {
                scheme,
                length: STREAMED,
                rounds: FEW,
            };
            let rate = |locks| setup.both_ways(&profile.with_locks(locks)).unwrap();
            assert!(rate(Locks::Private) > rate(Locks::One), "{scheme:?}");
        }
    }

    /// In base one processor runs every stage, and nothing is shared: locks cost nothing.
    #[test]
    fn on_one_processor_locks_cost_nothing() {
        let profile = Profile::builtin(SHARING).unwrap();
        let mut free = profile.clone();
        free.semaphore = None;
        let setup = Setup {
            scheme: Scheme::Base,
            length: STREAMED,
            rounds: FEW,
        };
        let expected = setup.both_ways(&free).unwrap();
        for locks in [Locks::One, Locks::PerObject] {
            assert_eq!(
                setup.both_ways(&profile.with_locks(locks)).unwrap(),
                expected
            );
        }
    }
}
