//! The port for natives of a class's initializers that run while the NIC runs, beside the applet that the class is to
//! replace.

use crate::ids::WindowId;
use crate::ids::at;
use jive_core::{Heap, TrapKind};
use nic_core::event::Made;
use nic_core::id::PacketId;
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, Effect, LocalEffect, Port, Request, perform};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Channel;

use super::load::Natives;
use super::tell;
use crate::engine::Simulation;
use crate::nic::endpoint::AppletAt;
use crate::storage::Endpoint;
use crate::storage::Growing;

/// Natives of the initializers of a class that is to replace an applet while the NIC runs.
///
/// The swap to the new class may still be refused, and takes no virtual time. An initializer in a swap may therefore
/// not send, move bytes by DMA or push descriptors: each of these traps with `ProtectionFault`. Buffers that an
/// initializer popped return to the free queue if the swap is refused.
pub(crate) struct SwapNatives {
    /// The time that the initializers passed to `setTimer` last.
    pub(crate) timer: Option<SimDuration>,
    /// The windows and ranges that the initializers passed to `watch`.
    pub(crate) watches: Vec<(WindowId, (u32, u32))>,
}

impl Natives for SwapNatives {
    fn perform(
        &mut self,
        sim: &mut Simulation<'_>,
        applet_at: AppletAt,
        request: &Request,
        effect: Effect,
    ) -> Result<i32, TrapKind> {
        match effect {
            Effect::HostToNic { .. }
            | Effect::NicToHost { .. }
            | Effect::Peek { .. }
            | Effect::Send { .. }
            | Effect::Describe { .. }
            | Effect::Carry { .. }
            | Effect::WriteWindow { .. }
            | Effect::ReadWindow { .. } => return Err(TrapKind::ProtectionFault),
            Effect::Local(LocalEffect::Watch { .. }) if self.has_all_watches(sim, applet_at) => {
                return Err(TrapKind::ProtectionFault);
            }
            Effect::Local(_) => {}
        }
        let mut port = SwapPort {
            simulation: sim,
            applet_at,
            request,
            timer: &mut self.timer,
            watches: &mut self.watches,
        };
        perform(effect, &mut port)?
    }
}

impl SwapNatives {
    /// Returns whether the initializers have passed as many ranges to `watch` as the endpoint has watches left.
    fn has_all_watches(&self, sim: &Simulation<'_>, applet_at: AppletAt) -> bool {
        let left = sim.engines.window_rights(applet_at.endpoint).watches_left;
        self.watches.len() >= at(left)
    }
}

/// Performs the natives that [`SwapNatives`] permits.
struct SwapPort<'l, 's> {
    simulation: &'l mut Simulation<'s>,
    applet_at: AppletAt,
    request: &'l Request,
    timer: &'l mut Option<SimDuration>,
    watches: &'l mut Vec<(WindowId, (u32, u32))>,
}

impl Port for SwapPort<'_, '_> {
    type Storage = Growing;
    type Packet = ();
    type Stop = TrapKind;

    fn with<R>(&mut self, then: impl FnOnce(&mut Endpoint, &mut Heap<'_>) -> R) -> R {
        let AppletAt { endpoint, applet } = self.applet_at;
        let heap = self.simulation.applets[applet].instance.heap_mut();
        then(&mut self.simulation.endpoints[endpoint], heap)
    }

    fn handled(&self) -> Option<PacketId> {
        None
    }

    fn fetch(&mut self, _: ArraySpan, _: HostSpan) -> Result<(), TrapKind> {
        Err(TrapKind::ProtectionFault)
    }

    fn store(&mut self, _: ArraySpan, _: HostSpan) -> Result<(), TrapKind> {
        Err(TrapKind::ProtectionFault)
    }

    fn make(&mut self, _: ArraySpan, _: Channel) -> Result<(PacketId, ()), TrapKind> {
        Err(TrapKind::ProtectionFault)
    }

    fn send(&mut self, (): ()) -> Result<(), TrapKind> {
        Err(TrapKind::ProtectionFault)
    }

    fn publish(&mut self) -> Result<(), TrapKind> {
        Err(TrapKind::ProtectionFault)
    }

    fn refuse(&mut self) -> Result<(), TrapKind> {
        Err(TrapKind::ProtectionFault)
    }

    fn now(&self) -> SimTime {
        self.simulation.now
    }

    fn set_timer(&mut self, after: SimDuration) -> Result<(), TrapKind> {
        *self.timer = Some(after);
        Ok(())
    }

    fn watch(&mut self, window: WindowId, range: (u32, u32)) -> Result<(), TrapKind> {
        self.watches.push((window, range));
        Ok(())
    }

    fn note(&mut self, tag: i32, value: i32) -> Result<(), TrapKind> {
        tell::note(self.simulation, self.applet_at, tag, value);
        Ok(())
    }

    fn tell(&mut self, value: i32, made: Made) -> Result<(), TrapKind> {
        let request = self.request.begun_at(self.simulation.now);
        tell::native(self.simulation, self.applet_at, &request, value, made);
        Ok(())
    }
}
