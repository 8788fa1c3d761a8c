//! The chain of applets of an endpoint with more than one applet, and the messages between these applets.
//!
//! A *round* is a descriptor, a packet, a timer or a refill, with all applet calls that follow from it. A message that
//! an applet pushes to its neighbour waits until the running call is over. Messages are handled in the order in which
//! they were pushed. The round ends when no message waits, so the endpoint's next descriptor or packet finds the chain
//! empty.
//!
//! Messages between applets are stored in a staging area of the NIC. On the user's side of an applet after the first is
//! another applet, and not the host. Bytes that an applet after the first copies to free buffers stay in a copy of
//! these buffers on the NIC.

use crate::ids::{AppletId, Table, at};
use std::collections::VecDeque;

use nic_core::event::TxStatus;
use nic_core::id::{ChannelId, EndpointId, PostNumber};

use super::call::{Call, Way};
use crate::nic::endpoint::EndpointInfo;
use crate::profile::Profile;
use crate::spec::{EndpointSpec, Scenario};

/// Number of packets of maximum length that fit in the staging area of a chain. Four packets are chosen: an applet can
/// answer a packet and pass it on, while a message for each of its neighbours waits.
const STAGED_PACKETS: u32 = 4;

/// Maximum number of messages between applets in a round, which bounds how long a chain keeps its processor. With this
/// maximum, a burst of 25 packets passes through three applets.
const HANDED_MAX: u32 = 64;

/// The chains of all endpoints; the list is empty if no endpoint has a chain.
#[derive(Debug, Default)]
pub(crate) struct Chains(Table<EndpointId, Option<Box<Chain>>>);

/// A chain of applets.
#[derive(Debug)]
pub(crate) struct Chain {
    /// The number of the chain's first applet; the chain's applets have consecutive numbers, in the order of their
    /// `doTx`.
    first: AppletId,
    /// The class of each applet of the chain, as an index into [`Scenario::classes`].
    pub(crate) classes: Vec<usize>,
    /// A copy of the endpoint's free buffers, which applets after the first fill.
    pub(crate) buffers: Vec<u8>,
    /// Messages that no call handles yet, oldest first.
    waiting: VecDeque<Message>,
    /// The message that the running call handles.
    handled: Option<Message>,
    /// Handled messages, which are reused so that a packet allocates nothing.
    spare: Vec<Message>,
    /// The number of bytes that the chain's messages hold; `room` is the maximum of this number.
    held: u32,
    room: u32,
    /// Length of `RxBuf`.
    longest: u32,
    pub(crate) round: Option<Round>,
}

/// A message from one applet of a chain to the next.
#[derive(Debug)]
pub(crate) struct Message {
    /// The applet that handles the message.
    pub(crate) to: AppletId,
    pub(crate) way: Way,
    /// The channel that the sending applet's `txPush` or descriptor named.
    pub(crate) channel: ChannelId,
    pub(crate) bytes: Vec<u8>,
    /// The free buffers that the sending applet's descriptor named.
    pub(crate) buffers: Vec<u32>,
    /// The post that the message comes from, if the run's output wants to know.
    pub(crate) post: Option<PostNumber>,
}

/// A round: its first call, and its state since that call.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Round {
    pub(crate) call: Call,
    /// The status is `Trap` if a `doTx` trapped on the round's descriptor or on a message that followed from it.
    pub(crate) status: TxStatus,
    handed: u32,
}

impl Chains {
    pub(crate) fn new(scenario: &Scenario, infos: &Table<EndpointId, EndpointInfo>) -> Chains {
        if !scenario.endpoints.iter().any(EndpointSpec::has_chain) {
            return Chains::default();
        }
        let chain = |(spec, info): (&EndpointSpec, &EndpointInfo)| {
            let first = info.applet.filter(|_| spec.has_chain())?;
            let longest = scenario.profile_of(spec.nic).memory.max_packet.get();
            Some(Box::new(Chain {
                first,
                classes: spec.applets().map(|(class, _)| class).collect(),
                buffers: vec![0; at(free_bytes(spec))],
                waiting: VecDeque::new(),
                handled: None,
                spare: Vec::new(),
                held: 0,
                room: longest.saturating_mul(STAGED_PACKETS),
                longest,
                round: None,
            }))
        };
        Chains(scenario.endpoints.iter().zip(infos).map(chain).collect())
    }

    /// Returns whether no endpoint has a chain.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the chain of an endpoint, if it has one.
    #[inline]
    pub(crate) fn of(&self, endpoint: EndpointId) -> Option<&Chain> {
        self.0.get(endpoint)?.as_deref()
    }

    /// Makes an endpoint one without a chain.
    pub(crate) fn leave(&mut self, endpoint: EndpointId) {
        if let Some(chain) = self.0.get_mut(endpoint) {
            *chain = None;
        }
    }

    pub(crate) fn of_mut(&mut self, endpoint: EndpointId) -> Option<&mut Chain> {
        self.0.get_mut(endpoint)?.as_deref_mut()
    }

    /// Returns the bytes of the message that the running call of an endpoint's chain handles.
    pub(crate) fn handled(&self, endpoint: EndpointId) -> &[u8] {
        self.of(endpoint).map_or(&[], Chain::handled)
    }
}

impl Chain {
    /// Returns how many applets the chain has.
    pub(crate) fn count(&self) -> u32 {
        // The reader of scenarios has bounded the number of applets.
        u32::try_from(self.classes.len()).unwrap_or(u32::MAX)
    }

    /// Returns the applet next to the user.
    pub(crate) fn first(&self) -> AppletId {
        self.first
    }

    /// Returns the applet next to the wire.
    pub(crate) fn last(&self) -> AppletId {
        AppletId(self.first.0 + self.count() - 1)
    }

    /// Returns the bytes of the message that the running call handles.
    pub(crate) fn handled(&self) -> &[u8] {
        self.handled.as_ref().map_or(&[], |message| &message.bytes)
    }

    /// Returns the post of the message that the running call handles, if it is known.
    pub(crate) fn handled_post(&self) -> Option<PostNumber> {
        self.handled.as_ref()?.post
    }

    /// Begins a round with a call.
    pub(crate) fn begin(&mut self, call: Call) {
        self.round = Some(Round {
            call,
            status: TxStatus::Ok,
            handed: 0,
        });
    }

    /// Returns an empty message for an applet of the chain.
    pub(crate) fn message(&mut self, to: AppletId, way: Way, channel: ChannelId) -> Message {
        let message = self.spare.pop();
        let (bytes, buffers) =
            message.map_or_else(Default::default, |old| (old.bytes, old.buffers));
        Message {
            to,
            way,
            channel,
            bytes,
            buffers,
            post: None,
        }
    }

    /// Queues a message. Returns whether the chain has room for the message.
    pub(crate) fn push(&mut self, message: Message) -> bool {
        let length = u32::try_from(message.bytes.len()).unwrap_or(u32::MAX);
        let Some(round) = &mut self.round else {
            return false;
        };
        let held = self.held.saturating_add(length);
        if length > self.longest || held > self.room || round.handed == HANDED_MAX {
            self.give_back(message);
            return false;
        }
        round.handed += 1;
        self.held = held;
        self.waiting.push_back(message);
        true
    }

    /// Makes the next waiting message the handled one, and returns it.
    pub(crate) fn take(&mut self) -> Option<&Message> {
        self.handled = self.waiting.pop_front();
        self.handled.as_ref()
    }

    /// Ends the call of a message, and returns the message, which must be [given back](Chain::give_back).
    pub(crate) fn end_handled(&mut self) -> Option<Message> {
        let message = self.handled.take()?;
        self.held -= u32::try_from(message.bytes.len()).unwrap_or(self.held);
        Some(message)
    }

    /// Keeps the memory of a message for the next message.
    pub(crate) fn give_back(&mut self, mut message: Message) {
        message.bytes.clear();
        message.buffers.clear();
        message.post = None;
        self.spare.push(message);
    }
}

/// Returns the bytes of NIC memory that a chain needs in addition to its applets: the staging area, and the copy of the
/// free buffers.
pub(crate) fn sram_bytes(profile: &Profile, spec: &EndpointSpec) -> u64 {
    match spec.has_chain() {
        true => {
            let packet = u64::from(profile.memory.max_packet.get());
            u64::from(STAGED_PACKETS) * packet + u64::from(free_bytes(spec))
        }
        false => 0,
    }
}

/// Returns the length of the part of the buffer area that holds the free buffers.
pub(crate) fn free_bytes(spec: &EndpointSpec) -> u32 {
    // The product cannot overflow, because the free buffers are within the buffer area.
    spec.free_buffer_count
        .saturating_mul(spec.free_buffer_length)
}
