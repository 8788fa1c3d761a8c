//! Where references lie in a class that is linked for a collector: the types that the verifier infers, kept for each
//! instruction at which a call can wait.

use std::collections::BTreeMap;

use bumpalo::Bump;
use jive_core::{
    Action, ClassFile, LinkedClass, MemberAccess, MethodId, NativeDecl, Pc, Program, RawInsn,
    Registers, RootMap, RootSite,
};
use jive_load::LoadSize;
use jive_verifier::{Observer, Policy, TypeState, VerificationType};

use crate::load::{Growing, LoadError, PADDING};

/// A class that is linked for a collector.
#[derive(Clone, Debug)]
pub struct CollectedClass<'a> {
    /// The class. Its program stops at `newarray` (`jive_core::link_collected`).
    pub class: LinkedClass<'a>,
    sites: Vec<RootSite>,
}

impl CollectedClass<'_> {
    /// Returns which registers hold references while calls of the class wait.
    #[must_use]
    pub fn roots(&self) -> RootMap<'_> {
        RootMap::new(&self.sites)
    }
}

/// Loads a class as [`load_class`](crate::load_class) does, and links it for a collector.
///
/// # Errors
///
/// A [`LoadError`] names the stage of loading that refused the class.
pub fn load_collected<'a>(
    arena: &'a Bump,
    bytes: &'a [u8],
    policy: Policy,
    natives: &[NativeDecl<'_>],
) -> Result<CollectedClass<'a>, LoadError> {
    let arena = Growing(arena);
    let class = jive_load::parse(bytes, &arena)?;
    let LoadSize { work, program } = LoadSize::of(&class);
    let mut types = ReferenceTypes::of(class);
    let verified = {
        let scratch = Bump::with_capacity(work.bytes().saturating_add(PADDING));
        jive_load::verify(class, work, policy, natives, &mut types, &Growing(&scratch))?
    };
    let program = jive_load::link_collected(&verified, program, &arena, &arena)?;
    Ok(CollectedClass {
        class: LinkedClass { class, program },
        sites: types.sites(program),
    })
}

/// The registers that hold references before each instruction at which a call can wait.
struct ReferenceTypes<'a> {
    class: ClassFile<'a>,
    before: BTreeMap<(MethodId, Pc), Registers>,
}

impl<'a> ReferenceTypes<'a> {
    fn of(class: ClassFile<'a>) -> Self {
        let before = BTreeMap::new();
        Self { class, before }
    }

    /// Returns the sites of a program of the class. Code of which the verifier says nothing has no site, so that nothing
    /// is collected while it waits.
    fn sites(&self, program: Program<'_>) -> Vec<RootSite> {
        let known = program.waiting().filter_map(|waiting| {
            let before = self.before.get(&(waiting.method, waiting.pc))?;
            // The arguments of a method belong to the callee, which may use their registers for other values.
            let registers = waiting
                .callee
                .map_or(*before, |callee| before.below(callee));
            Some(RootSite {
                op: waiting.op,
                registers,
            })
        });
        known.collect()
    }

    /// Returns whether a call can wait at an instruction.
    fn can_wait(&self, method: MethodId, pc: Pc) -> bool {
        let method = self.class.method(method);
        let code = method.and_then(|method| method.code());
        let insn = code.and_then(|code| RawInsn::at(code.bytes, pc));
        insn.is_some_and(|insn| match insn.action() {
            Action::NewArray => true,
            Action::Member(usage) => usage.access() == MemberAccess::Call,
            _ => false,
        })
    }
}

impl Observer for ReferenceTypes<'_> {
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        if !self.can_wait(method, pc) {
            return;
        }
        // A method has fewer registers than a byte can number. Those of the operands follow the local variables.
        let mut registers = Registers::default();
        for (register, kind) in (0..=u8::MAX).zip(state.locals().chain(state.stack())) {
            if may_name_an_array(kind) {
                registers.insert(register);
            }
        }
        self.before.insert((method, pc), registers);
    }

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}
}

/// Returns whether a value of a type may be the reference of an array.
const fn may_name_an_array(kind: VerificationType) -> bool {
    match kind {
        VerificationType::ByteArray
        | VerificationType::ShortArray
        | VerificationType::IntArray
        | VerificationType::BooleanArray
        | VerificationType::AnyReference => true,
        VerificationType::Int
        | VerificationType::UninitializedThis
        | VerificationType::Null
        | VerificationType::This
        | VerificationType::Top => false,
    }
}
