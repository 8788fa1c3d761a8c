//! Static constraints on a method's code (JVMS §4.9.1). The constraints apply to all instructions, reachable or not.

use jive_core::limits::FRAME_SLOTS_MAX;
use jive_core::{
    Action, ArrayKind, ConstantSource, ConstantTag, CpIndex, DecodeErrorKind, Exclusion, Insn,
    Opcode, Operand, Pc, PoolError, RawInsn, raw_instructions,
};

use crate::error::{Location, Reason, VerifyError, VerifyErrorKind};
use crate::found::TypeUse;
use crate::marks::CodeMap;
use crate::method::MethodCode;
use crate::resolve::{MemberInsn, Members, pool_error};

/// First major version in which the padding of a switch may have any value, as in HotSpot.
const FREE_PADDING_MAJOR: u16 = 51;

/// Checks the instructions of a method in order of pc. The check marks instruction starts and leaders in `map`.
///
/// Returns the number of instructions of the method. After a successful check, every byte belongs to an instruction of
/// the subset. After a successful check, every branch targets the start of an instruction, and every local variable
/// exists. After a successful check, every constant has a permitted kind, and names an existing member that the
/// instruction may use.
#[cfg_attr(not(target_pointer_width = "32"), inline(never))]
pub(crate) fn check_structure<'a>(
    method: &MethodCode<'a>,
    members: &mut Members<'a, '_>,
    map: &mut CodeMap<'_>,
) -> Result<u32, VerifyError> {
    check_frame::<VerifyErrorKind>(method)?;
    map.mark_leader(Pc(0));
    let mut check = StructureCheck {
        method,
        members,
        map,
        has_stray_target: false,
        first_handler: method.code.exceptions().map(|row| row.start).min(),
    };
    let mut instruction_count: u32 = 0;
    let mut fault = None;
    let mut insns = raw_instructions(method.bytes());
    for insn in &mut insns {
        if let Err(kind) = check.instruction(insn) {
            fault = Some((insn.pc, kind));
            break;
        }
        instruction_count = instruction_count.saturating_add(1);
    }
    if fault.is_none()
        && let Some(pc) = insns.stopped_at()
    {
        fault = Some((pc, undecodable(method.bytes(), pc)));
    }
    if fault.is_some() || check.has_stray_target || !check.map.leaders_are_starts() {
        // A branch before the error whose target is no instruction takes precedence, because the branch has a lower pc.
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

/// Checks the instructions after the first that breaks a static constraint, and reports each further one that breaks
/// one.
///
/// Branch targets are not checked, because the bytes after the first error may be anything.
pub(crate) fn check_behind<'a>(
    first: Pc,
    method: &MethodCode<'a>,
    members: &mut Members<'a, '_>,
    map: &mut CodeMap<'_>,
    mut tell: impl FnMut(VerifyError) -> Result<(), VerifyError>,
) -> Result<(), VerifyError> {
    let handlers = method.code.exceptions().map(|row| row.start);
    let mut check = StructureCheck {
        method,
        members,
        map,
        has_stray_target: false,
        first_handler: handlers.min().filter(|start| *start > first),
    };
    let mut insns = raw_instructions(method.bytes());
    for insn in insns.by_ref().filter(|insn| insn.pc > first) {
        if let Err(kind) = check.instruction(insn) {
            if kind == VerifyErrorKind::ExceptionHandler {
                // An exception handler is reported once, not for each instruction that it covers.
                check.first_handler = None;
            }
            tell(method.error(insn.pc, kind))?;
        }
    }
    if let Some(pc) = insns.stopped_at().filter(|pc| *pc > first) {
        tell(method.error(pc, undecodable(method.bytes(), pc)))?;
    }
    Ok(())
}

/// Checks the size of the method's frame against the limit of this VM.
pub(crate) fn check_frame<K: Reason>(method: &MethodCode<'_>) -> Result<(), K::Error> {
    let needed = method.shape().slots();
    let limit = u32::from(FRAME_SLOTS_MAX);
    if needed > limit {
        let error = K::from(VerifyErrorKind::Frame { needed, limit });
        return Err(error.at(Location::Method(method.id())));
    }
    Ok(())
}

/// Returns the error for the first branch whose target is not the start of an instruction. If `below` is given, only
/// branches before that pc are checked.
///
/// Instruction starts after an undecodable instruction are unknown, so branches into that area are accepted. The caller
/// reports the undecodable instruction as an error of its own.
fn stray_branch(
    method: &MethodCode<'_>,
    map: &mut CodeMap<'_>,
    below: Option<Pc>,
) -> Option<(Pc, VerifyErrorKind)> {
    let code = method.bytes();
    let mut insns = raw_instructions(code);
    for insn in &mut insns {
        map.mark_start(insn.pc);
    }
    let known = insns.stopped_at().map_or(code.len(), Pc::index);
    let length = i64::try_from(code.len()).unwrap_or(0);
    let unknown = i64::try_from(known).unwrap_or(length)..length;
    let goes_astray = |target: &i64| match u16::try_from(*target) {
        Ok(pc) => !map.is_start(Pc(pc)) && !unknown.contains(target),
        Err(_) => true,
    };
    raw_instructions(code)
        .take_while(|insn| below.is_none_or(|below| insn.pc < below))
        .find_map(|insn| {
            let opcode = insn.opcode();
            let target = insn.targets().find(goes_astray)?;
            Some((insn.pc, VerifyErrorKind::BranchTarget { opcode, target }))
        })
}

/// Receives where instructions start, and which pcs are branch targets.
pub(crate) trait Marks {
    /// What the check says of a broken rule.
    type Kind: Reason;

    /// Whether anything is marked.
    const MARKS: bool;

    /// An instruction starts at a pc.
    fn mark_start(&mut self, pc: Pc);

    /// An instruction has a branch target, which is a pc of the code but perhaps not the start of an instruction.
    fn mark_leader(&mut self, pc: Pc);
}

impl Marks for CodeMap<'_> {
    type Kind = VerifyErrorKind;

    const MARKS: bool = true;

    #[inline(always)]
    fn mark_start(&mut self, pc: Pc) {
        CodeMap::mark_start(self, pc);
    }

    #[inline(always)]
    fn mark_leader(&mut self, pc: Pc) {
        CodeMap::mark_leader(self, pc);
    }
}

/// The check of one instruction after another against the static constraints.
pub(crate) struct StructureCheck<'c, 'a, 'w, M> {
    pub(crate) method: &'c MethodCode<'a>,
    pub(crate) members: &'c mut Members<'a, 'w>,
    pub(crate) map: &'c mut M,
    /// Whether some branch has a target outside the code array.
    pub(crate) has_stray_target: bool,
    /// The first pc that an exception handler covers, if there is one.
    pub(crate) first_handler: Option<Pc>,
}

impl<M: Marks> StructureCheck<'_, '_, '_, M> {
    pub(crate) fn instruction(&mut self, insn: RawInsn<'_>) -> Result<(), M::Kind> {
        if self.first_handler.is_some_and(|start| start <= insn.pc) {
            return Err(VerifyErrorKind::ExceptionHandler.into());
        }
        let opcode = insn.opcode();
        self.map.mark_start(insn.pc);
        match insn.action() {
            Action::Nothing
            | Action::Constant(ConstantSource::Null | ConstantSource::Immediate)
            | Action::LoadElement(_)
            | Action::StoreElement(_)
            | Action::Shuffle(_)
            | Action::Unary(_)
            | Action::Binary(_)
            | Action::Return(_)
            | Action::ArrayLength => Ok(()),
            Action::Load(_) | Action::Store(_) | Action::Increment => {
                self.local(opcode, insn.local())
            }
            Action::Constant(ConstantSource::Pool) => self.loaded_constant(opcode, insn.constant()),
            Action::Member(usage) => self.member(MemberInsn { opcode, usage }, insn.constant()),
            Action::BranchZero(_)
            | Action::BranchInt(_)
            | Action::BranchNull(_)
            | Action::BranchReference(_)
            | Action::Jump => {
                if M::MARKS {
                    self.mark_target(insn.target());
                }
                Ok(())
            }
            Action::Switch => self.switch(insn.decode()),
            Action::NewArray => array_type_code(opcode, insn.array_type()),
            Action::Unsupported(why) => {
                Err(M::Kind::of(|| self.excluded(opcode, insn.constant(), why)))
            }
            // The action `Wide` never occurs, because decoding resolves `wide` to the opcode that it prefixes.
            Action::Wide => Err(VerifyErrorKind::ReservedOpcode { opcode }.into()),
        }
    }

    fn local(&self, opcode: Opcode, local: u16) -> Result<(), M::Kind> {
        let max_locals = self.method.shape().max_locals;
        if local < max_locals {
            Ok(())
        } else {
            Err(VerifyErrorKind::LocalIndex {
                opcode,
                local,
                max_locals,
            }
            .into())
        }
    }

    /// Marks a branch target as leader, before the check that an instruction starts there. The check of instruction
    /// starts follows after all instructions are decoded.
    fn mark_target(&mut self, target: i64) {
        match u16::try_from(target) {
            Ok(pc) if usize::from(pc) < self.method.bytes().len() => self.map.mark_leader(Pc(pc)),
            Ok(_) | Err(_) => self.has_stray_target = true,
        }
    }

    fn switch(&mut self, insn: Option<Insn<'_>>) -> Result<(), M::Kind> {
        let insn = insn.ok_or(VerifyErrorKind::TruncatedInstruction)?;
        let opcode = insn.opcode;
        if M::MARKS {
            for target in insn.targets() {
                self.mark_target(target);
            }
        }
        let is_zero = match insn.operand {
            Operand::TableSwitch(switch) => switch.padding_is_zero(),
            Operand::LookupSwitch(switch) => switch.padding_is_zero(),
            _ => true,
        };
        if is_zero || self.members.class().version().major >= FREE_PADDING_MAJOR {
            Ok(())
        } else {
            Err(VerifyErrorKind::SwitchPadding { opcode }.into())
        }
    }

    /// Resolves the member that an instruction names, and checks that the instruction may use it.
    // `member` is not inlined, because most instructions do not access members.
    #[inline(never)]
    fn member(&mut self, asked: MemberInsn, index: CpIndex) -> Result<(), M::Kind> {
        self.members.resolve(index, asked, &self.method.declaration)
    }

    /// Checks the constant that `ldc` or `ldc_w` loads.
    #[inline(never)]
    fn loaded_constant(&self, opcode: Opcode, index: CpIndex) -> Result<(), M::Kind> {
        let pool = self.members.class().pool();
        match pool.find_integer(index) {
            Some(_) => Ok(()),
            None => Err(M::Kind::of(|| unloadable(opcode, index, pool.tag(index)))),
        }
    }

    /// Returns the error for an opcode outside the subset.
    #[cold]
    fn excluded(&self, opcode: Opcode, index: CpIndex, why: Exclusion) -> VerifyErrorKind {
        let found = TypeUse::Opcode(opcode);
        match why {
            Exclusion::Long => VerifyErrorKind::Long { found },
            Exclusion::Float => VerifyErrorKind::Float { found },
            Exclusion::Double => VerifyErrorKind::Double { found },
            Exclusion::Char => VerifyErrorKind::Char { found },
            Exclusion::Wide => unloadable(opcode, index, self.members.class().pool().tag(index)),
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

/// Returns the error for a constant other than an `int` that `ldc`, `ldc_w` or `ldc2_w` loads.
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

/// Checks the type code of `newarray` (JVMS table 6.5.newarray-A).
fn array_type_code<K: Reason>(opcode: Opcode, code: u8) -> Result<(), K> {
    if ArrayKind::from_newarray_code(code).is_some() {
        return Ok(());
    }
    let found = TypeUse::Opcode(opcode);
    Err(K::from(match code {
        5 => VerifyErrorKind::Char { found },
        6 => VerifyErrorKind::Float { found },
        7 => VerifyErrorKind::Double { found },
        11 => VerifyErrorKind::Long { found },
        _ => VerifyErrorKind::ArrayTypeCode { found: code },
    }))
}

/// Returns the error for a pc that is not the start of a valid instruction.
#[cold]
pub(crate) fn undecodable(code: &[u8], pc: Pc) -> VerifyErrorKind {
    match RawInsn::fault(code, pc) {
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
