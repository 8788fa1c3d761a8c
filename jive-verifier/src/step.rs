//! What each instruction does to a type state, and what it asks of it (JVMS §4.10.1.9, §6.5).

use jive_core::{ArrayKind, CpIndex, Insn, NativeDecl, Opcode, Operand, StackEffect, StackKind};

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
pub(crate) fn step(
    state: &mut State<'_>,
    insn: &Insn<'_>,
    method: &MethodCode<'_>,
    members: &Members<'_, '_>,
) -> Result<(), VerifyErrorKind> {
    let opcode = insn.opcode;
    match opcode.effect() {
        StackEffect::Fixed { pops, pushes } => fixed(state, opcode, pops, pushes),
        StackEffect::Special => Special {
            state,
            opcode,
            method,
            members,
        }
        .apply(&insn.operand),
        // The static constraints have refused it.
        StackEffect::Unsupported(_) => Err(VerifyErrorKind::ReservedOpcode { opcode }),
    }
}

/// Applies an effect that the opcode table states in full.
fn fixed(
    state: &mut State<'_>,
    opcode: Opcode,
    pops: &[StackKind],
    pushes: &[StackKind],
) -> Result<(), VerifyErrorKind> {
    let popped = u8::try_from(pops.len()).unwrap_or(u8::MAX);
    state.demand(opcode, popped)?;
    for (depth, kind) in (0..popped).zip(pops.iter().rev()) {
        let expected = match kind {
            StackKind::Int => Expected::Type(VerificationType::Int),
            StackKind::Null => Expected::Type(VerificationType::Null),
            // `this` may be tested for null before `Object.<init>`, but not compared: OpenJDK agrees.
            StackKind::Reference if matches!(opcode, Opcode::Ifnull | Opcode::Ifnonnull) => {
                Expected::ReferenceOrUninitialized
            }
            StackKind::Reference => Expected::Reference,
        };
        state.expect(opcode, depth, expected)?;
    }
    // No row pushes two.
    let pushed = pushes.first().map(|kind| match kind {
        StackKind::Int => VerificationType::Int,
        StackKind::Null => VerificationType::Null,
        StackKind::Reference => VerificationType::AnyReference,
    });
    state.replace(opcode, popped, pushed.as_slice())
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
    fn apply(&mut self, operand: &Operand<'_>) -> Result<(), VerifyErrorKind> {
        match *operand {
            Operand::Local(local) => self.local(local),
            Operand::LocalIncrement { local, .. } => self.expect_local(local, INT),
            Operand::ArrayType(code) => self.new_array(code),
            Operand::Constant(index) => match MemberUse::of(self.opcode) {
                Some(asked) => self.member(index, asked),
                // `ldc`, of an `int`.
                None => self.exchange(&[], &[VerificationType::Int]),
            },
            Operand::None => self.plain(),
            Operand::Int(_)
            | Operand::Branch(_)
            | Operand::TableSwitch(_)
            | Operand::LookupSwitch(_)
            | Operand::InvokeInterface { .. }
            | Operand::InvokeDynamic(_)
            | Operand::MultiArray { .. } => Err(self.ordinary()),
        }
    }

    /// Moves a value from or to a local variable.
    fn local(&mut self, local: u16) -> Result<(), VerifyErrorKind> {
        use Opcode as O;
        match self.opcode {
            O::Iload | O::Iload0 | O::Iload1 | O::Iload2 | O::Iload3 => {
                self.expect_local(local, INT)?;
                self.exchange(&[], &[VerificationType::Int])
            }
            O::Istore | O::Istore0 | O::Istore1 | O::Istore2 | O::Istore3 => self.store(local, INT),
            // References, `this` before `Object.<init>` included: moving it about does no harm.
            O::Aload | O::Aload0 | O::Aload1 | O::Aload2 | O::Aload3 => {
                self.expect_local(local, Expected::ReferenceOrUninitialized)?;
                self.exchange(&[], &[self.state.local(local)])
            }
            O::Astore | O::Astore0 | O::Astore1 | O::Astore2 | O::Astore3 => {
                self.store(local, Expected::ReferenceOrUninitialized)
            }
            _ => Err(self.ordinary()),
        }
    }

    fn store(&mut self, local: u16, expected: Expected) -> Result<(), VerifyErrorKind> {
        let found = self.state.operand(0);
        self.exchange(&[expected], &[])?;
        self.state.set_local(local, found);
        Ok(())
    }

    /// Applies an instruction without operand bytes or local variable.
    fn plain(&mut self) -> Result<(), VerifyErrorKind> {
        use Opcode as O;
        // The digits say which operands lie on the stack afterwards, by their depth before.
        let (popped, depths): (u8, &[u8]) = match self.opcode {
            O::Pop => (1, &[]),
            O::Pop2 => (2, &[]),
            O::Dup => (1, &[0, 0]),
            O::DupX1 => (2, &[0, 1, 0]),
            O::DupX2 => (3, &[0, 2, 1, 0]),
            O::Dup2 => (2, &[1, 0, 1, 0]),
            O::Dup2X1 => (3, &[1, 0, 2, 1, 0]),
            O::Dup2X2 => (4, &[1, 0, 3, 2, 1, 0]),
            O::Swap => (2, &[0, 1]),
            O::Iaload => return self.array_load(Expected::Type(VerificationType::IntArray)),
            O::Saload => return self.array_load(Expected::Type(VerificationType::ShortArray)),
            O::Baload => return self.array_load(Expected::ByteOrBooleanArray),
            O::Iastore => return self.array_store(Expected::Type(VerificationType::IntArray)),
            O::Sastore => return self.array_store(Expected::Type(VerificationType::ShortArray)),
            O::Bastore => return self.array_store(Expected::ByteOrBooleanArray),
            O::Arraylength => return self.exchange(&[Expected::Array], &[VerificationType::Int]),
            O::Ireturn | O::Areturn | O::Return => return self.returns(),
            _ => return Err(self.ordinary()),
        };
        self.shuffle(popped, depths)
    }

    /// No other instruction has a special effect: `wide` is decoded as what it widens.
    fn ordinary(&self) -> VerifyErrorKind {
        VerifyErrorKind::ReservedOpcode {
            opcode: self.opcode,
        }
    }

    fn exchange(
        &mut self,
        popped: &[Expected],
        pushed: &[VerificationType],
    ) -> Result<(), VerifyErrorKind> {
        self.state.exchange(self.opcode, popped, pushed)
    }

    fn expect_local(&self, local: u16, expected: Expected) -> Result<(), VerifyErrorKind> {
        let found = self.state.local(local);
        if expected.accepts(found) {
            return Ok(());
        }
        Err(VerifyErrorKind::LocalType {
            opcode: self.opcode,
            local,
            expected,
            found,
        })
    }

    /// Array, index -> element.
    fn array_load(&mut self, array: Expected) -> Result<(), VerifyErrorKind> {
        self.exchange(&[INT, array], &[VerificationType::Int])
    }

    /// Array, index, element -> nothing.
    fn array_store(&mut self, array: Expected) -> Result<(), VerifyErrorKind> {
        self.exchange(&[INT, INT, array], &[])
    }

    /// Puts operands, each named by its depth, in place of the topmost ones.
    ///
    /// Every value of the subset takes one slot, so all forms of the `dup` family are this.
    fn shuffle(&mut self, popped: u8, depths: &[u8]) -> Result<(), VerifyErrorKind> {
        self.state.demand(self.opcode, popped)?;
        let top: [VerificationType; 4] = [0, 1, 2, 3].map(|depth| self.state.operand(depth));
        let mut pushed = [VerificationType::Top; 6];
        for (slot, depth) in pushed.iter_mut().zip(depths) {
            if let Some(kind) = top.get(usize::from(*depth)) {
                *slot = *kind;
            }
        }
        let pushed = pushed.get(..depths.len()).unwrap_or(&[]);
        self.state.replace(self.opcode, popped, pushed)
    }

    fn new_array(&mut self, code: u8) -> Result<(), VerifyErrorKind> {
        match ArrayKind::from_newarray_code(code) {
            Some(kind) => self.exchange(&[INT], &[array_type(kind)]),
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
            self.exchange(&[Expected::Type(result)], &[])?;
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
            (UseKind::Load, true) => self.exchange(&[], &[kind]),
            (UseKind::Load, false) => self.exchange(&[THIS], &[kind]),
            (UseKind::Store, true) => self.exchange(&[stored], &[]),
            (UseKind::Store, false) => {
                // A constructor may set the class's own fields before `Object.<init>` (JVMS
                // §4.10.2.4); resolution has seen to it that the field is the class's own.
                let receiver = match self.state.operand(1) {
                    VerificationType::UninitializedThis => Expected::ReferenceOrUninitialized,
                    _ => THIS,
                };
                self.exchange(&[stored, receiver], &[])
            }
            // A field is not called: the static constraints have compared kinds.
            (UseKind::Call, _) => Err(VerifyErrorKind::ReservedOpcode {
                opcode: self.opcode,
            }),
        }
    }

    fn call(&mut self, signature: Signature, asked: MemberUse) -> Result<(), VerifyErrorKind> {
        let signatures = self.members.signatures();
        let receiver = (!asked.is_static).then_some(VerificationType::This);
        self.replace_arguments(
            receiver,
            signatures.parameter_count(signature),
            &|place| signatures.parameter(signature, place),
            signatures.result(signature),
        )
    }

    fn native(&mut self, native: &NativeDecl) -> Result<(), VerifyErrorKind> {
        let parameter = |place: usize| {
            let row = native.parameters.get(place);
            row.map_or(VerificationType::Top, |row| native_type(row.kind))
        };
        let result = native.result.map(native_type);
        self.replace_arguments(None, native.parameters.len(), &parameter, result)
    }

    /// Checks the arguments of a call, the last one first, and the receiver below them; puts the
    /// result in their place.
    fn replace_arguments(
        &mut self,
        receiver: Option<VerificationType>,
        parameter_count: usize,
        parameter: &dyn Fn(usize) -> VerificationType,
        result: Option<VerificationType>,
    ) -> Result<(), VerifyErrorKind> {
        // More than 255 are more than any operand stack of the limit holds.
        let count = parameter_count.saturating_add(receiver.iter().len());
        let popped = u8::try_from(count).unwrap_or(u8::MAX);
        self.state.demand(self.opcode, popped)?;
        let mut depth: u8 = 0;
        for place in (0..parameter_count).rev() {
            let expected = Expected::Type(parameter(place));
            self.state.expect(self.opcode, depth, expected)?;
            depth = depth.saturating_add(1);
        }
        if let Some(kind) = receiver {
            self.state
                .expect(self.opcode, depth, Expected::Type(kind))?;
        }
        self.state.replace(self.opcode, popped, result.as_slice())
    }

    /// Calls `Object.<init>`, after which every copy of `this` is initialised (JVMS §4.10.2.4).
    ///
    /// A second call finds no uninitialised `this` and fails, so each path makes exactly one.
    fn object_init(&mut self) -> Result<(), VerifyErrorKind> {
        self.state.demand(self.opcode, 1)?;
        let found = self.state.operand(0);
        if found != VerificationType::UninitializedThis {
            return Err(VerifyErrorKind::NotUninitialized { found });
        }
        self.state.replace(self.opcode, 1, &[])?;
        self.state.initialize();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_pushes_two() {
        for opcode in (0..=u8::MAX).filter_map(Opcode::from_byte) {
            if let StackEffect::Fixed { pushes, .. } = opcode.effect() {
                assert!(pushes.len() < 2, "{opcode}");
            }
        }
    }
}
