//! Two host programs that connect their VIs, exchange a message, disconnect and connect again:
//! `cargo run -p nic-runtime --example connect`.
//!
//! The same programs run over both providers of VIA: a NIC that moves the messages, and a library over the remote memory
//! of CLAN.

use std::sync::{Arc, Mutex};

use nic_core::id::ChannelId;
use nic_core::time::SimDuration;
use nic_runtime::Run;
use nic_runtime::host::{Actions, ConnectionNews, Happened, HostProgram, Programs};
use nic_runtime::scenario;

/// Two NICs with a VI each. The programs make the connection.
const SCENARIO: &str = r#"
[[nic]]
name = "near"
[[nic]]
name = "far"
[[endpoint]]
name = "client"
nic = "near"
interface = "via"
[[endpoint]]
name = "server"
nic = "far"
interface = "via"
[[channel]]
client = 1
server = 1
connect = "program"
"#;

/// The tag of the service that the server offers.
const SERVICE: u32 = 80;

type Log = Arc<Mutex<Vec<String>>>;

fn say(log: &Log, actions: &Actions<'_>, line: &str) {
    let time = actions.now().as_ns();
    let line = format!("{time:>7} ns  {line}");
    log.lock().expect("nobody panics").push(line);
}

/// A program that connects twice, and sends a message each time.
struct Client {
    left: u32,
    log: Log,
}

impl HostProgram for Client {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let home = actions.endpoints()[0];
        let patience = Some(SimDuration::from_ns(10_000_000));
        match what {
            Happened::Started => actions.connect(home, SERVICE, patience),
            Happened::Connection { what, .. } => {
                say(&self.log, actions, &format!("client: {what:?}"));
                match what {
                    ConnectionNews::Made => {
                        let question = format!("question {}", self.left);
                        actions.post(home, ChannelId(1), question.into_bytes());
                    }
                    ConnectionNews::Ended { .. } if self.left > 0 => {
                        actions.connect(home, SERVICE, patience);
                    }
                    _ => {}
                }
            }
            Happened::Message { payload, .. } => {
                let answer = String::from_utf8_lossy(payload);
                say(&self.log, actions, &format!("client: {answer}"));
                self.left -= 1;
                actions.disconnect(home);
            }
            _ => {}
        }
    }
}

/// A program that accepts one connection after the other, and answers each message.
struct Server {
    log: Log,
}

impl HostProgram for Server {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let home = actions.endpoints()[0];
        match what {
            Happened::Started => actions.accept(home, SERVICE, None),
            Happened::Connection { what, .. } => {
                say(&self.log, actions, &format!("server: {what:?}"));
                if let ConnectionNews::Ended { .. } = what {
                    actions.accept(home, SERVICE, None);
                }
            }
            Happened::Message { payload, .. } => {
                let mut answer = b"answer to ".to_vec();
                answer.extend(payload);
                actions.post(home, ChannelId(1), answer);
            }
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for profile in ["giganet-1999", "clan-2001"] {
        println!("{profile}:");
        let text = format!("profile = \"{profile}\"\n{SCENARIO}");
        let scenario = scenario::parse(text.as_bytes(), None, None)?;
        let log = Log::default();
        let client = Client {
            left: 2,
            log: Arc::clone(&log),
        };
        let server = Server {
            log: Arc::clone(&log),
        };
        // The run's sink is `()`, which ignores all events.
        Run::new(&scenario)
            .programs(
                Programs::new()
                    .with("client", client)
                    .with("server", server),
            )
            .execute()?;
        for line in log.lock().expect("nobody panics").iter() {
            println!("{line}");
        }
    }
    Ok(())
}
