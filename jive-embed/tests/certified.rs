//! Certificates of the shipped applets, and one byte of a certificate with each value. The crate `tests` has the law over
//! random classes.

use core::mem::MaybeUninit;

use jive_core::{ClassFile, MethodId, Pc};
use jive_embed::{Policy, certify, check_certified};
use jive_load::{CertifiedError, Storage, load_certified};
use jive_verifier::{CheckError, Location};
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
fn a_device_loads_each_shipped_applet_with_its_certificate_in_lent_memory() {
    // The firmware lends as much.
    let mut kept = [MaybeUninit::uninit(); 24 << 10];
    let mut scratch = [MaybeUninit::uninit(); 10 << 10];
    let mut load = |bytes: &[u8], certificate: &[u8], scratch_bytes: usize| {
        let kept = Storage::new(&mut kept);
        let scratch = Storage::new(&mut scratch[..scratch_bytes]);
        let both = (bytes, certificate);
        let loaded = load_certified(both, APPLET, NicNative::TABLE, &kept, &scratch)?;
        // The linked class lies in the same memory, and is what was loaded.
        let linked = kept.keep(loaded).expect("there is room for it");
        Ok::<u32, CertifiedError>(linked.program.code_bytes())
    };
    for applet in applets::staged() {
        parsed(applet.class, |class| {
            let name = applet.name;
            let certificate = certify(class, APPLET, NicNative::TABLE).expect(name);
            let codes = class.methods().filter_map(|method| method.code());
            let code_bytes = codes.map(|code| code.bytes.len() as u32).sum();
            for _ in 0..2 {
                let loaded = load(applet.class, &certificate, 10 << 10);
                assert_eq!(loaded, Ok(code_bytes), "{name}");
            }
            let misfit = load(applet.class, &[], 10 << 10).expect_err(name);
            assert_eq!(misfit.code(), "certificate", "{name}");
            // Without room for its constants, no part of the class can be checked.
            let no_room = load(applet.class, &certificate, 64).expect_err(name);
            let at = Location::Class;
            assert_eq!(no_room, CheckError { at }.into(), "{name}");
            let cut = load(&applet.class[..20], &certificate, 10 << 10).expect_err(name);
            assert!(matches!(cut, CertifiedError::Parse(_)), "{name}: {cut:?}");
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
        // The certificate says that no path reaches the loop, whose first instruction follows the method's entry.
        let at = Location::Code {
            method: MethodId(0),
            pc: Pc(0),
        };
        assert_eq!(refused.map(drop), Err(CheckError { at }));
    });
}
