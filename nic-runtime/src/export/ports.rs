//! The ports of switches: what left by them, and what waited for it. The summary counts the whole run, and the statistics
//! what happens from a time on.

use std::collections::BTreeMap;
use std::fmt;

use nic_core::event::fields::Escaped;
use nic_core::event::roles::Forwarded;
use nic_core::id::NicId;
use nic_core::time::{SimDuration, SimTime};
use serde::Serialize;

use super::groups::{ROWS_MAX, pattern};
use crate::spec::Scenario;

/// The switches of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Switches {
    /// The time from which on everything counts.
    from: SimTime,
    switches: BTreeMap<NicId, Switch>,
}

#[derive(Clone, Debug, Default)]
struct Switch {
    name: String,
    dropped: u64,
    ports: BTreeMap<NicId, Port>,
}

#[derive(Clone, Debug, Default)]
struct Port {
    to: String,
    packets: u64,
    bytes: u64,
    dropped: u64,
    busy: SimDuration,
    /// When the last packet has left.
    free_at: SimTime,
    waited: SimDuration,
    /// The same, without the waits before the time from which on everything counts.
    queued: SimDuration,
    queue_max: u32,
}

/// A switch of a run as outputs for programs show it.
#[derive(Clone, Debug, Serialize)]
pub struct SwitchStats {
    /// The switch's name.
    pub switch: String,
    /// Packets for which a port had no room, or that were lost on a link to the switch.
    pub dropped: u64,
    /// The ports, in the order of the nodes to which they lead.
    pub ports: Vec<PortStats>,
}

/// A port of a switch as outputs for programs show it.
#[derive(Clone, Debug, Serialize)]
pub struct PortStats {
    /// The NIC or switch to which the port leads.
    pub to: String,
    /// Packets that left by the port.
    pub packets: u64,
    /// Bytes of their messages or frames.
    pub bytes: u64,
    /// Packets on their way to the port for which the switch had no room.
    pub dropped: u64,
    /// How long the port sent.
    pub busy_ns: u64,
    /// How long the packets waited, all together.
    pub waited_ns: u64,
    /// The share of the time during which the port sent.
    pub utilisation: f64,
    /// The mean number of packets that waited, over the time.
    pub queue_mean: f64,
    /// The largest number of packets that waited when a packet began to leave, with that packet.
    pub queue_max: u32,
}

impl Switches {
    /// Starts to count from a time on at the switches of a scenario.
    pub(super) fn new(scenario: &Scenario, from: SimTime) -> Switches {
        let name = |node| scenario.node_name(node).to_owned();
        let mut switches = BTreeMap::<NicId, Switch>::new();
        for (at, to) in scenario.ports() {
            let switch = switches.entry(at).or_insert_with(|| Switch {
                name: name(at),
                ..Switch::default()
            });
            let port = Port {
                to: name(to),
                ..Port::default()
            };
            switch.ports.insert(to, port);
        }
        Switches { from, switches }
    }

    fn port(&mut self, switch: NicId, to: NicId) -> Option<&mut Port> {
        self.switches.get_mut(&switch)?.ports.get_mut(&to)
    }

    /// Counts a packet that begins to leave a switch.
    #[cold]
    pub(super) fn forwarded(&mut self, (switch, time): (NicId, SimTime), packet: Forwarded<'_>) {
        let from = self.from;
        let Some(port) = self.port(switch, packet.next) else {
            debug_assert!(false, "a packet leaves a switch by a link of the scenario");
            return;
        };
        port.free_at = time + packet.duration;
        port.busy += port.free_at.since(time.max(from));
        if time < from {
            return;
        }
        port.packets += 1;
        port.bytes += packet.payload.len() as u64;
        port.waited += packet.waited;
        port.queued += packet.waited.min(time.since(from));
        // A packet that has not waited was in no queue.
        let waiting = packet.behind + u32::from(packet.waited > SimDuration::ZERO);
        port.queue_max = port.queue_max.max(waiting);
    }

    /// Counts a packet that is lost at a node, on its way to a port if the node is a switch that had no room for it.
    pub(super) fn lost(&mut self, (at, time): (NicId, SimTime), port: Option<NicId>) {
        if time < self.from {
            return;
        }
        let Some(switch) = self.switches.get_mut(&at) else {
            return;
        };
        switch.dropped += 1;
        if let Some(port) = port.and_then(|to| switch.ports.get_mut(&to)) {
            port.dropped += 1;
        }
    }

    /// Returns the rows of a run that ended at this time.
    pub(super) fn rows(&self, end: SimTime) -> Vec<SwitchStats> {
        let time = end.since(self.from);
        let share = |part: SimDuration| match time {
            SimDuration::ZERO => 0.0,
            _ => part.as_ps() as f64 / time.as_ps() as f64,
        };
        // A port sends nothing after the end of the run.
        let busy = |port: &Port| {
            let after = port.free_at.since(end).as_ps();
            SimDuration::from_ps(port.busy.as_ps().saturating_sub(after))
        };
        let of_port = |port: &Port| PortStats {
            to: port.to.clone(),
            packets: port.packets,
            bytes: port.bytes,
            dropped: port.dropped,
            busy_ns: busy(port).as_ns(),
            waited_ns: port.waited.as_ns(),
            utilisation: share(busy(port)),
            queue_mean: share(port.queued),
            queue_max: port.queue_max,
        };
        let of_switch = |switch: &Switch| SwitchStats {
            switch: switch.name.clone(),
            dropped: switch.dropped,
            ports: switch.ports.values().map(of_port).collect(),
        };
        self.switches.values().map(of_switch).collect()
    }
}

/// A row of the table for people: a port, or ports whose names differ in digits alone. The names are escaped.
struct Row {
    switch: String,
    to: String,
    ports: u32,
    sum: PortStats,
}

impl Row {
    fn add(&mut self, port: &PortStats) {
        let sum = &mut self.sum;
        self.ports += 1;
        sum.packets += port.packets;
        sum.bytes += port.bytes;
        sum.dropped += port.dropped;
        sum.waited_ns += port.waited_ns;
        // Shares and queues are those of a port. The row is divided by the number of its ports when it is shown.
        sum.utilisation += port.utilisation;
        sum.queue_mean += port.queue_mean;
        sum.queue_max = sum.queue_max.max(port.queue_max);
    }
}

/// Returns the rows of the ports that packets came to. Ports whose names and switches differ in digits alone share a
/// row if the ports are many, unless each is to be shown. Such a row has the ports without packets too.
fn table(switches: &[SwitchStats], shows_each: bool) -> Vec<Row> {
    let is_used = |port: &PortStats| port.packets + port.dropped > 0;
    let all = switches.iter().flat_map(|switch| {
        let ports = switch.ports.iter();
        ports.map(|port| (switch.switch.as_str(), port))
    });
    let used = all.clone().filter(|(_, port)| is_used(port)).count();
    let shows_each = shows_each || used <= ROWS_MAX;
    let ports = all.filter(|(_, port)| !shows_each || is_used(port));
    let mut places = BTreeMap::new();
    let mut rows: Vec<Row> = Vec::new();
    for (switch, port) in ports {
        let names = match shows_each {
            true => (switch.to_owned(), port.to.clone()),
            false => (pattern(switch), pattern(&port.to)),
        };
        let place = *places.entry(names).or_insert(rows.len());
        match rows.get_mut(place) {
            Some(row) => row.add(port),
            None => rows.push(Row {
                switch: Escaped(switch).to_string(),
                to: Escaped(&port.to).to_string(),
                ports: 1,
                sum: port.clone(),
            }),
        }
    }
    rows.retain(|row| is_used(&row.sum));
    for row in &mut rows {
        if row.ports > 1 {
            row.to = format!("{} ({})", pattern(&row.to), row.ports);
            row.switch = pattern(&row.switch);
        }
        row.sum.utilisation /= f64::from(row.ports);
        row.sum.queue_mean /= f64::from(row.ports);
    }
    rows
}

/// Shows switches and their ports as a table for people.
pub(super) struct PortTable<'s> {
    pub(super) switches: &'s [SwitchStats],
    /// Whether each port has a row, however many there are.
    pub(super) shows_each: bool,
}

impl fmt::Display for PortTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = table(self.switches, self.shows_each);
        if !rows.is_empty() {
            writeln!(
                f,
                "\n{:<20} {:<12} {:>8} {:>10} {:>8} {:>15} {:>10} {:>9} {:>8}",
                "switch",
                "port to",
                "packets",
                "bytes",
                "in use",
                "mean wait",
                "queue mean",
                "queue max",
                "dropped"
            )?;
        }
        for Row {
            switch, to, sum, ..
        } in rows
        {
            let mean = sum.waited_ns.checked_div(sum.packets).unwrap_or(0);
            let mean = SimDuration::from_ns(mean).to_string();
            writeln!(
                f,
                "{switch:<20} {to:<12} {:>8} {:>10} {:>6.1} % {mean:>15} {:>10.3} {:>9} {:>8}",
                sum.packets,
                sum.bytes,
                100.0 * sum.utilisation,
                sum.queue_mean,
                sum.queue_max,
                sum.dropped,
            )?;
        }
        for SwitchStats {
            switch,
            dropped,
            ports,
        } in self.switches
        {
            let of_ports: u64 = ports.iter().map(|port| port.dropped).sum();
            if *dropped > of_ports {
                let lost = dropped - of_ports;
                writeln!(
                    f,
                    "{}: {lost} packets were lost on links to it",
                    Escaped(switch)
                )?;
            }
        }
        Ok(())
    }
}
