//! Receive descriptors: which of them a message uses, and the statuses with which they complete.

use super::{Reason, Vi};
use crate::id::{ChannelId, PacketId};
use crate::nic::DropReason;
use crate::storage::Storage;
use crate::unet::{BufferList, Endpoint, MESSAGE_BUFFERS_MAX};

/// Where a message goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The message goes into the buffers of the receive descriptors in the list. A receive descriptor of U-Net that
    /// names the buffers of the list has been pushed.
    Into(BufferList),
    /// The message is lost: the first receive descriptor is shorter than the message, and completes as `length-error`.
    /// A receive descriptor of U-Net without a message has been pushed, and the caller records the status of the
    /// completion.
    Short,
    /// The message is dropped, and no receive descriptor has completed.
    Dropped(DropReason),
}

impl Placement {
    /// Returns why the connection of `vi` breaks, if it does: the reliable levels permit no loss.
    #[must_use]
    pub fn breaks(&self, vi: &Vi) -> Option<Reason> {
        if !vi.reliability().is_reliable() {
            return None;
        }
        match self {
            Placement::Into(_) => None,
            Placement::Short => Some(Reason::LengthError),
            Placement::Dropped(_) => Some(Reason::Overrun),
        }
    }
}

/// Returns how many receive descriptors a message of `length` bytes uses.
///
/// # Errors
///
/// Returns where the message goes if it cannot use enough receive descriptors, and leaves the descriptors unchanged.
pub fn needed<S: Storage>(
    endpoint: &Endpoint<S>,
    vi: &Vi,
    length: u32,
) -> Result<usize, Placement> {
    if !endpoint.receive.has_room() {
        return Err(Placement::Dropped(DropReason::RxQueueFull));
    }
    if endpoint.free.is_empty() {
        return Err(Placement::Dropped(DropReason::NoFreeBuffer));
    }
    let share = endpoint.free.buffer_length();
    if length <= share {
        return Ok(1);
    }
    if !vi.splits() {
        return Err(Placement::Short);
    }
    let needed = match share {
        0 => return Err(Placement::Dropped(DropReason::TooLong)),
        _ => length.div_ceil(share) as usize,
    };
    if needed > MESSAGE_BUFFERS_MAX {
        return Err(Placement::Dropped(DropReason::TooLong));
    }
    if endpoint.free.len() < needed {
        return Err(Placement::Dropped(DropReason::NoFreeBuffer));
    }
    Ok(needed)
}

/// Takes the receive descriptors for a message of `length` bytes from the endpoint.
///
/// The message is placed in the first of the receive descriptors. If the message is longer and the VI splits messages,
/// it continues in the next descriptors, and takes all that it needs or none.
pub fn place<S: Storage>(
    endpoint: &mut Endpoint<S>,
    vi: &Vi,
    (packet, channel, length): (Option<PacketId>, ChannelId, u32),
) -> Placement {
    let needed = match needed(endpoint, vi, length) {
        Ok(needed) => needed,
        Err(lost) => {
            if lost == Placement::Short {
                complete_short(endpoint, (packet, channel));
            }
            return lost;
        }
    };
    let mut buffers = BufferList::default();
    for offset in core::iter::from_fn(|| endpoint.free.pop()).take(needed) {
        buffers.push(offset);
    }
    let offsets = buffers.offsets().iter().copied();
    let pushed = endpoint.push_buffers((packet, channel, length), offsets);
    endpoint.free.keep_popped();
    match pushed {
        Ok(()) => Placement::Into(buffers),
        Err(_) => Placement::Dropped(DropReason::RxQueueFull),
    }
}

/// Completes the first receive descriptor of the endpoint without a message, as `length-error`.
fn complete_short<S: Storage>(
    endpoint: &mut Endpoint<S>,
    (packet, channel): (Option<PacketId>, ChannelId),
) {
    let offset = endpoint.free.pop();
    let pushed = endpoint.push_buffers((packet, channel, 0), offset.into_iter());
    debug_assert!(pushed.is_ok(), "the receive queue has room");
    endpoint.free.keep_popped();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::NicId;
    use crate::memory::Region;
    use crate::storage::Fixed;
    use crate::unet::{FreeQueue, QueueSizes};
    use crate::via::Reliability;

    fn endpoint(buffers: u32, receive: u32) -> Endpoint<Fixed> {
        let sizes = QueueSizes {
            transmit: 1,
            receive,
        };
        let free = FreeQueue::new(buffers, 100);
        Endpoint::<Fixed>::new((NicId(0), 9_216), Region::sole(65_536), free, sizes)
    }

    fn vi(reliability: Reliability, splits: bool) -> Vi {
        let mut vi = Vi::new(reliability, splits);
        vi.connect().unwrap();
        vi.accepted().unwrap();
        vi
    }

    fn placed(endpoint: &mut Endpoint<Fixed>, vi: &Vi, length: u32) -> Result<Vec<u32>, Placement> {
        match place(endpoint, vi, (Some(PacketId(1)), ChannelId(7), length)) {
            Placement::Into(buffers) => Ok(buffers.offsets().to_vec()),
            other => Err(other),
        }
    }

    const OVERRUN: Placement = Placement::Dropped(DropReason::NoFreeBuffer);

    #[test]
    fn each_message_takes_a_descriptor_even_without_bytes() {
        let mut endpoint = endpoint(3, 9);
        let vi = vi(Reliability::Delivery, false);
        assert_eq!(placed(&mut endpoint, &vi, 0), Ok(vec![0]));
        assert_eq!(placed(&mut endpoint, &vi, 56), Ok(vec![100]));
        assert_eq!(placed(&mut endpoint, &vi, 100), Ok(vec![200]));
        assert_eq!(placed(&mut endpoint, &vi, 1), Err(OVERRUN));
    }

    #[test]
    fn too_long_message_completes_its_descriptor_as_error() {
        let mut endpoint = endpoint(2, 9);
        let vi = vi(Reliability::Unreliable, false);
        assert_eq!(placed(&mut endpoint, &vi, 101), Err(Placement::Short));
        assert_eq!(endpoint.free.len(), 1);
        let completed = endpoint.receive.publish().unwrap();
        assert_eq!(completed.length, 0);
        // The user gets the buffer of the short descriptor back, and posts it again.
        assert!(endpoint.put_back_received());
        assert_eq!(endpoint.free.len(), 2);
    }

    #[test]
    fn a_split_message_takes_all_its_descriptors_or_none() {
        let mut endpoint = endpoint(16, 9);
        let vi = vi(Reliability::Delivery, true);
        let all: Vec<u32> = (0..14).map(|index| index * 100).collect();
        let too_long = Placement::Dropped(DropReason::TooLong);
        assert_eq!(placed(&mut endpoint, &vi, 1_401), Err(too_long));
        assert_eq!(placed(&mut endpoint, &vi, 1_301), Ok(all));
        assert_eq!(placed(&mut endpoint, &vi, 201), Err(OVERRUN));
        assert_eq!(placed(&mut endpoint, &vi, 200), Ok(vec![1_400, 1_500]));
    }

    #[test]
    fn a_full_receive_queue_takes_no_descriptor() {
        let mut endpoint = endpoint(2, 1);
        let vi = vi(Reliability::Delivery, false);
        assert_eq!(placed(&mut endpoint, &vi, 5), Ok(vec![0]));
        let full = Placement::Dropped(DropReason::RxQueueFull);
        assert_eq!(placed(&mut endpoint, &vi, 5), Err(full));
        assert_eq!(endpoint.free.len(), 1);
    }

    #[test]
    fn loss_breaks_the_reliable_levels_alone() {
        let reliable = [Reliability::Delivery, Reliability::Reception];
        for level in reliable {
            assert_eq!(OVERRUN.breaks(&vi(level, false)), Some(Reason::Overrun));
            let short = Placement::Short.breaks(&vi(level, false));
            assert_eq!(short, Some(Reason::LengthError));
        }
        assert_eq!(OVERRUN.breaks(&vi(Reliability::Unreliable, false)), None);
    }

    #[test]
    fn buffers_of_no_length_hold_messages_of_no_length() {
        let sizes = QueueSizes {
            transmit: 1,
            receive: 4,
        };
        let free = FreeQueue::new(2, 0);
        let mut endpoint = Endpoint::<Fixed>::new((NicId(0), 9_216), Region::sole(8), free, sizes);
        let vi = vi(Reliability::Delivery, true);
        let too_long = Placement::Dropped(DropReason::TooLong);
        assert_eq!(placed(&mut endpoint, &vi, 1), Err(too_long));
        assert_eq!(placed(&mut endpoint, &vi, 0), Ok(vec![0]));
    }
}
