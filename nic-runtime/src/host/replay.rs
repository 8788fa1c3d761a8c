//! The host program that sends messages which are made when they are due: packets of captures that are too long to hold,
//! messages with random lengths or channels, and closed loops.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nic_core::event::TxStatus;
use nic_core::host::Reaction;
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::SimTime;
use nic_core::unet::ReceiveDescriptor;

use super::program::{Actions, Happened, HostProgram, Unfinished};
use crate::spec::{MadeMessage, ReplaySpec};

/// Maximum number of messages of a send that are posted and not completed, which bounds their memory: as many as a
/// transmit queue has by default.
const OUTSTANDING_MAX: u64 = 64;

/// How far the messages of a send have come, which others may read while a program has them.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    posted: AtomicU64,
    completed: AtomicU64,
}

impl Progress {
    /// Returns how many messages were given to the process to be posted.
    #[must_use]
    pub(crate) fn posted(&self) -> u64 {
        self.posted.load(Ordering::Relaxed)
    }

    /// Returns how many of them have not completed.
    #[must_use]
    pub(crate) fn outstanding(&self) -> u64 {
        self.posted() - self.completed.load(Ordering::Relaxed)
    }
}

/// The messages of a `[[send]]` that are made while they are sent.
struct Stream {
    endpoint: EndpointId,
    channel: ChannelId,
    at: SimTime,
    messages: Box<dyn Iterator<Item = MadeMessage> + Send>,
    /// The next message and when it is due.
    next: Option<(SimTime, MadeMessage)>,
    /// Whether the program has asked to be told when the next message is due.
    is_awaited: bool,
    /// How many messages of each channel are posted and not completed.
    under_way: BTreeMap<ChannelId, u64>,
    answers: Option<Answers>,
    progress: Arc<Progress>,
}

/// The messages of a closed loop that have no answer.
struct Answers {
    most: u64,
    missing: u64,
    of_channel: BTreeMap<ChannelId, u64>,
}

impl Answers {
    /// Takes note that a message has its answer, or will have none.
    fn came(&mut self, channel: ChannelId) {
        if take_one(&mut self.of_channel, channel) {
            self.missing -= 1;
        }
    }
}

/// Decrements a count, and returns false if it is 0.
fn take_one(counts: &mut BTreeMap<ChannelId, u64>, channel: ChannelId) -> bool {
    match counts.get_mut(&channel) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        Some(_) | None => false,
    }
}

impl Stream {
    fn advance(&mut self) {
        let next = self.messages.next();
        self.next = next.map(|message| (self.at + message.after, message));
        self.is_awaited = false;
    }

    fn has_room(&self) -> bool {
        let answers = self.answers.as_ref();
        self.progress.outstanding() < OUTSTANDING_MAX
            && answers.is_none_or(|answers| answers.missing < answers.most)
    }

    /// Posts the messages that are due.
    fn act(&mut self, actions: &mut Actions<'_>) {
        while self.has_room() {
            match &self.next {
                Some((due, _)) if *due > actions.now() => {
                    if !self.is_awaited {
                        actions.wake_at(*due);
                        self.is_awaited = true;
                    }
                    return;
                }
                Some(_) | None => {}
            }
            let Some((_, message)) = self.next.take() else {
                return;
            };
            let channel = message.channel.unwrap_or(self.channel);
            actions.post(self.endpoint, channel, message.bytes);
            self.progress.posted.fetch_add(1, Ordering::Relaxed);
            *self.under_way.entry(channel).or_default() += 1;
            if let Some(answers) = &mut self.answers {
                answers.missing += 1;
                *answers.of_channel.entry(channel).or_default() += 1;
            }
            self.advance();
        }
    }

    /// Takes note that a message on a channel has completed. Returns false if it is not one of the stream's.
    fn completed(&mut self, channel: ChannelId, status: TxStatus) -> bool {
        if !take_one(&mut self.under_way, channel) {
            return false;
        }
        self.progress.completed.fetch_add(1, Ordering::Relaxed);
        if status != TxStatus::Ok
            && let Some(answers) = &mut self.answers
        {
            answers.came(channel);
        }
        true
    }
}

/// A program that sends such messages, and otherwise does what another program does.
pub(crate) struct Replaying {
    streams: Vec<Stream>,
    program: Box<dyn HostProgram>,
}

impl fmt::Debug for Replaying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replaying").finish_non_exhaustive()
    }
}

impl Replaying {
    /// Returns the program in its state before the first message.
    pub(crate) fn new<'r>(
        captures: impl Iterator<Item = (&'r ReplaySpec, Arc<Progress>)>,
        program: Box<dyn HostProgram>,
    ) -> Replaying {
        let streams = captures.map(|(spec, progress)| {
            let mut stream = Stream {
                endpoint: spec.endpoint,
                channel: spec.channel,
                at: spec.at,
                messages: spec.messages.open(),
                next: None,
                is_awaited: false,
                under_way: BTreeMap::new(),
                answers: spec.outstanding.map(|most| Answers {
                    most,
                    missing: 0,
                    of_channel: BTreeMap::new(),
                }),
                progress,
            };
            stream.advance();
            stream
        });
        Replaying {
            streams: streams.collect(),
            program,
        }
    }
}

impl HostProgram for Replaying {
    fn unfinished(&self) -> Option<Unfinished> {
        self.program.unfinished()
    }

    fn react(&self, message: &ReceiveDescriptor, before: u64) -> Reaction {
        self.program.react(message, before)
    }

    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        self.program.happened(what, actions);
        match what {
            Happened::Completed {
                endpoint,
                channel,
                status,
            } => {
                let streams = self.streams.iter_mut();
                let mut of_endpoint = streams.filter(|it| it.endpoint == endpoint);
                _ = of_endpoint.any(|stream| stream.completed(channel, status));
            }
            Happened::Message {
                endpoint, channel, ..
            } => {
                let streams = self.streams.iter_mut();
                let of_endpoint = streams.filter(|it| it.endpoint == endpoint);
                let mut answers = of_endpoint.filter_map(|stream| stream.answers.as_mut());
                let waits = |answers: &&mut Answers| {
                    answers.of_channel.get(&channel).is_some_and(|it| *it > 0)
                };
                if let Some(answers) = answers.find(waits) {
                    answers.came(channel);
                }
            }
            Happened::Started
            | Happened::Time
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => {}
        }
        for stream in &mut self.streams {
            stream.act(actions);
        }
    }
}
