//! What the project promises about speed, each held against what this run measured.

use serde::Serialize;

use crate::kernel::NULLCALL;
use crate::report::Report;

/// A promise, and whether it holds.
#[derive(Clone, Debug, Serialize)]
pub struct Must {
    /// What is promised.
    pub what: &'static str,
    /// What was measured, in the unit that the promise names.
    pub measured: f64,
    /// The bound.
    pub bound: Bound,
    /// Whether it holds.
    pub holds: bool,
}

/// What a measured value may be.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
}

impl Bound {
    /// Returns whether a value keeps to it.
    #[must_use]
    pub fn admits(self, value: f64) -> bool {
        match self {
            Bound::AtMost(most) => value <= most,
            Bound::AtLeast(least) => value >= least,
        }
    }
}

/// Returns all promises about things that were measured.
#[must_use]
pub fn musts(report: &Report) -> Vec<Must> {
    use Bound::{AtLeast, AtMost};

    let kernels = report.kernels.as_ref();
    let (jive, wasm3) = ("JIVE", "wasm3");
    let kernel = |name| kernels?.ratio(name, jive, wasm3);
    let loading = report.loading.as_ref();
    let packets = report.packets.as_ref();
    let last_endpoints = packets.and_then(|packets| packets.endpoints.last());
    let all = [
        (
            "kernels: geometric mean, times wasm3's",
            AtMost(1.25),
            kernels.and_then(|kernels| kernels.mean_ratio(jive, wasm3)),
        ),
        ("nullcall, times wasm3's", AtMost(0.8), kernel(NULLCALL)),
        ("fwd, times wasm3's", AtMost(1.4), kernel("fwd")),
        (
            "packets of 64 bytes, millions/s",
            AtLeast(1.0),
            packets.map(|packets| packets.millions_per_second()),
        ),
        (
            "packet with 10,000 endpoints, one active, times that with one",
            AtMost(1.1),
            last_endpoints.map(|endpoints| endpoints.one_active),
        ),
        (
            "packet with 10,000 endpoints, all active, times that with one",
            AtMost(3.0),
            last_endpoints.map(|endpoints| endpoints.all_active),
        ),
        (
            "packet with 1,000 NICs, times that with two",
            AtMost(1.2),
            packets.and_then(|packets| Some(packets.nics.last()?.all_busy)),
        ),
        (
            "idle endpoint, bytes",
            AtMost(4096.0),
            // Exact: a count of bytes is far below 2^52.
            packets.map(|packets| packets.idle_endpoint_bytes as f64),
        ),
        (
            "loading RawUnet, us",
            AtMost(20.0),
            loading.map(|loading| loading.raw_unet_us),
        ),
        (
            "loading large classes, MB/s, the slowest",
            AtLeast(25.0),
            loading.and_then(|loading| {
                let speeds = loading.large.iter();
                speeds
                    .map(|large| large.megabytes_per_second)
                    .min_by(f64::total_cmp)
            }),
        ),
    ];
    let held = all.into_iter().filter_map(|(what, bound, measured)| {
        measured.map(|measured| Must {
            what,
            measured,
            bound,
            holds: bound.admits(measured),
        })
    });
    held.collect()
}
