//! Tests of the accessors of a parsed class, and of class files at the limits of what the parser accepts.

use jive_core::{
    ClassAccess, Constant, CpIndex, ExceptionHandler, FieldAccess, FieldId, MemberKind,
    MethodAccess, MethodId, Pc,
};

use crate::parse;
use crate::parts::Parts;

#[test]
fn the_sample_class_reads_back_unchanged() {
    let bytes = Parts::sample().to_bytes();
    parse(&bytes, |class| {
        assert_eq!(class.version().to_string(), "52.0");
        assert_eq!(class.access(), ClassAccess::PUBLIC | ClassAccess::SUPER);
        assert_eq!(class.name(), "T");
        assert_eq!(
            class
                .pool()
                .class_name(class.super_class().unwrap())
                .unwrap(),
            "java/lang/Object"
        );
        assert_eq!(class.interfaces().len(), 0);
        assert_eq!(class.source_file().unwrap(), "T.java");
        let field = class.field(FieldId(0)).unwrap();
        assert_eq!(field.access, FieldAccess::STATIC | FieldAccess::FINAL);
        assert_eq!(
            (field.name.as_bytes(), field.descriptor.as_bytes()),
            (&b"f"[..], &b"I"[..])
        );
        let value = class.pool().get(field.constant_value().unwrap());
        assert_eq!(value, Ok(Constant::Integer(7)));
        let [native, method] = [0, 1].map(|id| class.method(MethodId(id)).unwrap());
        assert_eq!(native.access, MethodAccess::STATIC | MethodAccess::NATIVE);
        assert!(native.code().is_none());
        let code = method.code().unwrap();
        assert_eq!(
            (code.max_stack, code.max_locals, code.bytes),
            (0, 0, &[0xb1][..])
        );
        assert_eq!(code.line(Pc(0)), Some(5));
        assert!(class.field(FieldId(1)).is_none() && class.method(MethodId(2)).is_none());
    })
    .unwrap();
}

#[test]
fn every_documented_version_is_accepted() {
    for major in 45..=69 {
        for minor in [0, 1, 3, 65_535] {
            let mut parts = Parts::sample();
            parts.version = (major, minor);
            // Up to major version 55, any minor version is valid. From major version 56 on, only the minor version 0 is
            // valid.
            let accepted = major <= 55 || minor == 0;
            assert_eq!(
                parse(&parts.to_bytes(), |_| ()).is_ok(),
                accepted,
                "{major}.{minor}"
            );
        }
    }
}

#[test]
fn an_unknown_attribute_is_skipped() {
    let mut parts = Parts::sample();
    let unknown = parts.attribute("unet.Unknown", &[1, 2, 3]);
    parts.attributes.push(unknown);
    let bytes = parts.to_bytes();
    parse(&bytes, |class| {
        assert_eq!(class.attributes().count(), 2);
        assert_eq!(
            class.attributes().find("unet.Unknown").unwrap().bytes,
            [1, 2, 3]
        );
    })
    .unwrap();
}

#[test]
fn a_constant_of_every_tag_reads_back() {
    let mut parts = Parts::sample();
    parts.version = (55, 0);
    let long = parts.add(&[5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]);
    let double = parts.add(&[6, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0]);
    let float = parts.add(&[4, 0xbf, 0x80, 0, 0]);
    let name = parts.utf8("T");
    let string = parts.reference(8, &[name]);
    let method = parts.member_reference(11, "m", "()V");
    let handle = parts.add(&[&[15, 9][..], &method.to_be_bytes()].concat());
    let name_and_type = parts.name_and_type("m", "()V");
    let call_site = parts.reference(18, &[0, name_and_type]);
    let bootstrap = parts.attribute(
        "BootstrapMethods",
        &[&[0, 1][..], &handle.to_be_bytes(), &[0, 0]].concat(),
    );
    parts.attributes.push(bootstrap);
    let bytes = parts.to_bytes();
    parse(&bytes, |class| {
        let pool = class.pool();
        assert_eq!(pool.get(CpIndex(long)), Ok(Constant::Long(-2)));
        assert!(pool.get(CpIndex(long + 1)).is_err());
        assert_eq!(pool.get(CpIndex(double)), Ok(Constant::Double(1.5)));
        assert_eq!(pool.get(CpIndex(float)), Ok(Constant::Float(-1.0)));
        assert_eq!(
            pool.get(CpIndex(string)),
            Ok(Constant::String {
                text: CpIndex(name)
            })
        );
        assert_eq!(
            pool.get(CpIndex(handle)),
            Ok(Constant::MethodHandle {
                kind: 9,
                member: CpIndex(method)
            })
        );
        assert_eq!(
            pool.get(CpIndex(call_site)),
            Ok(Constant::InvokeDynamic {
                bootstrap: 0,
                name_and_type: CpIndex(name_and_type)
            })
        );
        let member = pool.member(CpIndex(method)).unwrap();
        assert_eq!(member.kind, MemberKind::InterfaceMethod);
        assert!(member.class == "T" && member.name == "m" && member.descriptor == "()V");
    })
    .unwrap();
}

#[test]
fn a_pool_of_65535_entries_is_accepted() {
    let mut parts = Parts::sample();
    while parts.pool.len() < 65_534 {
        parts.pool.push(vec![3, 0, 0, 0, 0]);
    }
    assert_eq!(
        parse(&parts.to_bytes(), |class| class.pool().count()),
        Ok(65_535)
    );
}

#[test]
fn an_exception_table_reads_back_in_file_order() {
    let mut parts = Parts::sample();
    let class = parts.class("java/lang/Throwable");
    let code = parts.code(1, 0, &[0, 0, 0xb1], &[[0, 3, 2, class], [1, 2, 0, 0]], &[]);
    parts.replace_code(code);
    let bytes = parts.to_bytes();
    let handlers = parse(&bytes, |class| {
        class
            .method(MethodId(1))
            .unwrap()
            .code()
            .unwrap()
            .exceptions()
            .collect::<Vec<_>>()
    });
    let first = ExceptionHandler {
        start: Pc(0),
        end: Pc(3),
        handler: Pc(2),
        catch_type: Some(CpIndex(class)),
    };
    let second = ExceptionHandler {
        start: Pc(1),
        end: Pc(2),
        handler: Pc(0),
        catch_type: None,
    };
    assert_eq!(handlers, Ok(vec![first, second]));
}

#[test]
fn nearest_line_is_found_in_unordered_tables() {
    let mut parts = Parts::sample();
    let late = parts.attribute("LineNumberTable", &[0, 2, 0, 4, 0, 40, 0, 2, 0, 20]);
    let early = parts.attribute("LineNumberTable", &[0, 2, 0, 1, 0, 10, 0, 2, 0, 21]);
    let code = parts.code(0, 0, &[0, 0, 0, 0, 0, 0xb1], &[], &[late, early]);
    parts.replace_code(code);
    let bytes = parts.to_bytes();
    let lines = parse(&bytes, |class| {
        let code = class.method(MethodId(1)).unwrap().code().unwrap();
        [0, 1, 2, 3, 4, 5].map(|pc| code.line(Pc(pc)))
    });
    // Two line number entries have pc 2. At pc 2 itself, the first line number entry wins. After pc 2, the last line
    // number entry wins.
    assert_eq!(
        lines,
        Ok([None, Some(10), Some(20), Some(21), Some(40), Some(40)])
    );
}

#[test]
fn an_old_class_initializer_is_static_without_the_flag() {
    let mut parts = Parts::sample();
    parts.version = (50, 0);
    parts.add_method(0x0011, "<clinit>", "()V");
    let bytes = parts.to_bytes();
    let access = parse(&bytes, |class| class.method(MethodId(2)).unwrap().access);
    assert_eq!(access, Ok(MethodAccess::STATIC));
}

#[test]
fn members_with_equal_names_may_differ_by_descriptor() {
    let mut parts = Parts::sample();
    parts.add_method(0, "m", "(I)V");
    parts.add_field(0, "f", "J");
    let bytes = parts.to_bytes();
    let descriptors = parse(&bytes, |class| {
        class
            .methods()
            .map(|method| method.descriptor.to_string())
            .collect::<Vec<_>>()
    });
    // The methods are in file order, because the search for duplicates sorts methods and must restore their order.
    assert_eq!(
        descriptors,
        Ok(vec!["()V".to_owned(), "()V".to_owned(), "(I)V".to_owned()])
    );
}

#[test]
fn a_constant_value_of_an_instance_field_is_ignored() {
    let mut parts = Parts::sample();
    let value = parts.attribute("ConstantValue", &[0xff]);
    let field = parts.member(0, "g", "I", &[value]);
    parts.fields.push(field);
    let bytes = parts.to_bytes();
    assert_eq!(
        parse(&bytes, |class| class
            .field(FieldId(1))
            .unwrap()
            .constant_value()),
        Ok(None)
    );
}
