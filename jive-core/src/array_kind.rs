//! Array types of the subset.

use core::fmt;

/// An array type of the subset, by its element type.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArrayKind {
    /// `boolean[]`. An element of a `boolean[]` takes one byte, of which only the lowest bit is significant.
    Boolean,
    /// `byte[]`.
    Byte,
    /// `short[]`.
    Short,
    /// `int[]`.
    Int,
}

impl ArrayKind {
    /// Every array kind, in declaration order.
    pub const ALL: [ArrayKind; 4] = [
        ArrayKind::Boolean,
        ArrayKind::Byte,
        ArrayKind::Short,
        ArrayKind::Int,
    ];

    /// Returns the array kind for a type code of `newarray` (JVMS table 6.5.newarray-A). Returns `None` for a type code
    /// whose element type is outside the subset.
    #[must_use]
    pub const fn from_newarray_code(code: u8) -> Option<ArrayKind> {
        match code {
            4 => Some(ArrayKind::Boolean),
            8 => Some(ArrayKind::Byte),
            9 => Some(ArrayKind::Short),
            10 => Some(ArrayKind::Int),
            _ => None,
        }
    }

    /// Returns the type code that `newarray` uses for this kind (JVMS table 6.5.newarray-A).
    #[must_use]
    pub const fn newarray_code(self) -> u8 {
        match self {
            ArrayKind::Boolean => 4,
            ArrayKind::Byte => 8,
            ArrayKind::Short => 9,
            ArrayKind::Int => 10,
        }
    }

    /// Returns the size of an element in memory, in bytes.
    #[must_use]
    pub const fn width(self) -> u8 {
        match self {
            ArrayKind::Boolean | ArrayKind::Byte => 1,
            ArrayKind::Short => 2,
            ArrayKind::Int => 4,
        }
    }

    /// Returns the elements of an array of this kind, given its bytes in the heap
    /// ([`Heap::bytes`](crate::Heap::bytes)), which are little-endian. Bytes after the last whole element are ignored.
    pub fn elements(self, bytes: &[u8]) -> impl Iterator<Item = i32> {
        let elements = bytes.chunks_exact(self.width().into());
        elements.map(move |element| match (self, element) {
            (ArrayKind::Boolean, &[byte]) => i32::from(byte & 1),
            (ArrayKind::Byte, &[byte]) => byte.cast_signed().into(),
            (ArrayKind::Short, &[low, high]) => i16::from_le_bytes([low, high]).into(),
            (ArrayKind::Int, &[a, b, c, d]) => i32::from_le_bytes([a, b, c, d]),
            // This case does not occur, because each chunk is as wide as an element.
            (ArrayKind::Boolean | ArrayKind::Byte | ArrayKind::Short | ArrayKind::Int, _) => 0,
        })
    }

    /// Returns the name of the element type, as Java spells it.
    #[must_use]
    pub const fn element_name(self) -> &'static str {
        match self {
            ArrayKind::Boolean => "boolean",
            ArrayKind::Byte => "byte",
            ArrayKind::Short => "short",
            ArrayKind::Int => "int",
        }
    }

    /// Returns the descriptor of the array type.
    #[must_use]
    pub const fn descriptor(self) -> &'static str {
        match self {
            ArrayKind::Boolean => "[Z",
            ArrayKind::Byte => "[B",
            ArrayKind::Short => "[S",
            ArrayKind::Int => "[I",
        }
    }
}

impl fmt::Display for ArrayKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[]", self.element_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::parse_field;

    #[test]
    fn array_kinds_agree_with_newarray_and_descriptors() {
        // By JVMS table 6.5.newarray-A, the type codes are 4 for boolean, 8 for byte, 9 for short and 10 for int.
        for code in 0..=u8::MAX {
            let kind = ArrayKind::from_newarray_code(code);
            assert_eq!(
                kind.map(ArrayKind::newarray_code),
                [4, 8, 9, 10].contains(&code).then_some(code)
            );
        }
        for kind in ArrayKind::ALL {
            let parsed = parse_field(kind.descriptor().as_bytes()).unwrap();
            assert_eq!(parsed.array_kind(), Some(kind));
        }
    }

    #[test]
    fn elements_are_little_endian_values_of_their_type() {
        let of = |kind: ArrayKind| kind.elements(&[0xff, 0x01, 0x00, 0x80, 0x02]);
        assert!(of(ArrayKind::Boolean).eq([1, 1, 0, 0, 0]));
        assert!(of(ArrayKind::Byte).eq([-1, 1, 0, -128, 2]));
        assert!(of(ArrayKind::Short).eq([0x01ff, -0x8000]));
        assert!(of(ArrayKind::Int).eq([-0x7fff_fe01]));
    }
}
