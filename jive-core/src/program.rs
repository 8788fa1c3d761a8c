//! The linked form of a class, which the interpreter runs. Every name is resolved.

use core::fmt;
use core::ops::Range;

use crate::id::{FieldId, MethodId, NativeId, Pc};
use crate::limits::REGISTER_WINDOW;
use crate::op::Op;
use crate::verified::AppletMembers;

/// Type of a field or of a method's result, which decides how a stored or returned value is narrowed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ValueKind {
    /// An `int`, which is stored unchanged.
    #[default]
    Int,
    /// A `byte`: eight bits with sign.
    Byte,
    /// A `short`: sixteen bits with sign.
    Short,
    /// A `boolean`: the lowest bit.
    Boolean,
    /// A reference, which is stored unchanged.
    Reference,
}

impl ValueKind {
    /// Narrows a value to this type (JVMS §6.5.putfield, §6.5.ireturn).
    #[must_use]
    #[inline]
    pub const fn narrow(self, value: i32) -> i32 {
        // The casts in the `match` do the narrowing.
        match self {
            Self::Int | Self::Reference => value,
            Self::Byte => value as i8 as i32,
            Self::Short => value as i16 as i32,
            Self::Boolean => value & 1,
        }
    }
}

/// A resolved call of a native.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct NativeCall {
    /// Which native.
    pub(crate) id: NativeId,
    /// The register of the first argument. The others follow.
    pub(crate) first: u8,
    /// The count of the native's arguments, without a receiver.
    pub(crate) arguments: u8,
    /// The register of the result, if the native has one.
    pub(crate) result: Option<u8>,
}

/// A row of the program's switch table.
///
/// The first row of a switch is its default. The key of the default row is the lowest key of a `tableswitch`, and 0 for
/// a `lookupswitch`. The rows of the cases follow in ascending order of their keys.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchCase {
    /// The value for which the switch takes this case.
    pub(crate) key: i32,
    /// The index of the op at which the case's code begins.
    pub(crate) target: u32,
    /// The fuel that the jump to the case costs more than the straight path (`interp/fuel.rs`).
    pub(crate) cost: i32,
}

/// The instructions that an op was made from.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The pc of the instruction that the op performs, which is the last of the op's instructions. The other
    /// instructions of the op have no side effect and cannot trap.
    pub pc: Pc,
    /// How many instructions of the class file the op stands for, which is 0 for an op that only moves a value.
    pub instructions: u16,
}

/// A method in the form in which the interpreter calls it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedMethod {
    /// Index of the method's first op.
    pub(crate) entry: u32,
    /// Index after the method's last op. A native has no ops, so `end` is equal to `entry`.
    pub(crate) end: u32,
    /// The limit of the code of a slice that begins at the method's first op (`interp/fuel.rs`).
    pub(crate) limit: u32,
    /// How many instructions are prepaid at the `limit` of the code.
    pub(crate) prepaid: u16,
    /// The count of the method's arguments, a receiver included.
    pub(crate) arguments: u8,
    /// Whether the method is a native, which has no code.
    pub(crate) is_native: bool,
    /// The count of the method's registers: local variables and places of the operand stack.
    pub(crate) registers: u16,
    /// Whether the method's first argument is a receiver.
    pub(crate) has_receiver: bool,
    /// The type of the method's result, or `None` for a void method.
    pub(crate) result: Option<ValueKind>,
    /// The index of the method's first instruction in the program's table of places.
    pub(crate) first_place: u32,
}

impl LinkedMethod {
    /// Returns the indices of the method's ops.
    #[must_use]
    pub fn ops(&self) -> Range<usize> {
        index(self.entry)..index(self.end)
    }

    /// Returns whether a call from outside may pass these arguments, which do not include the receiver.
    #[inline(always)]
    pub(crate) fn takes(&self, arguments: &[i32]) -> bool {
        let receivers = usize::from(self.has_receiver);
        arguments.len().wrapping_add(receivers) == usize::from(self.arguments)
    }
}

/// A field in the form in which the interpreter uses it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedField {
    /// Type of its values.
    pub kind: ValueKind,
    /// The value that the field has before any code of the class runs.
    pub initial: i32,
}

/// The meaning of a constant of the constant pool, if the linker has looked it up.
#[derive(Copy, Clone, Debug, Default)]
pub struct LinkedConstant(pub(crate) Option<Meaning>);

/// The meaning of a constant of the constant pool.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Meaning {
    Int(i32),
    Field {
        field: FieldId,
        kind: ValueKind,
    },
    /// A method of the class. The field `arguments` counts the receiver too.
    Method {
        id: MethodId,
        arguments: u8,
        has_receiver: bool,
        has_result: bool,
    },
    /// A native. The field `arguments` does not count the receiver.
    Native {
        id: NativeId,
        arguments: u8,
        has_receiver: bool,
        has_result: bool,
    },
    /// The constructor of `Object`, which does nothing.
    Nothing,
}

/// What the linker records for a byte of a method's code while it lowers the method.
#[derive(Copy, Clone, Debug, Default)]
pub struct Mark {
    /// The first op of the instruction that begins at the byte, if the instruction is a branch target and was lowered.
    /// Before lowering, this field has the next branch target of the list that `lower/reach.rs` follows.
    pub(crate) op: u32,
    /// How many instructions of the method precede the instruction at the byte.
    pub(crate) index: u16,
    /// The depth of the operand stack before the instruction.
    pub(crate) depth: u8,
    pub(crate) state: MarkState,
}

/// What the linker has found out about an instruction.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum MarkState {
    /// The linker has found no path that reaches the instruction.
    #[default]
    Unreached,
    /// Control falls through to the instruction, and no branch leads to it.
    Reached,
    /// A branch leads to the instruction.
    Leader,
    /// A branch leads to the instruction, which has been lowered.
    Placed,
}

/// The size of a program's parts, so that the caller can lend memory for them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramSize {
    /// Count of ops, and of ends of ops. The count of ops is an upper bound: linking often makes fewer ops.
    pub ops: usize,
    /// Count of instructions, each of which has a pc in the table of places.
    pub places: usize,
    /// Count of methods.
    pub methods: usize,
    /// Count of fields.
    pub fields: usize,
    /// Count of rows of the switch table: cases and defaults.
    pub switches: usize,
    /// Count of constants in the class file's pool, which only linking needs.
    pub constants: usize,
    /// Count of bytes of the longest code array, which only linking needs.
    pub marks: usize,
}

/// Memory that the caller lends to a program. Each slice of the memory has at least the length that [`ProgramSize`]
/// states.
///
/// The lent memory may have any contents, such as those of another program.
#[derive(Debug, Default)]
pub struct ProgramStorage<'p, 's> {
    /// For the ops.
    pub ops: &'p mut [Op],
    /// Memory for the ends of ops: how many instructions of the method the straight path has executed when each op is
    /// done. As many as ops.
    pub ends: &'p mut [u16],
    /// Memory for the pc of each instruction.
    pub places: &'p mut [Pc],
    /// Memory for the methods, by [`MethodId`].
    pub methods: &'p mut [LinkedMethod],
    /// Memory for the fields, by [`FieldId`].
    pub fields: &'p mut [LinkedField],
    /// Memory for the rows of all switches.
    pub switches: &'p mut [SwitchCase],
    /// Memory for the meanings of constants, which the program does not keep.
    pub constants: &'s mut [LinkedConstant],
    /// Memory for marks of the code that the linker is lowering, which the program does not keep.
    pub marks: &'s mut [Mark],
}

/// A linked class. A `Program` is immutable, and all instances of the class share it.
///
/// A `Program` proves what [`Verified`] proves, and that all indices in ops are valid. A `Program` does not borrow from
/// the class file.
///
/// [`Verified`]: crate::Verified
#[derive(Copy, Clone)]
pub struct Program<'p> {
    pub(crate) ops: &'p [Op],
    /// For each op, how many instructions the method has executed when the op is done, if it ran straight from its
    /// first instruction.
    pub(crate) ends: &'p [u16],
    /// The pc of each instruction, method by method.
    pub(crate) places: &'p [Pc],
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

    /// Returns the methods that initialise an instance, in the order of their calls: the static initializer, then the
    /// constructor, as far as the class has them.
    pub fn initializers(&self) -> impl Iterator<Item = MethodId> + use<> {
        [self.initializer, self.constructor].into_iter().flatten()
    }

    /// Returns the applet's members, if the class was verified as an applet.
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

    /// Returns the count of fields, static ones included. An instance stores a value for each field, static fields
    /// included.
    #[must_use]
    pub const fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// Returns the ops of all methods, method by method.
    #[must_use]
    pub const fn ops(&self) -> &'p [Op] {
        self.ops
    }

    /// Returns the instructions that an op of a method was made from.
    #[must_use]
    pub fn origin(&self, method: MethodId, op: u32) -> Option<Origin> {
        let linked = self.method(method)?;
        let end = *self.ends.get(index(op))?;
        let before = match op.checked_sub(1).filter(|_| op > linked.entry) {
            None => 0,
            Some(before) => *self.ends.get(index(before))?,
        };
        Some(Origin {
            pc: self.place(linked, end.saturating_sub(1).into())?,
            instructions: end.saturating_sub(before),
        })
    }

    /// Returns the pc of an instruction of a method, given the number of the instruction in the method.
    pub(crate) fn place(&self, method: &LinkedMethod, instruction: u32) -> Option<Pc> {
        let place = method.first_place.checked_add(instruction)?;
        self.places.get(index(place)).copied()
    }

    /// Returns the size of the class file's bytecode: the sum of `code_length`.
    #[must_use]
    pub const fn code_bytes(&self) -> u32 {
        self.code_bytes
    }

    /// Returns how many bytes of a NIC's memory the program takes.
    ///
    /// `byte_size` counts an op of eight bytes for each reachable instruction. The real number of ops depends on the
    /// variant of the interpreter, but a simulated NIC must behave equally on all machines.
    #[must_use]
    pub const fn byte_size(&self) -> usize {
        const OP_BYTES: usize = 8;
        let instruction = OP_BYTES
            .wrapping_add(size_of::<u16>())
            .wrapping_add(size_of::<Pc>());
        // The sum cannot wrap: it is at most a few times the size of a class file, which is at most 2^20.
        self.places
            .len()
            .wrapping_mul(instruction)
            .wrapping_add(size_of_val(self.methods))
            .wrapping_add(size_of_val(self.fields))
            .wrapping_add(size_of_val(self.switches))
    }

    /// Returns how many slots a call stack needs for this many nested calls of any methods.
    #[must_use]
    pub fn slots_for(&self, nested_calls: usize) -> usize {
        let deepest = self.methods.iter().map(|method| method.registers).max();
        usize::from(deepest.unwrap_or(0))
            .saturating_mul(nested_calls)
            .saturating_add(REGISTER_WINDOW)
    }
}

/// Converts the number of an op, slot or row to an index.
#[inline]
pub(crate) const fn index(number: u32) -> usize {
    // The cast is lossless, because `usize` has at least 32 bits on every target that the crate builds for; `usize` has
    // no `From<u32>`.
    number as usize
}

/// Maximum number of ops between the beginning of a slice and the limit of its code. `SLICE_OPS` bounds the depth of
/// the host's stack, because each op may take a frame of the host's stack. Chosen: few methods have more ops.
pub(crate) const SLICE_OPS: usize = 192;

/// Decodes the op of a native call.
pub(crate) fn native(op: Op) -> NativeCall {
    let [id_low, id_high, arguments, has_result] = op.imm().to_le_bytes();
    NativeCall {
        id: NativeId(u16::from_le_bytes([id_low, id_high])),
        first: op.b,
        arguments,
        result: (has_result != 0).then_some(op.a),
    }
}

/// Returns the op before which a slice ends that begins at a method's first op. Also returns how many instructions the
/// slice has prepaid when it ends there.
pub(crate) fn call_limit(entry: u32, end: u32, ends: &[u16]) -> (u32, u16) {
    let slice = u32::try_from(SLICE_OPS).unwrap_or(u32::MAX);
    let limit = end.min(entry.saturating_add(slice));
    let last = limit.checked_sub(1).and_then(|last| ends.get(index(last)));
    (limit, last.copied().unwrap_or(0))
}

/// Returns the method if it has code.
pub(crate) fn with_code(method: Option<&LinkedMethod>) -> Option<&LinkedMethod> {
    method.filter(|method| method.end > method.entry)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrowing_keeps_the_lowest_bits_and_their_sign() {
        // Wraps a value into the range of `values` integers that begins at `lowest`.
        let wrapped = |value: i64, values: i64, lowest: i64| {
            i32::try_from((value - lowest).rem_euclid(values) + lowest).unwrap()
        };
        let ends = [
            i32::MIN,
            -65_536,
            -32_769,
            -256,
            -2,
            0,
            255,
            32_767,
            i32::MAX - 600,
        ];
        for value in ends.into_iter().flat_map(|end| end..=end + 600) {
            let wide = i64::from(value);
            assert_eq!(ValueKind::Int.narrow(value), value);
            assert_eq!(ValueKind::Reference.narrow(value), value);
            assert_eq!(
                ValueKind::Byte.narrow(value),
                wrapped(wide, 1 << 8, -(1 << 7))
            );
            assert_eq!(
                ValueKind::Short.narrow(value),
                wrapped(wide, 1 << 16, -(1 << 15))
            );
            assert_eq!(ValueKind::Boolean.narrow(value), wrapped(wide, 2, 0));
        }
    }
}
