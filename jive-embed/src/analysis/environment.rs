//! What surrounds a class: the arguments and results that it can be given, and the time that its instructions and calls
//! take.

use std::fmt;
use std::ops::RangeInclusive;

use jive_core::{ClassFile, FieldId, Utf8};

/// A method that is called from outside the class.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name of the method.
    pub name: String,
    /// Descriptor of the method.
    pub descriptor: String,
    /// The values that callers outside the class pass for each parameter.
    pub parameters: Vec<RangeInclusive<i32>>,
    /// Time that the call of the entry itself takes, in picoseconds.
    pub time_ps: u64,
}

/// A native.
pub struct Native {
    /// Name of the native.
    pub name: String,
    /// Values of its result.
    pub result: RangeInclusive<i32>,
    /// The place of the native's array argument, counted from its last argument. If that array is shorter than the
    /// value of the native's last argument, the call traps.
    pub array_below_top: Option<usize>,
    /// Returns the greatest time of the native in picoseconds, without the call instruction, for last arguments up to
    /// the given number.
    pub time_ps: Box<dyn Fn(u32) -> u64>,
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Native")
            .field("name", &self.name)
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

/// The facts beside the class file on which a bound relies.
#[derive(Debug)]
pub struct Environment {
    /// The methods that are called from outside the class, or `None` if every method may be called with any arguments.
    pub entries: Option<Vec<Entry>>,
    /// The natives.
    pub natives: Vec<Native>,
    /// Greatest length that is assumed of an array whose length is otherwise unknown.
    pub array_length_max: u32,
    /// The name of the field that holds an array from outside the class, and the length of that array.
    pub packet: Option<(String, u32)>,
    /// Time that each bytecode instruction takes, in picoseconds.
    pub bytecode_ps: u64,
    /// The fields to which not only the class itself stores.
    pub foreign: ForeignFields,
    /// Bytes of the heap, if they are known.
    pub heap_bytes: Option<u32>,
    /// Whether arrays live on after the call that made them. Otherwise a call that stores one in a field traps.
    pub keeps_arrays: bool,
}

/// The fields of a class to which not only the class itself stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForeignFields {
    /// Only the class itself stores to its fields.
    None,
    /// Someone stores to these fields before the first call.
    Listed(Vec<FieldId>),
    /// Fields may keep what other classes have stored: all fields but constants and the field that holds the packet.
    /// Fields that hold arrays may refer to the same array.
    Kept,
}

impl Environment {
    /// Returns whether not only the class itself stores to a field.
    pub(crate) fn is_foreign(&self, class: &ClassFile<'_>, id: FieldId) -> bool {
        match &self.foreign {
            ForeignFields::None => false,
            ForeignFields::Listed(fields) => fields.contains(&id),
            ForeignFields::Kept => class.field(id).is_none_or(|field| {
                let packet = self.packet.as_ref();
                let is_packet = field.descriptor == "[B"
                    && packet.is_some_and(|(name, _)| field.name == name.as_str());
                !is_packet && !field.is_constant()
            }),
        }
    }

    /// Returns the entry with this method name and descriptor.
    pub(crate) fn entry(&self, name: Utf8<'_>, descriptor: Utf8<'_>) -> Option<&Entry> {
        let mut entries = self.entries.iter().flatten();
        entries.find(|entry| name == entry.name.as_str() && descriptor == entry.descriptor.as_str())
    }

    /// Returns the native with this name, and the native's position in the list of natives.
    pub(crate) fn native(&self, name: Utf8<'_>) -> Option<(usize, &Native)> {
        let mut natives = self.natives.iter().enumerate();
        natives.find(|(_, native)| name == native.name.as_str())
    }
}
