//! The provider over remote memory: a library of each process, which writes to the memory of the peer (S5-11 to S5-24).
//!
//! The library runs on the host. For each message the library needs time of its own before its writes leave. The
//! processor's writes or DMA requests move each message, and the pointer of the transfer queue is written after the
//! data. No processor of a NIC takes part in the transfer of a message.

use crate::ids::at;

use nic_core::event::{DropReason, NicEvent, Trigger, TxStatus};
use nic_core::id::{EndpointId, PostId};
use nic_core::remote::{RING_POINTER_BYTES, RemoteMemory, WindowId};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::{self, Refusal, TransmitDescriptor};
use nic_core::via::{
    LibraryError, Reason, Reliability, Status, Target, Transfer as Entry, Unsent, Vi,
};

use super::delays::schedule;
use super::library::SendTurn;
use super::named;
use super::segments::divided;
use super::state::{Delay, HasVia, Sent, ViEndpoint, ViaState, over};
use crate::engine::remote::{self, Due, Writes};
use crate::protocol::EntryNumber;
use crate::sim::Parts;
use crate::spec::OnEmpty;

/// Returns how long a process is busy with the library for a message that it posts.
pub(super) fn post_takes(sim: &Parts<'_, impl HasVia>, id: EndpointId, length: u32) -> SimDuration {
    let over = sim
        .engines
        .via()
        .end(id)
        .and_then(|end| end.over.as_deref());
    over.map_or(SimDuration::ZERO, |over| over.takes(length))
}

/// Schedules the end of the library's work for a send descriptor that the user has posted.
pub(super) fn posted(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let now = sim.now;
    let newest = sim.endpoints[id].transmit.newest();
    let length = newest.map_or(0, |descriptor| descriptor.length);
    let Some(over) = over(sim, id) else { return };
    let (takes, home, turn) = (over.takes(length), over.home, over.turn);
    let time = works_until(sim.engines.via_mut(), home, now, takes);
    schedule(sim, time, Delay::Library(id, turn));
}

/// Sends a message when the library's work for the next posted descriptor is over. Returns false if that descriptor was
/// flushed.
pub(super) fn library_over(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    turn: SendTurn,
) -> bool {
    let Some(over) = over(sim, id).filter(|over| over.turn == turn) else {
        return false;
    };
    over.due += 1;
    send_due(sim, id);
    true
}

/// Returns whether the descriptors of a turn were flushed.
pub(super) fn is_flushed(sim: &Parts<'_, impl HasVia>, id: EndpointId, turn: SendTurn) -> bool {
    let over = sim
        .engines
        .via()
        .end(id)
        .and_then(|end| end.over.as_deref());
    over.is_none_or(|over| over.turn != turn)
}

/// Sends the messages whose time in the library is over, as far as the peer has receive descriptors.
pub(super) fn send_due(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    while over(sim, id).is_some_and(|over| over.due > 0) && !is_ending(sim, id) {
        let Some((post, descriptor)) = sim.endpoints[id].transmit.take() else {
            if let Some(over) = over(sim, id) {
                over.due = 0;
            }
            return;
        };
        if let Some(over) = over(sim, id) {
            over.due -= 1;
        }
        if !send(sim, id, post, descriptor) {
            sim.endpoints[id].transmit.take_back(post);
            if let Some(over) = over(sim, id) {
                over.due += 1;
            }
            return;
        }
    }
}

/// Returns how many posted descriptors wait for receive descriptors that the user of the peer has not posted.
pub(super) fn posts_for_users(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> usize {
    let over = sim
        .engines
        .via()
        .end(id)
        .and_then(|end| end.over.as_deref());
    over.map_or(0, |over| at(over.due))
}

/// Sends a posted message, or completes its descriptor with an error. Returns false if the message waits for receive
/// descriptors of the peer.
fn send(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    post: PostId,
    descriptor: TransmitDescriptor,
) -> bool {
    // The descriptor may have been posted without a connection, which was made before the library looks at it.
    if sim.engines.via().is_broken(id) || sim.engines.via().is_void(id, post) {
        end(sim, id, post, TxStatus::Failed);
        return true;
    }
    let immediate = sim.engines.via_mut().immediate(id, post);
    let Some(vi) = sim.engines.via_mut().end(id).map(|end| end.vi) else {
        return true;
    };
    let resolved = match named::named(sim.engines.via(), id, post) {
        Some(own) => match own.error {
            None => Ok(own.length),
            Some(_) => Err(Refusal::OutsideArea),
        },
        None => unet::resolve_packet(&sim.endpoints[id], descriptor).map(|(_, host)| host.length()),
    };
    let length = match resolved {
        Ok(length) if named::may_send(sim, id, post) => length,
        Ok(_) => {
            end(sim, id, post, TxStatus::Refused);
            return true;
        }
        Err(Refusal::UnknownChannel | Refusal::OutsideArea | Refusal::TooLong) => {
            end(sim, id, post, TxStatus::Refused);
            return true;
        }
    };
    let Some(over) = sim
        .engines
        .via_mut()
        .end(id)
        .and_then(|end| end.over.as_deref())
    else {
        return true;
    };
    let own = sim.memory.region(over.control);
    let target = over.library.target(own, length, vi.splits());
    match target {
        Ok(target) => {
            let message = Outgoing::Message {
                descriptor,
                length,
                target: &target,
                immediate,
            };
            if carry_out(sim, id, post, message).is_err() {
                fail(sim, id, post, Reason::Loss);
            }
        }
        Err(Unsent::Empty) if over.on_empty == OnEmpty::Defer => return false,
        Err(Unsent::Empty) => {
            let reason = DropReason::NoFreeBuffer;
            let kind = NicEvent::Drop {
                packet: None,
                reason,
            };
            sim.report.emit(sim.now, id, kind);
            ends_after(sim, id, &vi, post, (Status::Dropped, Reason::Overrun));
            over_with(sim, id, post);
            end_in_turn(sim, id);
        }
        Err(Unsent::TooLong) => {
            let failed = (Status::LengthError, Reason::LengthError);
            ends_after(sim, id, &vi, post, failed);
            match carry_out(sim, id, post, Outgoing::TooLong) {
                Ok(()) => end_in_turn(sim, id),
                Err(_) => fail(sim, id, post, Reason::Loss),
            }
        }
        Err(Unsent::Failed(_)) => fail(sim, id, post, Reason::Loss),
    }
    true
}

/// Notes that a message fails. At the reliable levels the connection ends for it, after the messages before it.
fn ends_after(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    vi: &Vi,
    post: PostId,
    (status, reason): (Status, Reason),
) {
    let Some(over) = over(sim, id) else { return };
    over.failed.insert(post, status);
    if vi.reliability().is_reliable() {
        over.ends = Some(reason);
    }
}

/// Returns whether the connection ends as soon as all messages have left.
fn is_ending(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    !sim.engines.via_mut().is_broken(id) && over(sim, id).is_some_and(|over| over.ends.is_some())
}

/// Ends the connection if a message has failed for which it must end, and all messages before it have left.
pub(crate) fn end_in_turn(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    if remote::is_waiting(sim, id) {
        return;
    }
    let Some(over) = over(sim, id) else { return };
    if over.moving.count() == 0
        && let Some(reason) = over.ends.take()
    {
        ViaState::breaks(sim, id, reason);
    }
}

/// Completes a send descriptor as flushed, and ends the connection at once.
fn fail(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, post: PostId, reason: Reason) {
    end(sim, id, post, TxStatus::Failed);
    ViaState::breaks(sim, id, reason);
}

pub(super) fn end(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    post: PostId,
    status: TxStatus,
) {
    let completion = sim.endpoints[id].transmit.end(post, status);
    sim.complete(id, post, completion);
}

/// Takes the status of a send descriptor that failed, if the library has recorded one.
pub(super) fn failed_with(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    post: PostId,
) -> Option<Status> {
    over(sim, id)?.failed.remove(&post)
}

/// What the library tells the peer for a send descriptor.
enum Outgoing<'t> {
    /// A message, which goes to its target.
    Message {
        descriptor: TransmitDescriptor,
        length: u32,
        target: &'t Target,
        immediate: Option<u32>,
    },
    /// That a message did not fit, so that the peer's receive descriptor completes with an error.
    TooLong,
}

/// Writes a message to its target, the message's entry to the transfer queue, and the pointer after both.
fn carry_out(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    post: PostId,
    message: Outgoing<'_>,
) -> Result<(), LibraryError> {
    let area = sim.endpoints[id].area;
    let parts = match message {
        Outgoing::Message {
            descriptor, target, ..
        } => {
            let (offset, length) = (descriptor.offset.into(), descriptor.length.into());
            // The place of a message that its descriptor names elsewhere is not in the area.
            let host = area.span(offset, length).or_else(|_| area.span(0, 0));
            let host = host.expect("no bytes lie in every area");
            divided(
                &sim.engines.via_mut().pieces(id, post, (area, host)),
                target,
            )
        }
        Outgoing::TooLong => Vec::new(),
    };
    let Some(end_of) = sim.engines.via_mut().end_mut(id) else {
        return Ok(());
    };
    let (connection, level) = (end_of.connection, end_of.vi.reliability());
    let Some(over) = end_of.over.as_deref_mut() else {
        return Ok(());
    };
    let own = sim.memory.region(over.control);
    let mut writes = Writes::default();
    let (entry, may_write, completes) = match message {
        Outgoing::Message {
            length,
            target,
            immediate,
            ..
        } => {
            over.library.take(&mut writes, target)?;
            let entry = Entry::Message {
                length,
                immediate,
                receives: target.receives,
            };
            let completes = match level {
                Reliability::Unreliable | Reliability::Delivery => Completes::WhenItHasLeft,
                Reliability::Reception => Completes::WhenItIsRead,
            };
            (entry, over.goes_by_pio(length), completes)
        }
        Outgoing::TooLong => {
            over.library.take_first(own, &mut writes)?;
            (Entry::TooLong, true, Completes::WhenItHasLeft)
        }
    };
    let mut told = Writes::default();
    let pointer = over.library.announce(own, &mut told, entry)?;
    let number = EntryNumber::of(over.library.announced());
    let scratch = over.control.span(0, i64::from(RING_POINTER_BYTES));
    let scratch = scratch.expect("the control memory has pointers");
    let behind = over.moving.begin(may_write, scratch);
    if level == Reliability::Reception {
        // The peer's read pointer counts all entries.
        end_of.sent.push_back(Sent {
            at: sim.now,
            post: match completes {
                Completes::WhenItIsRead => Some(post),
                Completes::WhenItHasLeft => None,
            },
        });
    }
    // The first write of a message's data opens the message; without data, the write of its entry does.
    let mut opens = writes.0.len();
    let by_processor = behind.is_by_processor();
    let mut requests = 0;
    if by_processor {
        for (window, offset, part) in parts {
            writes.write(window, offset, sim.memory.bytes(part))?;
        }
        writes.0.append(&mut told.0);
    } else {
        writes.0.append(&mut told.0);
        if !parts.is_empty() {
            opens = writes.0.len();
        }
        // The pointer is a request too.
        requests = 1 + parts.len() as u64;
        for (window, offset, part) in parts {
            writes.request(window, offset, part);
        }
    }
    pointer.publish(&mut writes, behind)?;
    if let Outgoing::TooLong = message {
        // The entry may come before the data of earlier messages; the pointer comes in its turn.
        opens = writes.0.len().saturating_sub(1);
    }
    writes.opens_at(opens, number);
    start_requests(sim, id, requests);
    remote::carry_out(sim, id, &connection, &writes, Trigger::Post(post));
    if by_processor
        && completes == Completes::WhenItHasLeft
        && !remote::completes_later(sim, id, post)
    {
        writes_over(sim, id, post);
    }
    Ok(())
}

/// When a send descriptor completes whose message the library has put on the way.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Completes {
    /// With the last write of its message.
    WhenItHasLeft,
    /// With the peer's read pointer.
    WhenItIsRead,
}

/// Completes a send descriptor whose message the processor has written.
pub(crate) fn writes_over(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, post: PostId) {
    over_with(sim, id, post);
}

/// Completes a send descriptor, with success unless the library has recorded that its message failed.
fn over_with(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, post: PostId) {
    let has_failed = over(sim, id).is_some_and(|over| over.failed.contains_key(&post));
    let status = if has_failed {
        TxStatus::Failed
    } else {
        TxStatus::Ok
    };
    end(sim, id, post, status);
}

/// Schedules what is to be done with the DMA requests of a NIC.
pub(crate) fn schedule_request(sim: &mut Parts<'_, impl HasVia>, time: SimTime, due: Due) {
    schedule(sim, time, Delay::Request(due));
}

/// Schedules the time at which a window of the peer is mapped.
pub(crate) fn schedule_mapped(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, time: SimTime) {
    schedule(sim, time, Delay::Mapped(id));
}

/// Charges the library's processor with the start of DMA requests, which delays its next message.
fn start_requests(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, requests: u64) {
    let Some(over) = over(sim, id) else { return };
    let takes = over.costs.1.starts_take(requests);
    occupy(sim, id, takes);
}

/// Charges the library's processor with a time, which delays its next message.
pub(crate) fn occupy(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, takes: SimDuration) {
    let now = sim.now;
    let Some(home) = over(sim, id).map(|over| over.home) else {
        return;
    };
    works_until(sim.engines.via_mut(), home, now, takes);
    sim.host_time += takes;
}

/// Adds work to a process that runs libraries, one piece after the other. Returns the end of the work.
fn works_until(via: &mut ViaState, home: EndpointId, now: SimTime, takes: SimDuration) -> SimTime {
    let mut end = now + takes;
    if let Some(free_at) = via.libraries_end.get_mut(home) {
        end = (*free_at).max(now) + takes;
        *free_at = end;
    }
    end
}

/// Handles the end of a message's last DMA request: completes the send descriptor unless it waits for reception.
#[cold]
pub(super) fn requests_done(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, trigger: Trigger) {
    let is_broken = sim.engines.via_mut().is_broken(id);
    let Some(end_of) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let level = end_of.vi.reliability();
    let Some(over) = end_of.over.as_deref_mut() else {
        return;
    };
    over.moving.over();
    if let Trigger::Post(post) = trigger {
        // After the end of the connection the peer reads nothing more.
        let awaits_reading = level == Reliability::Reception && !is_broken;
        if !awaits_reading || over.failed.contains_key(&post) {
            over_with(sim, id, post);
        }
    }
    end_in_turn(sim, id);
}

/// Writes bytes of a process to a window of the peer, without using the library.
pub(super) fn write_raw(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (window, offset): (u32, u32),
    bytes: &[u8],
) {
    let Some(connection) = sim.engines.via_mut().end(id).map(|end| end.connection) else {
        return;
    };
    let fits = u32::try_from(bytes.len()).is_ok_and(|length| {
        sim.engines.via_mut().is_over_memory(id) && length <= sim.endpoints[id].max_packet
    });
    if fits {
        let mut writes = Writes::default();
        let written = writes.write(WindowId(window), offset, bytes);
        debug_assert_eq!(written, Ok(()), "the NIC of the peer checks the window");
        remote::carry_out(sim, id, &connection, &writes, Trigger::Timer);
    }
}

/// Returns how many of the newest messages that a VI has sent are moved by DMA.
pub(super) fn moving(end: &ViEndpoint) -> usize {
    let over = end.over.as_deref();
    over.map_or(0, |over| at(over.moving.count()))
}

/// Completes the posted send descriptors as flushed, because the connection has ended.
pub(super) fn flush_sends(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    if let Some(over) = over(sim, id) {
        over.turn.0 = over.turn.0.wrapping_add(1);
        over.due = 0;
    }
    // A user that learns of a completion may post again, which belongs to the next turn.
    let queue = &mut sim.endpoints[id].transmit;
    let flushed: Vec<PostId> = std::iter::from_fn(|| queue.take())
        .map(|(post, _)| post)
        .collect();
    for post in flushed {
        end(sim, id, post, TxStatus::Failed);
    }
}
