//! A code array under construction: first the positions of instructions, then their bytes.

use std::collections::BTreeMap;

use jive_core::{Opcode, OperandLayout};

use super::error::AsmErrorKind;
use super::line::Located;
use super::model::{At, Code, Operand, Statement, Target};
use super::operand::raw_length;
use super::pool::Pool;

/// A code array, with its line numbers and the offsets of its labels.
#[derive(Debug, Default)]
pub(super) struct CodeArray {
    pub(super) bytes: Vec<u8>,
    /// Pairs of the pc of the first instruction of a source line, and the line's number.
    pub(super) lines: Vec<(u16, u16)>,
    labels: BTreeMap<String, i64>,
}

impl CodeArray {
    /// Computes the code offsets of a method's statements, and encodes the statements.
    pub(super) fn assemble(code: &Code, pool: &mut Pool) -> Located<CodeArray> {
        let mut array = CodeArray::default();
        let mut pc = 0;
        for At { line, item } in &code.statements {
            array.place(item, pc).map_err(|kind| (*line, kind))?;
            pc += length(item, pc);
        }
        for At { line, item } in &code.statements {
            array.write(item, pool).map_err(|kind| (*line, kind))?;
        }
        Ok(array)
    }

    /// Returns the code offset that a branch target names.
    pub(super) fn resolve(&self, target: &Target) -> Result<i64, AsmErrorKind> {
        match target {
            Target::Pc(pc) => Ok(*pc),
            Target::Label(name) => self
                .labels
                .get(name)
                .copied()
                .ok_or_else(|| AsmErrorKind::UnknownLabel { name: name.clone() }),
        }
    }

    fn place(&mut self, statement: &Statement, pc: usize) -> Result<(), AsmErrorKind> {
        match statement {
            Statement::Label(name) => {
                let pc = signed(pc);
                if self.labels.insert(name.clone(), pc).is_some() {
                    return Err(AsmErrorKind::DuplicateLabel { name: name.clone() });
                }
            }
            Statement::Line(number) => {
                let pc = u16::try_from(pc).map_err(|_| AsmErrorKind::DoesNotFit {
                    what: "start_pc",
                    value: signed(pc),
                    bytes: 2,
                })?;
                self.lines.push((pc, *number));
            }
            Statement::Insn { .. } | Statement::Bytes(_) => {}
        }
        Ok(())
    }

    fn write(&mut self, statement: &Statement, pool: &mut Pool) -> Result<(), AsmErrorKind> {
        match statement {
            Statement::Label(_) | Statement::Line(_) => Ok(()),
            Statement::Bytes(parts) => {
                let bytes = pool.raw(parts)?;
                self.bytes.extend(bytes);
                Ok(())
            }
            Statement::Insn {
                wide,
                opcode,
                operand,
            } => self.instruction(*opcode, *wide, operand, pool),
        }
    }

    fn instruction(
        &mut self,
        opcode: Opcode,
        wide: bool,
        operand: &Operand,
        pool: &mut Pool,
    ) -> Result<(), AsmErrorKind> {
        let pc = signed(self.bytes.len());
        let index_width = if wide { 2 } else { 1 };
        if wide {
            self.bytes.push(Opcode::Wide.byte());
        }
        self.bytes.push(opcode.byte());
        match operand {
            Operand::None => Ok(()),
            Operand::Int(value) => match opcode.layout() {
                OperandLayout::Short => self.signed("operand", *value, 2),
                _ => self.signed("operand", *value, 1),
            },
            Operand::Constant(constant) => {
                let index = i64::from(pool.index(constant)?);
                match opcode.layout() {
                    OperandLayout::ConstantByte => self.unsigned("constant pool index", index, 1),
                    OperandLayout::InvokeDynamic => {
                        self.unsigned("constant pool index", index, 2)?;
                        self.unsigned("zero", 0, 2)
                    }
                    _ => self.unsigned("constant pool index", index, 2),
                }
            }
            Operand::Local(local) => self.unsigned("local variable", *local, index_width),
            Operand::LocalIncrement { local, by } => {
                self.unsigned("local variable", *local, index_width)?;
                self.signed("increment", *by, index_width)
            }
            Operand::Branch(target) => {
                let width = match opcode.layout() {
                    OperandLayout::BranchWide => 4,
                    _ => 2,
                };
                self.branch(target, pc, width)
            }
            Operand::TableSwitch {
                low,
                targets,
                default,
            } => {
                self.pad();
                self.branch(default, pc, 4)?;
                let high = i64::from(*low) + signed(targets.len()) - 1;
                self.signed("low", i64::from(*low), 4)?;
                self.signed("high", high, 4)?;
                targets
                    .iter()
                    .try_for_each(|target| self.branch(target, pc, 4))
            }
            Operand::LookupSwitch { cases, default } => {
                self.pad();
                self.branch(default, pc, 4)?;
                self.signed("npairs", signed(cases.len()), 4)?;
                cases.iter().try_for_each(|(key, target)| {
                    self.signed("key", i64::from(*key), 4)?;
                    self.branch(target, pc, 4)
                })
            }
            Operand::ArrayType(code) => self.unsigned("array type", *code, 1),
            Operand::InvokeInterface { method, count } => {
                let index = i64::from(pool.index(method)?);
                self.unsigned("constant pool index", index, 2)?;
                self.unsigned("count", *count, 1)?;
                self.unsigned("zero", 0, 1)
            }
            Operand::MultiArray { class, dimensions } => {
                let index = i64::from(pool.index(class)?);
                self.unsigned("constant pool index", index, 2)?;
                self.unsigned("dimensions", *dimensions, 1)
            }
        }
    }

    /// Pads a switch with zeros up to a multiple of four bytes from the start of the code (JVMS §6.5).
    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn branch(&mut self, target: &Target, from: i64, width: u8) -> Result<(), AsmErrorKind> {
        // The offset of a branch target may be any number, since `@N` is not checked.
        let offset = self.resolve(target)?.saturating_sub(from);
        self.signed("branch offset", offset, width)
    }

    fn signed(&mut self, what: &'static str, value: i64, bytes: u8) -> Result<(), AsmErrorKind> {
        let bound = 1_i64 << (8 * u32::from(bytes) - 1);
        self.number(what, value, bytes, (-bound..bound).contains(&value))
    }

    fn unsigned(&mut self, what: &'static str, value: i64, bytes: u8) -> Result<(), AsmErrorKind> {
        let bound = 1_i64 << (8 * u32::from(bytes));
        self.number(what, value, bytes, (0..bound).contains(&value))
    }

    fn number(
        &mut self,
        what: &'static str,
        value: i64,
        bytes: u8,
        fits: bool,
    ) -> Result<(), AsmErrorKind> {
        if !fits {
            return Err(AsmErrorKind::DoesNotFit { what, value, bytes });
        }
        let all = value.to_be_bytes();
        self.bytes.extend(&all[all.len() - usize::from(bytes)..]);
        Ok(())
    }
}

/// Returns the length of a statement at `pc`. The length of a statement depends on `pc` only through the padding of a
/// switch.
fn length(statement: &Statement, pc: usize) -> usize {
    let (wide, opcode, operand) = match statement {
        Statement::Label(_) | Statement::Line(_) => return 0,
        Statement::Bytes(parts) => return raw_length(parts),
        Statement::Insn {
            wide,
            opcode,
            operand,
        } => (*wide, *opcode, operand),
    };
    let padded = (pc + 1).next_multiple_of(4) - pc;
    match (opcode.layout(), operand) {
        (_, Operand::TableSwitch { targets, .. }) => padded + 12 + 4 * targets.len(),
        (_, Operand::LookupSwitch { cases, .. }) => padded + 8 + 8 * cases.len(),
        (OperandLayout::Local, _) => {
            if wide {
                4
            } else {
                2
            }
        }
        (OperandLayout::LocalIncrement, _) => {
            if wide {
                6
            } else {
                3
            }
        }
        (
            OperandLayout::None
            | OperandLayout::ImplicitInt(_)
            | OperandLayout::ImplicitLocal(_)
            | OperandLayout::Wide,
            _,
        ) => 1,
        (OperandLayout::Byte | OperandLayout::ConstantByte | OperandLayout::ArrayType, _) => 2,
        (OperandLayout::Short | OperandLayout::Constant | OperandLayout::Branch, _) => 3,
        (OperandLayout::MultiArray, _) => 4,
        (
            OperandLayout::BranchWide
            | OperandLayout::InvokeInterface
            | OperandLayout::InvokeDynamic,
            _,
        ) => 5,
        (OperandLayout::TableSwitch | OperandLayout::LookupSwitch, _) => {
            unreachable!("the operand of a switch is a switch's")
        }
    }
}

/// Converts a length in bytes. The conversion cannot overflow, because no source in memory is long enough.
fn signed(value: usize) -> i64 {
    i64::try_from(value).expect("lengths fit i64")
}
