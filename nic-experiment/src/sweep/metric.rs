//! What a sweep collects of each run: a number of its statistics, by name.

use nic_runtime::export::stats::{Latency, PortStats, StatsReport, Traffic};
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

/// The names of what a port of a switch has.
const PORT: [&str; 7] = [
    "packets",
    "bytes",
    "dropped",
    "utilisation",
    "wait_mean",
    "queue_mean",
    "queue_max",
];

/// What a number is about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    /// All endpoints together, or the whole run.
    Run,
    Endpoint(String),
    /// The port of a switch, and the node to which it leads.
    Port(String, String),
}

/// A number of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The name, as the plan has it.
    pub name: String,
    subject: Subject,
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
        let (subject, what) = subject(name, scenario)?;
        let known = subject.known();
        if known.iter().any(|known| known == what) {
            return Ok(Metric {
                name: name.to_owned(),
                what: what.to_owned(),
                subject,
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
        let traffic = match &self.subject {
            Subject::Run => match self.what.as_str() {
                "drops" => return Some(stats.drops.sum() as f64),
                "time" => return Some(stats.to_ns as f64),
                "events" => return Some(events as f64),
                _ => &stats.total,
            },
            Subject::Endpoint(name) => {
                let mut rows = stats.endpoints.iter();
                &rows.find(|row| row.endpoint == *name)?.traffic
            }
            Subject::Port(switch, to) => {
                let mut switches = stats.switches.iter();
                let mut ports = switches.find(|row| row.switch == *switch)?.ports.iter();
                return of_port(&self.what, ports.find(|row| row.to == *to)?);
            }
        };
        match self.what.split_once('.') {
            Some(("latency", what)) => of_latency(what, traffic.latency_ns.as_ref()),
            Some(("round_trip", what)) => of_latency(what, traffic.round_trip_ns.as_ref()),
            _ => of_traffic(&self.what, traffic),
        }
    }
}

/// Finds what a metric is about, and the rest of its name.
fn subject<'n>(name: &'n str, scenario: &Scenario) -> Result<(Subject, &'n str), String> {
    if let Some(rest) = name.strip_prefix("endpoint.") {
        let names = scenario.endpoints.iter().map(|spec| spec.name.clone());
        let names = names.map(|name| (Subject::Endpoint(name.clone()), name));
        let found = longest(rest, names);
        return found.ok_or_else(|| format!("expected `endpoint.NAME.METRIC`, found `{name}`"));
    }
    if let Some(rest) = name.strip_prefix("port.") {
        let ports = scenario.ports().flat_map(|(switch, to)| {
            let [switch, to] = [switch, to].map(|node| scenario.node_name(node).to_owned());
            let quoted = |name: &str| format!("\"{name}\"");
            let names = [
                format!("{switch}.{to}"),
                format!("{}.{to}", quoted(&switch)),
                format!("{switch}.{}", quoted(&to)),
                format!("{}.{}", quoted(&switch), quoted(&to)),
            ];
            names.map(|name| (Subject::Port(switch.clone(), to.clone()), name))
        });
        let ports = Vec::from_iter(ports);
        let found = longest(rest, ports.iter().cloned());
        if let Some((subject, what)) = &found {
            let same = ports.iter().filter(|(_, name)| {
                let behind = rest.strip_prefix(name.as_str());
                behind.and_then(|behind| behind.strip_prefix('.')) == Some(*what)
            });
            let other = same
                .map(|(subject, _)| subject)
                .find(|other| *other != subject);
            if let (Some(Subject::Port(other, to)), Subject::Port(switch, node)) = (other, subject)
            {
                return Err(format!(
                    "expected the name of one port, found `{name}`, which is that of `port.\"{switch}\".\"{node}\"` and \
                     of `port.\"{other}\".\"{to}\"`; write the names in quotes"
                ));
            }
        }
        return found.ok_or_else(|| {
            format!(
                "expected `port.SWITCH.NODE.METRIC` with a switch and its neighbour, found `{name}`"
            )
        });
    }
    Ok((Subject::Run, name))
}

/// Finds the subject with the longest name before a full stop, as names may have full stops themselves. Returns what is
/// behind it too.
fn longest(
    rest: &str,
    subjects: impl Iterator<Item = (Subject, String)>,
) -> Option<(Subject, &str)> {
    let found = subjects.filter_map(|(subject, name)| {
        let what = rest.strip_prefix(&name)?.strip_prefix('.')?;
        Some((subject, what))
    });
    found.min_by_key(|(_, what)| what.len())
}

impl Subject {
    /// Returns the names of what the subject has.
    fn known(&self) -> Vec<String> {
        let owned = |name: &&str| (*name).to_owned();
        let latencies = LATENCIES.iter();
        let latencies = latencies.flat_map(|kind| LATENCY.map(|what| format!("{kind}.{what}")));
        let traffic = TRAFFIC.iter().map(owned);
        match self {
            Subject::Run => {
                let plain = traffic.chain(RUN.iter().map(owned));
                plain.chain(latencies).collect()
            }
            Subject::Endpoint(_) => traffic.chain(latencies).collect(),
            Subject::Port(..) => PORT.iter().map(owned).collect(),
        }
    }
}

fn of_port(what: &str, port: &PortStats) -> Option<f64> {
    Some(match what {
        "packets" => port.packets as f64,
        "bytes" => port.bytes as f64,
        "dropped" => port.dropped as f64,
        "utilisation" => port.utilisation,
        "wait_mean" if port.packets == 0 => return None,
        "wait_mean" => port.waited_ns as f64 / port.packets as f64,
        "queue_mean" => port.queue_mean,
        "queue_max" => f64::from(port.queue_max),
        _ => return None,
    })
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

    fn report(name: &str) -> (Scenario, StatsReport, u64) {
        let text = builtin(name).expect("it is shipped").text;
        let scenario = parse(text.as_bytes(), None, None).expect("it is valid");
        let mut stats = Stats::new(&scenario);
        let end = Run::new(&scenario)
            .sink(&mut stats)
            .execute()
            .expect("it can be run")
            .end;
        assert!(end.time > SimTime::ZERO);
        stats.end(end.time);
        (scenario, stats.report(), end.events)
    }

    #[test]
    fn every_known_metric_has_a_number() {
        let (scenario, report, events) = report("pingpong");
        for name in Subject::Run.known() {
            let metric = Metric::named(&name, &scenario).expect(&name);
            assert!(metric.of(&report, events).is_some(), "{name}");
        }
        let client = Subject::Endpoint("client".to_owned());
        for name in client.known() {
            let name = format!("endpoint.client.{name}");
            let metric = Metric::named(&name, &scenario).expect(&name);
            assert_eq!(metric.subject, client);
        }
        let error = Metric::named("latency.p98", &scenario).expect_err("there is none");
        assert!(error.contains("did you mean `latency.p9"), "{error}");
        let error = Metric::named("endpoint.client.time", &scenario).expect_err("of the run");
        assert!(error.contains("expected a metric"), "{error}");
    }

    #[test]
    fn a_name_that_two_ports_share_needs_quotes() {
        let text = "profile = 'lanai-1998'\n[[switch]]\nname = 'a.b'\nports = 3\n[[switch]]\nname = 'a'\nports = 3\n\
                    [[nic]]\nname = 'c'\n[[nic]]\nname = 'b.c'\n\
                    [[link]]\nbetween = ['c', 'a.b']\n[[link]]\nbetween = ['a.b', 'a']\n\
                    [[link]]\nbetween = ['a', 'b.c']\n";
        let scenario = parse(text.as_bytes(), None, None).expect("it is valid");
        let error = Metric::named("port.a.b.c.queue_mean", &scenario).expect_err("two ports");
        assert_eq!(
            error,
            "expected the name of one port, found `port.a.b.c.queue_mean`, which is that of `port.\"a.b\".\"c\"` and of \
             `port.\"a\".\"b.c\"`; write the names in quotes"
        );
        for (name, switch, to) in [
            ("port.\"a.b\".c.queue_mean", "a.b", "c"),
            ("port.a.\"b.c\".queue_mean", "a", "b.c"),
            ("port.\"a\".\"b.c\".queue_mean", "a", "b.c"),
            ("port.a.b.a.queue_mean", "a.b", "a"),
        ] {
            let metric = Metric::named(name, &scenario).expect(name);
            assert_eq!(
                metric.subject,
                Subject::Port(switch.to_owned(), to.to_owned())
            );
        }
    }

    #[test]
    fn a_port_has_numbers_too() {
        let (scenario, report, events) = report("incast");
        let of = |name: &str| {
            let metric = Metric::named(name, &scenario).expect(name);
            metric.of(&report, events)
        };
        for what in PORT {
            let name = format!("port.s.sink.{what}");
            assert!(of(&name).is_some(), "{name}");
        }
        // Sixteen senders send two messages of 4,096 bytes.
        assert_eq!(of("port.s.sink.packets"), Some(32.0));
        assert_eq!(of("port.s.sink.bytes"), Some(131_072.0));
        // Nothing goes back.
        assert_eq!(of("port.s.n1.packets"), Some(0.0));
        assert_eq!(of("port.s.n1.wait_mean"), None);
        for name in ["port.s.packets", "port.sink.s.packets", "port.s.n17.bytes"] {
            let error = Metric::named(name, &scenario).expect_err("no such port");
            assert!(error.contains("a switch and its neighbour"), "{error}");
        }
        let error = Metric::named("port.s.sink.byte", &scenario).expect_err("there is none");
        assert!(error.contains("did you mean `bytes`"), "{error}");
    }
}
