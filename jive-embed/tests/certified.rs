//! Classes with certificates: the check accepts each honest one, and nothing that the verifier rejects.

#[path = "../../nic-runtime/tests/shared/runs.rs"]
mod runs;

use jive_core::{ClassFile, Code, raw_instructions};
use jive_embed::{Policy, certify, check_certified, verify_class};
use jive_lab::Random;
use jive_lab::generate::{Kind, Smith};
use jive_verifier::{CheckError, certified_len};
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

/// Changes a certificate in one of a few ways.
fn mutate(certificate: &mut Vec<u8>, random: &mut Random) {
    /// The bytes of types, of unusable values, and of nothing.
    const TYPES: [u8; 11] = [0, 1, 2, 4, 0x0c, 0x14, 0x24, 0x44, 0x84, 0xfc, 0xff];
    for _ in 0..=random.below(3) {
        if certificate.is_empty() {
            return;
        }
        let at = random.below(certificate.len());
        match random.below(6) {
            0 => certificate[at] = TYPES[random.below(TYPES.len())],
            1 => certificate[at] = random.bytes(1)[0],
            2 => certificate[at] = certificate[at].wrapping_add(1),
            3 => {
                certificate.remove(at);
            }
            4 => certificate.insert(at, TYPES[random.below(TYPES.len())]),
            _ => certificate.truncate(at),
        }
    }
}

/// Returns a certificate with these types at every branch target, for a class that has no honest one.
fn claimed(class: &ClassFile<'_>, random: &mut Random) -> Vec<u8> {
    let mut certificate = Vec::new();
    for code in class.methods().filter_map(|method| method.code()) {
        let targets = raw_instructions(code.bytes).flat_map(|insn| insn.targets());
        let mut targets = targets
            .filter_map(|target| u16::try_from(target).ok())
            .collect::<Vec<_>>();
        targets.sort_unstable();
        targets.dedup();
        certificate.extend(u16::try_from(targets.len()).expect("16 bits").to_be_bytes());
        for target in targets {
            certificate.extend(target.to_be_bytes());
            certificate.extend(state(&code, random));
        }
    }
    certificate
}

/// Returns a state that a verifier could have found.
fn state(code: &Code<'_>, random: &mut Random) -> Vec<u8> {
    const USABLE: [u8; 5] = [1, 4, 0x0c, 0x84, 0xfc];
    let mut state = vec![0; certified_len(code) - 2];
    if random.one_in(8) {
        return state;
    }
    let most = usize::from(code.max_stack).min(3);
    let depth = if random.one_in(3) {
        random.below(most + 1)
    } else {
        0
    };
    state[0] = u8::try_from(depth).expect("at most 3");
    state[1] = [0xff, 0x84, 2][random.below(3)];
    let locals = usize::from(code.max_locals);
    for value in &mut state[2..2 + locals] {
        *value = if random.one_in(2) {
            0xff
        } else {
            USABLE[random.below(5)]
        };
    }
    for value in &mut state[2 + locals..2 + locals + depth] {
        *value = USABLE[random.below(5)];
    }
    state
}

/// How many certificates of each kind were judged, and how many of them were accepted.
#[derive(Debug, Default)]
struct Judged {
    honest: u64,
    mutated: [u64; 2],
    foreign: [u64; 2],
    claimed: [u64; 2],
    rejected: u64,
}

#[test]
fn the_check_accepts_only_what_the_verifier_accepts() {
    let smith = Smith::new(
        applets::ALL
            .iter()
            .map(|applet| applet.class.to_vec())
            .collect(),
    );
    let mut judged = Judged::default();
    let mut last = Vec::new();
    for seed in 0..runs::runs(500) {
        let random = &mut Random::new(&seed.to_le_bytes());
        let bytes = smith.class(Kind::draw(random), random);
        let policy = if random.one_in(4) {
            APPLET
        } else {
            Policy::ClassOnly
        };
        parsed(&bytes, |class| {
            let natives = NicNative::TABLE;
            let verdict = verify_class(class, policy, natives, &mut ()).map(drop);
            let agrees = |certificate: &[u8], tally: &mut [u64; 2]| {
                let is_accepted = accepts(class, policy, certificate);
                tally[usize::from(is_accepted)] += 1;
                assert!(!is_accepted || verdict.is_ok(), "seed {seed}: {verdict:?}");
            };
            agrees(&last, &mut judged.foreign);
            agrees(&claimed(&class, random), &mut judged.claimed);
            match certify(class, policy, natives) {
                Ok(honest) => {
                    assert!(verdict.is_ok(), "seed {seed}: {verdict:?}");
                    assert!(accepts(class, policy, &honest), "seed {seed}");
                    judged.honest += 1;
                    last = honest;
                }
                Err(error) => {
                    assert!(
                        verdict.is_err(),
                        "seed {seed}: only a certificate fails: {error:?}"
                    );
                    judged.rejected += 1;
                }
            }
            let mut mutated = last.clone();
            mutate(&mut mutated, random);
            agrees(&mutated, &mut judged.mutated);
        });
    }
    println!("{judged:?}");
    // Each kind of certificate has been accepted and refused, so that the law could have failed.
    let Judged {
        honest,
        mutated,
        claimed,
        rejected,
        foreign,
    } = judged;
    assert!(honest > 0 && rejected > 0 && foreign[0] > 0);
    assert!(mutated.iter().chain(&claimed).all(|count| *count > 0));
}
