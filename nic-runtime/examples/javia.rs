//! A Rust program and a Java program on two hosts talk over VIA: `cargo run -p nic-runtime --example javia`.
//!
//! The Java program is the built-in `Ping`, which expects each answer to be its message with every byte inverted.

use nic_core::event::{Event, EventKind, HostEvent, Names, Sink};
use nic_core::id::EndpointId;
use nic_core::via::{Handle, Segment};
use nic_runtime::Run;
use nic_runtime::host::{Actions, ConnectionNews, Happened, HostProgram, Programs, ViNews};
use nic_runtime::scenario;

const SCENARIO: &str = r#"
profile = "giganet-1999"
until = "10ms"
[[nic]]
name = "near"
[[nic]]
name = "far"
[[process]]
name = "java"
nic = "near"
program = "class:builtin:Ping"
state = { rounds = 3, length = 8, check = true }
[[endpoint]]
name = "client"
nic = "near"
process = "java"
interface = "via"
[[endpoint]]
name = "rust"
nic = "far"
interface = "via"
free_buffers = { count = 0 }
[[channel]]
client = 1
rust = 1
connect = "program"
"#;

/// The tag of `Ping`'s connection.
const TAG: u32 = 7;

/// Length of each message.
const LENGTH: u32 = 8;

/// The places of messages that arrive, one after the other in registered memory. Answers lie behind them.
const PLACES: u32 = 4;

/// Answers messages until the connection ends.
#[derive(Default)]
struct Answers {
    handle: Option<Handle>,
}

impl Answers {
    fn segment(&self, place: u32) -> Vec<Segment> {
        let segment = |handle| Segment {
            handle,
            offset: place * LENGTH,
            length: LENGTH,
        };
        self.handle.map(segment).into_iter().collect()
    }
}

impl HostProgram for Answers {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let vi: EndpointId = actions.endpoints()[0];
        match what {
            Happened::Started => actions.register(vi, vi, (0, 2 * PLACES * LENGTH), 0),
            Happened::Vi {
                what: ViNews::Registered { registered, .. },
                ..
            } => {
                self.handle = registered.ok();
                for place in 0..PLACES {
                    actions.post_receive(vi, place.into(), self.segment(place));
                }
                actions.accept(vi, TAG, None);
            }
            Happened::Connection {
                what: ConnectionNews::Made,
                ..
            } => actions.receive_within(vi, None),
            Happened::Vi {
                what: ViNews::Received(descriptor),
                ..
            } if !descriptor.payload.is_empty() => {
                println!("{:>9} a message: {:?}", actions.now(), descriptor.payload);
                let place = descriptor.tickets[0] as u32;
                let answer = descriptor.payload.iter().map(|byte| !byte);
                actions.fill(vi, (PLACES + place) * LENGTH, answer.collect());
                actions.post_send(vi, 0, self.segment(PLACES + place), None);
                actions.post_receive(vi, place.into(), self.segment(place));
                actions.receive_within(vi, None);
            }
            Happened::Message { .. }
            | Happened::Completed { .. }
            | Happened::Time
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => {}
        }
    }
}

/// Shows what the Java program returns: how many answers were good.
struct Returned;

impl Sink for Returned {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        if let EventKind::Host(HostEvent::ProgramReturn { value }) = event.kind
            && let Some(endpoint) = event.endpoint
        {
            let name = names.endpoint(endpoint);
            println!("{:>9} {name}: {value} good answers", event.time);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scenario = scenario::parse(SCENARIO.as_bytes(), None, None)?;
    let programs = Programs::new().with("rust", Answers::default());
    Run::new(&scenario)
        .programs(programs)
        .sink(&mut Returned)
        .execute()?;
    Ok(())
}
