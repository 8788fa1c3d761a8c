//! The members of an applet (CONTRACT §1).

use jive_core::{FieldId, MethodId};
use jive_verifier::{AppletMember, Location, Policy, VerifyError, VerifyErrorKind};

use crate::class_bytes::{ClassBytes, FINAL, NATIVE, STATIC, judge};

/// An applet, but for one member: that is written with other flags and another descriptor, or not
/// at all.
fn applet(changed: AppletMember, written: Option<(u16, &str)>) -> ClassBytes {
    let mut class = ClassBytes::new();
    let init = class.member(10, "java/lang/Object", "<init>", "()V");
    let [high, low] = init.to_be_bytes();
    for member in AppletMember::ALL {
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
            AppletMember::DoTx | AppletMember::DoRx if access & NATIVE != 0 => {
                class.bare_method(access, member.name(), descriptor);
            }
            AppletMember::DoTx | AppletMember::DoRx => {
                class.method(access, member.name(), descriptor, &[0x03, 0xac]);
            }
            AppletMember::RxBuf => {
                class.field(access, "RxBuf", descriptor);
            }
        }
    }
    class
}

fn verdict(class: &ClassBytes) -> Result<(), VerifyError> {
    judge(&class.bytes(), Policy::Applet, &mut ())
}

#[test]
fn members_may_be_static_or_not() {
    for access in [0, STATIC] {
        for member in [AppletMember::DoTx, AppletMember::DoRx, AppletMember::RxBuf] {
            let class = applet(member, Some((access, member.descriptor())));
            assert_eq!(verdict(&class), Ok(()), "{member}");
        }
    }
}

#[test]
fn a_missing_member_is_named() {
    for member in AppletMember::ALL {
        let class = applet(member, None);
        let kind = VerifyErrorKind::MissingMember { member };
        let at = Location::Class;
        assert_eq!(verdict(&class), Err(VerifyError { at, kind }), "{member}");
        // By itself the class is as good as any.
        assert_eq!(class.verdict(), Ok(()), "{member}");
    }
}

#[test]
fn a_member_of_another_descriptor_is_none() {
    let cases = [
        (
            AppletMember::Constructor,
            "(I)V",
            Location::Method(MethodId(0)),
        ),
        (AppletMember::DoTx, "(II)I", Location::Method(MethodId(1))),
        (AppletMember::DoRx, "(II)Z", Location::Method(MethodId(2))),
        (AppletMember::RxBuf, "[S", Location::Field(FieldId(0))),
    ];
    for (member, descriptor, at) in cases {
        let class = applet(member, Some((0, descriptor)));
        let kind = VerifyErrorKind::MemberDescriptor { member };
        assert_eq!(verdict(&class), Err(VerifyError { at, kind }), "{member}");
    }
}

#[test]
fn the_runtime_can_set_the_receive_buffer() {
    let class = applet(AppletMember::RxBuf, Some((FINAL, "[B")));
    let at = Location::Field(FieldId(0));
    let kind = VerifyErrorKind::FinalRxBuf;
    assert_eq!(verdict(&class), Err(VerifyError { at, kind }));
}

#[test]
fn the_receive_buffer_is_found_among_fields_of_its_name() {
    let mut class = applet(AppletMember::RxBuf, Some((0, "I")));
    class.field(STATIC, "RxBuf", "[B");
    assert_eq!(verdict(&class), Ok(()));
}
