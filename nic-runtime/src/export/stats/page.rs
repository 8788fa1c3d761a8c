//! The statistics as a page of text.

use std::fmt;

use nic_core::event::fields::Escaped;

use super::latency::Latency;
use super::report::{EndpointStats, NicStats, QueueLength, StatsReport, Traffic};
use crate::export::ports::PortTable;
use crate::export::tally::Tally;

impl fmt::Display for StatsReport {
    /// Writes the statistics as text: times in microseconds, shares in percent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = |ns: u64| ns as f64 / 1e3;
        writeln!(
            f,
            "\nstatistics from {:.3} us to {:.3} us",
            us(self.from_ns),
            us(self.to_ns)
        )?;
        if self.from_ns == self.to_ns {
            writeln!(f, "the run ended before them, so that nothing is counted")?;
        }
        writeln!(
            f,
            "\n{:<20} {:>9} {:>7} {:>10} {:>12} {:>9} {:>12} {:>12}",
            "traffic",
            "posted",
            "lost %",
            "messages/s",
            "bytes/s",
            "received",
            "messages/s",
            "goodput B/s"
        )?;
        for (name, row) in self.traffics() {
            traffic(f, &name, row)?;
        }
        traffic(f, "all", &self.total)?;
        self.latencies(f)?;
        writeln!(
            f,
            "\n{:<20} {:>21} {:>21} {:>21}  loss",
            "queues: mean, max", "transmit", "receive", "free buffers"
        )?;
        let of_endpoint = |row: &EndpointStats| {
            let lengths = [row.transmit_queue, row.receive_queue, row.free_buffers];
            (Escaped(&row.endpoint).to_string(), lengths)
        };
        if self.groups.is_empty() {
            for row in &self.endpoints {
                queues(f, of_endpoint(row), &row.drops)?;
            }
        }
        for row in &self.groups {
            queues(f, (row.name.clone(), row.lengths), &row.drops)?;
        }
        writeln!(
            f,
            "\n{:<20} {:>9} {:>9} {:>9}  processors",
            "% of the time in use", "DMA in", "DMA out", "wire out"
        )?;
        for row in &self.nics {
            shares(f, row)?;
        }
        // Without a warm-up, the summary has the same table.
        if self.from_ns > 0 {
            let table = PortTable {
                switches: &self.switches,
                shows_each: self.shows_each,
            };
            write!(f, "{table}")?;
        }
        for row in self.endpoints.iter().filter(|row| row.notices > 0) {
            writeln!(
                f,
                "\n{}: {} receive descriptors on negative channels are notices of its applet, not messages",
                Escaped(&row.endpoint),
                row.notices
            )?;
        }
        Ok(())
    }
}

fn name(endpoint: &str, channel: i32) -> String {
    format!("{}:{channel}", Escaped(endpoint))
}

fn traffic(f: &mut fmt::Formatter<'_>, name: &str, row: &Traffic) -> fmt::Result {
    let loss = row
        .loss
        .map_or("-".to_owned(), |loss| format!("{:.2}", loss * 100.0));
    writeln!(
        f,
        "{name:<20} {:>9} {loss:>7} {:>10.1} {:>12.1} {:>9} {:>12.1} {:>12.1}",
        row.posted,
        row.posted_per_second,
        row.offered,
        row.delivered,
        row.delivered_per_second,
        row.goodput
    )
}

impl StatsReport {
    /// Returns the rows of traffic: those of groups if the endpoints are many, and otherwise those of channels.
    fn traffics(&self) -> Vec<(String, &Traffic)> {
        match self.groups.is_empty() {
            true => {
                let rows = self.channels.iter();
                rows.map(|row| (name(&row.endpoint, row.channel), &row.traffic))
                    .collect()
            }
            false => {
                let rows = self.groups.iter();
                rows.map(|row| (row.name.clone(), &row.traffic)).collect()
            }
        }
    }

    fn latencies(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.traffics().into_iter();
        let mut rows = Vec::new();
        for (name, traffic) in parts.chain([("all".to_owned(), &self.total)]) {
            for (what, latency) in [
                ("", traffic.latency_ns),
                (" and back", traffic.round_trip_ns),
            ] {
                rows.extend(latency.map(|latency| (format!("{name}{what}"), latency)));
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\n{:<20} {:>8} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}",
            "latency in us", "messages", "min", "mean", "p50", "p90", "p99", "p99.9", "max"
        )?;
        let untimed = self.total.untimed;
        for (name, latency) in rows {
            let Latency {
                count,
                min,
                mean,
                p50,
                p90,
                p99,
                p999,
                max,
            } = latency;
            write!(f, "{name:<20} {count:>8}")?;
            for ns in [min, mean, p50, p90, p99, p999, max] {
                write!(f, " {:>11.3}", ns / 1e3)?;
            }
            writeln!(f)?;
        }
        if untimed > 0 {
            writeln!(
                f,
                "{untimed} messages come from no known post, and have no latency"
            )?;
        }
        Ok(())
    }
}

fn queues(
    f: &mut fmt::Formatter<'_>,
    (name, lengths): (String, [QueueLength; 3]),
    drops: &Tally,
) -> fmt::Result {
    write!(f, "{name:<20}")?;
    for QueueLength { mean, max } in lengths {
        write!(f, " {mean:>13.3} {max:>7}")?;
    }
    let drops = drops.iter().filter(|(_, count)| *count > 0);
    let drops: Vec<String> = drops
        .map(|(reason, count)| format!("{reason} {count}"))
        .collect();
    let drops = if drops.is_empty() {
        "none".to_owned()
    } else {
        drops.join(", ")
    };
    writeln!(f, "  {drops}")
}

fn shares(f: &mut fmt::Formatter<'_>, row: &NicStats) -> fmt::Result {
    write!(f, "{:<20}", Escaped(&row.nic).to_string())?;
    for share in [row.dma_in, row.dma_out, row.wire] {
        write!(f, " {:>9.2}", share * 100.0)?;
    }
    write!(f, " ")?;
    for share in &row.processors {
        write!(f, " {:.2}", share * 100.0)?;
    }
    writeln!(f)
}
