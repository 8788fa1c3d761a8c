//! Interrupts: how a library over remote memory learns of the peer's writes if it does not poll (S5-09, S5-19).
//!
//! A VI interrupts its host if its completions go to a completion queue, or if its user waits for an upcall. The library
//! of any other VI compares pointers.
//!
//! The library has watches on the peer's pointers for which it waits. When the peer writes a watched pointer, the NIC
//! interrupts the host. The host handles one interrupt of its NIC at a time, and the library sees the pointer
//! afterwards. While the interrupt for a pointer is pending, the watch adds no other, as in
//! `nic_core::remote::EventQueue`.

use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};

use super::delays::schedule;
use super::library::Pointer;
use super::over_memory::occupy;
use super::state::{Delay, HasVia, over};
use crate::sim::Parts;

/// Interrupts the host after the peer has written a pointer, if the library waits for this pointer.
pub(super) fn interrupt(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    pointer: Pointer,
    takes: SimDuration,
) {
    let Some(end) = sim.engines.via_mut().end(id) else {
        return;
    };
    let connection = end.handshake.connection();
    let is_awaited = match pointer {
        Pointer::Transfers => true,
        Pointer::Cookies => end.over.as_deref().is_some_and(|over| over.due > 0),
        Pointer::Read => !end.sent.is_empty(),
    };
    let Some(over) = over(sim, id) else { return };
    if !is_awaited || std::mem::replace(over.coming.of(pointer), true) {
        return;
    }
    let time = interrupt_host(sim, id, takes);
    schedule(sim, time, Delay::Event(id, pointer, connection));
}

/// Interrupts the host of a VI for a time, after the earlier interrupts of its NIC. Returns the end of the interrupt.
pub(crate) fn interrupt_host(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    takes: SimDuration,
) -> SimTime {
    sim.interrupts += 1;
    let (now, nic) = (sim.now, sim.endpoints[id].nic);
    let mut end = now + takes;
    if let Some(free_at) = sim.engines.via_mut().interrupts_end.get_mut(nic) {
        end = (*free_at).max(now) + takes;
        *free_at = end;
    }
    occupy(sim, id, takes);
    end
}
