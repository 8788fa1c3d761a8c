//! What each instruction does to a type state, and what it asks of it (JVMS §4.10.1.9, §6.5).

use core::iter::once;

use jive_core::{ArrayKind, CpIndex, NativeDecl, Opcode, RawInsn, StackChange, StackKind};

use crate::descriptor::array_type;
use crate::error::VerifyErrorKind;
use crate::found::Expected;
use crate::method::MethodCode;
use crate::resolve::{MemberUse, Members, Target, UseKind, native_type};
use crate::signature::Signature;
use crate::state::State;
use crate::types::VerificationType;

/// Applies an instruction, whose static constraints hold, to the state before it.
///
/// Where it fails the state is still the one before the instruction.
#[inline(always)]
pub(crate) fn step(
    state: &mut State<'_>,
    insn: RawInsn<'_>,
    method: &MethodCode<'_>,
    members: &Members<'_, '_>,
) -> Result<(), VerifyErrorKind> {
    let opcode = insn.opcode();
    if let (Some(kind), StackChange::Counts { pops, pushes }) =
        (insn.stack_kind(), insn.stack_change())
    {
        return fixed(state, opcode, kind, pops, pushes);
    }
    let mut special = Special {
        state,
        opcode,
        method,
        members,
    };
    special.apply(insn)
}

/// Applies an effect that the opcode table states in full: so many values of one kind are popped and pushed.
fn fixed(
    state: &mut State<'_>,
    opcode: Opcode,
    kind: StackKind,
    pops: u8,
    pushes: u8,
) -> Result<(), VerifyErrorKind> {
    // What may not stand there is known for each: asking it of `expected` would take another jump.
    let alike = |expected: Expected, pushed| (expected, !expected.among(), pushed);
    let (expected, others, pushed) = match kind {
        StackKind::Int => alike(INT, VerificationType::Int),
        StackKind::Null => alike(
            Expected::Type(VerificationType::Null),
            VerificationType::Null,
        ),
        // `this` may be tested for null before `Object.<init>`, but not compared: OpenJDK agrees.
        StackKind::Reference if matches!(opcode, Opcode::Ifnull | Opcode::Ifnonnull) => alike(
            Expected::ReferenceOrUninitialized,
            VerificationType::AnyReference,
        ),
        StackKind::Reference => alike(Expected::Reference, VerificationType::AnyReference),
    };
    // No row pushes two.
    let pushed = (pushes > 0).then_some(pushed);
    state.exchange_alike(opcode, pops, expected, others, pushed)
}

const INT: Expected = Expected::Type(VerificationType::Int);
const THIS: Expected = Expected::Type(VerificationType::This);

/// The instructions whose effect depends on operands, local variables or the types that are there.
struct Special<'s, 'b, 'c> {
    state: &'s mut State<'b>,
    opcode: Opcode,
    method: &'c MethodCode<'c>,
    members: &'c Members<'c, 'c>,
}

impl Special<'_, '_, '_> {
    // In line with what follows instructions it is faster, and where registers are few a kilobyte longer.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    fn apply(&mut self, insn: RawInsn<'_>) -> Result<(), VerifyErrorKind> {
        use Opcode as O;
        match self.opcode {
            O::Iload | O::Iload0 | O::Iload1 | O::Iload2 | O::Iload3 => {
                self.load(insn.local(), INT)
            }
            O::Istore | O::Istore0 | O::Istore1 | O::Istore2 | O::Istore3 => {
                self.store(insn.local(), INT)
            }
            // References, `this` before `Object.<init>` included: moving it about does no harm.
            O::Aload | O::Aload0 | O::Aload1 | O::Aload2 | O::Aload3 => {
                self.load(insn.local(), Expected::ReferenceOrUninitialized)
            }
            O::Astore | O::Astore0 | O::Astore1 | O::Astore2 | O::Astore3 => {
                self.store(insn.local(), Expected::ReferenceOrUninitialized)
            }
            O::Iinc => self.expect_local(insn.local(), INT).map(drop),
            O::Newarray => self.new_array(insn.array_type()),
            // Of an `int`.
            O::Ldc | O::LdcW => self.exchange(&[], Some(VerificationType::Int)),
            // The digits say which operands lie on the stack afterwards, by their depth before.
            O::Pop => self.shuffle(1, &[]),
            O::Pop2 => self.shuffle(2, &[]),
            O::Dup => self.shuffle(1, &[0, 0]),
            O::DupX1 => self.shuffle(2, &[0, 1, 0]),
            O::DupX2 => self.shuffle(3, &[0, 2, 1, 0]),
            O::Dup2 => self.shuffle(2, &[1, 0, 1, 0]),
            O::Dup2X1 => self.shuffle(3, &[1, 0, 2, 1, 0]),
            O::Dup2X2 => self.shuffle(4, &[1, 0, 3, 2, 1, 0]),
            O::Swap => self.shuffle(2, &[0, 1]),
            O::Iaload => self.array_load(Expected::Type(VerificationType::IntArray)),
            O::Saload => self.array_load(Expected::Type(VerificationType::ShortArray)),
            O::Baload => self.array_load(Expected::ByteOrBooleanArray),
            O::Iastore => self.array_store(Expected::Type(VerificationType::IntArray)),
            O::Sastore => self.array_store(Expected::Type(VerificationType::ShortArray)),
            O::Bastore => self.array_store(Expected::ByteOrBooleanArray),
            O::Arraylength => self.exchange(&[Expected::Array], Some(VerificationType::Int)),
            O::Ireturn | O::Areturn | O::Return => self.returns(),
            opcode => match MemberUse::of(opcode) {
                Some(asked) => self.member(insn.constant(), asked),
                None => Err(self.ordinary()),
            },
        }
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

    /// No other instruction has a special effect: `wide` is decoded as what it widens.
    fn ordinary(&self) -> VerifyErrorKind {
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

    /// Returns the bits of the type of a local variable that is what is expected.
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

    /// Array, index -> element.
    fn array_load(&mut self, array: Expected) -> Result<(), VerifyErrorKind> {
        self.exchange(&[INT, array], Some(VerificationType::Int))
    }

    /// Array, index, element -> nothing.
    fn array_store(&mut self, array: Expected) -> Result<(), VerifyErrorKind> {
        self.exchange(&[INT, INT, array], None)
    }

    /// Puts operands, each named by its depth, in place of the topmost ones.
    ///
    /// Every value of the subset takes one slot, so all forms of the `dup` family are this.
    fn shuffle(&mut self, popped: u8, depths: &[u8]) -> Result<(), VerifyErrorKind> {
        let base = self.state.demand(self.opcode, popped)?;
        let top: [VerificationType; 4] = [0, 1, 2, 3].map(|depth| self.state.operand(depth));
        let mut pushed = [VerificationType::Top; 6];
        for (slot, depth) in pushed.iter_mut().zip(depths) {
            if let Some(kind) = top.get(usize::from(*depth)) {
                *slot = *kind;
            }
        }
        let pushed = pushed.get(..depths.len()).unwrap_or(&[]);
        self.state.replace(self.opcode, base, pushed)
    }

    fn new_array(&mut self, code: u8) -> Result<(), VerifyErrorKind> {
        match ArrayKind::from_newarray_code(code) {
            Some(kind) => self.exchange(&[INT], Some(array_type(kind))),
            // The static constraints have refused it.
            None => Err(VerifyErrorKind::ArrayTypeCode { found: code }),
        }
    }

    fn returns(&mut self) -> Result<(), VerifyErrorKind> {
        let opcode = self.opcode;
        let result = self.members.signatures().result(self.method.signature);
        let matches = match result {
            None => opcode == Opcode::Return,
            Some(VerificationType::Int) => opcode == Opcode::Ireturn,
            Some(_) => opcode == Opcode::Areturn,
        };
        if !matches {
            let expected = result.map_or(Expected::Nothing, Expected::Type);
            return Err(VerifyErrorKind::ReturnKind { opcode, expected });
        }
        if let Some(result) = result {
            self.exchange(&[Expected::Type(result)], None)?;
        }
        if self.method.is_constructor() && self.state.receiver() != VerificationType::This {
            return Err(VerifyErrorKind::ReturnBeforeInit);
        }
        Ok(())
    }

    fn member(&mut self, index: CpIndex, asked: MemberUse) -> Result<(), VerifyErrorKind> {
        let opcode = self.opcode;
        match self.members.target(index) {
            Some(Target::Field { kind, .. }) => self.field(kind, asked),
            Some(Target::Method { signature, .. }) => self.call(signature, asked),
            Some(Target::Native(native)) => self.native(native),
            Some(Target::ObjectInit) => self.object_init(),
            // The static constraints have resolved every constant that code names.
            None => Err(VerifyErrorKind::ConstantIndex { opcode, index }),
        }
    }

    fn field(&mut self, kind: VerificationType, asked: MemberUse) -> Result<(), VerifyErrorKind> {
        let stored = Expected::Type(kind);
        match (asked.kind, asked.is_static) {
            (UseKind::Load, true) => self.exchange(&[], Some(kind)),
            (UseKind::Load, false) => self.exchange(&[THIS], Some(kind)),
            (UseKind::Store, true) => self.exchange(&[stored], None),
            (UseKind::Store, false) => {
                // A constructor may set the class's own fields before `Object.<init>` (JVMS
                // §4.10.2.4); resolution has seen to it that the field is the class's own.
                let receiver = match self.state.operand(1) {
                    VerificationType::UninitializedThis => Expected::ReferenceOrUninitialized,
                    _ => THIS,
                };
                self.exchange(&[stored, receiver], None)
            }
            // A field is not called: the static constraints have compared kinds.
            (UseKind::Call, _) => Err(VerifyErrorKind::ReservedOpcode {
                opcode: self.opcode,
            }),
        }
    }

    fn call(&mut self, signature: Signature, asked: MemberUse) -> Result<(), VerifyErrorKind> {
        let signatures = self.members.signatures();
        let parameters = signatures.parameters(signature);
        let count = parameters.len().saturating_add((!asked.is_static).into());
        // The last one first, and the receiver below them.
        let types = parameters.rev().chain(once(VerificationType::This));
        let mut expected = types.map(Expected::Type);
        let result = signatures.result(signature);
        self.pass(count, &mut expected, result)
    }

    fn native(&mut self, native: &NativeDecl) -> Result<(), VerifyErrorKind> {
        let parameters = native.parameters.iter().rev();
        let mut expected = parameters.map(|row| Expected::Type(native_type(row.kind)));
        let result = native.result.map(native_type);
        self.pass(native.parameters.len(), &mut expected, result)
    }

    /// Checks the arguments of a call, and puts the result in their place.
    fn pass(
        &mut self,
        count: usize,
        expected: &mut dyn Iterator<Item = Expected>,
        result: Option<VerificationType>,
    ) -> Result<(), VerifyErrorKind> {
        self.state.exchange(self.opcode, count, expected, result)
    }

    /// Calls `Object.<init>`, after which every copy of `this` is initialised (JVMS §4.10.2.4).
    ///
    /// A second call finds no uninitialised `this` and fails, so each path makes exactly one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_of_one_kind_pushes_two() {
        for opcode in (0..=u8::MAX).filter_map(Opcode::from_byte) {
            if opcode.stack_kind().is_some() {
                let change = opcode.stack_change();
                let pushes_one = matches!(change, StackChange::Counts { pushes: 0 | 1, .. });
                assert!(pushes_one, "{opcode} {change:?}");
            }
        }
    }
}
