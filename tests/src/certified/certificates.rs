//! Certificates that nobody should believe: those of rejected classes, changed ones, and random ones.

use std::collections::BTreeMap;

use jive_core::{ClassFile, Code, MethodId, Pc, raw_instructions};
use jive_embed::verify_class;
use jive_lab::Random;
use jive_verifier::{Observer, Policy, TypeState, certified_len, certify};
use nic_core::sle::NicNative;

/// Changes a certificate in one of a few ways.
pub fn mutate(certificate: &mut Vec<u8>, random: &mut Random) {
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

/// Returns a certificate with random types at every branch target.
pub fn claimed(class: &ClassFile<'_>, random: &mut Random) -> Vec<u8> {
    written(class, |_, code, pc| {
        [&pc.0.to_be_bytes()[..], &state(code, random)].concat()
    })
}

/// Returns a certificate with the types that the verifier had inferred when it rejected or accepted a class: for an
/// accepted class its own, and for a rejected class one that is wrong in as few places as it can be.
pub fn inferred(class: &ClassFile<'_>, policy: Policy) -> Vec<u8> {
    let mut states = States(BTreeMap::new());
    // The verdict does not matter here.
    let _: Result<_, _> = verify_class(*class, policy, NicNative::TABLE, &mut states);
    written(class, |method, code, pc| {
        let mut entry = vec![0; certified_len(code)];
        certify(pc, None, &mut entry);
        if let Some(state) = states.0.get(&(method, pc)) {
            entry[2..2 + state.len()].copy_from_slice(state);
        }
        entry
    })
}

/// The states that the verifier had inferred, as in a certificate but without the operands that are absent.
struct States(BTreeMap<(MethodId, Pc), Vec<u8>>);

impl Observer for States {
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        let length = 4 + state.locals().len() + state.stack().len();
        let mut entry = vec![0; length];
        certify(pc, Some(state), &mut entry);
        self.0.insert((method, pc), entry.split_off(2));
    }

    fn failed(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        self.reached(method, pc, state);
    }
}

/// Returns a certificate with an entry for each branch target of a class.
fn written(
    class: &ClassFile<'_>,
    mut entry: impl FnMut(MethodId, &Code<'_>, Pc) -> Vec<u8>,
) -> Vec<u8> {
    let mut certificate = Vec::new();
    for (method, code) in class
        .methods()
        .filter_map(|method| Some((method.id, method.code()?)))
    {
        let targets = raw_instructions(code.bytes).flat_map(|insn| insn.targets());
        let mut targets = targets
            .filter_map(|target| u16::try_from(target).ok())
            .collect::<Vec<_>>();
        targets.sort_unstable();
        targets.dedup();
        certificate.extend(u16::try_from(targets.len()).expect("16 bits").to_be_bytes());
        for target in targets {
            certificate.extend(entry(method, &code, Pc(target)));
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
