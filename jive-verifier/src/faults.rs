//! The errors of a class as they are found. [`Faults`] decides whether the verifier stops or continues after an error.

use jive_core::MethodId;

use crate::error::{Reason, Refused, VerifyError, VerifyErrorKind};
use crate::observer::Observer;

/// The errors of a class that are found so far.
///
/// For an observer that does not collect, [`note`](Self::note) always fails. The compiler then removes the code that
/// would run after a failed `note`, so firmware has no code for a second error.
pub(crate) struct Faults<'o, O> {
    pub(crate) observer: &'o mut O,
    first: Option<VerifyError>,
    /// A bit for each method whose code is not checked, because its declaration has types outside the subset.
    skipped: u64,
}

// The bits of `skipped` suffice for every method of a class.
const _: () = assert!(jive_core::limits::METHODS_MAX as u32 <= u64::BITS);

/// Receives the errors of a class, and decides whether to stop after an error.
pub(crate) trait Report {
    /// What is reported of a broken rule.
    type Kind: Reason;

    /// Reports an error of the class. Fails if the work must stop after this error.
    fn note(&mut self, error: ErrorOf<Self>) -> Result<(), ErrorOf<Self>>;

    /// Reports an error in the kind of class. Verification stops at an interface or a module, because it has no applet
    /// code.
    fn note_kind(&mut self, error: ErrorOf<Self>) -> Result<(), ErrorOf<Self>>;

    /// Reports an error after which the work cannot continue. Returns the first error of the class.
    fn last(&mut self, error: ErrorOf<Self>) -> ErrorOf<Self>;

    /// Excludes the code of a method from verification, because the method's declaration has an error.
    fn skip(&mut self, method: MethodId);

    /// Reports the error of a search that failed. Fails if the work must stop after this error.
    fn found<T>(&mut self, found: Result<T, ErrorOf<Self>>) -> Result<Option<T>, ErrorOf<Self>> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) => self.note(error).map(|()| None),
        }
    }
}

/// The error that a [`Report`] receives.
pub(crate) type ErrorOf<R> = <<R as Report>::Kind as Reason>::Error;

/// The report of a check, which stops at the first error and tells nobody.
pub(crate) struct Unreported;

impl Report for Unreported {
    type Kind = Refused;

    fn note(&mut self, error: Refused) -> Result<(), Refused> {
        Err(error)
    }

    fn note_kind(&mut self, error: Refused) -> Result<(), Refused> {
        Err(error)
    }

    fn last(&mut self, error: Refused) -> Refused {
        error
    }

    fn skip(&mut self, _: MethodId) {}
}

impl<'o, O: Observer> Faults<'o, O> {
    /// Starts without errors.
    pub(crate) fn new(observer: &'o mut O) -> Faults<'o, O> {
        Faults {
            observer,
            first: None,
            skipped: 0,
        }
    }

    /// Whether the code of a method is excluded from verification.
    pub(crate) fn skips(&self, method: MethodId) -> bool {
        O::COLLECTS && self.skipped & bit(method) != 0
    }

    /// Returns the first error of the class, if there is any.
    pub(crate) fn first(&self) -> Option<VerifyError> {
        self.first.filter(|_| O::COLLECTS)
    }
}

impl<O: Observer> Report for Faults<'_, O> {
    type Kind = VerifyErrorKind;

    fn note(&mut self, error: VerifyError) -> Result<(), VerifyError> {
        let first = self.last(error);
        if O::COLLECTS { Ok(()) } else { Err(first) }
    }

    fn note_kind(&mut self, error: VerifyError) -> Result<(), VerifyError> {
        let goes_on = matches!(
            error.kind,
            VerifyErrorKind::Superclass | VerifyErrorKind::Implements { .. }
        );
        if O::COLLECTS && goes_on {
            self.note(error)
        } else {
            Err(self.last(error))
        }
    }

    fn last(&mut self, error: VerifyError) -> VerifyError {
        self.observer.rejected(error);
        if O::COLLECTS {
            *self.first.get_or_insert(error)
        } else {
            error
        }
    }

    fn skip(&mut self, method: MethodId) {
        self.skipped |= bit(method);
    }
}

/// Returns the bit of a method in `skipped`, which exists because the number of methods is limited.
fn bit(method: MethodId) -> u64 {
    1_u64.checked_shl(method.0.into()).unwrap_or(0)
}
