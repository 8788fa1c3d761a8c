//! What the parts of a simulation ask of the interfaces.

use nic_core::event::{Trigger, TxStatus};
use nic_core::id::{ChannelId, EndpointId, PostId};
use nic_core::memory::HostSpan;
use nic_core::time::SimDuration;
use nic_core::unet::Completion;

use super::Parts;
use crate::host::{Asked, Asking, WindowAsked};
use crate::spec::SendSpec;
use crate::wire::PacketRef;

/// The engines of all interfaces, with their states. Each function serves an endpoint as the engine of its interface does.
pub(crate) trait Engines: Protocols {
    /// Ends what an interface keeps for a transmit descriptor that is complete, and reports the completion.
    fn completed(
        sim: &mut Parts<'_, Self>,
        id: EndpointId,
        post: PostId,
        completion: Completion,
    ) -> TxStatus;

    /// Makes the oldest invisible receive descriptor of an endpoint visible.
    fn publish(sim: &mut Parts<'_, Self>, id: EndpointId);

    /// Tells an endpoint's interface that the last DMA request of a message is done.
    fn requests_done(sim: &mut Parts<'_, Self>, id: EndpointId, trigger: Trigger);

    /// Tells the engine of remote memory that a DMA request of a library is over, which moved this number of bytes.
    fn request_over(sim: &mut Parts<'_, Self>, id: EndpointId, length: u32);

    /// Returns whether the oldest visible receive descriptor of an endpoint has no message for the user.
    fn is_first_empty(sim: &Parts<'_, Self>, id: EndpointId) -> bool;

    /// Ends the connection of an endpoint at the request of its process.
    fn disconnect(sim: &mut Parts<'_, Self>, id: EndpointId);

    /// Tells the program of an endpoint of a descriptor that it has posted by itself and that has completed. Returns
    /// whether there was one.
    fn tell_completed(sim: &mut Parts<'_, Self>, id: EndpointId) -> bool;

    /// Does what a process asks the interface of an endpoint for.
    fn asked(sim: &mut Parts<'_, Self>, id: EndpointId, asked: Asked) -> Asking;

    /// Does what a process asks for at a window of an endpoint, or at a page of its own.
    fn at_window(sim: &mut Parts<'_, Self>, id: EndpointId, asked: WindowAsked) -> Asking;

    /// Writes bytes of a process to a window of an endpoint's peer.
    fn write_window(sim: &mut Parts<'_, Self>, id: EndpointId, place: (u32, u32), bytes: Vec<u8>);

    /// Puts bytes of a process on the wire as a frame.
    fn send_frame(sim: &mut Parts<'_, Self>, from: (EndpointId, ChannelId), bytes: &[u8]);

    /// Tells an endpoint's interface that the endpoint has the send slot for which it waited.
    fn slot_found(sim: &mut Parts<'_, Self>, endpoint: EndpointId);

    /// Tells an endpoint's interface that the user is about to push the descriptor for a message of the scenario.
    fn send_begins(sim: &mut Parts<'_, Self>, endpoint: EndpointId, spec: &SendSpec);

    /// Returns the span that the transmit descriptor of a message names.
    fn message_span(
        sim: &Parts<'_, Self>,
        id: EndpointId,
        spec: &SendSpec,
        space: HostSpan,
    ) -> HostSpan;

    /// Returns how long a user is busy with a message that it posts, in addition to the costs of its host.
    fn post_takes(sim: &Parts<'_, Self>, id: EndpointId, length: u32) -> SimDuration;

    /// Reports that the user of an endpoint has pushed a transmit descriptor.
    fn user_posted(
        sim: &mut Parts<'_, Self>,
        id: EndpointId,
        message: (ChannelId, HostSpan),
        post: PostId,
    );

    /// Tells an endpoint's interface that the user has pushed a transmit descriptor.
    fn descriptor_posted(sim: &mut Parts<'_, Self>, endpoint: EndpointId);

    /// Tells an endpoint's interface that the receive queue has room for another message.
    fn message_gone(sim: &mut Parts<'_, Self>, endpoint: EndpointId);

    /// Tells an endpoint's interface that the user is about to give the oldest message back.
    fn message_read(sim: &mut Parts<'_, Self>, endpoint: EndpointId);
}

/// What NICs do with packets that have a header, whose kind decides.
pub(crate) trait Protocols: Sized {
    /// Returns whether an arriving packet already has a place in NIC memory, and needs no arrival slot.
    fn has_place(sim: &Parts<'_, Self>, packet: PacketRef) -> bool;

    /// Reports that the first bit of a packet with a header leaves.
    fn transmit_started(sim: &mut Parts<'_, Self>, packet: PacketRef, duration: SimDuration);

    /// Tells a packet's protocol that the packet has left. Returns whether the packet completes its transmit
    /// descriptor.
    fn packet_left(sim: &mut Parts<'_, Self>, packet: PacketRef) -> bool;

    /// Passes a packet with a header that has arrived to its protocol.
    fn packet_received(sim: &mut Parts<'_, Self>, packet: PacketRef);

    /// Tells a packet's protocol that the receiving NIC has finished with the packet.
    fn arrival_over(sim: &mut Parts<'_, Self>, packet: PacketRef);
}
