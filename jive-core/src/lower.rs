//! Lowering: turns one instruction of a verified class into one op, with its operands resolved.

use crate::array_kind::ArrayKind;
use crate::classfile::{Constant, MemberKind, MemberRef, Method, MethodAccess};
use crate::id::{CpIndex, NativeId};
use crate::insn::{Insn, Operand};
use crate::link::{LinkErrorKind, field_kind};
use crate::native::{NativeDecl, find_native, find_native_of};
use crate::opcode::Opcode;
use crate::program::{LinkedConstant, Meaning, NativeCall, Op, Origin, SwitchCase, ValueKind};
use crate::verified::Verified;

/// What the instructions of one method are lowered with.
pub(crate) struct Lowering<'v, 'a, 's, 'p> {
    pub(crate) verified: &'v Verified<'a>,
    /// What is left of a value that the method returns.
    pub(crate) result: ValueKind,
    pub(crate) targets: Targets<'v>,
    pub(crate) switches: &'s mut SwitchTable<'p>,
    /// What is known already of the constants, by their index.
    pub(crate) constants: &'s mut [LinkedConstant],
}

impl Lowering<'_, '_, '_, '_> {
    pub(crate) fn lower(&mut self, insn: &Insn<'_>) -> Result<Op, LinkErrorKind> {
        let opcode = insn.opcode;
        let outside = Err(LinkErrorKind::Opcode(opcode));
        if opcode.exclusion().is_some() {
            return outside;
        }
        match insn.operand {
            Operand::None => self.lower_plain(opcode),
            Operand::Int(value) => Ok(Op::Push(value)),
            Operand::Local(local) => lower_local(opcode, local),
            Operand::LocalIncrement { local, by } => Ok(Op::Increment { local, by }),
            Operand::Constant(index) => self.lower_constant(opcode, index),
            Operand::Branch(target) => lower_branch(opcode, self.targets.resolve(target)?),
            Operand::TableSwitch(table) => {
                let default = SwitchCase {
                    key: table.low(),
                    target: self.targets.resolve(table.default())?,
                };
                let (default, cases) = self.switches.add(default, table.cases(), &self.targets)?;
                Ok(Op::TableSwitch { default, cases })
            }
            Operand::LookupSwitch(lookup) => {
                let default = SwitchCase {
                    key: 0,
                    target: self.targets.resolve(lookup.default())?,
                };
                let (default, cases) = self.switches.add(default, lookup.cases(), &self.targets)?;
                Ok(Op::LookupSwitch { default, cases })
            }
            Operand::ArrayType(code) => ArrayKind::from_newarray_code(code)
                .map(Op::NewArray)
                .ok_or(LinkErrorKind::Descriptor),
            Operand::InvokeInterface { .. }
            | Operand::InvokeDynamic(_)
            | Operand::MultiArray { .. } => outside,
        }
    }

    fn lower_plain(&self, opcode: Opcode) -> Result<Op, LinkErrorKind> {
        Ok(match opcode {
            Opcode::Nop => Op::Nop,
            Opcode::AconstNull => Op::Push(0),
            Opcode::Baload => Op::LoadByte,
            Opcode::Saload => Op::LoadShort,
            Opcode::Iaload => Op::LoadInt,
            Opcode::Bastore => Op::StoreByte,
            Opcode::Sastore => Op::StoreShort,
            Opcode::Iastore => Op::StoreInt,
            Opcode::Arraylength => Op::ArrayLength,
            Opcode::Pop => Op::Pop,
            Opcode::Pop2 => Op::Pop2,
            Opcode::Dup => Op::Dup,
            Opcode::DupX1 => Op::DupX1,
            Opcode::DupX2 => Op::DupX2,
            Opcode::Dup2 => Op::Dup2,
            Opcode::Dup2X1 => Op::Dup2X1,
            Opcode::Dup2X2 => Op::Dup2X2,
            Opcode::Swap => Op::Swap,
            Opcode::Iadd => Op::Add,
            Opcode::Isub => Op::Subtract,
            Opcode::Imul => Op::Multiply,
            Opcode::Idiv => Op::Divide,
            Opcode::Irem => Op::Remainder,
            Opcode::Ineg => Op::Negate,
            Opcode::Ishl => Op::ShiftLeft,
            Opcode::Ishr => Op::ShiftRight,
            Opcode::Iushr => Op::ShiftRightUnsigned,
            Opcode::Iand => Op::And,
            Opcode::Ior => Op::Or,
            Opcode::Ixor => Op::Xor,
            Opcode::I2b => Op::Narrow(ValueKind::Byte),
            Opcode::I2s => Op::Narrow(ValueKind::Short),
            Opcode::Ireturn | Opcode::Areturn => Op::ReturnValue(self.result),
            Opcode::Return => Op::Return,
            other => return Err(LinkErrorKind::Opcode(other)),
        })
    }

    fn lower_constant(&mut self, opcode: Opcode, index: CpIndex) -> Result<Op, LinkErrorKind> {
        Ok(match (opcode, self.meaning(index)?) {
            (Opcode::Ldc | Opcode::LdcW, Meaning::Int(value)) => Op::Push(value),
            (Opcode::Getstatic, Meaning::Field { field, .. }) => Op::GetStatic(field),
            (Opcode::Getfield, Meaning::Field { field, .. }) => Op::GetField(field),
            (Opcode::Putstatic, Meaning::Field { field, kind }) => Op::PutStatic { field, kind },
            (Opcode::Putfield, Meaning::Field { field, kind }) => Op::PutField { field, kind },
            (
                Opcode::Invokestatic | Opcode::Invokespecial | Opcode::Invokevirtual,
                Meaning::Call(op),
            ) => op,
            _ => return Err(LinkErrorKind::Constant(index)),
        })
    }

    /// Returns what a constant means, looked up once however often code names it: names can be long,
    /// and code that names them is short.
    fn meaning(&mut self, index: CpIndex) -> Result<Meaning, LinkErrorKind> {
        let known = self.constants.get_mut(index.index());
        let known = known.ok_or(LinkErrorKind::Constant(index))?;
        match known.0 {
            Some(meaning) => Ok(meaning),
            None => {
                let meaning = look_up(self.verified, index)?;
                known.0 = Some(meaning);
                Ok(meaning)
            }
        }
    }
}

fn look_up(verified: &Verified<'_>, index: CpIndex) -> Result<Meaning, LinkErrorKind> {
    let pool = verified.class().pool();
    if let Ok(Constant::Integer(value)) = pool.get(index) {
        return Ok(Meaning::Int(value));
    }
    let member = pool
        .member(index)
        .map_err(|_| LinkErrorKind::Constant(index))?;
    let meaning = match member.kind {
        MemberKind::Field => look_up_field(verified, &member),
        MemberKind::Method | MemberKind::InterfaceMethod => {
            look_up_method(verified, &member).map(Meaning::Call)
        }
    };
    meaning.ok_or(LinkErrorKind::Member(index))
}

fn look_up_field(verified: &Verified<'_>, member: &MemberRef<'_>) -> Option<Meaning> {
    let class = verified.class();
    let field = class
        .fields()
        .find(|field| field.name == member.name && field.descriptor == member.descriptor)
        .filter(|_| member.class == class.name())?;
    let kind = field_kind(&field).ok()?;
    Some(Meaning::Field {
        field: field.id,
        kind,
    })
}

/// Returns the op that calls what the constant names: a method of the class, `Object.<init>`, or a
/// native of the natives' own class.
fn look_up_method(verified: &Verified<'_>, member: &MemberRef<'_>) -> Option<Op> {
    let class = verified.class();
    if member.class == class.name() {
        let own = class
            .methods()
            .find(|method| method.name == member.name && method.descriptor == member.descriptor);
        if let Some(method) = own {
            return invoke_own(verified, &method);
        }
    }
    if member.class == "java/lang/Object" && member.name == "<init>" {
        // The constructor of `Object` does nothing, on a receiver that is there.
        return Some(Op::Pop);
    }
    let (id, native) = find_native_of(
        verified.natives(),
        member.class.as_bytes(),
        member.name.as_bytes(),
        member.descriptor.as_bytes(),
    )?;
    invoke_native(id, native, false)
}

fn invoke_own(verified: &Verified<'_>, method: &Method<'_>) -> Option<Op> {
    let has_receiver = !method.access.contains(MethodAccess::STATIC);
    if method.access.contains(MethodAccess::NATIVE) {
        let (id, native) = find_native(
            verified.natives(),
            method.name.as_bytes(),
            method.descriptor.as_bytes(),
        )?;
        return invoke_native(id, native, has_receiver);
    }
    Some(if has_receiver {
        Op::InvokeInstance(method.id)
    } else {
        Op::InvokeStatic(method.id)
    })
}

fn invoke_native(id: NativeId, native: &NativeDecl, has_receiver: bool) -> Option<Op> {
    Some(Op::InvokeNative(NativeCall {
        id,
        arguments: u8::try_from(native.parameters.len()).ok()?,
        has_result: native.result.is_some(),
        has_receiver,
    }))
}

fn lower_local(opcode: Opcode, local: u16) -> Result<Op, LinkErrorKind> {
    match opcode {
        Opcode::Iload
        | Opcode::Iload0
        | Opcode::Iload1
        | Opcode::Iload2
        | Opcode::Iload3
        | Opcode::Aload
        | Opcode::Aload0
        | Opcode::Aload1
        | Opcode::Aload2
        | Opcode::Aload3 => Ok(Op::Load(local)),
        Opcode::Istore
        | Opcode::Istore0
        | Opcode::Istore1
        | Opcode::Istore2
        | Opcode::Istore3
        | Opcode::Astore
        | Opcode::Astore0
        | Opcode::Astore1
        | Opcode::Astore2
        | Opcode::Astore3 => Ok(Op::Store(local)),
        other => Err(LinkErrorKind::Opcode(other)),
    }
}

fn lower_branch(opcode: Opcode, target: u32) -> Result<Op, LinkErrorKind> {
    Ok(match opcode {
        Opcode::Goto | Opcode::GotoW => Op::Goto(target),
        Opcode::Ifeq | Opcode::Ifnull => Op::IfZero(target),
        Opcode::Ifne | Opcode::Ifnonnull => Op::IfNotZero(target),
        Opcode::Iflt => Op::IfNegative(target),
        Opcode::Ifge => Op::IfNotNegative(target),
        Opcode::Ifgt => Op::IfPositive(target),
        Opcode::Ifle => Op::IfNotPositive(target),
        Opcode::IfIcmpeq | Opcode::IfAcmpeq => Op::IfEqual(target),
        Opcode::IfIcmpne | Opcode::IfAcmpne => Op::IfNotEqual(target),
        Opcode::IfIcmplt => Op::IfLess(target),
        Opcode::IfIcmpge => Op::IfNotLess(target),
        Opcode::IfIcmpgt => Op::IfGreater(target),
        Opcode::IfIcmple => Op::IfNotGreater(target),
        other => return Err(LinkErrorKind::Opcode(other)),
    })
}

/// Where the branches of one method go: its origins, in ascending order of their pc.
pub(crate) struct Targets<'o> {
    /// Index of the method's first op.
    pub(crate) entry: usize,
    pub(crate) origins: &'o [Origin],
}

impl Targets<'_> {
    fn resolve(&self, target: i64) -> Result<u32, LinkErrorKind> {
        self.origins
            .binary_search_by_key(&target, |origin| i64::from(origin.pc.0))
            .ok()
            .and_then(|op| u32::try_from(op.checked_add(self.entry)?).ok())
            .ok_or(LinkErrorKind::Target { target })
    }
}

/// The cases of all switches, as they come.
pub(crate) struct SwitchTable<'p> {
    cases: &'p mut [SwitchCase],
    used: usize,
}

impl<'p> SwitchTable<'p> {
    pub(crate) const fn new(cases: &'p mut [SwitchCase]) -> Self {
        Self { cases, used: 0 }
    }

    /// Returns how many rows an instruction of this operand adds.
    pub(crate) fn rows(operand: &Operand<'_>) -> usize {
        let cases = match operand {
            Operand::TableSwitch(table) => table.cases().len(),
            Operand::LookupSwitch(lookup) => lookup.cases().len(),
            Operand::None
            | Operand::Int(_)
            | Operand::Constant(_)
            | Operand::Local(_)
            | Operand::LocalIncrement { .. }
            | Operand::Branch(_)
            | Operand::ArrayType(_)
            | Operand::InvokeInterface { .. }
            | Operand::InvokeDynamic(_)
            | Operand::MultiArray { .. } => return 0,
        };
        cases.saturating_add(1)
    }

    pub(crate) fn into_cases(self) -> &'p [SwitchCase] {
        self.cases
    }

    /// Adds a switch; answers the index of its default case, and how many cases follow.
    fn add(
        &mut self,
        default: SwitchCase,
        cases: impl ExactSizeIterator<Item = (i32, i64)>,
        targets: &Targets<'_>,
    ) -> Result<(u32, u16), LinkErrorKind> {
        let first = u32::try_from(self.used).map_err(|_| LinkErrorKind::Count)?;
        let count = u16::try_from(cases.len()).map_err(|_| LinkErrorKind::Count)?;
        self.row(default)?;
        for (key, target) in cases {
            self.row(SwitchCase {
                key,
                target: targets.resolve(target)?,
            })?;
        }
        Ok((first, count))
    }

    fn row(&mut self, case: SwitchCase) -> Result<(), LinkErrorKind> {
        // `link` lent as many rows as `program_size` counted.
        *self.cases.get_mut(self.used).ok_or(LinkErrorKind::Count)? = case;
        self.used = self.used.saturating_add(1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::ClassFile;
    use crate::decode::decode;
    use crate::id::Pc;

    /// Runs a test with what lowers an instruction made of three bytes and zeros behind them, in a
    /// class of the tests; it answers `None` where they are no instruction.
    fn with_class(test: impl FnOnce(&dyn Fn([u8; 3]) -> Option<Result<Op, LinkErrorKind>>)) {
        let bytes = include_bytes!("../tests/classes/Storage.class");
        let mut index = [0; 512];
        let class = ClassFile::parse(bytes, &mut index).unwrap();
        let verified = Verified::vouch(class, &[], None);
        let count = usize::from(class.pool().count());
        test(&|code| {
            let mut padded = [0; 24];
            padded[..3].copy_from_slice(&code);
            let insn = decode(&padded, Pc(0)).ok()?;
            let mut cases = [SwitchCase::default(); 4];
            let mut lowering = Lowering {
                verified: &verified,
                result: ValueKind::Int,
                targets: Targets {
                    entry: 0,
                    origins: &[Origin::default()],
                },
                switches: &mut SwitchTable::new(&mut cases),
                constants: &mut [LinkedConstant::default(); 256][..count],
            };
            Some(lowering.lower(&insn))
        });
    }

    #[test]
    fn an_opcode_lowers_where_the_subset_has_it() {
        with_class(|lower| {
            for &opcode in Opcode::ALL {
                // Among these operands are branches to the instruction itself, every array type, and
                // every constant of the class, by one byte and by two.
                let byte = opcode.byte();
                let mut lowered = (0..=u8::MAX)
                    .flat_map(|operand| [[byte, operand, 0], [byte, 0, operand]])
                    .filter_map(lower);
                match opcode.exclusion() {
                    // It never stands alone.
                    None if opcode == Opcode::Wide => {}
                    None => assert!(lowered.any(|op| op.is_ok()), "{opcode}"),
                    Some(_) => {
                        let refusal = Err(LinkErrorKind::Opcode(opcode));
                        assert!(lowered.all(|op| op == refusal), "{opcode}");
                    }
                }
            }
        });
    }

    #[test]
    fn a_branch_into_or_past_the_code_is_refused() {
        with_class(|lower| {
            let goto = Opcode::Goto.byte();
            assert_eq!(lower([goto, 0, 0]), Some(Ok(Op::Goto(0))));
            for offset in [1, 3, -1, i16::MAX, i16::MIN] {
                let [high, low] = offset.to_be_bytes();
                let target = i64::from(offset);
                let refusal = Err(LinkErrorKind::Target { target });
                assert_eq!(lower([goto, high, low]), Some(refusal));
            }
        });
    }
}
