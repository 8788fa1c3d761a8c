//! Branches, loops and switches; what they know of their targets when the method is whole.

use super::Body;
use super::broken::Broken;
use super::emit::Emitter;
use super::stack::{Entry, Value};
use crate::insn::{Insn, Operand};
use crate::interp::{Op, OpKind, Shape};
use crate::opcode::Opcode;
use crate::program::{Mark, MarkState, SwitchCase, index};

/// Bytes of code from which on branches may go further than a conditional one can tell: it then skips
/// a jump that can.
///
/// An instruction takes a byte at least and makes two ops at most, so below it every distance and
/// every count of instructions fits in 16 bits.
const FAR: usize = 1 << 14;

/// Tells whether code is so long that its branches may go far.
pub(super) const fn is_far(code_bytes: usize) -> bool {
    code_bytes >= FAR
}

/// What a branch asks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Condition {
    Equal,
    NotEqual,
    Less,
    NotLess,
    Greater,
    NotGreater,
}

impl Condition {
    const fn of(opcode: Opcode) -> Option<Self> {
        Some(match opcode {
            Opcode::Ifeq | Opcode::Ifnull | Opcode::IfIcmpeq | Opcode::IfAcmpeq => Self::Equal,
            Opcode::Ifne | Opcode::Ifnonnull | Opcode::IfIcmpne | Opcode::IfAcmpne => {
                Self::NotEqual
            }
            Opcode::Iflt | Opcode::IfIcmplt => Self::Less,
            Opcode::Ifge | Opcode::IfIcmpge => Self::NotLess,
            Opcode::Ifgt | Opcode::IfIcmpgt => Self::Greater,
            Opcode::Ifle | Opcode::IfIcmple => Self::NotGreater,
            _ => return None,
        })
    }

    /// Returns what it asks with its operands changed over.
    const fn mirrored(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::NotLess => Self::NotGreater,
            Self::Greater => Self::Less,
            Self::NotGreater => Self::NotLess,
        }
    }
}

/// The kinds of branches, by shape: each row asks the same, and the next row the opposite.
const KINDS: [[OpKind; 3]; 8] = [
    [OpKind::IfEqual, OpKind::BackEqual, OpKind::LoopEqual],
    [
        OpKind::IfNotEqual,
        OpKind::BackNotEqual,
        OpKind::LoopNotEqual,
    ],
    [OpKind::IfLess, OpKind::BackLess, OpKind::LoopLess],
    [OpKind::IfNotLess, OpKind::BackNotLess, OpKind::LoopNotLess],
    [
        OpKind::IfEqualConst,
        OpKind::BackEqualConst,
        OpKind::LoopEqualConst,
    ],
    [
        OpKind::IfNotEqualConst,
        OpKind::BackNotEqualConst,
        OpKind::LoopNotEqualConst,
    ],
    [
        OpKind::IfLessConst,
        OpKind::BackLessConst,
        OpKind::LoopLessConst,
    ],
    [
        OpKind::IfNotLessConst,
        OpKind::BackNotLessConst,
        OpKind::LoopNotLessConst,
    ],
];

/// Returns the kind that asks the opposite of a branch onwards, in the same or another shape.
fn opposite(kind: OpKind, shape: Shape) -> Option<OpKind> {
    let row = KINDS.iter().position(|[onward, ..]| *onward == kind)?;
    let [onward, back, again] = *KINDS.get(row ^ 1)?;
    match shape {
        Shape::Onward => Some(onward),
        Shape::Back => Some(back),
        Shape::Again => Some(again),
        Shape::Value | Shape::Effect | Shape::Control => None,
    }
}

impl Body<'_, '_, '_, '_, '_> {
    pub(super) fn branch(&mut self, opcode: Opcode, target: i64) -> Result<(), Broken> {
        let pc = i32::try_from(target).map_err(|_| Broken::Target)?;
        let mark = self.target(target)?;
        let Some(condition) = Condition::of(opcode) else {
            return self.jump(pc, mark);
        };
        let ([onward, back, _], a, half) = self.compare(opcode, condition)?;
        self.flush()?;
        let is_back = mark.state == MarkState::Placed;
        if self.is_far {
            let skip = opposite(onward, Shape::Onward).unwrap_or_default();
            self.out.perform(Op::with_half(skip, a, half, 0))?;
            self.out.perform(Op::new(OpKind::Goto, 0, 0, 0, pc))
        } else {
            let kind = if is_back { back } else { onward };
            self.out.perform(Op::with_half(kind, a, half, pc))
        }
    }

    /// Pops what a branch compares; answers the kinds of branches that do, and their operands.
    fn compare(
        &mut self,
        opcode: Opcode,
        condition: Condition,
    ) -> Result<([OpKind; 3], u8, u16), Broken> {
        let is_single = matches!(
            opcode,
            Opcode::Ifeq
                | Opcode::Ifne
                | Opcode::Iflt
                | Opcode::Ifge
                | Opcode::Ifgt
                | Opcode::Ifle
                | Opcode::Ifnull
                | Opcode::Ifnonnull
        );
        let second = if is_single {
            Entry {
                // A branch holds this constant and its neighbours, so it needs no place.
                place: 0,
                value: Value::Constant(0),
            }
        } else {
            self.stack.pop()?
        };
        let first = self.stack.pop()?;
        let (condition, first, second) = match (first.value, second.value) {
            (_, Value::Constant(_)) => (condition, first, second),
            (Value::Constant(_), _) => (condition.mirrored(), second, first),
            _ => (condition, first, second),
        };
        let first = self.operand(first)?;
        let kinds = |row: usize| KINDS.get(row).copied().unwrap_or_default();
        if let Value::Constant(value) = second.value {
            // `a > k` is `a >= k + 1`, if that is an `int`.
            let asked = match condition {
                Condition::Equal => Some((4, value)),
                Condition::NotEqual => Some((5, value)),
                Condition::Less => Some((6, value)),
                Condition::NotLess => Some((7, value)),
                Condition::NotGreater => value.checked_add(1).map(|value| (6, value)),
                Condition::Greater => value.checked_add(1).map(|value| (7, value)),
            };
            if let Some((row, value)) = asked
                && let Ok(value) = i16::try_from(value)
            {
                return Ok((kinds(row), first, value.cast_unsigned()));
            }
        }
        let second = self.operand(second)?;
        let (row, first, second) = match condition {
            Condition::Equal => (0, first, second),
            Condition::NotEqual => (1, first, second),
            Condition::Less => (2, first, second),
            Condition::NotLess => (3, first, second),
            Condition::Greater => (2, second, first),
            Condition::NotGreater => (3, second, first),
        };
        Ok((kinds(row), first, second.into()))
    }

    fn jump(&mut self, pc: i32, mark: Mark) -> Result<(), Broken> {
        self.flush()?;
        let again = self.again(mark);
        let op = match again {
            Some((kind, first)) => match self.counting(kind, first) {
                Some(op) => {
                    self.out.take_back();
                    op
                }
                None => Op { kind, ..first },
            },
            None => Op::new(OpKind::Goto, 0, 0, 0, 0),
        };
        self.out.perform(Op { imm: pc, ..op })?;
        self.end_path()
    }

    /// Returns the jump back that also does what the last op does, if that counts what is asked.
    fn counting(&mut self, kind: OpKind, first: Op) -> Option<Op> {
        let last = *self.out.last()?;
        if last.kind.plain() != OpKind::AddConst || last.a != last.b || last.a != first.a {
            return None;
        }
        let step = i8::try_from(last.imm).ok()?.cast_unsigned();
        let constant = || i8::try_from(first.half_constant()).ok();
        let (kind, bound) = match kind {
            OpKind::LoopLess if first.b != first.a => (OpKind::CountLess, first.b),
            OpKind::LoopLessConst => (OpKind::CountLessConst, constant()?.cast_unsigned()),
            OpKind::LoopNotLessConst => (OpKind::CountNotLessConst, constant()?.cast_unsigned()),
            _ => return None,
        };
        Some(Op::new(kind, first.a, bound, step, 0))
    }

    /// Returns the jump back to a loop's beginning that asks what the branch there asks, if one is
    /// there that leaves the loop, and that branch.
    fn again(&self, mark: Mark) -> Option<(OpKind, Op)> {
        if mark.state != MarkState::Placed || self.is_far {
            return None;
        }
        let first = *self.out.ops.get(index(mark.op))?;
        let kind = opposite(first.kind, Shape::Again)?;
        Some((kind, first))
    }

    pub(super) fn switch(&mut self, insn: &Insn<'_>) -> Result<(), Broken> {
        let key = self.pop_operand()?;
        self.flush()?;
        let first = self.out.switches_used;
        let (kind, lowest, default, cases) = match insn.operand {
            Operand::TableSwitch(table) => (
                OpKind::TableSwitch,
                table.low(),
                table.default(),
                table.cases(),
            ),
            Operand::LookupSwitch(lookup) => {
                (OpKind::LookupSwitch, 0, lookup.default(), lookup.cases())
            }
            _ => return Err(Broken::Opcode),
        };
        let count = u16::try_from(cases.len()).map_err(|_| Broken::Count)?;
        self.out.row(lowest, default)?;
        for (key, target) in cases {
            self.out.row(key, target)?;
        }
        // As many rows as instructions have bytes at most.
        let first = i32::try_from(first).map_err(|_| Broken::Count)?;
        self.out.perform(Op::with_half(kind, key, count, first))?;
        self.end_path()
    }

    fn target(&self, target: i64) -> Result<Mark, Broken> {
        let mark = usize::try_from(target)
            .ok()
            .and_then(|pc| self.marks.get(pc));
        mark.copied().ok_or(Broken::Target)
    }
}

/// Gives the branches of a method, which know the pc that they go to, the op and what going there costs.
pub(super) fn resolve(
    out: &mut Emitter<'_>,
    marks: &[Mark],
    entry: usize,
    is_far: bool,
) -> Result<(), Broken> {
    let Emitter {
        ops,
        ends,
        switches,
        ops_used,
        ..
    } = out;
    let method = ops.get_mut(entry..*ops_used).unwrap_or_default();
    let ends = ends.get(entry..*ops_used).unwrap_or_default();
    for ((at, op), &end) in (entry..).zip(method).zip(ends) {
        let cost = |target: &Mark| i32::from(end).wrapping_sub(target.index.into());
        match (op.kind.plain(), op.kind.shape()) {
            // Over the jump behind it.
            (_, Shape::Onward | Shape::Back | Shape::Again) if is_far => op.imm = 2,
            (_, Shape::Onward | Shape::Back | Shape::Again) => {
                let target = placed(marks, op.imm.into())?;
                let (Ok(distance), Ok(cost)) = (
                    i16::try_from(distance(at, target)?),
                    i16::try_from(cost(target)),
                ) else {
                    return Err(Broken::Count);
                };
                let [d0, d1] = distance.to_le_bytes();
                let [c0, c1] = cost.to_le_bytes();
                op.imm = i32::from_le_bytes([d0, d1, c0, c1]);
            }
            (OpKind::Goto, _) => {
                let target = placed(marks, op.imm.into())?;
                op.imm = distance(at, target)?;
                // At most 17 bits, with the sign.
                [op.a, op.b, op.c, _] = cost(target).to_le_bytes();
            }
            (OpKind::TableSwitch | OpKind::LookupSwitch, _) => {
                let rows = usize::from(op.half()).wrapping_add(1);
                let first = index(op.imm.cast_unsigned());
                for row in switches.get_mut(first..).into_iter().flatten().take(rows) {
                    let target = placed(marks, row.target.into())?;
                    *row = SwitchCase {
                        key: row.key,
                        target: target.op,
                        cost: cost(target),
                    };
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn placed(marks: &[Mark], target: i64) -> Result<&Mark, Broken> {
    usize::try_from(target)
        .ok()
        .and_then(|pc| marks.get(pc))
        .filter(|mark| mark.state == MarkState::Placed)
        .ok_or(Broken::Target)
}

fn distance(at: usize, target: &Mark) -> Result<i32, Broken> {
    let at = i64::try_from(at).map_err(|_| Broken::Count)?;
    i32::try_from(i64::from(target.op).wrapping_sub(at)).map_err(|_| Broken::Count)
}
