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

use std::collections::BTreeMap;

use jive_core::{ArrayKind, Field, FieldId, Heap, ValueKind};
use nic_core::sle::Applet;

/// The heap of the new applet has no room for all arrays.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeapFull;

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

/// Moves the state of `old` into `new`, whose initializers have returned. Returns the number of fields that were
/// carried over.
///
/// # Errors
///
/// Returns [`HeapFull`] if the arrays do not fit in the new heap. After a [`HeapFull`] error, the caller must not use
/// `new`; `old` has not changed.
pub(crate) fn carry(old: &Applet<'_>, new: &mut Applet<'_>) -> Result<u32, HeapFull> {
    let sources = sources(old, new);
    // Freeing the arrays of `new` makes room for those of `old`, so copies of the arrays that `new` keeps are put
    // aside.
    let initialized: Vec<i32> = new.instance.fields().to_vec();
    let mut own = BTreeMap::new();
    for (&value, source) in initialized.iter().zip(&sources) {
        if *source == Source::Initialized && value != new.rx_buf_array() {
            own.extend(Array::of(new.instance.heap(), value).map(|array| (value, array)));
        }
    }
    new.free_arrays();
    let into = new.rx_buf_array();
    if let Some(bytes) = new.instance.heap_mut().bytes_mut(into) {
        let from = old.rx_buf();
        let both = bytes.len().min(from.len());
        bytes[..both].copy_from_slice(&from[..both]);
    }
    let mut carried = References::new(old.rx_buf_array(), into);
    let mut kept = References::new(into, into);
    let linked = new.class.program.fields();
    let ids = (0u16..).map(FieldId);
    for (id, (source, (linked, value))) in
        ids.zip(sources.iter().zip(linked.iter().zip(initialized)))
    {
        let heap = new.instance.heap_mut();
        let value = match (source, linked.kind) {
            (Source::RxBuf, _) => into,
            (Source::Initialized, ValueKind::Reference) => {
                kept.translate(heap, value, |array| own.get(&array).cloned())?
            }
            (Source::Initialized, _) => value,
            (Source::Carried(from), ValueKind::Reference) => {
                let of_old = |array| Array::of(old.instance.heap(), array);
                carried.translate(heap, old.instance.field(*from), of_old)?
            }
            (Source::Carried(from), _) => old.instance.field(*from),
        };
        new.instance.set_field(id, value);
    }
    let is_carried = |source: &&Source| matches!(source, Source::Carried(_));
    // A class has at most 128 fields.
    Ok(sources.iter().filter(is_carried).count() as u32)
}

/// Returns the source of each field of `new`, in order.
fn sources(old: &Applet<'_>, new: &Applet<'_>) -> Vec<Source> {
    let of_old: Vec<Field<'_>> = old.class.class.fields().collect();
    let source = |field: Field<'_>| {
        if Some(field.id) == new.members.rx_buf.get() {
            return Source::RxBuf;
        }
        let same = of_old.iter().find(|known| {
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
    };
    new.class.class.fields().map(source).collect()
}

/// A copy of an array.
#[derive(Clone, Debug)]
struct Array {
    kind: ArrayKind,
    length: i32,
    bytes: Vec<u8>,
}

impl Array {
    fn of(heap: &Heap<'_>, reference: i32) -> Option<Array> {
        let view = heap.array(reference)?;
        Some(Array {
            kind: view.kind,
            // The cast is lossless, because the array's length was given as an `int`.
            length: view.length.cast_signed(),
            bytes: heap.bytes(reference)?.to_vec(),
        })
    }
}

/// Maps the references of one heap to the references of the same arrays in the rebuilt heap.
struct References(BTreeMap<i32, i32>);

impl References {
    /// Returns a map that begins with `RxBuf`, which both heaps have.
    fn new(rx_buf: i32, into: i32) -> References {
        References(BTreeMap::from([(rx_buf, into)]))
    }

    /// Returns the reference of an array in the rebuilt heap, to which the array is copied if it is not there yet. Null
    /// and the reference to the applet itself do not change.
    fn translate(
        &mut self,
        heap: &mut Heap<'_>,
        reference: i32,
        array: impl FnOnce(i32) -> Option<Array>,
    ) -> Result<i32, HeapFull> {
        if let Some(known) = self.0.get(&reference) {
            return Ok(*known);
        }
        let Some(array) = array(reference) else {
            return Ok(reference);
        };
        let copy = heap.allocate(array.kind, array.length);
        let copy = copy.map_err(|_| HeapFull)?;
        if let Some(bytes) = heap.bytes_mut(copy) {
            bytes.copy_from_slice(&array.bytes);
        }
        self.0.insert(reference, copy);
        Ok(copy)
    }
}
