//! The verifier's inferred states of a class, by method and pc, and the check of concrete states against them.

use jive_core::{ClassFile, MethodId, NativeDecl, Pc};
use jive_verifier::{
    Observer, Policy, TypeState, VerificationType, VerifyError, verify_with, work_size,
};

use super::Breach;
use super::value::Value;
use crate::lent::Work;

/// The inferred state before an instruction.
#[derive(Clone, Debug)]
struct Inferred {
    receiver: VerificationType,
    locals: Vec<VerificationType>,
    stack: Vec<VerificationType>,
}

/// The inferred states of all reachable instructions.
#[derive(Clone, Debug, Default)]
pub struct States {
    /// The inferred states by method, then by pc.
    methods: Vec<Vec<Option<Inferred>>>,
}

/// The concrete state of a call.
#[derive(Copy, Clone, Debug)]
pub(super) struct Concrete<'f> {
    pub(super) locals: &'f [Value],
    pub(super) stack: &'f [Value],
    /// In a constructor, whether `Object.<init>` has been called; `None` in other methods.
    pub(super) initialized: Option<bool>,
}

impl Observer for States {
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        let method = method.index();
        if self.methods.len() <= method {
            self.methods.resize(method + 1, Vec::new());
        }
        let states = &mut self.methods[method];
        if states.len() <= pc.index() {
            states.resize(pc.index() + 1, None);
        }
        states[pc.index()] = Some(Inferred {
            receiver: state.receiver(),
            locals: state.locals().collect(),
            stack: state.stack().collect(),
        });
    }

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}
}

impl States {
    /// Verifies a class and keeps the inferred states.
    ///
    /// # Errors
    ///
    /// Returns an error if the class is rejected.
    pub fn infer(
        class: ClassFile<'_>,
        policy: Policy,
        natives: &'static [NativeDecl<'static>],
    ) -> Result<States, VerifyError> {
        let size = work_size(&class);
        let mut work = Work::default();
        let mut states = States::default();
        verify_with(class, policy, natives, work.lend(&size), &mut states)?;
        Ok(states)
    }

    /// Checks that a concrete state lies within the inferred state for its pc.
    pub(super) fn check(
        &self,
        method: MethodId,
        pc: Pc,
        concrete: Concrete<'_>,
    ) -> Result<(), Breach> {
        let inferred = self
            .methods
            .get(method.index())
            .and_then(|states| states.get(pc.index()))
            .and_then(Option::as_ref)
            .ok_or(Breach::Unreachable)?;
        if inferred.stack.len() != concrete.stack.len() {
            return Err(Breach::Depth {
                inferred: inferred.stack.len(),
                found: concrete.stack.len(),
            });
        }
        let stack = inferred.stack.iter().zip(concrete.stack).enumerate();
        for (place, (&inferred, &found)) in stack {
            if !found.lies_in(inferred) {
                return Err(Breach::Operand {
                    place,
                    inferred,
                    found,
                });
            }
        }
        let locals = inferred.locals.iter().zip(concrete.locals).enumerate();
        for (local, (&inferred, &found)) in locals {
            if !found.lies_in(inferred) {
                return Err(Breach::Local {
                    local,
                    inferred,
                    found,
                });
            }
        }
        let receiver_holds = match (inferred.receiver, concrete.initialized) {
            (VerificationType::UninitializedThis, initialized) => initialized == Some(false),
            (VerificationType::This, initialized) => initialized == Some(true),
            (VerificationType::Top, _) => true,
            (
                VerificationType::Int
                | VerificationType::Null
                | VerificationType::ByteArray
                | VerificationType::ShortArray
                | VerificationType::IntArray
                | VerificationType::BooleanArray
                | VerificationType::AnyReference,
                _,
            ) => false,
        };
        if receiver_holds {
            Ok(())
        } else {
            Err(Breach::Receiver {
                inferred: inferred.receiver,
            })
        }
    }
}
