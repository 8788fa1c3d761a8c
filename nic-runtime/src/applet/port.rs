//! The port for natives on a NIC whose clock runs: each native takes effect at its own time.

use crate::ids::{ProcessorId, WindowId, at};
use jive_core::Heap;
use nic_core::event::{DropReason, Made};
use nic_core::id::{ChannelId, PacketId};
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, Port};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Channel;

use super::tell;
use crate::calls::call::{Call, Cause};
use crate::engine;
use crate::engine::Simulation;
use crate::nic::endpoint::AppletAt;
use crate::nic::item::Next;
use crate::nic::stage::Stage;
use crate::nic::transfer::{DmaPeer, Transfer};
use crate::storage::{Endpoint, Growing};
use crate::wire::PacketRef;

/// The outcome of pushing a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Push {
    /// The packet has its slots and is sent.
    Leaves,
    /// The packet can neither have slots nor wait for them, and is dropped.
    IsDropped,
}

/// Performs the natives of a call that a processor runs.
pub(crate) struct OnNic<'p, 's, const HEARD: bool> {
    pub(crate) simulation: &'p mut Simulation<'s>,
    pub(crate) on: ProcessorId,
    pub(crate) applet_at: AppletAt,
    pub(crate) push: Push,
}

impl<const HEARD: bool> OnNic<'_, '_, HEARD> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call(&self) -> &Call {
        self.simulation.processors[self.on].activation.call()
    }
}

impl<const HEARD: bool> OnNic<'_, '_, HEARD> {
    /// Looks whether a descriptor has named the buffer into which the handled packet was received.
    #[cold]
    fn look_at_buffer(&mut self) {
        if let Cause::Arrival { arrival, .. } = self.call().cause {
            self.simulation.look_at_buffer(arrival);
        }
    }
}

impl<const HEARD: bool> Port for OnNic<'_, '_, HEARD> {
    type Storage = Growing;
    type Packet = PacketRef;
    type Stop = Next;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<R>(&mut self, then: impl FnOnce(&mut Endpoint, &mut Heap<'_>) -> R) -> R {
        let AppletAt { endpoint, applet } = self.applet_at;
        let heap = self.simulation.applets[applet].instance.heap_mut();
        then(&mut self.simulation.endpoints[endpoint], heap)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn handled(&self) -> Option<PacketId> {
        self.call().packet()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fetch(&mut self, to: ArraySpan, host: HostSpan) -> Result<(), Next> {
        let simulation = &mut *self.simulation;
        let activation = &mut simulation.processors[self.on].activation;
        activation.landing = Some((to, host));
        let call = activation.call();
        let transfer = Transfer {
            endpoint: self.applet_at.endpoint,
            host,
            peer: DmaPeer::IntoArray(self.on),
            trigger: call.trigger(),
        };
        let transfer = simulation.transfers.add(&transfer, &[]);
        simulation.queue_transfer(transfer);
        Err(simulation.wait(self.on, Stage::Landed))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn store(&mut self, from: ArraySpan, host: HostSpan) -> Result<(), Next> {
        let (applet_at, trigger) = (self.applet_at, self.call().trigger());
        let simulation = &mut *self.simulation;
        let transfer = Transfer {
            endpoint: applet_at.endpoint,
            host,
            peer: DmaPeer::Staged,
            trigger,
        };
        let heap = simulation.applets[applet_at.applet].instance.heap();
        let transfer = simulation.transfers.add(&transfer, from.bytes(heap));
        simulation.queue_transfer(transfer);
        Ok(())
    }

    #[cold]
    fn peek(&mut self, into: ArraySpan, offset: u32) -> Result<(), Next> {
        let cause = self.call().cause;
        let simulation = &mut *self.simulation;
        if let Cause::Arrival { arrival, .. } = cause {
            let header = &simulation.packets[arrival].bytes[at(offset)..][..at(into.length())];
            let heap = simulation.applets[self.applet_at.applet]
                .instance
                .heap_mut();
            into.bytes_mut(heap).copy_from_slice(header);
        }
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn make(&mut self, from: ArraySpan, channel: Channel) -> Result<(PacketId, PacketRef), Next> {
        let (applet_at, trigger) = (self.applet_at, self.call().trigger());
        let simulation = &mut *self.simulation;
        let made = simulation.make_full_packet(applet_at, &channel, trigger, from);
        if HEARD {
            tell::made(simulation, applet_at, trigger, (made, from));
        }
        Ok(made)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn send(&mut self, packet: PacketRef) -> Result<(), Next> {
        match self.push {
            Push::Leaves => engine::send(self.simulation, packet),
            Push::IsDropped => self.simulation.drop_unsent(packet),
        }
        Ok(())
    }

    fn placing(&mut self, length: u32) -> Option<Made> {
        engine::placing(self.simulation, self.applet_at.endpoint, length)
    }

    #[cold]
    fn place(&mut self, from: ArraySpan, channel: ChannelId) -> Result<(), Next> {
        let (applet_at, trigger) = (self.applet_at, self.call().trigger());
        let message = (self.call().packet(), channel, from.length());
        let simulation = &mut *self.simulation;
        let placed = engine::place(simulation, applet_at.endpoint, message, trigger);
        let Some(placed) = placed else {
            return Ok(());
        };
        let heap = simulation.applets[applet_at.applet].instance.heap();
        let mut bytes = from.bytes(heap);
        let mut queued = Vec::with_capacity(placed.len());
        for (index, host) in placed.into_iter().enumerate() {
            let share;
            (share, bytes) = bytes.split_at(at(host.length()));
            let transfer = Transfer {
                endpoint: applet_at.endpoint,
                host,
                // The applet's call has claimed one staging slot, which holds the whole message.
                peer: match index {
                    0 => DmaPeer::Staged,
                    _ => DmaPeer::StagedBeside,
                },
                trigger,
            };
            queued.push(simulation.transfers.add(&transfer, share));
        }
        for transfer in queued {
            simulation.queue_transfer(transfer);
        }
        simulation.publish_in_turn(applet_at.endpoint);
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn publish(&mut self) -> Result<(), Next> {
        let endpoint = self.applet_at.endpoint;
        if self.simulation.setup.receives_directly() {
            self.look_at_buffer();
        }
        self.simulation.publish_in_turn(endpoint);
        Ok(())
    }

    fn refuse(&mut self) -> Result<(), Next> {
        self.look_at_buffer();
        let (applet_at, packet) = (self.applet_at, self.call().packet());
        let reason = DropReason::RxQueueFull;
        tell::dropped(self.simulation, applet_at, packet, reason);
        Ok(())
    }

    fn now(&self) -> SimTime {
        self.simulation.now
    }

    fn set_timer(&mut self, after: SimDuration) -> Result<(), Next> {
        self.simulation.set_timer(self.applet_at, after);
        self.simulation.processors[self.on].activation.has_asides = true;
        Ok(())
    }

    fn immediate(&self) -> u32 {
        let (endpoint, trigger) = (self.applet_at.endpoint, self.call().trigger());
        engine::immediate(self.simulation, endpoint, trigger).unwrap_or(0)
    }

    fn set_immediate(&mut self, value: u32) {
        engine::set_immediate(self.simulation, self.applet_at.endpoint, value);
        self.simulation.processors[self.on].activation.has_asides = true;
    }

    #[cold]
    fn watch(&mut self, window: WindowId, range: (u32, u32)) -> Result<(), Next> {
        engine::watch(self.simulation, self.applet_at, window, range);
        Ok(())
    }

    #[cold]
    fn write_window(&mut self, from: ArraySpan, peer: u32, offset: u32) -> Result<(), Next> {
        let (applet_at, trigger) = (self.applet_at, self.call().trigger());
        let simulation = &mut *self.simulation;
        if let Some(packet) =
            engine::make_window_write(simulation, applet_at, trigger, (from, peer, offset))
        {
            match self.push {
                Push::Leaves => simulation.enqueue(packet),
                Push::IsDropped => simulation.drop_unsent(packet),
            }
        }
        Ok(())
    }

    #[cold]
    fn read_window(&mut self, into: ArraySpan, peer: u32, offset: u32) -> Result<(), Next> {
        let (applet_at, trigger) = (self.applet_at, self.call().trigger());
        let simulation = &mut *self.simulation;
        let place = (into, peer, offset);
        if let Some(packet) = engine::make_window_read(simulation, applet_at, trigger, place) {
            match self.push {
                Push::Leaves => simulation.enqueue(packet),
                Push::IsDropped => simulation.drop_unsent(packet),
            }
        }
        Ok(())
    }

    fn note(&mut self, tag: i32, value: i32) -> Result<(), Next> {
        tell::note(self.simulation, self.applet_at, tag, value);
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tell(&mut self, value: i32, made: Made) -> Result<(), Next> {
        if HEARD {
            tell::performed(self.simulation, self.on, value, made);
        }
        Ok(())
    }
}
