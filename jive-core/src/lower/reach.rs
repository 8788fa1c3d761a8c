//! Which instructions a method can reach, where branches lead, and how deep its stack is there.

use super::Source;
use super::broken::Broken;
use super::constant::Constants;
use crate::id::Pc;
use crate::opcode::{Opcode, OperandLayout, StackChange};
use crate::program::{Mark, MarkState, Meaning};
use crate::raw::RawInsn;

/// Behind the last of the instructions that are still to be followed.
const NONE: u32 = u32::MAX;

/// Follows every path once and marks what it comes by; tells whether local variable 0 holds the receiver all along.
///
/// # Errors
/// Where an instruction does not decode, leaves the code, or finds another stack than it needs.
#[cfg_attr(threaded, inline(never))]
pub(super) fn reach(
    source: &Source<'_>,
    constants: &mut Constants<'_, '_, '_>,
    marks: &mut [Mark],
    pc: &mut Pc,
) -> Result<bool, Broken> {
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
            let insn = RawInsn::at(code, *pc).ok_or(Broken::Code)?;
            let (pops, pushes) = change(insn, constants)?;
            let rest = u16::from(depth).checked_sub(pops.into());
            let pushed = rest.ok_or(Broken::Stack)?.wrapping_add(pushes.into());
            if pushed > source.code.max_stack {
                return Err(Broken::Stack);
            }
            // No method is lowered whose operand stack is deeper than a byte tells.
            depth = pushed as u8;
            match insn.layout() {
                OperandLayout::Branch | OperandLayout::BranchWide => {
                    paths.lead(insn.target(), depth)?;
                }
                OperandLayout::TableSwitch | OperandLayout::LookupSwitch => {
                    let insn = RawInsn::unusual(code, pc.index()).ok_or(Broken::Code)?;
                    for target in insn.targets() {
                        paths.lead(target, depth)?;
                    }
                }
                _ if !keeps_this => {}
                OperandLayout::ImplicitLocal(_)
                | OperandLayout::Local
                | OperandLayout::LocalIncrement => {
                    keeps_this = insn.local() != 0 || is_load(insn.opcode());
                }
                _ => {}
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

struct Paths<'m> {
    marks: &'m mut [Mark],
    /// The first of the branch targets still to be followed; each names the next.
    waiting: u32,
}

impl Paths<'_> {
    fn next(&mut self) -> Option<(Pc, u8)> {
        let pc = u16::try_from(self.waiting).ok()?;
        let mark = self.marks.get(usize::from(pc))?;
        self.waiting = mark.op;
        Some((Pc(pc), mark.depth))
    }

    /// Notes that a branch leads to a pc, with a stack of this depth.
    fn lead(&mut self, target: i64, depth: u8) -> Result<(), Broken> {
        let pc = u16::try_from(target).map_err(|_| Broken::Target)?;
        let mark = self.marks.get_mut(usize::from(pc)).ok_or(Broken::Target)?;
        if mark.state == MarkState::Unreached {
            mark.depth = depth;
            mark.op = self.waiting;
            self.waiting = pc.into();
        }
        mark.state = MarkState::Leader;
        Ok(())
    }

    /// Goes on to the next instruction, if it is not known already.
    fn fall_through(&mut self, next: usize, depth: u8) -> Result<Option<Pc>, Broken> {
        let pc = u16::try_from(next).map_err(|_| Broken::Target)?;
        let mark = self.marks.get_mut(usize::from(pc)).ok_or(Broken::Target)?;
        if mark.state != MarkState::Unreached {
            return Ok(None);
        }
        mark.state = MarkState::Reached;
        mark.depth = depth;
        Ok(Some(Pc(pc)))
    }
}

/// Returns how many values an instruction takes off the stack, and how many it puts there.
fn change(insn: RawInsn<'_>, constants: &mut Constants<'_, '_, '_>) -> Result<(u8, u8), Broken> {
    match insn.stack_change() {
        StackChange::Counts { pops, pushes } => Ok((pops, pushes)),
        StackChange::OfConstant => {
            let meaning = constants.meaning(insn.constant())?;
            Ok(of_constant(insn.opcode(), meaning))
        }
        StackChange::Unsupported => Err(Broken::Opcode),
    }
}

fn of_constant(opcode: Opcode, meaning: Meaning) -> (u8, u8) {
    match meaning {
        Meaning::Int(_) => (0, 1),
        Meaning::Field { .. } => match opcode {
            Opcode::Getfield => (1, 1),
            Opcode::Putstatic => (1, 0),
            Opcode::Putfield => (2, 0),
            _ => (0, 1),
        },
        Meaning::Method {
            arguments,
            has_result,
            ..
        } => (arguments, has_result.into()),
        Meaning::Native {
            arguments,
            has_receiver,
            has_result,
            ..
        } => (
            arguments.saturating_add(has_receiver.into()),
            has_result.into(),
        ),
        Meaning::Nothing => (1, 0),
    }
}

/// Tells a load of a local variable from what changes one: only the loads have numbers below those of arrays
/// (JVMS §6.5).
pub(super) fn is_load(opcode: Opcode) -> bool {
    opcode < Opcode::Iaload
}
