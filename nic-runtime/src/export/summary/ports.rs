//! The ports of switches in the summary: what left by them, and what waited for it.

use std::collections::BTreeMap;
use std::fmt;

use nic_core::event::Names;
use nic_core::event::fields::Escaped;
use nic_core::event::roles::Forwarded;
use nic_core::id::NicId;
use nic_core::time::{SimDuration, SimTime};
use serde::Serialize;

/// The switches by which packets went.
#[derive(Clone, Debug, Default)]
pub(super) struct Switches(BTreeMap<NicId, Switch>);

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
    busy: SimDuration,
    /// When the last packet has left.
    free_at: SimTime,
    waited: SimDuration,
    waiting_max: u32,
}

/// A switch as outputs for programs show it.
#[derive(Serialize)]
pub(super) struct SwitchRow<'s> {
    switch: &'s str,
    /// Packets for which a port had no room, or that were lost on a link to the switch.
    dropped: u64,
    ports: Vec<PortRow<'s>>,
}

/// A port as outputs for programs show it.
#[derive(Serialize)]
struct PortRow<'s> {
    to: &'s str,
    packets: u64,
    bytes: u64,
    busy_ns: u64,
    waited_ns: u64,
    /// The share of the run's time during which the port sent.
    utilisation: f64,
    /// The mean number of packets that waited, over the run's time.
    queue_mean: f64,
    /// The largest number of packets that waited when a packet began to leave, with that packet.
    queue_max: u32,
}

impl Switches {
    /// Returns whether no packet went by a switch.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn switch(&mut self, names: &dyn Names, id: NicId) -> &mut Switch {
        self.0.entry(id).or_insert_with(|| Switch {
            name: names.nic(id).to_owned(),
            ..Switch::default()
        })
    }

    #[cold]
    pub(super) fn forwarded(
        &mut self,
        names: &dyn Names,
        (switch, time): (NicId, SimTime),
        packet: Forwarded,
    ) {
        let ports = &mut self.switch(names, switch).ports;
        let port = ports.entry(packet.next).or_insert_with(|| Port {
            to: names.nic(packet.next).to_owned(),
            ..Port::default()
        });
        port.packets += 1;
        port.bytes += u64::from(packet.length);
        port.busy += packet.duration;
        port.free_at = time + packet.duration;
        port.waited += packet.waited;
        // A packet that has not waited was in no queue.
        let waiting = packet.behind + u32::from(packet.waited > SimDuration::ZERO);
        port.waiting_max = port.waiting_max.max(waiting);
    }

    #[cold]
    pub(super) fn dropped(&mut self, names: &dyn Names, switch: NicId) {
        self.switch(names, switch).dropped += 1;
    }

    /// Returns the rows of a run that ended at this time.
    pub(super) fn rows<'s>(&'s self, end: SimTime) -> Vec<SwitchRow<'s>> {
        let time = end.as_ps() as f64;
        let share = |part: SimDuration| match end {
            SimTime::ZERO => 0.0,
            _ => part.as_ps() as f64 / time,
        };
        // A port sends nothing after the end of the run.
        let busy = |port: &Port| {
            let after = port.free_at.since(end).as_ps();
            SimDuration::from_ps(port.busy.as_ps().saturating_sub(after))
        };
        let of_port = |port: &'s Port| PortRow {
            to: &port.to,
            packets: port.packets,
            bytes: port.bytes,
            busy_ns: busy(port).as_ns(),
            waited_ns: port.waited.as_ns(),
            utilisation: share(busy(port)),
            queue_mean: share(port.waited),
            queue_max: port.waiting_max,
        };
        let of_switch = |switch: &'s Switch| SwitchRow {
            switch: &switch.name,
            dropped: switch.dropped,
            ports: switch.ports.values().map(of_port).collect(),
        };
        self.0.values().map(of_switch).collect()
    }

    /// Writes a table of the ports for people.
    pub(super) fn write_table(&self, end: SimTime, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return Ok(());
        }
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
        for row in self.rows(end) {
            let mut dropped = Some(row.dropped);
            if row.ports.is_empty() {
                let name = Escaped(row.switch).to_string();
                writeln!(f, "{name:<20} {:<82} {:>8}", "", row.dropped)?;
            }
            for port in &row.ports {
                let mean = port.waited_ns.checked_div(port.packets).unwrap_or(0);
                let mean = SimDuration::from_ns(mean).to_string();
                // The drops of a switch stand beside its first port.
                let dropped = dropped
                    .take()
                    .map_or(String::new(), |count| count.to_string());
                writeln!(
                    f,
                    "{:<20} {:<12} {:>8} {:>10} {:>6.1} % {mean:>15} {:>10.3} {:>9} {dropped:>8}",
                    Escaped(row.switch).to_string(),
                    Escaped(port.to).to_string(),
                    port.packets,
                    port.bytes,
                    100.0 * port.utilisation,
                    port.queue_mean,
                    port.queue_max,
                )?;
            }
        }
        Ok(())
    }
}
