//! Channels: the table that maps an endpoint's channel numbers to peers.

use crate::id::{ChannelId, DirectionId, EndpointId};
use crate::storage::{CHANNELS_MAX, List, Storage};

/// One end of a channel, as its endpoint uses it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
// The alignment lets the compiler copy the struct as 8-byte words; see `memory::HostSpan`.
#[repr(align(8))]
pub struct Channel {
    /// The endpoint's own number for the channel.
    pub id: ChannelId,
    /// The endpoint at the other end of the channel.
    pub peer: EndpointId,
    /// The number by which the peer names the channel.
    pub peer_id: ChannelId,
    /// The link direction over which packets on the channel travel.
    pub route: DirectionId,
}

/// The channels of an endpoint, sorted by the endpoint's own numbers.
#[derive(Clone, Debug)]
pub struct Channels<S: Storage>(S::List<Channel, CHANNELS_MAX>);

impl<S: Storage> Default for Channels<S> {
    fn default() -> Channels<S> {
        Channels(S::List::default())
    }
}

impl<S: Storage> Channels<S> {
    /// Returns the table of these channels, whose numbers must differ. Without an allocator, the table keeps only the
    /// first [`CHANNELS_MAX`] channels.
    #[must_use]
    pub fn new(channels: impl IntoIterator<Item = Channel>) -> Channels<S> {
        let mut table = S::List::<Channel, CHANNELS_MAX>::default();
        for channel in channels {
            if !table.push(channel) {
                break;
            }
        }
        table.sort_unstable_by_key(|channel: &Channel| channel.id.0);
        Channels(table)
    }

    /// Returns the channel with this number, if the endpoint has one.
    #[must_use]
    pub fn get(&self, id: ChannelId) -> Option<&Channel> {
        // Channels are usually numbered without gaps, so the number of a channel gives its index. If the subtraction
        // wraps, the channel at that index has another number, and the binary search decides.
        let first = self.0.first()?.id.0;
        let place = id.0.wrapping_sub(first).cast_unsigned() as usize;
        if let Some(channel) = self.0.get(place).filter(|channel| channel.id == id) {
            return Some(channel);
        }
        let index = self
            .0
            .binary_search_by_key(&id.0, |channel| channel.id.0)
            .ok()?;
        Some(&self.0[index])
    }

    /// Returns the number of the endpoint's channels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the endpoint has no channels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Fixed;

    #[test]
    fn channels_are_found_whatever_their_numbers() {
        for numbers in [
            vec![],
            vec![7],
            vec![3, 1, 2],
            vec![0, 5, 1, 100, i32::MAX],
            vec![i32::MIN, -1, i32::MAX],
        ] {
            let channels = Channels::<Fixed>::new(numbers.iter().map(|&number| Channel {
                id: ChannelId(number),
                peer: EndpointId(0),
                peer_id: ChannelId(number),
                route: DirectionId(0),
            }));
            for id in [i32::MIN, -1, 0, 1, 2, 3, 4, 5, 7, 100, i32::MAX] {
                let found = channels.get(ChannelId(id)).map(|channel| channel.id.0);
                let expected = numbers.contains(&id).then_some(id);
                assert_eq!(found, expected, "{numbers:?}");
            }
        }
    }
}
