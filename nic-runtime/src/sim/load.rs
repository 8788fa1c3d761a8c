//! What happens before the clock starts: classes are loaded, applets initialised.
//!
//! Natives that run now take effect at once, at virtual time 0. What they send queues for its link and
//! leaves when every applet is loaded.

use bumpalo::Bump;
use jive_core::{Lifetime, MethodId, Step, TrapKind};

use super::call::Request;
use super::{SimError, Simulation, at};
use crate::event::{DmaDirection, EndpointId, EventKind, NicId, Sink};
use crate::fabric::PacketRef;
use crate::scenario::model::Scenario;
use crate::sle::{
    Applied, LoadedClass, NicNative, Policy, Rights, check, host_to_nic, load_class, nic_to_host,
};

/// An applet trapped while it was loaded; the trap is reported.
pub(super) struct LoadTrapped;

/// Loads each class of the scenario once.
pub(super) fn load_classes<'a>(
    arena: &'a Bump,
    scenario: &'a Scenario,
) -> Result<&'a [LoadedClass<'a>], SimError> {
    let mut classes = Vec::with_capacity(scenario.classes.len());
    for (class, spec) in scenario.classes.iter().enumerate() {
        let loaded = load_class(arena, &spec.bytes, Policy::Applet);
        classes.push(loaded.map_err(|error| SimError::Class { class, error })?);
    }
    Ok(arena.alloc_slice_copy(&classes))
}

impl<S: Sink> Simulation<'_, S> {
    /// Initialises every applet, in file order, then lets what they sent go.
    pub(super) fn load_applets(&mut self) -> Result<(), LoadTrapped> {
        let mut sent = Vec::new();
        for id in (0u32..).map(EndpointId).take(self.endpoints.len()) {
            self.load_applet(id, &mut sent)?;
        }
        for packet in sent {
            self.enqueue(packet);
        }
        Ok(())
    }

    fn load_applet(
        &mut self,
        id: EndpointId,
        sent: &mut Vec<PacketRef>,
    ) -> Result<(), LoadTrapped> {
        let Some(applet) = &self.applets[at(id.0)] else {
            return Ok(());
        };
        let (program, members) = (applet.class.program, applet.members);
        for method in program
            .initializer()
            .into_iter()
            .chain([members.constructor])
        {
            self.initialize(id, method, sent)?;
        }
        if let Some(applet) = &self.applets[at(id.0)] {
            let (code_bytes, heap_bytes) = (program.code_bytes(), applet.heap_bytes());
            self.report.emit(
                self.now,
                id,
                EventKind::Load {
                    code_bytes,
                    heap_bytes,
                },
            );
        }
        Ok(())
    }

    /// Runs an initializer to its end, now.
    fn initialize(
        &mut self,
        id: EndpointId,
        method: MethodId,
        sent: &mut Vec<PacketRef>,
    ) -> Result<(), LoadTrapped> {
        self.report
            .emit(self.now, id, EventKind::AppletCall { method, args: &[] });
        let nic = self.endpoints[at(id.0)].nic;
        let Some(applet) = &mut self.applets[at(id.0)] else {
            return Ok(());
        };
        let stack = &mut self.processors[at(nic.0)].stack;
        let fuel = self.fuel[at(id.0)];
        let mut ended = applet
            .instance
            .start(stack, method, &[], fuel, Lifetime::Persistent)
            .map_or_else(|trap| Some(Err(trap)), |()| None);
        while ended.is_none() {
            let Some(applet) = &mut self.applets[at(id.0)] else {
                return Ok(());
            };
            let stack = &mut self.processors[at(nic.0)].stack;
            ended = match applet.instance.run(stack) {
                Step::Returned(value) => Some(Ok(value)),
                Step::Trapped(trap) => Some(Err(trap)),
                Step::Native { id: native, args } => {
                    let request = Request::new(native, args);
                    let extra = NicNative::from_id(native)
                        .map_or(0, |native| self.profile.native_fuel.of(native.cost()));
                    let outcome = stack
                        .charge(extra)
                        .and_then(|()| self.perform_now(nic, id, &request, sent));
                    self.processors[at(nic.0)].stack.resume(outcome);
                    None
                }
            };
        }
        match ended {
            Some(Err(trap)) => {
                self.emit_trap(id, trap);
                Err(LoadTrapped)
            }
            Some(Ok(value)) => {
                let bytecodes = self.processors[at(nic.0)].stack.executed();
                let kind = EventKind::AppletReturn {
                    method,
                    value,
                    bytecodes,
                };
                self.report.emit(self.now, id, kind);
                self.endpoints[at(id.0)].free.keep_popped();
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Performs a native at once; a packet for which there is no send slot is dropped, since no time
    /// passes in which one could become free.
    fn perform_now(
        &mut self,
        nic: NicId,
        id: EndpointId,
        request: &Request,
        sent: &mut Vec<PacketRef>,
    ) -> Result<i32, TrapKind> {
        let Some(applet) = &mut self.applets[at(id.0)] else {
            return Err(TrapKind::Unverified);
        };
        let endpoint = &mut self.endpoints[at(id.0)];
        let rights = Rights {
            area: endpoint.area,
            buffer_length: endpoint.free.buffer_length(),
            channels: &endpoint.channels,
            max_packet: self.profile.memory.max_packet.get(),
        };
        let heap = applet.instance.heap_mut();
        let effect = check(request.id(), request.args(), heap, &rights)?;
        match effect.apply(endpoint, heap, None)? {
            Applied::Value(value) => {
                self.emit_native(id, request, value);
                return Ok(value);
            }
            Applied::HostToNic { to, host } => {
                host_to_nic(heap, to, &self.memory, host);
                self.emit_dma(id, DmaDirection::HostToNic, host);
                self.emit_native(id, request, 0);
            }
            Applied::NicToHost { from, host } => {
                nic_to_host(heap, from, &mut self.memory, host);
                self.emit_native(id, request, 0);
                self.emit_dma(id, DmaDirection::NicToHost, host);
            }
            Applied::Send { from, channel } => {
                self.emit_native(id, request, 0);
                let has_slot = self.nics[at(nic.0)].send_slots.take();
                let packet = self.make_packet(id, &channel, None);
                if has_slot {
                    self.fill_packet(packet, id, from);
                    sent.push(packet);
                } else {
                    self.drop_without_slot(packet);
                }
            }
            Applied::Described => {
                self.emit_native(id, request, 0);
                self.publish(id);
            }
            Applied::RxQueueFull => {
                self.emit_native(id, request, 0);
                self.drop_described(id, None);
            }
        }
        Ok(0)
    }
}
