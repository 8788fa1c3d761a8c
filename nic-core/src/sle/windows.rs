//! The checks of the natives that name windows.

use jive_core::{Heap, TrapKind};

use super::rights::Rights;
use super::span::{ArraySpan, array_span, array_view};
use crate::native::{Bound, Refusal, fault};
use crate::remote::{WindowId, WindowRights};
use crate::storage::Storage;

/// Checks a call of the native `watch`. Returns the window and the range of bytes.
pub(super) fn watch<S: Storage, R: Refusal>(
    rights: &Rights<'_, S>,
    window: i32,
    offset: i32,
    length: i32,
) -> Result<(WindowId, (u32, u32)), R> {
    let own = rights.windows.and_then(|windows| windows.own(window));
    let (Some(own), Some(windows)) = (own, rights.windows) else {
        return Err(fault(Bound::Window { window }));
    };
    let range = range((offset, length), own.length)?;
    if range.1 > 0 && windows.watches_left == 0 {
        return Err(fault(Bound::Watches));
    }
    Ok((own.window, range))
}

/// Checks a call of the native `windowWrite`. Returns the source of the bytes, the position of the window in the table of
/// the peers' windows, and the offset in the window.
pub(super) fn write<S: Storage, R: Refusal>(
    heap: &Heap<'_>,
    rights: &Rights<'_, S>,
    (from, from_offset, length): (i32, i32, i32),
    (window, offset): (i32, i32),
) -> Result<(ArraySpan, u32, u32), R> {
    let from = array_span(heap, from, from_offset, length)?;
    let place = rights.windows.and_then(|windows| windows.peer(window));
    let (Some(place), Some(windows)) = (place, rights.windows) else {
        return Err(fault(Bound::Window { window }));
    };
    let peer = windows.peers[place];
    let (offset, _) = range((offset, length), peer.length)?;
    if from.length() > rights.max_packet {
        let most = rights.max_packet;
        return Err(fault(Bound::Packet { length, most }));
    }
    // The position of the window fits in a `u32`, because the table has at most as many windows as there are ids.
    Ok((from, u32::try_from(place).unwrap_or(u32::MAX), offset))
}

/// Checks a call of the native `windowRead`. Returns the destination of the bytes, the position of the window in the table
/// of the peers' windows, and the offset in the window.
pub(super) fn read<S: Storage, R: Refusal>(
    heap: &Heap<'_>,
    rights: &Rights<'_, S>,
    (into, into_offset, length): (i32, i32, i32),
    (window, offset): (i32, i32),
) -> Result<(ArraySpan, u32, u32), R> {
    let from = (into, into_offset, length);
    let (span, place, offset) = write(heap, rights, from, (window, offset))?;
    if heap.is_transient(into) {
        let elements = array_view::<R>(heap, into)?.length;
        return Err(R::of(
            TrapKind::TransientEscape,
            Bound::Transient { elements },
        ));
    }
    let windows = rights.windows.unwrap_or(&WindowRights::NONE);
    let may_read = windows.peers.get(place as usize);
    if !may_read.is_some_and(|peer| peer.is_readable) {
        return Err(fault(Bound::Unreadable { window }));
    }
    if windows.reads_left == 0 {
        return Err(fault(Bound::Reads));
    }
    Ok((span, place, offset))
}

/// Returns a range of bytes that lies in a window. An empty range may start at the end of the window.
fn range<R: Refusal>((offset, length): (i32, i32), window: u32) -> Result<(u32, u32), R> {
    let bound = Bound::InWindow {
        offset,
        length,
        window,
    };
    let (Ok(start), Ok(bytes)) = (u32::try_from(offset), u32::try_from(length)) else {
        return Err(fault(bound));
    };
    // The sum of two values below 2³¹ does not overflow.
    match start + bytes <= window {
        true => Ok((start, bytes)),
        false => Err(fault(bound)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{ChannelId, DirectionId, EndpointId};
    use crate::memory::Region;
    use crate::remote::{OwnWindow, PeerWindow};
    use crate::storage::Fixed;
    use crate::unet::{Channel, Channels};

    #[test]
    fn a_watch_lies_in_a_window_of_the_endpoint() {
        let own = [OwnWindow {
            number: 7,
            window: WindowId(2),
            length: 16,
        }];
        let channels = Channels::<Fixed>::default();
        let windows = [0, 1].map(|watches_left| WindowRights {
            own: &own,
            peers: &[],
            watches_left,
            reads_left: 0,
        });
        let rights = |windows| Rights {
            area: Region::sole(64),
            buffer_length: 0,
            channels: &channels,
            max_packet: 9_000,
            windows: Some(windows),
            arrival: None,
        };
        let checked = |left: usize, window, offset, length| {
            watch::<_, Option<Bound>>(&rights(&windows[left]), window, offset, length)
        };
        let watched = |range| Ok((WindowId(2), range));
        assert_eq!(checked(1, 7, 0, 16), watched((0, 16)));
        assert_eq!(checked(1, 7, 16, 0), watched((16, 0)));
        assert_eq!(checked(0, 7, 4, 0), watched((4, 0)), "removes watches");
        assert_eq!(checked(0, 7, 4, 1), Err(Some(Bound::Watches)));
        assert_eq!(
            checked(1, 6, 0, 1),
            Err(Some(Bound::Window { window: 6 })),
            "another number"
        );
        for (offset, length) in [(0, 17), (16, 1), (-1, 1), (0, -1), (i32::MAX, i32::MAX)] {
            let bound = Bound::InWindow {
                offset,
                length,
                window: 16,
            };
            assert_eq!(checked(1, 7, offset, length), Err(Some(bound)));
        }
    }

    #[test]
    fn a_window_is_found_by_its_number() {
        let path = Channel {
            id: ChannelId(0),
            peer: EndpointId(1),
            peer_id: ChannelId(0),
            route: DirectionId(0),
        };
        let peers = [-3, 0, i32::MAX].map(|number| PeerWindow {
            number,
            window: WindowId(0),
            length: 4,
            is_readable: false,
            path,
        });
        let windows = WindowRights {
            own: &[],
            peers: &peers,
            watches_left: 0,
            reads_left: 0,
        };
        let found = [-3, 0, i32::MAX, 1].map(|number| windows.peer(number));
        assert_eq!(found, [Some(0), Some(1), Some(2), None]);
        assert_eq!(windows.own(0), None);
    }
}
