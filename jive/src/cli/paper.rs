//! `jive paper`: reproduces a paper's figures, and shows its statements beside the simulated results.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use jive_embed::diagnosis::sentence;
use jive_embed::text::printable;
use nic_core::time::SimDuration;
use nic_experiment::csv;
use nic_runtime::scenario::closest;
use serde_json::json;

use super::console::{Console, Failure, Status};
use super::format::TableFormat;
use super::named_profile;
use super::output_file::{directory_of, unwritable, write_derived};
use super::overwrite;
use crate::paper::{
    self, Agreement, Cell, Drawing, Given, PAPERS, Paper, Progress, Quantity, Range, Report, Row,
    Table, Tolerance,
};

const AFTER_HELP: &str = "\
Papers:
  unet-sle   U-Net/SLE: A Java-based User-Customizable Virtual Network Interface (1998)
  emp        Can User-Level Protocols Take Advantage of Multi-CPU NICs? (2002)
  clan       VIA over the CLAN network (2001)
  javia      Interfacing Java to the Virtual Interface Architecture (1999)
  lmmc       Scalable Network of Workstation Clusters (1997)
  compare    The same work over the interfaces of all papers

Examples:
  jive paper unet-sle                 a line for each statement
  jive paper unet-sle --svg figures   also draws the figures
  jive paper emp --format json        EMP on a NIC with two processors
  jive paper unet-sle --profile my.toml --format csv

A number is fitted where the profile has it from the paper, or was chosen so that it comes out; it is
predicted where it follows from others. It is shown where the paper has none.

Exit status:
  0  every row is within its tolerance
  1  a row is not
  2  wrong usage, a profile that cannot be read, or files that cannot be written";

/// Reproduces a paper: what it states, what is simulated, and how far apart they are.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The paper
    name: String,

    /// A profile file, or the name of a built-in profile [default: the paper's own]
    #[arg(long, value_name = "PROFILE")]
    profile: Option<PathBuf>,

    /// How rows and points are printed
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    format: TableFormat,

    /// `--format csv`
    #[arg(long, hide = true, conflicts_with_all = ["json", "format"])]
    csv: bool,

    /// `--format json`
    #[arg(long, hide = true, conflicts_with = "format")]
    json: bool,

    /// Draw the figures into this directory, as SVG
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let given = arguments.profile.as_deref();
    let reproduced = named(&arguments.name).and_then(|paper| {
        let profile = named_profile::read(given.unwrap_or(Path::new(paper.profile)))?;
        let mut progress = Line::new(console.is_quiet());
        let report = paper
            .reproduce(&profile, &mut progress)
            .map_err(|error| sentence(&error.to_string(), &[]));
        progress.clear();
        report
    });
    let report = match reproduced {
        Ok(report) => report,
        Err(message) => {
            console.notice(&message)?;
            return Ok(Status::Unusable);
        }
    };
    let plots = match &arguments.svg {
        Some(directory) => Vec::from_iter(
            report
                .plots
                .iter()
                .map(|plot| (plot, path_of(plot, directory))),
        ),
        None => Vec::new(),
    };
    let outputs = Vec::from_iter(plots.iter().map(|(_, path)| path.as_path()));
    if let Err(message) = overwrite::check(&outputs, given.as_slice()) {
        console.notice(&message)?;
        return Ok(Status::Unusable);
    }
    let format = match (arguments.csv, arguments.json) {
        (true, _) => TableFormat::Csv,
        (false, true) => TableFormat::Json,
        (false, false) => arguments.format,
    };
    match format {
        TableFormat::Text => write_table(&report, console.out())?,
        TableFormat::Json => write_json(&report, console.out())?,
        TableFormat::Csv => write_csv(&report, console.out())?,
    }
    for (plot, path) in plots {
        if let Err(message) = write_plot(plot, &path) {
            console.notice(&message)?;
            return Ok(Status::Unusable);
        }
    }
    Ok(if report.holds() {
        Status::Done
    } else {
        Status::Rejected
    })
}

/// Returns the paper with this name. The error is a message for the user.
fn named(name: &str) -> Result<&'static Paper, String> {
    if let Some(paper) = PAPERS.iter().find(|paper| paper.name == name) {
        return Ok(paper);
    }
    let known = PAPERS.iter().map(|paper| paper.name);
    let notes: Vec<String> = closest(name, known)
        .map(|word| format!("did you mean `{word}`?"))
        .into_iter()
        .chain(
            PAPERS
                .iter()
                .map(|paper| format!("{}: {}", paper.name, paper.title)),
        )
        .collect();
    let title = format!("no paper is called {}", printable(name));
    Err(sentence(&title, &notes))
}

/// A progress line, which is shown only on a terminal and without `--quiet`.
struct Line {
    shown: bool,
}

impl Line {
    fn new(is_quiet: bool) -> Line {
        Line {
            shown: io::stderr().is_terminal() && !is_quiet,
        }
    }

    fn clear(&self) {
        if self.shown {
            let _nobody_reads_it = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Progress for Line {
    fn part(&mut self, done: usize, parts: usize, next: &'static str) {
        if self.shown {
            let part = done + 1;
            let _nobody_reads_it = write!(io::stderr(), "\r\x1b[K[{part}/{parts}] {next}");
        }
    }
}

/// The cells of a row; a cell without content is empty.
struct Cells {
    paper: String,
    ours: String,
    difference: String,
    tolerance: String,
    provenance: &'static str,
    verdict: &'static str,
}

impl Cells {
    fn of(row: &Row) -> Cells {
        let mut cells = Cells {
            paper: String::new(),
            ours: simulated(row.found),
            difference: String::new(),
            tolerance: String::new(),
            provenance: row.provenance.name(),
            verdict: match (row.holds(), row.disagreement) {
                (false, _) => "OFF",
                (true, Some(_)) => "disagrees",
                (true, None) => "ok",
            },
        };
        match row.found {
            Agreement::Stated {
                paper,
                simulated,
                tolerance,
            } => {
                cells.paper = shown(paper);
                cells.difference = difference(paper, simulated);
                cells.tolerance = match tolerance {
                    Tolerance::Exact => "exact".to_owned(),
                    Tolerance::PerMille(part) => format!("{}.{} %", part / 10, part % 10),
                    Tolerance::Points(tenths) => format!("{}.{} pt", tenths / 10, tenths % 10),
                };
            }
            Agreement::Measured(_) => cells.verdict = "",
            Agreement::Order { .. } => {}
        }
        cells
    }
}

/// Returns whether the paper's value of a row is printed or derived; `None` if the row has no such value.
fn given(row: &Row) -> Option<&'static str> {
    match row.found {
        Agreement::Stated { .. } => Some(row.given.name()),
        Agreement::Measured(_) | Agreement::Order { .. } => None,
    }
}

/// Returns the notes that are printed below a row.
fn notes(row: &Row) -> Vec<String> {
    let mut notes = Vec::new();
    if !row.moved_by.is_empty() && row.ranges.is_empty() {
        notes.push(format!("moved by {}", row.moved_by.join(", ")));
    }
    let limits: Vec<String> = row
        .ranges
        .iter()
        .filter(|range| !range.is_whole)
        .map(|Range { key, from, to, .. }| match from == to {
            true => format!("{key} {from}"),
            false => format!("{key} {from} to {to}"),
        })
        .collect();
    if !limits.is_empty() {
        notes.push(format!("holds for {}", limits.join(", ")));
    }
    if let Some(known) = row.disagreement {
        notes.push(known.reason.to_owned());
    }
    if let Some(one_port) = row.one_port {
        notes.push(format!("one port: {}", simulated(one_port)));
    }
    notes
}

/// Returns what a simulation shows.
fn simulated(found: Agreement) -> String {
    match found {
        Agreement::Stated { simulated, .. } | Agreement::Measured(simulated) => shown(simulated),
        Agreement::Order { holds } => if holds { "holds" } else { "does not hold" }.to_owned(),
    }
}

fn microseconds(time: SimDuration) -> String {
    let ns = time.as_ns();
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

/// Returns a time in microseconds, a rate in megabits a second, or a share in percent.
fn shown(quantity: Quantity) -> String {
    match quantity {
        Quantity::Time(time) => microseconds(time),
        Quantity::Rate(rate) => format!("{}.{:03}", rate / 1000, rate % 1000),
        Quantity::Share(share) => {
            let sign = if share < 0 { "-" } else { "" };
            let share = share.unsigned_abs();
            format!("{sign}{}.{:02} %", share / 100, share % 100)
        }
        Quantity::Answers(answers) => format!("{answers} /s"),
        Quantity::Count(count) => count.to_string(),
        Quantity::Each(number) => format!("{}.{:02}", number / 100, number % 100),
    }
}

fn difference(paper: Quantity, simulated: Quantity) -> String {
    let signed = |is_more, is_less, apart| {
        let sign = match (is_more, is_less) {
            (true, _) => "+",
            (false, true) => "-",
            (false, false) => "",
        };
        format!("{sign}{}", shown(apart))
    };
    match (paper, simulated) {
        (Quantity::Time(paper), Quantity::Time(simulated)) => {
            let apart = SimDuration::from_ps(simulated.as_ps().abs_diff(paper.as_ps()));
            signed(simulated > paper, simulated < paper, Quantity::Time(apart))
        }
        (Quantity::Rate(paper), Quantity::Rate(simulated)) => {
            let apart = Quantity::Rate(simulated.abs_diff(paper));
            signed(simulated > paper, simulated < paper, apart)
        }
        (Quantity::Share(paper), Quantity::Share(simulated)) => {
            let apart = simulated.saturating_sub(paper).saturating_abs();
            signed(simulated > paper, simulated < paper, Quantity::Share(apart))
        }
        (Quantity::Answers(paper), Quantity::Answers(simulated)) => {
            let apart = Quantity::Answers(simulated.abs_diff(paper));
            signed(simulated > paper, simulated < paper, apart)
        }
        (Quantity::Count(paper), Quantity::Count(simulated)) => {
            let apart = Quantity::Count(simulated.abs_diff(paper));
            signed(simulated > paper, simulated < paper, apart)
        }
        (Quantity::Each(paper), Quantity::Each(simulated)) => {
            let apart = Quantity::Each(simulated.abs_diff(paper));
            signed(simulated > paper, simulated < paper, apart)
        }
        // The stated value and the simulated value of a row are of the same kind.
        (
            Quantity::Time(_)
            | Quantity::Rate(_)
            | Quantity::Share(_)
            | Quantity::Answers(_)
            | Quantity::Count(_)
            | Quantity::Each(_),
            _,
        ) => String::new(),
    }
}

fn write_table(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let width = report.rows.iter().map(|row| row.name.chars().count()).max();
    let width = width.unwrap_or(0);
    let has_rates = report.rows.iter().any(|row| match row.found {
        Agreement::Stated { paper: found, .. } | Agreement::Measured(found) => {
            matches!(found, Quantity::Rate(_))
        }
        Agreement::Order { .. } => false,
    });
    let rates = if has_rates { ", rates in Mbit/s" } else { "" };
    writeln!(out, "profile {}; times in us{rates}", report.profile)?;
    for table in &report.tables {
        write_matrix(table, out)?;
    }
    let mut head = ("", Given::Printed.name());
    for row in &report.rows {
        let same = if row.figure == head.0 {
            head.1
        } else {
            Given::Printed.name()
        };
        let given = given(row).unwrap_or(same);
        if (row.figure, given) != head {
            head = (row.figure, given);
            writeln!(
                out,
                "\n       {:<width$}  {:>9} {:>13} {:>10} {:>9}",
                row.figure, given, "ours", "difference", "tolerance"
            )?;
        }
        let Cells {
            paper,
            ours,
            difference,
            tolerance,
            provenance,
            verdict,
        } = Cells::of(row);
        let line = format!(
            "{:<6} {:<width$}  {paper:>9} {ours:>13} {difference:>10} {tolerance:>9}  {provenance:<10}  {verdict}",
            row.statement.id(),
            row.name
        );
        writeln!(out, "{}", line.trim_end())?;
        for note in notes(row) {
            writeln!(out, "         {note}")?;
        }
    }
    let off = report.rows.iter().filter(|row| !row.holds()).count();
    let disagree = report.rows.iter().filter(|row| row.disagreement.is_some());
    let disagree = disagree.count();
    let rows = report.rows.len();
    writeln!(
        out,
        "\nAn order holds from a quarter to four times each value that no paper gives, where its row says nothing else."
    )?;
    let moved = report.rows.iter().any(|row| row.one_port.is_some());
    if moved {
        writeln!(
            out,
            "`one port` is what a row shows if each NIC has one port in place of a wire to each other NIC, and no cells."
        )?;
    }
    writeln!(
        out,
        "{rows} rows, {disagree} known to disagree, {off} outside their tolerance"
    )
}

/// Writes a table of a comparison: a line for each interface.
fn write_matrix(table: &Table, out: &mut impl Write) -> io::Result<()> {
    let mut lines = vec![(table.title.clone(), table.columns.clone())];
    lines.extend(table.lines.iter().map(|line| {
        let cells = line.cells.iter().map(|&cell| cell_shown(cell)).collect();
        (format!("{} ({})", line.name, line.profile), cells)
    }));
    let width_of = |text: &str| text.chars().count();
    let first = lines.iter().map(|(name, _)| width_of(name)).max();
    let first = first.unwrap_or(0);
    writeln!(out)?;
    for (name, cells) in &lines {
        write!(out, "{name:<first$}")?;
        for (column, cell) in cells.iter().enumerate() {
            let of_column = lines.iter().filter_map(|(_, cells)| cells.get(column));
            let width = of_column.map(|cell| width_of(cell)).max().unwrap_or(0);
            write!(out, "  {cell:>width$}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Returns a measured value, or the word for what an interface cannot do.
fn cell_shown(cell: Cell) -> String {
    match cell {
        Cell::Found(quantity) => shown(quantity),
        Cell::Without(word) => word.to_owned(),
    }
}

const CSV_COLUMNS: [&str; 14] = [
    "kind",
    "statement",
    "figure",
    "name",
    "x",
    "paper",
    "ours",
    "difference",
    "tolerance",
    "provenance",
    "moved_by",
    "verdict",
    "given",
    "one_port",
];

fn write_csv(report: &Report, out: &mut impl Write) -> io::Result<()> {
    out.write_all(csv::line(CSV_COLUMNS).as_bytes())?;
    for row in &report.rows {
        let cells = Cells::of(row);
        let fields: [String; CSV_COLUMNS.len()] = [
            "row".to_owned(),
            row.statement.id().to_string(),
            row.figure.to_owned(),
            row.name.to_string(),
            String::new(),
            cells.paper.to_string(),
            cells.ours.to_string(),
            cells.difference.to_string(),
            cells.tolerance.to_string(),
            cells.provenance.to_string(),
            row.moved_by.join(" "),
            cells.verdict.to_string(),
            given(row).unwrap_or("").to_owned(),
            row.one_port.map(simulated).unwrap_or_default(),
        ];
        out.write_all(csv::line(fields).as_bytes())?;
    }
    for table in &report.tables {
        for line in &table.lines {
            for (column, &cell) in table.columns.iter().zip(&line.cells) {
                let name = format!("{} ({})", line.name, line.profile);
                let ours = cell_shown(cell);
                let known = ["cell", "", &table.title, &name, column, "", &ours];
                let none = [""; CSV_COLUMNS.len() - 7];
                out.write_all(csv::line(known.into_iter().chain(none)).as_bytes())?;
            }
        }
    }
    for plot in &report.plots {
        let mut point = |name: &str, x: String, ours: String| {
            let known = ["point", "", plot.name(), name, &x, "", &ours];
            let none = [""; CSV_COLUMNS.len() - 7];
            out.write_all(csv::line(known.into_iter().chain(none)).as_bytes())
        };
        match plot {
            Drawing::Curves(plot) => {
                for curve in &plot.curves {
                    for (x, y) in &curve.points {
                        point(curve.name, x.to_string(), y.to_string())?;
                    }
                }
            }
            Drawing::Bars(chart) => {
                for bar in &chart.bars {
                    for (part, length) in chart.parts.iter().zip(&bar.parts) {
                        point(&bar.name, part.to_string(), length.to_string())?;
                    }
                }
            }
            Drawing::Timeline(timeline) => {
                for track in &timeline.tracks {
                    for span in &track.spans {
                        point(&track.name, span.from.to_string(), span.label.to_string())?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn write_json(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let rows: Vec<_> = report
        .rows
        .iter()
        .map(|row| {
            let ranges = row.ranges.iter().map(|range| {
                json!({ "key": range.key, "from": range.from, "to": range.to, "whole": range.is_whole })
            });
            json!({
                "statement": row.statement.id(),
                "figure": row.figure,
                "name": row.name,
                "found": found_in_json(row.found),
                "given": given(row),
                "provenance": row.provenance.name(),
                "moved_by": row.moved_by,
                "holds_for": ranges.collect::<Vec<_>>(),
                "disagrees": row.disagreement.map(|known| known.reason),
                "one_port": row.one_port.map(found_in_json),
                "ok": row.holds(),
            })
        })
        .collect();
    let plots: Vec<_> = report
        .plots
        .iter()
        .map(|plot| match plot {
            Drawing::Curves(plot) => {
                let curves = plot.curves.iter();
                let curves = curves
                    .map(|curve| json!({ "name": curve.name, "points": curve.points }))
                    .collect::<Vec<_>>();
                json!({ "name": plot.name, "x": plot.x.label, "y": plot.y.label, "curves": curves })
            }
            Drawing::Bars(chart) => {
                let bars = chart.bars.iter();
                let bars = bars
                    .map(
                        |bar| json!({ "name": bar.name, "parts": bar.parts, "stated": bar.stated }),
                    )
                    .collect::<Vec<_>>();
                json!({ "name": chart.name, "x": chart.label, "parts": chart.parts, "bars": bars })
            }
            Drawing::Timeline(timeline) => {
                let tracks = timeline.tracks.iter().map(|track| {
                    let spans = track.spans.iter().map(
                        |span| json!({ "label": span.label, "from_us": span.from, "to_us": span.to }),
                    );
                    json!({ "name": track.name, "spans": spans.collect::<Vec<_>>() })
                });
                json!({ "name": timeline.name, "tracks": tracks.collect::<Vec<_>>() })
            }
        })
        .collect();
    let mut whole = json!({
        "paper": report.paper,
        "profile": report.profile,
        "rows": rows,
        "plots": plots,
        "ok": report.holds(),
    });
    if !report.tables.is_empty() {
        let tables = report.tables.iter().map(table_in_json);
        whole["tables"] = tables.collect();
    }
    writeln!(out, "{whole:#}")
}

fn table_in_json(table: &Table) -> serde_json::Value {
    let lines = table.lines.iter().map(|line| {
        let cells = line.cells.iter().map(|&cell| match cell {
            Cell::Found(found) => found_in_json(Agreement::Measured(found)),
            Cell::Without(word) => json!({ "without": word }),
        });
        json!({ "name": line.name, "profile": line.profile, "cells": cells.collect::<Vec<_>>() })
    });
    json!({
        "title": table.title,
        "columns": table.columns,
        "lines": lines.collect::<Vec<_>>(),
    })
}

fn found_in_json(found: Agreement) -> serde_json::Value {
    match found {
        Agreement::Stated {
            paper,
            simulated,
            tolerance,
        } => {
            let mut found = serde_json::Map::new();
            let (unit, value) = in_json(paper);
            found.insert(format!("paper_{unit}"), value);
            let (unit, value) = in_json(simulated);
            found.insert(format!("simulated_{unit}"), value);
            let (key, value) = match tolerance {
                Tolerance::Exact => ("tolerance_percent", 0),
                Tolerance::PerMille(part) => ("tolerance_percent", part),
                Tolerance::Points(tenths) => ("tolerance_points", tenths),
            };
            found.insert(key.to_owned(), json!(f64::from(value) / 10.0));
            found.into()
        }
        Agreement::Measured(simulated) => {
            let (unit, value) = in_json(simulated);
            json!({ format!("simulated_{unit}"): value })
        }
        Agreement::Order { holds } => json!({ "order": holds }),
    }
}

/// Returns the name of a value's unit, as it is used in a key, and the value in this unit.
fn in_json(quantity: Quantity) -> (&'static str, serde_json::Value) {
    match quantity {
        Quantity::Time(time) => ("ns", json!(time.as_ns())),
        Quantity::Rate(rate) => ("kbit_per_s", json!(rate)),
        Quantity::Share(share) => ("percent", json!(share as f64 / 100.0)),
        Quantity::Answers(answers) => ("answers_per_s", json!(answers)),
        Quantity::Count(count) => ("count", json!(count)),
        Quantity::Each(number) => ("per_message", json!(number as f64 / 100.0)),
    }
}

/// Returns the path of a figure's SVG file.
fn path_of(plot: &Drawing, directory: &Path) -> PathBuf {
    directory.join(format!("{}.svg", plot.name()))
}

fn write_plot(plot: &Drawing, path: &Path) -> Result<(), String> {
    let drawn = paper::draw(plot).map_err(|error| sentence(&error.to_string(), &[]))?;
    fs::create_dir_all(directory_of(path))
        .and_then(|()| write_derived(path, drawn))
        .map_err(|error| unwritable(path, &error))
}

#[cfg(test)]
mod tests {
    use nic_runtime::profile::Profile;

    use super::*;
    use crate::paper::Provenance;

    #[test]
    fn a_table_shows_what_is_known_of_a_row() {
        let profile = Profile::builtin("lanai-1998").unwrap();
        let mut rows = paper::rows(&profile).unwrap();
        let named = |rows: &mut Vec<Row>, name: &str| {
            let place = rows.iter().position(|row| row.name.starts_with(name));
            rows.swap_remove(place.unwrap())
        };
        let mut fitted = named(&mut rows, "NIC-to-NIC round trip, 1 B");
        fitted.provenance = Provenance::Fitted;
        fitted.moved_by = vec!["base.receive".to_owned()];
        let mut order = named(&mut rows, "base > standard");
        order.ranges = vec![Range {
            key: "memory.arrival_slots".to_owned(),
            from: "2".to_owned(),
            to: "16".to_owned(),
            is_whole: false,
        }];
        let mut report = Report::new("unet-sle", profile.name);
        report.rows = vec![fitted, order];
        let mut out = Vec::new();
        write_table(&report, &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        let words: Vec<Vec<&str>> = out
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let line = |text: &str| {
            let text: Vec<&str> = text.split_whitespace().collect();
            assert!(words.contains(&text), "{out}");
        };
        line("S1-45b NIC-to-NIC round trip, 1 B 64.000 64.012 +0.012 0.1 % fitted ok");
        line("moved by base.receive");
        line("S1-46 base > standard: no overheads holds accounting ok");
        line("holds for memory.arrival_slots 2 to 16");
        line("2 rows, 0 known to disagree, 0 outside their tolerance");
    }
}
