//! Programs side by side: for each program and peer the time, the ratio to the first peer's, and their means.

use serde::Serialize;

use crate::kernel::NULLCALL;
use crate::rounds::{Row, Times};

/// Times and ratios of some programs.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// The names of the peers; ratios are to the first one's time.
    pub peers: Vec<&'static str>,
    /// The programs.
    pub rows: Vec<Line>,
    /// The geometric mean of each peer's ratios over the programs it ran, without `nullcall`.
    pub geomean: Vec<Option<f64>>,
    #[serde(skip)]
    measured: Vec<Row>,
}

/// What a program took.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The program.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// The check value of every form.
    pub check: i32,
    /// What each peer took; none where it has no form of the program.
    pub cells: Vec<Option<Cell>>,
}

/// What a program took a peer.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// Nanoseconds of CPU time for each invocation: the median over the rounds.
    pub ns: f64,
    /// How many times the first peer's time that is: the median of the rounds' ratios.
    pub ratio: f64,
    /// Nanoseconds for each invocation, in each round.
    pub rounds: Vec<f64>,
}

impl Table {
    /// Makes the table of what was measured.
    #[must_use]
    pub fn new(peers: Vec<&'static str>, measured: Vec<Row>) -> Table {
        let rows: Vec<_> = measured.iter().map(line).collect();
        let geomean = (0..peers.len()).map(|place| mean(&measured, place, 0));
        Table {
            geomean: geomean.collect(),
            peers,
            rows,
            measured,
        }
    }

    /// Returns how many times the time of `other` that of `peer` is, as geometric mean over the
    /// programs that both ran, without `nullcall`.
    #[must_use]
    pub fn mean_ratio(&self, peer: &str, other: &str) -> Option<f64> {
        mean(&self.measured, self.place(peer)?, self.place(other)?)
    }

    /// Returns how many times the time of `other` that of `peer` is, for one program.
    #[must_use]
    pub fn ratio(&self, program: &str, peer: &str, other: &str) -> Option<f64> {
        let places = (self.place(peer)?, self.place(other)?);
        let mut rows = self.measured.iter();
        ratio(rows.find(|row| row.kernel.name == program)?, places)
    }

    fn place(&self, peer: &str) -> Option<usize> {
        self.peers.iter().position(|name| *name == peer)
    }
}

fn line(row: &Row) -> Line {
    let reference = row.times.first().cloned().flatten();
    let cell = |times: &Times| {
        let ratio = reference.as_ref().map(|reference| times.ratio(reference));
        Cell {
            ns: times.ns(),
            ratio: ratio.unwrap_or(f64::NAN),
            rounds: times.0.clone(),
        }
    };
    Line {
        name: row.kernel.name,
        what: row.kernel.what,
        check: row.check,
        cells: row
            .times
            .iter()
            .map(|times| times.as_ref().map(cell))
            .collect(),
    }
}

fn ratio(row: &Row, (peer, other): (usize, usize)) -> Option<f64> {
    let times = |place: usize| row.times.get(place)?.as_ref();
    Some(times(peer)?.ratio(times(other)?))
}

fn mean(rows: &[Row], peer: usize, other: usize) -> Option<f64> {
    let counted = rows.iter().filter(|row| row.kernel.name != NULLCALL);
    let ratios: Vec<f64> = counted
        .filter_map(|row| ratio(row, (peer, other)))
        .collect();
    if ratios.is_empty() {
        return None;
    }
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    Some((logarithms / ratios.len() as f64).exp())
}
