//! What each instruction does to a type state, and what it asks of it (JVMS §4.10.1.9, §6.5).

use core::iter;

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
    let pushed = pushes.iter().map(|kind| match kind {
        StackKind::Int => VerificationType::Int,
        StackKind::Null => VerificationType::Null,
        StackKind::Reference => VerificationType::AnyReference,
    });
    state.replace(opcode, popped, pushed)
}

/// The instructions whose effect depends on operands, local variables or the types that are there.
struct Special<'s, 'b, 'c> {
    state: &'s mut State<'b>,
    opcode: Opcode,
    method: &'c MethodCode<'c>,
    members: &'c Members<'c, 'c>,
}

impl Special<'_, '_, '_> {
    fn apply(&mut self, operand: &Operand<'_>) -> Result<(), VerifyErrorKind> {
        use Opcode as O;
        match (self.opcode, *operand) {
            (O::Ldc | O::LdcW, _) => self.replace(0, &[VerificationType::Int]),
            (O::Iload | O::Iload0 | O::Iload1 | O::Iload2 | O::Iload3, Operand::Local(local)) => {
                self.expect_local(local, Expected::Type(VerificationType::Int))?;
                self.replace(0, &[VerificationType::Int])
            }
            (O::Aload | O::Aload0 | O::Aload1 | O::Aload2 | O::Aload3, Operand::Local(local)) => {
                self.load_reference(local)
            }
            (
                O::Istore | O::Istore0 | O::Istore1 | O::Istore2 | O::Istore3,
                Operand::Local(local),
            ) => {
                self.state.demand(self.opcode, 1)?;
                self.expect(0, VerificationType::Int)?;
                self.replace(1, &[])?;
                self.state.set_local(local, VerificationType::Int);
                Ok(())
            }
            (
                O::Astore | O::Astore0 | O::Astore1 | O::Astore2 | O::Astore3,
                Operand::Local(local),
            ) => self.store_reference(local),
            (O::Iinc, Operand::LocalIncrement { local, .. }) => {
                self.expect_local(local, Expected::Type(VerificationType::Int))
            }
            (O::Iaload, _) => self.array_load(Expected::Type(VerificationType::IntArray)),
            (O::Saload, _) => self.array_load(Expected::Type(VerificationType::ShortArray)),
            (O::Baload, _) => self.array_load(Expected::ByteOrBooleanArray),
            (O::Iastore, _) => self.array_store(Expected::Type(VerificationType::IntArray)),
            (O::Sastore, _) => self.array_store(Expected::Type(VerificationType::ShortArray)),
            (O::Bastore, _) => self.array_store(Expected::ByteOrBooleanArray),
            // The digits say which operands lie on the stack afterwards, by their depth before.
            (O::Pop, _) => self.shuffle(1, &[]),
            (O::Pop2, _) => self.shuffle(2, &[]),
            (O::Dup, _) => self.shuffle(1, &[0, 0]),
            (O::DupX1, _) => self.shuffle(2, &[0, 1, 0]),
            (O::DupX2, _) => self.shuffle(3, &[0, 2, 1, 0]),
            (O::Dup2, _) => self.shuffle(2, &[1, 0, 1, 0]),
            (O::Dup2X1, _) => self.shuffle(3, &[1, 0, 2, 1, 0]),
            (O::Dup2X2, _) => self.shuffle(4, &[1, 0, 3, 2, 1, 0]),
            (O::Swap, _) => self.shuffle(2, &[0, 1]),
            (O::Newarray, Operand::ArrayType(code)) => self.new_array(code),
            (O::Arraylength, _) => {
                self.state.demand(self.opcode, 1)?;
                self.state.expect(self.opcode, 0, Expected::Array)?;
                self.replace(1, &[VerificationType::Int])
            }
            (O::Ireturn | O::Areturn | O::Return, _) => self.returns(),
            (
                O::Getstatic
                | O::Putstatic
                | O::Getfield
                | O::Putfield
                | O::Invokevirtual
                | O::Invokespecial
                | O::Invokestatic,
                Operand::Constant(index),
            ) => self.member(index),
            // No other instruction has a special effect: `wide` is decoded as what it widens.
            (opcode, _) => Err(VerifyErrorKind::ReservedOpcode { opcode }),
        }
    }

    fn replace(&mut self, popped: u8, pushed: &[VerificationType]) -> Result<(), VerifyErrorKind> {
        self.state
            .replace(self.opcode, popped, pushed.iter().copied())
    }

    fn expect(&self, depth: u8, kind: VerificationType) -> Result<(), VerifyErrorKind> {
        self.state.expect(self.opcode, depth, Expected::Type(kind))
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

    /// Loads a reference, `this` before `Object.<init>` included: moving it about does no harm.
    fn load_reference(&mut self, local: u16) -> Result<(), VerifyErrorKind> {
        self.expect_local(local, Expected::ReferenceOrUninitialized)?;
        self.replace(0, &[self.state.local(local)])
    }

    fn store_reference(&mut self, local: u16) -> Result<(), VerifyErrorKind> {
        self.state.demand(self.opcode, 1)?;
        let expected = Expected::ReferenceOrUninitialized;
        self.state.expect(self.opcode, 0, expected)?;
        let found = self.state.operand(0);
        self.replace(1, &[])?;
        self.state.set_local(local, found);
        Ok(())
    }

    /// Array, index -> element.
    fn array_load(&mut self, array: Expected) -> Result<(), VerifyErrorKind> {
        self.state.demand(self.opcode, 2)?;
        self.expect(0, VerificationType::Int)?;
        self.state.expect(self.opcode, 1, array)?;
        self.replace(2, &[VerificationType::Int])
    }

    /// Array, index, element -> nothing.
    fn array_store(&mut self, array: Expected) -> Result<(), VerifyErrorKind> {
        self.state.demand(self.opcode, 3)?;
        self.expect(0, VerificationType::Int)?;
        self.expect(1, VerificationType::Int)?;
        self.state.expect(self.opcode, 2, array)?;
        self.replace(3, &[])
    }

    /// Puts operands, each named by its depth, in place of the topmost ones.
    ///
    /// Every value of the subset takes one slot, so all forms of the `dup` family are this.
    fn shuffle(&mut self, popped: u8, depths: &[u8]) -> Result<(), VerifyErrorKind> {
        self.state.demand(self.opcode, popped)?;
        let top: [VerificationType; 4] = [0, 1, 2, 3].map(|depth| self.state.operand(depth));
        let pushed = depths.iter().map(|depth| {
            top.get(usize::from(*depth))
                .copied()
                .unwrap_or(VerificationType::Top)
        });
        self.state.replace(self.opcode, popped, pushed)
    }

    fn new_array(&mut self, code: u8) -> Result<(), VerifyErrorKind> {
        self.state.demand(self.opcode, 1)?;
        self.expect(0, VerificationType::Int)?;
        match ArrayKind::from_newarray_code(code) {
            Some(kind) => self.replace(1, &[array_type(kind)]),
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
            self.state.demand(opcode, 1)?;
            self.expect(0, result)?;
        }
        if self.method.is_constructor() && self.state.receiver() != VerificationType::This {
            return Err(VerifyErrorKind::ReturnBeforeInit);
        }
        Ok(())
    }

    fn member(&mut self, index: CpIndex) -> Result<(), VerifyErrorKind> {
        let opcode = self.opcode;
        let asked = MemberUse::of(opcode);
        match (self.members.target(index), asked) {
            (Some(Target::Field { kind, .. }), Some(asked)) => self.field(kind, asked),
            (Some(Target::Method { signature, .. }), Some(asked)) => self.call(signature, asked),
            (Some(Target::Native(native)), Some(_)) => self.native(native),
            (Some(Target::ObjectInit), Some(_)) => self.object_init(),
            // The static constraints have resolved every constant that code names.
            (None, _) | (_, None) => Err(VerifyErrorKind::ConstantIndex { opcode, index }),
        }
    }

    fn field(&mut self, kind: VerificationType, asked: MemberUse) -> Result<(), VerifyErrorKind> {
        match (asked.kind, asked.is_static) {
            (UseKind::Load, true) => self.replace(0, &[kind]),
            (UseKind::Load, false) => {
                self.state.demand(self.opcode, 1)?;
                self.expect(0, VerificationType::This)?;
                self.replace(1, &[kind])
            }
            (UseKind::Store, true) => {
                self.state.demand(self.opcode, 1)?;
                self.expect(0, kind)?;
                self.replace(1, &[])
            }
            (UseKind::Store, false) => {
                self.state.demand(self.opcode, 2)?;
                self.expect(0, kind)?;
                // A constructor may set the class's own fields before `Object.<init>` (JVMS
                // §4.10.2.4); resolution has seen to it that the field is the class's own.
                if self.state.operand(1) != VerificationType::UninitializedThis {
                    self.expect(1, VerificationType::This)?;
                }
                self.replace(2, &[])
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
        let arguments = signatures.parameters(signature);
        let popped = self.arguments(receiver, arguments)?;
        let result = signatures.result(signature);
        self.state.replace(self.opcode, popped, result.into_iter())
    }

    fn native(&mut self, native: &NativeDecl) -> Result<(), VerifyErrorKind> {
        let parameters = native.parameters.iter();
        let popped = self.arguments(None, parameters.map(|row| native_type(row.kind)))?;
        let result = native.result.map(native_type);
        self.state.replace(self.opcode, popped, result.into_iter())
    }

    /// Checks the arguments of a call, and the receiver below them, and returns how many there are.
    fn arguments(
        &self,
        receiver: Option<VerificationType>,
        parameters: impl ExactSizeIterator<Item = VerificationType> + DoubleEndedIterator,
    ) -> Result<u8, VerifyErrorKind> {
        // More than 255 are more than any operand stack of the limit holds.
        let count = parameters.len().saturating_add(receiver.iter().len());
        let needed = u8::try_from(count).unwrap_or(u8::MAX);
        self.state.demand(self.opcode, needed)?;
        let topmost_first = parameters.rev().chain(receiver);
        for (depth, kind) in (0..=u8::MAX).zip(topmost_first) {
            self.expect(depth, kind)?;
        }
        Ok(needed)
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
        self.state.replace(self.opcode, 1, iter::empty())?;
        self.state.initialize();
        Ok(())
    }
}
