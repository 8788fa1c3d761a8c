//! Semaphores, by which the processors of a NIC exclude each other: as data, without a clock.
//!
//! A processor asks for a semaphore by a write to its own register, and has it when it reads this register as not zero
//! (EMP §2). A processor takes several semaphores in the order of their numbers, so no circle of processors waits.

use std::collections::VecDeque;

/// A semaphore.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Semaphore {
    /// The processor whose register is not zero.
    holder: Option<u32>,
    /// Processors that have written to their registers, the first first. The paper does not say who is next; in this order
    /// nobody is passed over.
    asking: VecDeque<u32>,
}

impl Semaphore {
    fn write(&mut self, by: u32) {
        match self.holder {
            None => self.holder = Some(by),
            Some(_) => self.asking.push_back(by),
        }
    }

    fn release(&mut self, by: u32) {
        debug_assert_eq!(self.holder, Some(by), "only its holder releases it");
        if self.holder == Some(by) {
            self.holder = self.asking.pop_front();
        }
    }
}

/// Numbers of semaphores: bit `n` stands for semaphore `n`.
pub(crate) type SemaphoreSet = u8;

/// The semaphores of a NIC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Semaphores([Semaphore; SemaphoreSet::BITS as usize]);

impl Semaphores {
    /// Returns how many semaphores are held.
    pub(crate) fn held(&self) -> usize {
        self.0
            .iter()
            .filter(|semaphore| semaphore.holder.is_some())
            .count()
    }
}

/// How far a processor is with the semaphores that its stage needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Entrance {
    left: SemaphoreSet,
    held: SemaphoreSet,
    /// Whether the processor has written to its register, and has not read yet that it is not zero.
    is_asking: bool,
}

/// What a processor finds when it tries to enter.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The processor has taken another semaphore.
    Taken,
    /// Another processor holds the next semaphore.
    Spins,
    /// The processor has every semaphore of its stage.
    Inside,
}

impl Entrance {
    /// Returns the entrance of a stage that needs these semaphores and has none.
    pub(crate) fn to(needs: SemaphoreSet) -> Entrance {
        Entrance {
            left: needs,
            ..Entrance::default()
        }
    }

    /// Returns whether the stage needs or holds a semaphore.
    pub(crate) fn is_needed(&self) -> bool {
        (self.left | self.held) != 0
    }

    /// Asks for the next semaphore, or reads the register once more.
    pub(crate) fn step(&mut self, semaphores: &mut Semaphores, by: u32) -> Step {
        if self.left == 0 {
            return Step::Inside;
        }
        let next = self.left.trailing_zeros();
        let semaphore = &mut semaphores.0[next as usize];
        if !std::mem::replace(&mut self.is_asking, true) {
            semaphore.write(by);
        }
        if semaphore.holder != Some(by) {
            return Step::Spins;
        }
        self.is_asking = false;
        self.left &= !(1 << next);
        self.held |= 1 << next;
        Step::Taken
    }

    /// Releases what the stage holds.
    pub(crate) fn leave(&mut self, semaphores: &mut Semaphores, by: u32) {
        for (number, semaphore) in semaphores.0.iter_mut().enumerate() {
            if self.held & (1 << number) != 0 {
                semaphore.release(by);
            }
        }
        self.held = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::nic::sharing::{Plan, needs};
    use crate::profile::Locks;
    use crate::spec::EmpStage;

    const STAGES: usize = 3;

    /// Two processors, each with the stages that it still has to run.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct World {
        semaphores: Semaphores,
        processors: [Runner; 2],
    }

    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    struct Runner {
        stage: usize,
        entrance: Entrance,
        has_begun: bool,
        /// Semaphores that the other processor has taken since this one began to ask.
        passed_by: u8,
    }

    impl World {
        /// Lets a processor do its next step.
        fn step(&self, needs: &[[SemaphoreSet; STAGES]; 2], by: usize) -> Option<World> {
            let mut world = self.clone();
            let World {
                semaphores,
                processors,
            } = &mut world;
            let [own, other] = match by {
                0 => {
                    let [a, b] = processors;
                    [a, b]
                }
                _ => {
                    let [a, b] = processors;
                    [b, a]
                }
            };
            let &need = needs[by].get(own.stage)?;
            if !own.has_begun {
                own.entrance = Entrance::to(need);
                own.has_begun = true;
                return Some(world);
            }
            let number = u32::try_from(by).ok()?;
            match own.entrance.step(semaphores, number) {
                Step::Spins => {}
                Step::Taken => {
                    own.passed_by = 0;
                    other.passed_by += u8::from(other.entrance.is_asking);
                }
                Step::Inside => {
                    own.entrance.leave(semaphores, number);
                    *own = Runner {
                        stage: own.stage + 1,
                        ..Runner::default()
                    };
                }
            }
            Some(world)
        }
    }

    /// The sets of semaphores that stages need under a lock for all records and under one for each, where a stage may run
    /// on any processor.
    fn sets() -> Vec<SemaphoreSet> {
        let mut sets = Vec::new();
        for locks in [Locks::One, Locks::PerObject] {
            sets.extend(EmpStage::ALL.map(|stage| needs(locks, &Plan::Dynamic, stage)));
        }
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// Visits every state that any order of the steps of two processors leads to.
    fn explore(needs: &[[SemaphoreSet; STAGES]; 2]) {
        let start = World {
            semaphores: Semaphores::default(),
            processors: Default::default(),
        };
        let mut known = HashSet::from([start.clone()]);
        let mut left = vec![start];
        let mut before: HashMap<World, Vec<World>> = HashMap::new();
        let mut ends = Vec::new();
        while let Some(world) = left.pop() {
            let [a, b] = &world.processors;
            assert_eq!(
                a.entrance.held & b.entrance.held,
                0,
                "both hold it: {world:?}"
            );
            assert!(
                a.passed_by.max(b.passed_by) <= SemaphoreSet::BITS as u8,
                "{world:?}"
            );
            let next: Vec<World> = (0..2).filter_map(|by| world.step(needs, by)).collect();
            if next.is_empty() {
                assert_eq!(world.semaphores, Semaphores::default(), "{world:?}");
                ends.push(world.clone());
            }
            for next in next {
                before.entry(next.clone()).or_default().push(world.clone());
                if known.insert(next.clone()) {
                    left.push(next);
                }
            }
        }
        // Everyone gets what it asks for: from every state some order leads to the end of all stages, so no order can
        // lead where two wait for each other.
        let mut reaches: HashSet<World> = ends.iter().cloned().collect();
        while let Some(world) = ends.pop() {
            for earlier in before.remove(&world).unwrap_or_default() {
                if reaches.insert(earlier.clone()) {
                    ends.push(earlier);
                }
            }
        }
        assert_eq!(reaches.len(), known.len(), "{needs:?}");
    }

    #[test]
    fn never_two_hold_a_semaphore_and_everyone_gets_it_in_every_order() {
        let sets = sets();
        assert!(sets.len() > 3, "{sets:?}");
        let mut state = 1u32;
        let mut draw = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            sets[(state >> 16) as usize % sets.len()]
        };
        // All pairs of sets meet, between other stages.
        for &one in &sets {
            for &other in &sets {
                explore(&[[draw(), one, draw()], [draw(), other, draw()]]);
            }
        }
        let all = SemaphoreSet::MAX;
        explore(&[[all; STAGES]; 2]);
    }

    #[test]
    fn a_processor_that_asks_is_passed_by_once_at_most_for_each_semaphore() {
        let mut semaphores = Semaphores::default();
        let [mut a, mut b] = [Entrance::to(1), Entrance::to(1)];
        assert_eq!(a.step(&mut semaphores, 0), Step::Taken);
        assert_eq!(b.step(&mut semaphores, 1), Step::Spins);
        a.leave(&mut semaphores, 0);
        // The first processor is back before the second has read its register again.
        a = Entrance::to(1);
        assert_eq!(a.step(&mut semaphores, 0), Step::Spins);
        assert_eq!(b.step(&mut semaphores, 1), Step::Taken);
        assert_eq!(b.step(&mut semaphores, 1), Step::Inside);
        b.leave(&mut semaphores, 1);
        assert_eq!(a.step(&mut semaphores, 0), Step::Taken);
        a.leave(&mut semaphores, 0);
        assert_eq!(semaphores.held(), 0);
    }
}
