//! Origins of the value that caused an error, as data and in words.

use jive_core::{ClassFile, Code, MethodId, NativeDecl, Pc};
use jive_verifier::{Observer, Policy, TypeState, VerifyErrorKind};
#[cfg(feature = "json")]
use serde::Serialize;

use super::listing::instruction;
use crate::analysis::{ControlFlow, Depths, LineTable, Origin, Origins, Slot};
use crate::inferred::Types;
use crate::load::verify_class;
use crate::variables::variable_name;

/// Maximum number of origins that are reported for a value. Four origins suffice, because more than two types rarely
/// meet.
const SOURCES_MAX: usize = 4;

/// Maximum number of origins of a value among which the reported origins are selected. Not all origins are examined,
/// because a hostile class can merge 20,000 values. Describing one origin can require the parsing of a descriptor of
/// 60,000 bytes and a search for a line.
const ORIGINS_MAX: usize = 256;

/// An origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub(super) struct Source {
    /// The role of the value in the error.
    pub(super) role: Role,
    /// The instruction, parameter or other source of the value.
    #[cfg_attr(feature = "json", serde(flatten))]
    pub(super) maker: Maker,
    /// The type of the value.
    #[cfg_attr(
        feature = "json",
        serde(rename = "type", skip_serializing_if = "Option::is_none")
    )]
    pub(super) kind: Option<String>,
}

/// The roles of the values that an error compares.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(Serialize))]
#[cfg_attr(feature = "json", serde(rename_all = "kebab-case"))]
pub(super) enum Role {
    /// The value with the wrong type.
    Found,
    /// The value or stack that arrives on another path, where that path meets the path of the found value.
    OtherPath,
}

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(Serialize))]
#[cfg_attr(feature = "json", serde(tag = "from", rename_all = "kebab-case"))]
pub(super) enum Maker {
    /// An instruction.
    Instruction {
        /// The instruction's pc.
        pc: u16,
        /// The instruction as text.
        instruction: String,
        /// The instruction's line in the Java source.
        #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
        line: Option<u16>,
    },
    /// A parameter, whose value the caller sets.
    Parameter {
        /// Number of the parameter, counted from 1.
        number: u16,
        /// Name of the parameter, if the class file has it.
        #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
        name: Option<String>,
    },
    /// The receiver.
    This,
    /// The entry of the method, before any instruction is executed.
    Entry,
    /// The value has no source: on some path the local variable is unset.
    Unset {
        /// The local variable.
        local: u16,
    },
}

impl Source {
    /// Returns a label for the instruction that produced the value, or `None` if no instruction produced it.
    pub(super) fn label(&self) -> Option<(Pc, String)> {
        let Maker::Instruction { pc, .. } = self.maker else {
            return None;
        };
        let kind = self.kind.as_deref();
        let label = match (self.role, kind) {
            (Role::Found, Some(kind)) => format!("the {} comes from here", quoted(kind)),
            (Role::Found, None) => "the value comes from here".to_owned(),
            (Role::OtherPath, Some(kind)) => {
                format!("another path brings {} from here", quoted(kind))
            }
            (Role::OtherPath, None) => "another path comes from here".to_owned(),
        };
        Some((Pc(pc), label))
    }

    /// Returns a note on the source of the value, or `None` if the source is an instruction, which gets a label
    /// instead.
    pub(super) fn note(&self) -> Option<String> {
        let kind = match self.kind.as_deref() {
            Some(kind) => quoted(kind),
            None => "value".to_owned(),
        };
        Some(match &self.maker {
            Maker::Instruction { .. } => return None,
            Maker::Parameter { number, name } => {
                let name = name
                    .as_deref()
                    .map_or_else(String::new, |name| format!(", `{name}`"));
                format!("the {kind} is parameter {number} of the method{name}")
            }
            Maker::This => "`this` is what the method was called on".to_owned(),
            Maker::Entry => {
                "the other path is the call of the method, with nothing on the stack".to_owned()
            }
            Maker::Unset { local } => {
                format!("local variable {local} is not set on every path that leads here")
            }
        })
    }
}

fn quoted(kind: &str) -> String {
    format!("`{kind}`")
}

/// Facts about a method in which verification fails.
struct Failure {
    depths: Depths,
    /// The method in which verification fails, and the failing instruction.
    place: (MethodId, Pc),
    /// The types at the failing instruction.
    types: Option<Types>,
}

impl Observer for Failure {
    // The verifier continues after a fault, because other faults may precede the failing instruction.
    const COLLECTS: bool = true;

    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        self.depths.reached(method, pc, state);
    }

    fn failed(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        if (method, pc) == self.place {
            self.types = Some(state.into());
        }
    }
}

/// Returns the types at the instruction where the data flow fails, and the origins of the offending value.
pub(super) fn explore(
    class: &ClassFile<'_>,
    (policy, natives): (Policy, &[NativeDecl<'_>]),
    (method, code): (MethodId, &Code<'_>),
    pc: Pc,
    kind: VerifyErrorKind,
) -> Option<(Types, Vec<Source>)> {
    let mut failure = Failure {
        depths: Depths::of(method, code.bytes.len()),
        place: (method, pc),
        types: None,
    };
    let rejected = verify_class(*class, policy, natives, &mut failure).is_err();
    let types = failure.types.filter(|_| rejected)?;
    let is_merge = matches!(
        kind,
        VerifyErrorKind::MergeType { .. } | VerifyErrorKind::MergeDepth { .. }
    );
    if !is_merge {
        // If a merge fails, the observed state is that after the instruction, so its depth is not recorded for the
        // state before.
        failure.depths.note(pc, types.stack.len());
    }
    let graph = ControlFlow::of(code);
    let search = Search {
        class,
        code,
        lines: LineTable::of(code),
        graph: &graph,
        depths: &failure.depths,
        origins: Origins::new(class, &graph, &failure.depths),
    };
    let sources = search.sources(pc, types.stack.len(), kind);
    Some((types, sources))
}

struct Search<'c, 'a> {
    class: &'c ClassFile<'a>,
    code: &'c Code<'a>,
    lines: LineTable,
    graph: &'c ControlFlow<'a>,
    depths: &'c Depths,
    origins: Origins<'c, 'a>,
}

impl Search<'_, '_> {
    /// Returns the origins of the values that an error compares.
    fn sources(&self, pc: Pc, depth: usize, kind: VerifyErrorKind) -> Vec<Source> {
        let operand = |below: u8| depth.checked_sub(usize::from(below) + 1).map(Slot::Stack);
        let found = match kind {
            VerifyErrorKind::OperandType { depth: below, .. }
            | VerifyErrorKind::UninitializedThis { depth: below, .. } => operand(below),
            VerifyErrorKind::NotUninitialized { .. } => operand(0),
            VerifyErrorKind::LocalType { local, .. } => Some(Slot::Local(local)),
            VerifyErrorKind::MergeType {
                target,
                depth: below,
                ..
            } => return self.clash(pc, target, depth, operand(below)),
            VerifyErrorKind::MergeDepth { target, .. } => {
                let others = self.other_ways(pc, target).into_iter();
                // The iterator is lazy, because there can be 20,000 paths, of which only the first few are described.
                let makers = others.map(|other| self.instruction(other));
                let entry = (target == Pc(0)).then_some(Maker::Entry);
                return entry
                    .into_iter()
                    .chain(makers)
                    .map(|maker| Source {
                        role: Role::OtherPath,
                        maker,
                        kind: None,
                    })
                    .take(SOURCES_MAX)
                    .collect();
            }
            // Errors of other kinds concern only the instruction or the method, so no value has an origin.
            _ => None,
        };
        let found = found.map_or_else(Vec::new, |slot| self.origins.before(pc, slot));
        self.told(Role::Found, found)
    }

    /// Returns the origins of the two values that clash on the operand stack where the path after `pc` reaches
    /// `target`.
    fn clash(&self, pc: Pc, target: Pc, depth: usize, slot: Option<Slot>) -> Vec<Source> {
        let Some(slot) = slot else {
            return Vec::new();
        };
        let mut sources = self.told(Role::Found, self.origins.after(&[pc], slot, depth));
        let others = self.other_ways(pc, target);
        let others = self.origins.after(&others, slot, depth);
        sources.extend(self.told(Role::OtherPath, others));
        sources
    }

    /// Returns the instructions other than that at `pc` from which a path leads directly to `target`.
    fn other_ways(&self, pc: Pc, target: Pc) -> Vec<Pc> {
        let node = self.graph.node(target);
        let predecessors = node.map_or(&[][..], |node| self.graph.predecessors(node));
        predecessors
            .iter()
            .map(|node| self.graph.insn(*node).pc)
            .filter(|other| *other != pc && self.depths.before(*other).is_some())
            .collect()
    }

    /// Describes the origins of a value: the first origin of each type, followed by the others.
    fn told(&self, role: Role, origins: Vec<Origin>) -> Vec<Source> {
        let mut sources = Vec::<Source>::new();
        let (mut first_of_kind, mut rest) = (Vec::new(), Vec::new());
        let origins = origins.into_iter().take(ORIGINS_MAX);
        for source in origins.map(|origin| self.source(role, origin)) {
            // Origins of different types come first, because they are more informative than several origins of the same
            // type.
            if first_of_kind
                .iter()
                .any(|other: &Source| other.kind == source.kind)
            {
                rest.push(source);
            } else {
                first_of_kind.push(source);
            }
        }
        sources.extend(first_of_kind);
        sources.extend(rest);
        sources.truncate(SOURCES_MAX);
        sources
    }

    fn source(&self, role: Role, origin: Origin) -> Source {
        let maker = match origin {
            Origin::This => Maker::This,
            Origin::Unset(local) => Maker::Unset { local },
            Origin::Parameter { number, local } => Maker::Parameter {
                number,
                name: variable_name(self.class.pool(), self.code, Pc(0), local),
            },
            Origin::Instruction(pc) => self.instruction(pc),
        };
        Source {
            role,
            maker,
            kind: self.origins.type_word(origin),
        }
    }

    fn instruction(&self, pc: Pc) -> Maker {
        Maker::Instruction {
            pc: pc.0,
            instruction: instruction(self.class, self.code, pc),
            line: self.lines.line(pc),
        }
    }
}
