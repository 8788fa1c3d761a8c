//! Boundary cases for the rules of the class, its members and their attributes. Each test has an input that the parser
//! barely accepts, and an input that it barely rejects.

use jive_core::{
    AttributeName, ClassFile, ConstantTag, MethodId, ParseErrorKind as Kind, PoolErrorKind, TagSet,
    Utf8, limits,
};

use crate::parse;
use crate::parts::Parts;

/// Returns the parser's verdict on the sample class after a change.
fn verdict(change: impl FnOnce(&mut Parts)) -> Result<(), Kind> {
    let mut parts = Parts::sample();
    change(&mut parts);
    parse(&parts.to_bytes(), |_| ()).map_err(|error| error.kind)
}

#[test]
fn iterators_over_members_have_exact_sizes() {
    let mut parts = Parts::sample();
    parts.add_field(0, "g", "I");
    parts.add_field(0, "h", "I");
    parts.add_method(0, "o", "()V");
    let bytes = parts.to_bytes();
    parse(&bytes, |class| {
        assert_eq!((class.field_count(), class.method_count()), (3, 3));
        let (mut fields, mut methods) = (class.fields(), class.methods());
        for (left, names) in (0..3).rev().zip([("f", "n"), ("g", "m"), ("h", "o")]) {
            let (field, method) = (fields.next().unwrap(), methods.next().unwrap());
            assert!(field.name == names.0 && method.name == names.1, "{names:?}");
            assert_eq!((fields.len(), methods.len()), (left, left));
        }
        assert!(fields.next().is_none() && methods.next().is_none());
        assert_eq!((fields.len(), methods.len()), (0, 0));
    })
    .unwrap();
}

#[test]
fn identities_compare_name_and_descriptor() {
    let mut parts = Parts::sample();
    parts.add_method(0, "m", "(I)V");
    parts.add_method(0, "o", "()V");
    // The test adds another constant for the string `n` to the pool.
    let name = parts.add(&[1, 0, 1, b'n']);
    let mut again = parts.member(0x0100, "n", "(I)V", &[]);
    again[2..4].copy_from_slice(&name.to_be_bytes());
    parts.methods.push(again);
    parts.add_field(0, "g", "I");
    let bytes = parts.to_bytes();
    parse(&bytes, |class| {
        let methods = class.method_identities().map(|(_, identity)| identity);
        let [n, m, m_int, o, n_int] = methods.collect::<Vec<_>>()[..] else {
            panic!("there are five methods");
        };
        assert!(n.name == n_int.name && m.name == m_int.name);
        assert!(n.name != m.name && m.name != o.name && n.name != o.name);
        assert!(n.descriptor == m.descriptor && m.descriptor == o.descriptor);
        assert!(m_int.descriptor == n_int.descriptor && m.descriptor != m_int.descriptor);
        let fields = class.field_identities().collect::<Vec<_>>();
        assert_eq!(fields.len(), 2);
        assert_eq!(fields[0].1.descriptor, fields[1].1.descriptor);
        assert_ne!(fields[0].1.name, fields[1].1.name);
    })
    .unwrap();
}

#[test]
fn members_keep_the_order_of_the_file() {
    let mut parts = Parts::sample();
    for name in ["a", "b", "c", "d"] {
        parts.utf8(name);
    }
    let (fields, methods) = (["c", "a", "d", "b"], ["d", "c", "b", "a"]);
    parts.fields.clear();
    parts.methods.clear();
    for (field, method) in fields.into_iter().zip(methods) {
        parts.add_field(0, field, "I");
        parts.add_method(0, method, "()V");
    }
    let bytes = parts.to_bytes();
    parse(&bytes, |class| {
        let found: Vec<_> = class.fields().map(|field| field.name).collect();
        assert_eq!(found, fields);
        let found: Vec<_> = class.methods().map(|method| method.name).collect();
        assert_eq!(found, methods);
    })
    .unwrap();
}

#[test]
fn the_error_is_at_the_second_of_two_equal_members() {
    let mut parts = Parts::sample();
    parts.fields.clear();
    // The test adds two pairs of equal fields to the class, with fields of other names between them.
    for name in ["d", "b", "c", "a", "b", "d"] {
        parts.add_field(0, name, "I");
    }
    let bytes = parts.to_bytes();
    let error = parse(&bytes, |_| ()).unwrap_err();
    assert_eq!(error.kind, Kind::DuplicateField);
    let fields = parts.fields.concat();
    let first = bytes.windows(fields.len()).position(|part| part == fields);
    // Each field takes eight bytes. The fifth field is the first that repeats an earlier field.
    assert_eq!(
        Some(error.offset as usize),
        first.map(|first| first + 4 * 8)
    );
}

#[test]
fn a_stack_map_may_occur_only_once_from_version_50_on() {
    let with = |version, count| {
        verdict(|p| {
            p.version = (version, 0);
            let map = p.attribute("StackMapTable", &[0, 0]);
            let code = p.code(0, 0, &[0xb1], &[], &vec![map; count]);
            p.replace_code(code);
        })
    };
    let twice = Kind::DuplicateAttribute {
        name: AttributeName::StackMapTable,
    };
    assert_eq!(with(49, 2), Ok(()));
    assert_eq!(with(50, 1), Ok(()));
    assert_eq!(with(50, 2), Err(twice));
    assert_eq!(with(69, 2), Err(twice));
    // Attributes that the parser skips may occur any number of times.
    assert_eq!(
        verdict(|p| {
            let unknown = p.attribute("Unknown", &[]);
            let code = p.code(0, 0, &[0xb1], &[], &[unknown.clone(), unknown]);
            p.replace_code(code);
        }),
        Ok(())
    );
}

#[test]
fn line_numbers_may_be_in_several_tables() {
    let with = |pc: u8| {
        verdict(|p| {
            let table = p.attribute("LineNumberTable", &[0, 1, 0, pc, 0, 5]);
            let code = p.code(0, 0, &[0, 0xb1], &[], &[table.clone(), table]);
            p.replace_code(code);
        })
    };
    assert_eq!(with(1), Ok(()));
    let kind = Kind::LineNumber {
        pc: 2,
        code_length: 2,
    };
    assert_eq!(with(2), Err(kind));
}

#[test]
fn exceptions_occur_once_and_list_classes() {
    let with = |contents: fn(&mut Parts) -> Vec<u8>, count| {
        verdict(|p| {
            let contents = contents(p);
            let exceptions = p.attribute("Exceptions", &contents);
            let method = p.member(0x0100, "x", "()V", &vec![exceptions; count]);
            p.methods.push(method);
        })
    };
    let none: fn(&mut Parts) -> Vec<u8> = |_| vec![0, 0];
    let one: fn(&mut Parts) -> Vec<u8> = |p| {
        let [high, low] = p.class("java/lang/Exception").to_be_bytes();
        vec![0, 1, high, low]
    };
    assert_eq!(with(none, 1), Ok(()));
    assert_eq!(with(one, 1), Ok(()));
    let name = AttributeName::Exceptions;
    assert_eq!(with(one, 2), Err(Kind::DuplicateAttribute { name }));
    assert_eq!(with(|_| vec![0, 1], 1), Err(Kind::AttributeLength));
    let not_a_class = Kind::ConstantIndex {
        index: 1,
        kind: PoolErrorKind::Tag {
            expected: ConstantTag::Class.only(),
            found: ConstantTag::Utf8,
        },
    };
    assert_eq!(with(|_| vec![0, 1, 0, 1], 1), Err(not_a_class));
    // The parser skips an attribute with a similar name.
    assert_eq!(
        verdict(|p| {
            let unknown = p.attribute("exceptions", &[1, 2, 3]);
            let method = p.member(0x0100, "x", "()V", &[unknown.clone(), unknown]);
            p.methods.push(method);
        }),
        Ok(())
    );
}

#[test]
fn constant_values_have_the_types_of_their_fields() {
    // JVMS table 4.7.2-A. The test adds a constant of each kind to the pool: `int`, `long`, `float`, `double`,
    // `String`, class.
    let kinds = [
        ConstantTag::Integer,
        ConstantTag::Long,
        ConstantTag::Float,
        ConstantTag::Double,
        ConstantTag::String,
        ConstantTag::Class,
    ];
    let fitting = [
        ("I", 0),
        ("S", 0),
        ("C", 0),
        ("B", 0),
        ("Z", 0),
        ("J", 1),
        ("F", 2),
        ("D", 3),
        ("Ljava/lang/String;", 4),
        ("Ljava/lang/Object;", 9),
        ("Ljava/lang/Class;", 9),
        ("[I", 9),
        ("LI;", 9),
    ];
    for (descriptor, fits) in fitting {
        for (number, found) in kinds.into_iter().enumerate() {
            let outcome = verdict(|p| {
                let text = p.utf8("text");
                let constants = [
                    p.add(&[3, 0, 0, 0, 7]),
                    p.add(&[5, 0, 0, 0, 0, 0, 0, 0, 7]),
                    p.add(&[4, 0, 0, 0, 0]),
                    p.add(&[6, 0, 0, 0, 0, 0, 0, 0, 0]),
                    p.reference(8, &[text]),
                    p.this_class,
                ];
                let value = p.attribute("ConstantValue", &constants[number].to_be_bytes());
                p.fields = vec![p.member(0x0008, "f", descriptor, &[value])];
            });
            let expected = if number == fits {
                Ok(())
            } else {
                Err(Kind::ConstantValue { found })
            };
            assert_eq!(outcome, expected, "{descriptor}");
        }
    }
}

#[test]
fn parameters_and_this_take_at_most_255_slots() {
    let ints = |count| format!("({})V", "I".repeat(count));
    assert_eq!(verdict(|p| p.add_method(0, "a", &ints(254))), Ok(()));
    assert_eq!(
        verdict(|p| p.add_method(0, "a", &ints(255))),
        Err(Kind::ParameterSlots { found: 256 })
    );
    assert_eq!(verdict(|p| p.add_method(8, "a", &ints(255))), Ok(()));
    // The parameters take 254 slots and `this` takes one, so the method needs 255 local variables.
    let with_locals = |count| {
        verdict(|p| {
            let code = p.code(0, count, &[0xb1], &[], &[]);
            p.methods = vec![p.member(0, "m", &ints(254), &[code])];
        })
    };
    assert_eq!(with_locals(255), Ok(()));
    assert_eq!(
        with_locals(254),
        Err(Kind::ParametersExceedLocals {
            needed: 255,
            found: 254
        })
    );
}

#[test]
fn code_has_at_most_65535_bytes() {
    let of = |length| {
        verdict(|p| {
            let code = p.code(0, 0, &vec![0; length], &[], &[]);
            p.replace_code(code);
        })
    };
    assert_eq!(of(65_535), Ok(()));
    assert_eq!(of(1), Ok(()));
    assert_eq!(of(65_536), Err(Kind::CodeLength { found: 65_536 }));
}

#[test]
fn exception_handlers_are_inside_the_code() {
    let of = |row: [u16; 3]| {
        verdict(|p| {
            let [start, end, handler] = row;
            let code = p.code(1, 0, &[0, 0, 0xb1], &[[start, end, handler, 0]], &[]);
            p.replace_code(code);
        })
    };
    for row in [[0, 3, 2], [2, 3, 0], [0, 1, 2]] {
        assert_eq!(of(row), Ok(()), "{row:?}");
    }
    for row in [[0, 4, 2], [2, 2, 0], [2, 1, 0], [0, 3, 3], [3, 3, 0]] {
        assert_eq!(of(row), Err(Kind::ExceptionTable), "{row:?}");
    }
}

#[test]
fn the_catch_type_of_a_handler_is_a_class() {
    let expected = Kind::ConstantIndex {
        index: 1,
        kind: PoolErrorKind::Tag {
            expected: ConstantTag::Class.only(),
            found: ConstantTag::Utf8,
        },
    };
    let outcome = verdict(|p| {
        let code = p.code(1, 0, &[0xb1], &[[0, 1, 0, 1]], &[]);
        p.replace_code(code);
    });
    assert_eq!(outcome, Err(expected));
}

#[test]
fn a_file_of_the_greatest_size_is_accepted() {
    let mut parts = Parts::sample();
    let short = parts.attribute("Padding", &[]);
    parts.attributes.push(short);
    let missing = limits::FILE_BYTES_MAX - parts.to_bytes().len();
    parts.attributes.pop();
    let padding = parts.attribute("Padding", &vec![0; missing]);
    parts.attributes.push(padding);
    let mut bytes = parts.to_bytes();
    assert_eq!(bytes.len(), 1_048_576);
    assert_eq!(parse(&bytes, |_| ()), Ok(()));
    bytes.push(0);
    assert_eq!(
        parse(&bytes, |_| ()).unwrap_err().kind,
        Kind::FileSize { found: 1_048_577 }
    );
}

#[test]
fn a_module_has_only_a_name_and_attributes() {
    let module = |change: fn(&mut Parts)| {
        verdict(|p| {
            p.become_module();
            change(p);
        })
    };
    assert_eq!(module(|_| ()), Ok(()));
    let changes: [fn(&mut Parts); 5] = [
        |p| p.this_class = p.class("module_info"),
        |p| p.super_class = p.class("java/lang/Object"),
        |p| p.interfaces = vec![p.class("a/I")],
        |p| p.add_field(0, "f", "I"),
        |p| p.add_method(0x0008, "m", "()V"),
    ];
    for change in changes {
        assert_eq!(module(change), Err(Kind::Module));
    }
}

#[test]
fn only_object_lacks_a_superclass() {
    assert_eq!(
        verdict(|p| {
            p.this_class = p.class("java/lang/Object");
            p.super_class = 0;
        }),
        Ok(())
    );
    assert_eq!(
        verdict(|p| {
            p.this_class = p.class("java/lang/Objects");
            p.super_class = 0;
        }),
        Err(Kind::SuperClass)
    );
    assert_eq!(verdict(|p| p.super_class = p.class("a/B")), Ok(()));
    let interface = |superclass: &'static str| {
        verdict(|p| {
            p.access = 0x0600;
            p.fields.clear();
            p.methods.clear();
            p.super_class = p.class(superclass);
        })
    };
    assert_eq!(interface("java/lang/Object"), Ok(()));
    assert_eq!(interface("java/lang/Objects"), Err(Kind::SuperClass));
    assert_eq!(
        verdict(|p| p.super_class = 1),
        Err(Kind::ConstantIndex {
            index: 1,
            kind: PoolErrorKind::Tag {
                expected: ConstantTag::Class.only(),
                found: ConstantTag::Utf8,
            },
        })
    );
}

#[test]
fn distinct_interfaces_are_accepted_in_any_order() {
    let of = |names: &'static [&'static str]| {
        verdict(|p| p.interfaces = names.iter().map(|name| p.class(name)).collect())
    };
    assert_eq!(of(&["a/I"]), Ok(()));
    assert_eq!(of(&["a/K", "a/I", "a/J"]), Ok(()));
    assert_eq!(of(&["a/K", "a/I", "a/K"]), Err(Kind::Interface));
    assert_eq!(of(&["[I"]), Err(Kind::Interface));
    // The name of the class itself is not a duplicate superinterface, although another check has seen this name.
    assert_eq!(of(&["T"]), Ok(()));
}

#[test]
fn strings_compare_with_text_byte_by_byte() {
    let utf8 = |bytes: &'static [u8]| Utf8::new(bytes).unwrap();
    assert!(utf8(b"abc") == "abc" && utf8(b"abc") == *"abc" && utf8(b"") == *"");
    assert!(utf8(b"abc") != "abd" && utf8(b"abc") != *"ab" && utf8(b"abc") != *"");
}

#[test]
fn bootstrap_method_indices_are_inside_the_table() {
    let of = |version, position: u16, count: u16, argument: Option<u16>| {
        verdict(|p| {
            p.version = (version, 0);
            let method = p.member_reference(10, "m", "()V");
            let handle = p.add(&[&[15, 6][..], &method.to_be_bytes()].concat());
            let name_and_type = p.name_and_type("m", "()V");
            p.reference(18, &[position, name_and_type]);
            let mut contents = count.to_be_bytes().to_vec();
            for _ in 0..count {
                contents.extend(handle.to_be_bytes());
                let arguments = argument.map_or(vec![], |index| vec![index]);
                contents.extend(u16::try_from(arguments.len()).unwrap().to_be_bytes());
                contents.extend(arguments.iter().flat_map(|index| index.to_be_bytes()));
            }
            let attribute = p.attribute("BootstrapMethods", &contents);
            p.attributes.push(attribute);
        })
    };
    let missing = |count, found| Err(Kind::BootstrapMethod { count, found });
    assert_eq!(of(51, 0, 1, None), Ok(()));
    assert_eq!(of(51, 1, 2, None), Ok(()));
    assert_eq!(of(51, 1, 1, None), missing(1, 1));
    assert_eq!(of(51, 0, 0, None), missing(0, 0));
    // The bootstrap argument must be a loadable constant: the class constant is one, but the string with the class's
    // name is not.
    let class = Parts::sample().this_class;
    assert_eq!(of(52, 0, 1, Some(class)), Ok(()));
    assert_eq!(
        of(52, 0, 1, Some(1)),
        Err(Kind::ConstantIndex {
            index: 1,
            kind: PoolErrorKind::Tag {
                expected: TagSet::LOADABLE,
                found: ConstantTag::Utf8,
            },
        })
    );
}

#[test]
fn bootstrap_methods_are_read_from_version_51_on() {
    let of = |version| {
        verdict(|p| {
            p.version = (version, 0);
            let attribute = p.attribute("BootstrapMethods", &[0]);
            p.attributes.extend([attribute.clone(), attribute]);
        })
    };
    assert_eq!(of(50), Ok(()));
    assert_eq!(of(51), Err(Kind::AttributeLength));
    let twice = verdict(|p| {
        let attribute = p.attribute("BootstrapMethods", &[0, 0]);
        p.attributes.extend([attribute.clone(), attribute]);
    });
    let name = AttributeName::BootstrapMethods;
    assert_eq!(twice, Err(Kind::DuplicateAttribute { name }));
}

#[test]
fn a_source_file_is_a_string() {
    let of = |contents: &'static [u8]| {
        verdict(|p| p.attributes = vec![p.attribute("SourceFile", contents)])
    };
    assert_eq!(of(&[0, 1]), Ok(()));
    assert_eq!(of(&[0, 1, 0]), Err(Kind::AttributeLength));
    assert_eq!(
        of(&[0, 2]),
        Err(Kind::ConstantIndex {
            index: 2,
            kind: PoolErrorKind::Tag {
                expected: ConstantTag::Utf8.only(),
                found: ConstantTag::Class,
            },
        })
    );
}

#[test]
fn index_size_is_bounded_by_constants_and_members() {
    let parts = Parts::sample();
    let constants = parts.pool.len() + 1;
    let bytes = parts.to_bytes();
    let needed = parse(&bytes, |class| class.index_words()).unwrap();
    // Besides its constants, the class has a field and two methods.
    assert!(needed <= 3 * constants + 1 + 2 * 2);
    // The initial contents of the lent index do not matter.
    let mut index = vec![u32::MAX; needed];
    let class = ClassFile::parse(&bytes, &mut index).unwrap();
    assert_eq!(class.method(MethodId(1)).unwrap().name, "m");
    assert!(ClassFile::index_len(&bytes) >= needed);
}
