//! Data flow analysis of a method's code: infers types along each path, and merges them to a fixed point (JVMS
//! §4.10.2.2).

use jive_core::limits::{VERIFY_STEPS_BASE, VERIFY_STEPS_PER_INSTRUCTION};
use jive_core::{Insn, Opcode, Pc, RawInsn};

use crate::error::{VerifyError, VerifyErrorKind};
use crate::marks::CodeMap;
use crate::method::MethodCode;
use crate::observer::Observer;
use crate::queue::Queue;
use crate::resolve::Members;
use crate::state::{Clash, Merged, State};
use crate::step::step;
use crate::types::VerificationType;

/// A pc that is never the start of an instruction, because code arrays are shorter.
const NOWHERE: Pc = Pc(u16::MAX);

/// Number of switch cases whose examination costs one verification step.
const CASES_PER_STEP: usize = 16;

/// Memory that the caller lends for the data flow of one method.
#[derive(Debug)]
pub(crate) struct FlowMemory<'c> {
    /// The pc of each leader of the method.
    pub(crate) leaders: &'c mut [u16],
    pub(crate) queue: &'c mut [u32],
    pub(crate) states: &'c mut [u8],
}

impl FlowMemory<'_> {
    /// Lends the memory again, for a shorter lifetime.
    pub(crate) fn reborrow(&mut self) -> FlowMemory<'_> {
        FlowMemory {
            leaders: self.leaders,
            queue: self.queue,
            states: self.states,
        }
    }
}

/// The data flow of a method that satisfies the static constraints.
#[derive(Debug)]
pub(crate) struct Flow<'c, 'a, 'w> {
    method: &'c MethodCode<'a>,
    members: &'c Members<'a, 'w>,
    map: &'c CodeMap<'c>,
    /// The pc of each leader of the method.
    leaders: &'c [u16],
    /// The worklist: leaders whose state has changed since the analysis last visited them.
    queue: Queue<'c>,
    /// The stored type states of all leaders, concatenated.
    states: &'c mut [u8],
    /// Length of each state in `states`, in bytes.
    state_len: usize,
    /// The leader that starts the straight run of instructions that is being visited.
    leader: usize,
    /// Whether the straight run that is being visited changed the state of its own leader or of an earlier one.
    goes_back: bool,
    /// The type state before the instruction that is being visited.
    current: State<'c>,
    /// Where paths end, or [`NOWHERE`] if no path ends early.
    end: Pc,
    steps_left: u32,
    steps_limit: u32,
}

/// Returns the number of verification steps that the data flow of a method with this many instructions may take.
///
/// Visiting an instruction takes one step, as does a merge into a leader. A switch takes further verification steps for
/// its cases.
const fn steps_limit(instruction_count: u32) -> u32 {
    instruction_count
        .saturating_mul(VERIFY_STEPS_PER_INSTRUCTION)
        .saturating_add(VERIFY_STEPS_BASE)
}

impl<'c, 'a, 'w> Flow<'c, 'a, 'w> {
    /// Numbers the leaders of a method, marks all as unreached, and returns `None` if the memory is too small.
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
            end: NOWHERE,
            steps_left: steps_limit,
            steps_limit,
        })
    }

    /// Infers and checks the types at every reachable instruction of the method.
    pub(crate) fn run(&mut self, observer: &mut impl Observer) -> Result<(), VerifyError> {
        let outcome = self.infer();
        let steps = self.steps_limit.saturating_sub(self.steps_left);
        observer.took(self.method.id(), steps, self.steps_limit);
        if let Err((pc, _)) = outcome {
            observer.failed(self.method.id(), pc, self.current.view());
        }
        let failed_at = outcome.err().map(|(pc, _)| pc);
        self.report_states(observer, failed_at, None);
        outcome.map_err(|(pc, kind)| self.method.error(pc, kind))
    }

    /// Infers types at instructions before `end`, and reports them to the observer. Serves a method that violates a
    /// static constraint at `end`, but not before. The inference follows a path only until the path reaches `end` or a
    /// later pc. The caller has dropped the leaders after `end` ([`CodeMap::drop_leaders_behind`]).
    pub(crate) fn run_below(&mut self, end: Pc, observer: &mut impl Observer) {
        // A type error before `end` is ignored, because the violated static constraint takes precedence. The observer
        // receives the states inferred so far.
        self.end = end;
        let _: Result<(), _> = self.infer();
        self.report_states(observer, None, Some(end));
    }

    fn infer(&mut self) -> Result<(), (Pc, VerifyErrorKind)> {
        enter(&mut self.current, self.method, self.members);
        let merged = self.merge_into(0, Pc(0)).map_err(|kind| (Pc(0), kind))?;
        self.enqueue(0, merged);
        while let Some(leader) = self.queue.pop_lowest() {
            let Some(pc) = self.load(leader) else {
                return Err((Pc(0), VerifyErrorKind::WorkArea));
            };
            let mut next = Some((leader, pc));
            while let Some((leader, pc)) = next {
                next = self.follow_run(leader, pc)?;
            }
        }
        Ok(())
    }

    /// Visits a straight run of instructions, from a leader at `pc` to the next leader or a jump.
    ///
    /// Returns the next leader and its pc, if the analysis should visit it next. The analysis then skips the worklist,
    /// because that leader would be the lowest on it, and `current` holds the leader's state.
    // The visit of a run is a separate function, so that the compiler keeps `pc` in a register.
    #[cfg_attr(not(target_pointer_width = "32"), inline(never))]
    fn follow_run(
        &mut self,
        leader: usize,
        mut pc: Pc,
    ) -> Result<Option<(usize, Pc)>, (Pc, VerifyErrorKind)> {
        self.leader = leader;
        self.goes_back = false;
        let (code, end) = (self.method.bytes(), self.end);
        let (mut following, mut behind) = self.leader_from(leader.saturating_add(1), 0);
        while pc < end {
            let at = |kind| (pc, kind);
            // Decoding the instruction never fails, because the static constraints have decoded every instruction.
            let insn = RawInsn::at(code, pc).ok_or(at(VerifyErrorKind::TruncatedInstruction))?;
            self.follow(insn).map_err(at)?;
            if !insn.falls_through() {
                break;
            }
            let next = insn.next_pc();
            if next > behind {
                // The next leader is skipped only after a branch beyond `end`, to a pc that is not the start of an
                // instruction.
                (following, behind) = self.leader_from(following, next);
            }
            if next < behind {
                // The cast of `next` is lossless, because `next` is below the code's length.
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

    /// Returns the first leader at or after `pc`, and the leader's pc. The search starts at the leader with the number
    /// `first` and continues upwards. If no leader follows, the length of the code stands for the pc of the leader.
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

    /// Adds a leader to the worklist, if a merge has changed the leader's state.
    fn enqueue(&mut self, leader: usize, merged: Merged) {
        if merged != Merged::Same {
            self.queue.insert(leader);
            self.goes_back |= leader <= self.leader;
        }
    }

    /// Loads the stored state of a leader, and returns the leader's pc.
    fn load(&mut self, leader: usize) -> Option<Pc> {
        self.current
            .load(stored(self.states, self.state_len, leader)?);
        self.leaders.get(leader).copied().map(Pc)
    }

    /// Visits an instruction: applies it to the current type state, and merges the result into the states of its branch
    /// targets.
    fn follow(&mut self, insn: RawInsn<'_>) -> Result<(), VerifyErrorKind> {
        self.charge(1)?;
        let has_targets = insn.layout().has_targets();
        if has_targets && insn.layout().is_switch() {
            self.charge_cases(insn.decode())?;
        }
        step(&mut self.current, insn, self.method, self.members)?;
        if !has_targets {
            return Ok(());
        }
        insn.targets()
            .try_for_each(|target| self.merge_target(insn.opcode(), target))
    }

    /// Charges the verification steps for the examination of a switch's cases.
    #[cold]
    fn charge_cases(&mut self, switch: Option<Insn<'_>>) -> Result<(), VerifyErrorKind> {
        let cases = switch.and_then(|insn| insn.operand.cases());
        self.charge(cases.map_or(0, |cases| cases.len() / CASES_PER_STEP))
    }

    /// Merges the current type state into the state of a branch target.
    fn merge_target(&mut self, opcode: Opcode, target: i64) -> Result<(), VerifyErrorKind> {
        // The conversion of a target to a pc never fails, because the static constraints have checked all targets.
        let pc =
            u16::try_from(target).map_err(|_| VerifyErrorKind::BranchTarget { opcode, target })?;
        if Pc(pc) > self.end {
            return Ok(());
        }
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

    /// Merges the current type state into the stored state of a leader, which is at `target`.
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

    /// Reports to the observer the type state before each reached instruction, one straight run after another. Leaves
    /// out the instruction `failed_at`, at which inference failed. If `end` is given, reports only instructions up to
    /// that pc.
    fn report_states<O: Observer>(
        &mut self,
        observer: &mut O,
        failed_at: Option<Pc>,
        end: Option<Pc>,
    ) {
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
                next = self.reapply(pc);
            }
        }
    }

    /// Loads the stored state of a leader and returns the leader's pc, if the analysis has reached the leader.
    fn load_reached(&mut self, leader: usize) -> Option<Pc> {
        State::is_reached(stored(self.states, self.state_len, leader)?)
            .then(|| self.load(leader))
            .flatten()
    }

    /// Applies an instruction to the current type state, without merging the result into stored states. Returns the pc
    /// of the next instruction, if it belongs to the same straight run.
    fn reapply(&mut self, pc: Pc) -> Option<Pc> {
        let insn = RawInsn::at(self.method.bytes(), pc)?;
        step::<VerifyErrorKind>(&mut self.current, insn, self.method, self.members).ok()?;
        let next = Pc(u16::try_from(insn.next_pc()).ok()?);
        let goes_on = insn.falls_through() && next.index() < self.method.bytes().len();
        (goes_on && !self.map.is_leader(next)).then_some(next)
    }
}

/// Sets a type state to that at the method's entry: `this` and the parameters.
pub(crate) fn enter(state: &mut State<'_>, method: &MethodCode<'_>, members: &Members<'_, '_>) {
    state.clear();
    let mut first = 0;
    if !method.is_static() {
        let this = if method.is_constructor() {
            state.set_receiver(VerificationType::UninitializedThis);
            VerificationType::UninitializedThis
        } else {
            VerificationType::This
        };
        state.set_local(0, this);
        first = 1;
    }
    state.set_locals(first, members.signatures().parameters(method.signature));
}

/// Returns the stored state of a leader.
fn stored(states: &mut [u8], length: usize, leader: usize) -> Option<&mut [u8]> {
    let start = leader.checked_mul(length)?;
    states.get_mut(start..)?.get_mut(..length)
}
