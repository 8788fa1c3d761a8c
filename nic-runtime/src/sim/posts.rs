//! Which post the message of a packet comes from, for outputs that follow messages.
//!
//! A packet comes from the post whose bytes it carries. An applet may keep a message and send it in a later call, as
//! applets with a window or with repetitions do, so its bytes are followed from the buffer area into the applet's array
//! and into the packet. A packet with other bytes comes from the same post as the message that its call handles.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use nic_core::event::Trigger;
use nic_core::id::{EndpointId, PacketId, PostId, PostNumber, post_number};
use nic_core::memory::HostSpan;
use nic_core::sle::ArraySpan;

use crate::ids::AppletId;
use crate::nic::endpoint::AppletAt;
use crate::recent::Recent;

/// Number of an endpoint's newest posts whose places in the buffer area are kept. More messages are rarely in it at a
/// time.
const PLACES_MAX: usize = 1024;

/// The posts of packets, and of the bytes in buffer areas and arrays.
#[derive(Default)]
pub(crate) struct Posts {
    /// The endpoints that have posted or sent. An idle endpoint needs no memory.
    of_endpoints: BTreeMap<EndpointId, Box<OfEndpoint>>,
}

#[derive(Clone, Default)]
struct OfEndpoint {
    /// By the number of the packet among those that the endpoint made.
    packets: Recent<PostNumber>,
    /// Where the newest messages are in the host's memory, oldest first.
    in_area: VecDeque<(HostSpan, PostNumber)>,
    /// The messages in the heaps of the endpoint's applets.
    in_arrays: Messages,
}

impl Posts {
    fn at(&self, endpoint: EndpointId) -> Option<&OfEndpoint> {
        self.of_endpoints.get(&endpoint).map(|of| &**of)
    }

    fn at_mut(&mut self, endpoint: EndpointId) -> &mut OfEndpoint {
        self.of_endpoints.entry(endpoint).or_default()
    }

    /// Forgets what the arrays of an applet hold, because another applet takes its place.
    pub(crate) fn forget(&mut self, AppletAt { endpoint, applet }: AppletAt) {
        if let Some(of) = self.of_endpoints.get_mut(&endpoint) {
            of.in_arrays.0.retain(|message| message.applet != applet);
        }
    }

    /// Notes that a user has posted the message at a place.
    pub(crate) fn posted(&mut self, by: EndpointId, post: PostId, space: HostSpan) {
        let area = &mut self.at_mut(by).in_area;
        if area.len() == PLACES_MAX {
            area.pop_front();
        }
        area.push_back((space, post_number(by, post)));
    }

    /// Returns the newest post whose message has the first byte at this place.
    fn in_area(&self, endpoint: EndpointId, host: HostSpan) -> Option<PostNumber> {
        let holds = |space: HostSpan| {
            space.region() == host.region()
                && (space.offset()..space.offset() + space.length()).contains(&host.offset())
        };
        let mut newest_first = self.at(endpoint)?.in_area.iter().rev();
        let (_, post) = newest_first.find(|(space, _)| holds(*space))?;
        Some(*post)
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
            | Trigger::Watch
            | Trigger::Read => self.in_area(applet_at.endpoint, host),
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
            Trigger::Load | Trigger::Timer | Trigger::Refill | Trigger::Watch | Trigger::Read => {
                None
            }
        }
    }
}

/// Messages in the heaps of applets, in the order of their places. No two overlap.
#[derive(Clone, Default)]
struct Messages(Vec<Message>);

/// Bytes of a post, as they were put where they are. The applet may have overwritten them since.
#[derive(Clone)]
struct Message {
    applet: AppletId,
    /// Where the bytes begin in the heap's memory.
    start: u32,
    of: PostNumber,
    bytes: Vec<u8>,
}

impl Message {
    fn range(&self) -> Range<u64> {
        bytes_of(self.start, &self.bytes)
    }
}

impl Messages {
    /// Notes that bytes of a post, or of none, have overwritten what was at a place.
    fn put(&mut self, place: (AppletId, u32), bytes: &[u8], of: Option<PostNumber>) {
        if bytes.is_empty() {
            return;
        }
        let touched = self.touched(place, bytes.len());
        // An applet usually fetches each message to the same place.
        if let (Some(of), [message]) = (of, &mut self.0[touched.clone()])
            && message.start == place.1
        {
            message.of = of;
            message.bytes.clear();
            message.bytes.extend_from_slice(bytes);
            return;
        }
        let message = of.map(|of| Message {
            applet: place.0,
            start: place.1,
            of,
            bytes: bytes.to_vec(),
        });
        self.0.splice(touched, message);
    }

    /// Returns the post of the first message whose bytes are still among those at a place.
    fn of(&self, place: (AppletId, u32), bytes: &[u8]) -> Option<PostNumber> {
        let wanted = bytes_of(place.1, bytes);
        let touched = &self.0[self.touched(place, bytes.len())];
        touched.iter().find_map(|message| {
            let held = message.range();
            let both = wanted.start.max(held.start)..wanted.end.min(held.end);
            let is_unchanged = part(bytes, &wanted, &both)? == part(&message.bytes, &held, &both)?;
            is_unchanged.then_some(message.of)
        })
    }

    /// Returns the places in the list of those messages that share bytes with this range.
    fn touched(&self, (applet, start): (AppletId, u32), length: usize) -> Range<usize> {
        let (start, end) = (u64::from(start), u64::from(start) + length as u64);
        let is_before =
            |message: &Message| (message.applet, message.range().end) <= (applet, start);
        let first = self.0.partition_point(is_before);
        let behind = self.0[first..].iter();
        let touched =
            behind.take_while(|message| message.applet == applet && u64::from(message.start) < end);
        first..first + touched.count()
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

#[cfg(test)]
mod tests {
    use nic_core::id::EndpointId;

    use super::*;

    /// Messages are found like bytes of a memory in which each byte knows its post.
    #[test]
    fn messages_overwrite_each_other() {
        let mut generator = nic_core::random::Generator::named(1, &["posts"]);
        let mut below = |limit: u64| generator.draw() % limit;
        for _ in 0..200 {
            let mut messages = Messages::default();
            let mut memory = [(0u8, None::<PostNumber>); 40];
            for number in 1..30 {
                let start = below(30) as usize;
                let length = 1 + below(10) as usize;
                let of = post_number(EndpointId(0), PostId { entry: 0, number });
                let of = Some(of).filter(|_| below(4) > 0);
                let bytes: Vec<u8> = (0..length).map(|_| below(256) as u8).collect();
                messages.put((AppletId(1), start as u32), &bytes, of);
                // A message that another overwrote in part is forgotten.
                let over: Vec<_> = memory[start..start + length]
                    .iter()
                    .map(|(_, of)| *of)
                    .collect();
                for (_, of) in &mut memory {
                    if over.contains(of) {
                        *of = None;
                    }
                }
                for (byte, new) in memory[start..start + length].iter_mut().zip(&bytes) {
                    *byte = (*new, of);
                }
                let (from, to) = (below(20) as usize, 20 + below(20) as usize);
                let bytes: Vec<u8> = memory[from..to].iter().map(|(byte, _)| *byte).collect();
                let first = memory[from..to].iter().find_map(|(_, of)| *of);
                assert_eq!(messages.of((AppletId(1), from as u32), &bytes), first);
                assert_eq!(messages.of((AppletId(0), from as u32), &bytes), None);
            }
        }
    }
}
