//! The verification types and the lattice that their merge makes (JVMS §4.10.2.2, cut down to the subset).

use core::fmt;

/// Set in every initialised reference, `null` included.
const REFERENCE: u8 = 0b0000_0100;
/// One bit for each thing that a reference may point to; `null` points to none of them.
const POINTEES: u8 = 0b1111_1000;

/// What the verifier knows of one value in a local variable or on the operand stack.
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
/// Its least element would be "no value at all", which never has to be stored: a state that nothing
/// has reached is not there yet.
///
/// Each type is the set of what a value may be, one bit an alternative. So merging is a bitwise or, followed by one
/// rule for sets that are too mixed to use. Whole states merge as byte slices that way, which is what a hostile class
/// makes the verifier do most.
///
/// The verifier's states hold no `long`, `float`, `double`, `char` or foreign class: instructions
/// that would make one are refused before.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum VerificationType {
    /// An `int`, and all that the JVM computes as one: `byte`, `short`, `boolean`.
    Int = 0b0000_0001,
    /// The receiver of a constructor that has not called `Object.<init>` yet (JVMS §4.10.2.4).
    UninitializedThis = 0b0000_0010,
    /// The null reference, assignable to every initialised reference type.
    Null = REFERENCE,
    /// A `byte[]` or null.
    ByteArray = REFERENCE | 0b0000_1000,
    /// A `short[]` or null.
    ShortArray = REFERENCE | 0b0001_0000,
    /// An `int[]` or null.
    IntArray = REFERENCE | 0b0010_0000,
    /// A `boolean[]` or null.
    BooleanArray = REFERENCE | 0b0100_0000,
    /// The one instance of the class, initialised, or null.
    This = REFERENCE | 0b1000_0000,
    /// A reference of which one path says one type and another path another: it may be moved,
    /// compared and tested for null, and nothing else.
    AnyReference = REFERENCE | POINTEES,
    /// Nothing usable: never written, or of different kinds on different paths.
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

    /// Returns the type that these bits stand for; bits that stand for none are nothing usable.
    pub(crate) const fn from_bits(bits: u8) -> VerificationType {
        // One arm a type: the compiler folds them into a test for membership.
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

    /// Returns the bits that stand for the type in a stored state.
    pub(crate) const fn bits(self) -> u8 {
        // The discriminants are the bits themselves, by `repr(u8)`.
        self as u8
    }

    /// Returns the least type to which both are assignable: what is still known where two paths meet.
    ///
    /// Commutative, associative and idempotent, and monotone in both arguments. Null with any
    /// initialised reference keeps the reference; two different references leave
    /// [`AnyReference`](Self::AnyReference); everything else leaves [`Top`](Self::Top),
    /// uninitialised with initialised `this` too.
    #[must_use]
    pub const fn merge(self, other: VerificationType) -> VerificationType {
        VerificationType::from_bits(merge_bits(self.bits(), other.bits()))
    }

    /// Whether a value of this type may stand where `target` is asked for.
    ///
    /// This is the order of the lattice: `a.is_assignable_to(b)` exactly when `a.merge(b) == b`.
    #[must_use]
    pub const fn is_assignable_to(self, target: VerificationType) -> bool {
        target.covers(self.bits())
    }

    /// Returns whether a value of the type with these bits may be used as this type: whether its alternatives are among
    /// those of this type.
    pub(crate) const fn covers(self, bits: u8) -> bool {
        bits & !self.bits() == 0
    }

    /// Whether this is an initialised reference, null included.
    #[must_use]
    pub const fn is_reference(self) -> bool {
        self.is_assignable_to(VerificationType::AnyReference)
    }

    /// Whether this is an array of one known element type, or null.
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

/// Merges two types given as bits, without a branch, so that whole states merge in vector registers.
const fn merge_bits(left: u8, right: u8) -> u8 {
    let both = left | right;
    let pointees = both & POINTEES;
    // More than one bit of a group set: the alternatives have nothing in common but the group.
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

/// Merges `incoming` into `state`, type by type, and returns whether `state` changed.
///
/// Both hold bits of types; where one is longer its rest is left alone.
pub(crate) fn merge_all(state: &mut [u8], incoming: &[u8]) -> bool {
    let mut changed = 0;
    for (old, new) in state.iter_mut().zip(incoming) {
        let merged = merge_bits(*old, *new);
        changed |= *old ^ merged;
        *old = merged;
    }
    changed != 0
}

/// Whether merging would leave nothing usable in any place, which on an operand stack is an error.
pub(crate) fn types_clash(left: &[u8], right: &[u8]) -> bool {
    // Folded without leaving early, which lets whole registers be compared.
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
    fn assignability_is_the_order_of_the_drawing() {
        // Read off the drawing in the type's documentation: what lies directly above each type.
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
    fn references_and_arrays_are_those_of_the_drawing() {
        let arrays = [Null, ByteArray, ShortArray, IntArray, BooleanArray];
        for kind in ALL {
            let is_array = arrays.contains(&kind);
            assert_eq!(kind.is_array(), is_array, "{kind:?}");
            let is_reference = is_array || matches!(kind, This | AnyReference);
            assert_eq!(kind.is_reference(), is_reference, "{kind:?}");
        }
    }

    #[test]
    fn states_merge_type_by_type_and_tell_of_change() {
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
