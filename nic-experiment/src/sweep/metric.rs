//! What a sweep collects of each run: a number of its statistics, by name.

use nic_runtime::export::stats::{Latency, StatsReport, Traffic};
use nic_runtime::spec::Scenario;

/// The names of what all traffic has, or that of an endpoint.
const TRAFFIC: [&str; 11] = [
    "posted",
    "posted_bytes",
    "arrived",
    "delivered",
    "delivered_bytes",
    "untimed",
    "posted_per_second",
    "delivered_per_second",
    "offered",
    "goodput",
    "loss",
];

/// The names of what latencies have.
const LATENCY: [&str; 8] = ["count", "min", "mean", "p50", "p90", "p99", "p999", "max"];

/// The names of latencies: from post to receive descriptor, and from request to answer.
const LATENCIES: [&str; 2] = ["latency", "round_trip"];

/// The names of what a whole run has.
const RUN: [&str; 3] = ["drops", "time", "events"];

/// A number of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The name, as the plan has it.
    pub name: String,
    /// The endpoint whose number it is; `None` for all together.
    endpoint: Option<String>,
    /// The rest of the name.
    what: String,
}

impl Metric {
    /// Finds a metric. Latencies are in nanoseconds and rates in bytes or messages per second.
    ///
    /// # Errors
    ///
    /// Returns the message if there is no such metric.
    pub fn named(name: &str, scenario: &Scenario) -> Result<Metric, String> {
        let (endpoint, what) = match name.strip_prefix("endpoint.") {
            None => (None, name),
            Some(rest) => {
                let names = scenario.endpoints.iter().map(|spec| spec.name.as_str());
                let of = names.filter(|name| {
                    let behind = rest.strip_prefix(*name);
                    behind.is_some_and(|behind| behind.starts_with('.'))
                });
                let of = of.max_by_key(|name| name.len());
                let of =
                    of.ok_or_else(|| format!("expected `endpoint.NAME.METRIC`, found `{name}`"))?;
                (Some(of.to_owned()), &rest[of.len() + 1..])
            }
        };
        let known = known();
        let mut own = known
            .iter()
            .filter(|known| endpoint.is_none() || !RUN.contains(&known.as_str()));
        if own.any(|known| known == what) {
            return Ok(Metric {
                name: name.to_owned(),
                endpoint,
                what: what.to_owned(),
            });
        }
        let nearest = known
            .iter()
            .min_by_key(|known| strsim::osa_distance(known, what));
        let nearest = nearest.map_or("", String::as_str);
        Err(format!(
            "expected a metric in `collect`, found `{name}`; did you mean `{nearest}`?"
        ))
    }

    /// Returns the number of a run, or `None` if it has none, as a latency without messages.
    #[must_use]
    pub fn of(&self, stats: &StatsReport, events: u64) -> Option<f64> {
        match self.what.as_str() {
            "drops" => return Some(stats.drops.sum() as f64),
            "time" => return Some(stats.to_ns as f64),
            "events" => return Some(events as f64),
            _ => {}
        }
        let traffic = match &self.endpoint {
            None => &stats.total,
            Some(name) => {
                let mut rows = stats.endpoints.iter();
                &rows.find(|row| row.endpoint == *name)?.traffic
            }
        };
        match self.what.split_once('.') {
            Some(("latency", what)) => of_latency(what, traffic.latency_ns.as_ref()),
            Some(("round_trip", what)) => of_latency(what, traffic.round_trip_ns.as_ref()),
            _ => of_traffic(&self.what, traffic),
        }
    }
}

fn known() -> Vec<String> {
    let latencies = LATENCIES.iter();
    let latencies = latencies.flat_map(|kind| LATENCY.map(|what| format!("{kind}.{what}")));
    let plain = TRAFFIC.iter().chain(&RUN).map(|&name| name.to_owned());
    plain.chain(latencies).collect()
}

fn of_traffic(what: &str, traffic: &Traffic) -> Option<f64> {
    Some(match what {
        "posted" => traffic.posted as f64,
        "posted_bytes" => traffic.posted_bytes as f64,
        "arrived" => traffic.arrived as f64,
        "delivered" => traffic.delivered as f64,
        "delivered_bytes" => traffic.delivered_bytes as f64,
        "untimed" => traffic.untimed as f64,
        "posted_per_second" => traffic.posted_per_second,
        "delivered_per_second" => traffic.delivered_per_second,
        "offered" => traffic.offered,
        "goodput" => traffic.goodput,
        "loss" => return traffic.loss,
        _ => return None,
    })
}

fn of_latency(what: &str, latency: Option<&Latency>) -> Option<f64> {
    if what == "count" {
        return Some(latency.map_or(0.0, |latency| latency.count as f64));
    }
    let latency = latency?;
    Some(match what {
        "min" => latency.min,
        "mean" => latency.mean,
        "p50" => latency.p50,
        "p90" => latency.p90,
        "p99" => latency.p99,
        "p999" => latency.p999,
        "max" => latency.max,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use nic_core::time::SimTime;
    use nic_runtime::Run;
    use nic_runtime::export::stats::Stats;
    use nic_runtime::scenario::{builtin, parse};

    use super::*;

    #[test]
    fn every_known_metric_has_a_number() {
        let text = builtin("pingpong").expect("it is shipped").text;
        let scenario = parse(text.as_bytes(), None, None).expect("it is valid");
        let mut stats = Stats::new(&scenario);
        let end = Run::new(&scenario)
            .sink(&mut stats)
            .execute()
            .expect("it can be run")
            .end;
        assert!(end.time > SimTime::ZERO);
        stats.end(end.time);
        let report = stats.report();
        for name in known() {
            let metric = Metric::named(&name, &scenario).expect(&name);
            assert!(metric.of(&report, end.events).is_some(), "{name}");
            if !RUN.contains(&name.as_str()) {
                let name = format!("endpoint.client.{name}");
                let metric = Metric::named(&name, &scenario).expect(&name);
                assert_eq!(metric.endpoint.as_deref(), Some("client"));
            }
        }
        let error = Metric::named("latency.p98", &scenario).expect_err("there is none");
        assert!(error.contains("did you mean `latency.p9"), "{error}");
    }
}
