//! Storage for the types that the verifier infers, for display.

use std::collections::BTreeMap;
use std::fmt;

use jive_core::{ClassFile, MethodId, NativeDecl, Pc};
use jive_verifier::{Observer, Policy, TypeState, VerificationType, VerifyError};

use crate::load::verify_class;

/// The types of the local variables and of the operand stack before an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Types {
    /// Types of the local variables, starting with local variable 0.
    pub locals: Vec<VerificationType>,
    /// Types of the operands, from the bottom of the operand stack to its top.
    pub stack: Vec<VerificationType>,
}

impl From<TypeState<'_>> for Types {
    fn from(state: TypeState<'_>) -> Types {
        Types {
            locals: state.locals().collect(),
            stack: state.stack().collect(),
        }
    }
}

impl fmt::Display for Types {
    /// Displays both lists. Leaves out the unusable local variables that follow the last usable one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first(usize::MAX).fmt(f)
    }
}

impl Types {
    /// Displays at most `count` types of the local variables and of the operands, and the number of types left out.
    pub fn first(&self, count: usize) -> FirstTypes<'_> {
        FirstTypes { types: self, count }
    }
}

/// Displays the first types of the local variables and the first types of the operands.
#[derive(Copy, Clone, Debug)]
pub struct FirstTypes<'t> {
    types: &'t Types,
    count: usize,
}

impl fmt::Display for FirstTypes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Types { locals, stack } = self.types;
        let used = locals
            .iter()
            .rposition(|kind| *kind != VerificationType::Top)
            .map_or(0, |last| last + 1);
        f.write_str("locals [")?;
        list(&locals[..used], self.count, f)?;
        f.write_str("] stack [")?;
        list(stack, self.count, f)?;
        f.write_str("]")
    }
}

fn list(types: &[VerificationType], count: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (position, kind) in types.iter().take(count).enumerate() {
        let separator = if position == 0 { "" } else { ", " };
        write!(f, "{separator}{}", type_word(*kind))?;
    }
    match types.len().checked_sub(count) {
        None | Some(0) => Ok(()),
        Some(more) => write!(f, ", … {more} more"),
    }
}

/// Returns a type as a word, without quotes.
pub(crate) fn type_word(kind: VerificationType) -> &'static str {
    match kind {
        VerificationType::Int => "int",
        VerificationType::UninitializedThis => "uninitialized this",
        VerificationType::Null => "null",
        VerificationType::ByteArray => "byte[]",
        VerificationType::ShortArray => "short[]",
        VerificationType::IntArray => "int[]",
        VerificationType::BooleanArray => "boolean[]",
        VerificationType::This => "this",
        VerificationType::AnyReference => "reference",
        VerificationType::Top => "unusable",
    }
}

/// Maximum number of instructions for which types are stored. The limit saves memory, because a class can have a
/// million instructions, with 255 types before each.
pub const KEPT_MAX: usize = 65_536;

/// The types before each reachable instruction, up to a limit. For a rejected class, types are stored up to the
/// instruction where verification ended.
#[derive(Debug, Default)]
pub struct Inferred {
    before: BTreeMap<(MethodId, Pc), Types>,
    failed: Option<(MethodId, Pc, Types)>,
}

impl Inferred {
    /// Verifies a class and stores the inferred types.
    pub fn of(
        class: ClassFile<'_>,
        policy: Policy,
        natives: &[NativeDecl<'_>],
    ) -> (Inferred, Result<(), VerifyError>) {
        let mut inferred = Inferred::default();
        let verified = verify_class(class, policy, natives, &mut inferred);
        (inferred, verified.map(|_| ()))
    }

    /// Returns the stored types before an instruction of a method.
    pub fn before(&self, method: MethodId, pc: Pc) -> Option<&Types> {
        self.before.get(&(method, pc))
    }

    /// Returns whether types before any instruction of a method are stored.
    pub fn knows(&self, method: MethodId) -> bool {
        let first = self.before.range((method, Pc(0))..).next();
        let failed = self.failed.as_ref();
        first.is_some_and(|((known, _), _)| *known == method)
            || failed.is_some_and(|(failed, ..)| *failed == method)
    }

    /// Returns the types at the instruction for which the class was rejected, and `None` for any other instruction.
    pub fn failed_at(&self, method: MethodId, pc: Pc) -> Option<&Types> {
        let (failed, at, types) = self.failed.as_ref()?;
        (*failed == method && *at == pc).then_some(types)
    }
}

impl Observer for Inferred {
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        if self.before.len() < KEPT_MAX {
            self.before.insert((method, pc), state.into());
        }
    }

    fn failed(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        self.failed = Some((method, pc, state.into()));
    }
}
