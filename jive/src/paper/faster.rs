//! A faster NIC: the overheads of Figure 5 on a processor of 200 MHz and with compiled applets, for which the authors hope
//! (§4.2) and which they did not have.

use std::num::NonZeroU64;

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;
use nic_runtime::units::show_frequency;

use super::PaperError;
use super::breakdown::{receive_overhead, transmit_overhead};
use super::lab::Setup;
use super::report::{Agreement, Quantity, Row};

const FIGURE: &str = "§4.2: faster NICs";

/// The applet of Figure 5.
const APPLET: &str = "RawUnetSingle";

/// Measures an overhead.
type Overhead = fn(&Profile, Setup<'_>) -> Result<SimDuration, PaperError>;

/// What Figure 5 measures: its statement, its name, the length of the message, and the side. The overhead of transmitting
/// does not depend on the length.
const MEASURED: [(&str, &str, u32, Overhead); 3] = [
    ("S1-37", "transmit", 40, transmit_overhead),
    ("S1-38", "receive 40 B", 40, receive_overhead),
    ("S1-39", "receive 1000 B", 1000, receive_overhead),
];

/// Returns the overheads on both NICs, with interpreted and with compiled applets.
pub(super) fn rows(own: &Profile, faster: &Profile) -> Result<Vec<Row>, PaperError> {
    let own = with_instructions_of(own, faster);
    let nics = [
        ("interpreted", own.interpreted()),
        ("compiled", own.compiled_as(faster)),
        ("interpreted", faster.interpreted()),
        ("compiled", faster.clone()),
    ];
    let mut rows = Vec::new();
    for (statement, measured, length, overhead) in MEASURED {
        for (code, profile) in &nics {
            let clock = show_frequency(profile.processor.clock.get());
            let setup = Setup {
                applet: Some(APPLET),
                length,
                ..Setup::ONE
            };
            let found = Agreement::Measured(Quantity::Time(overhead(profile, setup)?));
            rows.push(Row::new(
                statement,
                FIGURE,
                format!("{measured}: {clock}, {code}"),
                found,
            ));
        }
    }
    Ok(rows)
}

/// Returns a profile in which an instruction takes as many cycles as under another, unless instructions take time already.
/// Where they take none, compiled code is as slow as interpreted code.
fn with_instructions_of(own: &Profile, other: &Profile) -> Profile {
    let mut own = own.clone();
    if own.processor.bytecode == SimDuration::ZERO {
        let [of_own, of_other] =
            [&own, other].map(|profile| NonZeroU64::get(profile.processor.clock));
        let takes = u128::from(other.processor.bytecode.as_ps()) * u128::from(of_other);
        let takes = takes.div_ceil(of_own.into());
        own.processor.bytecode = SimDuration::from_ps(u64::try_from(takes).unwrap_or(u64::MAX));
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builtin(name: &str) -> Profile {
        Profile::builtin(name).unwrap()
    }

    fn overheads(own: &str) -> Vec<u64> {
        let rows = rows(&builtin(own), &builtin("strongarm-1998")).unwrap();
        rows.iter()
            .map(|row| match row.found {
                Agreement::Measured(Quantity::Time(time)) => time.as_ps(),
                Agreement::Measured(_) | Agreement::Stated { .. } | Agreement::Order { .. } => {
                    panic!("{row:?}")
                }
            })
            .collect()
    }

    #[test]
    fn the_lanai_interprets_as_its_split_profile_does() {
        assert_eq!(overheads("lanai-1998"), overheads("lanai-1998-split"));
        let split = builtin("lanai-1998-split");
        let setup = Setup {
            applet: Some(APPLET),
            length: 40,
            ..Setup::ONE
        };
        let found = transmit_overhead(&split, setup).unwrap();
        assert_eq!(found.as_ps(), overheads("lanai-1998")[0]);
    }

    /// Whatever takes a processor cycles takes 37/200 of the time; nothing in an overhead is anything else.
    #[test]
    fn a_processor_of_200_mhz_needs_the_lanais_cycles() {
        for of_column in overheads("lanai-1998").chunks(4) {
            for (lanai, strongarm) in [(0, 2), (1, 3)] {
                let expected = of_column[lanai] * 37 / 200;
                assert!(
                    of_column[strongarm].abs_diff(expected) < 100,
                    "{of_column:?}"
                );
            }
            assert!(of_column[1] < of_column[0], "{of_column:?}");
        }
    }

    /// Four fifths of an instruction's time are saved: of `doTx`, 12 instructions (docs/compiled.md).
    #[test]
    fn compiled_code_saves_four_fifths_of_the_instructions() {
        let found = overheads("lanai-1998");
        assert_eq!(found[0] - found[1], 12 * 126_000 * 4 / 5);
    }
}
