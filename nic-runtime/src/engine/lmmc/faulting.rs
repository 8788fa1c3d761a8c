//! The faulting side in time: the seven steps of a process whose store finds its page out (S4-17).
//!
//! The process holds its processor from the store to the end of step 7, when it makes the store again. It does not wait
//! for the receiver (S4-09), but for room for its request.

use nic_core::event::LmmcEvent;
use nic_core::id::EndpointId;
use nic_core::lmmc::{
    Chosen, Direction, FaultError, FlushReason, Message, PagingSide, PortId, VirtualPage,
};
use nic_core::time::SimDuration;

use super::delays::Delay;
use super::messages::{has_room, send, send_line};
use super::ports;
use super::site::{Fault, Faulted, Faulting, SiteId, Waiter};
use super::state::HasLmmc;
use super::telling::{tell, tell_step};
use super::timing::after;
use crate::host::{Asked, Asking, WindowAsked};
use crate::sim::Parts;

/// Begins a fault (step 1). The process takes the trap and holds its processor, unless it has to wait for another fault of
/// the link to be over.
pub(super) fn begin(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (by, port): (EndpointId, PortId),
    (page, again): (VirtualPage, WindowAsked),
) -> Asking {
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
        return Asking::Ignored;
    };
    match site.end.trap(&node.pages, page) {
        Ok(trapped) => {
            let of = Faulted {
                by,
                again,
                port,
                victim: None,
            };
            let step = Faulting::Trap(trapped);
            site.fault = Some(Fault { of, step });
            let takes = node.costs.own.trap;
            sim.host_time += takes;
            after(sim, takes, Delay::Fault(at));
            Asking::Held
        }
        Err(error) => {
            debug_assert!(
                matches!(error, FaultError::Busy { .. }),
                "the store has found its page out"
            );
            site.for_fault.push(by);
            Asking::Later(Asked::Page(again))
        }
    }
}

/// A step has taken its time: does what it does, and begins the next one. After the last one, returns the process that
/// goes on, and what it does.
pub(super) fn step_over(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
) -> Option<(EndpointId, WindowAsked)> {
    let (node, site) = sim.engines.lmmc_mut().with_node(at)?;
    let Fault { of, step } = site.fault.take()?;
    let (end, pages, costs) = (&mut site.end, &mut node.pages, &node.costs);
    let own = &costs.own;
    let (number, step, takes) = match step {
        Faulting::Trap(trapped) => (1, Faulting::Find(trapped), own.find),
        Faulting::Find(trapped) => (2, Faulting::Choose(end.find_port(trapped)), own.choose),
        Faulting::Choose(faulted) => {
            let chosen = end.choose(pages, faulted, costs.victims());
            let takes = own.request;
            tell_chosen(sim, at, (of, chosen), takes);
            return None;
        }
        Faulting::Request(chosen) | Faulting::WaitForRoom(chosen) => {
            ask(sim, at, of, chosen);
            return None;
        }
        Faulting::Invalidate(requested) => {
            let invalidated = end.invalidate(pages, requested);
            let sharers = end.sharers(Direction::Send, of.port).len();
            (5, Faulting::Validate(invalidated), costs.entries(sharers))
        }
        Faulting::Validate(invalidated) => {
            let validated = end.validate(pages, invalidated);
            (6, Faulting::Return(validated), own.resume)
        }
        Faulting::Return(validated) => {
            end.resume(validated);
            return over(sim, at, of);
        }
    };
    go_on(sim, at, (number, Fault { of, step }), takes);
    None
}

/// Reports a step, and lets the next one take its time.
fn go_on(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (number, fault): (u8, Fault),
    takes: SimDuration,
) {
    let port = fault.of.port;
    sim.engines.lmmc_mut().sites[at].fault = Some(fault);
    tell_step(sim, at, (PagingSide::Faulting, number), port);
    sim.host_time += takes;
    after(sim, takes, Delay::Fault(at));
}

/// Step 3: the frame is known, and the port that goes out.
fn tell_chosen(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (of, chosen): (Faulted, Chosen),
    takes: SimDuration,
) {
    let event = LmmcEvent::Fault {
        port: of.port,
        victim: chosen.victim(),
        frame: chosen.frame(),
    };
    let by = of.by;
    let of = Faulted {
        victim: chosen.victim(),
        ..of
    };
    let step = Faulting::Request(chosen);
    go_on(sim, at, (3, Fault { of, step }), takes);
    tell(sim, by, event);
}

/// Step 4: the request leaves behind the last writes of the port that goes out, as soon as there is room. Until then the
/// port is written as before.
fn ask(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, of: Faulted, chosen: Chosen) {
    let has_room = has_room(sim, at);
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
        return;
    };
    if !has_room {
        site.for_room.push_back(Waiter::Request);
        let step = Faulting::WaitForRoom(chosen);
        site.fault = Some(Fault { of, step });
        return;
    }
    let (requested, page_out) = site.end.request(chosen);
    let sharers = of
        .victim
        .map(|victim| site.end.sharers(Direction::Send, victim).len());
    let takes = node.costs.entries(sharers.unwrap_or(0));
    if let (Some(victim), Some(flushed)) = (of.victim, page_out.flushed) {
        send_line(sim, at, (of.by, FlushReason::PageOut), (victim, &flushed));
    }
    let request = Message::Paging(page_out.request);
    send(sim, at, (of.by, Some(of.port)), &request);
    let step = Faulting::Invalidate(requested);
    go_on(sim, at, (4, Fault { of, step }), takes);
}

/// Step 7: returns the process, which makes its store at once, before another one pages the port out again.
fn over(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    of: Faulted,
) -> Option<(EndpointId, WindowAsked)> {
    tell_step(sim, at, (PagingSide::Faulting, 7), of.port);
    ports::delete_asked(sim, at);
    Some((of.by, of.again))
}
