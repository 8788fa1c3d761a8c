//! Checks that collecting all faults of a class does not change the verdict.

use jive_core::{ClassFile, MethodId, Pc};
use jive_verifier::{Observer, Policy, TypeState, VerifyError, verify_with, work_size};
use nic_core::sle::NicNative;

use crate::lent::Work;
use crate::machine::parsed;

/// Verifies a class with and without an observer that collects faults.
///
/// The verdicts must be equal, and the first collected fault must be the verdict.
pub(super) fn check_collected(bytes: &[u8]) {
    let _no_class_file = parsed(bytes, |class| {
        let mut faults = Faults::default();
        let collected = judge(class, &mut faults);
        assert_eq!(collected, faults.first);
        assert_eq!(collected, judge(class, &mut ()));
    });
}

fn judge(class: ClassFile<'_>, observer: &mut impl Observer) -> Option<VerifyError> {
    let size = work_size(&class);
    let mut work = Work::default();
    verify_with(
        class,
        Policy::ClassOnly,
        NicNative::TABLE,
        work.lend(&size),
        observer,
    )
    .err()
}

/// The first fault reported to an observer.
#[derive(Default)]
struct Faults {
    first: Option<VerifyError>,
}

impl Observer for Faults {
    const WATCHES: bool = false;
    const COLLECTS: bool = true;

    fn reached(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}

    fn rejected(&mut self, error: VerifyError) {
        self.first.get_or_insert(error);
    }
}
