//! Posted receive descriptors over remote memory: the library writes each to the cookie queue at the peer (S5-13).

use nic_core::event::Trigger;
use nic_core::id::EndpointId;
use nic_core::remote::RingError;
use nic_core::via::{LibraryError, Reason, Share};

use super::library::Opened;
use super::named;
use super::own::Named;
use super::state::{HasVia, ViaState, over};
use crate::engine::remote::{self, Writes};
use crate::sim::Parts;

/// Writes to the peer's memory the receive descriptors that are posted before the run. No packet carries
/// these writes, because they are part of the connection's set-up.
pub(super) fn post_first(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    if !sim.engines.via_mut().is_over_memory(id) {
        return;
    }
    let free = &sim.endpoints[id].free;
    let (count, length) = (free.count(), free.buffer_length());
    for number in 0..u32::try_from(count).unwrap_or(u32::MAX) {
        let Ok(writes) = posts(sim, id, number * length) else {
            continue;
        };
        for write in writes.0 {
            let length = u32::try_from(write.bytes.len()).unwrap_or(u32::MAX);
            let span =
                sim.engines
                    .remote_mut()
                    .windows
                    .resolve(write.window, id, (write.offset, length));
            if let Ok(span) = span {
                sim.memory.bytes_mut(span).copy_from_slice(&write.bytes);
            }
        }
    }
}

/// Returns the writes that make a posted receive descriptor visible to the peer. There are none while the peer may write
/// nothing.
pub(super) fn posts(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    offset: u32,
) -> Result<Writes, LibraryError> {
    let mut writes = Writes::default();
    let endpoint = &sim.endpoints[id];
    let (area, length) = (endpoint.area, endpoint.free.buffer_length());
    let (via, remote) = sim.engines.via_and_remote();
    let Some(end) = via.end_mut(id) else {
        return Ok(writes);
    };
    let peer = end.connection.peer;
    let Some(over) = end.over.as_deref_mut() else {
        return Ok(writes);
    };
    let (window, offset) = match &mut over.opened {
        Opened::Area(window) => (*window, offset),
        Opened::Descriptors(windows) => {
            let window = remote.windows.open(area, (offset, length), peer)?;
            windows.push_back(window);
            (window, 0)
        }
        Opened::Nothing => return Ok(writes),
    };
    let segment = Share {
        window,
        offset,
        length,
    };
    let own = sim.memory.region(over.control);
    over.library.post_receive(own, &mut writes, &[segment])?;
    Ok(writes)
}

/// Announces the posted receive descriptors that did not fit into the set-up of the connection.
pub(super) fn post_rest(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let Some(over) = over(sim, id) else { return };
    let announced = over.announced;
    let rest: Vec<u32> = sim.endpoints[id].free.queued().skip(announced).collect();
    for offset in rest {
        post_again(sim, id, offset);
    }
    for own in posted_from(sim, id, announced) {
        if !announce(sim, id, &own) {
            // The peer would use the descriptors in another order.
            return ViaState::breaks(sim, id, Reason::Loss);
        }
    }
}

/// Returns the writes that announce a receive descriptor of a program to the peer.
pub(super) fn posts_named(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    own: &Named,
) -> Result<Writes, LibraryError> {
    let mut writes = Writes::default();
    let strict = over(sim, id).is_some_and(|over| over.strict);
    let Some(shares) = named::shares(sim, id, own, strict) else {
        return Err(RingError::Full.into());
    };
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return Ok(writes);
    };
    let Some(over) = end.over.as_deref_mut() else {
        return Ok(writes);
    };
    let control = sim.memory.region(over.control);
    let posted = over.library.post_receive(control, &mut writes, &shares);
    if posted.is_err() && strict {
        named::not_announced(sim, id);
    }
    posted.map(|()| writes)
}

/// Announces a receive descriptor of a program to the peer. Returns false if the cookie queue has no room for it.
pub(super) fn announce(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, own: &Named) -> bool {
    let Some(connection) = sim.engines.via_mut().end(id).map(|end| end.connection) else {
        return false;
    };
    match posts_named(sim, id, own) {
        Ok(writes) => {
            remote::carry_out(sim, id, &connection, &writes, Trigger::Refill);
            true
        }
        Err(_) => false,
    }
}

/// Returns the posted receive descriptors of a program, without the first ones.
pub(super) fn posted_from(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    first: usize,
) -> Vec<Named> {
    let own = named::receives(sim, id);
    own.map_or(Vec::new(), |own| {
        own.posted.iter().skip(first).cloned().collect()
    })
}

/// Makes a receive descriptor that the user has posted again visible to the peer.
pub(super) fn post_again(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, offset: u32) {
    let Some(connection) = sim.engines.via_mut().end(id).map(|end| end.connection) else {
        return;
    };
    if sim.engines.via_mut().is_broken(id) {
        return;
    }
    match posts(sim, id, offset) {
        Ok(writes) => {
            remote::carry_out(sim, id, &connection, &writes, Trigger::Refill);
        }
        // The peer's read pointer is wrong, or the peer has not read the cookie queue for too long.
        Err(_) => ViaState::breaks(sim, id, Reason::Loss),
    }
}
