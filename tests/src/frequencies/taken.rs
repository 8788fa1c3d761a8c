//! Operands that are there at once: what the last instruction that did anything has computed, and what
//! fields hold.

use std::collections::{BTreeMap, BTreeSet};

use jive_core::{Action, Code, Insn, Opcode, Operand, StackChange};

use super::sequence::{Part, Total, decoded, ends_block, targets};

/// A consumer: an instruction, and which of its operands it is, counted from 1 in the order of pushing.
pub(super) type Taker = (Part, usize);

/// What is known of a value on the operand stack.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Value {
    /// A constant, or what a local variable holds: no work is done for it.
    Loaded,
    /// What a field holds: it can be read when it is wanted.
    Field,
    /// What the last instruction that did anything has computed.
    Latest,
    /// Any other.
    Other,
}

/// The values of a basic block, as far as they are of interest.
#[derive(Default)]
struct Block {
    stack: Vec<Value>,
    /// The local variable that the latest value went to.
    local: Option<u16>,
}

impl Block {
    fn pop(&mut self, count: usize) -> Vec<Value> {
        // Below what the block has pushed lies what others left.
        let missing = count.saturating_sub(self.stack.len());
        let mut popped = vec![Value::Other; missing];
        popped.extend(self.stack.drain(self.stack.len() - (count - missing)..));
        popped
    }

    /// What was the latest is so no longer.
    fn age(&mut self) {
        self.local = None;
        for value in &mut self.stack {
            if *value == Value::Latest {
                *value = Value::Other;
            }
        }
    }
}

/// Counts the consumers of a method of which each instruction was executed so often, by pc.
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

/// Follows an instruction. Returns which of its operands are there at once.
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
            // The op that computed the value also stores it. A value from elsewhere is moved.
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
        // Other shuffles are rare. They end the block, as calls and counting do.
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
    // A variable plus a constant waits until an op needs it: nothing is done for it yet.
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
        // The last to be read before the instruction.
        let last = operands.iter().rposition(|value| *value == Value::Field);
        last.filter(|_| latest.is_none())
    };
    let at_once = [field, latest];
    at_once.into_iter().flatten().map(|at| at + 1).collect()
}
