//! The linker: makes a program from a verified class, in memory that the caller lends.

use core::fmt;

use crate::classfile::{ClassFile, Code, Field, Method, MethodAccess};
use crate::descriptor::{FieldType, MethodDescriptor, parse_field};
use crate::id::{CpIndex, FieldId, MethodId, Pc};
use crate::insn::DecodeErrorKind;
use crate::insn::RawInsn;
use crate::lower::{
    CodeCounts, Collected, Constants, Emitter, FAR_OPS, Linking, LowerError, Portable, Source,
    ThisBuild, count_code, is_far, lower,
};
use crate::opcode::{Opcode, OperandLayout};
use crate::program::{
    LinkedField, LinkedMethod, Mark, Program, ProgramSize, ProgramStorage, ValueKind, call_limit,
};
use crate::verified::Verified;

/// Why the linker could not link a class, and the place of the failure.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} ({at})")]
pub struct LinkError {
    /// The place in the class where linking failed.
    pub at: LinkSite,
    /// The reason why linking failed at that place.
    pub kind: LinkErrorKind,
}

/// A place in a class that a link error refers to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LinkSite {
    /// The error concerns the class as a whole.
    Class,
    /// A field.
    Field(FieldId),
    /// A method.
    Method(MethodId),
    /// An instruction.
    Code {
        /// The instruction's method.
        method: MethodId,
        /// The instruction's pc in the code of the method.
        pc: Pc,
    },
}

impl fmt::Display for LinkSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Class => f.write_str("class"),
            Self::Field(field) => write!(f, "field {field}"),
            Self::Method(method) => write!(f, "method {method}"),
            Self::Code { method, pc } => write!(f, "method {method}, pc {pc}"),
        }
    }
}

/// Why a class cannot be linked.
///
/// All kinds except [`LinkErrorKind::StorageTooSmall`] mean that the class was declared verified wrongly.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkErrorKind {
    /// The lent memory is smaller than [`program_size`] states.
    #[error("expected room for {needed} {storage}, found {found}")]
    StorageTooSmall {
        /// The part of the storage that is too small.
        storage: Storage,
        /// How many elements the program needs in this part.
        needed: usize,
        /// How many elements the caller has lent for this part.
        found: usize,
    },
    /// The bytes of a method's code cannot be decoded.
    #[error("{0}")]
    Decode(DecodeErrorKind),
    /// An instruction is outside the subset.
    #[error("expected an instruction of the subset, found `{0}`")]
    Opcode(Opcode),
    /// A branch target is not the beginning of an instruction.
    #[error("expected a branch to an instruction, found pc {target}")]
    Target {
        /// The pc of the target.
        target: i64,
    },
    /// A constant has another kind than the instruction needs.
    #[error("expected a constant that fits its use, found entry {0}")]
    Constant(CpIndex),
    /// A name is neither that of a member of the class nor that of a native.
    #[error("expected a member of the class or a native, found entry {0}")]
    Member(CpIndex),
    /// A descriptor is malformed or outside the subset.
    #[error("expected a type of the subset")]
    Descriptor,
    /// The operand stack has too few values for an instruction, or too many.
    #[error("expected an operand stack that fits the instruction")]
    Stack,
    /// A count exceeds what a program can represent.
    #[error("expected a count that a program can hold")]
    Count,
}

impl LinkErrorKind {
    /// Returns the stable code of this kind of error.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::StorageTooSmall { .. } => "limit/program-storage",
            Self::Decode(_)
            | Self::Opcode(_)
            | Self::Target { .. }
            | Self::Constant(_)
            | Self::Member(_)
            | Self::Descriptor
            | Self::Stack
            | Self::Count => "unsafe/unverified",
        }
    }
}

impl LinkErrorKind {
    /// Makes the full error of an instruction that cannot be lowered.
    #[cold]
    fn of_lowering(error: LowerError, code: &Code<'_>, pc: Pc) -> Self {
        use OperandLayout as L;
        let Some(insn) = RawInsn::at(code.bytes, pc) else {
            return Self::Decode(RawInsn::fault(code.bytes, pc));
        };
        match (error, insn.layout()) {
            (LowerError::Opcode, _) => Self::Opcode(insn.opcode()),
            (LowerError::Constant, L::Constant | L::ConstantByte) => {
                Self::Constant(insn.constant())
            }
            (LowerError::Member, L::Constant | L::ConstantByte) => Self::Member(insn.constant()),
            (LowerError::Target, L::Branch | L::BranchWide) => Self::Target {
                target: insn.target(),
            },
            (LowerError::Target, _) => Self::Target {
                target: i64::try_from(insn.next_pc()).unwrap_or(i64::MAX),
            },
            (LowerError::Descriptor, _) => Self::Descriptor,
            (LowerError::Stack, _) => Self::Stack,
            (
                LowerError::Code | LowerError::Constant | LowerError::Member | LowerError::Count,
                _,
            ) => Self::Count,
        }
    }
}

/// A part of [`ProgramStorage`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The memory for ops.
    Ops,
    /// The ends of ops: how many instructions the straight path has executed when each op is done.
    Ends,
    /// The memory for the pc of each instruction that has an op.
    Places,
    /// The memory for methods.
    Methods,
    /// The memory for fields.
    Fields,
    /// The memory for the rows of switches.
    Switches,
    /// The memory for constants.
    Constants,
    /// The marks for the bytes of the longest code array.
    Marks,
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ops => "ops",
            Self::Ends => "ends of ops",
            Self::Places => "places of instructions",
            Self::Methods => "methods",
            Self::Fields => "fields",
            Self::Switches => "switch cases",
            Self::Constants => "constants",
            Self::Marks => "marks of code",
        })
    }
}

/// Returns an upper bound of the memory that linking a class needs.
///
/// # Errors
///
/// Returns an error if a method's code cannot be decoded, which never happens for a verified class.
pub fn program_size(verified: &Verified<'_>) -> Result<ProgramSize, LinkError> {
    let mut at = LinkSite::Class;
    measure(verified, &mut at).map_err(|kind| LinkError { at, kind })
}

/// Returns the size of a class's program. After an error, `at` is the place that was measured.
fn measure(verified: &Verified<'_>, at: &mut LinkSite) -> Result<ProgramSize, LinkErrorKind> {
    let class = verified.class_ref();
    let mut size = ProgramSize::without_code(class);
    for (method, code) in class.codes() {
        let code = code.map_or(&[][..], |code| code.bytes);
        let counts = count_code(code);
        size.add_code(code, &counts);
        if let Some(pc) = counts.stopped_at {
            *at = LinkSite::Code { method, pc };
            return Err(LinkErrorKind::Decode(RawInsn::fault(code, pc)));
        }
    }
    Ok(size)
}

impl ProgramSize {
    /// Returns the size of a class's program without its code.
    #[must_use]
    pub fn without_code(class: &ClassFile<'_>) -> Self {
        Self {
            methods: class.method_count(),
            fields: class.field_count(),
            constants: class.pool().count().into(),
            ..Self::default()
        }
    }

    /// Adds the size of the next method's code, given the counts that [`count_code`] returned for the code.
    pub fn add_code(&mut self, code: &[u8], counts: &CodeCounts) {
        self.marks = self.marks.max(code.len());
        // The index of the method's first op is at most `self.ops`, the bound of the number of all previous ops.
        let is_far = is_far(self.ops, code.len());
        // The sums cannot wrap, because a program has at most a few ops for each byte of a class file.
        let far_ops = if is_far { FAR_OPS.wrapping_sub(1) } else { 0 };
        self.ops = self
            .ops
            .wrapping_add(counts.instructions)
            .wrapping_add(counts.more_ops)
            .wrapping_add(counts.branches.wrapping_mul(far_ops));
        self.places = self.places.wrapping_add(counts.instructions);
        self.switches = self.switches.wrapping_add(counts.rows);
    }
}

/// Links a class: resolves all names, and lowers all reachable instructions to ops.
///
/// # Errors
///
/// Returns an error if the storage is too small, or the class was declared verified wrongly. Storage that is smaller
/// than [`program_size`] states may be enough, because that size is an upper bound.
pub fn link<'p>(
    verified: &Verified<'_>,
    storage: ProgramStorage<'p, '_>,
) -> Result<Program<'p>, LinkError> {
    link_as::<ThisBuild>(verified, storage)
}

/// Links a class as [`link`] does, to ops that every variant of the interpreter can run.
///
/// Such a program is slower to interpret than that of [`link`]. It is what `jive-build` compiles, for a target that may
/// run another variant than the host that compiles.
///
/// # Errors
///
/// Returns an error as [`link`] does.
pub fn link_portable<'p>(
    verified: &Verified<'_>,
    storage: ProgramStorage<'p, '_>,
) -> Result<Program<'p>, LinkError> {
    link_as::<Portable>(verified, storage)
}

/// Links a class as [`link`] does, so that a collector may move arrays while a call waits for a native
/// ([`Collector`](crate::Collector)).
///
/// The instruction `newarray` stops a run at a native of a reserved number ([`NativeId::allocates`]), which the caller
/// performs: it collects if it has to, and then allocates. At a call and at a native, each value on the operand stack is
/// in the register of its place.
///
/// # Errors
///
/// Returns an error as [`link`] does, and if the class calls a native of the table that has a reserved number.
///
/// [`NativeId::allocates`]: crate::NativeId::allocates
pub fn link_collected<'p>(
    verified: &Verified<'_>,
    storage: ProgramStorage<'p, '_>,
) -> Result<Program<'p>, LinkError> {
    link_as::<Collected>(verified, storage)
}

fn link_as<'p, L: Linking>(
    verified: &Verified<'_>,
    storage: ProgramStorage<'p, '_>,
) -> Result<Program<'p>, LinkError> {
    let lent = lengths(&storage);
    let mut at = LinkSite::Class;
    link_class::<L>(verified, storage, &mut at).map_err(|kind| {
        // The needed size is computed only after a failure, because computing the size takes a pass over all code.
        match fits(verified, &lent) {
            Ok(()) => LinkError { at, kind },
            Err(error) => error,
        }
    })
}

/// Links a class. After an error, `at` is the place where linking failed.
fn link_class<'p, L: Linking>(
    verified: &Verified<'_>,
    storage: ProgramStorage<'p, '_>,
    at: &mut LinkSite,
) -> Result<Program<'p>, LinkErrorKind> {
    let class = verified.class_ref();
    let ProgramStorage {
        ops,
        ends,
        places,
        methods,
        fields,
        switches,
        constants: known,
        marks,
    } = storage;
    let methods = first(methods, class.method_count())?;
    let fields = first(fields, class.field_count())?;
    for (linked, field) in fields.iter_mut().zip(class.fields()) {
        *at = LinkSite::Field(field.id);
        *linked = link_field(class, &field)?;
    }
    let (mut initializer, mut constructor) = (None, None);
    // The linker links the signatures of all methods before any code, because code may call any method.
    for (linked, method) in methods.iter_mut().zip(class.methods()) {
        *at = LinkSite::Method(method.id);
        *linked = signature(&method).ok_or(LinkErrorKind::Descriptor)?;
        if method.name == "<clinit>" {
            initializer = Some(method.id);
        } else if method.name == "<init>" && method.descriptor == "()V" {
            constructor = Some(method.id);
        }
    }
    let known = first(known, class.pool().count().into())?;
    // The lent memory may still contain the constants of another class.
    known.iter_mut().for_each(|known| known.0 = None);
    let mut constants = Constants {
        verified,
        fields: &*fields,
        methods: &mut *methods,
        known,
    };
    let mut out = Emitter::<L>::new(ops, ends, places, switches);
    let mut code_bytes: u32 = 0;
    for (method, code) in class.codes() {
        *at = LinkSite::Method(method);
        let length = link_method(&mut constants, marks, &mut out, (method, code), at)?;
        code_bytes = code_bytes.saturating_add(length);
    }
    let (ops, ends, places, switches) = out.into_parts();
    Ok(Program {
        ops,
        ends,
        places,
        methods,
        fields,
        switches,
        initializer,
        constructor,
        applet: verified.applet(),
        code_bytes,
    })
}

/// Returns the first `needed` elements of lent memory.
fn first<T>(lent: &mut [T], needed: usize) -> Result<&mut [T], LinkErrorKind> {
    lent.get_mut(..needed).ok_or(LinkErrorKind::Count)
}

/// Returns how many elements of each part of the storage the caller has lent.
const fn lengths(storage: &ProgramStorage<'_, '_>) -> [(Storage, usize); 8] {
    [
        (Storage::Ops, storage.ops.len()),
        (Storage::Ends, storage.ends.len()),
        (Storage::Places, storage.places.len()),
        (Storage::Methods, storage.methods.len()),
        (Storage::Fields, storage.fields.len()),
        (Storage::Switches, storage.switches.len()),
        (Storage::Constants, storage.constants.len()),
        (Storage::Marks, storage.marks.len()),
    ]
}

/// Checks that the lent memory has the size that [`program_size`] returns.
fn fits(verified: &Verified<'_>, lent: &[(Storage, usize)]) -> Result<(), LinkError> {
    let size = program_size(verified)?;
    let needed = |storage| match storage {
        Storage::Ops | Storage::Ends => size.ops,
        Storage::Places => size.places,
        Storage::Methods => size.methods,
        Storage::Fields => size.fields,
        Storage::Switches => size.switches,
        Storage::Constants => size.constants,
        Storage::Marks => size.marks,
    };
    match lent
        .iter()
        .find(|(storage, found)| *found < needed(*storage))
    {
        None => Ok(()),
        Some(&(storage, found)) => Err(LinkError {
            at: LinkSite::Class,
            kind: LinkErrorKind::StorageTooSmall {
                storage,
                needed: needed(storage),
                found,
            },
        }),
    }
}

/// Returns a method with its signature linked, but without code.
fn signature(method: &Method<'_>) -> Option<LinkedMethod> {
    let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes()).ok()?;
    let has_receiver = !method.access.contains(MethodAccess::STATIC);
    let result = descriptor.result().map(value_kind).transpose().ok()?;
    let slots = descriptor.parameter_slots();
    Some(LinkedMethod {
        arguments: slots.checked_add(has_receiver.into())?,
        is_native: method.access.contains(MethodAccess::NATIVE),
        has_receiver,
        result,
        ..LinkedMethod::default()
    })
}

/// Links a method's code. Returns the size of the method's code in bytes.
fn link_method<L: Linking>(
    constants: &mut Constants<'_, '_, '_>,
    marks: &mut [Mark],
    out: &mut Emitter<'_, L>,
    (method, code): (MethodId, Option<Code<'_>>),
    at: &mut LinkSite,
) -> Result<u32, LinkErrorKind> {
    let count = |used: usize| u32::try_from(used).map_err(|_| LinkErrorKind::Count);
    let signature = constants.methods.get(method.index());
    let mut linked = *signature.ok_or(LinkErrorKind::Count)?;
    linked.entry = count(out.ops.count())?;
    linked.end = linked.entry;
    linked.limit = linked.entry;
    linked.first_place = count(out.places.count())?;
    let mut length = 0;
    if let Some(code) = code {
        let source = Source {
            code,
            // In a void method, only unreachable instructions return a value, so any result type is correct.
            result: linked.result.unwrap_or_default(),
            has_receiver: linked.has_receiver,
        };
        let mut pc = Pc(0);
        lower(&source, constants, marks, out, &mut pc).map_err(|error| {
            *at = LinkSite::Code { method, pc };
            LinkErrorKind::of_lowering(error, &source.code, pc)
        })?;
        linked.end = count(out.ops.count())?;
        (linked.limit, linked.prepaid) = call_limit(linked.entry, linked.end, out.ends.as_slice());
        // The function `lower` has checked that the sum of local variables and operands fits in a byte.
        linked.registers = code.max_locals.saturating_add(code.max_stack);
        length = count(code.bytes.len())?;
    }
    if let Some(method) = constants.methods.get_mut(method.index()) {
        *method = linked;
    }
    Ok(length)
}

#[inline(always)]
fn link_field(class: &ClassFile<'_>, field: &Field<'_>) -> Result<LinkedField, LinkErrorKind> {
    let kind = parse_field(field.descriptor.as_bytes())
        .map_err(|_| LinkErrorKind::Descriptor)
        .and_then(value_kind)?;
    let initial = match field.constant_value() {
        None => 0,
        Some(index) => match class.pool().find_integer(index) {
            Some(value) => kind.narrow(value),
            None => return Err(LinkErrorKind::Constant(index)),
        },
    };
    Ok(LinkedField { kind, initial })
}

fn value_kind(field: FieldType<'_>) -> Result<ValueKind, LinkErrorKind> {
    match field {
        FieldType::Int => Ok(ValueKind::Int),
        FieldType::Byte => Ok(ValueKind::Byte),
        FieldType::Short => Ok(ValueKind::Short),
        FieldType::Boolean => Ok(ValueKind::Boolean),
        FieldType::Object(_) | FieldType::Array { .. } => Ok(ValueKind::Reference),
        FieldType::Char | FieldType::Long | FieldType::Float | FieldType::Double => {
            Err(LinkErrorKind::Descriptor)
        }
    }
}
