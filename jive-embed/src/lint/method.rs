//! A method that lints examine, and the questions about its values that all lints ask.

use jive_core::{
    Action, ClassFile, ElementKind, FieldType, Insn, MemberAccess, Method, MethodDescriptor,
    Operand, Pc, UnaryOperator,
};

use super::{Finding, Lint};
use crate::analysis::{ControlFlow, Depths, Origin, Origins, Signatures, Slot};

/// Maximum number of operations that are followed back from a value to the parameter that it is computed from.
const DERIVATION_MAX: usize = 16;

pub(super) struct Examined<'c, 'a> {
    pub(super) class: &'c ClassFile<'a>,
    pub(super) method: Method<'a>,
    pub(super) graph: &'c ControlFlow<'a>,
    pub(super) depths: &'c Depths,
    pub(super) origins: Origins<'c, 'a>,
    pub(super) signatures: &'c mut Signatures,
    /// Steps that are left.
    pub(super) steps: &'c mut usize,
    pub(super) found: Vec<Finding>,
}

impl<'a> Examined<'_, 'a> {
    /// Records a warning of a lint at an instruction.
    pub(super) fn warn(&mut self, pc: Pc, lint: Lint) {
        self.found.push(Finding {
            method: self.method.id,
            pc,
            lint,
        });
    }

    /// Returns the instructions of the method that are reachable from its start.
    pub(super) fn instructions(&self) -> impl Iterator<Item = Insn<'a>> + use<'_, 'a> {
        let nodes = (0..self.graph.len()).map(|node| *self.graph.insn(node));
        nodes.filter(|insn| self.depths.before(insn.pc).is_some())
    }

    /// Returns the stack slot of an instruction's operand, where `below_top` counts operands from the top of the stack.
    pub(super) fn operand(&self, pc: Pc, below_top: usize) -> Option<Slot> {
        let depth = self.depths.before(pc)?;
        depth.checked_sub(below_top + 1).map(Slot::Stack)
    }

    /// Returns the origins of an instruction's operand. Returns no origins if a short search does not find them, or if
    /// no steps are left.
    pub(super) fn origins(&mut self, pc: Pc, below_top: usize) -> Vec<Origin> {
        let slot = self.operand(pc, below_top);
        let Some(slot) = slot.filter(|_| *self.steps > 0) else {
            return Vec::new();
        };
        let (found, steps) = self.origins.nearby(pc, slot);
        match self.steps.checked_sub(steps) {
            Some(left) => {
                *self.steps = left;
                found
            }
            None => {
                *self.steps = 0;
                Vec::new()
            }
        }
    }

    /// Returns the instructions that produced an operand, or none if the operand may also have another origin.
    pub(super) fn makers(&mut self, pc: Pc, below_top: usize) -> Vec<Insn<'a>> {
        let origins = self.origins(pc, below_top);
        let graph = self.graph;
        let makers = origins.iter().map(|origin| match origin {
            Origin::Instruction(pc) => graph.node(*pc).map(|node| *graph.insn(node)),
            Origin::This | Origin::Parameter { .. } | Origin::Unset(_) => None,
        });
        makers.collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// Returns the constant that an operand has on every path, if there is one.
    pub(super) fn constant(&mut self, pc: Pc, below_top: usize) -> Option<i32> {
        let slot = self.operand(pc, below_top).filter(|_| *self.steps > 0)?;
        let (constant, steps) = self.origins.constant(pc, slot);
        *self.steps = self.steps.saturating_sub(steps);
        constant
    }

    /// Whether an operand is a `byte` with its sign, on every path to the instruction.
    pub(super) fn is_byte(&mut self, pc: Pc, below_top: usize) -> bool {
        let origins = self.origins(pc, below_top);
        !origins.is_empty()
            && origins.iter().all(|origin| match *origin {
                Origin::Instruction(pc) => {
                    let node = self.graph.node(pc);
                    node.is_some_and(|node| self.makes_byte(self.graph.insn(node)))
                }
                Origin::Parameter { number, .. } => self.is_byte_parameter(number),
                Origin::This | Origin::Unset(_) => false,
            })
    }

    /// Whether a parameter, counted from 1, is declared as `byte`. For a `byte` parameter, a compiler passes only
    /// values of a `byte`.
    fn is_byte_parameter(&self, number: u16) -> bool {
        let descriptor = MethodDescriptor::parse(self.method.descriptor.as_bytes());
        let index = usize::from(number).checked_sub(1);
        let kind = descriptor.ok().zip(index);
        let kind = kind.and_then(|(descriptor, index)| descriptor.parameters().nth(index));
        kind == Some(FieldType::Byte)
    }

    fn makes_byte(&self, insn: &Insn<'_>) -> bool {
        match (insn.action(), insn.operand) {
            (
                Action::LoadElement(ElementKind::ByteOrBoolean)
                | Action::Unary(UnaryOperator::ToByte),
                _,
            ) => true,
            (Action::Member(usage), Operand::Constant(index)) => {
                let member = self.class.pool().member(index);
                member.is_ok_and(|member| match usage.access() {
                    MemberAccess::Load => member.descriptor == "B",
                    MemberAccess::Call => member.descriptor.as_bytes().ends_with(b")B"),
                    MemberAccess::Store => false,
                })
            }
            _ => false,
        }
    }

    /// Whether an operand is computed from a parameter, or the search for its origins leaves that in doubt.
    pub(super) fn depends_on(&mut self, pc: Pc, below_top: usize, parameter: u16) -> bool {
        let mut waiting = vec![(pc, below_top)];
        let mut looked_at = 0;
        while let Some((pc, below_top)) = waiting.pop() {
            looked_at += 1;
            let origins = self.origins(pc, below_top);
            if origins.is_empty() || looked_at > DERIVATION_MAX {
                return true;
            }
            for origin in origins {
                match origin {
                    Origin::Parameter { number, .. } if number == parameter => return true,
                    Origin::Parameter { .. } | Origin::This | Origin::Unset(_) => {}
                    Origin::Instruction(made) => {
                        let operands = self.computed_from(made);
                        waiting.extend((0..operands).map(|below| (made, below)));
                    }
                }
            }
        }
        false
    }

    /// Returns the number of operands from which an instruction computes its result.
    fn computed_from(&mut self, pc: Pc) -> usize {
        let Some(node) = self.graph.node(pc) else {
            return 0;
        };
        let insn = *self.graph.insn(node);
        let change = self.signatures.change(self.class, &insn);
        change.map_or(0, |(pops, _)| pops)
    }
}
