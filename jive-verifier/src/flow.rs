//! Data flow over a method's code: types inferred path by path, merged to a fixed point (JVMS
//! §4.10.2.2).

use jive_core::limits::{VERIFY_STEPS_BASE, VERIFY_STEPS_PER_INSTRUCTION};
use jive_core::{Opcode, OperandLayout, Pc, RawInsn, Targets};

use crate::error::{VerifyError, VerifyErrorKind};
use crate::marks::CodeMap;
use crate::method::MethodCode;
use crate::observer::Observer;
use crate::queue::Queue;
use crate::resolve::Members;
use crate::state::{Clash, Shape, State};
use crate::step::step;
use crate::types::VerificationType;

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
        let length = shape.state_len();
        let leader_count = map.number_leaders(memory.leaders)?;
        let leaders = memory.leaders.get(..leader_count)?;
        let (current, states) = memory.states.split_at_mut_checked(length)?;
        let states = states.get_mut(..length.checked_mul(leaders.len())?)?;
        states.fill(0);
        let steps_limit = steps_limit(instruction_count);
        Some(Flow {
            method,
            members,
            map,
            leaders,
            queue: Queue::new(memory.queue, leaders.len())?,
            states,
            current: State::new(current, shape),
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
        self.enter();
        self.merge(Pc(0)).map_err(|kind| (Pc(0), kind))?;
        while let Some(leader) = self.queue.pop_lowest() {
            let Some(mut pc) = self.load(leader) else {
                return Err((Pc(0), VerifyErrorKind::WorkArea));
            };
            // A path ends at `end`, and nothing is followed beyond it.
            while end.is_none_or(|end| pc < end)
                && let Some(next) = self.follow(pc).map_err(|kind| (pc, kind))?
            {
                pc = next;
            }
        }
        Ok(())
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
        let shape = self.method.shape();
        self.current.load(state_of(self.states, shape, leader)?);
        self.leaders.get(leader).copied().map(Pc)
    }

    /// Follows one instruction, and returns the next one unless the path ends or reaches a leader.
    #[inline]
    fn follow(&mut self, pc: Pc) -> Result<Option<Pc>, VerifyErrorKind> {
        // The static constraints have decoded every instruction once.
        let insn =
            RawInsn::at(self.method.bytes(), pc).ok_or(VerifyErrorKind::TruncatedInstruction)?;
        self.charge(1)?;
        let layout = insn.opcode.layout();
        let switch = match layout {
            OperandLayout::TableSwitch | OperandLayout::LookupSwitch => self.switch(insn)?,
            _ => None,
        };
        step(&mut self.current, insn, self.method, self.members)?;
        match switch {
            Some(targets) => self.merge_targets(insn.opcode, targets)?,
            None if matches!(layout, OperandLayout::Branch | OperandLayout::BranchWide) => {
                self.merge_target(insn.opcode, insn.target())?;
            }
            None => {}
        }
        let Some(next) = self.next(insn)? else {
            return Ok(None);
        };
        if self.map.is_leader(next) {
            self.merge(next)?;
            return Ok(None);
        }
        Ok(Some(next))
    }

    /// Charges for the cases of a switch, and returns its targets.
    #[cold]
    fn switch<'i>(&mut self, insn: RawInsn<'i>) -> Result<Option<Targets<'i>>, VerifyErrorKind>
    where
        'a: 'i,
    {
        let insn = insn.switch(self.method.bytes()).ok();
        let cases = insn.and_then(|insn| insn.operand.cases());
        self.charge(cases.map_or(0, |cases| cases.len() / CASES_PER_STEP))?;
        Ok(insn.map(|insn| insn.targets()))
    }

    /// Merges the current state into those of the targets of a switch.
    #[cold]
    fn merge_targets(
        &mut self,
        opcode: Opcode,
        targets: Targets<'_>,
    ) -> Result<(), VerifyErrorKind> {
        for target in targets {
            self.merge_target(opcode, target)?;
        }
        Ok(())
    }

    /// Merges the current state into that of a branch target.
    fn merge_target(&mut self, opcode: Opcode, target: i64) -> Result<(), VerifyErrorKind> {
        // The static constraints have checked that every target lies in the code.
        let pc =
            u16::try_from(target).map_err(|_| VerifyErrorKind::BranchTarget { opcode, target })?;
        self.merge(Pc(pc))
    }

    /// Returns the instruction behind this one, or `None` where execution does not go on there.
    #[inline]
    fn next(&self, insn: RawInsn<'_>) -> Result<Option<Pc>, VerifyErrorKind> {
        if !insn.opcode.falls_through() {
            return Ok(None);
        }
        match u16::try_from(insn.next_pc()) {
            Ok(next) if usize::from(next) < self.method.bytes().len() => Ok(Some(Pc(next))),
            Ok(_) | Err(_) => Err(VerifyErrorKind::FallsOffEnd),
        }
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

    /// Merges the current state into that of a leader, which has to be followed again if it changes.
    fn merge(&mut self, target: Pc) -> Result<(), VerifyErrorKind> {
        self.charge(1)?;
        let leader = self.map.leader(target);
        let shape = self.method.shape();
        let (Some(leader), Some(stored)) = (
            leader,
            leader.and_then(|leader| state_of(self.states, shape, leader)),
        ) else {
            return Err(VerifyErrorKind::WorkArea);
        };
        match self.current.merge_into(stored) {
            Ok(false) => Ok(()),
            Ok(true) => {
                self.queue.insert(leader);
                Ok(())
            }
            Err(Clash::Depth { expected, found }) => Err(VerifyErrorKind::MergeDepth {
                target,
                expected,
                found,
            }),
            Err(Clash::Type {
                depth,
                expected,
                found,
            }) => Err(VerifyErrorKind::MergeType {
                target,
                depth,
                expected,
                found,
            }),
        }
    }

    /// Tells the observer the state before each instruction that was reached, run by run, but not of
    /// the instruction at which inference failed; and below `end` only, but also the state there.
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
        let stored = state_of(self.states, self.method.shape(), leader)?;
        if State::is_reached(stored) {
            self.load(leader)
        } else {
            None
        }
    }

    /// Applies an instruction again without merging, and returns the next one of the straight run.
    fn repeat(&mut self, pc: Pc) -> Option<Pc> {
        let insn = RawInsn::at(self.method.bytes(), pc)?;
        step(&mut self.current, insn, self.method, self.members).ok()?;
        let next = self.next(insn).ok()??;
        (!self.map.is_leader(next)).then_some(next)
    }
}

/// Returns the stored state of a leader.
fn state_of(states: &mut [u8], shape: Shape, leader: usize) -> Option<&mut [u8]> {
    let length = shape.state_len();
    let start = leader.checked_mul(length)?;
    states.get_mut(start..start.checked_add(length)?)
}
