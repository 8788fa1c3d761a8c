//! What each code of a rejection or trap means, with a smallest example and the mend: the one source
//! of `jive explain` and `docs/errors.md`.

mod applet;
mod data_flow;
mod limit;
mod lint;
mod malformed;
mod static_constraints;
mod subset;
mod trap;

use std::fmt::{self, Write};

/// The explanation of one code.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The code, as rejections and traps show it.
    pub code: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// A smallest example, in Java or as instructions.
    pub example: &'static str,
    /// What to do.
    pub mend: &'static str,
}

/// A group of codes that no reader should confuse with another.
struct Family {
    title: &'static str,
    summary: &'static str,
    parts: &'static [&'static [Explanation]],
}

const FAMILIES: &[Family] = &[
    Family {
        title: "malformed",
        summary: "The bytes are not a class file.",
        parts: &[malformed::ENTRIES],
    },
    Family {
        title: "unsafe",
        summary: "The class breaks the JVM's rules; no JVM would run it.",
        parts: &[static_constraints::ENTRIES, data_flow::ENTRIES],
    },
    Family {
        title: "subset",
        summary: "Fine Java that has no place on a network interface.",
        parts: &[subset::ENTRIES],
    },
    Family {
        title: "limit",
        summary: "More than this virtual machine was built for.",
        parts: &[limit::ENTRIES],
    },
    Family {
        title: "applet",
        summary: "A class that lacks what every applet has.",
        parts: &[applet::ENTRIES],
    },
    Family {
        title: "lint",
        summary: "Safe code that is probably wrong. `jive verify --lint` warns of it and accepts the class.",
        parts: &[lint::ENTRIES],
    },
    Family {
        title: "traps",
        summary: "How a call ends that cannot go on. The packet is dropped, everything else goes on.",
        parts: &[trap::ENTRIES],
    },
];

/// Returns every explanation, family by family.
pub fn all() -> impl Iterator<Item = &'static Explanation> {
    FAMILIES
        .iter()
        .flat_map(|family| family.parts)
        .flat_map(|part| part.iter())
}

/// Returns the explanation of a code.
pub fn find(code: &str) -> Option<&'static Explanation> {
    all().find(|explanation| explanation.code == code)
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n\n{}", self.code, self.meaning)?;
        f.write_str("\nExample:\n\n")?;
        indented(self.example, f)?;
        write!(f, "\nMend: {}\n", self.mend)
    }
}

fn indented(text: &str, f: &mut impl Write) -> fmt::Result {
    text.lines().try_for_each(|line| match line {
        "" => writeln!(f),
        line => writeln!(f, "    {line}"),
    })
}

/// Lists every code with the first sentence of its meaning.
pub struct Index;

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, family) in FAMILIES.iter().enumerate() {
            if position > 0 {
                writeln!(f)?;
            }
            writeln!(f, "{}: {}", family.title, family.summary)?;
            for entry in family.parts.iter().flat_map(|part| part.iter()) {
                let sentence = entry.meaning.split_inclusive(". ").next().unwrap_or("");
                writeln!(f, "  {:<32} {}", entry.code, sentence.trim_end())?;
            }
        }
        Ok(())
    }
}

/// The page `docs/errors.md`.
pub struct Page;

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "<!-- Written by `jive explain --markdown`. Do not edit. -->\n\
             # Rejections and traps\n\n\
             `jive verify` names a code when it rejects a class, and a trace names a trap. \
             `jive explain CODE` prints one entry of this page.\n",
        )?;
        for family in FAMILIES {
            write!(f, "\n## {}\n\n{}\n", family.title, family.summary)?;
            for entry in family.parts.iter().flat_map(|part| part.iter()) {
                write!(f, "\n### `{}`\n\n{}\n\n", entry.code, entry.meaning)?;
                indented(entry.example, f)?;
                write!(f, "\n**Mend.** {}\n", entry.mend)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jive_core::{LinkErrorKind, ParseErrorKind, Storage, TrapKind};
    use jive_verifier::VerifyErrorKind;

    use super::*;

    #[test]
    fn every_code_has_one_explanation_and_no_other_has() {
        let storage = LinkErrorKind::StorageTooSmall {
            storage: Storage::Ops,
            needed: 1,
            found: 0,
        };
        let loading = [
            storage.code(),
            LinkErrorKind::Count.code(),
            // Those of an applet that finds no room on a NIC.
            "applet/not-judged",
            "limit/rx-buf",
        ];
        let traps = TrapKind::ALL.iter().map(|kind| kind.name());
        let codes = ParseErrorKind::CODES
            .iter()
            .chain(VerifyErrorKind::CODES)
            .chain(&loading)
            .chain(crate::lint::Lint::CODES)
            .copied()
            .chain(traps);
        let existing = codes.collect::<BTreeSet<_>>();
        let explained = all().map(|entry| entry.code).collect::<BTreeSet<_>>();
        let missing = existing.difference(&explained).collect::<Vec<_>>();
        let surplus = explained.difference(&existing).collect::<Vec<_>>();
        assert!(
            missing.is_empty() && surplus.is_empty(),
            "missing {missing:?}, surplus {surplus:?}"
        );
        assert_eq!(all().count(), explained.len(), "a code is explained twice");
    }

    #[test]
    fn explanations_are_whole() {
        for entry in all() {
            assert!(entry.meaning.ends_with('.'), "{}", entry.code);
            assert!(entry.mend.ends_with('.'), "{}", entry.code);
            assert!(!entry.example.is_empty(), "{}", entry.code);
        }
    }
}
