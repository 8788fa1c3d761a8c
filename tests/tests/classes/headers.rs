//! Class file versions, patched into the header of a valid class.

use jive_lab::asm::assemble;
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};
use tests::fixture::{Outcome, Place};
use tests::machine::judge;

const MINORS: [u16; 9] = [0, 1, 2, 3, 54, 55, 56, 1000, u16::MAX];

/// Overwrites `minor_version` and `major_version` (JVMS §4.1).
fn patched(class: &[u8], major: u16, minor: u16) -> Vec<u8> {
    let mut bytes = class.to_vec();
    bytes[4..6].copy_from_slice(&minor.to_be_bytes());
    bytes[6..8].copy_from_slice(&major.to_be_bytes());
    bytes
}

/// Returns the expected result: majors 45 to 69 are accepted, with minor 0, and below major 56 with any minor.
fn expected(major: u16, minor: u16) -> Outcome {
    let known = (45..=69).contains(&major) && (major <= 55 || minor == 0);
    if known {
        Outcome::Accepted
    } else {
        Outcome::Rejected {
            code: "malformed/version".to_owned(),
            at: Place::Byte(4),
        }
    }
}

fn compare(class: &[u8], majors: impl Iterator<Item = u16>) {
    for major in majors {
        for minor in MINORS {
            let found = judge(
                &patched(class, major, minor),
                Policy::Applet {
                    entries: NicEntry::TABLE,
                },
                NicNative::TABLE,
            );
            assert_eq!(found, expected(major, minor), "version {major}.{minor}");
        }
    }
}

#[test]
fn versions_45_to_69_are_accepted_and_no_other() {
    let class = assemble("applet", "")
        .expect("an empty source is an applet")
        .bytes;
    compare(&class, (0..=100).chain([1000, u16::MAX]));
}

#[test]
fn a_class_of_a_compiler_is_accepted_under_every_version() {
    compare(applets::RAW_UNET.class, 44..=70);
}
