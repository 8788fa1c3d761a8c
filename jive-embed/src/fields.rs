//! Fields by the names that people give them.
//!
//! A class file may have several fields of one name if their types differ (JVMS §4.5), and obfuscators write such
//! classes. A bare name never stands for the first of several fields. `NAME:TYPE` names one field of any class, with
//! the descriptor of its type: `count:I`, `keys:[B`.

use std::collections::HashMap;

use jive_core::{ClassFile, Cut, Escaped, Field};

/// Maximum number of fields that an error lists.
const LISTED_MAX: usize = 8;

/// Why a name stands for no field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// No field has the name.
    Unknown,
    /// Several fields have the name.
    Ambiguous(Candidates),
}

/// The fields that have one name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {}, because several fields have this name", Listed(.fields, *.more))]
pub struct Candidates {
    /// The first few of the fields, as `NAME:TYPE`.
    pub fields: Vec<String>,
    /// How many more fields have the name.
    pub more: usize,
}

struct Listed<'l>(&'l [String], usize);

impl std::fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Listed(fields, more) = self;
        for (position, field) in fields.iter().enumerate() {
            let is_last = position + 1 == fields.len() && *more == 0;
            let between = match position {
                0 => "",
                _ if is_last => " or ",
                _ => ", ",
            };
            write!(f, "{between}`{field}`")?;
        }
        match more {
            0 => Ok(()),
            more => write!(f, " or one of {more} more"),
        }
    }
}

/// Finds the field that `text` names, a bare name or `NAME:TYPE`, among the names and descriptors of a class's fields.
/// Returns the position of the field.
///
/// A colon is allowed in a field's name, so `NAME:TYPE` comes first. Every field thus has a text that finds it.
///
/// # Errors
///
/// Fails unless exactly one field has the name.
pub fn find<'f>(
    fields: impl Iterator<Item = (&'f [u8], &'f [u8])> + Clone,
    text: &str,
) -> Result<usize, NameError> {
    let text = text.as_bytes();
    let is_typed = |name: &[u8], descriptor: &[u8]| {
        let rest = text
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix(b":"));
        rest == Some(descriptor)
    };
    if let Some(found) = fields
        .clone()
        .position(|(name, descriptor)| is_typed(name, descriptor))
    {
        return Ok(found);
    }
    let named = fields.enumerate().filter(|(_, (name, _))| *name == text);
    let mut rest = named.clone();
    match (rest.next(), rest.next()) {
        (None, _) => Err(NameError::Unknown),
        (Some((found, _)), None) => Ok(found),
        (Some(_), Some(_)) => {
            let listed = named.clone().take(LISTED_MAX);
            let fields = listed.map(|(_, (name, descriptor))| typed(name, descriptor));
            let fields = fields.collect::<Vec<_>>();
            let more = named.count() - fields.len();
            Err(NameError::Ambiguous(Candidates { fields, more }))
        }
    }
}

/// Finds the field of a class that `text` names, as [`find`] does.
///
/// # Errors
///
/// Fails unless exactly one field has the name.
pub fn find_in<'c>(class: &ClassFile<'c>, text: &str) -> Result<Field<'c>, NameError> {
    let fields = class.fields().collect::<Vec<_>>();
    let pairs = fields.iter();
    let pairs = pairs.map(|field| (field.name.as_bytes(), field.descriptor.as_bytes()));
    let position = find(pairs, text)?;
    fields.get(position).copied().ok_or(NameError::Unknown)
}

/// Returns the names of a class's fields as they are shown, in the order of the class file: with its type if another
/// field has the same name.
#[must_use]
pub fn shown(class: &ClassFile<'_>) -> Vec<String> {
    // Names may be long, and all fields may have one of them, so each name is read a fixed number of times.
    let mut counts = HashMap::<&[u8], usize>::new();
    for field in class.fields() {
        *counts.entry(field.name.as_bytes()).or_default() += 1;
    }
    let shown = class.fields().map(|field| {
        let name = field.name.as_bytes();
        match counts.get(name) {
            Some(2..) => typed(name, field.descriptor.as_bytes()),
            Some(_) | None => Cut(field.name).to_string(),
        }
    });
    shown.collect()
}

/// Returns `NAME:TYPE`, with each part shortened.
fn typed(name: &[u8], descriptor: &[u8]) -> String {
    format!("{}:{}", Cut(Escaped(name)), Cut(Escaped(descriptor)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(fields: &[(&str, &str)], text: &str) -> Result<usize, NameError> {
        let fields = fields.iter();
        find(
            fields.map(|(name, kind)| (name.as_bytes(), kind.as_bytes())),
            text,
        )
    }

    #[test]
    fn unique_field_names_are_found_shared_ones_refused() {
        let fields = [("a", "B"), ("b", "I"), ("a", "I"), ("a", "[B")];
        assert_eq!(found(&fields, "b"), Ok(1));
        assert_eq!(found(&fields, "b:I"), Ok(1));
        assert_eq!(found(&fields, "a:I"), Ok(2));
        assert_eq!(found(&fields, "a:[B"), Ok(3));
        for unknown in ["", "c", "a:", "a:S", ":I", "b:B"] {
            assert_eq!(
                found(&fields, unknown),
                Err(NameError::Unknown),
                "{unknown}"
            );
        }
        let Err(NameError::Ambiguous(candidates)) = found(&fields, "a") else {
            panic!("three fields have the name");
        };
        assert_eq!(
            candidates.to_string(),
            "expected `a:B`, `a:I` or `a:[B`, because several fields have this name"
        );
    }

    #[test]
    fn every_field_can_be_found_despite_colons_in_names() {
        let names = ["a", "a:I", "a:I:I", ":", "", "a:La"];
        let kinds = ["I", "B", "La:I;", "[B"];
        let fields = names
            .iter()
            .flat_map(|name| kinds.map(|kind| (*name, kind)));
        let fields = fields.collect::<Vec<_>>();
        for (position, (name, kind)) in fields.iter().enumerate() {
            assert_eq!(found(&fields, &format!("{name}:{kind}")), Ok(position));
        }
    }

    #[test]
    fn a_long_list_of_candidates_is_cut() {
        let kinds = (0..20).map(|n| format!("LC{n};")).collect::<Vec<_>>();
        let fields = kinds.iter().map(|kind| (b"x".as_slice(), kind.as_bytes()));
        let Err(NameError::Ambiguous(candidates)) = find(fields, "x") else {
            panic!("twenty fields have the name");
        };
        assert_eq!((candidates.fields.len(), candidates.more), (LISTED_MAX, 12));
        assert!(
            candidates
                .to_string()
                .contains("`x:LC7;` or one of 12 more,")
        );
    }
}
