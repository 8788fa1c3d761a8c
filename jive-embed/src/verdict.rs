//! The verdict on a class file: accepted, or rejected with its faults.

use bumpalo::Bump;
use jive_core::{ClassFile, NativeDecl};
use jive_verifier::Policy;

use crate::analysis::{Environment, Report};
use crate::lint::Warnings;
use crate::load::load_class;
use crate::names;
use crate::rejection::{FoundAt, Rejection, Rejections};

/// The verdict on a class file. With the feature `json` it serialises as `jive verify --format json` prints it.
#[derive(Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[cfg_attr(feature = "json", serde(tag = "verdict", rename_all = "kebab-case"))]
pub enum Verdict {
    /// The class may run.
    Accepted(Accepted),
    /// The class may not run.
    Rejected(Box<Rejected>),
    /// There is no class to judge.
    Unreadable {
        /// Why the file cannot be read.
        message: String,
    },
}

/// Facts about an accepted class.
#[derive(Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
pub struct Accepted {
    /// The name of the class.
    pub class: String,
    /// The major version of the class file.
    pub major: u16,
    /// The minor version of the class file.
    pub minor: u16,
    /// How many methods it has.
    pub methods: usize,
    /// The length of all code, in bytes.
    pub code_bytes: usize,
    /// The limits of what the class can do, if they were asked for.
    #[cfg_attr(feature = "json", serde(flatten))]
    pub analysis: Option<Report>,
    /// The warnings of the lints, if they were asked for.
    #[cfg_attr(
        feature = "json",
        serde(flatten, skip_serializing_if = "Option::is_none")
    )]
    pub warnings: Option<Warnings>,
}

/// What is wrong with a class that was rejected.
#[derive(Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
pub struct Rejected {
    /// The first fault.
    #[cfg_attr(feature = "json", serde(flatten))]
    pub first: Rejection,
    /// All faults, with the first, unless only that was asked for.
    #[cfg_attr(
        feature = "json",
        serde(flatten, skip_serializing_if = "Option::is_none")
    )]
    pub all: Option<Rejections>,
}

/// What is asked of a class besides its verdict.
#[derive(Copy, Clone, Debug, Default)]
pub struct Asked<'e> {
    /// Only the first fault, in place of all.
    pub first: bool,
    /// The limits of what an accepted class can do.
    pub analysis: bool,
    /// The warnings of the lints, with these costs and limits.
    pub lints: Option<&'e Environment>,
}

impl Verdict {
    /// Judges the bytes of a class file.
    #[must_use]
    pub fn of(
        found: FoundAt<'_>,
        bytes: &[u8],
        (policy, natives): (Policy, &[NativeDecl]),
        asked: Asked<'_>,
    ) -> Verdict {
        let arena = Bump::new();
        match load_class(&arena, bytes, policy, natives) {
            Ok(loaded) => {
                let analysis = asked.analysis.then(|| Report::of(loaded.class, policy));
                let mut accepted = Accepted::of(&loaded.class, analysis);
                let environment = asked.lints;
                accepted.warnings =
                    environment.map(|environment| Warnings::of(found, &loaded.class, environment));
                Verdict::Accepted(accepted)
            }
            Err(error) if asked.first => Verdict::Rejected(Box::new(Rejected {
                first: Rejection::explore(found, bytes, policy, natives, error),
                all: None,
            })),
            Err(error) => {
                let all = Rejections::explore(found, bytes, policy, natives, error);
                Verdict::Rejected(Box::new(Rejected {
                    first: all.first().clone(),
                    all: Some(all),
                }))
            }
        }
    }

    /// Returns the faults of a rejected class, or the warnings about an accepted one, and how many more there are.
    #[must_use]
    pub fn told(&self) -> (Vec<&Rejection>, usize) {
        match self {
            Verdict::Accepted(Accepted {
                warnings: Some(warnings),
                ..
            }) => (warnings.iter().collect(), warnings.omitted()),
            Verdict::Rejected(rejected) => match &rejected.all {
                Some(all) => (all.iter().collect(), all.omitted()),
                None => (vec![&rejected.first], 0),
            },
            Verdict::Accepted(_) | Verdict::Unreadable { .. } => (Vec::new(), 0),
        }
    }
}

impl Accepted {
    fn of(class: &ClassFile<'_>, analysis: Option<Report>) -> Accepted {
        Accepted {
            class: names::class_name(class),
            major: class.version().major,
            minor: class.version().minor,
            methods: class.method_count(),
            code_bytes: names::code_bytes(class),
            analysis,
            warnings: None,
        }
    }

    /// Returns the line that says that the class of the file `name` was accepted. `name` is safe for display.
    #[must_use]
    pub fn line(&self, name: &str) -> String {
        let Accepted {
            class,
            major,
            methods,
            code_bytes,
            ..
        } = self;
        format!(
            "ok: {name}: class {class}, major {major}, {methods} methods, {code_bytes} bytes of code"
        )
    }
}

impl Rejected {
    /// Renders what is wrong, with colours.
    #[must_use]
    pub fn render(&self) -> String {
        match &self.all {
            Some(all) => all.render(),
            None => self.first.render(),
        }
    }
}
