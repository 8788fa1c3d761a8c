//! The linked form of a class: what the interpreter runs, with every name resolved.

use core::fmt;
use core::ops::Range;

use crate::id::{FieldId, MethodId, NativeId, Pc};
use crate::limits::REGISTER_WINDOW;
use crate::op::Op;
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
pub(crate) struct NativeCall {
    /// Which native.
    pub(crate) id: NativeId,
    /// The register of the first argument; the others follow.
    pub(crate) first: u8,
    /// Count of its arguments, without a receiver.
    pub(crate) arguments: u8,
    /// The register of the result, if there is one.
    pub(crate) result: Option<u8>,
}

/// One row of the program's switch table.
///
/// A switch begins with its default case, whose key is the lowest key of a `tableswitch` and 0 for a `lookupswitch`.
/// The other cases follow in ascending order of their keys.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchCase {
    /// The value that takes this case.
    pub(crate) key: i32,
    /// The op that it goes to.
    pub(crate) target: u32,
    /// What going there takes off the [entry_fuel](Program#fuel).
    pub(crate) cost: i32,
}

/// What an op was made from.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The pc of the instruction that the op performs: the last of those that it stands for. Only that one has an
    /// effect that can be observed, or can trap.
    pub pc: Pc,
    /// How many instructions of the class file the op stands for; 0 for one that only moves a value.
    pub instructions: u16,
}

/// A method as the interpreter calls it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedMethod {
    /// Index of its first op.
    pub(crate) entry: u32,
    /// Index behind its last op; that of the first, for a native, which has none.
    pub(crate) end: u32,
    /// Index behind the last op that a run from the first may reach.
    pub(crate) limit: u32,
    /// How many instructions have been executed at that op, on a straight way.
    pub(crate) prepaid: u16,
    /// Count of its arguments, a receiver included.
    pub(crate) arguments: u8,
    /// Whether it is a native, which has no code.
    pub(crate) is_native: bool,
    /// Count of registers that it uses: its local variables and its operand stack.
    pub(crate) registers: u16,
    /// Whether its first argument is a receiver.
    pub(crate) has_receiver: bool,
    /// What is left of a value that it returns; `None` where it returns none.
    pub(crate) result: Option<ValueKind>,
    /// Where the place of its first instruction stands in the table of places.
    pub(crate) first_place: u32,
}

impl LinkedMethod {
    /// Returns where its ops lie among those of the program.
    #[must_use]
    pub fn ops(&self) -> Range<usize> {
        index(self.entry)..index(self.end)
    }

    /// Returns whether a call from outside gives these arguments, to which a receiver is supplied.
    #[inline(always)]
    pub(crate) fn takes(&self, arguments: &[i32]) -> bool {
        let receivers = usize::from(self.has_receiver);
        arguments.len().wrapping_add(receivers) == usize::from(self.arguments)
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
    Field {
        field: FieldId,
        kind: ValueKind,
    },
    /// A method of the class, its count of arguments with the receiver and whether it gives a value.
    Method {
        id: MethodId,
        arguments: u8,
        has_receiver: bool,
        has_result: bool,
    },
    /// A native.
    Native {
        id: NativeId,
        arguments: u8,
        has_receiver: bool,
        has_result: bool,
    },
    /// The constructor of `Object`, which does nothing on a receiver that is there.
    Nothing,
}

/// What linking notes of a byte of code while it lowers the method.
#[derive(Copy, Clone, Debug, Default)]
pub struct Mark {
    /// Where the instruction that begins there has its first op; before that is known, the next in
    /// the list of instructions still to be followed.
    pub(crate) op: u32,
    /// How many instructions of the method stand before it.
    pub(crate) index: u16,
    /// Depth of the operand stack before it.
    pub(crate) depth: u8,
    pub(crate) state: MarkState,
}

/// How far linking has come with an instruction.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum MarkState {
    /// No path is known to reach it.
    #[default]
    Unreached,
    /// The instruction before it leads to it, and no branch.
    Reached,
    /// A branch leads to it.
    Leader,
    /// A branch leads to it, and it has been lowered.
    Placed,
}

/// Counts of what a program needs, to size its storage.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramSize {
    /// Count of ops, and of the numbers of instructions that tell where each came from. Linking
    /// often uses fewer.
    pub ops: usize,
    /// Count of instructions, and of their places.
    pub places: usize,
    /// Count of methods.
    pub methods: usize,
    /// Count of fields.
    pub fields: usize,
    /// Count of switch cases, default ones included.
    pub switches: usize,
    /// Count of constants in the class file's pool, for linking alone.
    pub constants: usize,
    /// Count of bytes of the longest code array, for linking alone.
    pub marks: usize,
}

/// Memory lent to a program; each slice holds at least what [`ProgramSize`] says.
///
/// Its contents do not matter: memory that another program used may be lent again as it is.
#[derive(Debug, Default)]
pub struct ProgramStorage<'p, 's> {
    /// For the ops.
    pub ops: &'p mut [Op],
    /// For how many instructions are executed behind each op; as many as there are ops.
    pub ends: &'p mut [u16],
    /// For the place of each instruction in its method.
    pub places: &'p mut [Pc],
    /// For the methods, by [`MethodId`].
    pub methods: &'p mut [LinkedMethod],
    /// For the fields, by [`FieldId`].
    pub fields: &'p mut [LinkedField],
    /// For the cases of all switches.
    pub switches: &'p mut [SwitchCase],
    /// For what the constants mean that code names; the program does not keep it.
    pub constants: &'s mut [LinkedConstant],
    /// For what is known of the code that is being linked; the program does not keep it.
    pub marks: &'s mut [Mark],
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
    /// For each op, how many instructions of its method precede it or are done by it, on the
    /// straight way from the first.
    pub(crate) ends: &'p [u16],
    /// The places of all instructions, method by method.
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

    /// Returns what an op of a method was made from.
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

    /// Returns where an instruction of a method lies, by its number.
    pub(crate) fn place(&self, method: &LinkedMethod, instruction: u32) -> Option<Pc> {
        let place = method.first_place.checked_add(instruction)?;
        self.places.get(index(place)).copied()
    }

    /// Returns the bytes of bytecode in the class file: the sum of `code_length`.
    #[must_use]
    pub const fn code_bytes(&self) -> u32 {
        self.code_bytes
    }

    /// Returns the bytes of a NIC's memory that the program takes.
    ///
    /// Counts one op of eight bytes for each instruction that a path reaches. So the size is the same wherever the
    /// program was linked, although the number of ops differs by processor.
    #[must_use]
    pub const fn byte_size(&self) -> usize {
        const OP_BYTES: usize = 8;
        let instruction = OP_BYTES
            .wrapping_add(size_of::<u16>())
            .wrapping_add(size_of::<Pc>());
        // A few times the bytes of a class file, which are no more than 2^20.
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

/// Returns the number of an op or of what belongs to one as an index.
#[inline]
pub(crate) const fn index(number: u32) -> usize {
    // `usize` has at least 32 bits on every target the crate builds for; `From` is not offered.
    number as usize
}

/// Ops in a row that a slice may run, counted from where it begins.
pub(crate) const SLICE_OPS: usize = 192;

/// Returns what the op of a native calls.
pub(crate) fn native(op: Op) -> NativeCall {
    let [id_low, id_high, arguments, has_result] = op.imm().to_le_bytes();
    NativeCall {
        id: NativeId(u16::from_le_bytes([id_low, id_high])),
        first: op.b,
        arguments,
        result: (has_result != 0).then_some(op.a),
    }
}

/// Returns the first op that a method's code is cut off at when it is called, and its prepaid.
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
        // What is left of 2^n values in a row, the lowest of which is `lowest`.
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
