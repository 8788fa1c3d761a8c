//! Transfer function of the data flow: the effect of each instruction on a type state (JVMS §4.10.1.9, §6.5).

use core::iter::once;

use jive_core::{
    Action, ArrayKind, Computational, ConstantSource, CpIndex, ElementKind, MemberAccess,
    MemberUse, Opcode, RawInsn,
};

use crate::descriptor::array_type;
use crate::error::VerifyErrorKind;
use crate::found::Expected;
use crate::method::MethodCode;
use crate::resolve::{Members, Target, native_type};
use crate::signature::Signature;
use crate::state::State;
use crate::types::VerificationType;

/// Applies an instruction, which must satisfy the static constraints, to the type state before it.
///
/// If the instruction breaks a rule of the data flow, the type state is unchanged.
#[inline(always)]
pub(crate) fn step(
    state: &mut State<'_>,
    insn: RawInsn<'_>,
    method: &MethodCode<'_>,
    members: &Members<'_, '_>,
) -> Result<(), VerifyErrorKind> {
    let mut step = Step {
        state,
        opcode: insn.opcode(),
        method,
        members,
    };
    step.apply(insn)
}

const INT: Expected = Expected::Type(VerificationType::Int);
const THIS: Expected = Expected::Type(VerificationType::This);
const PUSHED_INT: Option<VerificationType> = Some(VerificationType::Int);
const PUSHED_NULL: Option<VerificationType> = Some(VerificationType::Null);

/// An instruction, the type state that it modifies, the method that contains it, and the members that it may name.
struct Step<'s, 'b, 'c> {
    state: &'s mut State<'b>,
    opcode: Opcode,
    method: &'c MethodCode<'c>,
    members: &'c Members<'c, 'c>,
}

impl Step<'_, '_, '_> {
    // Inlining this function into the loop over instructions makes the verifier faster. The inlining is left out on
    // 32-bit targets: with their few registers, it makes the code a kilobyte longer.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    fn apply(&mut self, insn: RawInsn<'_>) -> Result<(), VerifyErrorKind> {
        // Most actions pop values of one type and push at most one value. All other actions return from their arm of
        // the match.
        let (pops, popped, pushed) = match insn.action() {
            Action::Nothing | Action::Jump => return Ok(()),
            Action::Constant(ConstantSource::Null) => (0, INT, PUSHED_NULL),
            // The static constraints have checked that the constant of `ldc` is an `int`.
            Action::Constant(ConstantSource::Immediate | ConstantSource::Pool) => {
                (0, INT, PUSHED_INT)
            }
            Action::Unary(_) => (1, INT, PUSHED_INT),
            Action::Binary(_) => (2, INT, PUSHED_INT),
            Action::Switch | Action::BranchZero(_) => (1, INT, None),
            Action::BranchInt(_) => (2, INT, None),
            // Before `Object.<init>`, code may test `this` for null, but not compare it. OpenJDK agrees.
            Action::BranchNull(_) => (1, Expected::ReferenceOrUninitialized, None),
            Action::BranchReference(_) => (2, Expected::Reference, None),
            Action::Load(kind) => return self.load(insn.local(), held(kind)),
            Action::Store(kind) => return self.store(insn.local(), held(kind)),
            Action::Increment => return self.expect_local(insn.local(), INT).map(drop),
            Action::LoadElement(kind) => return self.load_element(array_of(kind)),
            Action::StoreElement(kind) => return self.store_element(array_of(kind)),
            Action::Shuffle(shuffle) => {
                return self.shuffle(shuffle.pops(), shuffle.pushes());
            }
            Action::NewArray => return self.new_array(insn.array_type()),
            Action::ArrayLength => return self.exchange(&[Expected::Array], PUSHED_INT),
            Action::Return(kind) => return self.returns(kind),
            Action::Member(usage) => return self.member(insn.constant(), usage),
            // The static constraints reject `wide` and unsupported instructions, and decoding resolves `wide` to the
            // prefixed opcode.
            Action::Wide | Action::Unsupported(_) => return Err(self.refused()),
        };
        self.state
            .exchange_alike(self.opcode, pops, popped, !popped.alternatives(), pushed)
    }

    #[inline(always)]
    fn load(&mut self, local: u16, expected: Expected) -> Result<(), VerifyErrorKind> {
        let found = self.expect_local(local, expected)?;
        self.state.push_bits(self.opcode, found)
    }

    fn store(&mut self, local: u16, expected: Expected) -> Result<(), VerifyErrorKind> {
        let found = self.state.operand(0);
        self.exchange(&[expected], None)?;
        self.state.set_local(local, found);
        Ok(())
    }

    /// Returns the error for an instruction that the static constraints should have rejected.
    #[cold]
    fn refused(&self) -> VerifyErrorKind {
        VerifyErrorKind::ReservedOpcode {
            opcode: self.opcode,
        }
    }

    #[inline]
    fn exchange(
        &mut self,
        popped: &[Expected],
        pushed: Option<VerificationType>,
    ) -> Result<(), VerifyErrorKind> {
        let count = popped.len();
        self.state
            .exchange(self.opcode, count, popped.iter().copied(), pushed)
    }

    /// Returns the bits of a local variable's type. Fails if the local variable does not have the expected type.
    #[inline(always)]
    fn expect_local(&self, local: u16, expected: Expected) -> Result<u8, VerifyErrorKind> {
        let found = self.state.local_bits(local);
        if expected.accepts_bits(found) {
            return Ok(found);
        }
        Err(VerifyErrorKind::LocalType {
            opcode: self.opcode,
            local,
            expected,
            found: VerificationType::from_bits(found),
        })
    }

    /// The instruction pops an array and an index, and pushes the element.
    fn load_element(&mut self, array: Expected) -> Result<(), VerifyErrorKind> {
        self.exchange(&[INT, array], PUSHED_INT)
    }

    /// The instruction pops an array, an index and an element, and pushes nothing.
    fn store_element(&mut self, array: Expected) -> Result<(), VerifyErrorKind> {
        self.exchange(&[INT, INT, array], None)
    }

    /// Replaces the topmost operands by copies of some of them, which `pushes` names by their depth before the
    /// instruction.
    fn shuffle(
        &mut self,
        pops: u8,
        pushes: impl ExactSizeIterator<Item = u8>,
    ) -> Result<(), VerifyErrorKind> {
        let base = self.state.demand(self.opcode, pops)?;
        let top: [VerificationType; 4] = [0, 1, 2, 3].map(|depth| self.state.operand(depth));
        let mut pushed = [VerificationType::Top; 6];
        let count = pushes.len();
        for (slot, depth) in pushed.iter_mut().zip(pushes) {
            if let Some(kind) = top.get(usize::from(depth)) {
                *slot = *kind;
            }
        }
        let pushed = pushed.get(..count).unwrap_or(&[]);
        self.state.replace(self.opcode, base, pushed)
    }

    fn new_array(&mut self, code: u8) -> Result<(), VerifyErrorKind> {
        match ArrayKind::from_newarray_code(code) {
            Some(kind) => self.exchange(&[INT], Some(array_type(kind))),
            // The error for the type code never occurs, because the static constraints have checked the code.
            None => Err(VerifyErrorKind::ArrayTypeCode { found: code }),
        }
    }

    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    fn returns(&mut self, kind: Option<Computational>) -> Result<(), VerifyErrorKind> {
        let result = self.members.signatures().result(self.method.signature);
        let declared = result.map(|result| match result {
            VerificationType::Int => Computational::Int,
            _ => Computational::Reference,
        });
        if kind != declared {
            return Err(VerifyErrorKind::ReturnKind {
                opcode: self.opcode,
                expected: result.map_or(Expected::Nothing, Expected::Type),
            });
        }
        if let Some(result) = result {
            self.exchange(&[Expected::Type(result)], None)?;
        }
        if self.method.is_constructor() && self.state.receiver() != VerificationType::This {
            return Err(VerifyErrorKind::ReturnBeforeInit);
        }
        Ok(())
    }

    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    fn member(&mut self, index: CpIndex, usage: MemberUse) -> Result<(), VerifyErrorKind> {
        let opcode = self.opcode;
        match self.members.target(index) {
            Some(Target::Field { kind, .. }) => self.field(kind, usage),
            Some(Target::Method { signature, .. }) => self.call(signature, usage),
            Some(Target::Native(id)) => self.native(id),
            Some(Target::ObjectInit) => self.object_init(),
            // The error for an unresolved constant never occurs, because the static constraints have resolved all
            // constants.
            None => Err(VerifyErrorKind::ConstantIndex { opcode, index }),
        }
    }

    fn field(&mut self, kind: VerificationType, usage: MemberUse) -> Result<(), VerifyErrorKind> {
        let stored = Expected::Type(kind);
        match (usage.access(), usage.is_static()) {
            (MemberAccess::Load, true) => self.exchange(&[], Some(kind)),
            (MemberAccess::Load, false) => self.exchange(&[THIS], Some(kind)),
            (MemberAccess::Store, true) => self.exchange(&[stored], None),
            (MemberAccess::Store, false) => {
                // A constructor may set fields of the class before `Object.<init>` (JVMS §4.10.2.4). Resolution has
                // checked that the class itself declares the field.
                let receiver = match self.state.operand(1) {
                    VerificationType::UninitializedThis => Expected::ReferenceOrUninitialized,
                    _ => THIS,
                };
                self.exchange(&[stored, receiver], None)
            }
            // The error for a call of a field never occurs, because the static constraints reject such a call.
            (MemberAccess::Call, _) => Err(self.refused()),
        }
    }

    fn call(&mut self, signature: Signature, usage: MemberUse) -> Result<(), VerifyErrorKind> {
        let signatures = self.members.signatures();
        let parameters = signatures.parameters(signature);
        let count = parameters.len().saturating_add((!usage.is_static()).into());
        // The types are in the order in which the call pops the arguments: the last parameter first, the receiver last.
        let types = parameters.rev().chain(once(VerificationType::This));
        let mut expected = types.map(Expected::Type);
        let result = signatures.result(signature);
        self.pass(count, &mut expected, result)
    }

    fn native(&mut self, id: u32) -> Result<(), VerifyErrorKind> {
        // The search for the native never fails, because `id` comes from the table itself.
        let natives = self.members.natives();
        let native = usize::try_from(id).ok().and_then(|id| natives.get(id));
        let native = native.ok_or(VerifyErrorKind::WorkArea)?;
        let parameters = native.parameters.iter().rev();
        let mut expected = parameters.map(|row| Expected::Type(native_type(row.kind)));
        let result = native.result.map(native_type);
        self.pass(native.parameters.len(), &mut expected, result)
    }

    /// Pops the arguments of a call, and pushes its result.
    fn pass(
        &mut self,
        count: usize,
        expected: &mut dyn Iterator<Item = Expected>,
        result: Option<VerificationType>,
    ) -> Result<(), VerifyErrorKind> {
        self.state.exchange(self.opcode, count, expected, result)
    }

    /// Calls `Object.<init>`, which initialises every copy of `this` (JVMS §4.10.2.4).
    ///
    /// A second call of `Object.<init>` finds no uninitialised `this` and fails, so each path makes exactly one call.
    fn object_init(&mut self) -> Result<(), VerifyErrorKind> {
        let base = self.state.demand(self.opcode, 1)?;
        let found = self.state.operand(0);
        if found != VerificationType::UninitializedThis {
            return Err(VerifyErrorKind::NotUninitialized { found });
        }
        self.state.replace(self.opcode, base, &[])?;
        self.state.initialize();
        Ok(())
    }
}

/// Returns the type that a load or store of this computational type expects.
///
/// For references, the expected type includes `this` before `Object.<init>`, because moving `this` is safe.
const fn held(kind: Computational) -> Expected {
    match kind {
        Computational::Int => INT,
        Computational::Reference => Expected::ReferenceOrUninitialized,
    }
}

/// Returns the array type with elements of a kind.
const fn array_of(kind: ElementKind) -> Expected {
    match kind {
        ElementKind::Int => Expected::Type(VerificationType::IntArray),
        ElementKind::Short => Expected::Type(VerificationType::ShortArray),
        ElementKind::ByteOrBoolean => Expected::ByteOrBooleanArray,
    }
}
