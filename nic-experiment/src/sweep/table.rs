//! The means of a sweep: each metric at each point, over the seeds, with its confidence interval.

use std::collections::BTreeMap;
use std::fmt;

use jive_embed::text::printable;

use super::columns::{csv_row, json, json_object, json_value, names, shown};
use super::plan::Plan;
use super::row::Row;
use crate::csv;

/// The rows of all runs of a sweep, in their order.
pub struct Table<'p> {
    plan: &'p Plan,
    rows: Vec<Row>,
}

impl<'p> Table<'p> {
    pub(super) fn new(plan: &'p Plan, rows: Vec<Row>) -> Table<'p> {
        Table { plan, rows }
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &'p Plan {
        self.plan
    }

    /// Returns the rows.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns how many runs failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.rows.iter().filter(|row| row.error.is_some()).count()
    }

    /// Returns how many runs a default cut.
    #[must_use]
    pub fn cut(&self) -> usize {
        self.rows.iter().filter(|row| row.cut).count()
    }

    /// Returns the rows as CSV (RFC 4180), with the names of the columns in the first line.
    #[must_use]
    pub fn csv(&self) -> String {
        let head = csv::line(names(self.plan));
        let rows = self.rows.iter().map(|row| csv_row(self.plan, row));
        std::iter::once(head).chain(rows).collect()
    }

    /// Returns the rows as JSON Lines: objects with the names of the columns as keys.
    #[must_use]
    pub fn json_lines(&self) -> String {
        let rows = self.rows.iter().map(|row| json(self.plan, row) + "\n");
        rows.collect()
    }

    /// Returns the means of each point, in the order of the plan.
    #[must_use]
    pub fn means(&self) -> Means<'p> {
        let plan = self.plan;
        let mut of_point = BTreeMap::<u64, Vec<&Row>>::new();
        for row in &self.rows {
            let point = row.run / plan.seeds();
            of_point.entry(point).or_default().push(row);
        }
        let point = |(_, rows): (u64, Vec<&Row>)| Point {
            values: rows[0].values.clone(),
            runs: rows.len(),
            failed: rows.iter().filter(|row| row.error.is_some()).count(),
            cut: rows.iter().filter(|row| row.cut).count(),
            means: (0..plan.collect().len())
                .map(|metric| mean(&rows, metric))
                .collect(),
        };
        let points = of_point.into_iter().map(point).collect();
        Means { plan, points }
    }

    /// Returns the mean of a metric, by its place in the plan, for each pair of values of two keys: over all seeds and
    /// all values of the other axes. The pairs are in the order of the plan.
    #[must_use]
    pub fn curves(&self, metric: usize, x: usize, by: Option<usize>) -> Vec<CurvePoint> {
        let mut of_pair: Vec<(String, Option<String>, Vec<&Row>)> = Vec::new();
        let mut places = BTreeMap::new();
        for row in &self.rows {
            let pair = (shown(&row.values[x]), by.map(|by| shown(&row.values[by])));
            let place = *places.entry(pair.clone()).or_insert_with(|| {
                of_pair.push((pair.0, pair.1, Vec::new()));
                of_pair.len() - 1
            });
            of_pair[place].2.push(row);
        }
        let points = of_pair.into_iter().filter_map(|(x, by, rows)| {
            let mean = mean(&rows, metric)?;
            Some(CurvePoint { x, by, mean })
        });
        points.collect()
    }
}

/// Returns the mean of a metric over the runs that have one. A run that failed does not count, whatever it measured.
fn mean(rows: &[&Row], metric: usize) -> Option<Mean> {
    let ended = rows.iter().filter(|row| row.error.is_none());
    let numbers = ended.filter_map(|row| row.metrics[metric]);
    Mean::of(&numbers.collect::<Vec<f64>>())
}

/// A point of a curve of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    /// The value of the key that the plot has to the right.
    pub x: String,
    /// The value of the key that has a curve for each of its values.
    pub by: Option<String>,
    /// The mean, over all rows with these values.
    pub mean: Mean,
}

/// The 97.5 % quantiles of Student's t distribution for 1 to 30 degrees of freedom.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// Returns the 97.5 % quantile of Student's t distribution. Beyond the table, the first terms of its expansion around
/// the normal distribution are exact to three decimals.
fn quantile(freedom: usize) -> f64 {
    match T.get(freedom.wrapping_sub(1)) {
        Some(quantile) => *quantile,
        None => {
            let z = 1.959_964_f64;
            let v = freedom as f64;
            z + (z.powi(3) + z) / (4.0 * v)
                + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * v * v)
        }
    }
}

/// The mean of a metric at a point.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Mean {
    /// The mean over the runs that have the metric.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval; `None` for a single run.
    pub half: Option<f64>,
    /// How many runs have the metric.
    pub count: usize,
}

impl Mean {
    fn of(numbers: &[f64]) -> Option<Mean> {
        let count = numbers.len();
        if count == 0 {
            return None;
        }
        let mean = numbers.iter().sum::<f64>() / count as f64;
        let half = (count > 1).then(|| {
            let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
            let variance = squares / (count - 1) as f64;
            quantile(count - 1) * (variance / count as f64).sqrt()
        });
        Some(Mean { mean, half, count })
    }
}

/// The means at a point.
#[derive(Clone, Debug)]
pub struct Point {
    /// The values of the keys, as TOML writes them.
    pub values: Vec<String>,
    /// How many runs there are.
    pub runs: usize,
    /// How many runs failed.
    pub failed: usize,
    /// How many runs a default cut.
    pub cut: usize,
    /// The mean of each metric; `None` if no run has it.
    pub means: Vec<Option<Mean>>,
}

/// The means of each point of a sweep. Its text form is a table for people.
pub struct Means<'p> {
    plan: &'p Plan,
    points: Vec<Point>,
}

impl Means<'_> {
    /// Returns the points, in the order of the plan.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the names of the columns: the keys, the counts, and each metric with half the width of its interval and
    /// the number of runs that have it.
    fn names(&self) -> Vec<String> {
        let keys = self.plan.keys().map(str::to_owned);
        let counts = ["runs", "failed", "cut"].map(str::to_owned);
        let metrics = self.plan.collect().iter();
        let metrics = metrics.flat_map(|metric| {
            ["", ".ci", ".runs"].map(|behind| format!("{}{behind}", metric.name))
        });
        keys.chain(counts).chain(metrics).collect()
    }

    /// Returns the means as CSV. Behind each metric, `METRIC.ci` has half the width of the interval, and `METRIC.runs` the
    /// number of runs in the mean.
    #[must_use]
    pub fn csv(&self) -> String {
        let head = csv::line(self.names());
        let lines = self.points.iter().map(|point| {
            let values = point.values.iter().map(|value| shown(value));
            let counts = [point.runs, point.failed, point.cut].map(|count| count.to_string());
            let text = |number: Option<f64>| number.map_or(String::new(), |it| it.to_string());
            let means = point
                .numbers()
                .flat_map(|(mean, half, count)| [text(mean), text(half), count.to_string()]);
            csv::line(values.chain(counts).chain(means))
        });
        std::iter::once(head).chain(lines).collect()
    }

    /// Returns the means as JSON Lines, with the keys of [`csv`](Means::csv).
    #[must_use]
    pub fn json_lines(&self) -> String {
        let names = self.names();
        let lines = self.points.iter().map(|point| {
            let values = point.values.iter().map(|value| json_value(value));
            let counts = [point.runs, point.failed, point.cut].map(serde_json::Value::from);
            let means = point
                .numbers()
                .flat_map(|(mean, half, count)| [mean.into(), half.into(), count.into()]);
            let fields = values.chain(counts).chain(means);
            json_object(names.iter().map(String::as_str).zip(fields)) + "\n"
        });
        lines.collect()
    }
}

impl Point {
    /// Returns each mean, half the width of its interval, and the number of runs in it.
    fn numbers(&self) -> impl Iterator<Item = (Option<f64>, Option<f64>, usize)> {
        self.means.iter().map(|mean| match mean {
            Some(Mean { mean, half, count }) => (Some(*mean), *half, *count),
            None => (None, None, 0),
        })
    }
}

impl fmt::Display for Means<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Means { plan, points } = self;
        let keys = plan.keys().map(printable);
        let mut head: Vec<String> = keys.collect();
        let columns = head.len();
        head.extend(["runs", "failed", "cut"].map(str::to_owned));
        head.extend(plan.collect().iter().map(|metric| printable(&metric.name)));
        let mut lines = vec![head];
        for point in points {
            let values = point.values.iter().map(|value| printable(&shown(value)));
            let mut line: Vec<String> = values.collect();
            line.extend([point.runs, point.failed, point.cut].map(|count| count.to_string()));
            line.extend(point.means.iter().map(|mean| {
                let Some(Mean { mean, half, count }) = *mean else {
                    return "-".to_owned();
                };
                let half = half.map_or(String::new(), |half| format!(" ±{}", number(half)));
                let of = match count == point.runs {
                    true => String::new(),
                    false => format!(" of {count}"),
                };
                number(mean) + &half + &of
            }));
            lines.push(line);
        }
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
        let widths: Vec<usize> = (0..lines[0].len())
            .map(|column| width(column).unwrap_or(0))
            .collect();
        for line in &lines {
            for (column, (field, width)) in line.iter().zip(&widths).enumerate() {
                match column {
                    0 if columns > 0 => write!(f, "{field:<width$}")?,
                    0 => write!(f, "{field:>width$}")?,
                    _ => write!(f, "  {field:>width$}")?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Shows a number with six digits that count.
fn number(number: f64) -> String {
    let digits = number.abs().max(1e-300).log10().floor();
    let decimals = (5.0 - digits).clamp(0.0, 12.0) as usize;
    let shown = format!("{number:.decimals$}");
    match shown.contains('.') {
        true => shown.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_the_interval_of_students_distribution() {
        // The mean is 6, the standard deviation √10 and its error √2 = 1.4142; t is 2.776 for four degrees of freedom.
        let mean = Mean::of(&[2.0, 4.0, 6.0, 8.0, 10.0]).expect("there are numbers");
        assert_eq!(mean.mean, 6.0);
        let half = mean.half.expect("there are several");
        assert!((half - 2.776 * 2_f64.sqrt()).abs() < 1e-9, "{half}");
        assert_eq!(
            Mean::of(&[3.0]),
            Some(Mean {
                mean: 3.0,
                half: None,
                count: 1,
            })
        );
        assert_eq!(Mean::of(&[]), None);
        // From tables: 2.021 for 40, 1.984 for 100, and the normal distribution in the limit.
        for (freedom, expected) in [(30, 2.042), (40, 2.021), (100, 1.984), (1_000_000, 1.960)] {
            assert!((quantile(freedom) - expected).abs() < 6e-4, "{freedom}");
        }
    }

    #[test]
    fn numbers_have_six_digits() {
        for (of, shown) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (1_234_567.8, "1234568"),
            (0.000_123_456_78, "0.000123457"),
        ] {
            assert_eq!(number(of), shown);
        }
    }
}
