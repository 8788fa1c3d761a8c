//! The arrays of the reference interpreter: vectors of elements, keyed by the addresses that the shipped heap would
//! use.

use std::collections::BTreeMap;

use jive_core::{ArrayKind, TrapKind};

/// Size of an array's header in bytes; the length of an array is rounded up to a multiple of this number
/// (`jive_core::Heap`).
const UNIT: usize = 8;

/// An array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Type of the array's elements.
    pub kind: ArrayKind,
    /// The array's elements, as `int` values.
    pub elements: Vec<i32>,
}

impl Array {
    /// Returns the bytes of the elements, in little-endian order.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let width = width(self.kind);
        let elements = self.elements.iter();
        elements
            .flat_map(|element| element.to_le_bytes().into_iter().take(width))
            .collect()
    }

    /// Sets every byte of every element.
    pub(super) fn fill(&mut self, byte: u8) {
        let all = i32::from_le_bytes([byte; 4]);
        self.elements.fill(match self.kind {
            ArrayKind::Boolean | ArrayKind::Byte => all << 24 >> 24,
            ArrayKind::Short => all << 16 >> 16,
            ArrayKind::Int => all,
        });
    }
}

/// All live arrays, by address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrays {
    alive: BTreeMap<i32, Array>,
    room: usize,
    top: usize,
    /// The first address of the running call's arrays, if they end with the call.
    floor: Option<usize>,
}

impl Arrays {
    /// Returns an empty heap of this many bytes.
    pub(super) fn new(room: usize) -> Arrays {
        Arrays {
            alive: BTreeMap::new(),
            room,
            // Address 0 is null, so start after it.
            top: UNIT,
            floor: None,
        }
    }

    /// Makes an array of zeros and returns its address.
    ///
    /// # Errors
    ///
    /// Returns the trap for a negative length or a full heap.
    pub fn make(&mut self, kind: ArrayKind, length: i32) -> Result<i32, TrapKind> {
        let length = usize::try_from(length).map_err(|_| TrapKind::NegativeArraySizeException)?;
        let end = self.top + UNIT + (length * width(kind)).next_multiple_of(UNIT);
        if end > self.room {
            return Err(TrapKind::OutOfMemoryError);
        }
        let address = i32::try_from(self.top).expect("the room is far below 2^31 bytes");
        let elements = vec![0; length];
        self.alive.insert(address, Array { kind, elements });
        self.top = end;
        Ok(address)
    }

    /// Returns an array.
    ///
    /// # Errors
    ///
    /// Returns `NullPointerException` for null, and `Unverified` if no array has this address.
    pub fn get(&mut self, address: i32) -> Result<&mut Array, TrapKind> {
        if address == 0 {
            return Err(TrapKind::NullPointerException);
        }
        self.alive.get_mut(&address).ok_or(TrapKind::Unverified)
    }

    /// Returns an element of an array with one of these types.
    pub(super) fn element(
        &mut self,
        address: i32,
        index: i32,
        kinds: &[ArrayKind],
    ) -> Result<(ArrayKind, &mut i32), TrapKind> {
        let array = self.get(address)?;
        if !kinds.contains(&array.kind) {
            return Err(TrapKind::Unverified);
        }
        let index = usize::try_from(index).ok();
        let element = index.and_then(|index| array.elements.get_mut(index));
        let element = element.ok_or(TrapKind::ArrayIndexOutOfBoundsException)?;
        Ok((array.kind, element))
    }

    /// Begins a call; if `are_transient`, the arrays that the call makes end with it.
    pub(super) fn begin(&mut self, are_transient: bool) {
        self.floor = are_transient.then_some(self.top);
    }

    /// Ends the running call and its transient arrays.
    pub(super) fn end(&mut self) {
        if let Some(floor) = self.floor.take() {
            self.alive.retain(|address, _| !lies_from(floor, *address));
            self.top = floor;
        }
    }

    /// Returns whether the array at this address ends with the running call.
    pub(super) fn is_transient(&self, address: i32) -> bool {
        self.floor.is_some_and(|floor| lies_from(floor, address))
    }

    /// Returns the number of bytes in use.
    pub(super) fn used(&self) -> usize {
        self.top - UNIT
    }

    /// Returns all arrays with their addresses.
    pub(super) fn iter(&self) -> impl Iterator<Item = (i32, &Array)> {
        self.alive.iter().map(|(address, array)| (*address, array))
    }
}

fn lies_from(floor: usize, address: i32) -> bool {
    usize::try_from(address).is_ok_and(|address| address >= floor)
}

/// Returns the size of an element in bytes.
fn width(kind: ArrayKind) -> usize {
    match kind {
        ArrayKind::Boolean | ArrayKind::Byte => 1,
        ArrayKind::Short => 2,
        ArrayKind::Int => 4,
    }
}
