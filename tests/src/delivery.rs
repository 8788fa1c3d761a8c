//! Long runs of the applet `Reliable`: numbered messages over links with faults, whose progress is kept in a file.

use nic_runtime::Run;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use jive_lab::Random;
use nic_core::event::EndReason;
use nic_core::id::ChannelId;
use nic_core::time::SimDuration;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};

use crate::simulation::scenario;

/// Messages of a run; each run has its own faults.
pub const MESSAGES: u64 = 5_000;

/// Number of messages that the user keeps outstanding. With a window of four, the applet's queue of eight never refuses
/// a message, even if all acknowledgements are lost.
const UNDER_WAY: u64 = 4;

/// Longest message in bytes.
const LENGTH_MAX: u64 = 80;

/// Returns the message of a number: the number, and bytes that depend on it.
fn message(number: u64) -> Vec<u8> {
    let length = number.wrapping_mul(0x9e37_79b9) % (LENGTH_MAX - 8);
    let mut bytes = number.to_be_bytes().to_vec();
    bytes.extend((0..length).map(|place| number.wrapping_mul(31).wrapping_add(place) as u8));
    bytes
}

/// A user that posts messages while few of them are outstanding.
struct Sender {
    messages: u64,
    posted: u64,
    delivered: Arc<Mutex<u64>>,
    wrong: Arc<Mutex<Option<String>>>,
}

impl HostProgram for Sender {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started
            | Happened::Time
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => {
                while self.posted < self.messages
                    && self.posted - *self.delivered.lock().expect("nobody panics") < UNDER_WAY
                {
                    let endpoint = actions.endpoints()[0];
                    actions.post(endpoint, ChannelId(1), message(self.posted));
                    self.posted += 1;
                }
                if self.posted < self.messages
                    && self.wrong.lock().expect("nobody panics").is_none()
                {
                    actions.wake_at(actions.now() + SimDuration::from_ns(100_000));
                }
            }
            Happened::Message { channel, .. } => {
                *self.wrong.lock().expect("nobody panics") =
                    Some(format!("a message came back on channel {}", channel.0));
            }
            Happened::Completed { .. } => {}
        }
    }
}

/// A user that compares each received message with the message of the next number.
struct Receiver {
    delivered: Arc<Mutex<u64>>,
    wrong: Arc<Mutex<Option<String>>>,
}

impl HostProgram for Receiver {
    fn happened(&mut self, what: Happened<'_>, _actions: &mut Actions<'_>) {
        let Happened::Message { payload, .. } = what else {
            return;
        };
        let number = *self.delivered.lock().expect("nobody panics");
        if payload != message(number) {
            let found = format!("expected message {number}, found {payload:02x?}");
            self.wrong
                .lock()
                .expect("nobody panics")
                .get_or_insert(found);
        }
        *self.delivered.lock().expect("nobody panics") = number + 1;
    }
}

/// Sends messages over a link whose faults depend on the seed: loss from 0 to 50 %, and repetitions, damage and wrong
/// order.
///
/// # Errors
///
/// Returns the first message that is missing, damaged, repeated or out of order, with the faults of the link.
pub fn deliver(seed: u64, messages: u64) -> Result<(), String> {
    let random = &mut Random::new(&seed.to_be_bytes());
    let loss = seed % 51;
    let mut percent = || random.below(21);
    let faults = format!(
        "loss = 0.{loss:02}\nduplicate = 0.{:02}\ncorrupt = 0.{:02}\nreorder = 0.{:02}\ncrc = false",
        percent(),
        percent(),
        percent()
    );
    let mut text = "until = '36000s'\nmax_events = 1000000000\nmax_bytecodes = 1000000000000\n\
                    [[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n"
        .to_owned();
    for (nic, name) in [("a", "sender"), ("b", "receiver")] {
        text += &format!(
            "[[endpoint]]\nnic = '{nic}'\nname = '{name}'\napplet = 'builtin:Reliable'\n\
             state = {{ SLOT = 128, SILENT_MAX = 1000 }}\n"
        );
    }
    text += &format!(
        "[[channel]]\nsender = 1\nreceiver = 1\n[[link]]\nbetween = ['a', 'b']\n{faults}\n"
    );
    let scenario = scenario(&text, None, Some(seed));
    let (delivered, wrong) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(None)));
    let programs = Programs::new()
        .with(
            "sender",
            Sender {
                messages,
                posted: 0,
                delivered: Arc::clone(&delivered),
                wrong: Arc::clone(&wrong),
            },
        )
        .with(
            "receiver",
            Receiver {
                delivered: Arc::clone(&delivered),
                wrong: Arc::clone(&wrong),
            },
        );
    let end = Run::new(&scenario)
        .programs(programs)
        .execute()
        .map_err(|error| error.to_string())?
        .end;
    let found = wrong.lock().expect("nobody panics").take();
    let found = found.or_else(|| {
        let is_whole =
            end.reason == EndReason::Idle && *delivered.lock().expect("nobody panics") == messages;
        let found = || {
            format!(
                "{} of {messages} messages are delivered, {:?}",
                *delivered.lock().expect("nobody panics"),
                end.reason
            )
        };
        (!is_whole).then(found)
    });
    found.map_or(Ok(()), |found| {
        Err(format!("seed {seed}: {found}\n{faults}"))
    })
}

/// Sends about `messages` messages in all, in runs of [`MESSAGES`]. The file keeps the number of sent messages, so that
/// a later call continues after them. Returns the number of sent messages.
///
/// # Errors
///
/// Returns the errors of [`deliver`], or an error if the file cannot be read or written.
pub fn resume(messages: u64, progress: &Path) -> Result<u64, String> {
    let shown = progress.display();
    let mut sent = match fs::read_to_string(progress) {
        Ok(text) => {
            let number = text.split(' ').next().and_then(|word| word.parse().ok());
            number.ok_or_else(|| format!("{shown}: expected `N messages`, found {text:?}"))?
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(format!("{shown}: {error}")),
    };
    while sent < messages {
        deliver(sent / MESSAGES, MESSAGES)?;
        sent += MESSAGES;
        // Rename a complete file, so that the progress is whole whenever the process ends.
        let next = progress.with_extension("next");
        fs::write(&next, format!("{sent} messages\n"))
            .and_then(|()| fs::rename(&next, progress))
            .map_err(|error| format!("{shown}: {error}"))?;
    }
    Ok(sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_goes_on_where_it_ended() {
        let directory = tempfile::tempdir().expect("a directory");
        let progress = directory.path().join("progress");
        fs::write(&progress, format!("{} messages\n", 50 * MESSAGES)).expect("it is writable");
        // Run 50 has the link with the greatest loss.
        assert_eq!(resume(50 * MESSAGES, &progress), Ok(50 * MESSAGES));
        assert_eq!(deliver(50, 100), Ok(()));
        fs::write(&progress, "many").expect("it is writable");
        let error = resume(1, &progress).expect_err("no number");
        assert!(error.ends_with("expected `N messages`, found \"many\""));
    }
}
