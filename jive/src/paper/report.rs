//! What a reproduction found: rows that hold a paper's statements against a simulation, and plots.

use nic_core::time::SimDuration;

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
    /// The figure or section it belongs to.
    pub figure: &'static str,
    /// What was measured, or stated.
    pub name: String,
    /// What was found.
    pub found: Agreement,
}

impl Row {
    /// Returns whether the row agrees with what it is held against.
    #[must_use]
    pub fn holds(&self) -> bool {
        match self.found {
            Agreement::Time {
                paper,
                simulated,
                tolerance,
                ..
            } => tolerance.allows(paper, simulated),
            Agreement::Measured(_) => true,
            Agreement::Order { holds } => holds,
        }
    }
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
        /// Whether the paper's number went into the simulation.
        origin: Origin,
    },
    /// The paper states nothing; the number is the simulation's own.
    Measured(SimDuration),
    /// A statement about the order of curves, drawn from the costs.
    Order {
        /// Whether the simulation bears it out at every point.
        holds: bool,
    },
}

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

/// Where a simulated number comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The number itself, or a cost chosen so that it comes out, is in the profile: no evidence.
    Fitted,
    /// It follows from other numbers.
    Predicted,
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
