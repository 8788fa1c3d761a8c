//! What the engine of an interface implements: a trait for the interface, and one for the packets with a header of its
//! own.

use std::fmt::Debug;

use crate::ids::{ProcessorId, Table};
use nic_core::event::{Made, Trigger, TxStatus};
use nic_core::id::{ChannelId, EndpointId, NicId, PacketId, PostId};
use nic_core::memory::HostSpan;
use nic_core::time::SimDuration;
use nic_core::unet::Completion;

use crate::host::{Asked, Asking};
use crate::nic::item::{Next, Posted, Taking};
use crate::nic::waiting::Waiters;
use crate::profile::Profile;
use crate::sim::{Engines, Parts};
use crate::slab::{DelayRef, JobRef};
use crate::spec::{EndpointSpec, Scenario, SendSpec};
use crate::storage::Endpoint;
use crate::wire::PacketRef;

/// What an interface is, whatever happens in a run.
pub(crate) trait Description {
    /// The state of the interface's endpoints, in addition to their queues.
    type State: Debug;

    /// The profile sections that endpoints of this interface need.
    const SECTIONS: &'static [&'static str];

    /// The protocol of the interface's packets. A channel joins endpoints of one protocol.
    const PROTOCOL: &'static str = "packets";

    /// Whether the processes of the interface's endpoints access pages of their own, where those of other interfaces access
    /// windows.
    const HAS_PAGES: bool = false;

    /// Whether the interface has items or delays of its own. If an endpoint uses an interface with its own items, each
    /// processor looks for items, and groups of NICs are not simulated one after another.
    const HAS_OWN_WORK: bool = false;

    /// Whether applets can be replaced during a run, by `[[swap]]` and by capsules, and joined to a chain.
    const REPLACES_APPLETS: bool = true;

    /// Bytes of NIC memory for the records of the messages that may be outstanding on a channel.
    const RECORD_BYTES: u64 = 0;

    /// Whether a packet of an applet reserves an arrival slot at its receiver, on wires that reserve slots.
    const RESERVES_ARRIVAL: bool = true;

    /// Returns the interface's state at the start of a run.
    fn state(scenario: &Scenario, endpoints: &Table<EndpointId, Endpoint>) -> Self::State;

    /// Returns how long a processor takes to fetch a packet before it can handle the packet.
    fn time_of_arrival(taking: &Taking) -> SimDuration {
        taking.arrival
    }

    /// Returns how long a processor takes to fetch a transmit descriptor before it can handle the descriptor.
    fn time_of_post(taking: &Taking) -> SimDuration {
        taking.post
    }

    /// Whether connections of the interface end if nothing answers for some time. If so, calls of applets on the same
    /// NIC yield to the items for which `keeps_alive` returns true.
    const HAS_TIMEOUTS: bool = false;

    /// Whether a peer waits for the effect of an arrival that no applet handles, and would take a connection for broken
    /// if the arrival waited too long. An interface's own items always count as such.
    const ARRIVALS_KEEP_ALIVE: bool = false;

    /// Whether the send slots of an endpoint without an applet are for packets that the interface makes itself. If so,
    /// `slot_found` tells the interface of each send slot that the endpoint gets.
    const MAKES_PACKETS: bool = false;

    /// Returns how many send slots an endpoint's messages may hold, if there is a limit. An interface whose packets keep
    /// their slots for long must leave slots to the other endpoints of a NIC.
    fn send_slots_share(_scenario: &Scenario, _nic: NicId) -> Option<i32> {
        None
    }

    /// Returns how many entries the receive queue of an endpoint has.
    fn receive_entries(spec: &EndpointSpec) -> u32 {
        spec.rx_queue
    }

    /// Returns how many packets for an endpoint its peer repeats together, if they come without asking for a slot.
    fn repeated_together(_profile: &Profile) -> u32 {
        1
    }
}

/// The engine of an interface: what a NIC does for its endpoints.
///
/// U-Net is the fast path, whose functions are inlined in the loop of a processor. The functions of other interfaces
/// are `#[cold]`, so that they do not slow down the loop of a processor.
pub(crate) trait Interface<E: Engines>: Description {
    /// Handles the processor's item in hand, a packet or a transmit descriptor, if an applet must not see it, or if it
    /// must wait. Returns `None` if the endpoint's applet handles the item, or the interface if the endpoint has no
    /// applet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn before_applet(_sim: &mut Parts<'_, E>, _on: ProcessorId) -> Option<Next> {
        None
    }

    /// Begins with an item of the interface's own. Returns how long a processor takes before it can handle the item. Only
    /// the interface queues such items, so an interface without them is never asked.
    fn begin_own(
        _sim: &mut Parts<'_, E>,
        _on: ProcessorId,
        _endpoint: EndpointId,
        _job: JobRef,
    ) -> SimDuration {
        SimDuration::ZERO
    }

    /// Handles an item of the interface's own, when the processor has had the time for it.
    fn handle_own(
        _sim: &mut Parts<'_, E>,
        _on: ProcessorId,
        _endpoint: EndpointId,
        _job: JobRef,
    ) -> Next {
        Next::Look
    }

    /// Delivers a packet that no applet handles: its endpoint has none, or the applet is detached or has trapped.
    fn deliver(sim: &mut Parts<'_, E>, packet: PacketRef) -> Next;

    /// Sends the message of a transmit descriptor that no applet handles. The packet already has its arrival slot and
    /// its send slot.
    fn transmit(sim: &mut Parts<'_, E>, posted: Posted) -> Next;

    /// Handles a delay of the interface that has become due. Returns false if no work was left to do when
    /// the delay was due. Such a delay does not count as an event of the run.
    fn due(_sim: &mut Parts<'_, E>, _delay: DelayRef) -> bool {
        false
    }

    /// Returns whether a delay will have no effect when it becomes due, whatever happens until then.
    fn is_obsolete(_sim: &Parts<'_, E>, _delay: DelayRef) -> bool {
        false
    }

    /// Prepares the interface's endpoints, before applets are loaded.
    fn prepare(_sim: &mut Parts<'_, E>) {}

    /// Starts the interface's part of the run, after applets were loaded.
    fn start(_sim: &mut Parts<'_, E>) {}

    /// Tells the interface that an endpoint has the send slot for which it waited.
    fn slot_found(_sim: &mut Parts<'_, E>, _endpoint: EndpointId) {}

    /// Tells the interface that the user is about to push the transmit descriptor for a message of the scenario.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn send_begins(_sim: &mut Parts<'_, E>, _endpoint: EndpointId, _spec: &SendSpec) {}

    /// Tells the interface that the user of an endpoint has pushed a transmit descriptor.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn descriptor_posted(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        sim.offer_post(endpoint);
    }

    /// Sends a packet that an applet has made and that has its arrival and send slots.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn send(sim: &mut Parts<'_, E>, packet: PacketRef) {
        sim.enqueue(packet);
    }

    /// Tells the interface that the user is about to give the oldest message back.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn message_read(_sim: &mut Parts<'_, E>, _endpoint: EndpointId) {}

    /// Tells the interface that the receive queue of an endpoint has room for another message.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn message_gone(_sim: &mut Parts<'_, E>, _endpoint: EndpointId) {}

    /// Returns the span that the transmit descriptor of a message names, whose payload is in `space`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn message_span(
        _sim: &Parts<'_, E>,
        _endpoint: EndpointId,
        _spec: &SendSpec,
        space: HostSpan,
    ) -> HostSpan {
        space
    }

    /// Returns how long a user is busy with a message that it posts, in addition to the costs of its host.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn post_takes(_sim: &Parts<'_, E>, _endpoint: EndpointId, _length: u32) -> SimDuration {
        SimDuration::ZERO
    }

    /// Reports that the user of an endpoint has pushed a transmit descriptor for the message in `space`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn posted(
        sim: &mut Parts<'_, E>,
        endpoint: EndpointId,
        (channel, space): (ChannelId, HostSpan),
        post: PostId,
    ) {
        if sim.report.listens() {
            sim.report_posted(endpoint, (channel, space), post);
        }
    }

    /// Ends what the interface keeps for a transmit descriptor that is complete, and reports the completion. Returns
    /// the status that the user sees.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn completed(
        sim: &mut Parts<'_, E>,
        endpoint: EndpointId,
        post: PostId,
        completion: Completion,
    ) -> TxStatus {
        if sim.report.listens() {
            sim.report_completed(endpoint, post, completion);
        }
        completion.status
    }

    /// Makes the oldest invisible receive descriptor of an endpoint visible.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn publish(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        sim.publish_message(endpoint);
    }

    /// Tells the interface that the last DMA request of a message is done.
    fn requests_done(_sim: &mut Parts<'_, E>, _endpoint: EndpointId, _trigger: Trigger) {}

    /// Returns whether the oldest visible receive descriptor of an endpoint has no message for the user.
    fn is_first_empty(_sim: &Parts<'_, E>, _endpoint: EndpointId) -> bool {
        false
    }

    /// Ends the connection of an endpoint at the request of its process.
    fn disconnect(_sim: &mut Parts<'_, E>, _endpoint: EndpointId) {}

    /// Tells the program of an endpoint of a descriptor that it has posted by itself and that has completed. Returns
    /// whether there was one.
    fn tell_completed(_sim: &mut Parts<'_, E>, _endpoint: EndpointId) -> bool {
        false
    }

    /// Does what a process asks the interface for. A process that asks for what the interface does not have is ignored.
    fn asked(_sim: &mut Parts<'_, E>, _endpoint: EndpointId, _asked: Asked) -> Asking {
        Asking::Ignored
    }

    /// Writes bytes of a process to a window of the endpoint's peer.
    fn write_window(
        _sim: &mut Parts<'_, E>,
        _endpoint: EndpointId,
        _place: (u32, u32),
        _bytes: Vec<u8>,
    ) {
    }

    /// Puts bytes of a process on the wire as a frame.
    fn send_frame(_sim: &mut Parts<'_, E>, _from: (EndpointId, ChannelId), _bytes: &[u8]) {}

    /// Returns what an applet's call makes when it delivers a short message: a descriptor or nothing. Returns `None` if
    /// the message goes into a receive descriptor itself.
    fn placing(_sim: &Parts<'_, E>, _endpoint: EndpointId, _length: u32) -> Option<Made> {
        None
    }

    /// Uses up receive descriptors for a message of an applet, and returns the places of the message's parts in host
    /// memory, in order. Returns `None` if the message is lost, which has been reported.
    fn place(
        _sim: &mut Parts<'_, E>,
        _endpoint: EndpointId,
        _message: (Option<PacketId>, ChannelId, u32),
        _trigger: Trigger,
    ) -> Option<Vec<HostSpan>> {
        None
    }

    /// Returns the immediate data of the message that a call of an applet handles.
    fn immediate(_sim: &Parts<'_, E>, _endpoint: EndpointId, _trigger: Trigger) -> Option<u32> {
        None
    }

    /// Sets the immediate data of the packets that the running call of an applet sends.
    fn set_immediate(_sim: &mut Parts<'_, E>, _endpoint: EndpointId, _value: u32) {}

    /// Tells the interface that a call ends during which an applet has set immediate data.
    fn call_over(_sim: &mut Parts<'_, E>, _endpoint: EndpointId) {}

    /// Returns how many arrival slots the interface's endpoints may hold on a NIC when nothing is due any more. Adds
    /// what waits in the interface's own state for anything but users.
    fn held_at_rest(_sim: &Parts<'_, E>, _nic: NicId, _waiters: &mut Waiters<'_>) -> usize {
        0
    }

    /// Returns how many transmit descriptors of an endpoint wait for a user, for as long as the user likes.
    fn posts_for_users(_sim: &Parts<'_, E>, _endpoint: EndpointId) -> usize {
        0
    }
}

/// The engine of a protocol: what NICs do with packets that have its header.
pub(crate) trait Protocol<E: Engines> {
    /// Reports that the first bit of a packet leaves.
    fn transmit_started(sim: &mut Parts<'_, E>, packet: PacketRef, duration: SimDuration);

    /// Tells the protocol that a packet has left. Returns whether the packet completes its transmit descriptor as a
    /// packet without a header does. If not, the protocol decides when the descriptor is complete.
    fn packet_left(sim: &mut Parts<'_, E>, packet: PacketRef) -> bool;

    /// Handles a packet that has arrived.
    fn packet_received(sim: &mut Parts<'_, E>, packet: PacketRef);

    /// Returns whether an arriving packet already has a place in NIC memory, and needs no arrival slot.
    fn has_place(_sim: &Parts<'_, E>, _packet: PacketRef) -> bool {
        false
    }

    /// Tells the protocol that the receiving NIC has finished with a packet.
    fn arrival_over(_sim: &mut Parts<'_, E>, _packet: PacketRef) {}
}
