//! Half round trips that the paper about CLAN quotes from others: M-VIA, which emulates VIA in the kernel, and Berkeley VIA
//! beside it as context.

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;

use super::lab::{FlowControl, Setup};
use crate::paper::provenance::{self, Used};
use crate::paper::report::{Agreement, Report, Row, Tolerance};
use crate::paper::{PaperError, held, ranges};

const FIGURE: &str = "VIA of others";
const STATEMENT: &str = "S5-25c";

/// Half round trips in nanoseconds, of messages without bytes.
const MVIA: u64 = 19_000;
const BERKELEY: u64 = 23_000;

/// Returns the profile of M-VIA.
pub(super) fn profile() -> Profile {
    Profile::builtin("mvia-2001").expect("it is built in")
}

/// Returns the rows under the profile of M-VIA.
pub(super) fn rows(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let setup = Setup {
        figure: FIGURE,
        transfer: "dma",
        length: 0,
        flow: FlowControl::Credits,
    };
    let half_trip = setup.half_trip(profile)?;
    let row = |name: &str, found| Row::new(STATEMENT, FIGURE, name.to_owned(), found);
    let mvia = SimDuration::from_ns(MVIA);
    let holds = half_trip < SimDuration::from_ns(BERKELEY);
    Ok(vec![
        row(
            "0 B by the host's kernel, mvia-2001",
            Agreement::time(mvia, half_trip, Tolerance::PerMille(50)),
        ),
        row(
            "Berkeley VIA, 23 us > mvia-2001: 0 B",
            Agreement::Order { holds },
        ),
    ])
}

/// Adds the rows to a report, with the values on which they depend.
pub(super) fn add(report: &mut Report) -> Result<(), PaperError> {
    let profile = provenance::without_applets(&profile());
    let mut found = rows(&profile)?;
    provenance::trace(&[Used::compared(&profile, &rows)], &mut found);
    let orders = |profile: &Profile| Ok(held(&rows(profile)?));
    ranges::trace(&[Used::compared(&profile, &orders)], &mut found);
    report.rows.extend(found);
    Ok(())
}
