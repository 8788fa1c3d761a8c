//! Static fields that a scenario sets before the static initializer runs.
//!
//! The initializer's first store to such a field is ignored, so that `static byte[] ring = new byte[WINDOW];` is as long as
//! the scenario's `WINDOW`. Which store is the first is known when the initializer runs: it may stand in a loop or a branch.
//! So no store can be taken out of the code beforehand, and the interpreter has no place for a question that hardly any
//! class needs. Instead the class is linked once more, with each `putstatic` of `<clinit>` replaced by an `invokestatic` of
//! the same length. That calls a native of this module, at which the interpreter stops as at any other; the loader then
//! stores the value, or does not. Each such native counts as one instruction, as `putstatic` does. Other methods stay as
//! they are, and `<clinit>` runs once, so the applet keeps this program.

use bumpalo::Bump;
use jive_core::{
    ArrayKind, ClassFile, CpIndex, FieldId, Heap, Instance, LinkedClass, NativeDecl, NativeId,
    NativeParameter, NativeType, Opcode, OwnMember, Program, Verified, limits, raw_instructions,
};
use jive_embed::{LoadError, link_class};
use nic_core::sle::NicNative;

use crate::scenario::model::{FieldState, FieldValue};

/// The class whose natives the stores become. No applet can name it: it is in no table that applets are verified against.
const CLASS: &str = "jive/State";

/// What the natives of [`CLASS`] take. A reference is passed as what it is to the interpreter, a number.
const DESCRIPTOR: &str = "(I)V";

const FIELDS: usize = limits::FIELDS_MAX as usize;
const NATIVES: usize = NicNative::TABLE.len() + FIELDS;

/// The names of the natives of [`CLASS`]: the fields' numbers, in three digits.
static NAMES: [[u8; 3]; FIELDS] = {
    let mut names = [[b'0'; 3]; FIELDS];
    let mut field = 0;
    while field < FIELDS {
        // Each remainder is below ten, and so is a hundredth of a field's number.
        names[field] = [
            b'0' + (field / 100) as u8,
            b'0' + (field / 10 % 10) as u8,
            b'0' + (field % 10) as u8,
        ];
        field += 1;
    }
    names
};

/// The natives of a NIC, and behind them one for a store to each field.
static TABLE: [NativeDecl; NATIVES] = {
    let mut table = [NicNative::TABLE[0]; NATIVES];
    let mut row = 0;
    while row < NATIVES {
        table[row] = if row < NicNative::TABLE.len() {
            NicNative::TABLE[row]
        } else {
            let name = match core::str::from_utf8(&NAMES[row - NicNative::TABLE.len()]) {
                Ok(name) => name,
                Err(_) => panic!("digits are text"),
            };
            NativeDecl {
                class: CLASS,
                name,
                parameters: &[NativeParameter {
                    name: "value",
                    kind: NativeType::Int,
                }],
                result: None,
                summary: "Stores a value in a static field.",
            }
        };
        row += 1;
    }
    table
};

/// Returns the field that a native stores to, if it is one of those that stand for a store.
pub(crate) fn stored_field(native: NativeId) -> Option<FieldId> {
    let field = native.index().checked_sub(NicNative::TABLE.len())?;
    let field = u16::try_from(field).ok().filter(|_| field < FIELDS)?;
    Some(FieldId(field))
}

/// Links a class once more, for applets with a state. Returns the class as it was where its initializer stores to no
/// static field.
///
/// # Errors
///
/// The class file has no room for the constants that name the natives.
pub(crate) fn relink<'a>(
    arena: &'a Bump,
    bytes: &[u8],
    loaded: &LinkedClass<'a>,
) -> Result<LinkedClass<'a>, LoadError> {
    let Some(rewritten) = rewrite(bytes, loaded) else {
        return Ok(*loaded);
    };
    let bytes = &*arena.alloc_slice_copy(&rewritten);
    let index = arena.alloc_slice_fill_copy(ClassFile::index_len(bytes), 0u32);
    let class = ClassFile::trusted(bytes, index)?;
    // The verifier has accepted the class, and each call takes from the operand stack what the store took.
    let verified = Verified::vouch(class, &TABLE, loaded.program.applet());
    Ok(link_class(arena, &verified)?)
}

/// Returns a class file whose static initializer calls a native in place of each store to a static field of the class.
/// Returns `None` where there is no such store.
fn rewrite(bytes: &[u8], loaded: &LinkedClass<'_>) -> Option<Vec<u8>> {
    let initializer = loaded.class.method(loaded.program.initializer()?)?;
    let code = initializer.code()?.bytes;
    let start = code.as_ptr().addr().checked_sub(bytes.as_ptr().addr())?;
    let mut constants = Constants::behind(bytes)?;
    let mut rewritten = bytes.to_vec();
    let mut is_changed = false;
    for insn in raw_instructions(code) {
        if insn.opcode() != Opcode::Putstatic {
            continue;
        }
        let Some(OwnMember::Field(field)) = loaded.class.own_member(insn.constant()) else {
            continue;
        };
        let CpIndex(method) = constants.method_of(field)?;
        let place = start + insn.pc.index();
        let [high, low] = method.to_be_bytes();
        let store = rewritten.get_mut(place..)?.first_chunk_mut()?;
        *store = [Opcode::Invokestatic.byte(), high, low];
        is_changed = true;
    }
    if !is_changed {
        return None;
    }
    let (before, behind) = rewritten.split_at_checked(constants.end)?;
    let mut file = [before, &constants.added, behind].concat();
    *file.get_mut(8..)?.first_chunk_mut()? = constants.count.to_be_bytes();
    Some(file)
}

/// Constants that are added to a class file.
struct Constants {
    /// Where its own constants end.
    end: usize,
    /// The count of constants, as the file has it: one more than there are.
    count: u16,
    added: Vec<u8>,
    class: Option<(CpIndex, CpIndex)>,
    methods: Vec<(FieldId, CpIndex)>,
}

impl Constants {
    /// Finds the end of the constants of a class file that was parsed before (JVMS §4.4).
    fn behind(bytes: &[u8]) -> Option<Constants> {
        let half = |at: usize| Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
        let count = half(8)?;
        let (mut end, mut index) = (10, 1);
        while index < count {
            let (length, indices) = match bytes.get(end)? {
                1 => (3 + usize::from(half(end + 1)?), 1),
                5 | 6 => (9, 2),
                7 | 8 | 16 | 19 | 20 => (3, 1),
                15 => (4, 1),
                _ => (5, 1),
            };
            end += length;
            index += indices;
        }
        Some(Constants {
            end,
            count,
            added: Vec::new(),
            class: None,
            methods: Vec::new(),
        })
    }

    fn add(&mut self, tag: u8, parts: &[&[u8]]) -> Option<CpIndex> {
        let index = self.count;
        self.count = index.checked_add(1)?;
        self.added.push(tag);
        self.added.extend(parts.iter().copied().flatten());
        Some(CpIndex(index))
    }

    fn add_text(&mut self, text: &[u8]) -> Option<CpIndex> {
        let length = u16::try_from(text.len()).ok()?;
        self.add(1, &[&length.to_be_bytes(), text])
    }

    fn add_pair(&mut self, tag: u8, first: CpIndex, second: CpIndex) -> Option<CpIndex> {
        self.add(tag, &[&first.0.to_be_bytes(), &second.0.to_be_bytes()])
    }

    /// Returns the constant that names the native which stores to a field.
    fn method_of(&mut self, field: FieldId) -> Option<CpIndex> {
        let known = self.methods.iter().find(|(known, _)| *known == field);
        if let Some((_, method)) = known {
            return Some(*method);
        }
        let (class, descriptor) = match self.class {
            Some(known) => known,
            None => {
                let name = self.add_text(CLASS.as_bytes())?;
                let class = self.add(7, &[&name.0.to_be_bytes()])?;
                let descriptor = self.add_text(DESCRIPTOR.as_bytes())?;
                *self.class.insert((class, descriptor))
            }
        };
        let name = self.add_text(NAMES.get(field.index())?)?;
        let name_and_type = self.add_pair(12, name, descriptor)?;
        let method = self.add_pair(10, class, name_and_type)?;
        self.methods.push((field, method));
        Some(method)
    }
}

/// Stores what a scenario says, before any code of the class runs. Arrays live as long as the applet. The scenario was
/// refused if they did not fit in the heap.
pub(crate) fn set(instance: &mut Instance<'_>, state: &[FieldState]) {
    for FieldState { field, value } in state {
        let value = match value {
            FieldValue::Scalar(value) => Some(*value),
            FieldValue::Array(kind, values) => array(instance.heap_mut(), *kind, values),
        };
        if let Some(value) = value {
            instance.set_field(*field, value);
        }
    }
}

fn array(heap: &mut Heap<'_>, kind: ArrayKind, values: &[i32]) -> Option<i32> {
    let array = heap
        .allocate(kind, i32::try_from(values.len()).ok()?)
        .ok()?;
    let width = usize::from(kind.width());
    let elements = heap.bytes_mut(array)?.chunks_exact_mut(width);
    for (element, value) in elements.zip(values) {
        // The lowest bytes come first, and hold the value: it is of the element's type.
        element.copy_from_slice(value.to_le_bytes().get(..width)?);
    }
    Some(array)
}

/// The stores of a static initializer to the fields of a class.
pub(crate) struct Stores {
    /// Fields whose first store is still to come.
    awaited: Vec<FieldId>,
}

impl Stores {
    pub(crate) fn new(state: &[FieldState]) -> Stores {
        let awaited = state.iter().map(|state| state.field).collect();
        Stores { awaited }
    }

    /// Stores a value in a field, unless it is the first for a field that the scenario sets.
    pub(crate) fn store(&mut self, instance: &mut Instance<'_>, field: FieldId, value: i32) {
        if let Some(place) = self.awaited.iter().position(|awaited| *awaited == field) {
            self.awaited.swap_remove(place);
            return;
        }
        let program: Program<'_> = instance.program();
        if let Some(linked) = program.fields().get(field.index()) {
            instance.set_field(field, linked.kind.narrow(value));
        }
    }
}
