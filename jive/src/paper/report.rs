//! The report of a reproduction: rows that compare a paper's statements with the simulation, and drawings.

use nic_core::time::SimDuration;
use nic_runtime::profile::Statement;

use super::disagrees::{Disagreement, Known};

/// All results of a reproduction.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the paper.
    pub paper: &'static str,
    /// Name of the profile.
    pub profile: String,
    /// The rows, in the order of the figures.
    pub rows: Vec<Row>,
    /// The drawings of the figures.
    pub plots: Vec<Drawing>,
    /// The tables of a comparison; a paper has none.
    pub tables: Vec<Table>,
}

impl Report {
    /// Returns an empty report.
    #[must_use]
    pub fn new(paper: &'static str, profile: String) -> Report {
        Report {
            paper,
            profile,
            rows: Vec::new(),
            plots: Vec::new(),
            tables: Vec::new(),
        }
    }

    /// Returns whether every row is within its tolerance.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.rows.iter().all(Row::holds)
    }
}

/// A row of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The paper's statement.
    pub statement: Statement,
    /// The figure or section that the row belongs to.
    pub figure: &'static str,
    /// Name of the measured or stated quantity.
    pub name: String,
    /// The comparison.
    pub found: Agreement,
    /// Whether the paper prints its value, or this value is derived from printed ones.
    pub given: Given,
    /// The kind of evidence.
    pub provenance: Provenance,
    /// Keys of the values that move the result and that no paper gives. For an order, the list has the keys of the
    /// values that limit the order, also of those that its own statement gives.
    pub moved_by: Vec<String>,
    /// The range over which an order holds, for each value that no paper gives or its own statement; empty for other rows.
    pub ranges: Vec<Range>,
    /// The known disagreement with the paper, if there is one.
    pub disagreement: Option<&'static Disagreement>,
    /// What the same runs show where each NIC has one port in place of a wire to every other NIC, if it is something else.
    pub one_port: Option<Agreement>,
}

impl Row {
    /// Returns a row without evidence, ranges or a known disagreement.
    pub(super) fn new(
        statement: &str,
        figure: &'static str,
        name: String,
        found: Agreement,
    ) -> Row {
        Row {
            statement: Statement::of(statement).expect("the figures name statements of the page"),
            figure,
            name,
            found,
            given: Given::Printed,
            provenance: Provenance::Accounting,
            moved_by: Vec::new(),
            ranges: Vec::new(),
            disagreement: None,
            one_port: None,
        }
    }

    /// Returns the row with a value that the paper does not print, but that follows from printed values.
    pub(super) fn derived(self) -> Row {
        Row {
            given: Given::Derived,
            ..self
        }
    }

    /// Returns whether the row is within its tolerance, or disagrees in the known way.
    #[must_use]
    pub fn holds(&self) -> bool {
        match self.found {
            Agreement::Stated {
                paper,
                simulated,
                tolerance,
            } => match self.disagreement.map(|known| known.found) {
                Some(Known::Value(figure)) => PINNED.allows(figure, simulated),
                Some(Known::OtherOrder) => false,
                None => tolerance.allows(paper, simulated),
            },
            Agreement::Measured(_) => true,
            // A row fails if its known disagreement is no longer found.
            Agreement::Order { holds } => holds != self.disagreement.is_some(),
        }
    }
}

/// Where the paper's value of a row stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// The paper prints the value.
    Printed,
    /// The value follows from what the paper prints, for example from a sum or from a fitted line.
    Derived,
}

impl Given {
    /// Returns the name under which outputs show the value.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Given::Printed => "paper",
            Given::Derived => "derived",
        }
    }
}

/// The kind of evidence that a row gives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// The row shows a single number of the paper that was put into the profile, or an order that such a value of its own
    /// statement limits.
    Input,
    /// The row shows a sum of the paper's numbers, or depends on none, and so checks that each cost is charged once.
    Accounting,
    /// A value of the profile was chosen to reproduce the row.
    Fitted,
    /// The row follows from values of the profile that were not chosen for this row.
    Predicted,
    /// The paper states no value to compare the row with.
    Shown,
}

impl Provenance {
    /// Returns the name of the provenance.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Provenance::Input => "input",
            Provenance::Accounting => "accounting",
            Provenance::Fitted => "fitted",
            Provenance::Predicted => "predicted",
            Provenance::Shown => "shown",
        }
    }
}

/// The range of one value for which an order holds, while all other values stay the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The value's key.
    pub key: String,
    /// The smallest tried value of the range, in which the order holds for all tried values.
    pub from: String,
    /// The largest tried value of the range.
    pub to: String,
    /// Whether the order holds for all tried values.
    pub is_whole: bool,
}

/// A table of a comparison.
#[derive(Clone, Debug)]
pub struct Table {
    /// What the table shows, and where it was measured.
    pub title: String,
    /// Names of the columns, with their units.
    pub columns: Vec<String>,
    /// The lines, from top to bottom.
    pub lines: Vec<Line>,
}

/// A line of a table.
#[derive(Clone, Debug)]
pub struct Line {
    /// Name of the interface.
    pub name: &'static str,
    /// Name of the profile.
    pub profile: String,
    /// A cell for each column.
    pub cells: Vec<Cell>,
}

/// A cell of a table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A measured value.
    Found(Quantity),
    /// The interface cannot do what the column measures, for the reason that this word names.
    Without(&'static str),
}

/// How a row compares the paper and the simulation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The paper states a value.
    Stated {
        /// The paper's value.
        paper: Quantity,
        /// The simulated value, of the same kind as the paper's value.
        simulated: Quantity,
        /// The allowed difference.
        tolerance: Tolerance,
    },
    /// The paper states nothing, and the row shows the simulated value alone.
    Measured(Quantity),
    /// The row checks an order that follows from the costs.
    Order {
        /// Whether the order holds at every point.
        holds: bool,
    },
}

impl Agreement {
    /// Returns the comparison of two times.
    pub(super) fn time(paper: SimDuration, simulated: SimDuration, tolerance: Tolerance) -> Self {
        Agreement::Stated {
            paper: Quantity::Time(paper),
            simulated: Quantity::Time(simulated),
            tolerance,
        }
    }
}

/// A value that a paper states or a simulation shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A time.
    Time(SimDuration),
    /// A rate of payload, in kilobits a second.
    Rate(u64),
    /// A share, in hundredths of a percent.
    Share(i64),
    /// Answers of a server in a second.
    Answers(u64),
    /// A number of things that happen in a run.
    Count(u64),
    /// Something of which each message has a number, in hundredths.
    Each(u64),
}

impl Quantity {
    /// Returns the value in the smallest unit of its kind. Times are in picoseconds, because nanoseconds would hide
    /// differences.
    pub(super) fn exact(self) -> i128 {
        match self {
            Quantity::Time(time) => time.as_ps().into(),
            Quantity::Rate(rate) => rate.into(),
            Quantity::Share(share) => share.into(),
            Quantity::Answers(answers) => answers.into(),
            Quantity::Count(count) => count.into(),
            Quantity::Each(number) => number.into(),
        }
    }
}

/// How close a row with a known disagreement must stay to its known value.
const PINNED: Tolerance = Tolerance::PerMille(10);

/// The allowed difference between a simulated and a stated value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// None.
    Exact,
    /// The difference may be this many tenths of a percent of the stated value.
    PerMille(u32),
    /// The difference of two shares may be this many tenths of a percentage point.
    Points(u32),
}

impl Tolerance {
    fn allows(self, paper: Quantity, simulated: Quantity) -> bool {
        let (paper, simulated) = (paper.exact(), simulated.exact());
        let apart = (paper - simulated).abs();
        match self {
            Tolerance::Exact => apart == 0,
            Tolerance::PerMille(part) => apart * 1000 <= paper.abs() * i128::from(part),
            Tolerance::Points(tenths) => apart <= i128::from(tenths) * 10,
        }
    }
}

/// A figure to draw.
#[derive(Clone, Debug)]
pub enum Drawing {
    /// Curves of a quantity.
    Curves(Plot),
    /// Stacked bars.
    Bars(BarChart),
    /// A timeline.
    Timeline(Timeline),
}

impl Drawing {
    /// Returns the name of the drawing's file, without an extension.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Drawing::Curves(plot) => plot.name,
            Drawing::Bars(chart) => chart.name,
            Drawing::Timeline(timeline) => timeline.name,
        }
    }
}

/// Curves, with options of how to draw them.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Name of the drawing's file, without an extension.
    pub name: &'static str,
    /// The title.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The simulated curves.
    pub curves: Vec<Curve>,
    /// Statements of the paper to mark.
    pub marks: Vec<Mark>,
}

/// An axis.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The quantity, with its unit.
    pub label: &'static str,
    /// Whether the scale is logarithmic.
    pub logarithmic: bool,
}

/// Converts a time to microseconds for a figure.
pub(super) fn microseconds(time: SimDuration) -> f64 {
    // The conversion is exact: nanoseconds of a figure are far below 2^52.
    time.as_ns() as f64 / 1000.0
}

/// A curve of a plot.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The label at the curve's end.
    pub name: &'static str,
    /// The curve's points.
    pub points: Vec<(f64, f64)>,
}

/// A statement of the paper that is marked in a plot.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The label.
    pub label: &'static str,
    /// The position.
    pub at: (f64, f64),
}

/// A chart of horizontal bars, each of which is a sum of parts, with the paper's total beside it.
#[derive(Clone, Debug)]
pub struct BarChart {
    /// Name of the drawing's file, without an extension.
    pub name: &'static str,
    /// The title.
    pub title: String,
    /// The quantity of the bars' lengths, with its unit.
    pub label: &'static str,
    /// Names of the parts, in the order in which they are stacked.
    pub parts: Vec<&'static str>,
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// The label.
    pub name: String,
    /// Length of each part; zero if the bar does not have the part.
    pub parts: Vec<f64>,
    /// The paper's total.
    pub stated: f64,
}

/// Tracks of boxes along one axis of time.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Name of the drawing's file, without an extension.
    pub name: &'static str,
    /// The title.
    pub title: String,
    /// The tracks, from top to bottom.
    pub tracks: Vec<Track>,
    /// Labels that boxes may have, in the order of their colours, so that a label has one colour in all drawings.
    pub labels: Vec<&'static str>,
}

/// A track of a timeline.
#[derive(Clone, Debug)]
pub struct Track {
    /// The name of the processor or wire that is busy at the times of the track's boxes.
    pub name: String,
    /// The boxes.
    pub spans: Vec<TimelineSpan>,
}

/// A box of a track.
#[derive(Copy, Clone, Debug)]
pub struct TimelineSpan {
    /// The label.
    pub label: &'static str,
    /// When the box begins, in microseconds.
    pub from: f64,
    /// When the box ends, in microseconds.
    pub to: f64,
}
