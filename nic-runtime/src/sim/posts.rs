//! Which post the message of a packet comes from, for outputs that follow messages.
//!
//! A packet comes from the post whose bytes it carries. An applet may keep a message and send it in a later call, as
//! applets with a window or with repetitions do, so its bytes are followed from the buffer area into the applet's array
//! and into the packet. A packet with other bytes comes from the same post as the message that its call handles.

use std::collections::BTreeMap;
use std::ops::Range;

use nic_core::event::Trigger;
use nic_core::id::{EndpointId, PacketId, PostId, PostNumber, post_number};
use nic_core::memory::HostSpan;
use nic_core::sle::ArraySpan;

use crate::ids::{AppletId, at};
use crate::nic::endpoint::AppletAt;
use crate::recent::Recent;

/// The posts of packets, and of the bytes in buffer areas and arrays.
#[derive(Default)]
pub(crate) struct Posts {
    /// By the position of the endpoint, as far as an endpoint has posted or sent. An idle endpoint needs little memory.
    of_endpoints: Vec<Option<Box<OfEndpoint>>>,
}

#[derive(Clone, Default)]
struct OfEndpoint {
    /// By the number of the packet among those that the endpoint made.
    packets: Recent<PostNumber>,
    /// The messages in the host's memory, by its regions.
    in_area: Messages<u32>,
    /// The messages in the heaps of the endpoint's applets.
    in_arrays: Messages<AppletId>,
}

impl Posts {
    fn at(&self, endpoint: EndpointId) -> Option<&OfEndpoint> {
        self.of_endpoints.get(at(endpoint.0))?.as_deref()
    }

    fn at_mut(&mut self, endpoint: EndpointId) -> &mut OfEndpoint {
        let place = at(endpoint.0);
        if place >= self.of_endpoints.len() {
            self.of_endpoints.resize(place + 1, None);
        }
        self.of_endpoints[place].get_or_insert_default()
    }

    /// Notes that a user has posted a message.
    pub(crate) fn posted(&mut self, by: EndpointId, post: PostId, space: HostSpan, bytes: &[u8]) {
        let area = &mut self.at_mut(by).in_area;
        area.put(
            (space.region(), space.offset()),
            bytes,
            Some(post_number(by, post)),
        );
    }

    /// Notes that an applet's array has received bytes of the buffer area in a call with this trigger.
    pub(crate) fn fetched(
        &mut self,
        applet_at: AppletAt,
        trigger: Trigger,
        (to, host): (ArraySpan, HostSpan),
        bytes: &[u8],
    ) {
        let of = match trigger {
            Trigger::Post(post) => Some(post_number(applet_at.endpoint, post)),
            Trigger::Load
            | Trigger::Arrival(_)
            | Trigger::Passed(_)
            | Trigger::Timer
            | Trigger::Refill
            | Trigger::Watch => {
                let of = self.at(applet_at.endpoint);
                of.and_then(|of| of.in_area.of((host.region(), host.offset()), bytes))
            }
        };
        self.copied(applet_at, to, bytes, of);
    }

    /// Notes that an applet's array has received bytes of a post, or of none.
    pub(crate) fn copied(
        &mut self,
        AppletAt { endpoint, applet }: AppletAt,
        to: ArraySpan,
        bytes: &[u8],
        of: Option<PostNumber>,
    ) {
        let arrays = &mut self.at_mut(endpoint).in_arrays;
        arrays.put((applet, to.start()), bytes, of);
    }

    /// Returns the post that these bytes of an applet's array come from. If they come from none, it is that of the
    /// message which the applet's call handles: `handled` if another applet of a chain made that message.
    pub(crate) fn pushed(
        &self,
        AppletAt { endpoint, applet }: AppletAt,
        (trigger, handled): (Trigger, Option<PostNumber>),
        (from, bytes): (ArraySpan, &[u8]),
    ) -> Option<PostNumber> {
        let of = self.at(endpoint);
        let kept = of.and_then(|of| of.in_arrays.of((applet, from.start()), bytes));
        kept.or(handled)
            .or_else(|| self.of_trigger(endpoint, trigger))
    }

    /// Notes the post of a packet that an applet has made.
    pub(crate) fn made(&mut self, packet: PacketId, of: Option<PostNumber>) {
        let (maker, number) = packet.maker();
        if of.is_some() {
            self.at_mut(maker).packets.set(number, of);
        }
    }

    /// Returns the post of a packet that leaves.
    pub(crate) fn sent(
        &mut self,
        packet: PacketId,
        by: EndpointId,
        trigger: Trigger,
    ) -> Option<PostNumber> {
        let of = self.of(packet).or_else(|| self.of_trigger(by, trigger));
        self.made(packet, of);
        of
    }

    /// Returns the post of a packet that has left.
    pub(crate) fn of(&self, packet: PacketId) -> Option<PostNumber> {
        let (maker, number) = packet.maker();
        self.at(maker)?.packets.get(number).copied()
    }

    /// Returns the post of the message that a call with this trigger handles.
    fn of_trigger(&self, at: EndpointId, trigger: Trigger) -> Option<PostNumber> {
        match trigger {
            Trigger::Post(post) => Some(post_number(at, post)),
            Trigger::Arrival(packet) | Trigger::Passed(packet) => self.of(packet),
            Trigger::Load | Trigger::Timer | Trigger::Refill | Trigger::Watch => None,
        }
    }
}

/// Messages in memory, by their place: what holds them, and where they begin. No two overlap.
#[derive(Clone)]
struct Messages<Holder> {
    by_place: BTreeMap<(Holder, u32), Message>,
}

impl<Holder> Default for Messages<Holder> {
    fn default() -> Messages<Holder> {
        Messages {
            by_place: BTreeMap::new(),
        }
    }
}

/// Bytes of a post, as they were put where they are. An applet may have overwritten them since.
#[derive(Clone)]
struct Message {
    of: PostNumber,
    bytes: Vec<u8>,
}

impl<Holder: Copy + Ord> Messages<Holder> {
    /// Notes that bytes of a post, or of none, have overwritten what was at a place.
    fn put(&mut self, place: (Holder, u32), bytes: &[u8], of: Option<PostNumber>) {
        if bytes.is_empty() {
            return;
        }
        // An applet usually fetches each message to the same place.
        let mut reused = Vec::new();
        loop {
            let touched = self.touched(place, bytes.len()).next();
            let Some(at) = touched.map(|(at, _)| at) else {
                break;
            };
            if let Some(message) = self.by_place.remove(&(place.0, at)) {
                reused = message.bytes;
            }
        }
        let Some(of) = of else {
            return;
        };
        reused.clear();
        reused.extend_from_slice(bytes);
        self.by_place.insert(place, Message { of, bytes: reused });
    }

    /// Returns the post of the first message whose bytes are still among those at a place.
    fn of(&self, place: (Holder, u32), bytes: &[u8]) -> Option<PostNumber> {
        let wanted = bytes_of(place.1, bytes);
        self.touched(place, bytes.len()).find_map(|(at, message)| {
            let held = bytes_of(at, &message.bytes);
            let both = wanted.start.max(held.start)..wanted.end.min(held.end);
            let is_unchanged = part(bytes, &wanted, &both)? == part(&message.bytes, &held, &both)?;
            is_unchanged.then_some(message.of)
        })
    }

    /// Returns the messages that share bytes with this range, and where they begin, in ascending order.
    fn touched(
        &self,
        (holder, start): (Holder, u32),
        length: usize,
    ) -> impl Iterator<Item = (u32, &Message)> {
        let end = u32::try_from(length).map_or(u32::MAX, |length| start.saturating_add(length));
        let before = self
            .by_place
            .range((holder, 0)..(holder, start))
            .next_back();
        let before = before
            .filter(|((_, at), message)| bytes_of(*at, &message.bytes).end > u64::from(start));
        let inside = self.by_place.range((holder, start)..(holder, end));
        before
            .into_iter()
            .chain(inside)
            .map(|((_, at), message)| (*at, message))
    }
}

/// Returns the range of bytes that begin at this place.
fn bytes_of(start: u32, bytes: &[u8]) -> Range<u64> {
    u64::from(start)..u64::from(start) + bytes.len() as u64
}

/// Returns the bytes in the range `part` of those that lie in the range `whole`.
fn part<'b>(bytes: &'b [u8], whole: &Range<u64>, part: &Range<u64>) -> Option<&'b [u8]> {
    let from = usize::try_from(part.start.checked_sub(whole.start)?).ok()?;
    let to = usize::try_from(part.end.checked_sub(whole.start)?).ok()?;
    bytes.get(from..to)
}
