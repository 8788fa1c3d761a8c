//! The errors of a class as they are found. Decides whether the verifier stops or continues.

use jive_core::MethodId;

use crate::error::{VerifyError, VerifyErrorKind};
use crate::observer::Observer;

/// The errors found so far.
///
/// For an observer that does not collect, [`note`](Self::note) always fails. Then the compiler removes the code after it,
/// so firmware has no code for a second error.
pub(crate) struct Faults<'o, O> {
    pub(crate) observer: &'o mut O,
    first: Option<VerifyError>,
    /// A bit for each method whose code is not checked, because its declaration has types outside the subset.
    skipped: u64,
}

// A bit for each method.
const _: () = assert!(jive_core::limits::METHODS_MAX as u32 <= u64::BITS);

impl<'o, O: Observer> Faults<'o, O> {
    /// Starts without errors.
    pub(crate) fn new(observer: &'o mut O) -> Faults<'o, O> {
        Faults {
            observer,
            first: None,
            skipped: 0,
        }
    }

    /// Reports an error to the observer. Fails if verification must stop.
    pub(crate) fn note(&mut self, error: VerifyError) -> Result<(), VerifyError> {
        let first = self.last(error);
        if O::COLLECTS { Ok(()) } else { Err(first) }
    }

    /// Reports the error of a search that failed. Fails if verification must stop.
    pub(crate) fn found<T>(
        &mut self,
        found: Result<T, VerifyError>,
    ) -> Result<Option<T>, VerifyError> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) => self.note(error).map(|()| None),
        }
    }

    /// Reports an error in the kind of class. An interface or a module has no applet code, so verification stops there.
    pub(crate) fn note_kind(&mut self, error: VerifyError) -> Result<(), VerifyError> {
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

    /// Reports an error after which verification cannot continue. Returns the first error of the class.
    pub(crate) fn last(&mut self, error: VerifyError) -> VerifyError {
        self.observer.rejected(error);
        if O::COLLECTS {
            *self.first.get_or_insert(error)
        } else {
            error
        }
    }

    /// Excludes the code of a method from verification.
    pub(crate) fn skip(&mut self, method: MethodId) {
        self.skipped |= bit(method);
    }

    /// Whether the code of a method is excluded.
    pub(crate) fn skips(&self, method: MethodId) -> bool {
        O::COLLECTS && self.skipped & bit(method) != 0
    }

    /// Returns the first error, if there is any.
    pub(crate) fn first(&self) -> Option<VerifyError> {
        self.first.filter(|_| O::COLLECTS)
    }
}

/// Returns the bit of a method. The limit on methods guarantees that there is one.
fn bit(method: MethodId) -> u64 {
    1_u64.checked_shl(method.0.into()).unwrap_or(0)
}
