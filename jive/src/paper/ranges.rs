//! Ranges of values for which an order holds. An order is weak evidence if it depends on a value that was not measured.

use nic_runtime::profile::{Factor, Moved, Source};

use super::provenance::{Used, each};
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
        let tried = [LESS, MORE].map(|factors| tried(used, factors));
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

/// Adds to the row of an order the ranges of the values of a profile.
fn note(row: &mut Row, number: usize, used: &Used<'_, bool>, [below, above]: &[Vec<Tried>; 2]) {
    for entry in used.profile().entries() {
        if let Source::Paper(_) = entry.source {
            continue;
        }
        let path = entry.key.path();
        let (from, limits_below) = reach(below, &path, number);
        let (to, limits_above) = reach(above, &path, number);
        if from.is_none() && to.is_none() && !limits_below && !limits_above {
            continue;
        }
        let key = used.path(entry.key);
        let is_whole = !limits_below && !limits_above;
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
/// is no prediction if a limiting value was fitted to the order's own statement.
fn limited(row: &Row, source: Source) -> Provenance {
    if row.provenance == Provenance::Fitted || source == Source::Fitted(row.statement) {
        Provenance::Fitted
    } else {
        Provenance::Predicted
    }
}

/// Moves every value that no paper gives by each factor, and leaves out profiles that cannot be measured.
fn tried(used: &Used<'_, bool>, factors: [Factor; 5]) -> Vec<Tried> {
    let moves: Vec<Moved> = factors
        .into_iter()
        .flat_map(|factor| used.profile().scaled(factor))
        .filter(|moved| !matches!(moved.source, Source::Paper(_)))
        .collect();
    let held = each(&moves, |moved| used.measure(&moved.profile));
    let tried = moves.into_iter().zip(held);
    tried
        .filter_map(|(moved, held)| Some((moved, held.ok()?)))
        .collect()
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
    use nic_runtime::profile::Profile;

    use super::*;

    /// Returns a row of an order that holds.
    fn order(statement: &str) -> Row {
        let found = Agreement::Order { holds: true };
        Row::new(statement, "figure", "order".to_owned(), found)
    }

    #[test]
    fn an_order_that_a_value_fitted_to_it_limits_is_fitted() {
        // `via.pio_max` is fitted to S5-26, `dma.request` to S5-25, and `host.upcall` is chosen.
        let profile = Profile::builtin("clan-2001").unwrap();
        let short = |profile: &Profile| profile.via.unwrap().pio_max >= 100;
        let quick = |profile: &Profile| profile.dma.request.as_ns() < 2_000;
        let slow = |profile: &Profile| profile.host.upcall.as_ns() > 6_000;
        let mut rows = [
            order("S5-26"),
            order("S5-25"),
            order("S5-26"),
            order("S5-26"),
            order("S5-26"),
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
