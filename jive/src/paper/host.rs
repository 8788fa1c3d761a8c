//! Host time per message: the abstract's claim that code in the NIC saves the user's processor time.

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;

use super::PaperError;
use super::bandwidth::{BURST, Configuration};
use super::report::{Agreement, Quantity, Row};

const FIGURE: &str = "host time";
const STATEMENT: &str = "S1-35a";

/// Lengths of the messages, in bytes.
const LENGTHS: [u32; 2] = [40, 4096];

const CONFIGURATIONS: [Configuration; 3] = [
    Configuration::Base,
    Configuration::Standard,
    Configuration::AckInNic,
];

/// Returns the rows.
pub(super) fn rows(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let mut rows = Vec::new();
    for length in LENGTHS {
        let mut times = Vec::new();
        for configuration in CONFIGURATIONS {
            let time = per_message(profile, configuration, length)?;
            let name = format!(
                "{}, {length} B: both users, per message",
                configuration.name()
            );
            rows.push(Row::new(
                STATEMENT,
                FIGURE,
                name,
                Agreement::Measured(Quantity::Time(time)),
            ));
            times.push(time);
        }
        let holds = times[2] < times[1] && times[2] < times[0];
        let name = format!("ack in NIC < base and standard, {length} B: no user sees the answer");
        rows.push(Row::new(
            STATEMENT,
            FIGURE,
            name,
            Agreement::Order { holds },
        ));
    }
    Ok(rows)
}

/// Returns how long the processors of both users work per message of an acknowledged burst.
fn per_message(
    profile: &Profile,
    configuration: Configuration,
    length: u32,
) -> Result<SimDuration, PaperError> {
    let host = configuration.setup(length).run(profile)?.host;
    Ok(SimDuration::from_ps(host.as_ps() / u64::from(BURST)))
}
