//! Static constraints on a method's code (JVMS §4.9.1), held by every instruction, reachable or not.

use jive_core::limits::FRAME_SLOTS_MAX;
use jive_core::{
    ArrayKind, ConstantTag, CpIndex, DecodeErrorKind, Exclusion, Insn, Opcode, Operand, Pc,
    PoolError, instructions,
};

use crate::error::{Location, VerifyError, VerifyErrorKind};
use crate::found::TypeUse;
use crate::marks::CodeMap;
use crate::method::MethodCode;
use crate::resolve::{MemberUse, Members, pool_error};

/// Below this major version the padding of a switch must be zeros, as HotSpot has it.
const FREE_PADDING_MAJOR: u16 = 51;

/// Checks a method's code instruction by instruction, lowest pc first, and marks instruction starts
/// and leaders.
///
/// Returns how many instructions there are. What it proves: every byte belongs to an instruction of
/// the subset, every branch goes to the start of one, every local variable exists, and every constant
/// is of the kind that its instruction asks for and names what exists and fits.
pub(crate) fn check_structure<'a>(
    method: &MethodCode<'a>,
    members: &mut Members<'a, '_>,
    map: &mut CodeMap<'_>,
) -> Result<u32, VerifyError> {
    check_frame(method)?;
    map.mark_leader(Pc(0));
    let mut check = StructureCheck {
        method,
        members,
        map,
        strays: false,
        first_handler: method.code.exceptions().map(|row| row.start).min(),
    };
    let mut instruction_count: u32 = 0;
    let mut fault = None;
    for decoded in instructions(method.bytes()) {
        let checked = match decoded {
            Ok(insn) => check.instruction(&insn).map_err(|kind| (insn.pc, kind)),
            Err(error) => Err((error.pc, decode_error(method.bytes(), error.pc, error.kind))),
        };
        if let Err(found) = checked {
            fault = Some(found);
            break;
        }
        instruction_count = instruction_count.saturating_add(1);
    }
    if fault.is_some() || check.strays || !check.map.leaders_are_starts() {
        // A branch below the fault comes first, wherever it goes.
        let below = fault.map(|(pc, _)| pc);
        if let Some((pc, kind)) = stray_branch(method, check.map, below).or(fault) {
            return Err(method.error(pc, kind));
        }
    }
    if check.first_handler.is_some() {
        return Err(VerifyError {
            at: Location::Method(method.id()),
            kind: VerifyErrorKind::ExceptionHandler,
        });
    }
    Ok(instruction_count)
}

/// Holds the method to the size of frame that this VM was built for.
fn check_frame(method: &MethodCode<'_>) -> Result<(), VerifyError> {
    let needed = method.shape().slots();
    let limit = u32::from(FRAME_SLOTS_MAX);
    if needed > limit {
        return Err(VerifyError {
            at: Location::Method(method.id()),
            kind: VerifyErrorKind::Frame { needed, limit },
        });
    }
    Ok(())
}

/// Finds the first branch, below a pc where one is given, that does not go to the start of an
/// instruction.
///
/// What lies behind the first bytes that are no instruction may be anything: that is a fault of its own,
/// told after those of lower pcs.
fn stray_branch(
    method: &MethodCode<'_>,
    map: &mut CodeMap<'_>,
    below: Option<Pc>,
) -> Option<(Pc, VerifyErrorKind)> {
    let code = method.bytes();
    let mut known: u32 = 0;
    for insn in instructions(code).map_while(Result::ok) {
        map.mark_start(insn.pc);
        known = insn.next_pc();
    }
    let length = i64::try_from(code.len()).unwrap_or(0);
    let unknown = i64::from(known)..length;
    let goes_astray = |target: &i64| match u16::try_from(*target) {
        Ok(pc) => !map.is_start(Pc(pc)) && !unknown.contains(target),
        Err(_) => true,
    };
    instructions(code)
        .map_while(Result::ok)
        .take_while(|insn| below.is_none_or(|below| insn.pc < below))
        .find_map(|insn| {
            let opcode = insn.opcode;
            let target = insn.targets().find(goes_astray)?;
            Some((insn.pc, VerifyErrorKind::BranchTarget { opcode, target }))
        })
}

struct StructureCheck<'c, 'a, 'w, 'm> {
    method: &'c MethodCode<'a>,
    members: &'c mut Members<'a, 'w>,
    map: &'c mut CodeMap<'m>,
    /// Whether a branch leaves the code array.
    strays: bool,
    /// Where the first exception handler begins to cover code.
    first_handler: Option<Pc>,
}

impl StructureCheck<'_, '_, '_, '_> {
    fn instruction(&mut self, insn: &Insn<'_>) -> Result<(), VerifyErrorKind> {
        if self.first_handler.is_some_and(|start| start <= insn.pc) {
            return Err(VerifyErrorKind::ExceptionHandler);
        }
        if let Some(why) = insn.opcode.exclusion() {
            return Err(self.excluded(insn, why));
        }
        self.map.mark_start(insn.pc);
        let opcode = insn.opcode;
        match insn.operand {
            Operand::None | Operand::Int(_) => Ok(()),
            Operand::Local(local) | Operand::LocalIncrement { local, .. } => {
                self.local(opcode, local)
            }
            Operand::Constant(index) => match MemberUse::of(opcode) {
                Some(asked) => self.members.resolve(index, asked, &self.method.declaration),
                None => self.loaded_constant(opcode, index),
            },
            Operand::Branch(_) => {
                self.mark_targets(insn);
                Ok(())
            }
            Operand::TableSwitch(switch) => {
                self.mark_targets(insn);
                self.padding(opcode, switch.padding_is_zero())
            }
            Operand::LookupSwitch(switch) => {
                self.mark_targets(insn);
                self.padding(opcode, switch.padding_is_zero())
            }
            Operand::ArrayType(code) => array_type_code(opcode, code),
            // Their opcodes are outside the subset.
            Operand::InvokeInterface { .. }
            | Operand::InvokeDynamic(_)
            | Operand::MultiArray { .. } => Err(VerifyErrorKind::ReservedOpcode { opcode }),
        }
    }

    fn local(&self, opcode: Opcode, local: u16) -> Result<(), VerifyErrorKind> {
        let max_locals = self.method.shape().max_locals;
        if local < max_locals {
            Ok(())
        } else {
            Err(VerifyErrorKind::LocalIndex {
                opcode,
                local,
                max_locals,
            })
        }
    }

    /// Notes where a branch goes: whether instructions start there is known when all are decoded.
    fn mark_targets(&mut self, insn: &Insn<'_>) {
        let length = self.method.bytes().len();
        for target in insn.targets() {
            match u16::try_from(target) {
                Ok(pc) if usize::from(pc) < length => self.map.mark_leader(Pc(pc)),
                Ok(_) | Err(_) => self.strays = true,
            }
        }
    }

    fn padding(&self, opcode: Opcode, is_zero: bool) -> Result<(), VerifyErrorKind> {
        if is_zero || self.members.class().version().major >= FREE_PADDING_MAJOR {
            Ok(())
        } else {
            Err(VerifyErrorKind::SwitchPadding { opcode })
        }
    }

    /// Checks what `ldc` and `ldc_w` load.
    fn loaded_constant(&self, opcode: Opcode, index: CpIndex) -> Result<(), VerifyErrorKind> {
        match self.members.class().pool().tag(index) {
            Ok(ConstantTag::Integer) => Ok(()),
            tag => Err(unloadable(opcode, index, tag)),
        }
    }

    /// Says why an opcode is outside the subset.
    fn excluded(&self, insn: &Insn<'_>, why: Exclusion) -> VerifyErrorKind {
        let opcode = insn.opcode;
        let found = TypeUse::Opcode(opcode);
        match why {
            Exclusion::Long => VerifyErrorKind::Long { found },
            Exclusion::Float => VerifyErrorKind::Float { found },
            Exclusion::Double => VerifyErrorKind::Double { found },
            Exclusion::Char => VerifyErrorKind::Char { found },
            Exclusion::Wide => match insn.operand {
                Operand::Constant(index) => {
                    unloadable(opcode, index, self.members.class().pool().tag(index))
                }
                _ => VerifyErrorKind::ReservedOpcode { opcode },
            },
            Exclusion::ReferenceArray => VerifyErrorKind::ReferenceArray { found },
            Exclusion::Object => VerifyErrorKind::NewObject { opcode },
            Exclusion::TypeTest => VerifyErrorKind::TypeTest { opcode },
            Exclusion::Exception => VerifyErrorKind::Throw { opcode },
            Exclusion::Thread => VerifyErrorKind::Monitor { opcode },
            Exclusion::Subroutine => VerifyErrorKind::Subroutine { opcode },
            Exclusion::InterfaceCall => VerifyErrorKind::InvokeInterface { opcode },
            Exclusion::DynamicCall => VerifyErrorKind::InvokeDynamic { opcode },
            Exclusion::Reserved => VerifyErrorKind::ReservedOpcode { opcode },
        }
    }
}

/// Says why `ldc`, `ldc_w` or `ldc2_w` cannot load a constant that is no `int`.
fn unloadable(
    opcode: Opcode,
    index: CpIndex,
    tag: Result<ConstantTag, PoolError>,
) -> VerifyErrorKind {
    let found = TypeUse::Constant(index);
    let tag = match tag {
        Ok(ConstantTag::Dynamic) => return VerifyErrorKind::DynamicConstant { index },
        Ok(tag) => tag,
        Err(error) => return pool_error(opcode, index, error),
    };
    if tag.is_wide() != (opcode == Opcode::Ldc2W) {
        return VerifyErrorKind::ConstantKind { opcode, index };
    }
    match tag {
        ConstantTag::Long => VerifyErrorKind::Long { found },
        ConstantTag::Double => VerifyErrorKind::Double { found },
        ConstantTag::Float => VerifyErrorKind::Float { found },
        ConstantTag::String => VerifyErrorKind::String { found },
        ConstantTag::Class => VerifyErrorKind::ClassConstant { index },
        ConstantTag::MethodHandle | ConstantTag::MethodType => {
            VerifyErrorKind::MethodHandle { index }
        }
        ConstantTag::Integer
        | ConstantTag::Dynamic
        | ConstantTag::Utf8
        | ConstantTag::Fieldref
        | ConstantTag::Methodref
        | ConstantTag::InterfaceMethodref
        | ConstantTag::NameAndType
        | ConstantTag::InvokeDynamic
        | ConstantTag::Module
        | ConstantTag::Package => VerifyErrorKind::ConstantKind { opcode, index },
    }
}

/// Checks the type that `newarray` names (JVMS table 6.5.newarray-A).
fn array_type_code(opcode: Opcode, code: u8) -> Result<(), VerifyErrorKind> {
    if ArrayKind::from_newarray_code(code).is_some() {
        return Ok(());
    }
    let found = TypeUse::Opcode(opcode);
    Err(match code {
        5 => VerifyErrorKind::Char { found },
        6 => VerifyErrorKind::Float { found },
        7 => VerifyErrorKind::Double { found },
        11 => VerifyErrorKind::Long { found },
        _ => VerifyErrorKind::ArrayTypeCode { found: code },
    })
}

fn decode_error(code: &[u8], pc: Pc, kind: DecodeErrorKind) -> VerifyErrorKind {
    match kind {
        DecodeErrorKind::Truncated => VerifyErrorKind::TruncatedInstruction,
        DecodeErrorKind::UnknownOpcode(byte) => VerifyErrorKind::UnknownOpcode { byte },
        DecodeErrorKind::WideOperand(byte) => VerifyErrorKind::WideOpcode { byte },
        DecodeErrorKind::TableBounds { low, high } => VerifyErrorKind::SwitchBounds { low, high },
        DecodeErrorKind::NegativePairs { count } => VerifyErrorKind::SwitchCount { count },
        DecodeErrorKind::UnsortedKeys { previous, key } => {
            VerifyErrorKind::SwitchOrder { previous, key }
        }
        DecodeErrorKind::NonZeroByte { .. } | DecodeErrorKind::ZeroCount => {
            match code.get(pc.index()).copied().and_then(Opcode::from_byte) {
                Some(opcode) => VerifyErrorKind::OperandBytes { opcode },
                None => VerifyErrorKind::TruncatedInstruction,
            }
        }
    }
}
