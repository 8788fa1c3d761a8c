//! Intervals of `int` values, and the instructions' arithmetic on them.

use jive_core::{BinaryOperator, Comparison, UnaryOperator};

/// Upper bound for the length of an array: a header precedes the elements, and offsets in the heap are `int`s.
pub(crate) const LENGTH_MAX: i64 = i32::MAX as i64 - 8;

/// The values that an `int` can have: all from `least` to `most`.
///
/// Every operation on intervals returns an interval that contains each possible result. Where a result may wrap around,
/// the operation returns [`INT`](Interval::INT).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) least: i64,
    pub(crate) most: i64,
}

impl Interval {
    /// Any `int`.
    pub(crate) const INT: Interval = Interval::new(i32::MIN as i64, i32::MAX as i64);
    /// Any `short`.
    pub(crate) const SHORT: Interval = Interval::new(i16::MIN as i64, i16::MAX as i64);
    /// Any `byte`. The interval of a `byte` contains the values 0 and 1 of a `boolean`.
    pub(crate) const BYTE: Interval = Interval::new(i8::MIN as i64, i8::MAX as i64);

    pub(crate) const fn new(least: i64, most: i64) -> Interval {
        Interval { least, most }
    }

    /// Returns the interval of a single value.
    pub(crate) fn exactly(value: i32) -> Interval {
        Interval::new(value.into(), value.into())
    }

    /// Returns the only value of the interval, if it has only one.
    pub(crate) fn only(self) -> Option<i64> {
        (self.least == self.most).then_some(self.least)
    }

    fn is_within(self, other: Interval) -> bool {
        other.least <= self.least && self.most <= other.most
    }

    /// Returns whether the greatest value of the interval is unknown. An interval whose greatest value is that of the
    /// length of an unknown array counts as unknown.
    pub(crate) fn is_open_above(self) -> bool {
        self.most >= LENGTH_MAX && self.only().is_none()
    }

    /// Returns the interval that contains the values of `self` and of `other`.
    pub(crate) fn hull(self, other: Interval) -> Interval {
        Interval::new(self.least.min(other.least), self.most.max(other.most))
    }

    /// Returns the values that lie in both intervals, if any.
    pub(crate) fn meet(self, other: Interval) -> Option<Interval> {
        let (least, most) = (self.least.max(other.least), self.most.min(other.most));
        (least <= most).then_some(Interval::new(least, most))
    }

    /// Returns the values that remain after a store of this interval's values to a narrow type. A stored value outside
    /// the narrow type may become any value of that type.
    pub(crate) fn narrowed(self, to: Interval) -> Interval {
        if self.is_within(to) { self } else { to }
    }

    /// Returns the interval, or that of all `int`s if a value of the interval has wrapped around.
    fn wrapped(least: i64, most: i64) -> Interval {
        Interval::new(least, most).narrowed(Interval::INT)
    }

    /// Returns the sums of a value of `self` and a value of the other operand. The second operand `other` may have
    /// values that are no `int`s.
    pub(crate) fn plus(self, other: Interval) -> Interval {
        Interval::wrapped(self.least + other.least, self.most + other.most)
    }

    /// Returns the values that have the relation `relation` to some value of `other`, if there are any.
    pub(crate) fn related(relation: Comparison, other: Interval) -> Option<Interval> {
        let int = Interval::INT;
        let values = match relation {
            Comparison::Equal => other,
            Comparison::NotEqual => match other.only() {
                Some(only) if only == int.least => Interval::new(int.least + 1, int.most),
                Some(only) if only == int.most => Interval::new(int.least, int.most - 1),
                Some(_) | None => int,
            },
            Comparison::Less => Interval::new(int.least, other.most - 1),
            Comparison::AtMost => Interval::new(int.least, other.most),
            Comparison::Greater => Interval::new(other.least + 1, int.most),
            Comparison::AtLeast => Interval::new(other.least, int.most),
        };
        values.meet(int)
    }

    pub(crate) fn unary(self, operator: UnaryOperator) -> Interval {
        match operator {
            UnaryOperator::Negate => Interval::wrapped(-self.most, -self.least),
            UnaryOperator::ToByte => self.narrowed(Interval::BYTE),
            UnaryOperator::ToShort => self.narrowed(Interval::SHORT),
        }
    }

    pub(crate) fn binary(self, operator: BinaryOperator, other: Interval) -> Interval {
        match operator {
            BinaryOperator::Add => self.plus(other),
            BinaryOperator::Subtract => {
                Interval::wrapped(self.least - other.most, self.most - other.least)
            }
            BinaryOperator::Multiply => {
                let products = [
                    self.least * other.least,
                    self.least * other.most,
                    self.most * other.least,
                    self.most * other.most,
                ];
                let least = products.into_iter().fold(products[0], i64::min);
                let most = products.into_iter().fold(products[0], i64::max);
                Interval::wrapped(least, most)
            }
            BinaryOperator::Divide => self.divided(other),
            BinaryOperator::Remainder => {
                // The result of `irem` has the sign of the dividend and is nearer to zero than the divisor (JVMS
                // §6.5.irem).
                let nearest = (other.least.abs().max(other.most.abs()) - 1).max(0);
                Interval::new(self.least.clamp(-nearest, 0), self.most.clamp(0, nearest))
            }
            BinaryOperator::ShiftLeft => match other.only() {
                Some(by) => {
                    let by = by & 31;
                    Interval::wrapped(self.least << by, self.most << by)
                }
                None => Interval::INT,
            },
            BinaryOperator::ShiftRight => match other.only() {
                Some(by) => Interval::new(self.least >> (by & 31), self.most >> (by & 31)),
                // A shift to the right moves a value towards 0 or -1.
                None => Interval::new(self.least.min(0), self.most.max(0)),
            },
            BinaryOperator::ShiftRightUnsigned => match other.only().map(|by| by & 31) {
                Some(by) if self.least >= 0 => Interval::new(self.least >> by, self.most >> by),
                Some(by) if by > 0 => Interval::new(0, i64::from(u32::MAX >> by)),
                None if self.least >= 0 => Interval::new(0, self.most),
                Some(_) | None => Interval::INT,
            },
            BinaryOperator::And => match (self.least >= 0, other.least >= 0) {
                (true, true) => Interval::new(0, self.most.min(other.most)),
                (true, false) => Interval::new(0, self.most),
                (false, true) => Interval::new(0, other.most),
                (false, false) => Interval::INT,
            },
            BinaryOperator::Or | BinaryOperator::Xor => {
                if self.least >= 0 && other.least >= 0 {
                    let most = self.most.max(other.most);
                    // The result of `|` or `^` may have all bits up to the highest bit of either operand.
                    let bits = (most.unsigned_abs() + 1).next_power_of_two() - 1;
                    Interval::new(0, bits.cast_signed())
                } else {
                    Interval::INT
                }
            }
        }
    }

    fn divided(self, by: Interval) -> Interval {
        if self.least >= 0 && by.least >= 0 {
            // A division or remainder by zero traps, so zero is left out of the divisors.
            return Interval::new(self.least / by.most.max(1), self.most / by.least.max(1));
        }
        let farthest = self.least.abs().max(self.most.abs());
        Interval::wrapped(-farthest, farthest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [i32; 17] = [
        i32::MIN,
        i32::MIN + 1,
        -70_000,
        -129,
        -128,
        -2,
        -1,
        0,
        1,
        2,
        7,
        31,
        127,
        128,
        40_000,
        i32::MAX - 1,
        i32::MAX,
    ];

    /// Computes the result of an instruction for one value of each operand. `None` for a trap.
    type Compute = fn(i32, i32) -> Option<i32>;

    const BINARY: [(BinaryOperator, Compute); 11] = {
        use BinaryOperator as B;
        [
            (B::Add, |a, b| Some(a.wrapping_add(b))),
            (B::Subtract, |a, b| Some(a.wrapping_sub(b))),
            (B::Multiply, |a, b| Some(a.wrapping_mul(b))),
            (B::Divide, |a, b| (b != 0).then(|| a.wrapping_div(b))),
            (B::Remainder, |a, b| (b != 0).then(|| a.wrapping_rem(b))),
            (B::ShiftLeft, |a, b| Some(a.wrapping_shl(b.cast_unsigned()))),
            (B::ShiftRight, |a, b| {
                Some(a.wrapping_shr(b.cast_unsigned()))
            }),
            (B::ShiftRightUnsigned, |a, b| {
                Some(
                    a.cast_unsigned()
                        .wrapping_shr(b.cast_unsigned())
                        .cast_signed(),
                )
            }),
            (B::And, |a, b| Some(a & b)),
            (B::Or, |a, b| Some(a | b)),
            (B::Xor, |a, b| Some(a ^ b)),
        ]
    };

    /// Returns every interval whose ends are two of the values.
    fn intervals() -> impl Iterator<Item = (usize, usize)> {
        let len = VALUES.len();
        (0..len).flat_map(move |from| (from..len).map(move |to| (from, to)))
    }

    fn interval((from, to): (usize, usize)) -> Interval {
        Interval::exactly(VALUES[from]).hull(Interval::exactly(VALUES[to]))
    }

    #[test]
    fn each_result_lies_in_the_interval() {
        for a in intervals() {
            for b in intervals() {
                for (operator, compute) in BINARY {
                    let result = interval(a).binary(operator, interval(b));
                    for x in &VALUES[a.0..=a.1] {
                        for y in &VALUES[b.0..=b.1] {
                            let Some(value) = compute(*x, *y) else {
                                continue;
                            };
                            let value = Interval::exactly(value);
                            assert!(value.is_within(result), "{x} {operator:?} {y}: {result:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn each_related_value_lies_in_the_interval() {
        use Comparison as C;
        type Holds = fn(&i32, &i32) -> bool;
        let comparisons: [(C, Holds); 6] = [
            (C::Equal, i32::eq),
            (C::NotEqual, i32::ne),
            (C::Less, i32::lt),
            (C::AtLeast, i32::ge),
            (C::Greater, i32::gt),
            (C::AtMost, i32::le),
        ];
        for place in intervals() {
            for (relation, holds) in comparisons {
                let related = Interval::related(relation, interval(place));
                for x in &VALUES {
                    let is_related = VALUES[place.0..=place.1].iter().any(|y| holds(x, y));
                    let is_within =
                        related.is_some_and(|related| Interval::exactly(*x).is_within(related));
                    assert!(is_within || !is_related, "{x} {relation:?} {place:?}");
                }
            }
        }
    }

    #[test]
    fn intervals_are_as_narrow_as_packet_code_needs() {
        let of = |least, most| Interval::new(least, most);
        // The tested intervals are those of `x & 0xff`, `(9216 + 4096 - 1) / n`, `x % 16` and `x >>> 4`.
        let and = Interval::INT.binary(BinaryOperator::And, Interval::exactly(0xff));
        assert_eq!(and, of(0, 255));
        let divided = of(0, 13_311).binary(BinaryOperator::Divide, of(0, 4_096));
        assert_eq!(divided, of(0, 13_311));
        let rest = Interval::INT.binary(BinaryOperator::Remainder, Interval::exactly(16));
        assert_eq!(rest, of(-15, 15));
        let shifted =
            Interval::INT.binary(BinaryOperator::ShiftRightUnsigned, Interval::exactly(4));
        assert_eq!(shifted, of(0, 0x0fff_ffff));
        assert_eq!(of(0, 200).unary(UnaryOperator::ToByte), Interval::BYTE);
        assert_eq!(Interval::INT.unary(UnaryOperator::Negate), Interval::INT);
    }
}
