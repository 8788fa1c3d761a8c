//! The names that a scenario defines, with their positions and places.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::DeValue;

use super::key::{Key, Name, NameOf, Presence, Required};
use super::limits;
use super::mistake::{MistakeKind, Named};
use super::table::{self, Mistakes, Table};
use super::words::closest;
use crate::spec::Span;

/// The names of one sort of thing. Each name has a position in the file's order and a place of definition.
pub(super) struct NameIndex<'t> {
    named: Named,
    places: BTreeMap<&'t str, (u32, Span)>,
    defined: u32,
}

impl<'t> NameIndex<'t> {
    /// Returns an index without names.
    #[must_use]
    pub(super) fn new(named: Named) -> NameIndex<'t> {
        NameIndex {
            named,
            places: BTreeMap::new(),
            defined: 0,
        }
    }

    /// Returns an index of these names and others, which are things of another sort together.
    #[must_use]
    pub(super) fn extended(&self, named: Named) -> NameIndex<'t> {
        NameIndex {
            named,
            places: self.places.clone(),
            defined: self.defined,
        }
    }

    /// Returns the number of definitions, including those with an invalid name.
    #[must_use]
    pub(super) fn len(&self) -> usize {
        self.defined as usize
    }

    /// Defines the name that a key of a table gives, and returns this name.
    pub(super) fn define(
        &mut self,
        key: &Key<Name, Required>,
        table: &Table<'t>,
        mistakes: &mut Mistakes,
    ) -> &'t str {
        let id = self.defined;
        self.defined += 1;
        let Some(name) = key.with(table, table::text, mistakes) else {
            return "";
        };
        if name.value.is_empty() || name.value.len() > limits::NAME_BYTES_MAX {
            mistakes.add(name.span, MistakeKind::NameLength);
        }
        if let Some((_, first)) = self.places.get(name.value) {
            let (named, first) = (self.named, *first);
            mistakes.add(name.span, MistakeKind::DuplicateName { named, first });
            return name.value;
        }
        self.places.insert(name.value, (id, name.span));
        name.value
    }

    /// Returns the place at which a name is defined.
    pub(super) fn place(&self, name: &str) -> Option<Span> {
        self.places.get(name).map(|(_, span)| *span)
    }

    /// Returns all names with the places of their definitions.
    pub(super) fn defined(&self) -> impl Iterator<Item = (&'t str, Span)> {
        self.places.iter().map(|(name, (_, span))| (*name, *span))
    }

    /// Looks up the name that a key of a table gives, and returns its position.
    pub(super) fn find_key<A: Presence>(
        &self,
        key: &Key<NameOf, A>,
        table: &Table<'_>,
        mistakes: &mut Mistakes,
    ) -> Option<u32> {
        let value = key.raw(table, mistakes)?;
        self.find_value(value, mistakes)
    }

    /// Looks up the name in a string value, and returns its position.
    pub(super) fn find_value(
        &self,
        value: &Spanned<DeValue<'_>>,
        mistakes: &mut Mistakes,
    ) -> Option<u32> {
        let name = mistakes.note(value.span(), table::text(value.get_ref()))?;
        self.find(name, value.span(), mistakes)
    }

    /// Looks up a name, and returns its position.
    pub(super) fn find(
        &self,
        name: &str,
        span: impl Into<Span>,
        mistakes: &mut Mistakes,
    ) -> Option<u32> {
        if let Some((id, _)) = self.places.get(name) {
            return Some(*id);
        }
        let suggestion = closest(name, self.places.keys().copied())
            .and_then(|similar| self.places.get(similar))
            .map(|(_, span)| *span);
        let named = self.named;
        mistakes.add(span, MistakeKind::UnknownName { named, suggestion });
        None
    }
}
