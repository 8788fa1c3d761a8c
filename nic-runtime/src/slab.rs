//! Slabs: values of one part of the simulation, which other parts hold by reference and pass on without knowing them.

use std::ops::Index;

use crate::ids::{Id, Table, ids};

/// Refers to what an interface has scheduled for a later time.
#[derive(Copy, Clone, Debug)]
pub(crate) struct DelayRef(pub(crate) u32);

/// Refers to an item for processors that only one interface can handle.
#[derive(Copy, Clone, Debug)]
pub(crate) struct JobRef(u32);

ids!(DelayRef, JobRef);

/// Values with references to them. An entry is used again when its value has been taken.
#[derive(Debug)]
pub(crate) struct Slab<K, T> {
    entries: Table<K, T>,
    vacant: Vec<K>,
}

impl<K: Id, T> Default for Slab<K, T> {
    fn default() -> Slab<K, T> {
        Slab {
            entries: Table::new(),
            vacant: Vec::new(),
        }
    }
}

impl<K: Id, T: Copy> Slab<K, T> {
    /// Adds a value, and returns the only reference to it.
    pub(crate) fn add(&mut self, value: T) -> K {
        match self.vacant.pop() {
            Some(place) => {
                self.entries[place] = value;
                place
            }
            None => self.entries.push(value),
        }
    }

    /// Takes a value. Its reference must not be used again.
    pub(crate) fn take(&mut self, place: K) -> T {
        self.vacant.push(place);
        self[place]
    }
}

impl<K: Id, T> Index<K> for Slab<K, T> {
    type Output = T;

    fn index(&self, place: K) -> &T {
        &self.entries[place]
    }
}
