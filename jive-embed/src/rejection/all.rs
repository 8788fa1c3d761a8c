//! Every fault of a class at once, as a compiler shows them.

use jive_core::{ClassFile, NativeDecl};
use jive_verifier::Policy;
#[cfg(feature = "json")]
use serde::Serialize;

use super::collected::{Collected, Fault, collect};
use super::{FoundAt, Rejection};
use crate::diagnosis::sentence;
use crate::load::LoadError;
use crate::text::printable_path;

/// The faults of a class: the first of each line and of each declaration, without those that follow from another fault.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub struct Rejections {
    /// The faults, of which there is at least one; the first is the one for which the class is rejected.
    rejections: Vec<Rejection>,
    /// Number of faults that are not in `rejections`.
    #[cfg_attr(
        feature = "json",
        serde(rename = "rejections_omitted", skip_serializing_if = "is_zero")
    )]
    omitted: usize,
}

impl<'r> IntoIterator for &'r Rejections {
    type Item = &'r Rejection;
    type IntoIter = std::slice::Iter<'r, Rejection>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(feature = "json")]
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Rejections {
    /// Collects all facts about each fault in the bytes of a file, which were rejected for `error`.
    pub fn explore<'f>(
        found: impl Into<FoundAt<'f>>,
        bytes: &[u8],
        policy: Policy,
        natives: &[NativeDecl<'_>],
        error: LoadError,
    ) -> Rejections {
        let found = found.into();
        let Collected { faults, omitted } = match error {
            LoadError::Verify(_) => {
                let mut index = vec![0; ClassFile::index_len(bytes)];
                let class = ClassFile::parse(bytes, &mut index);
                class.map_or_else(
                    |_| Collected::default(),
                    |class| collect(&class, policy, natives),
                )
            }
            // Neither the parser nor the linker can continue after an error, so there are no further faults.
            LoadError::Parse(_) | LoadError::Link(_) => Collected::default(),
        };
        let explore = |error| Rejection::explore(found, bytes, policy, natives, error);
        let mut rejections = vec![explore(error)];
        // The first fault in `faults` is `error` itself, which `rejections` contains already.
        let others = faults.into_iter().enumerate();
        for (position, Fault { error, also_lines }) in others {
            if position > 0 {
                rejections.push(explore(error.into()));
            }
            if let Some(rejection) = rejections.last_mut() {
                rejection.also_lines = also_lines;
            }
        }
        Rejections {
            rejections,
            omitted,
        }
    }

    /// Returns these faults as all that a class has, or `None` if there are none.
    #[must_use]
    pub fn listed(rejections: Vec<Rejection>) -> Option<Rejections> {
        let omitted = 0;
        (!rejections.is_empty()).then_some(Rejections {
            rejections,
            omitted,
        })
    }

    /// Returns the fault for which the class is rejected.
    #[must_use]
    pub fn first(&self) -> &Rejection {
        self.rejections.first().expect("exploring begins with one")
    }

    /// Returns the fault for which the class is rejected, to change what is told of it.
    pub fn first_mut(&mut self) -> &mut Rejection {
        let first = self.rejections.first_mut();
        first.expect("exploring begins with one")
    }

    /// Returns the faults that are told, in the order in which the verifier finds them.
    pub fn iter(&self) -> std::slice::Iter<'_, Rejection> {
        self.rejections.iter()
    }

    /// Returns the number of faults that are not told.
    #[must_use]
    pub const fn omitted(&self) -> usize {
        self.omitted
    }

    /// Renders a diagnosis for each fault and, if there are several, the number of faults.
    pub fn render(&self) -> String {
        let mut shown = self
            .rejections
            .iter()
            .map(Rejection::render)
            .collect::<Vec<_>>();
        let (told, omitted) = (self.rejections.len(), self.omitted);
        if told + omitted > 1 {
            let hidden = match omitted {
                0 => String::new(),
                omitted => format!(", {omitted} of them not shown"),
            };
            let file = printable_path(&self.first().file);
            let count = told + omitted;
            shown.push(sentence(&format!("{file} has {count} faults{hidden}"), &[]));
        }
        shown.join("\n\n")
    }
}
