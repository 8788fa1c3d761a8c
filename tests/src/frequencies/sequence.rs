//! Counts sequences of instructions within basic blocks, both in the code and as executed.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};

use jive_core::{ClassFile, Code, Insn, Opcode, Operand, instructions};

use super::taken::{self, Taker};

/// Length of the longest counted sequence.
pub(super) const LONGEST: usize = 4;

/// An instruction as a part of a sequence. Forms of an instruction that the linker does not distinguish are equal
/// parts.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Pushes an `int` constant, in any form.
    Constant,
    /// Loads or stores a local variable; the part has the opcode of the form with an explicit index.
    Local(Opcode),
    /// Compares an `int` with zero.
    IfZero,
    /// Compares two `int`s.
    IfTwo,
    /// Any other instruction.
    Other(Opcode),
}

impl Part {
    pub(super) fn of(insn: &Insn<'_>) -> Part {
        use Opcode as O;
        match insn.opcode {
            O::Ldc | O::LdcW => Part::Constant,
            O::Iload | O::Iload0 | O::Iload1 | O::Iload2 | O::Iload3 => Part::Local(O::Iload),
            O::Aload | O::Aload0 | O::Aload1 | O::Aload2 | O::Aload3 => Part::Local(O::Aload),
            O::Istore | O::Istore0 | O::Istore1 | O::Istore2 | O::Istore3 => Part::Local(O::Istore),
            O::Astore | O::Astore0 | O::Astore1 | O::Astore2 | O::Astore3 => Part::Local(O::Astore),
            O::Ifeq | O::Ifne | O::Iflt | O::Ifge | O::Ifgt | O::Ifle => Part::IfZero,
            O::IfIcmpeq | O::IfIcmpne | O::IfIcmplt | O::IfIcmpge | O::IfIcmpgt | O::IfIcmple => {
                Part::IfTwo
            }
            O::GotoW => Part::Other(O::Goto),
            _ if matches!(insn.operand, Operand::Int(_)) => Part::Constant,
            other => Part::Other(other),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Constant => f.write_str("iconst"),
            Part::Local(opcode) | Part::Other(opcode) => opcode.fmt(f),
            Part::IfZero => f.write_str("if"),
            Part::IfTwo => f.write_str("if_icmp"),
        }
    }
}

/// How often an instruction or sequence was executed, and how often it occurs in the code.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// Executions.
    pub executed: u64,
    /// Occurrences in the code.
    pub places: u64,
}

impl Total {
    pub(super) fn add(&mut self, executed: u64) {
        self.executed += executed;
        self.places += 1;
    }
}

/// The counts of the instructions and sequences of a class.
#[derive(Clone, Debug, Default)]
pub struct Sequences {
    /// All instructions.
    pub instructions: Total,
    /// Instructions by opcode.
    pub(super) opcodes: BTreeMap<Opcode, Total>,
    /// Sequences of two or more instructions.
    pub(super) sequences: BTreeMap<Vec<Part>, Total>,
    /// Instructions with an operand that needs no work.
    pub(super) takers: BTreeMap<Taker, Total>,
}

impl Sequences {
    /// Counts the instructions of a class. `visits` has the execution counts by method and pc.
    ///
    /// # Panics
    ///
    /// Panics if the class was not accepted and run.
    #[must_use]
    pub fn count(class: ClassFile<'_>, visits: &[Vec<u64>]) -> Sequences {
        let mut found = Sequences::default();
        for method in class.methods() {
            if let Some(code) = method.code() {
                found.count_method(&code, &visits[method.id.index()]);
            }
        }
        found
    }

    fn count_method(&mut self, code: &Code<'_>, visits: &[u64]) {
        taken::count(code, visits, &mut self.takers);
        let targets = targets(code);
        let mut block: Vec<Part> = Vec::new();
        for insn in decoded(code) {
            if targets.contains(&i64::from(insn.pc.0)) {
                block.clear();
            }
            // Take the count of the last instruction, because each path to it executes the whole sequence.
            let executed = visits[insn.pc.index()];
            self.instructions.add(executed);
            self.opcodes.entry(insn.opcode).or_default().add(executed);
            block.push(Part::of(&insn));
            for length in 2..=LONGEST.min(block.len()) {
                let sequence = block[block.len() - length..].to_vec();
                self.sequences.entry(sequence).or_default().add(executed);
            }
            if ends_block(&insn) {
                block.clear();
            }
        }
    }
}

pub(super) fn decoded<'c>(code: &Code<'c>) -> impl Iterator<Item = Insn<'c>> {
    instructions(code.bytes).map(|insn| insn.expect("a class that ran"))
}

/// Returns all branch targets.
pub(super) fn targets(code: &Code<'_>) -> BTreeSet<i64> {
    decoded(code).flat_map(|insn| insn.targets()).collect()
}

/// Returns whether the instruction ends a basic block, as branches and calls do.
pub(super) fn ends_block(insn: &Insn<'_>) -> bool {
    use Opcode as O;
    match insn.opcode {
        O::Invokestatic | O::Invokevirtual | O::Invokespecial => true,
        O::Ireturn | O::Areturn | O::Return => true,
        _ => matches!(
            insn.operand,
            Operand::Branch(_) | Operand::TableSwitch(_) | Operand::LookupSwitch(_)
        ),
    }
}
