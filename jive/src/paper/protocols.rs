//! Host time per message of protocols that run in the NIC, beside the same protocols as host programs over base U-Net.

use nic_runtime::Run;
use std::fmt::Write as _;

use nic_core::id::ChannelId;
use nic_core::time::{Rate, SimDuration, SimTime};
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use nic_runtime::profile::Profile;
use nic_runtime::scenario;

use super::PaperError;
use super::report::{Agreement, Quantity, Row};

const FIGURE: &str = "host time of protocols";
const STATEMENT: &str = "S1-35a";

/// Messages of a run: few, because each row is measured again for each value of the profile.
const MESSAGES: u32 = 8;

/// Maximum number of unacknowledged messages, in the NIC and on the host alike.
const WINDOW: u32 = 4;

/// Bytes that `Reliable` adds to a message, and length of its acknowledgement.
const TRAILER: usize = 12;

/// Timeouts of `Reliable` in nanoseconds: the first, and the longest.
const TIMEOUT: u64 = 2_000_000;
const TIMEOUT_MAX: u64 = 16_000_000;

/// Time after which a request of `ActiveMessages` ends with an error, in nanoseconds.
const PATIENCE: u64 = 20_000_000;

/// A protocol, and how it is run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Protocol {
    /// Base U-Net without a protocol: a lost message stays lost.
    Base,
    /// The protocol of `Reliable`: sequence numbers, acknowledgements, checksums and repetitions.
    Reliable(Where),
    /// The protocol of `TokenFlow`: a window whose tokens the receiver returns.
    TokenFlow(Where),
    /// The protocol of `ActiveMessages`: requests, each with a reply or an error.
    ActiveMessages(Where),
}

/// Where a protocol runs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Where {
    Nic,
    Host,
}

impl Where {
    const BOTH: [Where; 2] = [Where::Nic, Where::Host];

    fn name(self) -> &'static str {
        match self {
            Where::Nic => "in the NIC",
            Where::Host => "on the host",
        }
    }
}

impl Protocol {
    fn name(self) -> String {
        match self {
            Protocol::Base => "base U-Net, no protocol".to_owned(),
            Protocol::Reliable(place) => format!("Reliable {}", place.name()),
            Protocol::TokenFlow(place) => format!("TokenFlow {}", place.name()),
            Protocol::ActiveMessages(place) => format!("ActiveMessages {}", place.name()),
        }
    }

    /// Returns the scenario keys of both endpoints.
    fn applet(self) -> &'static str {
        match self {
            Protocol::Reliable(Where::Nic) => {
                "applet = 'builtin:Reliable'\nheap = '64KiB'\nstate = { QUEUE_BITS = 4 }\n"
            }
            Protocol::TokenFlow(Where::Nic) => {
                "applet = 'builtin:TokenFlow'\nheap = '64KiB'\nstate = { QUEUE = 8 }\n"
            }
            Protocol::ActiveMessages(Where::Nic) => "applet = 'builtin:ActiveMessages'\n",
            Protocol::Base
            | Protocol::Reliable(Where::Host)
            | Protocol::TokenFlow(Where::Host)
            | Protocol::ActiveMessages(Where::Host) => "",
        }
    }

    /// Returns the programs of sender and receiver.
    fn programs(self, profile: &Profile, length: u32) -> Programs {
        let read = Rate::new(profile.host.bandwidth);
        let programs = Programs::new();
        match self {
            Protocol::Reliable(Where::Host) => programs
                .with("s", Repeating::new(read, length))
                .with("r", Acknowledging { read, expected: 0 }),
            Protocol::TokenFlow(Where::Host) => programs
                .with("s", Spending { length, sent: 0 })
                .with("r", Returning { read: 0 }),
            Protocol::ActiveMessages(Where::Host) => {
                programs.with("s", Asking::new(length)).with("r", Answering)
            }
            Protocol::Base
            | Protocol::Reliable(Where::Nic)
            | Protocol::TokenFlow(Where::Nic)
            | Protocol::ActiveMessages(Where::Nic) => programs,
        }
    }

    /// Returns the text of the user's message, if the scenario itself sends that message.
    fn message(self, length: u32) -> Option<String> {
        match self {
            Protocol::Base | Protocol::Reliable(Where::Nic) | Protocol::TokenFlow(Where::Nic) => {
                Some(format!("{{ zeros = {length} }}"))
            }
            // The message is a request of handler 0, which sends its data back.
            Protocol::ActiveMessages(Where::Nic) => {
                let zeros = "00".repeat(length.saturating_sub(1) as usize);
                Some(format!("{{ hex = '01{zeros}' }}"))
            }
            Protocol::Reliable(Where::Host)
            | Protocol::TokenFlow(Where::Host)
            | Protocol::ActiveMessages(Where::Host) => None,
        }
    }

    /// Returns the lengths and the losses in percent under which the protocol is measured.
    fn points(self) -> (&'static [u32], &'static [u32]) {
        match self {
            Protocol::Base => (&[40, 1000], &[0]),
            Protocol::Reliable(_) => (&[40, 1000], &[0, 10, 30]),
            // Measure `TokenFlow` without loss, because a lost token would never return.
            Protocol::TokenFlow(_) => (&[40, 1000], &[0]),
            // The longest packet of `ActiveMessages` has 56 bytes.
            Protocol::ActiveMessages(_) => (&[40], &[0, 10]),
        }
    }
}

/// Returns the rows.
pub(super) fn rows(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let mut protocols = vec![Protocol::Base];
    for protocol in [
        Protocol::Reliable,
        Protocol::TokenFlow,
        Protocol::ActiveMessages,
    ] {
        protocols.extend(Where::BOTH.map(protocol));
    }
    let mut rows = Vec::new();
    for protocol in protocols {
        let (lengths, losses) = protocol.points();
        for &length in lengths {
            for &loss in losses {
                let time = per_message(profile, protocol, length, loss)?;
                let name = format!(
                    "{}, {length} B, loss {loss} %: both users, per message",
                    protocol.name()
                );
                rows.push(Row::new(
                    STATEMENT,
                    FIGURE,
                    name,
                    Agreement::Measured(Quantity::Time(time)),
                ));
            }
        }
    }
    Ok(rows)
}

/// Returns how long the processors of both users work per message.
fn per_message(
    profile: &Profile,
    protocol: Protocol,
    length: u32,
    loss: u32,
) -> Result<SimDuration, PaperError> {
    let applet = protocol.applet();
    let mut text = format!(
        "seed = 7\nuntil = '10s'\n\
         [[nic]]\nname = 'a'\nsram = '16MiB'\n[[nic]]\nname = 'b'\nsram = '16MiB'\n\
         [[link]]\nbetween = ['a', 'b']\nloss = 0.{loss:02}\n\
         [[endpoint]]\nnic = 'a'\nname = 's'\n{applet}\
         [[endpoint]]\nnic = 'b'\nname = 'r'\n{applet}\
         [[channel]]\ns = 1\nr = 1\n"
    );
    if let Some(payload) = protocol.message(length) {
        let _infallible = write!(
            text,
            "[[send]]\nendpoint = 's'\nchannel = 1\nat = '10us'\npayload = {payload}\n\
             repeat = {MESSAGES}\nevery = '1ms'\n"
        );
    }
    let scenario =
        scenario::parse_on(&text, profile).expect("setups are scenarios; tests build every one");
    let end = Run::new(&scenario)
        .programs(protocol.programs(profile, length))
        .execute()?
        .end;
    Ok(SimDuration::from_ps(end.host.as_ps() / u64::from(MESSAGES)))
}

const CHANNEL: ChannelId = ChannelId(1);

fn post(actions: &mut Actions<'_>, payload: Vec<u8>) {
    let endpoint = actions.endpoints()[0];
    actions.post(endpoint, CHANNEL, payload);
}

/// Reads the number at the start of a message.
fn number(payload: &[u8]) -> u32 {
    payload
        .first_chunk()
        .map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// The sender of `Reliable` as a host program: go-back-N with a timeout that doubles.
struct Repeating {
    /// Rate of the checksum, which is the rate at which the host reads a message.
    read: Rate,
    length: u32,
    acknowledged: u32,
    next: u32,
    timeout: SimDuration,
    deadline: SimTime,
}

impl Repeating {
    fn new(read: Rate, length: u32) -> Repeating {
        Repeating {
            read,
            length,
            acknowledged: 0,
            next: 0,
            timeout: SimDuration::from_ns(TIMEOUT),
            deadline: SimTime::ZERO,
        }
    }

    fn send(&self, sequence: u32, actions: &mut Actions<'_>) {
        let mut packet = vec![0; self.length as usize + TRAILER];
        packet[..4].copy_from_slice(&sequence.to_be_bytes());
        actions.compute(self.read.time(self.length));
        post(actions, packet);
    }

    fn wait(&mut self, actions: &mut Actions<'_>) {
        self.deadline = actions.now() + self.timeout;
        actions.wake_at(self.deadline);
    }

    fn fill(&mut self, actions: &mut Actions<'_>) {
        while self.next < MESSAGES && self.next < self.acknowledged + WINDOW {
            self.send(self.next, actions);
            self.next += 1;
        }
        if self.acknowledged < self.next {
            self.wait(actions);
        }
    }
}

impl HostProgram for Repeating {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started => self.fill(actions),
            Happened::Message { payload, .. } => {
                let acknowledged = number(payload);
                if acknowledged > self.acknowledged {
                    self.acknowledged = acknowledged;
                    self.timeout = SimDuration::from_ns(TIMEOUT);
                    self.fill(actions);
                }
            }
            // Check the deadline, because an acknowledgement may have moved it after the timer was set.
            Happened::Time if actions.now() >= self.deadline && self.acknowledged < self.next => {
                for sequence in self.acknowledged..self.next {
                    self.send(sequence, actions);
                }
                let doubled = self.timeout.times(2);
                self.timeout = doubled.min(SimDuration::from_ns(TIMEOUT_MAX));
                self.wait(actions);
            }
            Happened::Time
            | Happened::Completed { .. }
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => {}
        }
    }
}

/// The receiver of `Reliable` as a host program.
struct Acknowledging {
    read: Rate,
    expected: u32,
}

impl HostProgram for Acknowledging {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if let Happened::Message { payload, .. } = what {
            let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
            actions.compute(self.read.time(length));
            if number(payload) == self.expected {
                self.expected += 1;
            }
            let mut answer = vec![0; TRAILER];
            answer[..4].copy_from_slice(&self.expected.to_be_bytes());
            post(actions, answer);
        }
    }
}

/// The sender of `TokenFlow` as a host program.
struct Spending {
    length: u32,
    sent: u32,
}

impl Spending {
    fn spend(&mut self, tokens: u32, actions: &mut Actions<'_>) {
        for _ in 0..tokens.min(MESSAGES - self.sent) {
            post(actions, vec![0; self.length as usize + 1]);
            self.sent += 1;
        }
    }
}

impl HostProgram for Spending {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started => self.spend(WINDOW, actions),
            Happened::Message { payload, .. } => {
                let tokens = payload.first().copied().unwrap_or_default();
                self.spend(tokens.into(), actions);
            }
            Happened::Time
            | Happened::Completed { .. }
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => {}
        }
    }
}

/// The receiver of `TokenFlow` as a host program: returns tokens when half of the window is read, as the applet does.
struct Returning {
    read: u32,
}

impl HostProgram for Returning {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if let Happened::Message { .. } = what {
            self.read += 1;
            if self.read.is_multiple_of(WINDOW / 2) {
                // A packet that returns tokens consists of their number and the packet's kind.
                post(actions, vec![2, 2]);
            }
        }
    }
}

/// The client of `ActiveMessages` as a host program, which sends its next request when it has a reply, or when it gives
/// up.
struct Asking {
    length: u32,
    asked: u32,
    deadline: SimTime,
}

impl Asking {
    fn new(length: u32) -> Asking {
        Asking {
            length,
            asked: 0,
            deadline: SimTime::ZERO,
        }
    }

    fn ask(&mut self, actions: &mut Actions<'_>) {
        if self.asked == MESSAGES {
            self.deadline = SimTime::MAX;
            return;
        }
        self.asked += 1;
        post(actions, vec![0; self.length as usize]);
        self.deadline = actions.now() + SimDuration::from_ns(PATIENCE);
        actions.wake_at(self.deadline);
    }
}

impl HostProgram for Asking {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started | Happened::Message { .. } => self.ask(actions),
            Happened::Time if actions.now() >= self.deadline => self.ask(actions),
            Happened::Time
            | Happened::Completed { .. }
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => {}
        }
    }
}

/// The server of `ActiveMessages` as a host program: its handler sends the data back.
struct Answering;

impl HostProgram for Answering {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if let Happened::Message { payload, .. } = what {
            post(actions, payload.to_vec());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the host time per message in nanoseconds.
    fn time(protocol: Protocol, length: u32, loss: u32) -> u64 {
        let profile = Profile::builtin("lanai-1998").expect("it is built in");
        let time = per_message(&profile, protocol, length, loss);
        time.expect("it can be simulated").as_ns()
    }

    #[test]
    fn host_time_without_loss_follows_handled_messages() {
        // A message costs 1 us to post and 1 us to read, and 10 ns a byte (100 MB/s) for each of these two steps.
        assert_eq!(time(Protocol::Base, 40, 0), 2_800);
        assert_eq!(time(Protocol::Reliable(Where::Nic), 40, 0), 2_800);
        assert_eq!(time(Protocol::TokenFlow(Where::Nic), 1000, 0), 22_000);
        // The time of `Reliable` is that of a message of 52 bytes (3,040), an acknowledgement of 12 (2,240), and
        // checksums of 40 and 52 bytes.
        assert_eq!(
            time(Protocol::Reliable(Where::Host), 40, 0),
            3_040 + 2_240 + 400 + 520
        );
        // The time of `TokenFlow` is that of a message of 41 bytes, and half of the 2,040 ns for two tokens in 2 bytes.
        assert_eq!(time(Protocol::TokenFlow(Where::Host), 40, 0), 2_820 + 1_020);
        // The client of `ActiveMessages` posts and reads 40 bytes. If the protocol runs on the host, the server posts
        // and reads 40 bytes as well.
        assert_eq!(time(Protocol::ActiveMessages(Where::Nic), 40, 0), 2_800);
        assert_eq!(time(Protocol::ActiveMessages(Where::Host), 40, 0), 5_600);
    }

    #[test]
    fn loss_costs_the_host_time_only_if_the_host_repeats() {
        for length in [40, 1000] {
            let nic = |loss| time(Protocol::Reliable(Where::Nic), length, loss);
            let host = |loss| time(Protocol::Reliable(Where::Host), length, loss);
            assert_eq!(nic(30), nic(0));
            assert!(host(30) > host(0));
        }
    }
}
