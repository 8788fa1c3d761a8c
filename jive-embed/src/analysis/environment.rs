//! What surrounds a class: the arguments and results that it can be given, and the time that it takes.

use std::fmt;
use std::ops::RangeInclusive;

use jive_core::Utf8;

/// A method that is called from outside.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name of the method.
    pub name: String,
    /// Descriptor of the method.
    pub descriptor: String,
    /// The values of each parameter.
    pub parameters: Vec<RangeInclusive<i32>>,
    /// Time of the call itself, in picoseconds.
    pub time_ps: u64,
}

/// A native.
pub struct Native {
    /// Name of the native.
    pub name: String,
    /// Values of its result.
    pub result: RangeInclusive<i32>,
    /// The place of an argument that is an array, counted from the last argument. If the array is shorter than the last
    /// argument says, the call traps.
    pub array_below_top: Option<usize>,
    /// Returns the native's time in picoseconds, without the call instruction, if its last argument is at most a number.
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

/// What a bound relies on beside the class file.
#[derive(Debug)]
pub struct Environment {
    /// The methods that are called from outside. `None` if every method may be called with any arguments.
    pub entries: Option<Vec<Entry>>,
    /// The natives.
    pub natives: Vec<Native>,
    /// Greatest length of an array of which nothing else is known.
    pub array_length_max: u32,
    /// The field that holds an array from outside, and the length of that array.
    pub packet: Option<(String, u32)>,
    /// Time of an instruction, in picoseconds.
    pub bytecode_ps: u64,
}

impl Environment {
    /// Returns the entry that is this method.
    pub(crate) fn entry(&self, name: Utf8<'_>, descriptor: Utf8<'_>) -> Option<&Entry> {
        let mut entries = self.entries.iter().flatten();
        entries.find(|entry| name == entry.name.as_str() && descriptor == entry.descriptor.as_str())
    }

    /// Returns the native with this name, and its position.
    pub(crate) fn native(&self, name: Utf8<'_>) -> Option<(usize, &Native)> {
        let mut natives = self.natives.iter().enumerate();
        natives.find(|(_, native)| name == native.name.as_str())
    }
}
