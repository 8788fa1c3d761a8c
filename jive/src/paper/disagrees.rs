//! Known disagreements with the paper: the simulated values, and the reasons.

use nic_core::time::SimDuration;

/// A row whose simulated value is known to differ from the paper's.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The profiles for which this is known.
    profiles: &'static [&'static str],
    /// The row's name.
    row: &'static str,
    /// The simulated value in nanoseconds. The row must stay within 1 % of it.
    figure_ns: u64,
    /// Why it differs from the paper.
    pub reason: &'static str,
}

impl Disagreement {
    /// Returns the known disagreement of a row under a profile, if there is one.
    pub(super) fn of(profile: &str, row: &str) -> Option<&'static Disagreement> {
        let mut known = DISAGREEMENTS.iter();
        known.find(|known| known.row == row && known.profiles.contains(&profile))
    }

    /// Returns the simulated value.
    pub(super) fn figure(&self) -> SimDuration {
        SimDuration::from_ns(self.figure_ns)
    }
}

const BOTH: &[&str] = &["lanai-1998", "lanai-1998-parallel"];

const NO_LOOP: &str = "the paper says neither how many buffers a message takes nor what the applet's loop costs; \
    where instructions are free no number of buffers gives 99.7";

const DISAGREEMENTS: &[Disagreement] = &[
    Disagreement {
        profiles: BOTH,
        row: "standard applet, 4096 B, 1 buffer: half the added round trip",
        figure_ns: 45_950,
        reason: NO_LOOP,
    },
    Disagreement {
        profiles: BOTH,
        row: "standard applet, 4096 B, 4 buffers: half the added round trip",
        figure_ns: 63_500,
        reason: NO_LOOP,
    },
    Disagreement {
        profiles: BOTH,
        row: "standard applet, 4096 B, 8 buffers: half the added round trip",
        figure_ns: 108_600,
        reason: NO_LOOP,
    },
];
