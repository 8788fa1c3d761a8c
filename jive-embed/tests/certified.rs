//! Certificates of the shipped applets, and one byte of a certificate with each value. The crate `tests` has the law over
//! random classes.

use jive_core::ClassFile;
use jive_embed::{Policy, certify, check_certified};
use jive_verifier::CheckError;
use nic_core::sle::{NicEntry, NicNative};

const APPLET: Policy = Policy::Applet {
    entries: NicEntry::TABLE,
};

fn parsed(bytes: &[u8], run: impl FnOnce(ClassFile<'_>)) {
    let mut index = vec![0; ClassFile::index_len(bytes)];
    if let Ok(class) = ClassFile::parse(bytes, &mut index) {
        run(class);
    }
}

/// Returns whether the check accepts a class with a certificate.
fn accepts(class: ClassFile<'_>, policy: Policy, certificate: &[u8]) -> bool {
    check_certified(class, policy, NicNative::TABLE, certificate).is_ok()
}

#[test]
fn each_shipped_applet_passes_with_its_certificate_and_no_other() {
    for applet in applets::staged() {
        parsed(applet.class, |class| {
            let certificate = certify(class, APPLET, NicNative::TABLE).expect(applet.name);
            assert!(accepts(class, APPLET, &certificate), "{}", applet.name);
            assert!(!accepts(class, APPLET, &[]), "{}", applet.name);
            assert!(
                !accepts(class, APPLET, &certificate[1..]),
                "{}",
                applet.name
            );
            let longer = [&certificate[..], &[0]].concat();
            assert!(!accepts(class, APPLET, &longer), "{}", applet.name);
        });
    }
}

#[test]
fn a_certificate_is_judged_before_it_is_believed() {
    // At the loop's target, `x` is claimed to be an array: the claim does not cover the `int` that arrives there.
    let source = ".method static run(I)I stack 2 locals 1\nL:\n    iinc 0 -1\n    iload_0\n    ifgt L\n    \
                  iload_0\n    ireturn\n";
    let bytes = jive_lab::asm::assemble("loop", source)
        .expect("it is assembly")
        .bytes;
    parsed(&bytes, |class| {
        let honest = certify(class, Policy::ClassOnly, &[]).expect("a safe class");
        assert!(accepts(class, Policy::ClassOnly, &honest));
        // The first section is that of `run`: the count, the pc, the depth and the receiver precede its local variable.
        let local = 6;
        for bits in 0..=u8::MAX {
            let mut claimed = honest.clone();
            claimed[local] = bits;
            assert_eq!(
                accepts(class, Policy::ClassOnly, &claimed),
                bits == honest[local],
                "{bits}"
            );
        }
        let mut unreached = honest.clone();
        unreached[4..9].fill(0);
        let refused = check_certified(class, Policy::ClassOnly, &[], &unreached);
        assert!(
            matches!(refused, Err(CheckError::Certificate { .. })),
            "{refused:?}"
        );
    });
}
