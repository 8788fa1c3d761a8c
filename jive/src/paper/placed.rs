//! Host time per message with the applet in the NIC and in host software: both sides of the abstract's claim, at the lengths
//! of Figure 3.

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;

use super::bandwidth::{BURST, Configuration};
use super::latency::LENGTHS;
use super::provenance::{self, Used};
use super::report::{Agreement, Axis, Curve, Drawing, Plot, Quantity, Report, Row};
use super::{PaperError, held, note_one_port, ranges};

/// The name of the part.
pub(super) const FIGURE: &str = "host time by place";
const STATEMENT: &str = "S1-35a";

/// The profile of the paper's workstation with a NIC that cannot be programmed.
pub(super) const ON_HOST: &str = "unet-host-1998";

/// Returns the host time per message under a profile, by length: of both users, and of both loops if they run on hosts.
fn times(profile: &Profile) -> Result<Vec<SimDuration>, PaperError> {
    let of = |&length: &u32| {
        let recording = Configuration::Standard.setup(length).run(profile)?;
        let each = recording.host.as_ps() / u64::from(BURST);
        Ok(SimDuration::from_ps(each))
    };
    LENGTHS.iter().map(of).collect()
}

/// Returns the rows under the profile of the paper's NIC and that of a NIC in host software.
pub(super) fn rows(in_nic: &Profile, on_host: &Profile) -> Result<Vec<Row>, PaperError> {
    let (in_nic, on_host) = (times(in_nic)?, times(on_host)?);
    let row = |name, found| Row::new(STATEMENT, FIGURE, name, found);
    let mut rows = Vec::new();
    for (place, times) in [("in the NIC", &in_nic), ("on the host", &on_host)] {
        for (length, &time) in LENGTHS.iter().zip(times) {
            let name = format!("standard applet {place}, {length} B: both hosts, per message");
            rows.push(row(name, Agreement::Measured(Quantity::Time(time))));
        }
    }
    for (length, (in_nic, on_host)) in LENGTHS.iter().zip(in_nic.iter().zip(&on_host)) {
        let name = format!("in the NIC < on the host, {length} B: host time per message");
        let holds = in_nic < on_host;
        rows.push(row(name, Agreement::Order { holds }));
    }
    Ok(rows)
}

/// Returns the profile of the NIC in host software.
pub(super) fn on_host() -> Profile {
    Profile::builtin(ON_HOST).expect("it is built in")
}

/// Adds the rows to a report, with the values of both profiles on which they depend, and the figure.
pub(super) fn add(profile: &Profile, report: &mut Report) -> Result<(), PaperError> {
    let on_host = on_host();
    let mut found = rows(profile, &on_host)?;
    note_one_port(profile, &mut found, |switched| {
        rows(switched, &on_host.clone().switched())
    })?;
    let with_own = |own: &Profile| rows(own, &on_host);
    let with_compared = |compared: &Profile| rows(profile, compared);
    provenance::trace(
        &[
            Used::own(profile, &with_own),
            Used::compared(&on_host, &with_compared),
        ],
        &mut found,
    );
    let with_own = |own: &Profile| Ok(held(&rows(own, &on_host)?));
    let with_compared = |compared: &Profile| Ok(held(&rows(profile, compared)?));
    ranges::trace(
        &[
            Used::own(profile, &with_own),
            Used::compared(&on_host, &with_compared),
        ],
        &mut found,
    );
    report.plots.push(Drawing::Curves(plot(&found)));
    report.rows.extend(found);
    Ok(())
}

/// Returns the figure of the rows that are times.
fn plot(rows: &[Row]) -> Plot {
    let times = rows.iter().filter_map(|row| match row.found {
        Agreement::Measured(Quantity::Time(time)) => Some(time),
        Agreement::Measured(_) | Agreement::Stated { .. } | Agreement::Order { .. } => None,
    });
    let times: Vec<SimDuration> = times.collect();
    let (in_nic, on_host) = times.split_at(times.len().min(LENGTHS.len()));
    let curve = |name, times: &[SimDuration]| Curve {
        name,
        points: LENGTHS
            .iter()
            .zip(times)
            // A time in nanoseconds is far below 2^52, so its conversion is exact.
            .map(|(&length, time)| (f64::from(length), time.as_ns() as f64 / 1000.0))
            .collect(),
    };
    Plot {
        name: "host-time",
        title: "Host time per message, by the place of the applet".to_owned(),
        x: Axis {
            label: "message size (bytes)",
            logarithmic: false,
        },
        y: Axis {
            label: "time of both hosts (us)",
            logarithmic: false,
        },
        curves: vec![
            curve("standard applet in the NIC", in_nic),
            curve("standard applet on the host", on_host),
        ],
        marks: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_applet_in_the_nic_saves_host_time_at_every_length_of_figure_3() {
        let in_nic = times(&Profile::builtin("lanai-1998").expect("built in")).expect("it runs");
        let on_host = times(&on_host()).expect("it runs");
        for ((length, in_nic), on_host) in LENGTHS.iter().zip(in_nic).zip(on_host) {
            // What the kernel does for a message at least: a system call, an interrupt, and two copies at 100 MB/s of what no
            // descriptor carries.
            let copies = if *length > 56 { 2 } else { 1 };
            let least = 5_000 + 15_000 + copies * u64::from(*length) * 10;
            let saved = on_host.less(in_nic).as_ns();
            assert!(saved > least, "{length} B: {in_nic} and {on_host}");
            // The loops take no more than thrice what they take to copy and to handle a message of the burst alone.
            assert!(
                saved < 4 * least + 100_000,
                "{length} B: {in_nic} and {on_host}"
            );
        }
    }
}
