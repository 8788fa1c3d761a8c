//! What a reproduction found: rows that hold a paper's statements against a simulation, and plots.

use nic_core::time::SimDuration;
use nic_runtime::profile::Statement;

use super::disagrees::Disagreement;

/// Everything that a reproduction found.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the profile.
    pub profile: String,
    /// The rows, figure by figure.
    pub rows: Vec<Row>,
    /// The figures that can be drawn.
    pub plots: Vec<Drawing>,
}

impl Report {
    /// Returns a report that says nothing yet.
    #[must_use]
    pub fn new(profile: String) -> Report {
        Report {
            profile,
            rows: Vec::new(),
            plots: Vec::new(),
        }
    }

    /// Returns whether every row agrees with what it is held against.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.rows.iter().all(Row::holds)
    }
}

/// One line of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The statement that it is about.
    pub statement: Statement,
    /// The figure or section it belongs to.
    pub figure: &'static str,
    /// What was measured, or stated.
    pub name: String,
    /// What was found.
    pub found: Agreement,
    /// What kind of evidence that is.
    pub provenance: Provenance,
    /// The values, none of them a paper's, that move what was found; of an order those that limit it.
    pub moved_by: Vec<String>,
    /// Where an order holds, for each value that no paper gives.
    pub ranges: Vec<Range>,
    /// What is known to disagree.
    pub disagreement: Option<&'static Disagreement>,
}

impl Row {
    /// Returns a row of which nothing is known but what was found.
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
            provenance: Provenance::Accounting,
            moved_by: Vec::new(),
            ranges: Vec::new(),
            disagreement: None,
        }
    }

    /// Returns whether the row agrees with what it is held against, or disagrees as it is known to.
    #[must_use]
    pub fn holds(&self) -> bool {
        match self.found {
            Agreement::Time {
                paper,
                simulated,
                tolerance,
            } => match self.disagreement {
                Some(known) => PINNED.allows(known.figure(), simulated),
                None => tolerance.allows(paper, simulated),
            },
            Agreement::Measured(_) => true,
            Agreement::Order { holds } => holds,
        }
    }
}

/// What kind of evidence a row is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// It shows one number of the paper that went in.
    Input,
    /// It shows a sum of such numbers, or none: it checks that each is charged once.
    Accounting,
    /// A value was chosen so that it comes out.
    Fitted,
    /// It follows from values that were not chosen for it.
    Predicted,
}

impl Provenance {
    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Provenance::Input => "input",
            Provenance::Accounting => "accounting",
            Provenance::Fitted => "fitted",
            Provenance::Predicted => "predicted",
        }
    }
}

/// From where to where an order holds while one value is moved and all others stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The value's key.
    pub key: String,
    /// The least value that was tried for which it holds, as it does for all in between.
    pub from: String,
    /// The greatest.
    pub to: String,
    /// Whether it holds for all that were tried.
    pub is_whole: bool,
}

/// How a row's two sides compare.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The paper states a time.
    Time {
        /// What the paper states.
        paper: SimDuration,
        /// What was simulated.
        simulated: SimDuration,
        /// How far they may be apart.
        tolerance: Tolerance,
    },
    /// The paper states nothing; the number is the simulation's own.
    Measured(SimDuration),
    /// A statement about an order, drawn from the costs.
    Order {
        /// Whether the simulation bears it out at every point.
        holds: bool,
    },
}

/// How near a figure that disagrees must stay to what it is known to be.
const PINNED: Tolerance = Tolerance::PerMille(10);

/// How far a simulated time may be from a stated one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// To the nanosecond.
    Exact,
    /// So many tenths of a percent of what is stated.
    PerMille(u32),
}

impl Tolerance {
    fn allows(self, paper: SimDuration, simulated: SimDuration) -> bool {
        let (paper, simulated) = (paper.as_ps(), simulated.as_ps());
        match self {
            // Picoseconds are compared: times are exact, and so is a time that is to be exact.
            Tolerance::Exact => paper == simulated,
            Tolerance::PerMille(part) => {
                u128::from(paper.abs_diff(simulated)) * 1000 <= u128::from(paper) * u128::from(part)
            }
        }
    }
}

/// A figure to be drawn.
#[derive(Clone, Debug)]
pub enum Drawing {
    /// Curves over a quantity.
    Curves(Plot),
    /// Bars, each a sum of parts.
    Bars(BarChart),
}

impl Drawing {
    /// Returns its file's name, without an ending.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Drawing::Curves(plot) => plot.name,
            Drawing::Bars(chart) => chart.name,
        }
    }
}

/// Curves over a quantity, with little of how they are drawn.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Its file's name, without an ending.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The corner where no curve goes.
    pub legend: Corner,
    /// The simulated curves.
    pub curves: Vec<Curve>,
    /// What the paper says.
    pub marks: Vec<Mark>,
}

/// A corner of a plot.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Corner {
    /// Upper left.
    UpperLeft,
    /// Lower left.
    LowerLeft,
    /// Lower right.
    LowerRight,
}

/// An axis.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// What it measures, with the unit.
    pub label: &'static str,
    /// Whether equal factors take equal room.
    pub logarithmic: bool,
}

/// Returns a time as figures show it.
pub(super) fn microseconds(time: SimDuration) -> f64 {
    // Nanoseconds of a figure fit in the 52 bits of a float by far.
    time.as_ns() as f64 / 1000.0
}

/// A curve of a plot.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name in the legend.
    pub name: &'static str,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// How a curve is drawn.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// As a line.
    Solid,
    /// In dashes, over a curve that may be the same.
    Dashed,
}

/// A statement of the paper's that is drawn into a plot.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Its words.
    pub label: &'static str,
    /// Where it stands.
    pub at: (f64, f64),
}

/// Bars that lie one below the other, each a sum of parts beside what the paper states of it.
#[derive(Clone, Debug)]
pub struct BarChart {
    /// Its file's name, without an ending.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// What the bars' lengths measure, with the unit.
    pub label: &'static str,
    /// Names of the parts, in the order in which they add up.
    pub parts: Vec<&'static str>,
    /// The bars, from the top.
    pub bars: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// The length of each part, zero where it has none.
    pub parts: Vec<f64>,
    /// The paper's total.
    pub stated: f64,
}
