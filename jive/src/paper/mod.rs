//! Papers, reproduced: their setups as scenarios, their measurements as folds over events, their
//! statements beside what was simulated.
//!
//! One file for each figure. Nothing here knows a cost: a figure is what runs under a profile show.

mod bandwidth;
mod bars;
mod breakdown;
mod lab;
mod latency;
mod plot;
mod report;
mod scalability;

use nic_runtime::profile::Profile;
use nic_runtime::sim::SimError;
pub use plot::{PlotError, draw};
pub use report::{
    Agreement, Axis, Bar, BarChart, Corner, Curve, Drawing, Mark, Origin, Plot, Report, Row,
    Stroke, Tolerance,
};

/// The papers that can be reproduced: name and title.
pub const PAPERS: &[(&str, &str)] = &[(
    "unet-sle",
    "U-Net/SLE: A Java-based User-Customizable Virtual Network Interface (1998)",
)];

/// Why a paper cannot be reproduced under a profile.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PaperError {
    /// A setup cannot be simulated, as where the NIC's memory is too small.
    #[error("{0}")]
    Setup(#[from] SimError),
    /// A setup ran, and what was to be measured did not happen, as where packets are too small for it.
    #[error("under this profile nothing can be measured for {figure}")]
    NothingMeasured {
        /// The figure.
        figure: &'static str,
    },
}

/// What listens to the progress of a long reproduction.
pub trait Progress {
    /// Takes note that so many of so many parts are done, and what comes next.
    fn part(&mut self, done: usize, parts: usize, next: &'static str);
}

/// Reproduces the figures of U-Net/SLE under a profile.
///
/// # Errors
///
/// [`PaperError`] says why a figure cannot be had under the profile.
pub fn unet_sle(profile: &Profile, progress: &mut impl Progress) -> Result<Report, PaperError> {
    type Part = fn(&Profile, &mut Report) -> Result<(), PaperError>;
    const PARTS: [(&str, Part); 4] = [
        ("Figure 5: overheads", breakdown::reproduce),
        ("Figure 3: round trips", latency::reproduce),
        ("Figure 4: bandwidth", bandwidth::reproduce),
        ("applet scalability", scalability::reproduce),
    ];
    let mut report = Report::new(profile.name.clone());
    for (done, (name, part)) in PARTS.into_iter().enumerate() {
        progress.part(done, PARTS.len(), name);
        part(profile, &mut report)?;
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Progress for () {
        fn part(&mut self, _done: usize, _parts: usize, _next: &'static str) {}
    }

    #[test]
    fn every_row_of_unet_sle_is_within_its_tolerance() {
        let profile = Profile::builtin("lanai-1998").unwrap();
        let report = unet_sle(&profile, &mut ()).unwrap();
        let off: Vec<&Row> = report.rows.iter().filter(|row| !row.holds()).collect();
        assert_eq!(off, Vec::<&Row>::new());
        for plot in &report.plots {
            let svg = draw(plot).unwrap();
            let label = match plot {
                Drawing::Curves(plot) => plot.x.label,
                Drawing::Bars(chart) => chart.label,
            };
            assert!(
                svg.starts_with("<svg") && svg.contains(label),
                "{}",
                plot.name()
            );
        }
    }
}
