//! Origins of values: a backwards search from a slot of a frame to the instructions or parameters that produced its
//! value.
//!
//! The verifier infers only types of values and not their origins, which keeps its states small. The search for origins
//! runs after verification and for a single value, so accepted classes do not pay for it.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use fnv::FnvHasher;
use jive_core::{
    Action, ArrayKind, ClassFile, Computational, Constant, ConstantSource, FieldType, Insn,
    MemberAccess, MethodAccess, MethodDescriptor, Operand, Pc, parse_field,
};

use super::calls::pushes;
use super::depths::Depths;
use super::graph::{ControlFlow, Node};

/// Maximum number of steps for a search for origins. Compiled methods take fewer.
const STEPS_MAX: usize = 100_000;
/// Maximum number of steps for the search for a constant. Few steps suffice, because a compiler places a constant right
/// before its use. Without a limit, a hostile class could require the search for thousands of values.
const CONSTANT_STEPS_MAX: usize = 64;

/// Maximum number of steps for a search for the origins of a value that a lint examines. Nearly all values in the
/// methods of the corpus need fewer steps than this maximum.
const NEARBY_STEPS_MAX: usize = 512;

/// A slot of a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// An operand, with its index from the bottom of the operand stack.
    Stack(usize),
    /// A local variable.
    Local(u16),
}

/// The source of a value in a method.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// The receiver of an instance method or constructor.
    This,
    /// A parameter.
    Parameter {
        /// Number of the parameter, counted from 1.
        number: u16,
        /// First local variable of the parameter.
        local: u16,
    },
    /// The value has no source: on some path the local variable is unset.
    Unset(u16),
    /// The instruction at this pc produced the value.
    Instruction(Pc),
}

/// The search for origins in a method.
#[derive(Debug)]
pub(crate) struct Origins<'c, 'a> {
    class: &'c ClassFile<'a>,
    graph: &'c ControlFlow<'a>,
    depths: &'c Depths,
    /// First local variable of each parameter. The list of local variables is computed lazily, because the method's
    /// descriptor can be long.
    parameters: OnceCell<Vec<u16>>,
}

impl<'c, 'a> Origins<'c, 'a> {
    /// Creates a search from a method's control flow graph and the depths of its operand stack.
    pub(crate) fn new(
        class: &'c ClassFile<'a>,
        graph: &'c ControlFlow<'a>,
        depths: &'c Depths,
    ) -> Origins<'c, 'a> {
        Origins {
            class,
            graph,
            depths,
            parameters: OnceCell::new(),
        }
    }

    /// Returns the possible origins of the value in a slot before an instruction, in ascending order. Returns an empty
    /// list of origins if the search takes too many steps.
    pub(crate) fn before(&self, pc: Pc, slot: Slot) -> Vec<Origin> {
        let waiting = self.graph.node(pc).map(|node| (node, slot));
        self.search(waiting.into_iter().collect(), Vec::new(), STEPS_MAX)
            .found
    }

    /// Returns the possible origins of the value in a slot after any of the given instructions. `depth` is the depth of
    /// the operand stack after the instructions `pcs`.
    ///
    /// One search serves all instructions, so that it visits common predecessors once, and the step limit applies to
    /// the sum.
    pub(crate) fn after(&self, pcs: &[Pc], slot: Slot, depth: usize) -> Vec<Origin> {
        let (mut waiting, mut found) = (Vec::new(), Vec::new());
        for node in pcs.iter().filter_map(|pc| self.graph.node(*pc)) {
            match self.through(node, slot, depth) {
                Before::Slot(slot) => waiting.push((node, slot)),
                Before::Made(origin) => found.push(origin),
            }
        }
        self.search(waiting, found, STEPS_MAX).found
    }

    /// Follows the slots in `waiting` backwards until it finds all origins of their values. The search for origins
    /// finds nothing if it exceeds `steps_max`.
    fn search(
        &self,
        mut waiting: Vec<(Node, Slot)>,
        mut found: Vec<Origin>,
        steps_max: usize,
    ) -> Search {
        // The hash is deterministic, so that the number of executed instructions, which a benchmark compares, does not
        // vary.
        let mut seen = HashSet::<_, BuildHasherDefault<FnvHasher>>::default();
        seen.extend(waiting.iter().copied());
        let mut steps = 0;
        while let Some((node, slot)) = waiting.pop() {
            steps += 1 + self.graph.predecessors(node).len();
            if steps > steps_max {
                return Search {
                    found: Vec::new(),
                    steps,
                };
            }
            if node == 0 {
                found.extend(self.at_entry(slot));
            }
            let Some(depth) = self.depths.before(self.graph.insn(node).pc) else {
                continue;
            };
            for previous in self.graph.predecessors(node).iter().copied() {
                // An unreachable predecessor of the instruction contributes no value to the slot.
                if self.depths.before(self.graph.insn(previous).pc).is_none() {
                    continue;
                }
                match self.through(previous, slot, depth) {
                    Before::Made(origin) => found.push(origin),
                    Before::Slot(slot) => {
                        // An instruction of straight-line code need not be remembered in `seen`, because only one way
                        // leads to it.
                        if self.is_straight(previous) || seen.insert((previous, slot)) {
                            waiting.push((previous, slot));
                        }
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Search { found, steps }
    }

    /// Returns whether an instruction has exactly one predecessor and one successor.
    fn is_straight(&self, node: Node) -> bool {
        node != 0
            && self.graph.predecessors(node).len() == 1
            && self.graph.successors(node).len() == 1
    }

    /// Finds where the value, which is in `slot` after an instruction, was before the instruction. `depth` is the depth
    /// of the operand stack after the instruction.
    pub(super) fn through(&self, node: Node, slot: Slot, depth: usize) -> Before {
        let insn = self.graph.insn(node);
        let made = Before::Made(Origin::Instruction(insn.pc));
        match slot {
            Slot::Local(local) => match (insn.operand, insn.action()) {
                // The stored value was on top of the operand stack, which was one deeper before the store.
                (Operand::Local(stored), Action::Store(_)) if stored == local => {
                    Before::Slot(Slot::Stack(depth))
                }
                (Operand::LocalIncrement { local: changed, .. }, _) if changed == local => made,
                _ => Before::Slot(slot),
            },
            Slot::Stack(position) => {
                if let Action::Shuffle(shuffle) = insn.action() {
                    let mut pushes = shuffle.pushes();
                    let bottom = depth.saturating_sub(pushes.len());
                    let before = position
                        .checked_sub(bottom)
                        .and_then(|from| pushes.nth(from));
                    let Some(before) = before else {
                        return Before::Slot(slot);
                    };
                    let top = bottom + usize::from(shuffle.pops());
                    Before::Slot(Slot::Stack(top.saturating_sub(usize::from(before) + 1)))
                } else if position + pushes(self.class, insn) < depth {
                    Before::Slot(slot)
                } else {
                    match insn.operand {
                        Operand::Local(local) => Before::Slot(Slot::Local(local)),
                        _ => made,
                    }
                }
            }
        }
    }

    /// Returns the origin of the value that a slot has at the method's entry.
    pub(super) fn at_entry(&self, slot: Slot) -> Option<Origin> {
        let Slot::Local(wanted) = slot else {
            return None;
        };
        let method = self.class.method(self.depths.method)?;
        let is_static = method.access.contains(MethodAccess::STATIC);
        if !is_static && wanted == 0 {
            return Some(Origin::This);
        }
        let parameters = self.parameters.get_or_init(|| {
            let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes());
            let kinds = descriptor.iter().flat_map(MethodDescriptor::parameters);
            let begin = |local: &mut u16, kind: FieldType<'_>| {
                let begins = *local;
                *local += u16::from(kind.slots());
                Some(begins)
            };
            kinds.scan(u16::from(!is_static), begin).collect()
        });
        Some(match parameters.binary_search(&wanted) {
            Ok(position) => Origin::Parameter {
                // The number of a parameter fits in a `u16`, because a method has at most 255 parameters.
                number: u16::try_from(position + 1).ok()?,
                local: wanted,
            },
            Err(_) => Origin::Unset(wanted),
        })
    }

    /// Returns the type of a value with this origin, as a word.
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
                made_by(self.class, insn)
            }
        }
    }

    /// Returns the origins that [`before`](Self::before) returns, if a short search finds them, and the number of steps
    /// taken.
    pub(crate) fn nearby(&self, pc: Pc, slot: Slot) -> (Vec<Origin>, usize) {
        let waiting = self.graph.node(pc).map(|node| (node, slot));
        let waiting = waiting.into_iter().collect();
        let Search { found, steps } = self.search(waiting, Vec::new(), NEARBY_STEPS_MAX);
        (found, steps)
    }

    /// Returns the constant `int` that a slot has before an instruction on all paths, and the number of steps taken.
    /// The constant is `None` if the paths differ in the value, or if the search takes too many steps.
    pub(crate) fn constant(&self, pc: Pc, slot: Slot) -> (Option<i32>, usize) {
        let waiting = self.graph.node(pc).map(|node| (node, slot));
        let waiting = waiting.into_iter().collect();
        let Search { found, steps } = self.search(waiting, Vec::new(), CONSTANT_STEPS_MAX);
        let constant = match found[..] {
            [Origin::Instruction(made)] => self.pushed_constant(made),
            _ => None,
        };
        (constant, steps)
    }

    /// Returns the constant `int` that an instruction pushes, if any.
    fn pushed_constant(&self, pc: Pc) -> Option<i32> {
        let insn = self.graph.insn(self.graph.node(pc)?);
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

/// The result of a search for origins.
struct Search {
    found: Vec<Origin>,
    /// Number of steps that the search took: visited slots, and edges followed.
    steps: usize,
}

/// The location, before an instruction, of a value that is in a given slot after it.
pub(crate) enum Before {
    /// The value was in this slot before the instruction.
    Slot(Slot),
    /// The value did not exist before the instruction, which produced it.
    Made(Origin),
}

/// Returns the type of the value that an instruction pushes, if any.
fn made_by(class: &ClassFile<'_>, insn: &Insn<'_>) -> Option<String> {
    let word = |word: &str| Some(word.to_owned());
    match (insn.action(), insn.operand) {
        (Action::Constant(ConstantSource::Null), _) => word("null"),
        (
            Action::Constant(ConstantSource::Immediate | ConstantSource::Pool)
            | Action::Load(Computational::Int)
            | Action::LoadElement(_)
            | Action::Unary(_)
            | Action::Binary(_)
            | Action::ArrayLength,
            _,
        ) => word("int"),
        (Action::Load(Computational::Reference), _) => word("reference"),
        (Action::NewArray, Operand::ArrayType(code)) => {
            Some(ArrayKind::from_newarray_code(code)?.to_string())
        }
        (Action::Member(usage), Operand::Constant(index)) => {
            let member = class.pool().member(index).ok()?;
            let descriptor = member.descriptor.as_bytes();
            match usage.access() {
                MemberAccess::Load => Some(type_of(class, parse_field(descriptor).ok()?)),
                MemberAccess::Store => None,
                MemberAccess::Call => {
                    let descriptor = MethodDescriptor::parse(descriptor).ok()?;
                    Some(type_of(class, descriptor.result()?))
                }
            }
        }
        (
            Action::Nothing
            | Action::Store(_)
            | Action::Increment
            | Action::StoreElement(_)
            // A shuffle such as `dup` only copies or moves values that other instructions produced.
            | Action::Shuffle(_)
            | Action::BranchZero(_)
            | Action::BranchInt(_)
            | Action::BranchNull(_)
            | Action::BranchReference(_)
            | Action::Jump
            | Action::Switch
            | Action::Return(_)
            | Action::Member(_)
            | Action::NewArray
            | Action::Wide
            | Action::Unsupported(_),
            _,
        ) => None,
    }
}

/// Returns the word that the verifier uses for a declared type.
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
