//! Names and descriptors (JVMS §4.2, §4.3): which strings are valid in which version, and which strings are equal.

use std::collections::BTreeMap;

use jive_core::{DescriptorErrorKind, ParseErrorKind as Kind};

use crate::parse;
use crate::parts::Parts;

/// Returns the parser's verdict on the sample class of some version after a change.
fn verdict(version: u16, change: impl FnOnce(&mut Parts)) -> Result<(), Kind> {
    let mut parts = Parts::sample();
    parts.version = (version, 0);
    change(&mut parts);
    parse(&parts.to_bytes(), |_| ()).map_err(|error| error.kind)
}

/// Names for classes, fields and methods that every version permits.
const PLAIN: [&str; 6] = ["a", "aB9", "_", "$", "a$_1", "\u{e9}"];
/// Names that are permitted from version 49 on, and are not Java identifiers.
const LATER: [&str; 8] = ["a-b", "1a", "9", "a b", "\u{1}", "\\", "@", "a:b"];
/// Names that no version permits.
const NEVER: [&str; 9] = ["", "a.b", ".", "a;b", ";", "a[b", "[", "a;", "[a"];

#[test]
fn names_must_be_identifiers_only_before_version_49() {
    type Change = fn(&mut Parts, &str);
    let uses: [(Kind, Change); 3] = [
        (Kind::ClassName, |p, name| _ = p.class(name)),
        (Kind::FieldName, |p, name| p.add_field(0, name, "I")),
        (Kind::MethodName, |p, name| p.add_method(0, name, "()V")),
    ];
    for (kind, change) in uses {
        for version in [45, 48, 49, 52, 69] {
            let of = |name| verdict(version, |p| change(p, name));
            for name in PLAIN {
                assert_eq!(of(name), Ok(()), "{name}, version {version}");
            }
            for name in LATER {
                let expected = if version < 49 { Err(kind) } else { Ok(()) };
                assert_eq!(of(name), expected, "{name}, version {version}");
            }
            for name in NEVER {
                assert_eq!(of(name), Err(kind), "{name}, version {version}");
            }
        }
    }
}

#[test]
fn only_class_names_may_contain_a_slash() {
    for version in [48, 52] {
        assert_eq!(verdict(version, |p| _ = p.class("a/b/c")), Ok(()));
        for name in ["/", "/a", "a/", "a//b"] {
            let outcome = verdict(version, |p| _ = p.class(name));
            assert_eq!(outcome, Err(Kind::ClassName), "{name}");
        }
        let field = verdict(version, |p| p.add_field(0, "a/b", "I"));
        let method = verdict(version, |p| p.add_method(0, "a/b", "()V"));
        assert_eq!(field, Err(Kind::FieldName));
        assert_eq!(method, Err(Kind::MethodName));
    }
}

#[test]
fn only_initializers_may_have_angle_brackets_in_their_names() {
    for name in [
        "<",
        ">",
        "<a>",
        "a<b",
        "a>b",
        "<init",
        "init>",
        "<inits>",
        "<clinit>>",
    ] {
        let method = verdict(52, |p| p.add_method(0, name, "()V"));
        assert_eq!(method, Err(Kind::MethodName), "{name}");
        assert_eq!(verdict(52, |p| p.add_field(0, name, "I")), Ok(()), "{name}");
        assert_eq!(verdict(52, |p| _ = p.class(name)), Ok(()), "{name}");
        let field = verdict(48, |p| p.add_field(0, name, "I"));
        assert_eq!(field, Err(Kind::FieldName), "{name}");
    }
    for version in [48, 52] {
        let constructor = verdict(version, |p| p.add_method(0, "<init>", "()V"));
        let initializer = verdict(version, |p| p.add_method(8, "<clinit>", "()V"));
        assert_eq!((constructor, initializer), (Ok(()), Ok(())));
    }
}

#[test]
fn the_name_of_an_array_class_is_its_descriptor() {
    let dimensions = |count| "[".repeat(count) + "I";
    for name in ["[I", "[[Z", "[La;", "[[La/b;", &dimensions(255)] {
        assert_eq!(verdict(52, |p| _ = p.class(name)), Ok(()), "{name}");
    }
    for name in [
        "[",
        "[V",
        "[a",
        "[La",
        "[L;",
        "[Q",
        "[I;",
        "[II",
        &dimensions(256),
    ] {
        let outcome = verdict(52, |p| _ = p.class(name));
        assert_eq!(outcome, Err(Kind::ClassName), "{name}");
    }
    // The string `I` is a valid class name. The string `La;` is not a valid class name.
    assert_eq!(verdict(52, |p| _ = p.class("I")), Ok(()));
    assert_eq!(verdict(52, |p| _ = p.class("La;")), Err(Kind::ClassName));
}

#[test]
fn class_names_in_descriptors_follow_the_version() {
    let kind = DescriptorErrorKind::ClassName;
    let later = ["La-b;", "L1a;", "[La b;"];
    for descriptor in later {
        let field = |version| verdict(version, |p| p.add_field(0, "g", descriptor));
        let method = |version, whole: &str| verdict(version, |p| p.add_method(0, "x", whole));
        assert_eq!(field(49), Ok(()));
        assert_eq!(field(48), Err(Kind::FieldDescriptor { kind }));
        for whole in [
            format!("({descriptor})V"),
            format!("(I{descriptor})V"),
            format!("(){descriptor}"),
        ] {
            assert_eq!(method(49, &whole), Ok(()));
            assert_eq!(method(48, &whole), Err(Kind::MethodDescriptor { kind }));
        }
    }
    for descriptor in ["La_1$/b;", "[[L\u{e9};"] {
        assert_eq!(verdict(48, |p| p.add_field(0, "g", descriptor)), Ok(()));
    }
}

#[test]
fn module_names_escape_special_characters() {
    let of = |name: &str| {
        verdict(53, |p| {
            p.become_module();
            let name = p.utf8(name);
            p.reference(19, &[name]);
        })
    };
    let accepted = [
        "java.base",
        "a/b",
        "a;[<>",
        " ",
        " \\\\",
        "\\\\",
        "a\\:b",
        "\\@",
        "\\\\\\:",
        "\u{e9}",
        "\u{7f}",
    ];
    for name in accepted {
        assert_eq!(of(name), Ok(()), "{name}");
    }
    let refused = [
        ":", "a:b", "@", "\\", "a\\", "\\a", "\\\\:", "\\\\\\", "\u{1}", "a\u{1f}", "\\\u{1f}",
    ];
    for name in refused {
        assert_eq!(of(name), Err(Kind::ModuleName), "{name}");
    }
}

#[test]
fn package_names_follow_the_rules_for_classes() {
    let of = |name: &str| {
        verdict(53, |p| {
            p.become_module();
            let name = p.utf8(name);
            p.reference(20, &[name]);
        })
    };
    assert_eq!(of("a/b"), Ok(()));
    assert_eq!(of("a.b"), Err(Kind::ClassName));
}

#[test]
fn descriptors_of_initializers_follow_the_version() {
    let of = |version, name: &str, descriptor: &str| {
        verdict(version, |p| p.add_method(8, name, descriptor))
    };
    let fault = Err(Kind::InitializerDescriptor);
    // From version 51 on, a class initializer has no parameters.
    assert_eq!(of(50, "<clinit>", "(I)V"), Ok(()));
    assert_eq!(of(51, "<clinit>", "(I)V"), fault);
    assert_eq!(of(51, "<clinit>", "()V"), Ok(()));
    assert_eq!(of(50, "<clinit>", "()I"), fault);
    let constructor = |descriptor: &str| verdict(52, |p| p.add_method(0, "<init>", descriptor));
    assert_eq!(constructor("(IJ)V"), Ok(()));
    assert_eq!(constructor("(I)I"), fault);
}

#[test]
fn identities_compare_bytes() {
    // The class has so many names that some have equal 16-bit hashes. The pool contains each name twice.
    const NAMES: u16 = 1_500;
    let mut parts = Parts::sample();
    parts.methods.clear();
    let native = |p: &mut Parts, name: u16, descriptor: u16| {
        let numbers = [0x0100, name, descriptor, 0];
        let bytes = numbers.iter().flat_map(|number: &u16| number.to_be_bytes());
        p.methods.push(bytes.collect());
    };
    let descriptors = [parts.utf8("()V"), parts.utf8("(I)V")];
    for descriptor in descriptors {
        for number in 0..NAMES {
            let name = format!("n{number}");
            let length = u8::try_from(name.len()).unwrap();
            let constant = [&[1, 0, length][..], name.as_bytes()].concat();
            let index = parts.add(&constant);
            native(&mut parts, index, descriptor);
        }
    }
    let bytes = parts.to_bytes();
    parse(&bytes, |class| {
        let names: Vec<_> = class
            .methods()
            .map(|method| method.name.to_string())
            .collect();
        let mut known = BTreeMap::new();
        let mut seen = BTreeMap::new();
        for (id, identity) in class.method_identities() {
            let name = &names[id.index()];
            // Each name must have a single identity, and each identity must belong to a single name.
            assert_eq!(*known.entry(name).or_insert(identity.name), identity.name);
            assert_eq!(*seen.entry(identity.name).or_insert(name), name);
        }
        assert_eq!((known.len(), names.len()), (1_500, 3_000));
    })
    .unwrap();
}
