//! A table of programs and peers: times, ratios to the first peer, and means.

use serde::Serialize;

use crate::kernel::NULLCALL;
use crate::rounds::{Row, Times};

/// Times and ratios of several programs.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// The names of the peers. Ratios are relative to the first peer.
    pub peers: Vec<String>,
    /// The programs.
    pub rows: Vec<Line>,
    /// For each peer the geometric mean of its ratios over the programs that it ran, without `nullcall`.
    pub geomean: Vec<Option<f64>>,
    #[serde(skip)]
    measured: Vec<Row>,
}

/// The times of a program.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The program.
    pub name: &'static str,
    /// A short description of the program.
    pub what: &'static str,
    /// The check value of every implementation.
    pub check: i32,
    /// One cell for each peer; `None` without an implementation of the program.
    pub cells: Vec<Option<Cell>>,
}

/// The time of a program on a peer.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// Nanoseconds of CPU time for each invocation: the median over the rounds.
    pub ns: f64,
    /// The time relative to the first peer: the median over the rounds of the ratio.
    pub ratio: f64,
    /// The least and the greatest ratio to the first peer in a round.
    pub spread: (f64, f64),
    /// Nanoseconds for each invocation, in each round.
    pub rounds: Vec<f64>,
}

impl Table {
    /// Makes the table from measured times.
    #[must_use]
    pub fn new(mut peers: Vec<String>, mut measured: Vec<Row>) -> Table {
        // Remove the columns of peers that have no implementation of any program.
        for place in (0..peers.len()).rev() {
            if measured.iter().all(|row| row.times[place].is_none()) {
                peers.remove(place);
                measured
                    .iter_mut()
                    .for_each(|row| drop(row.times.remove(place)));
            }
        }
        let rows: Vec<_> = measured.iter().map(line).collect();
        let geomean = (0..peers.len()).map(|place| mean(&measured, place, 0));
        Table {
            geomean: geomean.collect(),
            peers,
            rows,
            measured,
        }
    }

    /// Returns the time of `peer` relative to `other`, as the geometric mean over the programs that both ran, without
    /// `nullcall`.
    #[must_use]
    pub fn mean_ratio(&self, peer: &str, other: &str) -> Option<f64> {
        mean(&self.measured, self.place(peer)?, self.place(other)?)
    }

    /// Returns the time of `peer` relative to `other` for one program.
    #[must_use]
    pub fn ratio(&self, program: &str, peer: &str, other: &str) -> Option<f64> {
        let places = (self.place(peer)?, self.place(other)?);
        let mut rows = self.measured.iter();
        ratio(rows.find(|row| row.kernel.name == program)?, places)
    }

    fn place(&self, peer: &str) -> Option<usize> {
        self.peers.iter().position(|name| name == peer)
    }
}

fn line(row: &Row) -> Line {
    let reference = row.times.first().cloned().flatten();
    let cell = |times: &Times| {
        let ratio = reference.as_ref().map(|reference| times.ratio(reference));
        let spread = reference.as_ref().map(|reference| times.spread(reference));
        Cell {
            ns: times.ns(),
            ratio: ratio.unwrap_or(f64::NAN),
            spread: spread.unwrap_or((f64::NAN, f64::NAN)),
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

#[cfg(test)]
mod tests {
    use super::Table;
    use crate::kernel::{NULLCALL, PUBLIC};
    use crate::rounds::{Row, Times};

    fn row(name: &str, times: [Option<[f64; 3]>; 3]) -> Row {
        let kernel = PUBLIC.iter().find(|kernel| kernel.name == name);
        Row {
            kernel: *kernel.expect("a public kernel"),
            check: 0,
            times: times
                .map(|times| times.map(|times| Times(times.to_vec())))
                .to_vec(),
        }
    }

    fn table() -> Table {
        let peers = ["native", "absent", "slow"].map(str::to_owned).to_vec();
        let rows = vec![
            row(NULLCALL, [Some([1.0; 3]), None, Some([100.0; 3])]),
            // The ratios in the three rounds are 2, 2 and 3. In a round that another process disturbs, the times of
            // both peers grow.
            row(
                "crc32",
                [Some([10.0, 50.0, 10.0]), None, Some([20.0, 100.0, 30.0])],
            ),
            row("fib", [Some([1.0; 3]), None, Some([8.0; 3])]),
        ];
        Table::new(peers, rows)
    }

    #[test]
    fn a_mean_is_geometric_and_leaves_nullcall_out() {
        let mean = table().mean_ratio("slow", "native").expect("both ran");
        assert!(
            (mean - 4.0).abs() < 1e-12,
            "the root of 2 times 8, not {mean}"
        );
    }

    #[test]
    fn a_ratio_is_the_median_of_those_within_a_round() {
        assert_eq!(table().ratio("crc32", "slow", "native"), Some(2.0));
        assert_eq!(table().ratio("crc32", "native", "slow"), Some(0.5));
    }

    #[test]
    fn the_spread_of_a_ratio_is_that_of_its_rounds() {
        let table = table();
        let crc32 = table.rows.iter().find(|row| row.name == "crc32");
        let slow = crc32.and_then(|row| row.cells[1].as_ref());
        assert_eq!(slow.map(|cell| cell.spread), Some((2.0, 3.0)));
    }

    #[test]
    fn a_peer_that_ran_nothing_has_no_column() {
        let table = table();
        assert_eq!(table.peers, ["native", "slow"]);
        assert_eq!(table.ratio("fib", "absent", "native"), None);
    }
}
