//! Names of NIC, endpoint, class and methods, as displayed in events.

use core::fmt::{Display, Write};

use heapless::{String, Vec};
use jive_core::limits::METHODS_MAX;
use jive_core::{ClassFile, Cut, MethodId};
use nic_core::event::Names;
use nic_core::id::{EndpointId, NicId};

use crate::failure::Failure;

/// Name of the only NIC. As in the scenarios.
const NIC: &str = "nic";

/// Name of the only endpoint. As in the scenarios.
pub(crate) const ENDPOINT: &str = "client";

/// Total length of the names of a class and its methods, in bytes. Chosen: four times the total length of the names in
/// the shipped class with the longest names.
const TEXT_MAX: usize = 1024;

/// The names for a run.
pub(crate) struct NameTable {
    text: String<TEXT_MAX>,
    /// The offsets in `text` at which the class name and each method name end.
    ends: Vec<usize, { METHODS_MAX as usize + 1 }>,
}

impl NameTable {
    /// Stores the names of a class and its methods.
    pub(crate) fn new(class: &ClassFile<'_>) -> Result<NameTable, Failure> {
        let methods = class.methods().map(|method| method.name);
        let names = [class.name()].into_iter().chain(methods);
        NameTable::of(names.map(|name| (Cut(name), name.as_bytes().len())))
    }

    /// Stores the name of a printed class and those of its methods.
    #[cfg(feature = "compiled")]
    pub(crate) fn of_printed(class: &str, methods: &[&str]) -> Result<NameTable, Failure> {
        let names = [class].into_iter().chain(methods.iter().copied());
        NameTable::of(names.map(|name| (name, name.len())))
    }

    /// Stores names, given their lengths.
    fn of(names: impl Iterator<Item = (impl Display, usize)>) -> Result<NameTable, Failure> {
        let mut table = NameTable {
            text: String::new(),
            ends: Vec::new(),
        };
        for (name, length) in names {
            let noted = write!(table.text, "{name}").map_err(drop);
            let noted = noted.and_then(|()| table.ends.push(table.text.len()).map_err(drop));
            noted.map_err(|()| Failure::Room {
                what: "bytes of names",
                needed: table.text.len() + length,
                room: TEXT_MAX,
            })?;
        }
        Ok(table)
    }

    /// Returns the name of the class.
    pub(crate) fn class(&self) -> Option<&str> {
        self.name(0)
    }

    fn name(&self, index: usize) -> Option<&str> {
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(start..*self.ends.get(index)?)
    }
}

impl Names for NameTable {
    fn nic(&self, _: NicId) -> &str {
        NIC
    }

    fn endpoint(&self, _: EndpointId) -> &str {
        ENDPOINT
    }

    fn home(&self, _: EndpointId) -> NicId {
        NicId(0)
    }

    fn class(&self, _: EndpointId) -> Option<&str> {
        NameTable::class(self)
    }

    fn method(&self, _: EndpointId, method: MethodId) -> &str {
        self.name(method.index() + 1).unwrap_or("?")
    }
}
