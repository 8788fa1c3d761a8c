//! The option `--format`: how commands print reports and tables.

use clap::ValueEnum;

/// How a report is printed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// For people
    Text,
    /// For programs: an object, or an object a line
    Json,
}

/// How a table is printed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
    /// For people
    Text,
    /// For programs: an object, or an object a line
    Json,
    /// Comma-separated values; the first line has the names of the columns
    Csv,
}
