//! The tables and the figure of the comparison.

use super::INTERFACES;
use super::ROUNDS;
use super::measured::{Cost, Job, LENGTHS, Measure, Measured, STREAMED};
use super::work::REQUEST;
use crate::paper::report::{Axis, Cell, Curve, Drawing, Line, Plot, Quantity, Table, microseconds};

const COSTS: [Cost; 4] = [Cost::Host, Cost::Traps, Cost::Packets, Cost::Copied];

/// Returns the tables: those of the papers' own NICs, and those of the common one.
pub(super) fn tables(own: &Measured, common: &Measured) -> Vec<Table> {
    let of = |measured, place| {
        [
            trips(measured, place),
            with_costs(
                measured,
                (place, "stream"),
                (format!("{STREAMED} B"), Measure::Rate),
                Job::Stream,
            ),
            with_costs(
                measured,
                (place, "server"),
                (format!("{} clients", ROUNDS.clients), Measure::Answers),
                Job::Server,
            ),
            costs_of_ping(measured, place),
        ]
    };
    let mut tables = Vec::from(of(own, "own NICs"));
    tables.extend(of(common, "one NIC"));
    tables
}

fn table(measured: &Measured, title: String, columns: Vec<(String, Measure)>) -> Table {
    let lines = INTERFACES
        .iter()
        .enumerate()
        .map(|(number, interface)| Line {
            name: interface.name,
            profile: measured.profile(number).to_owned(),
            cells: columns
                .iter()
                .map(|&(_, measure)| match measured.of(number, measure) {
                    Ok(quantity) => Cell::Found(quantity),
                    Err(word) => Cell::Without(word),
                })
                .collect(),
        });
    Table {
        title,
        lines: lines.collect(),
        columns: columns.into_iter().map(|(name, _)| name).collect(),
    }
}

fn trips(measured: &Measured, place: &str) -> Table {
    let columns = LENGTHS.map(|length| (format!("{length} B"), Measure::HalfTrip(length)));
    table(
        measured,
        format!("half round trips, {place}"),
        columns.into(),
    )
}

fn with_costs(
    measured: &Measured,
    (place, name): (&str, &str),
    first: (String, Measure),
    job: Job,
) -> Table {
    let mut columns = vec![first];
    columns.extend(costs(job));
    table(measured, format!("{name}, {place}"), columns)
}

fn costs(job: Job) -> impl Iterator<Item = (String, Measure)> {
    COSTS
        .into_iter()
        .map(move |cost| (cost.name().to_owned(), Measure::Cost(job, cost)))
}

fn costs_of_ping(measured: &Measured, place: &str) -> Table {
    let job = Job::PingPong(REQUEST);
    table(
        measured,
        format!("ping-pong of {REQUEST} B, {place}"),
        costs(job).collect(),
    )
}

/// Returns the figure: half round trips over the length of the message, on the common NIC.
pub(super) fn plots(common: &Measured) -> Vec<Drawing> {
    let curve = |(number, interface): (usize, &super::interfaces::Interface)| {
        let points = LENGTHS.iter().filter_map(|&length| {
            match common.of(number, Measure::HalfTrip(length)) {
                Ok(Quantity::Time(time)) => Some((f64::from(length), microseconds(time))),
                _ => None,
            }
        });
        Curve {
            name: interface.name,
            points: points.collect(),
        }
    };
    vec![Drawing::Curves(Plot {
        name: "compare-latency",
        title: "Half round trips of all interfaces on one NIC and one host".to_owned(),
        x: Axis {
            label: "message size (bytes)",
            logarithmic: false,
        },
        y: Axis {
            label: "half round trip (us)",
            logarithmic: false,
        },
        curves: INTERFACES.iter().enumerate().map(curve).collect(),
        marks: Vec::new(),
    })]
}
