//! What the library of a program keeps of a VI (S2-10).

use std::collections::VecDeque;

use nic_core::host::TransmitSpace;
use nic_core::id::{ChannelId, EndpointId};
use nic_core::javia::TicketRing;
use nic_core::memory::{HostSpan, Region};
use nic_core::unet::TransmitDescriptor;
use nic_core::via::{Handle, Segment, Status};

use super::ticket::Ticket;
use super::wait::Connecting;
use crate::host::{Descriptor, TransmitRegion};
use crate::spec::{EndpointSpec, NativeBuffers};
use crate::storage::Growing;

/// The first number of a ring's tickets: far above the tickets of registrations, which count from 1.
const FIRST_TICKET: i32 = 1 << 30;

/// A VI of a program.
#[derive(Debug)]
pub(super) struct Vi {
    pub(super) endpoint: EndpointId,
    /// The handle of the buffer area, once it is registered.
    pub(super) area: Option<Handle>,
    /// The native buffers for messages, at the start of the buffer area.
    native: NativeBuffers,
    /// The native buffers that are not posted, in the order in which they are to be.
    idle: VecDeque<u32>,
    /// Number of receive descriptors with native buffers that have not been taken.
    posted: u32,
    /// The native memory for messages to send, behind these buffers.
    region: TransmitRegion,
    /// The places in it, or none, of the sends under way, oldest first.
    sends: VecDeque<(Ticket, Option<HostSpan>)>,
    /// Number of send descriptors that the VI takes.
    ring: usize,
    /// Messages in native buffers that the library has taken and the program has not, oldest first.
    pub(super) inbox: VecDeque<Arrived>,
    pub(super) last_tag: i32,
    pub(super) last_status: Status,
    /// The tickets of posted sends and receives (S2-10).
    pub(super) posted_sends: TicketRing<Growing>,
    pub(super) posted_receives: TicketRing<Growing>,
    /// Buffers that have been sent, and those that have received, oldest first.
    pub(super) sent_buffers: VecDeque<Done>,
    pub(super) received_buffers: VecDeque<Done>,
    /// The buffer that the last wait for a message has returned.
    pub(super) last_buffer: Option<Done>,
    /// Number of receive descriptors with buffers that have not been taken.
    pub(super) posted_buffers: u32,
    /// The connection that begins next.
    pub(super) connecting: Option<Connecting>,
    /// Whether the VI has a connection.
    pub(super) is_connected: bool,
    /// Whether a connection has ended, and its flushed receive descriptors may still be there to take.
    pub(super) has_flushed: bool,
}

/// A descriptor with a buffer that has completed.
#[derive(Copy, Clone, Debug)]
pub(super) struct Done {
    /// The registration.
    pub(super) ticket: i32,
    /// Number of bytes that a message has filled.
    pub(super) length: u32,
    pub(super) tag: i32,
    pub(super) status: Status,
}

/// A message in native buffers.
#[derive(Debug)]
pub(super) struct Arrived {
    /// The native buffers that it fills.
    buffers: Vec<u32>,
    pub(super) status: Status,
    pub(super) tag: i32,
    pub(super) payload: Vec<u8>,
}

impl Vi {
    /// Returns the state of the VI with this number, of a program with `count` VIs.
    pub(super) fn new(
        (number, count): (i32, i32),
        endpoint: EndpointId,
        spec: &EndpointSpec,
    ) -> Vi {
        let native = spec.vi.and_then(|vi| vi.native);
        let native = native.unwrap_or(NativeBuffers {
            count: 0,
            length: 0,
        });
        let area = Region::sole(spec.buffer_area);
        // Each of the program's rings has numbers of its own.
        let ring = |place: i32, capacity| {
            let first = FIRST_TICKET.saturating_add(number.saturating_mul(2).saturating_add(place));
            TicketRing::new(capacity, (first, count.saturating_mul(2)))
        };
        Vi {
            endpoint,
            area: None,
            native,
            idle: (0..native.count).collect(),
            posted: 0,
            region: TransmitRegion::new(area, spec.transmit_from),
            sends: VecDeque::new(),
            ring: spec.tx_queue as usize,
            inbox: VecDeque::new(),
            last_tag: 0,
            last_status: Status::Ok,
            posted_sends: ring(0, spec.tx_queue),
            posted_receives: ring(1, native.count),
            sent_buffers: VecDeque::new(),
            received_buffers: VecDeque::new(),
            last_buffer: None,
            posted_buffers: 0,
            connecting: None,
            is_connected: false,
            has_flushed: false,
        }
    }

    /// Learns that a receive descriptor with a buffer of the program has been taken.
    pub(super) fn buffer_taken(&mut self) {
        self.posted_buffers = self.posted_buffers.saturating_sub(1);
    }

    /// Returns the next receive descriptor to post with a native buffer: its number and its memory.
    pub(super) fn next_to_post(&mut self) -> Option<(u64, Vec<Segment>)> {
        let handle = self.area?;
        let number = self.idle.pop_front()?;
        self.posted += 1;
        let length = self.native.length;
        let segment = Segment {
            handle,
            // The reader of scenarios has checked that all buffers lie in the area.
            offset: number.saturating_mul(length),
            length,
        };
        Some((Ticket::Native(number).number(), vec![segment]))
    }

    /// Takes a receive descriptor back that the VI has not taken.
    pub(super) fn not_posted(&mut self, number: u32) {
        self.posted = self.posted.saturating_sub(1);
        self.idle.push_front(number);
    }

    /// Keeps a completed receive descriptor whose memory is native.
    pub(super) fn arrived(&mut self, descriptor: &Descriptor<'_>) {
        let tickets = descriptor.tickets.iter().copied();
        let native = tickets.filter_map(|number| match Ticket::of(number) {
            Some(Ticket::Native(number)) => Some(number),
            _ => None,
        });
        let buffers: Vec<u32> = native.collect();
        let count = u32::try_from(buffers.len()).unwrap_or(u32::MAX);
        self.posted = self.posted.saturating_sub(count);
        if descriptor.status == Status::Flushed {
            // The end of the connection has no message for the program.
            self.idle.extend(buffers);
            return;
        }
        self.inbox.push_back(Arrived {
            buffers,
            status: descriptor.status,
            tag: descriptor.immediate.unwrap_or(0).cast_signed(),
            payload: descriptor.payload.to_vec(),
        });
    }

    /// Returns the number of bytes of a native buffer.
    pub(super) fn native_length(&self) -> u32 {
        self.native.length
    }

    /// Takes a native buffer back that a message has filled beside buffers of the program.
    pub(super) fn arrived_beside(&mut self, number: u64) {
        if let Some(Ticket::Native(number)) = Ticket::of(number) {
            self.posted = self.posted.saturating_sub(1);
            self.idle.push_back(number);
        }
    }

    /// Takes the oldest message in native buffers, which are to be posted again.
    pub(super) fn take(&mut self) -> Option<Arrived> {
        let message = self.inbox.pop_front()?;
        self.idle.extend(message.buffers.iter().copied());
        self.last_tag = message.tag;
        self.last_status = message.status;
        Some(message)
    }

    /// Returns whether the ring of sends has room.
    pub(super) fn can_send(&self) -> bool {
        self.sends.len() < self.ring
    }

    /// Allocates native memory for a message to send.
    pub(super) fn room(&mut self, length: u32) -> TransmitSpace {
        self.region.take(length)
    }

    /// Records a send descriptor, which is about to be posted.
    pub(super) fn sends(&mut self, ticket: Ticket, place: Option<HostSpan>) {
        self.sends.push_back((ticket, place));
    }

    /// Frees what the oldest send descriptor held, which has completed.
    pub(super) fn sent(&mut self) {
        if let Some((_, Some(place))) = self.sends.pop_front() {
            self.region.complete(TransmitDescriptor {
                channel: ChannelId(0),
                offset: place.offset(),
                length: place.length(),
            });
        }
    }

    /// Returns whether a send of one kind is under way.
    pub(super) fn is_sending(&self, is: impl Fn(Ticket) -> bool) -> bool {
        self.sends.iter().any(|(ticket, _)| is(*ticket))
    }
}
