//! The arithmetic and the comparisons of `int` (JVMS §6.5), computed in 64 bits.

use jive_core::{Opcode, TrapKind};

/// Returns the low 32 bits of a number, as the JVM does for every `int` result.
pub(super) fn wrap(wide: i64) -> i32 {
    // Truncation is intended.
    wide as i32
}

/// Computes the result of an instruction with two `int` operands; returns `None` for any other instruction.
pub(super) fn binary(opcode: Opcode, first: i32, second: i32) -> Option<Result<i32, TrapKind>> {
    let (a, b) = (i64::from(first), i64::from(second));
    let count = second & 31;
    Some(Ok(wrap(match opcode {
        Opcode::Iadd => a + b,
        Opcode::Isub => a - b,
        Opcode::Imul => a * b,
        Opcode::Idiv | Opcode::Irem if b == 0 => {
            return Some(Err(TrapKind::ArithmeticException));
        }
        Opcode::Idiv => a / b,
        Opcode::Irem => a % b,
        Opcode::Ishl => a << count,
        Opcode::Ishr => a >> count,
        // Shift the low 32 bits, zero-extended to 64.
        Opcode::Iushr => (a & 0xffff_ffff) >> count,
        Opcode::Iand => a & b,
        Opcode::Ior => a | b,
        Opcode::Ixor => a ^ b,
        _ => return None,
    })))
}

/// Computes the result of an instruction with one `int` operand.
pub(super) fn unary(opcode: Opcode, value: i32) -> Option<i32> {
    match opcode {
        Opcode::Ineg => Some(wrap(-i64::from(value))),
        Opcode::I2b => Some(sign_extended(value, 8)),
        Opcode::I2s => Some(sign_extended(value, 16)),
        _ => None,
    }
}

/// Keeps the low `bits` bits of a value and extends their sign.
pub(super) fn sign_extended(value: i32, bits: u32) -> i32 {
    let modulus = 1_i64 << bits;
    let low = i64::from(value).rem_euclid(modulus);
    wrap(if low < modulus / 2 {
        low
    } else {
        low - modulus
    })
}

/// Returns whether a comparison with zero branches.
pub(super) fn against_zero(opcode: Opcode, value: i32) -> Option<bool> {
    match opcode {
        Opcode::Ifeq => Some(value == 0),
        Opcode::Ifne => Some(value != 0),
        Opcode::Iflt => Some(value < 0),
        Opcode::Ifge => Some(value >= 0),
        Opcode::Ifgt => Some(value > 0),
        Opcode::Ifle => Some(value <= 0),
        _ => None,
    }
}

/// Returns whether a comparison of two `int`s branches.
pub(super) fn of_two(opcode: Opcode, first: i32, second: i32) -> Option<bool> {
    match opcode {
        Opcode::IfIcmpeq => Some(first == second),
        Opcode::IfIcmpne => Some(first != second),
        Opcode::IfIcmplt => Some(first < second),
        Opcode::IfIcmpge => Some(first >= second),
        Opcode::IfIcmpgt => Some(first > second),
        Opcode::IfIcmple => Some(first <= second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_cases_of_arithmetic_follow_the_specification() {
        // JVMS §6.5.idiv, irem, ishl, iushr require the wrapping quotient, its remainder, and five bits of the shift
        // count.
        let value = |opcode, a, b| binary(opcode, a, b);
        assert_eq!(value(Opcode::Idiv, i32::MIN, -1), Some(Ok(i32::MIN)));
        assert_eq!(value(Opcode::Irem, i32::MIN, -1), Some(Ok(0)));
        assert_eq!(value(Opcode::Irem, -7, 3), Some(Ok(-1)));
        assert_eq!(value(Opcode::Ishl, 1, 33), Some(Ok(2)));
        assert_eq!(value(Opcode::Iushr, -1, 28), Some(Ok(15)));
        assert_eq!(value(Opcode::Imul, i32::MAX, i32::MAX), Some(Ok(1)));
        assert_eq!(unary(Opcode::I2b, 200), Some(-56));
        assert_eq!(unary(Opcode::I2s, 65_535), Some(-1));
        assert_eq!(unary(Opcode::Ineg, i32::MIN), Some(i32::MIN));
    }
}
