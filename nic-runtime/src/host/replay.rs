//! The host program that sends captures which are too long to hold: it reads each packet when it is due.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nic_core::host::Reaction;
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::ReceiveDescriptor;

use super::program::{Actions, Happened, HostProgram};
use crate::spec::ReplaySpec;

/// Maximum number of messages of a capture that are posted and not completed, which bounds their memory: as many as a
/// transmit queue has by default.
const OUTSTANDING_MAX: u64 = 64;

/// How far the messages of a capture have come, which others may read while a program has the capture.
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

/// A capture that is sent.
struct Stream {
    endpoint: EndpointId,
    channel: ChannelId,
    at: SimTime,
    messages: Box<dyn Iterator<Item = (SimDuration, Vec<u8>)> + Send>,
    /// The next message and when it is due.
    next: Option<(SimTime, Vec<u8>)>,
    /// Whether the program has asked to be told when the next message is due.
    is_awaited: bool,
    progress: Arc<Progress>,
}

impl Stream {
    fn advance(&mut self) {
        let next = self.messages.next();
        self.next = next.map(|(after, bytes)| (self.at + after, bytes));
        self.is_awaited = false;
    }

    /// Posts the messages that are due.
    fn act(&mut self, actions: &mut Actions<'_>) {
        while self.progress.outstanding() < OUTSTANDING_MAX {
            match &self.next {
                Some((due, _)) if *due > actions.now() => {
                    if !self.is_awaited {
                        actions.wake_at(*due);
                        self.is_awaited = true;
                    }
                    return;
                }
                _ => {}
            }
            let Some((_, bytes)) = self.next.take() else {
                return;
            };
            actions.post(self.endpoint, self.channel, bytes);
            self.progress.posted.fetch_add(1, Ordering::Relaxed);
            self.advance();
        }
    }
}

/// A program that sends captures, and otherwise does what another program does.
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
    fn react(&self, message: &ReceiveDescriptor, before: u64) -> Reaction {
        self.program.react(message, before)
    }

    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        self.program.happened(what, actions);
        if let Happened::Completed {
            endpoint, channel, ..
        } = what
        {
            let mut streams = self.streams.iter();
            let of = streams.find(|stream| {
                (stream.endpoint, stream.channel) == (endpoint, channel)
                    && stream.progress.outstanding() > 0
            });
            if let Some(stream) = of {
                stream.progress.completed.fetch_add(1, Ordering::Relaxed);
            }
        }
        for stream in &mut self.streams {
            stream.act(actions);
        }
    }
}
