//! Carries the state of a replaced applet over to the class that replaces it: fields and arrays.
//!
//! A field is carried over if the replaced class has a field of the same name and descriptor. Whether the field in
//! either class is static does not matter, since an applet has one instance. Two kinds of fields are never carried
//! over:
//!
//! - `RxBuf`, which the runtime sets
//! - constants (`static final` with a `ConstantValue`), because compilers have copied their values into the code
//!
//! Arrays of an applet are reachable only through fields, because no call of the applet runs. The heap of the new
//! applet is therefore rebuilt: it holds `RxBuf` and each array that a field refers to. An array to which several
//! fields refer stays one array. Arrays that the initializers allocated for carried-over fields are not copied.
//!
//! A class has few fields, so a search among the fields before finds an array that was copied already. No map is needed,
//! and a device without an allocator carries state over too.

use heapless::Vec;
use jive_core::limits::FIELDS_MAX;
use jive_core::{Field, FieldId, Heap, ValueKind};

use super::Applet;

/// The heap of the new applet has no room for all arrays, or the memory aside has none.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct HeapFull;

/// The source of the value of a field of the new class.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Source {
    /// The runtime sets the field.
    RxBuf,
    /// The initializers of the new class have set the field.
    Initialized,
    /// The value comes from this field of the replaced class.
    Carried(FieldId),
}

/// Something about each field of a class.
type OfFields<T> = Vec<T, { FIELDS_MAX as usize }>;

/// Moves the state of `old` into `new`, whose initializers have returned. Returns the number of fields that were
/// carried over. Meanwhile `aside` holds the arrays that `new` keeps; as many bytes as the heap of `new` has in use, and
/// [`ARRAY_ALIGNMENT`](jive_core::limits::ARRAY_ALIGNMENT) more, are enough.
///
/// # Errors
///
/// Returns [`HeapFull`] if the arrays do not fit in the new heap. After a [`HeapFull`] error, the caller must not use
/// `new`; `old` has not changed.
pub fn carry(old: &Applet<'_>, new: &mut Applet<'_>, aside: &mut [u8]) -> Result<u32, HeapFull> {
    let into = new.rx_buf_array();
    let mut fields: OfFields<Moved> = OfFields::new();
    for (field, linked) in new.class.class.fields().zip(new.class.program.fields()) {
        let source = source(old, new, field);
        let moved = Moved {
            is_reference: linked.kind == ValueKind::Reference,
            value: match source {
                Source::Carried(from) => old.instance.field(from),
                Source::Initialized => new.instance.field(field.id),
                Source::RxBuf => into,
            },
            source,
            aside: 0,
        };
        fields.push(moved).map_err(|_| HeapFull)?;
    }
    // Freeing the arrays of `new` makes room for those of `old`, so copies of the arrays that `new` keeps are put
    // aside.
    let mut aside = Heap::new(aside);
    for index in 0..fields.len() {
        let (before, rest) = fields.split_at_mut(index);
        let Some(field) = rest.first_mut() else { break };
        if field.is_reference && field.source == Source::Initialized && field.value != into {
            field.aside = match field.same_array(before) {
                Some((_, same)) => same.aside,
                None => copied(new.instance.heap(), field.value, &mut aside)?,
            };
        }
    }
    new.free_arrays();
    if let Some(bytes) = new.instance.heap_mut().bytes_mut(into) {
        let from = old.rx_buf();
        let both = bytes.len().min(from.len());
        bytes[..both].copy_from_slice(&from[..both]);
    }
    for (index, (field, id)) in fields.iter().zip((0u16..).map(FieldId)).enumerate() {
        let before = &fields[..index];
        let value = match (field.source, field.is_reference) {
            (Source::RxBuf, _) => into,
            (Source::Initialized | Source::Carried(_), false) => field.value,
            (Source::Initialized, true) if field.value == into => into,
            (Source::Carried(_), true) if field.value == old.rx_buf_array() => into,
            (Source::Initialized | Source::Carried(_), true) => match field.same_array(before) {
                Some((same, _)) => new.instance.field(same),
                None => {
                    let (from, reference) = match field.source {
                        Source::Carried(_) => (old.instance.heap(), field.value),
                        Source::Initialized | Source::RxBuf => (&aside, field.aside),
                    };
                    copied(from, reference, new.instance.heap_mut())?
                }
            },
        };
        new.instance.set_field(id, value);
    }
    let is_carried = |field: &&Moved| matches!(field.source, Source::Carried(_));
    // A class has at most 128 fields.
    Ok(fields.iter().filter(is_carried).count() as u32)
}

/// A field of the new class, and where its value comes from.
#[derive(Copy, Clone, Debug)]
struct Moved {
    source: Source,
    is_reference: bool,
    /// The value in the heap that it comes from.
    value: i32,
    /// For a reference that the initializers have set: the copy of its array in the memory aside.
    aside: i32,
}

impl Moved {
    /// Returns the first of the fields before this one that has a reference to the same array.
    fn same_array<'f>(&self, before: &'f [Moved]) -> Option<(FieldId, &'f Moved)> {
        let is_carried = |field: &Moved| matches!(field.source, Source::Carried(_));
        let mut numbered = (0u16..).map(FieldId).zip(before);
        numbered.find(|(_, field)| {
            field.is_reference
                && field.source != Source::RxBuf
                && is_carried(field) == is_carried(self)
                && field.value == self.value
        })
    }
}

/// Copies an array from one heap to another, and returns its reference there. Null and the reference to the applet
/// itself do not change.
fn copied(from: &Heap<'_>, reference: i32, to: &mut Heap<'_>) -> Result<i32, HeapFull> {
    let Some(array) = from.array(reference) else {
        return Ok(reference);
    };
    // The cast is lossless, because the array's length was given as an `int`.
    let copy = to.allocate(array.kind, array.length.cast_signed());
    let copy = copy.map_err(|_| HeapFull)?;
    if let (Some(place), Some(bytes)) = (to.bytes_mut(copy), from.bytes(reference)) {
        place.copy_from_slice(bytes);
    }
    Ok(copy)
}

/// Returns the source of a field of `new`.
fn source(old: &Applet<'_>, new: &Applet<'_>, field: Field<'_>) -> Source {
    if Some(field.id) == new.members.rx_buf.get() {
        return Source::RxBuf;
    }
    let same = old.class.class.fields().find(|known| {
        known.name.as_bytes() == field.name.as_bytes()
            && known.descriptor.as_bytes() == field.descriptor.as_bytes()
    });
    match same {
        Some(known)
            if Some(known.id) != old.members.rx_buf.get()
                && !known.is_constant()
                && !field.is_constant() =>
        {
            Source::Carried(known.id)
        }
        Some(_) | None => Source::Initialized,
    }
}
