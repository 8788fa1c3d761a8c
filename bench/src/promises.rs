//! What the project promises about speed and size, compared with the measurements of this run.

use serde::Serialize;

use crate::kernel::NULLCALL;
use crate::pace::Paced;
use crate::report::Report;

/// A promise and its result.
#[derive(Clone, Debug, Serialize)]
pub struct Promise {
    /// The promised quantity, with its unit.
    pub what: &'static str,
    /// The measured value, which decides whether the promise holds.
    pub measured: f64,
    /// The value estimated for the reference machine, if the value is a time or a rate (see `pace`).
    pub as_promised_for: Option<f64>,
    /// The bound that must hold.
    pub must: Option<Bound>,
    /// Whether `must` holds.
    pub must_holds: Option<bool>,
    /// The bound that the project aims for.
    pub goal: Option<Bound>,
    /// Whether `goal` holds.
    pub goal_holds: Option<bool>,
}

/// A bound on a measured value.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The value is at most this number.
    AtMost(f64),
    /// The value is at least this number.
    AtLeast(f64),
}

impl Bound {
    /// Returns the bound's number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Bound::AtMost(value) | Bound::AtLeast(value) => value,
        }
    }

    /// Returns whether a value is within the bound.
    #[must_use]
    pub fn admits(self, value: f64) -> bool {
        match self {
            Bound::AtMost(most) => value <= most,
            Bound::AtLeast(least) => value >= least,
        }
    }
}

/// Collects promises. A promise whose value was not measured is left out.
struct Promises(Vec<Promise>);

impl Promises {
    fn add(
        &mut self,
        what: &'static str,
        must: impl Into<Option<Bound>>,
        goal: impl Into<Option<Bound>>,
        measured: Option<f64>,
    ) {
        if let Some(measured) = measured {
            self.push(what, must, goal, measured, None);
        }
    }

    /// Adds a promise for the reference machine.
    fn add_paced(
        &mut self,
        what: &'static str,
        must: impl Into<Option<Bound>>,
        goal: impl Into<Option<Bound>>,
        paced: Option<Paced>,
    ) {
        if let Some(paced) = paced {
            let as_promised_for = Some(paced.as_promised_for);
            self.push(what, must, goal, paced.measured, as_promised_for);
        }
    }

    fn push(
        &mut self,
        what: &'static str,
        must: impl Into<Option<Bound>>,
        goal: impl Into<Option<Bound>>,
        measured: f64,
        as_promised_for: Option<f64>,
    ) {
        let (must, goal) = (must.into(), goal.into());
        let holds = |bound: Option<Bound>| bound.map(|bound| bound.admits(measured));
        self.0.push(Promise {
            what,
            measured,
            as_promised_for,
            must,
            must_holds: holds(must),
            goal,
            goal_holds: holds(goal),
        });
    }
}

/// Returns all promises whose values were measured.
#[must_use]
pub fn promises(report: &Report) -> Vec<Promise> {
    let mut promises = Promises(Vec::new());
    programs(report, &mut promises);
    printed(report, &mut promises);
    packets(report, &mut promises);
    loading(report, &mut promises);
    sizes(report, &mut promises);
    promises.0
}

fn programs(report: &Report, promises: &mut Promises) {
    use Bound::AtMost;

    let (jive, wasm3, xint) = ("JIVE", "wasm3", "OpenJDK -Xint");
    let kernels = report.kernels.as_ref();
    let mean = |other| kernels?.mean_ratio(jive, other);
    promises.add(
        "kernels, mean, times wasm3's",
        AtMost(1.25),
        AtMost(1.0),
        mean(wasm3),
    );
    promises.add(
        "kernels, mean, times wasmi's",
        None,
        AtMost(1.0),
        mean("wasmi"),
    );
    let one = |name| kernels?.ratio(name, jive, wasm3);
    promises.add(
        "nullcall, times wasm3's",
        AtMost(0.8),
        AtMost(0.5),
        one(NULLCALL),
    );
    promises.add("fwd, times wasm3's", AtMost(1.4), AtMost(0.9), one("fwd"));
    let held_out = report.held_out.as_ref();
    let held_out = held_out.and_then(|held_out| held_out.mean_ratio(jive, xint));
    let over = held_out.zip(mean(xint));
    promises.add(
        "held-out programs, times what the kernels promise (means over OpenJDK -Xint's)",
        AtMost(1.15),
        None,
        over.map(|(held_out, kernels)| held_out / kernels),
    );
}

fn printed(report: &Report, promises: &mut Promises) {
    use Bound::AtMost;

    let printed = "JIVE, printed Rust";
    let sets = [
        (
            &report.kernels,
            "kernels, printed Rust, mean, times native",
            2.2,
            1.55,
        ),
        (
            &report.validation,
            "validation, printed Rust, mean, times native",
            2.2,
            1.8,
        ),
        (
            &report.held_out,
            "held-out, printed Rust, mean, times native",
            2.6,
            1.8,
        ),
    ];
    for (table, what, must, goal) in sets {
        let mean = table.as_ref();
        let mean = mean.and_then(|table| table.mean_ratio(printed, "native"));
        promises.add(what, AtMost(must), AtMost(goal), mean);
    }
    let kernels = report.kernels.as_ref();
    promises.add(
        "nullcall, printed Rust, times the interpreter's",
        AtMost(1.0),
        AtMost(0.5),
        kernels.and_then(|kernels| kernels.ratio(NULLCALL, printed, "JIVE")),
    );
    promises.add(
        "RawUnet `doTx` + `doRx`, natives that do nothing, printed Rust, times the interpreter's",
        AtMost(0.29),
        AtMost(0.18),
        report.handlers.as_ref().map(|handlers| handlers.ratio),
    );
}

fn packets(report: &Report, promises: &mut Promises) {
    use Bound::{AtLeast, AtMost};

    let packets = report.packets.as_ref();
    promises.add_paced(
        "packets of 64 bytes, the library without a sink, million/s",
        AtLeast(1.0),
        AtLeast(2.0),
        packets.map(|packets| packets.millions_per_second()),
    );
    promises.add_paced(
        "packets of 64 bytes, with the summary of `jive run --trace none`, million/s",
        None,
        AtLeast(1.0),
        packets.map(|packets| packets.summarized_ns.rate(1e3)),
    );
    let most = packets.and_then(|packets| packets.endpoints.last());
    promises.add(
        "packet, 10,000 endpoints, one active, times that of one",
        AtMost(1.1),
        None,
        most.map(|endpoints| endpoints.one_active),
    );
    promises.add(
        "packet, 10,000 endpoints, all active, times that of one",
        AtMost(3.0),
        None,
        most.map(|endpoints| endpoints.all_active),
    );
    let nics = packets.and_then(|packets| packets.nics.last());
    promises.add(
        "packet, 1,000 NICs in pairs (no sink), times that of two",
        AtMost(1.2),
        None,
        nics.map(|nics| nics.all_busy),
    );
    promises.add(
        "packet, 1,000 NICs in one network taken apart (no sink), times that of two",
        AtMost(1.2),
        None,
        nics.map(|nics| nics.in_one_network),
    );
    promises.add(
        "packet, 1,000 NICs that have met, times that of two",
        None,
        AtMost(1.2),
        nics.map(|nics| nics.met),
    );
    promises.add(
        "hop, 1,000 NICs and their switches, times a packet of 1,000 NICs that have met",
        AtMost(1.05),
        None,
        nics.map(|nics| nics.hop),
    );
    promises.add(
        "idle endpoint, bytes",
        AtMost(4096.0),
        None,
        // The conversion is exact, because a count of bytes is far below 2^52.
        packets.map(|packets| packets.idle_endpoint_bytes as f64),
    );
}

fn loading(report: &Report, promises: &mut Promises) {
    use Bound::{AtLeast, AtMost};

    let loading = report.loading.as_ref();
    promises.add_paced(
        "loading RawUnet, us",
        AtMost(20.0),
        AtMost(5.0),
        loading.map(|loading| loading.raw_unet_us),
    );
    promises.add_paced(
        "loading large classes, MB/s, the slowest",
        AtLeast(25.0),
        AtLeast(100.0),
        loading.map(|loading| loading.slowest()),
    );
    promises.add(
        "loading a byte of 16 long methods, times that of one",
        AtMost(1.25),
        None,
        loading.map(|loading| loading.bend()),
    );
}

fn sizes(report: &Report, promises: &mut Promises) {
    use Bound::AtMost;

    let size = |what| {
        let found = report.sizes.iter().find(|size| size.what == what);
        // The conversion is exact, because a count of bytes is far below 2^52.
        found.map(|size| size.bytes as f64)
    };
    promises.add(
        "code on a Cortex-M4, bytes",
        AtMost(43_000.0),
        AtMost(32_000.0),
        size("parser, verifier, linker, interpreter"),
    );
    promises.add(
        "the same without the verifier, bytes",
        AtMost(24_000.0),
        None,
        size("outline, linker, interpreter"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_values_are_compared_with_the_bounds() {
        let slow = Paced {
            measured: 24.0,
            as_promised_for: 12.0,
            pace: 2.0,
        };
        let mut promises = Promises(Vec::new());
        promises.add_paced("us", Bound::AtMost(20.0), Bound::AtMost(25.0), Some(slow));
        let [promise] = &promises.0[..] else {
            panic!("{:?}", promises.0);
        };
        assert_eq!(
            (promise.must_holds, promise.goal_holds),
            (Some(false), Some(true))
        );
        assert_eq!(promise.as_promised_for, Some(12.0));
    }
}
