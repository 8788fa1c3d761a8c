//! Required members of an applet (docs/subset.md).

use jive_core::{FieldId, MethodId, entries};
use jive_verifier::{AppletMember, Location, Policy, VerifyError, VerifyErrorKind};

use crate::class_bytes::{ClassBytes, FINAL, NATIVE, STATIC, judge};

enum Cost {
    Free,
}

entries! {
    enum Called, cost Cost {
        /// Required.
        Send = send(length, channel, offset), required, Free;
        /// Required too.
        Take = take(length, channel), required, Free;
        /// Not required.
        Tick = tick(), optional, Free;
    }
}

const SEND: AppletMember = AppletMember::Entry(Called::Send.decl());
const TAKE: AppletMember = AppletMember::Entry(Called::Take.decl());
const TICK: AppletMember = AppletMember::Entry(Called::Tick.decl());

/// Every member that an applet may need, in the order in which the tests write them.
const ALL: [AppletMember; 5] = [
    AppletMember::Constructor,
    SEND,
    TAKE,
    TICK,
    AppletMember::RxBuf,
];

/// Returns an applet in which one member is changed. `written` has the flags and descriptor of the changed member, or
/// is `None` to leave the member out.
fn applet(changed: AppletMember, written: Option<(u16, &str)>) -> ClassBytes {
    let mut class = ClassBytes::new();
    let init = class.member(10, "java/lang/Object", "<init>", "()V");
    let [high, low] = init.to_be_bytes();
    for member in ALL {
        let (access, descriptor) = if member == changed {
            match written {
                Some(written) => written,
                None => continue,
            }
        } else {
            (0, member.descriptor())
        };
        match member {
            AppletMember::Constructor => {
                class.method(access, "<init>", descriptor, &[0x2a, 0xb7, high, low, 0xb1]);
            }
            AppletMember::Entry(entry) if access & NATIVE != 0 => {
                class.bare_method(access, entry.name, descriptor);
            }
            AppletMember::Entry(entry) => {
                class.method(access, entry.name, descriptor, &[0x03, 0xac]);
            }
            AppletMember::RxBuf => {
                class.field(access, "RxBuf", descriptor);
            }
        }
    }
    class
}

fn verdict(class: &ClassBytes) -> Result<(), VerifyError> {
    let entries = Called::TABLE;
    judge(&class.bytes(), Policy::Applet { entries }, &mut ())
}

#[test]
fn members_may_be_static_or_not() {
    for access in [0, STATIC] {
        for member in [SEND, TAKE, TICK, AppletMember::RxBuf] {
            let class = applet(member, Some((access, member.descriptor())));
            assert_eq!(verdict(&class), Ok(()), "{member}");
        }
    }
}

#[test]
fn a_missing_member_is_named() {
    for member in [AppletMember::Constructor, SEND, TAKE, AppletMember::RxBuf] {
        let class = applet(member, None);
        let kind = VerifyErrorKind::MissingMember { member };
        let at = Location::Class;
        assert_eq!(verdict(&class), Err(VerifyError { at, kind }), "{member}");
        // The class is accepted if no applet policy is applied.
        assert_eq!(class.verdict(), Ok(()), "{member}");
    }
}

#[test]
fn an_optional_entry_may_be_missing() {
    assert_eq!(verdict(&applet(TICK, None)), Ok(()));
}

#[test]
fn the_method_of_an_entry_is_found() {
    let find = |class: &ClassBytes| {
        let bytes = class.bytes();
        let mut index = vec![0; jive_core::ClassFile::index_len(&bytes)];
        let class = jive_core::ClassFile::parse(&bytes, &mut index).unwrap();
        [Called::Take.of(&class), Called::Tick.of(&class)]
    };
    let whole = applet(TICK, Some((0, "()I")));
    assert_eq!(find(&whole), [Some(MethodId(2)), Some(MethodId(3))]);
    assert_eq!(find(&applet(TICK, None)), [Some(MethodId(2)), None]);
    assert!(matches!(Called::Tick.cost(), Cost::Free));
}

#[test]
fn a_member_with_another_descriptor_is_rejected() {
    let cases = [
        (
            AppletMember::Constructor,
            "(I)V",
            Location::Method(MethodId(0)),
        ),
        (SEND, "(II)I", Location::Method(MethodId(1))),
        (TAKE, "(II)Z", Location::Method(MethodId(2))),
        (TICK, "()V", Location::Method(MethodId(3))),
        (AppletMember::RxBuf, "[S", Location::Field(FieldId(0))),
    ];
    for (member, descriptor, at) in cases {
        let class = applet(member, Some((0, descriptor)));
        let kind = VerifyErrorKind::MemberDescriptor { member };
        assert_eq!(verdict(&class), Err(VerifyError { at, kind }), "{member}");
    }
}

#[test]
fn a_final_receive_buffer_is_rejected() {
    let class = applet(AppletMember::RxBuf, Some((FINAL, "[B")));
    let at = Location::Field(FieldId(0));
    let kind = VerifyErrorKind::FinalRxBuf;
    assert_eq!(verdict(&class), Err(VerifyError { at, kind }));
}

#[test]
fn receive_buffer_is_found_among_fields_of_its_name() {
    let mut class = applet(AppletMember::RxBuf, Some((0, "I")));
    class.field(STATIC, "RxBuf", "[B");
    assert_eq!(verdict(&class), Ok(()));
}
