//! The linked form of a class: what the interpreter runs, with every name resolved.

use core::fmt;

use crate::array_kind::ArrayKind;
use crate::id::{FieldId, MethodId, NativeId, Pc};
use crate::opcode::Opcode;
use crate::verified::AppletMembers;

/// Type of a field or a result, as far as storing a value there changes it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ValueKind {
    /// An `int`, stored as it is.
    #[default]
    Int,
    /// A `byte`: eight bits with sign.
    Byte,
    /// A `short`: sixteen bits with sign.
    Short,
    /// A `boolean`: the lowest bit.
    Boolean,
    /// A reference, stored as it is.
    Reference,
}

impl ValueKind {
    /// Returns what is left of a value that was stored as this kind (JVMS §6.5.putfield, §6.5.ireturn).
    #[must_use]
    #[inline]
    pub const fn narrow(self, value: i32) -> i32 {
        // The casts are the narrowing itself.
        match self {
            Self::Int | Self::Reference => value,
            Self::Byte => value as i8 as i32,
            Self::Short => value as i16 as i32,
            Self::Boolean => value & 1,
        }
    }
}

/// The call of a native, resolved.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NativeCall {
    /// Which native.
    pub id: NativeId,
    /// Count of its arguments, without a receiver.
    pub arguments: u8,
    /// Whether it gives a value back.
    pub has_result: bool,
    /// Whether a receiver lies below the arguments, to be tested for null and dropped.
    pub has_receiver: bool,
}

impl NativeCall {
    /// Returns the count of values that the call takes off the operand stack.
    pub(crate) const fn slots(self) -> usize {
        // Both widen; `From` is not const.
        (self.arguments as usize).wrapping_add(self.has_receiver as usize)
    }
}

/// One row of the program's switch table.
///
/// A switch is a default case, whose key is the lowest key of a `tableswitch` and 0 for a
/// `lookupswitch`, and behind it the other cases in ascending order of their keys.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchCase {
    /// The value that takes this case.
    pub key: i32,
    /// The op that it goes to.
    pub target: u32,
}

/// One linked instruction; branch targets are indices of ops in the program.
///
/// Opcodes that differ only in how the class file writes them share an op, and so do those that
/// differ only in the type of a value, since null is the 0 of references. Which opcode an op was
/// made from, its [`Origin`] tells.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the opcode table documents what each stands for"
)]
pub enum Op {
    #[default]
    Nop,
    Push(i32),
    Load(u16),
    Store(u16),
    Increment {
        local: u16,
        by: i16,
    },
    LoadByte,
    LoadShort,
    LoadInt,
    StoreByte,
    StoreShort,
    StoreInt,
    ArrayLength,
    NewArray(ArrayKind),
    Pop,
    Pop2,
    Dup,
    DupX1,
    DupX2,
    Dup2,
    Dup2X1,
    Dup2X2,
    Swap,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    And,
    Or,
    Xor,
    /// Narrows the top value: `i2b`, `i2s`.
    Narrow(ValueKind),
    Goto(u32),
    IfZero(u32),
    IfNotZero(u32),
    IfNegative(u32),
    IfNotNegative(u32),
    IfPositive(u32),
    IfNotPositive(u32),
    IfEqual(u32),
    IfNotEqual(u32),
    IfLess(u32),
    IfNotLess(u32),
    IfGreater(u32),
    IfNotGreater(u32),
    /// A `tableswitch`: the index of its default case, and how many cases follow.
    TableSwitch {
        default: u32,
        cases: u16,
    },
    /// A `lookupswitch`, likewise.
    LookupSwitch {
        default: u32,
        cases: u16,
    },
    GetStatic(FieldId),
    GetField(FieldId),
    PutStatic {
        field: FieldId,
        kind: ValueKind,
    },
    PutField {
        field: FieldId,
        kind: ValueKind,
    },
    /// Calls a method of the class that has no receiver.
    InvokeStatic(MethodId),
    /// Calls a method of the class on a receiver, which is tested for null.
    InvokeInstance(MethodId),
    InvokeNative(NativeCall),
    /// Returns from a method without a value.
    Return,
    /// Returns a value, narrowed to the method's result type.
    ReturnValue(ValueKind),
}

// An op is fetched at every step: eight bytes keep the index a shift and the code within twice the
// size of what it came from.
const _: () = assert!(size_of::<Op>() == 8);

/// What an op was made from.
///
/// Fuel, traps and traces read this, so a later linker may fuse instructions or reorder ops without
/// changing what is observed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Where the (first) instruction lies in its method's code.
    pub pc: Pc,
    /// The (first) instruction.
    pub opcode: Opcode,
    /// How many instructions of the class file the op stands for.
    pub instructions: u8,
}

const _: () = assert!(size_of::<Origin>() == 4);

impl Default for Origin {
    fn default() -> Self {
        Self {
            pc: Pc(0),
            opcode: Opcode::Nop,
            instructions: 0,
        }
    }
}

/// A method as the interpreter calls it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedMethod {
    /// Index of its first op.
    pub entry: u32,
    /// Count of its ops; 0 for a native, which has none.
    pub ops: u32,
    /// Count of its arguments, a receiver included.
    pub arguments: u16,
    /// Count of its local variables, the arguments included.
    pub max_locals: u16,
    /// Depth of its operand stack.
    pub max_stack: u16,
    /// Whether its first argument is a receiver.
    pub has_receiver: bool,
}

impl LinkedMethod {
    /// Returns the count of slots that a call of it takes.
    #[must_use]
    pub const fn slots(&self) -> u32 {
        // Two u16 cannot overflow a u32; `From` is not const.
        (self.max_locals as u32).wrapping_add(self.max_stack as u32)
    }
}

/// A field as the interpreter stores it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedField {
    /// Type of the values it holds.
    pub kind: ValueKind,
    /// What it holds before any code of the class runs.
    pub initial: i32,
}

/// What a constant of the pool means to the code that names it, once it was asked for.
#[derive(Copy, Clone, Debug, Default)]
pub struct LinkedConstant(pub(crate) Option<Meaning>);

/// What a constant means.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Meaning {
    Int(i32),
    Field { field: FieldId, kind: ValueKind },
    Call(Op),
}

/// Counts of what a program needs, to size its storage.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramSize {
    /// Count of ops, and of origins.
    pub ops: usize,
    /// Count of methods.
    pub methods: usize,
    /// Count of fields.
    pub fields: usize,
    /// Count of switch cases, default ones included.
    pub switches: usize,
    /// Count of constants in the class file's pool, for linking alone.
    pub constants: usize,
}

/// Memory lent to a program; each slice holds at least what [`ProgramSize`] says.
#[derive(Debug, Default)]
pub struct ProgramStorage<'p> {
    /// For the ops.
    pub ops: &'p mut [Op],
    /// For the origin of each op.
    pub origins: &'p mut [Origin],
    /// For the methods, by [`MethodId`].
    pub methods: &'p mut [LinkedMethod],
    /// For the fields, by [`FieldId`].
    pub fields: &'p mut [LinkedField],
    /// For the cases of all switches.
    pub switches: &'p mut [SwitchCase],
    /// For what the constants mean that code names; the program does not keep it.
    pub constants: &'p mut [LinkedConstant],
}

/// A linked class, immutable and shared by every instance of it.
///
/// Holding one proves what [`Verified`] proves, and that every index in an op names what it should.
/// It keeps nothing of the class file.
///
/// [`Verified`]: crate::Verified
#[derive(Copy, Clone)]
pub struct Program<'p> {
    pub(crate) ops: &'p [Op],
    pub(crate) origins: &'p [Origin],
    pub(crate) methods: &'p [LinkedMethod],
    pub(crate) fields: &'p [LinkedField],
    pub(crate) switches: &'p [SwitchCase],
    pub(crate) initializer: Option<MethodId>,
    pub(crate) constructor: Option<MethodId>,
    pub(crate) applet: Option<AppletMembers>,
    pub(crate) code_bytes: u32,
}

impl<'p> Program<'p> {
    /// Returns the static initializer, `<clinit>`.
    #[must_use]
    pub const fn initializer(&self) -> Option<MethodId> {
        self.initializer
    }

    /// Returns the constructor without parameters.
    #[must_use]
    pub const fn constructor(&self) -> Option<MethodId> {
        self.constructor
    }

    /// Returns the applet's members, where the class was verified as an applet.
    #[must_use]
    pub const fn applet(&self) -> Option<AppletMembers> {
        self.applet
    }

    /// Returns a method.
    #[must_use]
    pub fn method(&self, id: MethodId) -> Option<&'p LinkedMethod> {
        self.methods.get(id.index())
    }

    /// Returns the fields, by [`FieldId`].
    #[must_use]
    pub const fn fields(&self) -> &'p [LinkedField] {
        self.fields
    }

    /// Returns the count of fields: how many values an instance stores.
    #[must_use]
    pub const fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// Returns the ops of all methods, one behind the other.
    #[must_use]
    pub const fn ops(&self) -> &'p [Op] {
        self.ops
    }

    /// Returns what an op was made from.
    #[must_use]
    pub fn origin(&self, op: u32) -> Option<Origin> {
        self.origins.get(usize::try_from(op).ok()?).copied()
    }

    /// Returns the bytes of bytecode in the class file: the sum of `code_length`.
    #[must_use]
    pub const fn code_bytes(&self) -> u32 {
        self.code_bytes
    }

    /// Returns the bytes of memory that the program itself takes.
    #[must_use]
    pub const fn byte_size(&self) -> usize {
        // Slices that lie in memory at once cannot be larger than it together.
        size_of_val(self.ops)
            .wrapping_add(size_of_val(self.origins))
            .wrapping_add(size_of_val(self.methods))
            .wrapping_add(size_of_val(self.fields))
            .wrapping_add(size_of_val(self.switches))
    }

    /// Returns how many slots a call stack needs for this many nested calls of any methods.
    #[must_use]
    pub fn slots_for(&self, nested_calls: usize) -> usize {
        let deepest = self
            .methods
            .iter()
            .map(LinkedMethod::slots)
            .max()
            .unwrap_or(0);
        usize::try_from(deepest)
            .unwrap_or(usize::MAX)
            .saturating_mul(nested_calls)
    }
}

impl fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("ops", &self.ops.len())
            .field("methods", &self.methods)
            .field("fields", &self.fields)
            .finish_non_exhaustive()
    }
}
