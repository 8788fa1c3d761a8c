//! Replaces the applets of endpoints while the NIC runs.
//!
//! A swap of applets has two parts. First, when a swap is due, the new class is verified, and gets memory from the
//! NIC's SRAM beside the running applet. The second part of a swap, the switch, is made between two calls of the
//! applet. At the switch to the new applet, its class's initializers run, and the fields and arrays that both classes
//! have are [carried over](nic_core::sle::carry). If a step of a swap fails, the old applet stays and continues as if there had
//! been no swap.
//!
//! Queues, popped buffers, packets on their way and the armed timer belong to the endpoint and not to its applet. A
//! switch of applets therefore neither loses nor repeats a packet.

use crate::engine;
use crate::ids::{AppletId, ProcessorId, at};

use crate::ids::WindowId;
use jive_core::LinkedClass;
use jive_core::limits::ARRAY_ALIGNMENT;
use jive_embed::preset::Stores;
use jive_verifier::{AppletMember, VerifyErrorKind};
use nic_core::event::{SleEvent, SwapRefusal};
use nic_core::id::EndpointId;
use nic_core::sle::capsule::INSTALLED;
use nic_core::sle::{Applet, HeapFull, carry, memory_bytes};
use nic_core::time::SimDuration;

use super::answers::answered;
use super::load::{self, Uninitialized};
use super::pending_calls;
use super::swap_port::SwapNatives;
use crate::calls::call::Activation;
use crate::calls::classes::fits;
use crate::calls::ledger::Need;
use crate::calls::needs::{NotOffered, not_offered};
use crate::calls::suspended::call_stack;
use crate::calls::swaps::{Waiting, slice};
use crate::engine::Simulation;
use crate::nic::endpoint::AppletAt;
use crate::nic::stage::Stage;
use crate::nic::work::Work;
use crate::profile::Receive;
use crate::spec::SwapSpec;

/// Why a class for NICs that receive directly is no applet of another NIC.
const MISSING_RX_BUF: VerifyErrorKind = VerifyErrorKind::MissingMember {
    member: AppletMember::RxBuf,
};

/// Schedules the swaps of the scenario, so that each comes before all other events of the same time. A host verifies the
/// class from the time of the swap on, and the class reaches the NIC afterwards.
pub(crate) fn schedule(sim: &mut Simulation<'_>) {
    for (swap, spec) in (0u32..).zip(sim.swaps.scheduled()) {
        let scenario = sim.swaps.scenario;
        let nic = scenario.endpoints[spec.endpoint].nic;
        let each = scenario.profile_of(nic).host.verify;
        let verified = each.times(scenario.classes[spec.class].bytes.len() as u64);
        sim.schedule.insert(spec.at + verified, Work::Swap(swap));
    }
}

/// Gives up the half-finished capsule of an endpoint, unless a fragment has come since this check was scheduled.
#[cold]
pub(crate) fn look_at_capsule(sim: &mut Simulation<'_>, endpoint: EndpointId) {
    let nic = sim.endpoints[endpoint].nic;
    let now = sim.now;
    sim.swaps.give_up_capsule((endpoint, nic), now);
}

/// Begins a swap of the scenario that is due.
#[cold]
pub(crate) fn due(sim: &mut Simulation<'_>, swap: u32) {
    let SwapSpec {
        endpoint, class, ..
    } = sim.swaps.scheduled()[at(swap)];
    request(sim, endpoint, class, (None, None));
}

/// Makes a class the applet of an endpoint, now or at the end of the running call. `capsule` is the number of the
/// capsule in which the class came, and `on` the processor that took the capsule.
pub(crate) fn request(
    sim: &mut Simulation<'_>,
    endpoint: EndpointId,
    class: usize,
    (capsule, on): (Option<u32>, Option<ProcessorId>),
) {
    let swaps = &mut sim.swaps;
    let nic = swaps.scenario.endpoints[endpoint].nic;
    let profile = swaps.scenario.profile_of(nic);
    let offers = profile.offers();
    let taken = swaps.loaded(class).and_then(|loaded| {
        if !fits(loaded, profile.receive) {
            let code = match profile.receive {
                Receive::Staged => MISSING_RX_BUF.code(),
                Receive::Direct => VerifyErrorKind::UnsetRxBuf.code(),
            };
            return Err(SwapRefusal::Rejected(code));
        }
        if not_offered(&loaded.class, offers).next().is_some() {
            return Err(SwapRefusal::Rejected(NotOffered::CODE));
        }
        let need = Need::of(swaps.scenario, endpoint, class, &loaded.program);
        match swaps.ledger.take(endpoint, need) {
            true => Ok((loaded, need)),
            false => Err(SwapRefusal::NoSram),
        }
    });
    match taken {
        Ok((loaded, need)) => {
            swaps.waiting.push(Waiting {
                endpoint,
                class,
                loaded,
                need,
                capsule,
            });
            make(sim, endpoint, on);
        }
        Err(reason) => refuse(sim, (endpoint, class), capsule, reason),
    }
}

fn refuse(
    sim: &mut Simulation<'_>,
    (endpoint, class): (EndpointId, usize),
    capsule: Option<u32>,
    reason: SwapRefusal,
) {
    sim.report
        .emit_refused(sim.now, endpoint, Some(class), reason);
    if let Some(number) = capsule {
        answered(sim, endpoint, number, reason.word());
    }
}

/// Makes the swaps that wait for an endpoint, unless a call of its applet is under way: the end of such a call makes
/// them. `on` is the processor that runs this code, if one does; this processor is in no call.
#[cold]
pub(crate) fn make(sim: &mut Simulation<'_>, endpoint: EndpointId, on: Option<ProcessorId>) {
    loop {
        let mut waiting = sim.swaps.waiting.iter();
        let Some(first) = waiting.position(|waiting| waiting.endpoint == endpoint) else {
            return;
        };
        if let Some(activation) = call_under_way(sim, endpoint, on) {
            activation.has_asides = true;
            return;
        }
        let waiting = sim.swaps.waiting.remove(first);
        let Waiting { class, capsule, .. } = waiting;
        match switch(sim, waiting) {
            Ok(()) => {
                if let Some(number) = capsule {
                    answered(sim, endpoint, number, INSTALLED);
                }
            }
            Err(NotMade::Refused(reason)) => refuse(sim, (endpoint, class), capsule, reason),
            Err(NotMade::Exceeded) => {
                let nic = sim.endpoints[endpoint].nic;
                let first = sim.nics[nic].first_processor();
                _ = sim.exceed_budget(first);
                return;
            }
        }
    }
}

/// Returns the one call of an endpoint's applet that has been entered and has not ended, if there is one.
fn call_under_way<'s, 'a>(
    sim: &'s mut Simulation<'a>,
    endpoint: EndpointId,
    on: Option<ProcessorId>,
) -> Option<&'s mut Activation<'a>> {
    let applet = sim.infos[endpoint].applet?;
    let nic = sim.endpoints[endpoint].nic;
    let mut processors = sim.nics[nic].processors();
    let inside = processors.find(|other| {
        let processor = &sim.processors[*other];
        Some(*other) != on
            && processor.call_continues_at().is_in_call()
            && processor.activation.call().applet_at.endpoint == endpoint
    });
    match inside {
        Some(inside) => Some(&mut sim.processors[inside].activation),
        None => {
            let suspended = sim.suspensions.of(applet)?;
            Some(&mut suspended.activation)
        }
    }
}

/// The reason why a switch to a new applet is not made.
enum NotMade {
    /// The old applet stays.
    Refused(SwapRefusal),
    /// The run's instruction budget is exceeded, and the run ends.
    Exceeded,
}

impl From<Uninitialized> for NotMade {
    fn from(error: Uninitialized) -> NotMade {
        match error {
            Uninitialized::Trapped(trap) => NotMade::Refused(SwapRefusal::Trapped(trap.kind)),
            Uninitialized::Exceeded => NotMade::Exceeded,
        }
    }
}

/// Replaces the applet of an endpoint while no call of the applet is under way. If the switch of applets is not made,
/// nothing has changed.
fn switch<'a>(sim: &mut Simulation<'a>, waiting: Waiting<'a>) -> Result<(), NotMade> {
    let Waiting {
        endpoint,
        class,
        loaded,
        need,
        capsule: _,
    } = waiting;
    let former_class = sim.swaps.class_of(endpoint);
    let applet = instance(sim, endpoint, loaded)?;
    let (applet_at, former) = move_in(sim, endpoint, applet);
    sim.report.set_class(endpoint, Some(class));
    let started = start(sim, applet_at, former.as_ref());
    match started {
        Ok(_) => {
            sim.swaps.current[endpoint] = Some(class);
            sim.endpoints[endpoint].free.keep_popped();
            if let Some(former) = former {
                sim.swaps.spare.keep(former);
            }
            let freed = former_class.and_then(|class| sim.swaps.need(endpoint, class));
            if let Some(freed) = freed {
                sim.swaps.ledger.give_back(endpoint, freed);
            }
        }
        Err(_) => {
            move_out(sim, applet_at, former);
            sim.report.set_class(endpoint, former_class);
            sim.endpoints[endpoint].free.return_popped();
            sim.swaps.ledger.give_back(endpoint, need);
        }
    }
    sim.levels_changed(endpoint);
    let Started {
        carried,
        timer,
        watches,
    } = started?;
    let applet = &sim.applets[applet_at.applet];
    let kind = SleEvent::AppletSwap {
        code_bytes: applet.class.program.code_bytes(),
        heap_bytes: applet.heap_bytes(),
        carried,
    };
    sim.report.emit(sim.now, endpoint, kind);
    sim.live[endpoint].fault.replaced(sim.now);
    pending_calls::adapt(sim, applet_at, timer);
    for (window, range) in watches {
        engine::watch(sim, applet_at, window, range);
    }
    retarget(sim, applet_at);
    Ok(())
}

/// Makes an instance of a class for an endpoint.
fn instance<'a>(
    sim: &mut Simulation<'a>,
    endpoint: EndpointId,
    loaded: &'a LinkedClass<'a>,
) -> Result<Applet<'a>, NotMade> {
    let spec = &sim.specs[endpoint];
    let profile = sim.swaps.scenario.profile_of(spec.nic);
    let rx_buf = profile.rx_buf_bytes();
    let spare = &mut sim.swaps.spare;
    let heap = memory_bytes(spec.heap, rx_buf);
    let heap = slice(&mut spare.heaps, sim.arena, heap);
    let fields = loaded.program.field_count();
    let fields = slice(&mut spare.fields, sim.arena, fields);
    let applet = Applet::lent(loaded, fields, heap, rx_buf);
    applet.map_err(|error| NotMade::Refused(SwapRefusal::Rejected(error.code())))
}

/// Puts an applet in the place of an endpoint's old applet, and returns the old one. An endpoint without an applet gets
/// a place in the list of applets.
fn move_in<'a>(
    sim: &mut Simulation<'a>,
    endpoint: EndpointId,
    applet: Applet<'a>,
) -> (AppletAt, Option<Applet<'a>>) {
    let info = &mut sim.infos[endpoint];
    let (id, former) = match info.applet {
        Some(id) => {
            let place = &mut sim.applets[id];
            (id, Some(std::mem::replace(place, applet)))
        }
        None => {
            let id = u32::try_from(sim.applets.len()).expect("an endpoint has one applet");
            let id = AppletId(id);
            info.applet = Some(id);
            sim.applets.push(applet);
            (id, None)
        }
    };
    let applet_at = AppletAt {
        endpoint,
        applet: id,
    };
    (applet_at, former)
}

/// Puts the former applet of an endpoint back, if there was one.
fn move_out<'a>(sim: &mut Simulation<'a>, applet_at: AppletAt, former: Option<Applet<'a>>) {
    let left = match former {
        Some(former) => {
            let place = &mut sim.applets[applet_at.applet];
            Some(std::mem::replace(place, former))
        }
        None => {
            sim.infos[applet_at.endpoint].applet = None;
            sim.applets.pop()
        }
    };
    if let Some(left) = left {
        sim.swaps.spare.keep(left);
    }
}

/// The state in which a new applet starts.
struct Started {
    /// Number of fields carried over from the former applet.
    carried: u32,
    /// The time that the new applet's initializers passed to `setTimer` last.
    timer: Option<SimDuration>,
    /// The windows and ranges that the new applet's initializers passed to `watch`.
    watches: Vec<(WindowId, (u32, u32))>,
}

/// Runs the initializers of a new applet, and carries the state of the former one over.
fn start(
    sim: &mut Simulation<'_>,
    applet_at: AppletAt,
    former: Option<&Applet<'_>>,
) -> Result<Started, NotMade> {
    let nic = sim.endpoints[applet_at.endpoint].nic;
    let on = sim.nics[nic].first_processor();
    let activations = &mut sim.swaps.spare.activations;
    let mut activation = match activations.iter().position(|(of, _)| *of == nic) {
        Some(place) => activations.swap_remove(place).1,
        None => Activation::new(call_stack(sim.arena, sim.processors[on].costs)),
    };
    std::mem::swap(&mut sim.processors[on].activation, &mut activation);
    let mut natives = SwapNatives {
        timer: None,
        watches: Vec::new(),
    };
    let mut stores = Stores::new([]);
    let ran = load::run_initializers(sim, on, applet_at, (&mut stores, &mut natives));
    std::mem::swap(&mut sim.processors[on].activation, &mut activation);
    sim.swaps.spare.activations.push((nic, activation));
    ran?;
    let carried = match former {
        Some(former) => {
            let new = &mut sim.applets[applet_at.applet];
            let used = new.instance.heap().contents().len();
            let mut aside = vec![0; used + ARRAY_ALIGNMENT as usize];
            carry(former, new, &mut aside).map_err(|HeapFull| NotMade::Refused(SwapRefusal::NoHeap))
        }
        None => Ok(0),
    };
    // Arrays that are carried over may lie elsewhere in the new heap.
    if let Some(posts) = sim.report.posts_mut() {
        posts.forget(applet_at);
    }
    // Each array that is carried over is read once, and written twice: with zeros and with its elements.
    let applet = &mut sim.applets[applet_at.applet];
    let cleared = u64::from(applet.instance.heap_mut().take_cleared());
    let rx_buf = applet.rx_buf().len() as u64;
    sim.budget
        .spend_bytes(cleared.saturating_mul(3).saturating_add(rx_buf));
    let carried = carried?;
    Ok(Started {
        carried,
        timer: natives.timer,
        watches: natives.watches,
    })
}

/// Directs calls that have begun but have not entered the former applet to the new applet. If the new applet has no
/// entry for a redirected call, or the call's cause is void, the call's processor looks for other work.
fn retarget(sim: &mut Simulation<'_>, applet_at: AppletAt) {
    let members = sim.applets[applet_at.applet].members;
    let nic = sim.endpoints[applet_at.endpoint].nic;
    for on in sim.nics[nic].processors() {
        let processor = &mut sim.processors[on];
        if !matches!(processor.call_continues_at(), Stage::Enter) {
            continue;
        }
        let call = *processor.activation.call();
        if call.applet_at.endpoint != applet_at.endpoint {
            continue;
        }
        match members.entry(call.entry()) {
            // The initializers of the new applet may have set the timer again.
            Some(method) if !pending_calls::is_void(sim, applet_at, &call.cause) => {
                sim.processors[on].activation.retarget(method);
            }
            Some(_) | None => sim.turn_away(on),
        }
    }
}
