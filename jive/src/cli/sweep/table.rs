//! The means of a sweep: each metric at each point, over the seeds, with its confidence interval.

use std::collections::BTreeMap;
use std::fmt;

use jive_embed::text::printable;

use super::plan::Plan;
use super::row::Row;

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
pub(super) struct Mean {
    pub(super) mean: f64,
    /// Half the width of the 95 % confidence interval; `None` for a single run.
    pub(super) half: Option<f64>,
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
        Some(Mean { mean, half })
    }
}

/// The means at a point.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// The values of the keys, without quotes.
    pub(super) values: Vec<String>,
    pub(super) runs: usize,
    /// How many runs failed.
    pub(super) failed: usize,
    /// How many runs a default cut.
    pub(super) cut: usize,
    pub(super) means: Vec<Option<Mean>>,
}

/// Returns the means of each point, in the order of the plan.
pub(super) fn points(plan: &Plan, rows: &[Row]) -> Vec<Point> {
    let mut of_point = BTreeMap::<u64, Vec<&Row>>::new();
    for row in rows {
        of_point.entry(row.run / plan.seeds).or_default().push(row);
    }
    let point = |(point, rows): (u64, Vec<&Row>)| {
        let values = plan.values(point).into_iter();
        let means = (0..plan.collect.len()).map(|metric| {
            let numbers: Vec<f64> = rows
                .iter()
                .filter_map(|row| row.metrics.get(metric).copied().flatten())
                .collect();
            Mean::of(&numbers)
        });
        Point {
            values: values
                .map(|(_, value)| value.trim_matches('"').to_owned())
                .collect(),
            runs: rows.len(),
            failed: rows.iter().filter(|row| row.error.is_some()).count(),
            cut: rows.iter().filter(|row| row.cut).count(),
            means: means.collect(),
        }
    };
    of_point.into_iter().map(point).collect()
}

/// Shows the means as a table.
pub(super) struct Means<'a> {
    pub(super) plan: &'a Plan,
    pub(super) points: &'a [Point],
}

impl fmt::Display for Means<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Means { plan, points } = self;
        let keys = plan.keys().map(printable);
        let mut head: Vec<String> = keys.collect();
        let columns = head.len();
        head.extend(["runs", "failed", "cut"].map(str::to_owned));
        head.extend(plan.collect.iter().map(|metric| printable(&metric.name)));
        let mut lines = vec![head];
        for point in *points {
            let mut line: Vec<String> = point.values.iter().map(|value| printable(value)).collect();
            line.extend([point.runs, point.failed, point.cut].map(|count| count.to_string()));
            line.extend(point.means.iter().map(|mean| match mean {
                None => "-".to_owned(),
                Some(Mean { mean, half: None }) => number(*mean),
                Some(Mean {
                    mean,
                    half: Some(half),
                }) => format!("{} ±{}", number(*mean), number(*half)),
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
                half: None
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
