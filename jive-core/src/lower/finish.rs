//! Finishes the ops of a method when all of them exist: resolves the targets of branches and switches, and makes pairs.
//!
//! The pass that emits ops can neither resolve targets nor make pairs. A forward branch is emitted before its target,
//! and an op before the op with which it may form a pair.

use super::emit::Emitter;
use super::error::LowerError;
use super::linking::Linking;
use super::slice_vec::SliceVec;
use crate::op::{Op, OpKind, Reach, Shape};
use crate::program::{Mark, MarkState, SwitchCase, index};

/// Finishes the ops of the method that begins at op `entry`.
///
/// Replaces the pc of each branch target by the target's op, sets each branch's cost, and makes pairs. An op gets the
/// kind of the pair that it forms with the next op, if that pair has a kind.
pub(super) fn finish<L: Linking>(
    out: &mut Emitter<'_, L>,
    marks: &[Mark],
    entry: usize,
) -> Result<(), LowerError> {
    let Emitter {
        ops,
        ends,
        switches,
        ..
    } = out;
    let ends = ends.from(entry);
    // The op before `op`, whose pair depends on the resolved kind of `op`.
    let mut previous: Option<&mut Op> = None;
    for (op, end) in ops.from(entry).iter_mut().zip(&*ends) {
        // Most ops have no target.
        if !matches!(
            op.kind.shape_alone(),
            Shape::Value | Shape::Effect | Shape::Skip
        ) {
            resolve(op, *end, marks, switches)?;
        }
        if Emitter::<L>::THREADED {
            if let Some(previous) = previous
                && let Some(both) = previous.kind.then(op.kind)
            {
                previous.kind = both;
            }
            previous = Some(op);
        }
    }
    Ok(())
}

/// Replaces the pc of an op's targets by the targets' ops, and sets the op's costs. The argument `end` is the op's
/// element of [`Emitter::ends`].
///
/// A jump whose target or cost does not fit becomes a far jump.
#[inline(always)]
fn resolve(
    op: &mut Op,
    end: u16,
    marks: &[Mark],
    switches: &mut SliceVec<'_, SwitchCase>,
) -> Result<(), LowerError> {
    let cost = |target: &Mark| i32::from(end).wrapping_sub(target.index.into());
    match op.kind.shape_alone() {
        Shape::Onward(Reach::Wide) if op.settle() => {}
        Shape::Onward(reach) | Shape::Back(reach) | Shape::Again(reach) => {
            let target = placed(marks, op.high().into())?;
            let is_again = matches!(op.kind.shape_alone(), Shape::Again(_));
            let place = target.op.saturating_add(is_again.into());
            op.go(reach, place, cost(target)).ok_or(LowerError::Count)?;
        }
        Shape::Control => match op.kind.plain() {
            OpKind::Goto => {
                let target = placed(marks, op.high().into())?;
                let cost = cost(target);
                if op.go(Reach::Wide, target.op, cost).is_none() {
                    let place = i32::try_from(target.op).map_err(|_| LowerError::Count)?;
                    let far = Op::with_long(OpKind::GotoFar, cost, place);
                    *op = far.ok_or(LowerError::Count)?;
                }
            }
            OpKind::TableSwitch | OpKind::LookupSwitch => {
                let rows = usize::from(op.cases()).wrapping_add(1);
                let first = index(op.second_long().cast_unsigned());
                for row in switches.from(first).iter_mut().take(rows) {
                    let target = placed(marks, row.target)?;
                    row.target = target.op;
                    row.cost = cost(target);
                }
            }
            _ => {}
        },
        Shape::Value | Shape::Effect | Shape::Skip => {}
    }
    Ok(())
}

/// Returns the mark of a branch target that has been lowered.
fn placed(marks: &[Mark], pc: u32) -> Result<&Mark, LowerError> {
    marks
        .get(index(pc))
        .filter(|mark| mark.state == MarkState::Placed)
        .ok_or(LowerError::Target)
}
