//! Class files read by `ClassFile::trusted`: what it accepts unchecked, and what it still rejects.

use jive_core::{ClassFile, ParseErrorKind as Kind, PoolErrorKind};

use crate::parse;
use crate::parts::Parts;

/// Reads a class file with `ClassFile::trusted`, and passes the class to `look`.
fn trust<T>(bytes: &[u8], look: impl FnOnce(ClassFile<'_>) -> T) -> Result<T, Kind> {
    let mut index = vec![7; ClassFile::index_len(bytes)];
    ClassFile::trusted(bytes, &mut index)
        .map(look)
        .map_err(|error| error.kind)
}

/// Returns the contents of a class as text.
fn shown(class: ClassFile<'_>) -> String {
    let pool: Vec<_> = class.pool().iter().collect();
    let fields: Vec<_> = class
        .fields()
        .map(|field| (field.name, field.descriptor))
        .collect();
    let methods: Vec<_> = class
        .methods()
        .map(|method| (method.name, method.code().map(|code| code.bytes)))
        .collect();
    let identities: Vec<_> = class
        .field_identities()
        .map(|(_, identity)| identity)
        .chain(class.method_identities().map(|(_, identity)| identity))
        .collect();
    format!(
        "{} {pool:?} {fields:?} {methods:?} {identities:?}",
        class.name()
    )
}

#[test]
fn a_valid_class_reads_the_same_trusted_and_parsed() {
    let mut parts = Parts::sample();
    parts.add_method(0, "m", "(I)V");
    // The test adds another constant for the string `n` to the pool. The identity of the second constant for `n` is
    // that of the first.
    let name = parts.add(&[1, 0, 1, b'n']);
    let mut again = parts.member(0x0100, "n", "(I)V", &[]);
    again[2..4].copy_from_slice(&name.to_be_bytes());
    parts.methods.push(again);
    let bytes = parts.to_bytes();
    assert_eq!(
        trust(&bytes, shown),
        parse(&bytes, shown).map_err(|error| error.kind)
    );
}

#[test]
fn rules_without_effect_on_the_layout_are_not_checked() {
    let mut parts = Parts::sample();
    // The test adds a public and private field to the class, with an invalid name and an invalid descriptor.
    parts.add_field(0x0003, "f.g", "Q");
    let bytes = parts.to_bytes();
    assert_eq!(
        parse(&bytes, |_| ()).unwrap_err().kind,
        Kind::FieldFlags { flags: 0x0003 }
    );
    assert_eq!(trust(&bytes, |class| class.field_count()), Ok(2));
}

#[test]
fn lengths_tags_and_names_are_checked() {
    let bytes = Parts::sample().to_bytes();
    assert_eq!(
        trust(&bytes[..bytes.len() - 1], |_| ()),
        Err(Kind::Truncated)
    );
    let mut parts = Parts::sample();
    parts.this_class = 0;
    let missing = PoolErrorKind::OutOfRange {
        count: trust(&Parts::sample().to_bytes(), |class| class.pool().count()).unwrap(),
    };
    assert_eq!(
        trust(&parts.to_bytes(), |_| ()),
        Err(Kind::ConstantIndex {
            index: 0,
            kind: missing
        })
    );
    let mut parts = Parts::sample();
    parts.methods[0][2..4].copy_from_slice(&[0, 0]);
    assert_eq!(
        trust(&parts.to_bytes(), |_| ()),
        Err(Kind::ConstantIndex {
            index: 0,
            kind: missing
        })
    );
}
