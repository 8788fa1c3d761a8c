//! Finds operands that need no work: values that the last computing instruction has just produced, and values of
//! fields.

use std::collections::{BTreeMap, BTreeSet};

use jive_core::{Action, Code, Insn, Opcode, Operand, StackChange};

use super::sequence::{Part, Total, decoded, ends_block, targets};

/// An operand of an instruction: the instruction, and the operand's number from 1 in the order of pushing.
pub(super) type Taker = (Part, usize);

/// The origin of a value on the operand stack.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Value {
    /// A constant or the value of a local variable, which needs no work.
    Loaded,
    /// The value of a field, which an op can read when it uses the value.
    Field,
    /// The result of the last computing instruction.
    Latest,
    /// Any other value.
    Other,
}

/// The tracked values of a basic block.
#[derive(Default)]
struct Block {
    stack: Vec<Value>,
    /// The local variable that holds the latest result.
    local: Option<u16>,
}

impl Block {
    fn pop(&mut self, count: usize) -> Vec<Value> {
        // The block does not track values that it has not pushed itself.
        let missing = count.saturating_sub(self.stack.len());
        let mut popped = vec![Value::Other; missing];
        popped.extend(self.stack.drain(self.stack.len() - (count - missing)..));
        popped
    }

    /// Turns the value of the latest result into [`Value::Other`].
    fn age(&mut self) {
        self.local = None;
        for value in &mut self.stack {
            if *value == Value::Latest {
                *value = Value::Other;
            }
        }
    }
}

/// Counts the operands of a method's instructions. `visits` has the execution counts by pc.
pub(super) fn count(code: &Code<'_>, visits: &[u64], takers: &mut BTreeMap<Taker, Total>) {
    let targets: BTreeSet<i64> = targets(code);
    let mut block = Block::default();
    for insn in decoded(code) {
        if targets.contains(&i64::from(insn.pc.0)) {
            block = Block::default();
        }
        for operand in step(&mut block, &insn) {
            let taker = (Part::of(&insn), operand);
            takers
                .entry(taker)
                .or_default()
                .add(visits[insn.pc.index()]);
        }
        if ends_block(&insn) {
            block = Block::default();
        }
    }
}

/// Tracks the effect of an instruction, and returns the numbers of its operands that need no work.
fn step(block: &mut Block, insn: &Insn<'_>) -> Vec<usize> {
    use Opcode as O;
    if let Part::Constant = Part::of(insn) {
        block.stack.push(Value::Loaded);
        return Vec::new();
    }
    if let Operand::Local(local) = insn.operand {
        match Part::of(insn) {
            Part::Local(O::Iload | O::Aload) if block.local == Some(local) => {
                block.stack.push(Value::Latest);
            }
            Part::Local(O::Iload | O::Aload) => block.stack.push(Value::Loaded),
            // The op that computes the latest value also stores it in the local variable. A store of any other value
            // needs a move.
            _ if block.pop(1) == [Value::Latest] => block.local = Some(local),
            _ => block.age(),
        }
        return Vec::new();
    }
    let (pops, pushes) = match (insn.opcode, insn.action()) {
        (O::AconstNull, _) => {
            block.stack.push(Value::Loaded);
            return Vec::new();
        }
        (O::Pop | O::Nop, _) => {
            block.pop(usize::from(insn.opcode == O::Pop));
            return Vec::new();
        }
        (O::Dup, _) => {
            block.stack.push(Value::Other);
            return Vec::new();
        }
        (O::Getstatic, _) => {
            block.stack.push(Value::Field);
            return Vec::new();
        }
        // Shuffles other than `dup` and `pop` are rare, and end the tracked block, as calls and increments do.
        (_, Action::Shuffle(_) | Action::Increment) => {
            *block = Block::default();
            return Vec::new();
        }
        (_, action) => match action.stack_change() {
            StackChange::Counts { pops, pushes } => (pops.into(), pushes.into()),
            StackChange::OfCall { .. } | StackChange::Unsupported => {
                *block = Block::default();
                return Vec::new();
            }
        },
    };
    let operands = block.pop(pops);
    // Sums and differences of variables and constants count as free. The lowering defers only the addition of a
    // constant to a variable.
    let waits = matches!(insn.opcode, O::Iadd | O::Isub) && operands == [Value::Loaded; 2];
    if waits {
        block.stack.push(Value::Loaded);
        return Vec::new();
    }
    let is_field = insn.opcode == O::Getfield;
    if !is_field {
        block.age();
    }
    if matches!(insn.opcode, O::Putstatic | O::Putfield) {
        for value in &mut block.stack {
            if *value == Value::Field {
                *value = Value::Other;
            }
        }
    }
    let result = if is_field {
        Value::Field
    } else {
        Value::Latest
    };
    block.stack.extend(core::iter::repeat_n(result, pushes));

    let is_element = matches!(
        insn.opcode,
        O::Baload | O::Saload | O::Iaload | O::Bastore | O::Sastore | O::Iastore
    );
    let latest = operands.iter().position(|value| *value == Value::Latest);
    let field = if is_element {
        operands.iter().position(|value| *value == Value::Field)
    } else {
        // Take the field operand that is read last before the instruction.
        let last = operands.iter().rposition(|value| *value == Value::Field);
        last.filter(|_| latest.is_none())
    };
    let at_once = [field, latest];
    at_once.into_iter().flatten().map(|at| at + 1).collect()
}
