//! Applets whose arrays are collected (`heap = "collected"`): an experiment that the U-Net/SLE paper leaves open.
//!
//! The arrays of a call then live as long as something names them, and not until the call ends. A NIC that collects
//! pauses for it, so the simulator alone offers it.

use jive_core::{ArrayKind, CollectError, FromSpace, TrapKind};
use nic_core::event::HostEvent;
use nic_core::sle::NicNative;
use nic_core::time::SimDuration;

use crate::engine::Simulation;
use crate::ids::ProcessorId;
use crate::nic::endpoint::AppletAt;
use crate::nic::item::Next;
use crate::nic::stage::Stage;

/// Performs the `newarray` at which the applet of a processor has stopped. Returns how long it pauses for a collection.
pub(crate) fn new_array(sim: &mut Simulation<'_>, on: ProcessorId, kind: ArrayKind) -> SimDuration {
    let stack = &sim.processors[on].activation.stack;
    let length = stack.native_arguments().first().copied().unwrap_or(0);
    let mut pause = SimDuration::ZERO;
    let mut made = allocate(sim, on, kind, length);
    if made == Err(TrapKind::OutOfMemoryError)
        && let Some(took) = collect(sim, on)
    {
        pause = took;
        made = allocate(sim, on, kind, length);
    }
    sim.processors[on].activation.stack.resume(made);
    pause
}

fn allocate(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    kind: ArrayKind,
    length: i32,
) -> Result<i32, TrapKind> {
    let AppletAt { applet, .. } = sim.processors[on].activation.call().applet_at;
    let heap = sim.applets[applet].instance.heap_mut();
    match sim.collectors.get_mut(&applet) {
        Some(of) => of.collector.allocate(heap, kind, length),
        None => Err(TrapKind::Unverified),
    }
}

/// Collects the arrays of the applet that runs on a processor. Returns how long it takes, or `None` if nothing is
/// collected.
fn collect(sim: &mut Simulation<'_>, on: ProcessorId) -> Option<SimDuration> {
    let processor = &mut sim.processors[on];
    let AppletAt { endpoint, applet } = processor.activation.call().applet_at;
    let of = sim.collectors.get_mut(&applet)?;
    let applet = &mut sim.applets[applet];
    // Another call of the applet, or a read of a window, may name arrays that nobody would find.
    let has_others = sim.live[endpoint].suspended_on.is_some();
    if has_others || applet.members.do_read.is_some() {
        return None;
    }
    let mut space = FromSpace {
        heap: of.lowest,
        to: of.lowest,
        buffers: &mut [],
    };
    let mut roots = processor.activation.stack.roots(of.roots);
    let instance = &mut applet.instance;
    let collected = instance.collect(&mut of.collector, &mut space, &mut [&mut roots]);
    let collected = match collected {
        Ok(collected) => collected,
        Err(
            CollectError::OutOfMemory { .. }
            | CollectError::Unverified
            | CollectError::Entries { .. },
        ) => return None,
    };
    let duration = processor
        .costs
        .of_collection(collected.roots, collected.moved);
    let event = HostEvent::Collection {
        roots: collected.roots,
        bytes: collected.moved,
        freed: collected.freed,
        duration,
    };
    sim.report.emit(sim.now, endpoint, event);
    Some(duration)
}

/// Collects for a native that has found no room for an array, if it has not tried before. Returns what the processor
/// does next: the native once more.
#[cold]
pub(crate) fn try_again(sim: &mut Simulation<'_>, on: ProcessorId) -> Option<Next> {
    let activation = &sim.processors[on].activation;
    let AppletAt { applet, .. } = activation.call().applet_at;
    let is_for_array = activation.reached == Some(NicNative::NewAlignedArray);
    let has_tried = sim.collectors.get(&applet)?.tried == Some(sim.now);
    if has_tried || !is_for_array {
        return None;
    }
    let pause = collect(sim, on)?;
    let again = sim.now + pause;
    if let Some(of) = sim.collectors.get_mut(&applet) {
        of.tried = Some(again);
    }
    Some(Next::after(pause, Stage::Perform))
}
