//! Reproductions of papers: their experiments as scenarios, measurements from events, and the paper's statements beside
//! the results.
//!
//! Each figure has its own file. No file of a figure contains a cost: every result comes from runs under a profile.

mod bandwidth;
mod bars;
mod breakdown;
mod collected;
mod compare;
mod disagrees;
mod emp;
mod faster;
mod host;
mod lab;
mod latency;
mod lmmc;
mod marks;
mod placed;
pub(crate) mod plot;
mod protocols;
mod provenance;
mod ranges;
mod report;
mod scalability;
mod timeline;
mod via;

pub use disagrees::Disagreement;
use nic_runtime::profile::{Profile, Receive};
use nic_runtime::run::SimError;
pub use plot::{PlotError, draw};
use provenance::Used;
pub use report::{
    Agreement, Axis, Bar, BarChart, Cell, Curve, Drawing, Given, Line, Mark, Plot, Provenance,
    Quantity, Range, Report, Row, Table, Timeline, TimelineSpan, Tolerance, Track,
};

/// A paper that can be reproduced.
#[derive(Copy, Clone, Debug)]
pub struct Paper {
    /// The paper's name for the command.
    pub name: &'static str,
    /// The paper's title and year.
    pub title: &'static str,
    /// The built-in profile with which the paper is reproduced, unless the user names another.
    pub profile: &'static str,
    /// The built-in profiles of the NICs with which the paper compares its own.
    pub compared: &'static [&'static str],
    reproduce: fn(&Profile, &mut dyn Progress) -> Result<Report, PaperError>,
    few: fn(&Profile, &[Profile]) -> Result<Vec<Row>, PaperError>,
}

/// The papers that can be reproduced.
pub const PAPERS: &[Paper] = &[
    Paper {
        name: "unet-sle",
        title: "U-Net/SLE: A Java-based User-Customizable Virtual Network Interface (1998)",
        profile: "lanai-1998",
        compared: &[FASTER, placed::ON_HOST],
        reproduce: unet_sle,
        few: few_of_unet_sle,
    },
    Paper {
        name: "emp",
        title: "Can User-Level Protocols Take Advantage of Multi-CPU NICs? (2002)",
        profile: "tigon2-2002",
        compared: &[emp::SHARING],
        reproduce: emp::reproduce,
        few: |profile, compared| emp::few(profile, compared.first()),
    },
    Paper {
        name: "clan",
        title: "VIA over the CLAN network (2001)",
        profile: "clan-2001",
        compared: &["giganet-1999", "mvia-2001"],
        reproduce: via::clan,
        few: via::few_of_clan,
    },
    Paper {
        name: "javia",
        title: "Interfacing Java to the Virtual Interface Architecture (1999)",
        profile: "giganet-1999",
        compared: &[],
        reproduce: via::javia,
        few: via::few_of_javia,
    },
    Paper {
        name: "lmmc",
        title: "Scalable Network of Workstation Clusters (1997)",
        profile: "lmmc-1997",
        compared: &[],
        reproduce: lmmc::reproduce,
        few: |profile, _| lmmc::few(profile),
    },
    Paper {
        name: "compare",
        title: "The same work over the interfaces of all papers",
        profile: compare::COMMON,
        compared: compare::OWN,
        reproduce: compare::reproduce,
        few: compare::few,
    },
];

impl Paper {
    /// Reproduces the paper's figures under a profile.
    ///
    /// # Errors
    ///
    /// Returns [`PaperError`] if a figure cannot be measured under the profile.
    pub fn reproduce(
        &self,
        profile: &Profile,
        progress: &mut dyn Progress,
    ) -> Result<Report, PaperError> {
        (self.reproduce)(profile, progress)
    }

    /// Measures the rows by fewer messages, without an analysis of what they depend on. `compared` has the profiles of the
    /// NICs with which the paper compares its own, in the order of [`Paper::compared`]; the built-in ones stand for those
    /// that are missing. The analysis of [`Paper::reproduce`] compares such rows.
    ///
    /// # Errors
    ///
    /// Returns [`PaperError`] if a figure cannot be measured under the profiles.
    pub fn rows_of_few(
        &self,
        profile: &Profile,
        compared: &[Profile],
    ) -> Result<Vec<Row>, PaperError> {
        (self.few)(profile, compared)
    }
}

/// Why a paper cannot be reproduced under a profile.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PaperError {
    /// An experiment cannot be simulated, for example because the NIC's memory is too small.
    #[error("{0}")]
    Setup(#[from] SimError),
    /// The profile lacks a section that the paper needs.
    #[error("the profile has no section `[{section}]`, which {paper} needs")]
    Lacks {
        /// The section.
        section: &'static str,
        /// The paper.
        paper: &'static str,
    },
    /// The applets of the paper find packets in `RxBuf`, which a NIC that receives directly does not have.
    #[error(
        "the profile has `receive = \"direct\"`, and the applets of {paper} need `RxBuf`: choose a NIC with `staged`"
    )]
    ReceivesDirectly {
        /// The paper.
        paper: &'static str,
    },
    /// The profile lacks a placement of EMP's stages on two processors.
    #[error("the profile has no `[placement.{name}]` on two processors, which EMP needs")]
    NoPlacement {
        /// Name of the placement.
        name: &'static str,
    },
    /// An experiment ran, but the event to measure did not happen, for example because packets are too small.
    #[error("under this profile nothing can be measured for {figure}")]
    NothingMeasured {
        /// The figure.
        figure: &'static str,
    },
}

/// Receives the progress of a long reproduction.
pub trait Progress {
    /// Called when `done` of `parts` parts are finished; `next` is the name of the next part.
    fn part(&mut self, done: usize, parts: usize, next: &'static str);
}

/// A figure or a section: its name, its rows and its drawings.
struct Part {
    name: &'static str,
    rows: fn(&Profile) -> Result<Vec<Row>, PaperError>,
    plots: fn(&Profile) -> Result<Vec<Drawing>, PaperError>,
}

const PARTS: [Part; 7] = [
    Part {
        name: "Figure 5: overheads",
        rows: breakdown::rows,
        plots: breakdown::plots,
    },
    Part {
        name: "Figure 3: round trips",
        rows: latency::rows,
        plots: latency::plots,
    },
    Part {
        name: "Figure 4: bandwidth",
        rows: bandwidth::rows,
        plots: bandwidth::plots,
    },
    Part {
        name: "host time",
        rows: host::rows,
        plots: |_| Ok(Vec::new()),
    },
    Part {
        name: "host time of protocols",
        rows: protocols::rows,
        plots: |_| Ok(Vec::new()),
    },
    Part {
        name: collected::FIGURE,
        rows: collected::rows,
        plots: |_| Ok(Vec::new()),
    },
    Part {
        name: "applet scalability",
        rows: scalability::rows,
        plots: scalability::plots,
    },
];

/// Reproduces the figures of U-Net/SLE under a profile.
fn unet_sle(profile: &Profile, progress: &mut dyn Progress) -> Result<Report, PaperError> {
    let paper = "U-Net/SLE";
    if let Some(section) = profile.lacks(SECTIONS) {
        return Err(PaperError::Lacks { section, paper });
    }
    if profile.receive == Receive::Direct {
        return Err(PaperError::ReceivesDirectly { paper });
    }
    let mut report = reproduce(profile, progress)?;
    progress.part(PARTS.len(), STEPS, ONE_PORT);
    note_one_port(profile, &mut report.rows, rows)?;
    progress.part(PARTS.len() + 1, STEPS, "what hangs on which value");
    provenance::trace(&[Used::own(profile, &rows)], &mut report.rows);
    progress.part(PARTS.len() + 2, STEPS, "where the orders hold");
    ranges::trace(&[Used::own(profile, &orders)], &mut report.rows);
    report.rows.extend(faster_rows(profile)?);
    progress.part(PARTS.len() + 3, STEPS, placed::FIGURE);
    placed::add(profile, &mut report)?;
    Ok(report)
}

/// The built-in profile of the NIC that is faster than the paper's.
const FASTER: &str = "strongarm-1998";

fn faster_nic() -> Profile {
    Profile::builtin(FASTER).expect("it is built in")
}

/// Returns the rows of the faster NIC, with the values on which they depend.
fn faster_rows(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let faster = faster_nic();
    let mut found = faster::rows(profile, &faster)?;
    note_one_port(profile, &mut found, |profile| {
        faster::rows(profile, &faster.clone().switched())
    })?;
    let of_own = |own: &Profile| faster::rows(own, &faster);
    let of_faster = |faster: &Profile| faster::rows(profile, faster);
    let used = [
        Used::own(profile, &of_own),
        Used::compared(&faster, &of_faster),
    ];
    provenance::trace(&used, &mut found);
    Ok(found)
}

/// Returns all rows under a profile and those of the NICs of comparison, without the analysis of what they depend on.
fn few_of_unet_sle(profile: &Profile, compared: &[Profile]) -> Result<Vec<Row>, PaperError> {
    let mut found = rows(profile)?;
    let faster = compared.first().cloned().unwrap_or_else(faster_nic);
    found.extend(faster::rows(profile, &faster)?);
    let on_host = compared.get(1).cloned().unwrap_or_else(placed::on_host);
    found.extend(placed::rows(profile, &on_host)?);
    Ok(found)
}

/// The profile sections that the figures need.
const SECTIONS: &[&str] = &["base", "entry", "native", "native_fuel", "quota"];

const STEPS: usize = PARTS.len() + 4;

/// The part of a reproduction in which NICs have ports.
const ONE_PORT: &str = "with one port for each NIC";

/// Returns the measured rows and drawings, without the analysis of the values on which they depend.
fn reproduce(profile: &Profile, progress: &mut dyn Progress) -> Result<Report, PaperError> {
    let mut report = Report::new("unet-sle", profile.name.clone());
    for (done, part) in PARTS.iter().enumerate() {
        progress.part(done, STEPS, part.name);
        let mut rows = (part.rows)(profile)?;
        for row in &mut rows {
            row.disagreement = Disagreement::of(&profile.name, &row.name);
        }
        report.rows.extend(rows);
        report.plots.extend((part.plots)(profile)?);
    }
    Ok(report)
}

/// Returns whether the order that each row checks holds under a profile, one result for each row with an order.
fn orders(profile: &Profile) -> Result<Vec<bool>, PaperError> {
    let mut rows = bandwidth::rows(profile)?;
    rows.extend(host::rows(profile)?);
    Ok(held(&rows))
}

/// Measures the rows again where each NIC has one port, and notes what is then different. A profile that has ports itself
/// has no second form.
fn note_one_port(
    profile: &Profile,
    found: &mut [Row],
    measure: impl FnOnce(&Profile) -> Result<Vec<Row>, PaperError>,
) -> Result<(), PaperError> {
    if profile.wire.ports > 0 {
        return Ok(());
    }
    let switched = measure(&profile.clone().switched())?;
    for (row, switched) in found.iter_mut().zip(switched) {
        row.one_port = (row.found != switched.found).then_some(switched.found);
    }
    Ok(())
}

/// Returns whether each order among the rows holds.
fn held(rows: &[Row]) -> Vec<bool> {
    let holds = rows.iter().filter_map(|row| match row.found {
        Agreement::Order { holds } => Some(holds),
        Agreement::Stated { .. } | Agreement::Measured(_) => None,
    });
    holds.collect()
}

/// Returns all rows under a profile, without the analysis of the values on which they depend.
pub(crate) fn rows(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let mut rows = Vec::new();
    for part in &PARTS {
        rows.extend((part.rows)(profile)?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    impl Progress for () {
        fn part(&mut self, _done: usize, _parts: usize, _next: &'static str) {}
    }

    fn names<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Vec<&'r str> {
        rows.into_iter().map(|row| row.name.as_str()).collect()
    }

    /// All rows except those of the scalability section, which take long to measure.
    fn short(profile: &Profile) -> Result<Vec<Row>, PaperError> {
        let parts = PARTS
            .iter()
            .filter(|part| part.name != "applet scalability");
        let rows: Result<Vec<_>, _> = parts.map(|part| (part.rows)(profile)).collect();
        Ok(rows?.concat())
    }

    const PARALLEL: &str = include_str!("../../../nic-runtime/profiles/lanai-1998-parallel.toml");

    /// The rows of `short`, each with what it depends on.
    fn traced(profile: &str) -> Vec<Row> {
        let profile = Profile::parse(profile).unwrap();
        let mut rows = short(&profile).unwrap();
        provenance::trace(&[Used::own(&profile, &short)], &mut rows);
        rows
    }

    static TRACED: LazyLock<Vec<Row>> = LazyLock::new(|| traced(PARALLEL));

    #[test]
    fn a_profile_that_says_nothing_of_applets_is_refused() {
        let mut profile = Profile::builtin("lanai-1998").unwrap();
        profile.native_fuel = None;
        let error = unet_sle(&profile, &mut ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the profile has no section `[native_fuel]`, which U-Net/SLE needs"
        );
    }

    #[test]
    fn a_moved_value_moves_only_its_rows() {
        let profile = Profile::parse(PARALLEL).unwrap();
        let found = &*TRACED;
        let mut moves = profile.moves().into_iter();
        // The value of `base.receive` was fitted to the shortest round trip between NICs.
        let moved = moves.find(|moved| moved.key.path() == "base.receive");
        let changed = short(&moved.unwrap().profile).unwrap();
        let pairs = found.iter().zip(&changed);
        let changed = pairs.filter(|(row, changed)| row.found != changed.found);
        let says = |row: &&Row| row.moved_by.iter().any(|key| key == "base.receive");
        assert_eq!(
            names(changed.map(|(row, _)| row)),
            names(found.iter().filter(says))
        );
        assert_eq!(
            names(found.iter().filter(says)),
            [
                "NIC-to-NIC round trip, 1 B",
                "NIC-to-NIC round trip, 4096 B",
                "new arrays for each message, 40 B, arrays of a call: time of a message",
                "new arrays for each message, 40 B, collected: time of a message",
                "new arrays for each message, 4096 B, arrays of a call: time of a message",
                "new arrays for each message, 4096 B, collected: time of a message",
            ]
        );
    }

    #[test]
    fn kind_of_a_row_follows_from_its_sources() {
        let kind = |rows: &[Row], name: &str| {
            let mut rows = rows.iter().filter(|row| row.name == name);
            rows.next().unwrap().provenance
        };
        let of = |name| kind(&TRACED, name);
        assert_eq!(of("receive 1000 B: get free buffer"), Provenance::Input);
        assert_eq!(of("receive 1000 B: total"), Provenance::Accounting);
        assert_eq!(of("NIC-to-NIC round trip, 1 B"), Provenance::Fitted);
        assert_eq!(of("NIC-to-NIC round trip, 4096 B"), Provenance::Predicted);

        // The profile has the same values, but another source for each of two.
        let text = PARALLEL.replace("fitted S1-45b", "chosen");
        let changed = traced(&text.replace("paper S1-39", "fitted S1-39"));
        let of = |name| kind(&changed, name);
        assert_eq!(of("receive 1000 B: get free buffer"), Provenance::Fitted);
        assert_eq!(of("receive 1000 B: total"), Provenance::Fitted);
        assert_eq!(of("transmit 1000 B: total"), Provenance::Accounting);
        assert_eq!(of("NIC-to-NIC round trip, 1 B"), Provenance::Predicted);
    }

    #[test]
    fn every_row_of_unet_sle_is_within_its_tolerance() {
        let profile = Profile::builtin("lanai-1998").unwrap();
        let report = reproduce(&profile, &mut ()).unwrap();
        let off: Vec<&Row> = report.rows.iter().filter(|row| !row.holds()).collect();
        assert_eq!(off, Vec::<&Row>::new());
        for plot in &report.plots {
            let svg = draw(plot).unwrap();
            let label = match plot {
                Drawing::Curves(plot) => plot.x.label,
                Drawing::Bars(chart) => chart.label,
                Drawing::Timeline(timeline) => &timeline.title,
            };
            assert!(
                svg.starts_with("<svg") && svg.contains(label),
                "{}",
                plot.name()
            );
        }
    }
}
