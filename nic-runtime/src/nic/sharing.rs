//! How the processors of a NIC share the records of EMP: which semaphores a stage needs, and what they cost.

use nic_core::time::SimDuration;

use super::semaphore::{Entrance, SemaphoreSet, Semaphores, Step};
use crate::ids::at;
use crate::profile::{Locks, Profile, SemaphoreProfile};
use crate::spec::{EmpPlacement, EmpPlaces, EmpRecord, EmpStage};

/// Which processor runs each stage.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Plan {
    Fixed(EmpPlaces),
    /// Any processor runs any stage.
    Dynamic,
}

impl Plan {
    fn are_apart(&self, one: EmpStage, other: EmpStage) -> bool {
        match self {
            Plan::Fixed(places) => places[one] != places[other],
            Plan::Dynamic => true,
        }
    }

    /// Returns whether stages of two processors touch a record.
    fn is_shared(&self, record: EmpRecord) -> bool {
        let stages = EmpStage::ALL.into_iter();
        let mut touching = stages.filter(|stage| stage.touches().contains(&record));
        let Some(first) = touching.next() else {
            return false;
        };
        match self {
            Plan::Fixed(_) => touching.any(|stage| self.are_apart(first, stage)),
            Plan::Dynamic => true,
        }
    }
}

/// Returns the semaphores that a stage needs: those of the shared records that it touches, and that of the other
/// processor's event register if it sets a bit there.
pub(crate) fn needs(locks: Locks, plan: &Plan, stage: EmpStage) -> SemaphoreSet {
    let shared = stage.touches().iter().copied();
    let shared = shared.filter(|&record| plan.is_shared(record));
    let mut hands_on = stage.hands_on_to().iter();
    let wakes = hands_on.any(|&next| plan.are_apart(stage, next));
    let records = shared.chain(wakes.then_some(EmpRecord::EventRegister));
    let of_record = |record: EmpRecord| match locks {
        Locks::One => 1,
        Locks::PerObject => 1 << (record as u8),
        Locks::Private => 0,
    };
    records.fold(0, |set, record| set | of_record(record))
}

/// What the processors of a NIC share.
#[derive(Debug)]
pub(crate) struct Sharing {
    costs: SemaphoreProfile,
    /// By stage.
    needs: [SemaphoreSet; EmpStage::ALL.len()],
    /// Time that a stage does not take because its records lie in the scratchpad, by stage.
    saves: [SimDuration; EmpStage::ALL.len()],
    semaphores: Semaphores,
    /// By number of the processor on the NIC.
    entrances: Vec<(Entrance, Inside)>,
}

/// The part of a stage in which it holds its semaphores.
#[derive(Copy, Clone, Debug, Default)]
struct Inside {
    takes: SimDuration,
    has_begun: bool,
}

impl Sharing {
    /// Returns what the processors of a NIC share, or `None` if the profile has no semaphore.
    pub(crate) fn new(
        profile: &Profile,
        placement: &EmpPlacement,
        processors: u32,
    ) -> Option<Sharing> {
        let costs = profile.semaphore?;
        let plan = match placement {
            EmpPlacement::Fixed(places) => Plan::Fixed(*places),
            EmpPlacement::Dynamic => Plan::Dynamic,
        };
        let of_record = profile.processor.shared.less(profile.processor.local);
        let saved = |stage: EmpStage| match costs.locks {
            Locks::One | Locks::PerObject => SimDuration::ZERO,
            Locks::Private => of_record.times(stage.touches().len() as u64),
        };
        Some(Sharing {
            costs,
            needs: EmpStage::ALL.map(|stage| needs(costs.locks, &plan, stage)),
            saves: EmpStage::ALL.map(saved),
            semaphores: Semaphores::default(),
            entrances: vec![Default::default(); at(processors)],
        })
    }

    /// Begins a stage that takes `alone` besides its semaphores. Returns how long it runs before it needs them.
    pub(crate) fn begin(&mut self, by: u32, stage: EmpStage, alone: SimDuration) -> SimDuration {
        let alone = alone.less(self.saves[stage as usize]);
        let Some((entrance, inside)) = self.entrances.get_mut(at(by)) else {
            return alone;
        };
        debug_assert!(
            !entrance.is_needed(),
            "processor {by} begins `{}` and has not released the semaphores of its last stage",
            stage.name()
        );
        // Without assertions, a semaphore that was not released must not hold up the others for ever.
        entrance.leave(&mut self.semaphores, by);
        *entrance = Entrance::to(self.needs[stage as usize]);
        if !entrance.is_needed() {
            return alone;
        }
        let held = alone.times(self.costs.held.into()).as_ps() / 1000;
        let held = SimDuration::from_ps(held);
        *inside = Inside {
            takes: held + self.costs.release,
            has_begun: false,
        };
        alone.less(held)
    }

    /// Continues a stage. Returns how long its processor is busy until it continues again, or `None` when the stage is
    /// over and has released its semaphores.
    pub(crate) fn go_on(&mut self, by: u32) -> Option<SimDuration> {
        let (entrance, inside) = self.entrances.get_mut(at(by))?;
        if !entrance.is_needed() {
            return None;
        }
        match entrance.step(&mut self.semaphores, by) {
            Step::Taken => Some(self.costs.take),
            Step::Spins => Some(self.costs.spin),
            Step::Inside if !inside.has_begun => {
                inside.has_begun = true;
                Some(inside.takes)
            }
            Step::Inside => {
                entrance.leave(&mut self.semaphores, by);
                None
            }
        }
    }

    /// Returns how many semaphores are held.
    pub(crate) fn held(&self) -> usize {
        self.semaphores.held()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(name: &str) -> Plan {
        let profile = Profile::builtin("tigon2-2002").unwrap();
        Plan::Fixed(profile.placement(name).unwrap())
    }

    fn stages(locks: Locks, plan: &Plan) -> Vec<&'static str> {
        let all = EmpStage::ALL.into_iter();
        let locked = all.filter(|&stage| needs(locks, plan, stage) != 0);
        locked.map(EmpStage::name).collect()
    }

    #[test]
    fn on_one_processor_nothing_is_shared() {
        assert_eq!(stages(Locks::One, &places("base")), [""; 0]);
        assert_eq!(stages(Locks::PerObject, &places("base")), [""; 0]);
    }

    /// In RO, processor B records frames and moves them; A finds their receives and acknowledges. All work of sending is
    /// A's.
    #[test]
    fn a_stage_takes_a_lock_for_what_another_processor_touches_too() {
        let receiving = [
            "receive-bookkeeping",
            "receive-frame",
            "receive-dma",
            "send-ack",
        ];
        assert_eq!(stages(Locks::One, &places("RO")), receiving);
        assert_eq!(stages(Locks::PerObject, &places("RO")), receiving);
        assert_eq!(stages(Locks::Private, &places("RO")), [""; 0]);
        // With a lock for each record, the transfer of a frame and the acknowledgement of another do not meet.
        let of = |stage| needs(Locks::PerObject, &places("RO"), stage);
        assert_eq!(of(EmpStage::ReceiveDma) & of(EmpStage::SendAck), 0);
        let of = |stage| needs(Locks::One, &places("RO"), stage);
        assert_ne!(of(EmpStage::ReceiveDma) & of(EmpStage::SendAck), 0);
    }

    /// Sums on paper, of the semaphore of `tigon2-2002-locks` with round numbers.
    #[test]
    fn a_stage_waits_in_steps_of_the_spin_and_then_holds_its_part() {
        let ns = SimDuration::from_ns;
        let mut profile = Profile::builtin("tigon2-2002-locks").unwrap();
        profile.semaphore = Some(SemaphoreProfile {
            take: ns(100),
            spin: ns(70),
            release: ns(50),
            held: 250,
            locks: Locks::One,
        });
        let placement = EmpPlacement::Dynamic;
        let mut sharing = Sharing::new(&profile, &placement, 2).unwrap();
        let begin = |sharing: &mut Sharing, by| sharing.begin(by, EmpStage::SendAck, ns(4_000));
        assert_eq!(begin(&mut sharing, 0), ns(3_000));
        assert_eq!(begin(&mut sharing, 1), ns(3_000));
        assert_eq!(sharing.go_on(0), Some(ns(100)));
        assert_eq!(sharing.go_on(1), Some(ns(70)));
        assert_eq!(sharing.go_on(0), Some(ns(1_050)));
        assert_eq!(sharing.go_on(1), Some(ns(70)));
        assert_eq!(sharing.go_on(0), None);
        assert_eq!(sharing.go_on(1), Some(ns(100)));
        assert_eq!(sharing.held(), 1);
        assert_eq!(sharing.go_on(1), Some(ns(1_050)));
        assert_eq!(sharing.go_on(1), None);
        assert_eq!((sharing.go_on(1), sharing.held()), (None, 0));
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "has not released the semaphores of its last stage")]
    fn a_semaphore_that_is_never_released_is_an_assertion() {
        let profile = Profile::builtin("tigon2-2002-locks").unwrap();
        let mut sharing = Sharing::new(&profile, &EmpPlacement::Dynamic, 2).unwrap();
        let takes = SimDuration::from_ns(1_000);
        sharing.begin(0, EmpStage::SendAck, takes);
        sharing.go_on(0);
        sharing.begin(0, EmpStage::SendAck, takes);
    }

    #[test]
    fn private_records_cost_the_scratchpad_in_place_of_shared_memory() {
        let mut profile = Profile::builtin("tigon2-2002-locks").unwrap();
        let (shared, local) = (profile.processor.shared, profile.processor.local);
        if let Some(semaphore) = &mut profile.semaphore {
            semaphore.locks = Locks::Private;
        }
        let mut sharing = Sharing::new(&profile, &EmpPlacement::Dynamic, 2).unwrap();
        let alone = SimDuration::from_ns(6_250);
        // Two records: the posted receives, and the record of the arriving message.
        let takes = sharing.begin(0, EmpStage::ReceiveBookkeeping, alone);
        assert_eq!(takes, alone.less(shared.times(2)) + local.times(2));
        assert_eq!(sharing.go_on(0), None);
    }
}
