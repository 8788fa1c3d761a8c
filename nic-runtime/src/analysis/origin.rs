//! Where a value comes from: backwards from a slot of a frame to the instructions or parameters that
//! made what lies there.
//!
//! The verifier infers what a value is and forgets where it was made, so that its states stay small.
//! Asking for that afterwards, and for one value only, costs those nothing whose class is accepted.

use std::collections::HashSet;

use jive_core::{
    ArrayKind, ClassFile, Constant, FieldType, Insn, MethodAccess, MethodDescriptor, MethodId,
    Opcode, Operand, Pc, StackEffect, StackKind, parse_field,
};
use jive_verifier::{Observer, TypeState};

use super::graph::{ControlFlow, Node};

/// Steps after which looking for an origin is given up: more than any method of a compiler takes.
const STEPS_MAX: usize = 100_000;
/// Steps after which a value counts as no constant: a compiler puts it right before its use, and a
/// hostile class may ask for thousands of values.
const CONSTANT_STEPS_MAX: usize = 64;

/// A place for one value in a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// An operand, counted from the bottom of the stack.
    Stack(usize),
    /// A local variable.
    Local(u16),
}

/// What made a value.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// The receiver of an instance method or constructor.
    This,
    /// The caller: the parameter of this number, from 1, which begins in this local variable.
    Parameter {
        /// Its number.
        number: u16,
        /// Its local variable.
        local: u16,
    },
    /// Nothing: on some path the local variable is never set.
    Unset(u16),
    /// The instruction at this pc.
    Instruction(Pc),
}

/// How deep the operand stack is before each instruction of one method that a path reaches.
#[derive(Clone, Debug)]
pub(crate) struct Depths {
    method: MethodId,
    before: Vec<Option<u8>>,
}

impl Depths {
    /// Begins for a method with so many bytes of code.
    pub(crate) fn of(method: MethodId, code_length: usize) -> Depths {
        Depths {
            method,
            before: vec![None; code_length],
        }
    }

    /// Notes the depth before an instruction.
    pub(crate) fn note(&mut self, pc: Pc, depth: usize) {
        if let Some(before) = self.before.get_mut(pc.index()) {
            // Frames of more than 255 slots are refused before their types are inferred.
            *before = u8::try_from(depth).ok();
        }
    }

    /// Returns the depth before an instruction, if a path reaches it.
    pub(crate) fn before(&self, pc: Pc) -> Option<usize> {
        let depth = self.before.get(pc.index()).copied().flatten()?;
        Some(usize::from(depth))
    }
}

impl Observer for Depths {
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        if method == self.method {
            self.note(pc, state.stack().len());
        }
    }

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}
}

/// A method in which origins are looked for.
#[derive(Debug)]
pub(crate) struct Origins<'c, 'a> {
    class: &'c ClassFile<'a>,
    graph: &'c ControlFlow<'a>,
    depths: &'c Depths,
}

impl<'c, 'a> Origins<'c, 'a> {
    /// Joins a method's control flow with the depths of its operand stack.
    pub(crate) fn new(
        class: &'c ClassFile<'a>,
        graph: &'c ControlFlow<'a>,
        depths: &'c Depths,
    ) -> Origins<'c, 'a> {
        Origins {
            class,
            graph,
            depths,
        }
    }

    /// Returns what may have made the value that lies in a slot before an instruction, in the order of
    /// their places; nothing where that takes too long to find out.
    pub(crate) fn before(&self, pc: Pc, slot: Slot) -> Vec<Origin> {
        let waiting = self.graph.node(pc).map(|node| (node, slot));
        self.search(waiting.into_iter().collect(), Vec::new(), STEPS_MAX)
    }

    /// Returns what may have made the value that lies in a slot behind an instruction, where the stack
    /// is so deep.
    pub(crate) fn after(&self, pc: Pc, slot: Slot, depth: usize) -> Vec<Origin> {
        let mut found = Vec::new();
        let mut waiting = Vec::new();
        if let Some(node) = self.graph.node(pc) {
            self.through(node, slot, depth, &mut waiting, &mut found);
        }
        self.search(waiting, found, STEPS_MAX)
    }

    /// Follows slots backwards until all are made, or returns nothing after so many steps.
    fn search(
        &self,
        mut waiting: Vec<(Node, Slot)>,
        mut found: Vec<Origin>,
        steps_max: usize,
    ) -> Vec<Origin> {
        let mut seen = waiting.iter().copied().collect::<HashSet<_>>();
        let mut steps = 0;
        while let Some((node, slot)) = waiting.pop() {
            steps += 1 + self.graph.predecessors(node).len();
            if steps > steps_max {
                return Vec::new();
            }
            if node == 0 {
                found.extend(self.at_entry(slot));
            }
            let Some(depth) = self.depths.before(self.graph.insn(node).pc) else {
                continue;
            };
            for previous in self.graph.predecessors(node) {
                // What no path reaches passes nothing on.
                if self.depths.before(self.graph.insn(*previous).pc).is_none() {
                    continue;
                }
                let mut next = Vec::new();
                self.through(*previous, slot, depth, &mut next, &mut found);
                waiting.extend(next.into_iter().filter(|place| seen.insert(*place)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Goes back through an instruction, behind which the stack is so deep: to where the value was
    /// before, or to the instruction itself if it made the value.
    fn through(
        &self,
        node: Node,
        slot: Slot,
        depth: usize,
        waiting: &mut Vec<(Node, Slot)>,
        found: &mut Vec<Origin>,
    ) {
        let insn = self.graph.insn(node);
        let made = Origin::Instruction(insn.pc);
        match slot {
            Slot::Local(local) => match (insn.operand, store_of(insn.opcode)) {
                // The value was on top of the stack, which is one deeper before.
                (Operand::Local(stored), true) if stored == local => {
                    waiting.push((node, Slot::Stack(depth)));
                }
                (Operand::LocalIncrement { local: changed, .. }, _) if changed == local => {
                    found.push(made);
                }
                _ => waiting.push((node, slot)),
            },
            Slot::Stack(position) => {
                if let Some((popped, pushed)) = shuffle(insn.opcode) {
                    let bottom = depth.saturating_sub(pushed.len());
                    match position
                        .checked_sub(bottom)
                        .and_then(|from| pushed.get(from))
                    {
                        Some(before) => {
                            let top = bottom + popped;
                            waiting.push((node, Slot::Stack(top.saturating_sub(before + 1))));
                        }
                        None => waiting.push((node, slot)),
                    }
                } else if position + self.pushes(node) < depth {
                    waiting.push((node, slot));
                } else {
                    match insn.operand {
                        Operand::Local(local) => waiting.push((node, Slot::Local(local))),
                        _ => found.push(made),
                    }
                }
            }
        }
    }

    /// Returns what a slot holds when the method is called.
    fn at_entry(&self, slot: Slot) -> Option<Origin> {
        let Slot::Local(wanted) = slot else {
            return None;
        };
        let method = self.class.method(self.depths.method)?;
        let mut local = 0;
        if !method.access.contains(MethodAccess::STATIC) {
            if wanted == 0 {
                return Some(Origin::This);
            }
            local = 1;
        }
        let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes()).ok()?;
        for (number, kind) in (1..).zip(descriptor.parameters()) {
            if local == wanted {
                return Some(Origin::Parameter { number, local });
            }
            local += u16::from(kind.slots());
        }
        Some(Origin::Unset(wanted))
    }

    /// Returns how many values an instruction of the subset that is no shuffle pushes.
    fn pushes(&self, node: Node) -> usize {
        let insn = self.graph.insn(node);
        match insn.opcode.effect() {
            StackEffect::Fixed { pushes, .. } => pushes.len(),
            StackEffect::Unsupported(_) => 0,
            StackEffect::Special => usize::from(made_by(self.class, insn).is_some()),
        }
    }

    /// Returns the type of what an origin made, as a word.
    pub(crate) fn type_word(&self, origin: Origin) -> Option<String> {
        match origin {
            Origin::This => Some("this".to_owned()),
            Origin::Unset(_) => None,
            Origin::Parameter { number, .. } => {
                let method = self.class.method(self.depths.method)?;
                let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes()).ok()?;
                let kind = descriptor.parameters().nth(usize::from(number) - 1)?;
                Some(type_of(self.class, kind))
            }
            Origin::Instruction(pc) => {
                let insn = self.graph.insn(self.graph.node(pc)?);
                match insn.opcode.effect() {
                    StackEffect::Fixed { pushes, .. } => pushes.last().map(|kind| {
                        let word = match kind {
                            StackKind::Int => "int",
                            StackKind::Null => "null",
                            StackKind::Reference => "reference",
                        };
                        word.to_owned()
                    }),
                    StackEffect::Special => made_by(self.class, insn),
                    StackEffect::Unsupported(_) => None,
                }
            }
        }
    }

    /// Returns the one `int` that a slot holds before an instruction, whatever path leads there.
    pub(crate) fn constant(&self, pc: Pc, slot: Slot) -> Option<i32> {
        let waiting = vec![(self.graph.node(pc)?, slot)];
        let origins = self.search(waiting, Vec::new(), CONSTANT_STEPS_MAX);
        let [Origin::Instruction(made)] = origins[..] else {
            return None;
        };
        let insn = self.graph.insn(self.graph.node(made)?);
        match insn.operand {
            Operand::Int(value) => Some(value),
            Operand::Constant(index) => match self.class.pool().get(index).ok()? {
                Constant::Integer(value) => Some(value),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether an instruction stores to the local variable that it names.
pub(super) const fn store_of(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::Istore
            | O::Istore0
            | O::Istore1
            | O::Istore2
            | O::Istore3
            | O::Astore
            | O::Astore0
            | O::Astore1
            | O::Astore2
            | O::Astore3
    )
}

/// Returns how many operands a shuffle takes, and which of them it puts back, lowest first, each by
/// its depth before.
const fn shuffle(opcode: Opcode) -> Option<(usize, &'static [usize])> {
    use Opcode as O;
    Some(match opcode {
        O::Pop => (1, &[]),
        O::Pop2 => (2, &[]),
        O::Dup => (1, &[0, 0]),
        O::DupX1 => (2, &[0, 1, 0]),
        O::DupX2 => (3, &[0, 2, 1, 0]),
        O::Dup2 => (2, &[1, 0, 1, 0]),
        O::Dup2X1 => (3, &[1, 0, 2, 1, 0]),
        O::Dup2X2 => (4, &[1, 0, 3, 2, 1, 0]),
        O::Swap => (2, &[0, 1]),
        _ => return None,
    })
}

/// Returns the type of what an instruction with a special effect pushes, if it pushes anything.
fn made_by(class: &ClassFile<'_>, insn: &Insn<'_>) -> Option<String> {
    use Opcode as O;
    let int = || Some("int".to_owned());
    match (insn.opcode, insn.operand) {
        (opcode, Operand::Local(_)) if store_of(opcode) => None,
        (O::Iload | O::Iload0 | O::Iload1 | O::Iload2 | O::Iload3, _) => int(),
        (O::Aload | O::Aload0 | O::Aload1 | O::Aload2 | O::Aload3, _) => {
            Some("reference".to_owned())
        }
        (O::Ldc | O::LdcW | O::Iaload | O::Saload | O::Baload | O::Arraylength, _) => int(),
        (O::Newarray, Operand::ArrayType(code)) => {
            Some(ArrayKind::from_newarray_code(code)?.to_string())
        }
        (O::Getstatic | O::Getfield, Operand::Constant(index)) => {
            let field = class.pool().member(index).ok()?;
            let kind = parse_field(field.descriptor.as_bytes()).ok()?;
            Some(type_of(class, kind))
        }
        (O::Invokestatic | O::Invokevirtual | O::Invokespecial, Operand::Constant(index)) => {
            let method = class.pool().member(index).ok()?;
            let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes()).ok()?;
            Some(type_of(class, descriptor.result()?))
        }
        _ => None,
    }
}

/// Returns a declared type as the verifier sees it.
fn type_of(class: &ClassFile<'_>, kind: FieldType<'_>) -> String {
    use FieldType as F;
    match kind {
        F::Byte | F::Short | F::Int | F::Boolean | F::Char => "int".to_owned(),
        F::Long => "long".to_owned(),
        F::Float => "float".to_owned(),
        F::Double => "double".to_owned(),
        F::Object(name) if name == class.name().as_bytes() => "this".to_owned(),
        F::Object(_) => "reference".to_owned(),
        F::Array { .. } => kind
            .array_kind()
            .map_or_else(|| "reference".to_owned(), |kind| kind.to_string()),
    }
}
