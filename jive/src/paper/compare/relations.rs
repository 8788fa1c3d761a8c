//! The orders between interfaces that the papers state. Each order compares interfaces of which one paper speaks, and must
//! hold on the papers' own NICs and on the common one.

use super::INTERFACES;
use super::measured::{Cost, Job, Measure, Measured, Piece};
use crate::paper::report::{Agreement, Quantity, Row};

/// An order that a paper states.
struct Relation {
    statement: &'static str,
    measure: Measure,
    /// The interfaces, from that with the least to that with the most of the measure.
    rising: &'static [&'static str],
}

const fn rising(
    statement: &'static str,
    measure: Measure,
    rising: &'static [&'static str],
) -> Relation {
    Relation {
        statement,
        measure,
        rising,
    }
}

const SHORT: Job = Job::PingPong(40);
const LONG: Job = Job::PingPong(1000);

const RELATIONS: &[Relation] = &[
    // The standard applet adds 41.2 us to small messages, and more to large ones.
    rising(
        "S1-42",
        Measure::HalfTrip(40),
        &["U-Net, base", "U-Net, RawUnet"],
    ),
    rising(
        "S1-43",
        Measure::HalfTrip(4096),
        &["U-Net, base", "U-Net, RawUnet"],
    ),
    // Table 1: 16.5, 18.0, 20.5, 21.5 and 38.0 us.
    rising(
        "S2-22",
        Measure::HalfTrip(4),
        &[
            "VIA, hardware",
            "Javia-I, copy+alloc",
            "Javia-II, buffer",
            "Javia-I, copy",
            "Javia-I, pin",
        ],
    ),
    // Table 2: 25 ns for each byte, 42 and 55.
    rising(
        "S2-22",
        Measure::HalfTrip(4096),
        &["Javia-II, buffer", "Javia-I, copy", "Javia-I, copy+alloc"],
    ),
    // 97 to 99 % of the rate of VIA itself, and 70 to 75 %.
    rising(
        "S2-23a",
        Measure::Rate,
        &["Javia-I, copy", "Javia-II, buffer"],
    ),
    rising(
        "S2-11",
        Measure::Cost(LONG, Cost::Copied),
        &["Javia-I, pin", "Javia-I, copy"],
    ),
    rising(
        "S2-14",
        Measure::Cost(LONG, Cost::Copied),
        &["Javia-II, buffer", "Javia-I, pin"],
    ),
    rising(
        "S2-24",
        Measure::Cost(SHORT, Cost::Traps),
        &["Javia-I, copy", "Javia-I, pin"],
    ),
    rising("S3-15", Measure::HalfTrip(4), &["EMP, RO", "EMP, base"]),
    rising("S3-15", Measure::HalfTrip(4096), &["EMP, RO", "EMP, base"]),
    rising("S3-15a", Measure::Rate, &["EMP, base", "EMP, RO"]),
    // 3.4, 4.6 and 4.7 us, and Emulex's NIC 6.6, 7.5 and 9.5.
    rising(
        "S5-25",
        Measure::HalfTrip(0),
        &["VIA, clan", "VIA, hardware"],
    ),
    rising(
        "S5-25",
        Measure::HalfTrip(4),
        &["VIA, clan", "VIA, hardware"],
    ),
    rising(
        "S5-25",
        Measure::HalfTrip(40),
        &["VIA, clan", "VIA, hardware"],
    ),
    rising("S5-28a", Measure::Answers, &["VIA, clan", "VIA, hardware"]),
    rising(
        "S5-28a",
        Measure::Cost(Job::Server, Cost::Traps),
        &["VIA, hardware", "VIA, clan"],
    ),
];

/// Returns the jobs that the relations need.
pub(super) fn pieces() -> Vec<Piece> {
    let mut pieces = Vec::new();
    for relation in RELATIONS {
        for name in relation.rising {
            let piece = numbered(name).map(|interface| Piece {
                interface,
                job: relation.measure.job(),
                counts: relation.measure.is_cost(),
            });
            pieces.extend(piece.filter(|piece| !pieces.contains(piece)));
        }
    }
    pieces
}

/// Returns the number of the interface with this name.
fn numbered(name: &str) -> Option<usize> {
    INTERFACES
        .iter()
        .position(|interface| interface.name == name)
}

/// Returns the rows: each relation on the papers' own NICs, and then each on the common one.
pub(super) fn rows(own: &Measured, common: &Measured) -> Vec<Row> {
    let on = |figure, holds: Vec<bool>, place: &'static str| {
        let each = RELATIONS.iter().zip(holds);
        each.map(move |(relation, holds)| {
            let name = format!(
                "{}: {}, {place}",
                relation.rising.join(" < "),
                relation.measure.name()
            );
            Row::new(relation.statement, figure, name, Agreement::Order { holds })
        })
    };
    on("relations on own NICs", held(own), "own")
        .chain(on("relations on one NIC", held(common), "common"))
        .collect()
}

/// Returns whether each relation holds.
pub(super) fn held(measured: &Measured) -> Vec<bool> {
    let holds = |relation: &Relation| {
        let of = |name: &&str| measured.of(numbered(name)?, relation.measure).ok();
        let found: Option<Vec<Quantity>> = relation.rising.iter().map(of).collect();
        found.is_some_and(|found| found.is_sorted_by(|less, more| less.exact() < more.exact()))
    };
    RELATIONS.iter().map(holds).collect()
}
