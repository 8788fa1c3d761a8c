//! NICs in host software: a loop with work takes a processor of its host, holds it until the loop waits for an event, and
//! copies the bytes between users and packets itself.
//!
//! Nothing preempts a task of a process, nor a loop. When a processor becomes free, loops come before processes, as a kernel
//! does.

use crate::ids::ProcessorId;
use nic_core::id::NicId;
use nic_core::time::SimDuration;

use super::{Engines, Parts};
use crate::nic::role::OnHost;
use crate::nic::stage::Stage;
use crate::nic::work::Work;

impl<E: Engines> Parts<'_, E> {
    /// Returns whether a loop may go on: it runs on the NIC, or has a processor of its host. A loop without one waits for it
    /// from now on.
    pub(crate) fn has_processor(&mut self, on: ProcessorId) -> bool {
        let now = self.now;
        let processor = &mut self.processors[on];
        let Some(on_host) = &mut processor.role.on_host else {
            return true;
        };
        match on_host {
            OnHost::Has(_) => true,
            OnHost::Waits => false,
            OnHost::Away { .. } => {
                let turns = self.turns.as_mut();
                let gets = turns.is_none_or(|turns| turns.begin_loop(processor.nic, on));
                *on_host = match gets {
                    true => OnHost::Has(now),
                    false => OnHost::Waits,
                };
                gets
            }
        }
    }

    /// Begins a stage of a loop in host software. Its processor copies nothing any more, and the copies of others do not
    /// delay it.
    pub(crate) fn begin_copies(&mut self, on: ProcessorId) {
        let processor = &self.processors[on];
        if processor.role.on_host.is_some() {
            self.nics[processor.nic].dma.copy_anew(self.now);
        }
    }

    /// Returns how long the processor copies what the stage of its loop that is over has asked for. DMA engines copy for a
    /// loop on the NIC.
    pub(crate) fn copies(&self, on: ProcessorId) -> SimDuration {
        let processor = &self.processors[on];
        match processor.role.on_host {
            Some(_) => {
                let dma = &self.nics[processor.nic].dma;
                dma.drained_at(self.now).since(self.now)
            }
            None => SimDuration::ZERO,
        }
    }

    /// Gives the processor of a loop that waits for an event back to its host.
    pub(crate) fn leave_processor(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[on];
        let nic = processor.nic;
        let Some(on_host @ OnHost::Has(_)) = &mut processor.role.on_host else {
            return;
        };
        let OnHost::Has(since) = std::mem::replace(on_host, OnHost::Away { is_roused: false })
        else {
            return;
        };
        self.host_time += self.now.since(since);
        if let Some(line) = self.turns.as_mut().and_then(|turns| turns.end_loop(nic)) {
            self.begin_turns(line);
        }
    }

    /// Adds the time that a loop in host software has had its processor, at the end of the run.
    pub(crate) fn count_loops(&mut self) {
        for on in self.processors.ids() {
            if let Some(OnHost::Has(since)) = self.processors[on].role.on_host {
                self.host_time += self.now.since(since);
            }
        }
    }

    /// Notes that the event has come for which a loop's call waited.
    pub(crate) fn note_roused(&mut self, on: ProcessorId) {
        if let Some(OnHost::Away { is_roused }) = &mut self.processors[on].role.on_host {
            *is_roused = true;
        }
    }

    /// Gives free processors of a host to the loops that wait for one. Returns how many more loops are about to ask.
    pub(super) fn begin_loops(&mut self, line: u32) -> u32 {
        while let Some(on) = self.turns.as_mut().and_then(|turns| turns.next_loop(line)) {
            self.processors[on].role.on_host = Some(OnHost::Has(self.now));
            self.schedule.insert(self.now, Work::Processor(on));
        }
        let nic = self.turns.as_ref().and_then(|turns| turns.nic_of(line));
        let loops = nic.into_iter().flat_map(|nic| self.nics[nic].processors());
        let asks = |on: &ProcessorId| {
            let processor = &self.processors[*on];
            match processor.role.on_host {
                Some(OnHost::Away { is_roused }) => {
                    is_roused || matches!(processor.stage, Stage::Look)
                }
                Some(OnHost::Waits | OnHost::Has(_)) | None => false,
            }
        };
        u32::try_from(loops.filter(asks).count()).unwrap_or(u32::MAX)
    }

    /// Makes the loop of a NIC in host software take the interrupt for a packet that needs no processor of a NIC.
    #[cold]
    pub(crate) fn interrupt(&mut self, nic: NicId) {
        let on = self.nics[nic].takes_arrivals;
        let processor = &mut self.processors[on];
        if processor.role.on_host.is_some() {
            processor.role.interrupts += processor.costs.interrupt;
            self.wake(on);
        }
    }
}
