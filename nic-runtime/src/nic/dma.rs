//! The schedule of a NIC's DMA engines: when each transfer starts and ends.

use nic_core::event::DmaDirection;
use nic_core::time::{Rate, SimDuration, SimTime};

use crate::profile::{DmaEngines, DmaProfile, KernelCosts, Profile, Takes};

/// The times at which each DMA engine of a NIC is busy. Transfers run in the order in which they were queued and are
/// not interrupted. The start and end of a transfer are therefore determined when the transfer is queued.
#[derive(Copy, Clone, Debug)]
pub struct DmaSchedule {
    engines: DmaEngines,
    /// Rates of DMA transfers into the NIC and to the host.
    rates: [Rate; 2],
    /// Time of a DMA request before its first byte moves.
    request: SimDuration,
    takes_one: bool,
    free_at: [SimTime; 2],
    /// Bytes of a receive descriptor if DMA moves it to the host, 0 otherwise.
    descriptor: u32,
}

impl DmaSchedule {
    /// Returns idle engines.
    #[must_use]
    pub fn new(profile: &DmaProfile) -> DmaSchedule {
        DmaSchedule {
            engines: profile.engines,
            rates: [profile.bandwidth, profile.to_host].map(Rate::new),
            request: profile.request,
            takes_one: profile.takes == Takes::One,
            free_at: [SimTime::ZERO; 2],
            descriptor: profile.descriptor,
        }
    }

    /// Returns the schedule of a NIC with this profile: of its DMA engines, or of the copies of a loop in host software.
    #[must_use]
    pub fn of(profile: &Profile) -> DmaSchedule {
        match &profile.kernel_costs() {
            Some(kernel) => DmaSchedule::of_copies(kernel, profile.dma.descriptor),
            None => DmaSchedule::new(&profile.dma),
        }
    }

    fn of_copies(kernel: &KernelCosts, descriptor: u32) -> DmaSchedule {
        DmaSchedule {
            engines: DmaEngines::Shared,
            rates: [Rate::new(kernel.copy); 2],
            request: SimDuration::ZERO,
            takes_one: false,
            free_at: [SimTime::ZERO; 2],
            descriptor,
        }
    }

    /// Lets another processor copy from now on. The copies of a processor end before its next stage, and those of others
    /// do not delay it.
    pub fn copy_anew(&mut self, now: SimTime) {
        self.free_at = [now; 2];
    }

    /// Returns the duration of a DMA transfer of `length` bytes.
    #[must_use]
    pub fn duration(&self, direction: DmaDirection, length: u32) -> SimDuration {
        self.request + self.moving(direction, length)
    }

    /// Returns the time in which the bytes of a transfer move, without the time of the request.
    #[must_use]
    pub fn moving(&self, direction: DmaDirection, bytes: u32) -> SimDuration {
        let way = match direction {
            DmaDirection::HostToNic => 0,
            DmaDirection::NicToHost => 1,
        };
        self.rates[way].time(bytes)
    }

    /// Returns whether the engines have no queue (`dma.takes = "one"`).
    #[must_use]
    pub fn takes_one(&self) -> bool {
        self.takes_one
    }

    /// Returns when a DMA engine without a queue can accept a request; `None` if the engine can accept one now.
    #[must_use]
    pub fn takes_at(&self, now: SimTime, direction: DmaDirection) -> Option<SimTime> {
        let free = self.free_at[self.engine(direction)];
        (self.takes_one && free > now).then_some(free)
    }

    fn engine(&self, direction: DmaDirection) -> usize {
        match (self.engines, direction) {
            (DmaEngines::Shared, _) | (_, DmaDirection::HostToNic) => 0,
            (DmaEngines::PerDirection, DmaDirection::NicToHost) => 1,
        }
    }

    /// Queues a DMA transfer, and returns the transfer's start and end.
    pub fn queue(
        &mut self,
        now: SimTime,
        direction: DmaDirection,
        length: u32,
    ) -> (SimTime, SimTime) {
        let engine = self.engine(direction);
        let start = self.free_at[engine].max(now);
        let end = start + self.duration(direction, length);
        self.free_at[engine] = end;
        (start, end)
    }

    /// Queues a DMA transfer whose bytes arrive over time. The transfer takes at least `pace` after its request, and
    /// does not end before `ends`. Returns the start and the end of the DMA transfer.
    pub fn queue_paced(
        &mut self,
        now: SimTime,
        (direction, length): (DmaDirection, u32),
        pace: SimDuration,
        ends: SimTime,
    ) -> (SimTime, SimTime) {
        let engine = self.engine(direction);
        let start = self.free_at[engine].max(now);
        let end = (start + self.duration(direction, length).max(self.request + pace)).max(ends);
        self.free_at[engine] = end;
        (start, end)
    }

    /// Queues the transfer of a receive descriptor after all transfers of both engines, and returns the end of the
    /// descriptor's transfer.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn queue_descriptor(&mut self, now: SimTime) -> SimTime {
        match self.descriptor {
            0 => self.drained_at(now),
            _ => self.queue_some_descriptor(now),
        }
    }

    #[cold]
    fn queue_some_descriptor(&mut self, now: SimTime) -> SimTime {
        self.queue(now, DmaDirection::NicToHost, self.descriptor);
        self.drained_at(now)
    }

    /// Queues the sending of a packet after all DMA transfers, and returns the start of the sending. No later transfer
    /// starts before the packet has been sent.
    pub fn queue_packet(&mut self, now: SimTime, duration: SimDuration) -> SimTime {
        let start = self.drained_at(now);
        self.free_at = [start + duration; 2];
        start
    }

    /// Returns when all queued transfers end.
    #[must_use]
    pub fn drained_at(&self, now: SimTime) -> SimTime {
        self.free_at[0].max(self.free_at[1]).max(now)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::profile::WithWire;

    fn schedule(engines: DmaEngines) -> DmaSchedule {
        // At 1 GB/s a byte takes a nanosecond.
        let bandwidth = NonZeroU64::new(1_000_000_000).unwrap();
        DmaSchedule::new(&DmaProfile {
            engines,
            bandwidth,
            to_host: bandwidth,
            request: SimDuration::ZERO,
            takes: Takes::Queue,
            with_wire: WithWire::InTurn,
            descriptor: 64,
        })
    }

    fn ns(ns: u64) -> SimTime {
        SimTime::from_ps(ns * 1000)
    }

    #[test]
    fn one_engine_takes_turns() {
        let mut dma = schedule(DmaEngines::Shared);
        assert_eq!(
            dma.queue(ns(10), DmaDirection::HostToNic, 100),
            (ns(10), ns(110))
        );
        assert_eq!(
            dma.queue(ns(20), DmaDirection::NicToHost, 5),
            (ns(110), ns(115))
        );
        assert_eq!(dma.drained_at(ns(20)), ns(115));
        assert_eq!(
            dma.queue(ns(500), DmaDirection::HostToNic, 1),
            (ns(500), ns(501))
        );
    }

    #[test]
    fn two_engines_do_not_wait_for_each_other() {
        let mut dma = schedule(DmaEngines::PerDirection);
        assert_eq!(
            dma.queue(ns(10), DmaDirection::HostToNic, 100),
            (ns(10), ns(110))
        );
        assert_eq!(
            dma.queue(ns(20), DmaDirection::NicToHost, 5),
            (ns(20), ns(25))
        );
        assert_eq!(
            dma.queue(ns(21), DmaDirection::NicToHost, 5),
            (ns(25), ns(30))
        );
        assert_eq!(dma.drained_at(ns(21)), ns(110));
    }

    #[test]
    fn packets_and_descriptors_wait_for_transfers_and_hold_them_up() {
        for engines in [DmaEngines::Shared, DmaEngines::PerDirection] {
            let mut dma = schedule(engines);
            dma.queue(ns(10), DmaDirection::HostToNic, 100);
            assert_eq!(dma.queue_packet(ns(20), SimDuration::from_ns(30)), ns(110));
            assert_eq!(
                dma.queue(ns(30), DmaDirection::NicToHost, 5),
                (ns(140), ns(145))
            );
            assert_eq!(dma.queue_descriptor(ns(40)), ns(209));
            assert_eq!(dma.drained_at(ns(40)), ns(209));
        }
    }

    #[test]
    fn it_is_drained_when_the_last_transfer_is_over() {
        for engines in [DmaEngines::Shared, DmaEngines::PerDirection] {
            for order in 0..64u32 {
                let mut dma = schedule(engines);
                let mut last = SimTime::ZERO;
                for transfer in 0..6 {
                    let direction = match order >> transfer & 1 {
                        0 => DmaDirection::HostToNic,
                        _ => DmaDirection::NicToHost,
                    };
                    let (_, end) = dma.queue(ns(10), direction, 7 + 13 * transfer);
                    last = last.max(end);
                    assert_eq!(dma.drained_at(ns(10)), last, "{order:06b}");
                }
                assert_eq!(dma.drained_at(ns(9_999)), ns(9_999));
            }
        }
    }
}
