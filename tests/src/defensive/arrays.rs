//! Arrays of the defensive interpreter as vectors of elements, with the contract's two lifetimes and the shipped heap's
//! addresses.

use jive_core::{ArrayKind, Lifetime, TrapKind};

use super::value::{ArrayRef, Value};

/// Size of an array's header in bytes; the length of an array is rounded up to a multiple of this number.
const UNIT: usize = 8;

#[derive(Clone, Debug)]
struct Array {
    serial: u64,
    kind: ArrayKind,
    /// The array's address in the shipped interpreter's heap.
    address: usize,
    elements: Vec<i32>,
}

/// All live arrays.
#[derive(Clone, Debug)]
pub(super) struct Arrays {
    alive: Vec<Array>,
    made: u64,
    /// Size of the heap, and the address of the next array.
    room: usize,
    top: usize,
    /// Number of live arrays, and the next address, at the start of the running per-call activation.
    call: Option<(usize, usize)>,
}

/// Why an element cannot be accessed.
pub(super) enum Refusal {
    Trap(TrapKind),
    Dangling,
}

impl Arrays {
    pub(super) fn new(room: usize) -> Arrays {
        Arrays {
            alive: Vec::new(),
            made: 0,
            room,
            top: UNIT,
            call: None,
        }
    }

    pub(super) fn make(&mut self, kind: ArrayKind, length: i32) -> Result<Value, TrapKind> {
        let length = usize::try_from(length).map_err(|_| TrapKind::NegativeArraySizeException)?;
        let data = (length * usize::from(kind.width())).next_multiple_of(UNIT);
        let end = self.top + UNIT + data;
        if end > self.room {
            return Err(TrapKind::OutOfMemoryError);
        }
        let reference = ArrayRef {
            place: self.alive.len(),
            serial: self.made,
            kind,
        };
        self.alive.push(Array {
            serial: self.made,
            kind,
            address: self.top,
            elements: vec![0; length],
        });
        self.made += 1;
        self.top = end;
        Ok(Value::Array(reference))
    }

    pub(super) fn begin(&mut self, lifetime: Lifetime) {
        self.call = (lifetime == Lifetime::PerCall).then_some((self.alive.len(), self.top));
    }

    pub(super) fn end(&mut self) {
        if let Some((count, top)) = self.call.take() {
            self.alive.truncate(count);
            self.top = top;
        }
    }

    /// Returns whether the array ends with the running call.
    pub(super) fn is_transient(&self, array: ArrayRef) -> bool {
        self.call.is_some_and(|(count, _)| array.place >= count)
    }

    fn get(&self, array: ArrayRef) -> Option<&Array> {
        self.alive
            .get(array.place)
            .filter(|found| found.serial == array.serial)
    }

    /// Returns the elements of an array, or `None` if the reference to it dangles.
    pub(super) fn elements(&self, array: ArrayRef) -> Option<&[i32]> {
        Some(&self.get(array)?.elements)
    }

    pub(super) fn elements_mut(&mut self, array: ArrayRef) -> Option<&mut [i32]> {
        self.alive
            .get_mut(array.place)
            .filter(|found| found.serial == array.serial)
            .map(|found| found.elements.as_mut_slice())
    }

    pub(super) fn element(&mut self, array: ArrayRef, index: i32) -> Result<&mut i32, Refusal> {
        let elements = self.elements_mut(array).ok_or(Refusal::Dangling)?;
        usize::try_from(index)
            .ok()
            .and_then(|index| elements.get_mut(index))
            .ok_or(Refusal::Trap(TrapKind::ArrayIndexOutOfBoundsException))
    }

    /// Returns the shipped interpreter's reference to an array, or `None` if `array` dangles.
    pub(super) fn address(&self, array: ArrayRef) -> Option<i32> {
        let address = self.get(array)?.address;
        Some(i32::try_from(address).expect("the room is far below 2^31 bytes"))
    }

    /// Returns whether the bytes of a heap are those of these arrays, in the layout that `jive_core::Heap` documents.
    pub(super) fn are(&self, contents: &[u8]) -> bool {
        let mut rest = contents;
        let mut take = |wanted: &[u8]| {
            let (found, behind) = rest.split_at_checked(wanted.len())?;
            rest = behind;
            (found == wanted).then_some(())
        };
        let mut all = || {
            for array in &self.alive {
                let length = u32::try_from(array.elements.len()).ok()?;
                take(&length.to_le_bytes())?;
                // In a `boolean[]`, the value of an element is the lowest bit of its byte.
                let bits = if array.kind == ArrayKind::Boolean {
                    1
                } else {
                    0xff
                };
                take(&[array.kind.newarray_code(), bits, 0, 0])?;
                let width = usize::from(array.kind.width());
                for element in &array.elements {
                    take(&element.to_le_bytes()[..width])?;
                }
                let bytes = array.elements.len() * width;
                take(&[0; UNIT][..bytes.next_multiple_of(UNIT) - bytes])?;
            }
            Some(())
        };
        all().is_some() && rest.is_empty()
    }
}
