//! The names that a scenario defines, and finding what bears one.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::DeValue;

use super::limits;
use super::mistake::{MistakeKind, Named, Span, closest};
use super::table::{self, Mistakes, Table};

/// Names of one sort, each with its position among its sort and the place of its definition.
pub(super) struct NameIndex<'t> {
    named: Named,
    places: BTreeMap<&'t str, (u32, Span)>,
    defined: u32,
}

impl<'t> NameIndex<'t> {
    /// Starts without names.
    #[must_use]
    pub(super) fn new(named: Named) -> NameIndex<'t> {
        NameIndex {
            named,
            places: BTreeMap::new(),
            defined: 0,
        }
    }

    /// Returns how many things were defined, those with a wrong name included.
    #[must_use]
    pub(super) fn len(&self) -> usize {
        self.defined as usize
    }

    /// Defines the next thing by its table's key `name`, and returns the name.
    pub(super) fn define(&mut self, table: &Table<'t>, mistakes: &mut Mistakes) -> &'t str {
        let id = self.defined;
        self.defined += 1;
        let Some(name) = table.required("name", table::text, mistakes) else {
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

    /// Returns where a name is defined.
    pub(super) fn place(&self, name: &str) -> Option<Span> {
        self.places.get(name).map(|(_, span)| *span)
    }

    /// Returns every name and where it is defined.
    pub(super) fn defined(&self) -> impl Iterator<Item = (&'t str, Span)> {
        self.places.iter().map(|(name, (_, span))| (*name, *span))
    }

    /// Finds what a string value names.
    pub(super) fn find_value(
        &self,
        value: &Spanned<DeValue<'_>>,
        mistakes: &mut Mistakes,
    ) -> Option<u32> {
        let name = mistakes.note(value.span(), table::text(value.get_ref()))?;
        self.find(name, value.span(), mistakes)
    }

    /// Finds what a name stands for.
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
