//! Fields of an applet that a scenario names, and their values.

use jive_core::{ArrayKind, ClassFile, Field};

/// The name and the descriptor of a field, which are those of one field only (JVMS §4.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldName {
    pub(crate) name: Vec<u8>,
    pub(crate) descriptor: Vec<u8>,
}

impl FieldName {
    /// Returns the field of a class that has this name and type.
    pub(crate) fn field_of<'c>(&self, class: &ClassFile<'c>) -> Option<Field<'c>> {
        class.fields().find(|field| {
            (field.name.as_bytes(), field.descriptor.as_bytes()) == (&*self.name, &*self.descriptor)
        })
    }
}

/// The type of a field for which a scenario may give a value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FieldKind {
    /// Whether the field is an array.
    pub is_array: bool,
    /// The field's type, or the type of the array's elements.
    pub element: ArrayKind,
}

/// A value for a field: each number fits the field's type, and a `boolean` is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// A number or a boolean.
    One(i32),
    /// The values of all elements of an array.
    Array(Vec<i32>),
}
