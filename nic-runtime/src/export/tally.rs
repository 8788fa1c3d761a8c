//! Counts by name, for names that come from a small fixed set: reasons, statuses, kinds of traps.

use jive_core::TrapKind;
use nic_core::event::{DropReason, WireDropReason};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Counts by name, sorted by name.
///
/// An endpoint has only a few reasons, so a scan of a sorted list is faster than a tree. Usually a comparison of
/// addresses finds the name, because every event passes the same `&'static str`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(Vec<(&'static str, u64)>);

impl Tally {
    /// Increments the count of `name`.
    #[inline]
    pub(super) fn add(&mut self, name: &'static str) {
        match self.0.first_mut() {
            Some((known, count)) if std::ptr::eq(*known, name) => *count += 1,
            Some(_) | None => self.add_many(name, 1),
        }
    }

    fn add_many(&mut self, name: &'static str, more: u64) {
        let same = |known: &str| std::ptr::eq(known, name);
        if let Some((_, count)) = self.0.iter_mut().find(|(known, _)| same(known)) {
            *count += more;
            return;
        }
        // Equal names may have different addresses, so the text is compared when no address is equal.
        match self.0.binary_search_by_key(&name, |(known, _)| known) {
            Ok(place) => self.0[place].1 += more,
            Err(place) => self.0.insert(place, (name, more)),
        }
    }

    /// Adds every count of another tally.
    pub(super) fn merge(&mut self, other: &Tally) {
        for (name, count) in other.iter() {
            self.add_many(name, count);
        }
    }

    /// Returns the count of `name`, which is 0 if the name was never counted.
    #[must_use]
    pub fn get(&self, name: &str) -> u64 {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map_or(0, |(_, count)| *count)
    }

    /// Returns the sum of all counts.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// Returns whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Visits the counts in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().copied()
    }
}

impl Tally {
    /// Returns a copy that has these names too, with the count 0 where nothing was counted. Outputs for programs show
    /// all names, so that a table which is made from one run has the columns of every run.
    pub(super) fn with_all(&self, names: impl Iterator<Item = &'static str>) -> Tally {
        let mut all = self.clone();
        for name in names {
            all.add_many(name, 0);
        }
        all
    }

    /// Returns a copy with every reason for drops.
    #[must_use]
    pub fn of_all_drops(&self) -> Tally {
        let wire = WireDropReason::ALL.iter().map(|reason| reason.word());
        let nic = DropReason::ALL.iter().map(|reason| reason.word());
        self.with_all(wire.chain(nic))
    }

    /// Returns a copy with every kind of trap.
    pub(super) fn of_all_traps(&self) -> Tally {
        self.with_all(TrapKind::ALL.iter().map(|kind| kind.name()))
    }
}

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, count) in self.iter() {
            map.serialize_entry(name, &count)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_at_other_addresses_are_one_row() {
        let copy: &'static str = Box::leak(Box::from("loss"));
        let mut tally = Tally::default();
        for name in ["loss", "crc", copy, "loss", "crc"] {
            tally.add(name);
        }
        assert_eq!(Vec::from_iter(tally.iter()), [("crc", 2), ("loss", 3)]);
        assert_eq!(
            (tally.get("loss"), tally.get("mtu"), tally.sum()),
            (3, 0, 5)
        );
    }

    #[test]
    fn merging_adds_row_by_row() {
        let of = |names: &[&'static str]| {
            let mut tally = Tally::default();
            names.iter().for_each(|name| tally.add(name));
            tally
        };
        let mut merged = of(&["b", "c"]);
        merged.merge(&of(&["a", "c"]));
        assert_eq!(
            Vec::from_iter(merged.iter()),
            [("a", 1), ("b", 1), ("c", 2)]
        );
    }
}
