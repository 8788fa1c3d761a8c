//! Turns at a port (`port.order = "round-robin"`): channels that have packets waiting for it send one packet each, one
//! channel after the other.
//!
//! The queue of the link is always in the order in which its packets leave. So a packet gets its place when it is handed
//! over, and nothing has to be chosen when the link becomes free.

use std::collections::BTreeSet;

use nic_core::id::{ChannelId, EndpointId};

use super::Packet;
use crate::protocol::Header;

/// Whose turn it is: a channel's, or that of all VIs and windows of two endpoints. What is written to remote memory relies
/// on the order of writes to different windows, and the end of a VI's connection follows its messages.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Taker {
    from: EndpointId,
    to: EndpointId,
    channel: Option<ChannelId>,
}

impl Taker {
    /// Returns whose turn it is when a packet leaves.
    pub(crate) fn of(packet: &Packet) -> Taker {
        let (from, channel) = packet.from;
        Taker {
            from,
            to: packet.to.0,
            channel: match packet.header {
                Header::None | Header::Emp(_) => Some(channel),
                Header::Via(_) | Header::Remote(_) | Header::Read(_) | Header::Lmmc(_) => None,
            },
        }
    }
}

/// Returns the place of a packet among those that wait, the first of which may be on the wire already.
///
/// The packet comes behind those of its own channel. From then on, or from the beginning if there is none, each other
/// channel has one turn before it. So a packet waits for at most one packet of each other channel between two of its own,
/// however many the others have.
pub(crate) fn place_in_turn(waiting: &[Taker], own: Taker) -> usize {
    let behind_own = waiting.iter().rposition(|taker| *taker == own);
    let begins = behind_own.map_or(0, |last| last + 1);
    let mut had_turns = BTreeSet::new();
    let turns = waiting[begins..].iter();
    begins + turns.take_while(|taker| had_turns.insert(**taker)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    fn taker(letter: u8) -> Taker {
        Taker {
            from: EndpointId(0),
            to: EndpointId(1),
            channel: Some(ChannelId(letter.into())),
        }
    }

    /// Hands packets of these channels over, and returns the order in which they leave.
    fn order(handed_over: &str) -> String {
        let mut queue: Vec<u8> = Vec::new();
        for letter in handed_over.bytes() {
            let waiting: Vec<Taker> = queue.iter().map(|letter| taker(*letter)).collect();
            queue.insert(place_in_turn(&waiting, taker(letter)), letter);
        }
        String::from_utf8(queue).expect("they are letters")
    }

    #[test]
    fn channels_take_turns() {
        assert_eq!(order(""), "");
        assert_eq!(order("aaaa"), "aaaa");
        assert_eq!(order("aaaab"), "abaaa");
        assert_eq!(order("aaaabb"), "ababaa");
        assert_eq!(order("aaabbbc"), "abcabab");
        assert_eq!(order("abcabc"), "abcabc");
        assert_eq!(order("bbaab"), "babab");
    }

    /// A list of the channels with packets, of which the first has its turn and goes to the end when its packet has left.
    #[test]
    fn the_order_is_that_of_a_list_of_channels() {
        let mut generator = nic_core::random::Generator::named(1, &["turns"]);
        for _ in 0..1_000 {
            let (mut in_order, mut list) = (VecDeque::new(), VecDeque::<(u8, u32)>::new());
            // The packet on the wire, and how many others its channel has.
            let mut leaving: Option<(u8, u32)> = None;
            for _ in 0..60 {
                if generator.draw() % 5 < 3 {
                    let letter = (generator.draw() % 4) as u8;
                    let on_wire = leaving.iter().map(|(letter, _)| letter);
                    let waiting: Vec<Taker> = on_wire.chain(&in_order).map(|l| taker(*l)).collect();
                    let place = place_in_turn(&waiting, taker(letter));
                    in_order.insert(place - usize::from(leaving.is_some()), letter);
                    let mut known = leaving.iter_mut().chain(&mut list);
                    match known.find(|known| known.0 == letter) {
                        Some(known) => known.1 += 1,
                        None => list.push_back((letter, 1)),
                    }
                    continue;
                }
                list.extend(leaving.filter(|(_, others)| *others > 0));
                leaving = list.pop_front().map(|(letter, count)| (letter, count - 1));
                assert_eq!(in_order.pop_front(), leaving.map(|(letter, _)| letter));
            }
        }
    }
}
