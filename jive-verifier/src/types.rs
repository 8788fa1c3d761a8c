//! Verification types and their lattice (JVMS §4.10.2.2, reduced to the subset).

use core::fmt;

/// The bit of every initialised reference, including `null`.
const REFERENCE: u8 = 0b0000_0100;
/// The bits for the objects that a reference may point to. No bit for an object is set in the type of `null`.
const POINTEES: u8 = 0b1111_1000;

/// The type of a value in a local variable or on the operand stack.
///
/// The types form a lattice of height four:
///
/// ```text
///                            Top
///            ________________/|\____________________
///           /                 |                     \
///         Int           AnyReference        UninitializedThis
///                  ____/  /   |   \  \____
///                 /      /    |    \      \
///         ByteArray ShortArray IntArray BooleanArray This
///                 \____  \    |    /  ____/
///                      \__\___|___/__/
///                            Null
/// ```
///
/// A least element of the lattice would mean "unreached", but no type state stores such an element. An unreached state
/// is marked as a whole, without an element of the lattice.
///
/// A type is a set of alternatives for a value, with a bit for each alternative, so a merge of types is a bitwise or.
/// An additional rule of the merge turns sets that are too mixed to use into `AnyReference` or `Top`. Whole type states
/// merge as byte slices, which matters because hostile classes can force many merges.
///
/// There are no types for `long`, `float`, `double`, `char` and other classes: the static constraints reject
/// instructions that would create such values.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum VerificationType {
    /// An `int`, or a type that the JVM represents as `int`: `byte`, `short`, `boolean`.
    Int = 0b0000_0001,
    /// The receiver of a constructor before the call of `Object.<init>` (JVMS §4.10.2.4).
    UninitializedThis = 0b0000_0010,
    /// The null reference. The type of null is assignable to every initialised reference type.
    Null = REFERENCE,
    /// A `byte[]` or null.
    ByteArray = REFERENCE | 0b0000_1000,
    /// A `short[]` or null.
    ShortArray = REFERENCE | 0b0001_0000,
    /// An `int[]` or null.
    IntArray = REFERENCE | 0b0010_0000,
    /// A `boolean[]` or null.
    BooleanArray = REFERENCE | 0b0100_0000,
    /// The instance of the class, initialised, or null.
    This = REFERENCE | 0b1000_0000,
    /// A reference that has different types on different paths. Code may move a value of type `AnyReference`, compare
    /// it and test it for null, but nothing else.
    AnyReference = REFERENCE | POINTEES,
    /// The type of an unusable value: never written, or of incompatible types on different paths.
    Top = 0xff,
}

impl VerificationType {
    /// Every type.
    pub const ALL: [VerificationType; 10] = [
        VerificationType::Int,
        VerificationType::UninitializedThis,
        VerificationType::Null,
        VerificationType::ByteArray,
        VerificationType::ShortArray,
        VerificationType::IntArray,
        VerificationType::BooleanArray,
        VerificationType::This,
        VerificationType::AnyReference,
        VerificationType::Top,
    ];

    /// Returns the type with these bits, or `Top` for bits that are not those of a type.
    pub(crate) const fn from_bits(bits: u8) -> VerificationType {
        // The match has an arm for each type, which the compiler turns into a membership test.
        match bits {
            0b0000_0001 => VerificationType::Int,
            0b0000_0010 => VerificationType::UninitializedThis,
            0b0000_0100 => VerificationType::Null,
            0b0000_1100 => VerificationType::ByteArray,
            0b0001_0100 => VerificationType::ShortArray,
            0b0010_0100 => VerificationType::IntArray,
            0b0100_0100 => VerificationType::BooleanArray,
            0b1000_0100 => VerificationType::This,
            0b1111_1100 => VerificationType::AnyReference,
            _ => VerificationType::Top,
        }
    }

    /// Returns the bits of the type, as used in a stored state.
    pub(crate) const fn bits(self) -> u8 {
        // The cast to a `u8` is lossless: with `repr(u8)`, the discriminants are the bits.
        self as u8
    }

    /// Returns the least type that both types are assignable to, which is the type of a value where two paths meet.
    ///
    /// The merge of types is commutative, associative and idempotent, and monotone in both arguments. The merge of null
    /// with an initialised reference gives that reference type. The merge of two different reference types gives
    /// [`AnyReference`](Self::AnyReference). The merge of any other two different types, such as uninitialised and
    /// initialised `this`, gives [`Top`](Self::Top).
    #[must_use]
    pub const fn merge(self, other: VerificationType) -> VerificationType {
        VerificationType::from_bits(merge_bits(self.bits(), other.bits()))
    }

    /// Returns whether a value of this type is permitted where `target` is required.
    ///
    /// Assignability is the order of the lattice: `a.is_assignable_to(b)` exactly if `a.merge(b) == b`.
    #[must_use]
    pub const fn is_assignable_to(self, target: VerificationType) -> bool {
        target.covers(self.bits())
    }

    /// Returns whether a value whose type has these bits can be used as this type. `covers` returns true if all
    /// alternatives of the value are alternatives of this type.
    pub(crate) const fn covers(self, bits: u8) -> bool {
        bits & !self.bits() == 0
    }

    /// Returns whether this is an initialised reference type, including null.
    #[must_use]
    pub const fn is_reference(self) -> bool {
        self.is_assignable_to(VerificationType::AnyReference)
    }

    /// Returns whether this is an array type with known element type, or null.
    #[must_use]
    pub const fn is_array(self) -> bool {
        match self {
            VerificationType::Null
            | VerificationType::ByteArray
            | VerificationType::ShortArray
            | VerificationType::IntArray
            | VerificationType::BooleanArray => true,
            VerificationType::Int
            | VerificationType::UninitializedThis
            | VerificationType::This
            | VerificationType::AnyReference
            | VerificationType::Top => false,
        }
    }
}

/// Merges two types, given as bits. The merge has no branches, so that the compiler vectorises the merge of whole
/// states.
const fn merge_bits(left: u8, right: u8) -> u8 {
    let both = left | right;
    let pointees = both & POINTEES;
    // `x & (x - 1)` is not zero exactly if more than one bit is set, which means that the alternatives differ.
    let mixed_pointees = pointees & pointees.wrapping_sub(1) != 0;
    let references = if mixed_pointees {
        both | POINTEES
    } else {
        both
    };
    let kinds = both & !POINTEES;
    let mixed_kinds = kinds & kinds.wrapping_sub(1) != 0;
    if mixed_kinds { 0xff } else { references }
}

/// Merges the types in `incoming` into those in `state`, one by one. Returns whether `state` changed.
///
/// Both slices consist of bits of types, and the excess of the longer slice is ignored.
pub(crate) fn merge_all(state: &mut [u8], incoming: &[u8]) -> bool {
    let mut changed = 0;
    for (old, new) in state.iter_mut().zip(incoming) {
        let merged = merge_bits(*old, *new);
        changed |= *old ^ merged;
        *old = merged;
    }
    changed != 0
}

/// Returns whether a merge would give `Top` at any index. On an operand stack, a merged type `Top` is an error.
pub(crate) fn types_clash(left: &[u8], right: &[u8]) -> bool {
    // The comparison has no early exit, so that the compiler vectorises it.
    left.iter().zip(right).fold(false, |clash, (left, right)| {
        clash | (merge_bits(*left, *right) == VerificationType::Top.bits())
    })
}

impl fmt::Display for VerificationType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            VerificationType::Int => "`int`",
            VerificationType::UninitializedThis => "`this` before `Object.<init>`",
            VerificationType::Null => "`null`",
            VerificationType::ByteArray => "`byte[]`",
            VerificationType::ShortArray => "`short[]`",
            VerificationType::IntArray => "`int[]`",
            VerificationType::BooleanArray => "`boolean[]`",
            VerificationType::This => "`this`",
            VerificationType::AnyReference => "a reference of mixed types",
            VerificationType::Top => "no usable value",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::VerificationType::{
        AnyReference, BooleanArray, ByteArray, Int, IntArray, Null, ShortArray, This, Top,
        UninitializedThis,
    };
    use super::*;

    const ALL: [VerificationType; 10] = VerificationType::ALL;

    #[test]
    fn bits_and_types_agree_for_all_256_bytes() {
        for bits in 0..=u8::MAX {
            let known = ALL.into_iter().find(|kind| kind.bits() == bits);
            assert_eq!(VerificationType::from_bits(bits), known.unwrap_or(Top));
        }
    }

    #[test]
    fn merge_is_commutative_associative_and_idempotent() {
        for a in ALL {
            assert_eq!(a.merge(a), a);
            for b in ALL {
                assert_eq!(a.merge(b), b.merge(a), "{a:?} {b:?}");
                for c in ALL {
                    assert_eq!(
                        a.merge(b).merge(c),
                        a.merge(b.merge(c)),
                        "{a:?} {b:?} {c:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn merge_is_monotone_and_the_least_upper_bound() {
        for a in ALL {
            for b in ALL {
                assert!(a.is_assignable_to(a.merge(b)));
                for c in ALL {
                    if a.is_assignable_to(b) {
                        assert!(a.merge(c).is_assignable_to(b.merge(c)), "{a:?} {b:?} {c:?}");
                    }
                    if a.is_assignable_to(c) && b.is_assignable_to(c) {
                        assert!(a.merge(b).is_assignable_to(c), "{a:?} {b:?} {c:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn assignability_matches_the_documented_lattice() {
        // The table lists all types above each type, as in the lattice in the documentation of `VerificationType`.
        let above: [(VerificationType, &[VerificationType]); 10] = [
            (Int, &[Top]),
            (UninitializedThis, &[Top]),
            (
                Null,
                &[
                    ByteArray,
                    ShortArray,
                    IntArray,
                    BooleanArray,
                    This,
                    AnyReference,
                    Top,
                ],
            ),
            (ByteArray, &[AnyReference, Top]),
            (ShortArray, &[AnyReference, Top]),
            (IntArray, &[AnyReference, Top]),
            (BooleanArray, &[AnyReference, Top]),
            (This, &[AnyReference, Top]),
            (AnyReference, &[Top]),
            (Top, &[]),
        ];
        for (lower, uppers) in above {
            for upper in ALL {
                let expected = lower == upper || uppers.contains(&upper);
                assert_eq!(
                    lower.is_assignable_to(upper),
                    expected,
                    "{lower:?} {upper:?}"
                );
            }
        }
    }

    #[test]
    fn references_and_arrays_match_the_documented_lattice() {
        let arrays = [Null, ByteArray, ShortArray, IntArray, BooleanArray];
        for kind in ALL {
            let is_array = arrays.contains(&kind);
            assert_eq!(kind.is_array(), is_array, "{kind:?}");
            let is_reference = is_array || matches!(kind, This | AnyReference);
            assert_eq!(kind.is_reference(), is_reference, "{kind:?}");
        }
    }

    #[test]
    fn states_merge_type_by_type_and_report_changes() {
        for a in ALL {
            for b in ALL {
                let mut state = [Int.bits(), a.bits(), Null.bits()];
                let changed = merge_all(&mut state, &[Int.bits(), b.bits(), Null.bits()]);
                assert_eq!(state, [Int.bits(), a.merge(b).bits(), Null.bits()]);
                assert_eq!(changed, a.merge(b) != a, "{a:?} {b:?}");
            }
        }
    }
}
