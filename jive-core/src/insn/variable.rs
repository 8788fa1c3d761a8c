//! Decoding of the instructions whose length depends on their operands (JVMS §4.9.1, §6.5).

use super::error::{DecodeError, DecodeErrorKind};
use super::{Insn, LookupSwitch, Operand, SwitchBytes, TableSwitch};
use crate::id::{CpIndex, Pc};
use crate::opcode::{Opcode, OperandLayout};

/// Decodes an instruction of variable length, or returns why the bytes are not an instruction.
#[cold]
#[inline(never)]
pub(super) fn decode_variable(code: &[u8], pc: Pc) -> Result<Insn<'_>, DecodeError> {
    let at = code.get(pc.index()..).unwrap_or_default();
    match variable(at, pc) {
        Ok((opcode, length, operand)) => Ok(Insn {
            pc,
            opcode,
            wide: at.first() == Some(&Opcode::Wide.byte()),
            length,
            operand,
        }),
        Err(kind) => Err(DecodeError { pc, kind }),
    }
}

/// Opcode, length in bytes, and operands of an instruction.
type Decoded<'a> = Result<(Opcode, u32, Operand<'a>), DecodeErrorKind>;

fn variable(at: &[u8], pc: Pc) -> Decoded<'_> {
    let (&byte, operands) = at.split_first().ok_or(DecodeErrorKind::Truncated)?;
    let opcode = Opcode::from_byte(byte).ok_or(DecodeErrorKind::UnknownOpcode(byte))?;
    match opcode.layout() {
        OperandLayout::TableSwitch => table_switch(operands, pc),
        OperandLayout::LookupSwitch => lookup_switch(operands, pc),
        OperandLayout::InvokeInterface
        | OperandLayout::InvokeDynamic
        | OperandLayout::MultiArray => outside(opcode, operands),
        OperandLayout::Wide => widened(operands),
        OperandLayout::None
        | OperandLayout::ImplicitInt(_)
        | OperandLayout::ImplicitLocal(_)
        | OperandLayout::Byte
        | OperandLayout::Short
        | OperandLayout::ConstantByte
        | OperandLayout::Constant
        | OperandLayout::Local
        | OperandLayout::LocalIncrement
        | OperandLayout::Branch
        | OperandLayout::BranchWide
        | OperandLayout::ArrayType => Err(DecodeErrorKind::Truncated),
    }
}

/// Decodes the operands of `invokeinterface`, `invokedynamic` and `multianewarray`, which are outside the subset, but
/// whose operand bytes JVMS restricts.
fn outside<'a>(opcode: Opcode, operands: &[u8]) -> Decoded<'a> {
    let index = array(operands).ok_or(DecodeErrorKind::Truncated)?;
    let index = CpIndex(u16::from_be_bytes(index));
    let byte = |place: usize| {
        operands
            .get(place)
            .copied()
            .ok_or(DecodeErrorKind::Truncated)
    };
    let count = || match byte(2)? {
        0 => Err(DecodeErrorKind::ZeroCount),
        count => Ok(count),
    };
    let zero = |place| match byte(place)? {
        0 => Ok(()),
        found => Err(DecodeErrorKind::NonZeroByte { found }),
    };
    if opcode == Opcode::Multianewarray {
        let dimensions = count()?;
        let operand = Operand::MultiArray {
            class: index,
            dimensions,
        };
        return Ok((opcode, 4, operand));
    }
    let operand = if opcode == Opcode::Invokeinterface {
        let count = count()?;
        Operand::InvokeInterface {
            method: index,
            count,
        }
    } else {
        zero(2)?;
        Operand::InvokeDynamic(index)
    };
    zero(3)?;
    Ok((opcode, 5, operand))
}

/// Decodes the instruction after a `wide` prefix: an opcode with a local variable index, which takes two bytes.
fn widened<'a>(bytes: &[u8]) -> Decoded<'a> {
    let (&byte, operands) = bytes.split_first().ok_or(DecodeErrorKind::Truncated)?;
    let refused = DecodeErrorKind::WideOperand(byte);
    let opcode = Opcode::from_byte(byte).ok_or(refused)?;
    let has_increment = match opcode.layout() {
        OperandLayout::Local => false,
        OperandLayout::LocalIncrement => true,
        OperandLayout::None
        | OperandLayout::ImplicitInt(_)
        | OperandLayout::ImplicitLocal(_)
        | OperandLayout::Byte
        | OperandLayout::Short
        | OperandLayout::ConstantByte
        | OperandLayout::Constant
        | OperandLayout::Branch
        | OperandLayout::BranchWide
        | OperandLayout::TableSwitch
        | OperandLayout::LookupSwitch
        | OperandLayout::InvokeInterface
        | OperandLayout::InvokeDynamic
        | OperandLayout::ArrayType
        | OperandLayout::MultiArray
        | OperandLayout::Wide => return Err(refused),
    };
    let (local, rest) = operands
        .split_first_chunk()
        .ok_or(DecodeErrorKind::Truncated)?;
    let local = u16::from_be_bytes(*local);
    Ok(if has_increment {
        let by = i16::from_be_bytes(array(rest).ok_or(DecodeErrorKind::Truncated)?);
        (opcode, 6, Operand::LocalIncrement { local, by })
    } else {
        (opcode, 4, Operand::Local(local))
    })
}

fn table_switch(bytes: &[u8], pc: Pc) -> Decoded<'_> {
    let head = TableSwitch(switch_bytes(bytes, pc, Some(3))?);
    let (low, high) = (head.low(), head.high());
    if low > high {
        return Err(DecodeErrorKind::TableBounds { low, high });
    }
    // A `tableswitch` has default, low, high, and one offset for each key. A `tableswitch` can claim 2^32 keys, so the
    // addition of their count is checked.
    let numbers = high.abs_diff(low).checked_add(4);
    let switch = switch_bytes(bytes, pc, numbers)?;
    let operand = Operand::TableSwitch(TableSwitch(switch));
    Ok((Opcode::Tableswitch, switch_length(switch), operand))
}

fn lookup_switch(bytes: &[u8], pc: Pc) -> Decoded<'_> {
    let count = switch_bytes(bytes, pc, Some(2))?.int(1);
    let Ok(pairs) = u32::try_from(count) else {
        return Err(DecodeErrorKind::NegativePairs { count });
    };
    // A `lookupswitch` has default, count, and two numbers for each pair. A `lookupswitch` has fewer than 2^31 pairs,
    // so doubling their count does not wrap.
    let numbers = pairs.saturating_mul(2).checked_add(2);
    let switch = switch_bytes(bytes, pc, numbers)?;
    let lookup = LookupSwitch(switch);
    let mut before = None;
    for (key, _) in lookup.cases() {
        if let Some(previous) = before.replace(key)
            && previous >= key
        {
            return Err(DecodeErrorKind::UnsortedKeys { previous, key });
        }
    }
    let operand = Operand::LookupSwitch(lookup);
    Ok((Opcode::Lookupswitch, switch_length(switch), operand))
}

/// Returns the length of a switch instruction in bytes, including the opcode.
fn switch_length(switch: SwitchBytes<'_>) -> u32 {
    // The conversion never saturates, because a code array is shorter than 64 KiB.
    let length = u32::try_from(switch.bytes.len()).unwrap_or(u32::MAX);
    length.saturating_add(1)
}

/// Splits the padding of a switch and `numbers` four-byte numbers from the code. The argument `None` stands for a count
/// of numbers that does not fit in 32 bits.
fn switch_bytes(
    bytes: &[u8],
    pc: Pc,
    numbers: Option<u32>,
) -> Result<SwitchBytes<'_>, DecodeErrorKind> {
    let length = numbers
        .and_then(|numbers| usize::try_from(numbers).ok()?.checked_mul(4))
        .and_then(|length| length.checked_add(SwitchBytes::padding_length(pc)));
    let bytes = length.and_then(|length| bytes.get(..length));
    let bytes = bytes.ok_or(DecodeErrorKind::Truncated)?;
    Ok(SwitchBytes { pc, bytes })
}

/// Reads the first bytes after an opcode.
fn array<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.first_chunk().copied()
}
