//! Ranges of values for which an order holds. An order is weak evidence if it depends on a value that was not measured.

use nic_runtime::profile::{Factor, Moved, Source};

use super::provenance::{Used, each, is_fitted, is_own};
use super::report::{Agreement, Provenance, Range, Row};

/// Factors by which each value is reduced, from the nearest to the farthest.
const LESS: [Factor; 5] = [
    Factor::of(4, 5),
    Factor::of(3, 5),
    Factor::of(1, 2),
    Factor::of(2, 5),
    Factor::of(1, 4),
];
const MORE: [Factor; 5] = [
    Factor::of(5, 4),
    Factor::of(3, 2),
    Factor::of(2, 1),
    Factor::of(3, 1),
    Factor::of(4, 1),
];

/// A profile with one value moved, and whether each order holds under it.
type Tried = (Moved, Vec<bool>);

/// Sets the ranges of each order that holds, and the values that limit it. Each profile measures whether the orders hold.
/// Orders at the end that do not hold may be left out.
pub(super) fn trace(used: &[Used<'_, bool>], rows: &mut [Row]) {
    let mut orders: Vec<&mut Row> = rows
        .iter_mut()
        .filter(|row| matches!(row.found, Agreement::Order { .. }))
        .collect();
    for row in &mut orders {
        if holds(row) {
            row.moved_by.clear();
            row.provenance = Provenance::Accounting;
        }
    }
    for used in used {
        let tried = tried(used, &orders);
        for (number, row) in orders.iter_mut().enumerate() {
            if holds(row) {
                note(row, number, used, &tried);
            }
        }
    }
}

fn holds(row: &Row) -> bool {
    row.found == (Agreement::Order { holds: true })
}

/// Adds to the row of an order the ranges of the values of a profile. Values that a paper gives count only if it is in
/// the order's own statement.
fn note(row: &mut Row, number: usize, used: &Used<'_, bool>, tried: &[Vec<Tried>; 3]) {
    let [below, above, others] = tried;
    for entry in used.profile().entries() {
        if matches!(entry.source, Source::Paper(_)) && !is_own(row, entry.source) {
            continue;
        }
        let path = entry.key.path();
        let (from, limits_below) = reach(below, &path, number);
        let (to, limits_above) = reach(above, &path, number);
        let (_, limits_choice) = reach(others, &path, number);
        let is_whole = !limits_below && !limits_above && !limits_choice;
        if from.is_none() && to.is_none() && is_whole {
            continue;
        }
        let key = used.path(entry.key);
        if !is_whole {
            row.provenance = limited(row, entry.source);
            row.moved_by.push(key.clone());
        }
        row.ranges.push(Range {
            key,
            from: from.unwrap_or(&entry.value).to_owned(),
            to: to.unwrap_or(&entry.value).to_owned(),
            is_whole,
        });
    }
}

/// Returns the kind of evidence of an order that a value with this source limits, besides the values before it. An order
/// is no prediction if the order's own statement gives a limiting value, or a limiting value was fitted to it.
fn limited(row: &Row, source: Source) -> Provenance {
    if row.provenance == Provenance::Input || is_own(row, source) {
        Provenance::Input
    } else if row.provenance == Provenance::Fitted || is_fitted(row, source) {
        Provenance::Fitted
    } else {
        Provenance::Predicted
    }
}

/// Moves every value that no paper gives, or that the statement of an order gives: by the factors below 1, by those
/// above 1, and choices to their alternatives. Profiles that cannot be measured are left out.
fn tried(used: &Used<'_, bool>, orders: &[&mut Row]) -> [Vec<Tried>; 3] {
    let scaled = |factors: [Factor; 5]| {
        let all = factors.into_iter();
        Vec::from_iter(all.flat_map(|factor| used.profile().scaled(factor)))
    };
    let moves: [Vec<Moved>; 3] = [scaled(LESS), scaled(MORE), used.profile().alternatives()];
    moves.map(|mut moves| {
        moves.retain(|moved| {
            let is_given = matches!(moved.source, Source::Paper(_));
            !is_given || orders.iter().any(|row| is_own(row, moved.source))
        });
        let held = each(&moves, |moved| used.measure(&moved.profile));
        let tried = moves.into_iter().zip(held);
        tried
            .filter_map(|(moved, held)| Some((moved, held.ok()?)))
            .collect()
    })
}

/// Returns the farthest value of a key up to which an order holds without a gap, and whether a farther value breaks it.
fn reach<'t>(tried: &'t [Tried], key: &str, order: usize) -> (Option<&'t str>, bool) {
    let of_key = tried.iter().filter(|(moved, _)| moved.key.path() == key);
    let mut last = None;
    for (moved, held) in of_key {
        let Some(&holds) = held.get(order) else {
            break;
        };
        if !holds {
            return (last, true);
        }
        last = Some(moved.value.as_str());
    }
    (last, false)
}

#[cfg(test)]
mod tests {
    use nic_runtime::profile::{Events, Profile};

    use super::*;

    /// Returns a row of an order that holds.
    fn order(statement: &str) -> Row {
        let found = Agreement::Order { holds: true };
        Row::new(statement, "figure", "order".to_owned(), found)
    }

    /// Returns the kinds of evidence of orders under `clan-2001`, and the values that limit each.
    fn traced<const N: usize>(
        statements: [&str; N],
        held: fn(&Profile) -> [bool; N],
    ) -> [(Provenance, Vec<String>); N] {
        let profile = Profile::builtin("clan-2001").unwrap();
        let mut rows = statements.map(order);
        let held = |profile: &Profile| Ok(held(profile).to_vec());
        trace(&[Used::own(&profile, &held)], &mut rows);
        rows.map(|row| (row.provenance, row.moved_by))
    }

    #[test]
    fn a_value_fitted_to_the_whole_statement_is_fitted_to_its_parts() {
        // `dma.bandwidth` is fitted to S5-10, and `via.pio_max` to S5-26b.
        let kinds = traced(
            ["S5-10", "S5-10a", "S5-25a", "S5-26a", "S5-26b"],
            |profile| {
                let wide = profile.dma.bandwidth.get() > 100_000_000;
                let short = profile.via.unwrap().pio_max >= 100;
                [wide, wide, wide, short, short]
            },
        );
        assert_eq!(
            kinds.map(|(kind, _)| kind),
            [
                Provenance::Fitted,
                Provenance::Fitted,
                Provenance::Predicted,
                Provenance::Predicted,
                Provenance::Fitted,
            ]
        );
    }

    #[test]
    fn an_order_that_a_value_of_its_own_statement_decides_is_input() {
        // S5-28a gives `clan.events`, a choice. `host.upcall` is chosen.
        let kinds = traced(["S5-28a", "S5-28a", "S5-28b", "S5-28a"], |profile| {
            let waits = profile.clan.unwrap().events == Events::Interrupt;
            let slow = profile.host.upcall.as_ns() > 6_000;
            [waits, waits && slow, waits, slow]
        });
        let [given, both, other, chosen] = kinds;
        assert_eq!(given, (Provenance::Input, vec!["clan.events".to_owned()]));
        let names = ["clan.events", "host.upcall"].map(str::to_owned);
        assert_eq!(both, (Provenance::Input, names.to_vec()));
        // Another statement gives the value, so the order follows from the paper.
        assert_eq!(other, (Provenance::Accounting, vec![]));
        assert_eq!(chosen.0, Provenance::Predicted);
    }

    #[test]
    fn an_order_that_a_value_fitted_to_it_limits_is_fitted() {
        // `via.pio_max` is fitted to S5-26b, `dma.request` to S5-25b, and `host.upcall` is chosen.
        let profile = Profile::builtin("clan-2001").unwrap();
        let short = |profile: &Profile| profile.via.unwrap().pio_max >= 100;
        let quick = |profile: &Profile| profile.dma.request.as_ns() < 2_000;
        let slow = |profile: &Profile| profile.host.upcall.as_ns() > 6_000;
        let mut rows = [
            order("S5-26b"),
            order("S5-25b"),
            order("S5-26b"),
            order("S5-26b"),
            order("S5-26b"),
        ];
        let held = |profile: &Profile| {
            Ok(vec![
                short(profile),
                short(profile),
                quick(profile),
                short(profile) && quick(profile) && slow(profile),
                true,
            ])
        };
        trace(&[Used::own(&profile, &held)], &mut rows);
        let kinds = rows.each_ref().map(|row| row.provenance);
        assert_eq!(
            kinds,
            [
                Provenance::Fitted,
                Provenance::Predicted,
                Provenance::Predicted,
                Provenance::Fitted,
                Provenance::Accounting,
            ]
        );
        for row in &rows {
            // A row moves with the values that it names, and with no other.
            let is_moved = row.provenance != Provenance::Accounting;
            assert_eq!(is_moved, !row.moved_by.is_empty(), "{:?}", row.moved_by);
        }
    }
}
