//! Groups of endpoints with similar names on one NIC, which pages show in place of many endpoints.

use nic_core::event::fields::Escaped;

/// Maximum number of endpoints of which a page shows each.
pub(super) const ROWS_MAX: usize = 8;

/// Endpoints on one NIC whose names differ in their digits alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The name of the only member, or the pattern, the number of members and their NIC, as in `client* (12 at a)`.
    pub(super) name: String,
    /// The positions of the members.
    pub(super) members: Vec<usize>,
}

/// Returns the groups of endpoints that have these names and NICs, in the order of their first members.
pub(super) fn groups<'n>(endpoints: impl Iterator<Item = (&'n str, &'n str)>) -> Vec<Group> {
    let mut places = std::collections::BTreeMap::<(String, &str), usize>::new();
    let mut found: Vec<(Vec<usize>, &str, &str)> = Vec::new();
    for (position, (name, nic)) in endpoints.enumerate() {
        let place = places.entry((pattern(name), nic)).or_insert(found.len());
        match found.get_mut(*place) {
            Some((members, ..)) => members.push(position),
            None => found.push((vec![position], name, nic)),
        }
    }
    let groups = found.into_iter().map(|(members, name, nic)| {
        let name = match members.len() {
            1 => Escaped(name).to_string(),
            count => {
                let pattern = pattern(&Escaped(name).to_string());
                format!("{pattern} ({count} at {})", Escaped(nic))
            }
        };
        Group { name, members }
    });
    groups.collect()
}

/// Returns a name with `*` in place of each run of digits.
pub(super) fn pattern(name: &str) -> String {
    let mut pattern = String::new();
    for letter in name.chars() {
        match letter.is_ascii_digit() {
            true if pattern.ends_with('*') => {}
            true => pattern.push('*'),
            false => pattern.push(letter),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_digits_are_a_group_on_each_nic() {
        let endpoints = [
            ("client1", "a"),
            ("server", "b"),
            ("client27", "a"),
            ("client3", "b"),
            ("x1y22", "a"),
            ("x3y4", "a"),
        ];
        let groups = groups(endpoints.into_iter());
        let shown: Vec<_> = groups
            .iter()
            .map(|group| (group.name.as_str(), &group.members[..]))
            .collect();
        assert_eq!(
            shown,
            [
                ("client* (2 at a)", &[0, 2][..]),
                ("server", &[1]),
                ("client3", &[3]),
                ("x*y* (2 at a)", &[4, 5]),
            ]
        );
    }
}
