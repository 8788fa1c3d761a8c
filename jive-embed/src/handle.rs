//! Handles of methods and fields: looked up once in a class, and then used with any of its instances.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::Mutex;

use jive_core::{ArrayKind, FieldId, FieldType, MethodDescriptor, MethodId};

/// The number of a loaded class, by which a handle knows its class. No two classes of a process have the same.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClassNumber(u64);

impl ClassNumber {
    pub(crate) fn next() -> ClassNumber {
        static NEXT: Mutex<u64> = Mutex::new(0);
        // Nothing panics while it holds the lock.
        let mut next = NEXT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *next += 1;
        ClassNumber(*next)
    }
}

/// A method of a loaded class.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Method {
    pub(crate) class: ClassNumber,
    pub(crate) id: MethodId,
}

/// A field of a loaded class, whose type in Java is that of `T`: `i32`, `i16`, `i8` or `bool`, or a slice of these for
/// an array.
pub struct Field<T: ?Sized> {
    pub(crate) class: ClassNumber,
    pub(crate) id: FieldId,
    pub(crate) is_static: bool,
    kind: PhantomData<fn(&T)>,
}

impl<T: ?Sized> Field<T> {
    pub(crate) const fn new(class: ClassNumber, id: FieldId, is_static: bool) -> Self {
        Field {
            class,
            id,
            is_static,
            kind: PhantomData,
        }
    }
}

// Derived, these would ask the same of `T`.
impl<T: ?Sized> Copy for Field<T> {}

impl<T: ?Sized> Clone for Field<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> PartialEq for Field<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.class, self.id) == (other.class, other.id)
    }
}

impl<T: ?Sized> Eq for Field<T> {}

impl<T: ?Sized> Hash for Field<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.class, self.id).hash(state);
    }
}

impl<T: ?Sized> fmt::Debug for Field<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Field { class, id, .. } = self;
        f.debug_tuple("Field").field(class).field(id).finish()
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The Rust type of a field: `i32`, `i16`, `i8` or `bool`, or a slice of these.
pub trait FieldKind: sealed::Sealed {
    /// The field descriptor (JVMS §4.3.2).
    const DESCRIPTOR: &'static str;
}

/// A value of a field, or an element of an array.
pub trait Scalar: FieldKind + Copy {
    /// The kind of an array of such elements.
    const ARRAY: ArrayKind;

    /// Converts the value to an `int`, as the JVM does.
    fn to_int(self) -> i32;

    /// Converts an `int` that holds a value of this type.
    fn from_int(value: i32) -> Self;
}

macro_rules! scalars {
    ($($Type:ty: $descriptor:literal, $Kind:ident, $value:ident => $from_int:expr;)+) => {$(
        impl sealed::Sealed for $Type {}

        impl FieldKind for $Type {
            const DESCRIPTOR: &'static str = $descriptor;
        }

        impl sealed::Sealed for [$Type] {}

        impl FieldKind for [$Type] {
            const DESCRIPTOR: &'static str = concat!("[", $descriptor);
        }

        impl Scalar for $Type {
            const ARRAY: ArrayKind = ArrayKind::$Kind;

            fn to_int(self) -> i32 {
                self.into()
            }

            fn from_int($value: i32) -> Self {
                $from_int
            }
        }
    )+};
}

// The casts take the low bits, as the JVM narrows.
scalars! {
    i32: "I", Int, value => value;
    i16: "S", Short, value => value as i16;
    i8: "B", Byte, value => value as i8;
    bool: "Z", Boolean, value => value & 1 != 0;
}

/// Writes elements as an array of a heap stores them.
pub(crate) fn to_bytes<T: Scalar>(elements: &[T]) -> Vec<u8> {
    let width = usize::from(T::ARRAY.width());
    let bytes = elements
        .iter()
        .map(|element| element.to_int().to_le_bytes());
    bytes
        .flat_map(|bytes| bytes.into_iter().take(width))
        .collect()
}

/// Reads elements as an array of a heap stores them.
pub(crate) fn from_bytes<T: Scalar>(bytes: &[u8]) -> Vec<T> {
    let width = usize::from(T::ARRAY.width());
    let elements = bytes.chunks_exact(width).map(|element| {
        let mut whole = [0; 4];
        whole[..width].copy_from_slice(element);
        T::from_int(i32::from_le_bytes(whole))
    });
    elements.collect()
}

/// The type of a parameter or of a result, as far as calls distinguish types.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Object,
    Array(ArrayKind),
}

impl Kind {
    fn of(kind: FieldType<'_>) -> Kind {
        match (kind, kind.array_kind()) {
            (FieldType::Object(_), _) => Kind::Object,
            (_, Some(array)) => Kind::Array(array),
            (_, None) => Kind::Int,
        }
    }
}

/// The types of a method's parameters and result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signature {
    pub(crate) parameters: Box<[Kind]>,
    pub(crate) result: Option<Kind>,
}

impl Signature {
    /// Reads a descriptor, which the verifier has accepted.
    pub(crate) fn of(descriptor: &[u8]) -> Signature {
        let Ok(descriptor) = MethodDescriptor::parse(descriptor) else {
            return Signature::default();
        };
        Signature {
            parameters: descriptor.parameters().map(Kind::of).collect(),
            result: descriptor.result().map(Kind::of),
        }
    }
}
