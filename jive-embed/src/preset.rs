//! Values that static fields have before the static initializer runs, as the embedding program sets them.
//!
//! The static initializer's first store to a field that is set is ignored. In a class with a set `WINDOW`,
//! `static byte[] ring = new byte[WINDOW];` uses the set `WINDOW`, although the source assigns another value.
//! The first store to a field is known only at run time, because a store may be in a loop or a branch. First stores can
//! therefore not be removed from the code in advance. A check of the first store in the interpreter's `putstatic` would
//! cost every class time, and hardly any class needs it.
//!
//! Instead of checking every store, the loader rewrites the class and loads it a second time. Each `putstatic` of
//! `<clinit>` to a field that can be set becomes an `invokestatic` of the same length. The new `invokestatic`
//! calls a native of this module, whose parameter has the field's type: the verifier proves the rewritten class safe
//! like any other. The interpreter stops at the native that replaces a store, as at any native, and the loader stores
//! the value or ignores it. A native that replaces a store counts as one instruction, as `putstatic` does. Methods
//! other than `<clinit>` are unchanged and `<clinit>` runs only once, so the instance keeps the rewritten program.

use bumpalo::Bump;
use jive_core::{
    ArrayKind, CpIndex, FieldId, FieldType, Instance, LinkedClass, NativeDecl, NativeId,
    NativeParameter, NativeType, Opcode, OwnMember, Program, limits, parse_field, raw_instructions,
};
use jive_verifier::Policy;

use crate::load::{LoadError, load_class};
use crate::roots::{CollectedClass, load_collected};

/// The class of the natives that replace stores. No applet can call a native of [`CLASS`], because no table for
/// verifying applets contains this class.
const CLASS: &str = "jive/State";

/// The parameter types of the natives of [`CLASS`]. A `boolean`, `byte` or `short` is an `int` on the operand stack.
const TYPES: [NativeType; 5] = [
    NativeType::Int,
    NativeType::BooleanArray,
    NativeType::ByteArray,
    NativeType::ShortArray,
    NativeType::IntArray,
];

const FIELDS: usize = limits::FIELDS_MAX as usize;

/// The names of the natives of [`CLASS`]: each name is the number of a field, in three digits.
static NAMES: [[u8; 3]; FIELDS] = {
    let mut names = [[b'0'; 3]; FIELDS];
    let mut field = 0;
    while field < FIELDS {
        // Each digit is below ten, because a field's number is below 1,000.
        names[field] = [
            b'0' + (field / 100) as u8,
            b'0' + (field / 10 % 10) as u8,
            b'0' + (field % 10) as u8,
        ];
        field += 1;
    }
    names
};

/// The parameter of a native of [`CLASS`], by its place in [`TYPES`].
static PARAMETERS: [[NativeParameter<'static>; 1]; TYPES.len()] = {
    let name = "value";
    let mut parameters = [[NativeParameter {
        name,
        kind: NativeType::Int,
    }]; TYPES.len()];
    let mut row = 0;
    while row < TYPES.len() {
        parameters[row][0].kind = TYPES[row];
        row += 1;
    }
    parameters
};

/// Returns a table of natives, followed by one native for each field and type, ordered by field and then by type.
pub(crate) fn with_stores<'n>(natives: &[NativeDecl<'n>]) -> Vec<NativeDecl<'n>> {
    let stores = NAMES.iter().flat_map(|name| {
        PARAMETERS.iter().map(|parameters| NativeDecl {
            class: CLASS,
            name: core::str::from_utf8(name).expect("digits are text"),
            parameters,
            result: None,
        })
    });
    natives.iter().copied().chain(stores).collect()
}

/// Returns the field that a native stores to, or `None` for one of the program's own natives, of which there are
/// `natives`.
#[must_use]
pub fn stored_field(native: NativeId, natives: usize) -> Option<FieldId> {
    let store = native.index().checked_sub(natives)?;
    let field = store / TYPES.len();
    let field = u16::try_from(field).ok().filter(|_| field < FIELDS)?;
    Some(FieldId(field))
}

/// Loads a class once more, for instances whose fields the program sets. If the class's initializer stores to no field
/// that can be set, returns the class unchanged.
///
/// # Errors
///
/// Returns an error if the rewritten class is refused, because it has no room for the constants of the natives.
pub fn load_preset<'a>(
    arena: &'a Bump,
    bytes: &[u8],
    loaded: &LinkedClass<'a>,
    policy: Policy,
    natives: &[NativeDecl<'_>],
) -> Result<LinkedClass<'a>, LoadError> {
    let Some(rewritten) = rewrite(bytes, loaded) else {
        return Ok(*loaded);
    };
    let bytes = &*arena.alloc_slice_copy(&rewritten);
    load_class(arena, bytes, policy, &with_stores(natives))
}

/// Loads a class once more as [`load_preset`] does, and links it for a collector.
///
/// # Errors
///
/// Returns an error as [`load_preset`] does.
pub fn load_preset_collected<'a>(
    arena: &'a Bump,
    bytes: &[u8],
    loaded: &CollectedClass<'a>,
    policy: Policy,
    natives: &[NativeDecl<'_>],
) -> Result<CollectedClass<'a>, LoadError> {
    let Some(rewritten) = rewrite(bytes, &loaded.class) else {
        return Ok(loaded.clone());
    };
    let bytes = &*arena.alloc_slice_copy(&rewritten);
    load_collected(arena, bytes, policy, &with_stores(natives))
}

/// Returns the parameter type of the native that stores to a field of this type. Returns `None` if a field of this
/// type cannot be set.
fn parameter(descriptor: &[u8]) -> Option<NativeType> {
    match parse_field(descriptor).ok()? {
        FieldType::Boolean | FieldType::Byte | FieldType::Short | FieldType::Int => {
            Some(NativeType::Int)
        }
        array @ FieldType::Array { .. } => Some(match array.array_kind()? {
            ArrayKind::Boolean => NativeType::BooleanArray,
            ArrayKind::Byte => NativeType::ByteArray,
            ArrayKind::Short => NativeType::ShortArray,
            ArrayKind::Int => NativeType::IntArray,
        }),
        FieldType::Char
        | FieldType::Double
        | FieldType::Float
        | FieldType::Long
        | FieldType::Object(_) => None,
    }
}

/// Returns a class file whose static initializer calls a native instead of each store to a static field of the class.
/// Returns `None` if the static initializer has no store to a static field of the class.
pub(crate) fn rewrite(bytes: &[u8], loaded: &LinkedClass<'_>) -> Option<Vec<u8>> {
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
        let declared = loaded.class.field(field)?;
        let Some(kind) = parameter(declared.descriptor.as_bytes()) else {
            continue;
        };
        let CpIndex(method) = constants.method_of(field, kind)?;
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

/// The constants that rewriting adds to a class file.
struct Constants {
    /// The offset where the original constants end.
    end: usize,
    /// The number of constants plus one, as in the class file.
    count: u16,
    added: Vec<u8>,
    class: Option<CpIndex>,
    descriptors: Vec<(NativeType, CpIndex)>,
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
            descriptors: Vec::new(),
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

    /// Returns the constant for the native that stores to this field, which has this type.
    fn method_of(&mut self, field: FieldId, kind: NativeType) -> Option<CpIndex> {
        let known = self.methods.iter().find(|(known, _)| *known == field);
        if let Some((_, method)) = known {
            return Some(*method);
        }
        let class = match self.class {
            Some(known) => known,
            None => {
                let name = self.add_text(CLASS.as_bytes())?;
                let class = self.add(7, &[&name.0.to_be_bytes()])?;
                *self.class.insert(class)
            }
        };
        let known = self.descriptors.iter().find(|(known, _)| *known == kind);
        let descriptor = match known {
            Some((_, descriptor)) => *descriptor,
            None => {
                let text = format!("({})V", kind.descriptor());
                let descriptor = self.add_text(text.as_bytes())?;
                self.descriptors.push((kind, descriptor));
                descriptor
            }
        };
        let name = self.add_text(NAMES.get(field.index())?)?;
        let name_and_type = self.add_pair(12, name, descriptor)?;
        let method = self.add_pair(10, class, name_and_type)?;
        self.methods.push((field, method));
        Some(method)
    }
}

/// The stores of a static initializer to the fields of its class.
#[derive(Debug)]
pub struct Stores {
    /// The fields that are set and to which the initializer has not stored yet.
    awaited: Vec<FieldId>,
}

impl Stores {
    /// Awaits the first store to each of these fields.
    #[must_use]
    pub fn new(set: impl IntoIterator<Item = FieldId>) -> Stores {
        let awaited = set.into_iter().collect();
        Stores { awaited }
    }

    /// Stores a value in a field, but ignores the first store to a field that is set.
    pub fn store(&mut self, instance: &mut Instance<'_>, field: FieldId, value: i32) {
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
