//! The base path, for endpoints without an applet: checks transmit descriptors, and finds room for arrived messages.

use super::event::Refusal;
use super::{
    BufferList, Channel, Endpoint, INLINE_MAX, MESSAGE_BUFFERS_MAX, MessageBody, ReceiveDescriptor,
    TransmitDescriptor,
};
use crate::id::{ChannelId, PacketId};
use crate::memory::HostSpan;
use crate::nic::DropReason;
use crate::storage::Storage;

/// Returns the channel and the message that a transmit descriptor names. The message of the descriptor may be longer
/// than a packet.
///
/// # Errors
///
/// Returns the reason for which the endpoint may not send the message: an unknown channel, or bytes outside the buffer
/// area.
#[inline]
pub fn resolve<S: Storage>(
    endpoint: &Endpoint<S>,
    descriptor: TransmitDescriptor,
) -> Result<(Channel, HostSpan), Refusal> {
    let channel = endpoint.channels.get(descriptor.channel);
    let channel = *channel.ok_or(Refusal::UnknownChannel)?;
    let span = endpoint
        .area
        .span(descriptor.offset.into(), descriptor.length.into())
        .map_err(|_| Refusal::OutsideArea)?;
    Ok((channel, span))
}

/// Works like [`resolve`], but for a message that must fit in one packet.
///
/// # Errors
///
/// Returns the errors of [`resolve`], or that the message is longer than a packet.
#[inline]
pub fn resolve_packet<S: Storage>(
    endpoint: &Endpoint<S>,
    descriptor: TransmitDescriptor,
) -> Result<(Channel, HostSpan), Refusal> {
    let (channel, span) = resolve(endpoint, descriptor)?;
    if span.length() > endpoint.max_packet {
        return Err(Refusal::TooLong);
    }
    Ok((channel, span))
}

/// Finds room for an arrived message: pops all free buffers that it needs and pushes a descriptor that names them. A
/// short message is stored in the descriptor itself.
///
/// Returns the offsets of the popped buffers, which the caller fills with the message. The caller fills each buffer but
/// the last completely.
///
/// # Errors
///
/// Returns the reason for which the message must be dropped, in which case nothing has been popped or pushed.
pub fn accept<S: Storage>(
    endpoint: &mut Endpoint<S>,
    packet: PacketId,
    channel: ChannelId,
    message: &[u8],
) -> Result<BufferList, DropReason> {
    let length = u32::try_from(message.len()).map_err(|_| DropReason::TooLong)?;
    if !endpoint.receive.has_room() {
        return Err(DropReason::RxQueueFull);
    }
    let mut buffers = BufferList::default();
    if message.len() <= INLINE_MAX {
        let body = MessageBody::inline(message).ok_or(DropReason::TooLong)?;
        let descriptor = ReceiveDescriptor {
            packet: Some(packet),
            channel,
            length,
            body,
        };
        let pushed = endpoint.receive.push(descriptor);
        pushed.map_err(|_| DropReason::RxQueueFull)?;
        return Ok(buffers);
    }
    let needed = match endpoint.free.buffer_length() {
        0 => return Err(DropReason::NoFreeBuffer),
        buffer_length => length.div_ceil(buffer_length) as usize,
    };
    if needed > MESSAGE_BUFFERS_MAX {
        return Err(DropReason::TooLong);
    }
    if endpoint.free.len() < needed {
        return Err(DropReason::NoFreeBuffer);
    }
    for offset in core::iter::from_fn(|| endpoint.free.pop()).take(needed) {
        buffers.push(offset);
    }
    let offsets = buffers.offsets().iter().copied();
    endpoint
        .push_buffers((Some(packet), channel, length), offsets)
        .map_err(|_| DropReason::RxQueueFull)?;
    endpoint.free.keep_popped();
    Ok(buffers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::NicId;
    use crate::memory::Region;
    use crate::storage::Fixed;
    use crate::unet::{FreeQueue, QueueSizes};

    fn endpoint(buffers: u32, buffer_length: u32, receive: u32) -> Endpoint<Fixed> {
        let area = Region::sole(65_536);
        let free = FreeQueue::new(buffers, buffer_length);
        Endpoint::<Fixed>::new(
            (NicId(0), 9_216),
            area,
            free,
            QueueSizes {
                transmit: 1,
                receive,
            },
        )
    }

    fn accepted(endpoint: &mut Endpoint<Fixed>, length: usize) -> Result<Vec<u32>, DropReason> {
        accept(endpoint, PacketId(1), ChannelId(7), &vec![0; length])
            .map(|buffers| buffers.offsets().to_vec())
    }

    #[test]
    fn small_messages_use_no_buffer() {
        let mut endpoint = endpoint(1, 4096, 3);
        assert_eq!(accepted(&mut endpoint, 56), Ok(vec![]));
        assert_eq!(accepted(&mut endpoint, 57), Ok(vec![0]));
        assert_eq!(accepted(&mut endpoint, 57), Err(DropReason::NoFreeBuffer));
        assert_eq!(accepted(&mut endpoint, 0), Ok(vec![]));
    }

    #[test]
    fn a_message_gets_all_its_buffers_or_none() {
        let mut endpoint = endpoint(4, 100, 9);
        assert_eq!(accepted(&mut endpoint, 201), Ok(vec![0, 100, 200]));
        assert_eq!(accepted(&mut endpoint, 101), Err(DropReason::NoFreeBuffer));
        assert_eq!(accepted(&mut endpoint, 100), Ok(vec![300]));
    }

    #[test]
    fn a_message_uses_14_buffers_and_no_more() {
        let mut endpoint = endpoint(20, 10, 9);
        assert_eq!(accepted(&mut endpoint, 141), Err(DropReason::TooLong));
        assert_eq!(
            accepted(&mut endpoint, 140).map(|buffers| buffers.len()),
            Ok(14)
        );
    }

    #[test]
    fn a_full_receive_queue_takes_no_buffer() {
        let mut endpoint = endpoint(2, 100, 1);
        assert_eq!(accepted(&mut endpoint, 100), Ok(vec![0]));
        assert_eq!(accepted(&mut endpoint, 100), Err(DropReason::RxQueueFull));
        assert_eq!(endpoint.free.len(), 1);
    }

    #[test]
    fn returned_buffers_go_to_the_end_of_the_queue() {
        let mut endpoint = endpoint(3, 100, 3);
        accepted(&mut endpoint, 150).unwrap();
        endpoint.receive.publish();
        assert!(endpoint.put_back_received());
        assert!(!endpoint.put_back_received());
        assert_eq!(accepted(&mut endpoint, 250), Ok(vec![200, 0, 100]));
    }
}
