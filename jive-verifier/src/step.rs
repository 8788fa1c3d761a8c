//! Transfer function of the data flow: the effect of each instruction on a type state (JVMS §4.10.1.9, §6.5).

use core::marker::PhantomData;

use jive_core::{
    Action, ArrayKind, Computational, ConstantSource, CpIndex, ElementKind, MemberAccess,
    MemberUse, NativeParameter, Opcode, RawInsn,
};

use crate::descriptor::array_type;
use crate::error::{Reason, VerifyErrorKind};
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
pub(crate) fn step<K: Reason>(
    state: &mut State<'_>,
    insn: RawInsn<'_>,
    method: &MethodCode<'_>,
    members: &Members<'_, '_>,
) -> Result<(), K> {
    let mut step = Step::<K> {
        state,
        opcode: insn.opcode(),
        method,
        members,
        reason: PhantomData,
    };
    step.apply(insn)
}

const INT: Expected = Expected::Type(VerificationType::Int);
const THIS: Expected = Expected::Type(VerificationType::This);
const PUSHED_INT: Option<VerificationType> = Some(VerificationType::Int);
const PUSHED_NULL: Option<VerificationType> = Some(VerificationType::Null);

/// An instruction, the type state that it modifies, the method that contains it, and the members that it may name.
struct Step<'s, 'b, 'c, K> {
    state: &'s mut State<'b>,
    opcode: Opcode,
    method: &'c MethodCode<'c>,
    members: &'c Members<'c, 'c>,
    reason: PhantomData<K>,
}

impl<K: Reason> Step<'_, '_, '_, K> {
    // Inlining this function into the loop over instructions makes the verifier faster. The inlining is left out on
    // 32-bit targets: with their few registers, it makes the code a kilobyte longer.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    fn apply(&mut self, insn: RawInsn<'_>) -> Result<(), K> {
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
                let (pops, pushes) = (shuffle.pops(), shuffle.pushes());
                return self.state.shuffle(self.opcode, pops, pushes);
            }
            Action::NewArray => return self.new_array(insn.array_type()),
            Action::ArrayLength => return self.exchange(&[Expected::Array], PUSHED_INT),
            Action::Return(kind) => return self.returns(kind),
            Action::Member(usage) => return self.member(insn.constant(), usage),
            // The static constraints reject `wide` and unsupported instructions, and decoding resolves `wide` to the
            // prefixed opcode.
            Action::Wide | Action::Unsupported(_) => return Err(K::of(|| self.refused())),
        };
        self.state
            .exchange_alike(self.opcode, pops, popped, !popped.alternatives(), pushed)
    }

    #[inline(always)]
    fn load(&mut self, local: u16, expected: Expected) -> Result<(), K> {
        let found = self.expect_local(local, expected)?;
        self.state.push_bits(self.opcode, found)
    }

    fn store(&mut self, local: u16, expected: Expected) -> Result<(), K> {
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
    fn exchange(&mut self, popped: &[Expected], pushed: Option<VerificationType>) -> Result<(), K> {
        let count = popped.len();
        self.state
            .exchange(self.opcode, count, popped.iter().copied(), pushed)
    }

    /// Returns the bits of a local variable's type. Fails if the local variable does not have the expected type.
    #[inline(always)]
    fn expect_local(&self, local: u16, expected: Expected) -> Result<u8, K> {
        let found = self.state.local_bits(local);
        if expected.accepts_bits(found) {
            return Ok(found);
        }
        Err(VerifyErrorKind::LocalType {
            opcode: self.opcode,
            local,
            expected,
            found: VerificationType::from_bits(found),
        }
        .into())
    }

    /// The instruction pops an array and an index, and pushes the element.
    fn load_element(&mut self, array: Expected) -> Result<(), K> {
        self.exchange(&[INT, array], PUSHED_INT)
    }

    /// The instruction pops an array, an index and an element, and pushes nothing.
    fn store_element(&mut self, array: Expected) -> Result<(), K> {
        self.exchange(&[INT, INT, array], None)
    }

    fn new_array(&mut self, code: u8) -> Result<(), K> {
        match ArrayKind::from_newarray_code(code) {
            Some(kind) => self.exchange(&[INT], Some(array_type(kind))),
            // The error for the type code never occurs, because the static constraints have checked the code.
            None => Err(VerifyErrorKind::ArrayTypeCode { found: code }.into()),
        }
    }

    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    fn returns(&mut self, kind: Option<Computational>) -> Result<(), K> {
        let result = self.members.signatures().result(self.method.signature);
        let declared = result.map(|result| match result {
            VerificationType::Int => Computational::Int,
            _ => Computational::Reference,
        });
        if kind != declared {
            return Err(VerifyErrorKind::ReturnKind {
                opcode: self.opcode,
                expected: result.map_or(Expected::Nothing, Expected::Type),
            }
            .into());
        }
        if let Some(result) = result {
            self.exchange(&[Expected::Type(result)], None)?;
        }
        if self.method.is_constructor() && self.state.receiver() != VerificationType::This {
            return Err(VerifyErrorKind::ReturnBeforeInit.into());
        }
        Ok(())
    }

    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    fn member(&mut self, index: CpIndex, usage: MemberUse) -> Result<(), K> {
        let opcode = self.opcode;
        match self.members.target(index) {
            Some(Target::Field { kind, .. }) => self.field(kind, usage),
            Some(Target::Method { signature, .. }) => self.call(signature, usage),
            Some(Target::Native(id)) => self.native(id),
            Some(Target::ObjectInit) => self.object_init(),
            // The error for an unresolved constant never occurs, because the static constraints have resolved all
            // constants.
            None => Err(VerifyErrorKind::ConstantIndex { opcode, index }.into()),
        }
    }

    fn field(&mut self, kind: VerificationType, usage: MemberUse) -> Result<(), K> {
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
            (MemberAccess::Call, _) => Err(K::of(|| self.refused())),
        }
    }

    fn call(&mut self, signature: Signature, usage: MemberUse) -> Result<(), K> {
        let signatures = self.members.signatures();
        let arguments = Arguments::Own(signatures.parameters(signature));
        let result = signatures.result(signature);
        self.pass(arguments, !usage.is_static(), result)
    }

    fn native(&mut self, id: u32) -> Result<(), K> {
        // The search for the native never fails, because `id` comes from the table itself.
        let natives = self.members.natives();
        let native = usize::try_from(id).ok().and_then(|id| natives.get(id));
        let native = native.ok_or(VerifyErrorKind::WorkArea)?;
        let arguments = Arguments::Native(native.parameters);
        self.pass(arguments, false, native.result.map(native_type))
    }

    /// Pops the arguments of a call, the last one first and the receiver last, and pushes its result.
    fn pass(
        &mut self,
        arguments: Arguments<'_>,
        has_receiver: bool,
        result: Option<VerificationType>,
    ) -> Result<(), K> {
        let count = arguments.count().saturating_add(has_receiver.into());
        let expected = (0..count).map(|depth| Expected::Type(arguments.expected(depth)));
        self.state.exchange(self.opcode, count, expected, result)
    }

    /// Calls `Object.<init>`, which initialises every copy of `this` (JVMS §4.10.2.4).
    ///
    /// A second call of `Object.<init>` finds no uninitialised `this` and fails, so each path makes exactly one call.
    fn object_init(&mut self) -> Result<(), K> {
        self.state.demand::<K>(self.opcode, 1)?;
        let found = self.state.operand(0);
        if found != VerificationType::UninitializedThis {
            return Err(VerifyErrorKind::NotUninitialized { found }.into());
        }
        self.state.pop();
        self.state.initialize();
        Ok(())
    }
}

/// The parameters of a called method.
#[derive(Copy, Clone)]
enum Arguments<'c> {
    /// Those of a method of the class, as bits of their types.
    Own(&'c [u8]),
    Native(&'c [NativeParameter<'c>]),
}

impl Arguments<'_> {
    fn count(self) -> usize {
        match self {
            Arguments::Own(bits) => bits.len(),
            Arguments::Native(rows) => rows.len(),
        }
    }

    /// Returns the type of the argument at a depth of the operand stack. Below all parameters is the receiver.
    #[inline]
    fn expected(self, depth: usize) -> VerificationType {
        let place = self.count().wrapping_sub(depth).wrapping_sub(1);
        let found = match self {
            Arguments::Own(bits) => bits
                .get(place)
                .map(|bits| VerificationType::from_bits(*bits)),
            Arguments::Native(rows) => rows.get(place).map(|row| native_type(row.kind)),
        };
        found.unwrap_or(VerificationType::This)
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
