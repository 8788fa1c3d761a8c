//! Known disagreements with the papers: the simulated values, and the reasons.

use nic_core::time::SimDuration;

use super::emp;
use super::report::Quantity;

/// A row whose result is known to differ from the paper's.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The profiles for which the disagreement is known.
    profiles: &'static [&'static str],
    /// The row's name.
    row: &'static str,
    /// What the simulation shows.
    pub(super) found: Known,
    /// Why the simulated value differs from the paper's.
    pub reason: &'static str,
}

impl Disagreement {
    /// Returns the known disagreement of a row under a profile, if there is one.
    pub(super) fn of(profile: &str, row: &str) -> Option<&'static Disagreement> {
        let mut known = DISAGREEMENTS.iter();
        known.find(|known| known.row == row && known.profiles.contains(&profile))
    }
}

/// What a simulation is known to show in place of the paper's statement.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// The simulation shows this value, and the row must stay within 1 % of it.
    Value(Quantity),
    /// The order that the paper states does not hold.
    OtherOrder,
}

const fn ns(figure: u64) -> Known {
    Known::Value(Quantity::Time(SimDuration::from_ns(figure)))
}

const TIGON: &[&str] = &["tigon2-2002"];

const BOTH: &[&str] = &["lanai-1998", "lanai-1998-parallel"];

const NO_LOOP: &str = "the paper says neither how many buffers a message takes nor what the applet's loop costs; \
    where instructions are free no number of buffers gives 99.7";

const TWO_PINS: &str = "20 us for each page, as Table 1 has it, leave less of the bandwidth than the paper states for \
    long messages; `giganet-1999-pin` has 15 us and 5.5 us for each page, which gives these rows and not those of Table 1";

const PINNED_PAGES: &str = "the cost of pinning that gives the paper's bandwidths is too small for each page of Table 1; no \
    profile gives both";

const GIGANET: &[&str] = &["giganet-1999"];

const GIGANET_PIN: &[&str] = &["giganet-1999-pin"];

const DISAGREEMENTS: &[Disagreement] = &[
    Disagreement {
        profiles: GIGANET,
        row: "pin of raw, 8 KiB",
        found: Known::Value(Quantity::Share(7_030)),
        reason: TWO_PINS,
    },
    Disagreement {
        profiles: GIGANET,
        row: "pin of raw, 16 KiB",
        found: Known::Value(Quantity::Share(7_110)),
        reason: TWO_PINS,
    },
    Disagreement {
        profiles: GIGANET,
        row: "pin of raw, 32 KiB",
        found: Known::Value(Quantity::Share(7_150)),
        reason: TWO_PINS,
    },
    Disagreement {
        profiles: GIGANET,
        row: super::via::PIN_CROSSES_COPY,
        found: Known::OtherOrder,
        reason: TWO_PINS,
    },
    Disagreement {
        profiles: GIGANET,
        row: super::via::JAVIA_PEAK,
        found: Known::Value(Quantity::Rate(474_400)),
        reason: "a waiting send copies its message before the NIC sees it, and 1 / (12.5 + 4.25) ns is 59.7 MB/s; \
            pinning reaches 70 MB/s only at the cost that `giganet-1999-pin` has",
    },
    Disagreement {
        profiles: GIGANET_PIN,
        row: "pin, 4 B",
        found: ns(38_746),
        reason: PINNED_PAGES,
    },
    Disagreement {
        profiles: GIGANET_PIN,
        row: "pin of raw, 8 KiB",
        found: Known::Value(Quantity::Share(7_779)),
        reason: "a message of two pages pays the fixed part of pinning for 8 KiB alone",
    },
    Disagreement {
        profiles: GIGANET_PIN,
        row: "pin, each byte up to 32 KiB",
        found: ns(34),
        reason: PINNED_PAGES,
    },
    Disagreement {
        profiles: &["clan-2001"],
        row: super::via::USER_BELOW_TAILORED,
        found: Known::OtherOrder,
        reason: "a server here pays for the answer alone: to complete a receive descriptor and to post it again takes its \
            library no time, as the paper's half round trips leave none, so VIA without interrupts needs 1.9 us for a \
            request, and the paper's own protocol 2.5 us",
    },
    Disagreement {
        profiles: &["clan-2001"],
        row: super::via::OWN_BUSY,
        found: Known::Value(Quantity::Answers(2_232_137)),
        reason: "the paper's server needs 2.5 us for a request, and here the host needs 10 ns: of the 2.6 us of a message \
            the profile gives all but the writes to the wire, so the bytes of answer and pointer on the link are the only \
            limit",
    },
    Disagreement {
        profiles: BOTH,
        row: "standard applet, 4096 B, 1 buffer: half the added round trip",
        found: ns(45_950),
        reason: NO_LOOP,
    },
    Disagreement {
        profiles: BOTH,
        row: "standard applet, 4096 B, 4 buffers: half the added round trip",
        found: ns(63_500),
        reason: NO_LOOP,
    },
    Disagreement {
        profiles: BOTH,
        row: "standard applet, 4096 B, 8 buffers: half the added round trip",
        found: ns(108_600),
        reason: NO_LOOP,
    },
    Disagreement {
        profiles: TIGON,
        row: emp::SO_BEST,
        found: Known::OtherOrder,
        reason: "by the sums of Table 2, SR > DSR > RO > SO at any contention that grows in proportion; \
            a lock that is held for a share of each stage does not make SO best either",
    },
    Disagreement {
        profiles: TIGON,
        row: emp::DSR_ABOVE_SO,
        found: Known::OtherOrder,
        reason: "one way the receiver limits both, and at the receiver both leave the acknowledgement alone to the other \
            processor; the paper tells them apart by a cost between processors, for which it has no number and which is 0 \
            here",
    },
    Disagreement {
        profiles: TIGON,
        row: emp::GAIN_LOST,
        found: Known::OtherOrder,
        reason: "each frame costs the same in a large message as in a small one, so by Table 2 the gain of two \
            processors cannot shrink with the length; the paper names a cost between processors, and no number",
    },
];
