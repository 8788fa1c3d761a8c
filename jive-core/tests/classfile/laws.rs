//! Properties of the parser for arbitrary bytes: it returns, errors have an offset in the file, and its work is linear.

use std::time::{Duration, Instant};

use jive_core::{
    ClassFile, CpIndex, Disassembly, MemberKind, OwnMember, ParseErrorKind, Pc, decode,
    instructions,
};
use proptest::prelude::*;

use crate::parse;
use crate::parts::Parts;

/// Class files compiled by `javac`, with switches, constants of every kind and debug information.
const CLASSES: [&[u8]; 4] = [
    include_bytes!("../classes/Arithmetic.class"),
    include_bytes!("../classes/Arrays.class"),
    include_bytes!("../classes/Control.class"),
    include_bytes!("../classes/Storage.class"),
];

#[test]
fn every_prefix_is_refused_as_truncated() {
    for bytes in CLASSES
        .iter()
        .copied()
        .chain([Parts::sample().to_bytes().as_slice()])
    {
        for length in 0..bytes.len() {
            let error = parse(&bytes[..length], |_| ()).unwrap_err();
            assert_eq!(
                error.kind,
                ParseErrorKind::Truncated,
                "prefix of {length} bytes"
            );
            assert!(error.offset as usize <= length);
        }
    }
}

/// Compares the resolution of each constant with the names of the members. Returns how many constants resolve to a
/// field, how many to a method, and how many to neither.
fn compare_own_members(class: ClassFile<'_>) -> [usize; 3] {
    let mut counts = [0; 3];
    for index in (0..u16::MAX).map(CpIndex) {
        let named = class.pool().member(index).ok().and_then(|named| {
            let is_own = named.class == class.name();
            let is_named =
                |name, descriptor| is_own && (name, descriptor) == (named.name, named.descriptor);
            match named.kind {
                MemberKind::Field => {
                    let mut fields = class.fields();
                    let field = fields.find(|field| is_named(field.name, field.descriptor));
                    field.map(|field| OwnMember::Field(field.id))
                }
                MemberKind::Method => {
                    let mut methods = class.methods();
                    let method = methods.find(|method| is_named(method.name, method.descriptor));
                    method.map(|method| OwnMember::Method(method.id))
                }
                MemberKind::InterfaceMethod => None,
            }
        });
        assert_eq!(class.own_member(index), named, "{index:?}");
        counts[match named {
            Some(OwnMember::Field(_)) => 0,
            Some(OwnMember::Method(_)) => 1,
            None => 2,
        }] += 1;
    }
    counts
}

#[test]
fn constants_resolve_to_the_named_member() {
    // The class has members that have equal names or equal descriptors, and references to each member and to missing
    // members.
    let mut parts = Parts::sample();
    parts.add_field(0, "f", "[B");
    parts.add_field(0, "m", "I");
    parts.add_method(0, "m", "(I)V");
    parts.add_method(0, "f", "()V");
    let classes = [parts.this_class, parts.super_class];
    for (tag, name, descriptor) in [
        (9, "f", "I"),
        (9, "f", "[B"),
        (9, "f", "B"),
        (9, "m", "I"),
        (10, "m", "()V"),
        (10, "m", "(I)V"),
        (10, "f", "()V"),
        (10, "f", "(I)V"),
        (11, "m", "()V"),
    ] {
        let name_and_type = parts.name_and_type(name, descriptor);
        for class in classes {
            parts.reference(tag, &[class, name_and_type]);
        }
    }
    let alike = parts.to_bytes();
    let mut seen = [0; 2];
    for bytes in CLASSES.into_iter().chain([&alike[..]]) {
        let [fields, methods, others] = parse(bytes, compare_own_members).unwrap();
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let trusted = ClassFile::trusted(bytes, &mut index).unwrap();
        assert_eq!(compare_own_members(trusted), [fields, methods, others]);
        seen = [seen[0] + fields, seen[1] + methods];
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

/// Calls every accessor of a class.
fn read_all(bytes: &[u8]) -> Result<usize, jive_core::ParseError> {
    parse(bytes, |class| {
        let mut seen = class.pool().iter().count() + class.interfaces().count();
        seen += class.attributes().iter().count() + usize::from(class.source_file().is_some());
        for field in class.fields() {
            seen +=
                field.attributes().iter().count() + usize::from(field.constant_value().is_some());
        }
        assert_eq!(class.methods().count(), class.method_count());
        for code in class.methods().filter_map(|method| method.code()) {
            seen += code.exceptions().count() + code.attributes().iter().count();
            for insn in instructions(code.bytes).flatten() {
                seen += Disassembly::new(insn, class).to_string().len();
                seen += usize::from(code.line(insn.pc).unwrap_or(0));
            }
        }
        seen
    })
}

proptest! {
    #[test]
    fn any_bytes_get_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Err(error) = read_all(&bytes) {
            prop_assert!(error.offset as usize <= bytes.len());
        }
    }

    #[test]
    fn any_bytes_behind_a_header_get_an_answer(tail in proptest::collection::vec(any::<u8>(), 0..300)) {
        let bytes = [&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 4][..], &tail].concat();
        if let Err(error) = read_all(&bytes) {
            prop_assert!(error.offset as usize <= bytes.len());
        }
    }

    #[test]
    fn any_change_of_a_class_gets_an_answer(
        which in 0..CLASSES.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = CLASSES[which].to_vec();
        for (position, value) in changes {
            *position.get_mut(&mut bytes) = value;
        }
        if let Err(error) = read_all(&bytes) {
            prop_assert!(error.offset as usize <= bytes.len());
        }
    }

    #[test]
    fn instructions_tile_the_code_up_to_the_first_error(
        code in proptest::collection::vec(any::<u8>(), 1..100),
    ) {
        let mut pc = 0;
        let mut stopped = false;
        for insn in instructions(&code) {
            match insn {
                Ok(insn) => {
                    prop_assert_eq!(u32::from(insn.pc.0), pc);
                    prop_assert_eq!(Ok(insn), decode(&code, insn.pc));
                    pc = insn.next_pc();
                }
                Err(error) => {
                    prop_assert_eq!(u32::from(error.pc.0), pc);
                    stopped = true;
                }
            }
        }
        prop_assert!(stopped || pc as usize == code.len());
    }

    #[test]
    fn a_truncated_instruction_is_refused(code in proptest::collection::vec(any::<u8>(), 1..60)) {
        if let Ok(insn) = decode(&code, Pc(0)) {
            let length = insn.length as usize;
            for shorter in 0..length {
                prop_assert!(decode(&code[..shorter], Pc(0)).is_err());
            }
        }
    }
}

/// The test parses files of the greatest size, which have many references to a long string, or many long strings to
/// compare. A parser that classifies a string at each reference, or compares all pairs, would take minutes.
#[test]
fn largest_files_take_linear_work() {
    let name = "a".repeat(60_000);
    let mut shared = Parts::sample();
    let long = shared.utf8(&name);
    while shared.pool.len() < 60_000 {
        shared.pool.push([&[7][..], &long.to_be_bytes()].concat());
    }
    let mut alike = Parts::sample();
    for end in 0..16 {
        alike.add_field(0, &format!("{}{end}", "b".repeat(40_000)), "I");
    }
    alike.fields = vec![alike.fields; 2_500].concat();
    let started = Instant::now();
    assert_eq!(
        parse(&shared.to_bytes(), |class| class.pool().count()),
        Ok(60_001)
    );
    assert_eq!(
        parse(&alike.to_bytes(), |_| ()).unwrap_err().kind,
        ParseErrorKind::DuplicateField
    );
    assert!(started.elapsed() < Duration::from_secs(20));
}
