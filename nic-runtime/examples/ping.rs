//! A host program of your own on a simulated NIC: `cargo run -p nic-runtime --example ping`.
//!
//! The program sends packets to an endpoint whose applet answers in the NIC, and measures the time of each answer.

use nic_runtime::Run;
use std::sync::{Arc, Mutex};

use nic_core::id::ChannelId;
use nic_core::time::SimTime;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use nic_runtime::scenario;

/// Two NICs with a link. On the second NIC, the applet PingPong returns each packet without using the host.
const SCENARIO: &str = r#"
[[nic]]
name = "near"
[[nic]]
name = "far"
[[endpoint]]
name = "client"
nic = "near"
[[endpoint]]
name = "server"
nic = "far"
applet = "builtin:PingPong"
[[channel]]
client = 1
server = 1
"#;

/// A host program that sends one packet at a time.
struct Ping {
    left: u32,
    sent: SimTime,
    times: Arc<Mutex<Vec<u64>>>,
}

impl HostProgram for Ping {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started => {}
            Happened::Message { .. } => {
                let took = actions.now().as_ns() - self.sent.as_ns();
                self.times.lock().expect("nobody panics").push(took);
            }
            Happened::Completed { .. }
            | Happened::Time
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => return,
        }
        if self.left > 0 {
            self.left -= 1;
            self.sent = actions.now();
            let home = actions.endpoints()[0];
            actions.post(home, ChannelId(1), b"ping".to_vec());
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let times = Arc::default();
    let ping = Ping {
        left: 5,
        sent: SimTime::ZERO,
        times: Arc::clone(&times),
    };
    let scenario = scenario::parse(SCENARIO.as_bytes(), None, None)?;
    // The run's sink is `()`, which ignores all events.
    Run::new(&scenario)
        .programs(Programs::new().with("client", ping))
        .execute()?;
    let times = std::mem::take(&mut *times.lock().expect("nobody panics"));
    for (number, nanoseconds) in times.into_iter().enumerate() {
        println!("{number}: {nanoseconds} ns");
    }
    Ok(())
}
