//! What can be wrong with a scenario file that is readable TOML, and where in the file it is.
//!
//! A mistake is a place and a kind: the offending words are looked up in the file when it is shown.

use std::ops::Range;

use jive_embed::input::ReadError;

use super::capture::CaptureError;
use super::limits;
use crate::profile::ProfileError;
use crate::units::UnitError;

/// A range of bytes of the file.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// First byte behind it.
    pub end: usize,
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span {
            start: range.start,
            end: range.end,
        }
    }
}

impl Span {
    /// Returns the bytes as a range to index the file with.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// One mistake and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The offending text.
    pub span: Span,
    /// What is wrong with it.
    pub kind: MistakeKind,
}

/// What a name in a scenario stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A NIC.
    Nic,
    /// An endpoint.
    Endpoint,
    /// A process.
    Process,
}

impl Named {
    /// Returns the noun, with its article.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Named::Nic => "a NIC",
            Named::Endpoint => "an endpoint",
            Named::Process => "a process",
        }
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MistakeKind {
    /// The table has no such key.
    #[error("unknown key in {table}; expected {}", Choices(.known))]
    UnknownKey {
        /// The table, as messages call it.
        table: &'static str,
        /// The keys it may have.
        known: &'static [&'static str],
        /// The key that was probably meant.
        suggestion: Option<&'static str>,
    },
    /// The table lacks a key that it must have.
    #[error("{table} needs the key `{key}`")]
    MissingKey {
        /// The table, as messages call it.
        table: &'static str,
        /// The key.
        key: &'static str,
    },
    /// The value is of another type.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// What belongs here, with its article.
        expected: &'static str,
        /// What stands here, with its article.
        found: &'static str,
    },
    /// The value is none of a fixed set.
    #[error("expected {}", Choices(.known))]
    UnknownChoice {
        /// The set.
        known: &'static [&'static str],
        /// The one that was probably meant.
        suggestion: Option<&'static str>,
    },
    /// The text is no quantity.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// The number is outside its range.
    #[error("expected {minimum} to {maximum} for {what}")]
    OutOfRange {
        /// What the number is.
        what: &'static str,
        /// The least it may be.
        minimum: u64,
        /// The most it may be.
        maximum: u64,
    },
    /// The profile of a NIC says nothing of what an endpoint needs.
    #[error(
        "{needs} needs the section `[{section}]`, and the profile `{profile}` of its NIC has none"
    )]
    ProfileLacks {
        /// What needs it, with its article.
        needs: String,
        /// The section.
        section: &'static str,
        /// The name of the profile.
        profile: String,
    },
    /// The two ends of a link differ.
    #[error(
        "the NICs at its ends have different profiles, so it needs one of its own: add `profile`, whose wire it is"
    )]
    LinkNeedsProfile,
    /// A channel joins NICs that no link joins.
    #[error(
        "the NICs `{a}` and `{b}` have different profiles, and no link: add a `[[link]]` between them, with a `profile`"
    )]
    NoLink {
        /// The NIC of one end.
        a: String,
        /// That of the other.
        b: String,
    },
    /// The number is no probability.
    #[error("expected a probability from 0.0 to 1.0")]
    Probability,
    /// There is no name, or one too long for a trace.
    #[error("expected a name of 1 to {} bytes", limits::NAME_BYTES_MAX)]
    NameLength,
    /// The name is taken.
    #[error("expected a name that is unique, found that of {}", .named.noun())]
    DuplicateName {
        /// What bears it already.
        named: Named,
        /// Where that is.
        first: Span,
    },
    /// Nothing bears the name.
    #[error("expected the name of {}", .named.noun())]
    UnknownName {
        /// What was looked for.
        named: Named,
        /// The definition of the one that was probably meant.
        suggestion: Option<Span>,
    },
    /// There are too many entries, or they are too large together.
    #[error("expected at most {limit} {what}")]
    TooMany {
        /// What there is too much of, in the plural.
        what: &'static str,
        /// The most there may be.
        limit: u64,
    },
    /// A scenario without a NIC.
    #[error("expected at least one `[[nic]]`")]
    NoNics,
    /// A channel does not name two ends.
    #[error("expected two endpoints, or one endpoint with two numbers such as `[1, 2]`")]
    ChannelEnds,
    /// The endpoint has the channel number already.
    #[error("expected a channel number that the endpoint uses once")]
    DuplicateChannelNumber {
        /// Where it is used.
        first: Span,
    },
    /// A link does not name two NICs.
    #[error("expected the names of two NICs")]
    LinkEnds,
    /// The pair of NICs is joined already.
    #[error("expected one link for each pair of NICs")]
    DuplicateLink {
        /// Where the pair is joined.
        first: Span,
    },
    /// The free buffers do not fit the buffer area.
    #[error("expected free buffers that fit a buffer area of {area} bytes, found {needed} bytes")]
    FreeBuffersDoNotFit {
        /// Bytes of the area.
        area: u64,
        /// Bytes of all free buffers.
        needed: u64,
    },
    /// A payload can never be posted.
    #[error(
        "expected a payload that fits the endpoint's transmit region of {region} bytes, found {length} bytes"
    )]
    PayloadDoesNotFit {
        /// Bytes of the payload.
        length: u64,
        /// Bytes of the buffer area behind the free buffers.
        region: u64,
    },
    /// The text is not pairs of hexadecimal digits.
    #[error("expected pairs of hexadecimal digits")]
    Hex,
    /// A payload has no form, or several.
    #[error("expected one of {}", Choices(.known))]
    PayloadForm {
        /// The forms.
        known: &'static [&'static str],
    },
    /// A key is there whose partner is not.
    #[error("`{key}` needs `{partner}`")]
    NeedsPartner {
        /// The key.
        key: &'static str,
        /// What must stand beside it.
        partner: &'static str,
    },
    /// A key is there beside one that says otherwise.
    #[error("expected no `{key}` beside `{of}`")]
    Excluded {
        /// The key.
        key: &'static str,
        /// The other.
        of: &'static str,
    },
    /// An endpoint belongs to a process on another host.
    #[error("expected a process on the host of the endpoint's NIC")]
    ProcessElsewhere {
        /// Where the process's NIC is named.
        place: Span,
    },
    /// The host of a NIC is described already.
    #[error("expected one `[[host]]` for each NIC")]
    DuplicateHost {
        /// Where it is described.
        first: Span,
    },
    /// A stage is placed on a NIC that does not say how many processors it has, or on one that it has not.
    #[error("expected a processor from 0 to {last} of this NIC; `processors` says how many it has")]
    NoSuchProcessor {
        /// The last that the NIC has.
        last: u32,
    },
    /// A file that the scenario names cannot be read.
    #[error("cannot read the file: {0}")]
    File(ReadError),
    /// A file that must be text is not.
    #[error("expected a file of UTF-8 text")]
    NotUtf8,
    /// The project ships no class of that name.
    #[error("no such built-in applet")]
    UnknownBuiltin {
        /// The one that was probably meant.
        suggestion: Option<&'static str>,
    },
    /// Neither a built-in profile nor the path of one.
    #[error("expected the name of a built-in profile, or a path such as `mine.toml`")]
    UnknownProfile {
        /// The one that was probably meant.
        suggestion: Option<&'static str>,
    },
    /// The profile's own file has a mistake.
    #[error("the profile cannot be used")]
    Profile(ProfileError),
    /// The capture cannot be replayed.
    #[error(transparent)]
    Capture(CaptureError),
    /// The time is zero where it must not be.
    #[error("expected a time above zero")]
    NotPositive,
    /// The path must not be empty.
    #[error("expected a path")]
    EmptyPath,
    /// A file is named where there is no directory to look in.
    #[error("expected `builtin:NAME`: a built-in scenario has no files beside it")]
    NoDirectory,
}

/// What helps to mend a mistake.
enum Help {
    /// Its message says all.
    Message,
    /// Another place that it has to do with, and what is there.
    Place(Span, &'static str),
    /// The word that was probably meant.
    Word(&'static str),
}

impl MistakeKind {
    fn help(&self) -> Help {
        match *self {
            MistakeKind::DuplicateName { first, .. }
            | MistakeKind::DuplicateChannelNumber { first } => {
                Help::Place(first, "first used here")
            }
            MistakeKind::DuplicateLink { first } => Help::Place(first, "first joined here"),
            MistakeKind::DuplicateHost { first } => Help::Place(first, "first described here"),
            MistakeKind::ProcessElsewhere { place } => Help::Place(place, "the process is here"),
            MistakeKind::UnknownName { suggestion, .. } => suggestion
                .map_or(Help::Message, |span| {
                    Help::Place(span, "a similar name is defined here")
                }),
            MistakeKind::UnknownKey { suggestion, .. }
            | MistakeKind::UnknownChoice { suggestion, .. }
            | MistakeKind::UnknownBuiltin { suggestion }
            | MistakeKind::UnknownProfile { suggestion } => {
                suggestion.map_or(Help::Message, Help::Word)
            }
            MistakeKind::MissingKey { .. }
            | MistakeKind::WrongType { .. }
            | MistakeKind::Unit(_)
            | MistakeKind::OutOfRange { .. }
            | MistakeKind::ProfileLacks { .. }
            | MistakeKind::LinkNeedsProfile
            | MistakeKind::NoLink { .. }
            | MistakeKind::Probability
            | MistakeKind::NameLength
            | MistakeKind::TooMany { .. }
            | MistakeKind::NoNics
            | MistakeKind::ChannelEnds
            | MistakeKind::LinkEnds
            | MistakeKind::FreeBuffersDoNotFit { .. }
            | MistakeKind::PayloadDoesNotFit { .. }
            | MistakeKind::Hex
            | MistakeKind::PayloadForm { .. }
            | MistakeKind::NeedsPartner { .. }
            | MistakeKind::Excluded { .. }
            | MistakeKind::NoSuchProcessor { .. }
            | MistakeKind::File(_)
            | MistakeKind::NotUtf8
            | MistakeKind::Profile(_)
            | MistakeKind::Capture(_)
            | MistakeKind::NotPositive
            | MistakeKind::EmptyPath
            | MistakeKind::NoDirectory => Help::Message,
        }
    }

    /// Returns another place that the mistake has to do with, and what is there.
    #[must_use]
    pub fn related(&self) -> Option<(Span, &'static str)> {
        match self.help() {
            Help::Place(span, what) => Some((span, what)),
            Help::Message | Help::Word(_) => None,
        }
    }

    /// Returns the word that was probably meant.
    #[must_use]
    pub fn suggestion(&self) -> Option<&'static str> {
        match self.help() {
            Help::Word(word) => Some(word),
            Help::Message | Help::Place(..) => None,
        }
    }
}

/// Shows words as `` `a`, `b` or `c` ``.
struct Choices<'a>(&'a [&'static str]);

impl std::fmt::Display for Choices<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (position, word) in self.0.iter().enumerate() {
            let separator = match position {
                0 => "",
                last if last + 1 == self.0.len() => " or ",
                _ => ", ",
            };
            write!(f, "{separator}`{word}`")?;
        }
        Ok(())
    }
}

/// Returns the word most like `given`, where one is like it enough to be what was meant.
#[must_use]
pub fn closest<'w>(given: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    // Comparing costs the product of the lengths, and `given` is a stranger's.
    if given.len() > limits::NAME_BYTES_MAX {
        return None;
    }
    words
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(given, word), word))
        .filter(|(distance, word)| *distance <= 1.max(word.chars().count() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_a_stranger_does_not() {
        let words = ["buffer_area", "fuel", "host"];
        assert_eq!(closest("bufer_area", words), Some("buffer_area"));
        assert_eq!(closest("feul", words), Some("fuel"));
        assert_eq!(closest("latency", words), None);
        assert_eq!(closest(&"x".repeat(100_000), words), None);
    }
}
