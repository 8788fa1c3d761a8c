//! Data flow over a method's code: types inferred path by path, merged to a fixed point (JVMS
//! §4.10.2.2).

use jive_core::limits::{VERIFY_STEPS_BASE, VERIFY_STEPS_PER_INSTRUCTION};
use jive_core::{Opcode, Pc, RawInsn};

use crate::error::{VerifyError, VerifyErrorKind};
use crate::marks::CodeMap;
use crate::method::MethodCode;
use crate::observer::Observer;
use crate::queue::Queue;
use crate::resolve::Members;
use crate::state::{Clash, Merged, State};
use crate::step::step;
use crate::types::VerificationType;

/// Where no instruction begins: code is shorter.
const NOWHERE: Pc = Pc(u16::MAX);

/// Cases of a switch that are looked through at the price of one step.
const CASES_PER_STEP: usize = 16;

/// The memory that data flow over one method works in.
#[derive(Debug)]
pub(crate) struct FlowMemory<'c> {
    /// The pc of each leader.
    pub(crate) leaders: &'c mut [u16],
    pub(crate) queue: &'c mut [u32],
    pub(crate) states: &'c mut [u8],
}

impl FlowMemory<'_> {
    /// Lends the same memory for a shorter time.
    pub(crate) fn reborrow(&mut self) -> FlowMemory<'_> {
        FlowMemory {
            leaders: self.leaders,
            queue: self.queue,
            states: self.states,
        }
    }
}

/// Data flow over a method whose static constraints hold.
#[derive(Debug)]
pub(crate) struct Flow<'c, 'a, 'w> {
    method: &'c MethodCode<'a>,
    members: &'c Members<'a, 'w>,
    map: &'c CodeMap<'c>,
    /// The pc of each leader.
    leaders: &'c [u16],
    /// The leaders whose states have changed since they were last followed.
    queue: Queue<'c>,
    /// A state for each leader, one after the other.
    states: &'c mut [u8],
    /// How long each of them is.
    state_len: usize,
    /// The leader that is being followed.
    leader: usize,
    /// Whether that leader or one before it has to be followed again.
    goes_back: bool,
    /// The state before the instruction that is being followed.
    current: State<'c>,
    steps_left: u32,
    steps_limit: u32,
}

/// Returns how many steps a method of so many instructions may take.
///
/// A step is one instruction followed, one merge into a branch target, or a few cases of a switch
/// looked through.
const fn steps_limit(instruction_count: u32) -> u32 {
    instruction_count
        .saturating_mul(VERIFY_STEPS_PER_INSTRUCTION)
        .saturating_add(VERIFY_STEPS_BASE)
}

impl<'c, 'a, 'w> Flow<'c, 'a, 'w> {
    /// Numbers the leaders, and begins with no instruction reached; `None` where the memory does not
    /// hold the states.
    pub(crate) fn new(
        method: &'c MethodCode<'a>,
        members: &'c Members<'a, 'w>,
        map: &'c mut CodeMap<'_>,
        memory: FlowMemory<'c>,
        instruction_count: u32,
    ) -> Option<Flow<'c, 'a, 'w>> {
        let shape = method.shape();
        let state_len = shape.state_len();
        let leader_count = map.number_leaders(memory.leaders)?;
        let leaders = memory.leaders.get(..leader_count)?;
        let (current, states) = memory.states.split_first_chunk_mut()?;
        let states = states.get_mut(..state_len.checked_mul(leaders.len())?)?;
        states.fill(0);
        let steps_limit = steps_limit(instruction_count);
        Some(Flow {
            method,
            members,
            map,
            leaders,
            queue: Queue::new(memory.queue, leaders.len())?,
            states,
            state_len,
            leader: 0,
            goes_back: false,
            current: State::new(current, shape)?,
            steps_left: steps_limit,
            steps_limit,
        })
    }

    /// Infers the types of every instruction that a path reaches, and checks them.
    pub(crate) fn run(&mut self, observer: &mut impl Observer) -> Result<(), VerifyError> {
        let outcome = self.infer(None);
        let steps = self.steps_limit.saturating_sub(self.steps_left);
        observer.took(self.method.id(), steps, self.steps_limit);
        if let Err((pc, _)) = outcome {
            observer.failed(self.method.id(), pc, self.current.view());
        }
        let failed_at = outcome.err().map(|(pc, _)| pc);
        self.tell(observer, failed_at, None);
        outcome.map_err(|(pc, kind)| self.method.error(pc, kind))
    }

    /// Infers types below a pc, at which a static constraint is broken, and tells them. Below it they
    /// all hold. A path ends where it comes to that pc or goes beyond it.
    pub(crate) fn run_below(&mut self, end: Pc, observer: &mut impl Observer) {
        // Where the data flow has a fault too, the static one counts, and what is known is told.
        let _: Result<(), _> = self.infer(Some(end));
        self.tell(observer, None, Some(end));
    }

    fn infer(&mut self, end: Option<Pc>) -> Result<(), (Pc, VerifyErrorKind)> {
        // A path ends at `end`, and nothing is followed beyond it. No instruction begins at the last pc.
        let end = end.unwrap_or(NOWHERE);
        self.enter();
        let merged = self.merge_into(0, Pc(0)).map_err(|kind| (Pc(0), kind))?;
        self.enqueue(0, merged);
        while let Some(leader) = self.queue.pop_lowest() {
            let Some(pc) = self.load(leader) else {
                return Err((Pc(0), VerifyErrorKind::WorkArea));
            };
            let mut next = Some((leader, pc));
            while let Some((leader, pc)) = next {
                next = self.follow_run(leader, pc, end)?;
            }
        }
        Ok(())
    }

    /// Follows the straight run of a leader, which begins at `pc`.
    ///
    /// Returns the leader behind the run and its pc if it is to be followed at once. Then it would be the lowest on the
    /// worklist, and its state is the current one.
    // No instruction is looked at before its pc is known, so that stays in a register.
    #[cfg_attr(not(target_pointer_width = "32"), inline(never))]
    fn follow_run(
        &mut self,
        leader: usize,
        mut pc: Pc,
        end: Pc,
    ) -> Result<Option<(usize, Pc)>, (Pc, VerifyErrorKind)> {
        self.leader = leader;
        self.goes_back = false;
        let code = self.method.bytes();
        let (mut following, mut behind) = self.leader_from(leader.saturating_add(1), 0);
        while pc < end {
            let at = |kind| (pc, kind);
            // The static constraints have decoded every instruction once.
            let insn = RawInsn::at(code, pc).ok_or(at(VerifyErrorKind::TruncatedInstruction))?;
            self.follow(insn).map_err(at)?;
            if !insn.falls_through() {
                break;
            }
            let next = insn.next_pc();
            if next > behind {
                // Only a branch beyond `end` can lead to where no instruction starts.
                (following, behind) = self.leader_from(following, next);
            }
            if next < behind {
                // Below the code's length, which fits.
                pc = Pc(next as u16);
                continue;
            }
            if following >= self.leaders.len() {
                return Err(at(VerifyErrorKind::FallsOffEnd));
            }
            let next = Pc(next as u16);
            let merged = self.merge_into(following, next).map_err(at)?;
            if merged == Merged::First && !self.goes_back {
                return Ok(Some((following, next)));
            }
            self.enqueue(following, merged);
            break;
        }
        Ok(None)
    }

    /// Returns the first leader at or behind a pc, and its own pc, searching from the leader `first` on. Behind the
    /// last leader, returns the end of the code.
    fn leader_from(&self, first: usize, pc: usize) -> (usize, usize) {
        let mut leader = first;
        while let Some(&at) = self.leaders.get(leader) {
            if usize::from(at) >= pc {
                return (leader, at.into());
            }
            leader = leader.saturating_add(1);
        }
        (leader, self.method.bytes().len())
    }

    /// Lets a leader be followed, unless merging has left its state as it was.
    fn enqueue(&mut self, leader: usize, merged: Merged) {
        if merged != Merged::Same {
            self.queue.insert(leader);
            self.goes_back |= leader <= self.leader;
        }
    }

    /// Sets the state at the method's entry: `this` and the parameters.
    fn enter(&mut self) {
        self.current.clear();
        let mut local = 0;
        if !self.method.is_static() {
            let this = if self.method.is_constructor() {
                self.current
                    .set_receiver(VerificationType::UninitializedThis);
                VerificationType::UninitializedThis
            } else {
                VerificationType::This
            };
            self.current.set_local(0, this);
            local = 1;
        }
        let (signatures, signature) = (self.members.signatures(), self.method.signature);
        for kind in signatures.parameters(signature) {
            self.current.set_local(local, kind);
            // There are 255 of them at most.
            local = local.saturating_add(1);
        }
    }

    /// Makes a leader's state the current one, and returns where the leader is.
    fn load(&mut self, leader: usize) -> Option<Pc> {
        self.current
            .load(stored(self.states, self.state_len, leader)?);
        self.leaders.get(leader).copied().map(Pc)
    }

    /// Follows one instruction, and merges the state behind it into those of its targets.
    fn follow(&mut self, insn: RawInsn<'_>) -> Result<(), VerifyErrorKind> {
        self.charge(1)?;
        if insn.layout().is_switch() {
            self.charge_cases(insn)?;
        }
        step(&mut self.current, insn, self.method, self.members)?;
        if !insn.layout().has_targets() {
            return Ok(());
        }
        insn.targets()
            .try_for_each(|target| self.merge_target(insn.opcode(), target))
    }

    /// Charges for the cases of a switch.
    #[cold]
    fn charge_cases(&mut self, insn: RawInsn<'_>) -> Result<(), VerifyErrorKind> {
        let cases = insn.decode().and_then(|insn| insn.operand.cases());
        self.charge(cases.map_or(0, |cases| cases.len() / CASES_PER_STEP))
    }

    /// Merges the current state into that of a branch target.
    fn merge_target(&mut self, opcode: Opcode, target: i64) -> Result<(), VerifyErrorKind> {
        // The static constraints have checked that every target lies in the code.
        let pc =
            u16::try_from(target).map_err(|_| VerifyErrorKind::BranchTarget { opcode, target })?;
        let leader = self.map.leader(Pc(pc)).unwrap_or(usize::MAX);
        let merged = self.merge_into(leader, Pc(pc))?;
        self.enqueue(leader, merged);
        Ok(())
    }

    fn charge(&mut self, steps: usize) -> Result<(), VerifyErrorKind> {
        let left = u32::try_from(steps)
            .ok()
            .and_then(|steps| self.steps_left.checked_sub(steps));
        self.steps_left = left.ok_or(VerifyErrorKind::VerifySteps {
            limit: self.steps_limit,
        })?;
        Ok(())
    }

    /// Merges the current state into that of the leader at `target`.
    fn merge_into(&mut self, leader: usize, target: Pc) -> Result<Merged, VerifyErrorKind> {
        self.charge(1)?;
        let Some(stored) = stored(self.states, self.state_len, leader) else {
            return Err(VerifyErrorKind::WorkArea);
        };
        self.current
            .merge_into(stored)
            .map_err(|clash| match clash {
                Clash::Depth { expected, found } => VerifyErrorKind::MergeDepth {
                    target,
                    expected,
                    found,
                },
                Clash::Type {
                    depth,
                    expected,
                    found,
                } => VerifyErrorKind::MergeType {
                    target,
                    depth,
                    expected,
                    found,
                },
            })
    }

    /// Tells the observer the state before each instruction that was reached, run by run, except the one at which
    /// inference failed. With `end`, tells only states up to that pc.
    fn tell<O: Observer>(&mut self, observer: &mut O, failed_at: Option<Pc>, end: Option<Pc>) {
        if !O::WATCHES {
            return;
        }
        for leader in 0..self.leaders.len() {
            let mut next = self.load_reached(leader);
            while let Some(pc) = next.filter(|pc| Some(*pc) != failed_at) {
                if let Some(end) = end.filter(|end| pc >= *end) {
                    if pc == end {
                        observer.failed(self.method.id(), pc, self.current.view());
                    }
                    break;
                }
                observer.reached(self.method.id(), pc, self.current.view());
                next = self.repeat(pc);
            }
        }
    }

    /// Makes a leader's state the current one, if any path has reached it.
    fn load_reached(&mut self, leader: usize) -> Option<Pc> {
        State::is_reached(stored(self.states, self.state_len, leader)?)
            .then(|| self.load(leader))
            .flatten()
    }

    /// Applies an instruction again without merging, and returns the next one of the straight run.
    fn repeat(&mut self, pc: Pc) -> Option<Pc> {
        let insn = RawInsn::at(self.method.bytes(), pc)?;
        step(&mut self.current, insn, self.method, self.members).ok()?;
        let next = Pc(u16::try_from(insn.next_pc()).ok()?);
        let goes_on = insn.falls_through() && next.index() < self.method.bytes().len();
        (goes_on && !self.map.is_leader(next)).then_some(next)
    }
}

/// Returns the stored state of a leader.
fn stored(states: &mut [u8], length: usize, leader: usize) -> Option<&mut [u8]> {
    let start = leader.checked_mul(length)?;
    states.get_mut(start..)?.get_mut(..length)
}
