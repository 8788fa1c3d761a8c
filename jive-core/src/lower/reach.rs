//! Finds the reachable instructions of a method, its branch targets, and the depth of the operand stack at each
//! instruction.
//!
//! Lowering needs the reachable instructions, branch targets and depths before it emits an op. The linker finds again
//! what the verifier has found, because a class that was declared verified may not have been verified.

use super::Source;
use super::constant::Constants;
use super::error::LowerError;
use crate::id::Pc;
use crate::insn::RawInsn;
use crate::opcode::{Action, StackChange};
use crate::program::{Mark, MarkState, Meaning};

/// Marks the end of the list of branch targets that are still to be followed.
const NONE: u32 = u32::MAX;

/// Follows every path through a method once, and marks the instructions on the path. Returns whether local variable 0
/// contains the receiver throughout the method.
///
/// # Errors
///
/// Returns an error if an instruction cannot be decoded, if control leaves the code, or if the operand stack is too
/// shallow or too deep.
#[inline(never)]
pub(super) fn reach(
    source: &Source<'_>,
    constants: &mut Constants<'_, '_, '_>,
    marks: &mut [Mark],
    pc: &mut Pc,
) -> Result<bool, LowerError> {
    let code = source.code.bytes;
    marks.fill(Mark::default());
    let mut paths = Paths {
        marks,
        waiting: NONE,
    };
    let mut keeps_this = source.has_receiver;
    paths.lead(0, 0)?;
    while let Some((first, mut depth)) = paths.next() {
        *pc = first;
        loop {
            let insn = RawInsn::at(code, *pc).ok_or(LowerError::Code)?;
            let (pops, pushes) = change(insn, constants)?;
            let rest = u16::from(depth).checked_sub(pops.into());
            let pushed = rest.ok_or(LowerError::Stack)?.wrapping_add(pushes.into());
            if pushed > source.code.max_stack {
                return Err(LowerError::Stack);
            }
            // The cast of the depth is lossless, because `lower` refuses a `max_stack` above 255.
            depth = pushed as u8;
            if insn.layout().has_targets() {
                for target in insn.targets() {
                    paths.lead(target, depth)?;
                }
            }
            if keeps_this {
                keeps_this = !(changes_local(insn.action()) && insn.local() == 0);
            }
            if !insn.falls_through() {
                break;
            }
            match paths.fall_through(insn.next_pc(), depth)? {
                Some(next) => *pc = next,
                None => break,
            }
        }
    }
    Ok(keeps_this)
}

/// The marks of a method, with a list of branch targets that are still to be followed.
struct Paths<'m> {
    marks: &'m mut [Mark],
    /// The first target of the list. The mark of each target in the list has the next target in its field `op`.
    waiting: u32,
}

impl Paths<'_> {
    /// Removes a branch target from the list, and returns it with the depth of the operand stack at the target.
    fn next(&mut self) -> Option<(Pc, u8)> {
        let pc = u16::try_from(self.waiting).ok()?;
        let mark = self.marks.get(usize::from(pc))?;
        self.waiting = mark.op;
        Some((Pc(pc), mark.depth))
    }

    /// Marks a pc as a branch target. Adds the target to the list if no path has reached it yet.
    fn lead(&mut self, target: i64, depth: u8) -> Result<(), LowerError> {
        let pc = u16::try_from(target).map_err(|_| LowerError::Target)?;
        let mark = self
            .marks
            .get_mut(usize::from(pc))
            .ok_or(LowerError::Target)?;
        if mark.state == MarkState::Unreached {
            mark.depth = depth;
            mark.op = self.waiting;
            self.waiting = pc.into();
        }
        mark.state = MarkState::Leader;
        Ok(())
    }

    /// Marks the next instruction as reached. Returns `None` if a path has reached that instruction before.
    fn fall_through(&mut self, next: usize, depth: u8) -> Result<Option<Pc>, LowerError> {
        let pc = u16::try_from(next).map_err(|_| LowerError::Target)?;
        let mark = self
            .marks
            .get_mut(usize::from(pc))
            .ok_or(LowerError::Target)?;
        if mark.state != MarkState::Unreached {
            return Ok(None);
        }
        mark.state = MarkState::Reached;
        mark.depth = depth;
        Ok(Some(Pc(pc)))
    }
}

/// Returns how many values an instruction pops and pushes.
fn change(
    insn: RawInsn<'_>,
    constants: &mut Constants<'_, '_, '_>,
) -> Result<(u8, u8), LowerError> {
    match insn.stack_change() {
        StackChange::Counts { pops, pushes } => Ok((pops, pushes)),
        StackChange::OfCall { .. } => of_call(constants.meaning(insn.constant())?),
        StackChange::Unsupported => Err(LowerError::Opcode),
    }
}

/// Returns how many values a call pops and pushes.
fn of_call(called: Meaning) -> Result<(u8, u8), LowerError> {
    match called {
        Meaning::Method {
            arguments,
            has_result,
            ..
        } => Ok((arguments, has_result.into())),
        Meaning::Native {
            arguments,
            has_receiver,
            has_result,
            ..
        } => Ok((
            arguments.saturating_add(has_receiver.into()),
            has_result.into(),
        )),
        Meaning::Nothing => Ok((1, 0)),
        Meaning::Int(_) | Meaning::Field { .. } => Err(LowerError::Constant),
    }
}

/// Returns whether an instruction changes its local variable.
const fn changes_local(action: Action) -> bool {
    matches!(action, Action::Store(_) | Action::Increment)
}
