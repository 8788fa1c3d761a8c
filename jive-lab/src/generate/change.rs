//! Changes to valid bodies and class files: one instruction of a body, its branches, a part of the structure, or bytes.

use jive_core::Opcode;

use super::alphabet::{Alphabet, Effect, Kind};
use super::body::{Body, Piece};
use crate::Random;

/// Breaks one instruction of a body. By chance, the changed body may be well-typed.
pub fn break_one(body: &mut Body, alphabet: &Alphabet, random: &mut Random) {
    let place = random.below(body.pieces.len());
    let other = Piece::Symbol(random.below(alphabet.symbols.len()));
    match random.below(14) {
        10.. => confuse(body, alphabet, random),
        0..=2 => body.pieces[place] = other,
        3 => {
            body.pieces.remove(place);
            retarget(body, |target| target - usize::from(target > place));
        }
        4 => {
            body.pieces.insert(place, other);
            retarget(body, |target| target + usize::from(target > place));
        }
        5 => body.pieces.swap(place, place.saturating_sub(1)),
        6 | 7 => change_branch(body, random),
        8 => body.max_stack = u16::try_from(random.below(6)).expect("below 6"),
        _ => body.max_locals = u16::try_from(random.below(6)).expect("below 6"),
    }
}

/// Replaces an instruction by one whose effect differs only in the type of a reference.
fn confuse(body: &mut Body, alphabet: &Alphabet, random: &mut Random) {
    let mut changes = Vec::new();
    for (place, piece) in body.pieces.iter().enumerate() {
        let Piece::Symbol(number) = *piece else {
            continue;
        };
        let effect = &alphabet.symbols[number].effect;
        let others = alphabet.symbols.iter().enumerate();
        let alike = others.filter(|(_, other)| is_confusable(effect, &other.effect));
        changes.extend(alike.map(|(other, _)| (place, other)));
    }
    if !changes.is_empty() {
        let (place, other) = changes[random.below(changes.len())];
        body.pieces[place] = Piece::Symbol(other);
    }
}

/// Returns whether the effects of two instructions differ only in the type of a reference.
fn is_confusable(one: &Effect, other: &Effect) -> bool {
    let alike = |one: &[Kind], other: &[Kind]| {
        let mut pairs = one.iter().zip(other);
        one.len() == other.len()
            && pairs.all(|(one, other)| (*one == Kind::Int) == (*other == Kind::Int))
    };
    match (one, other) {
        (Effect::Fixed(pops, pushes), Effect::Fixed(other_pops, other_pushes)) => {
            one != other && alike(pops, other_pops) && alike(pushes, other_pushes)
        }
        (Effect::Load(local, false), Effect::Load(another, false)) => local != another,
        _ => false,
    }
}

fn retarget(body: &mut Body, to: impl Fn(usize) -> usize) {
    for piece in &mut body.pieces {
        match piece {
            Piece::Branch(_, target) => *target = to(*target),
            Piece::Table(targets) => *targets = targets.map(&to),
            Piece::Symbol(_) => {}
        }
    }
}

/// Changes the target or the opcode of a branch.
fn change_branch(body: &mut Body, random: &mut Random) {
    let target = random.below(body.pieces.len() + 1);
    let branches: Vec<usize> = (0..body.pieces.len())
        .filter(|place| !matches!(body.pieces[*place], Piece::Symbol(_)))
        .collect();
    if branches.is_empty() {
        let place = random.below(body.pieces.len());
        body.pieces[place] = Piece::Branch(Opcode::Goto, target);
        return;
    }
    let opcodes = [
        Opcode::Goto,
        Opcode::Ifeq,
        Opcode::Ifnull,
        Opcode::IfIcmplt,
        Opcode::IfAcmpeq,
        Opcode::GotoW,
    ];
    let opcode = opcodes[random.below(opcodes.len())];
    match &mut body.pieces[branches[random.below(branches.len())]] {
        Piece::Branch(kind, _) if random.one_in(2) => *kind = opcode,
        Piece::Branch(_, to) => *to = target,
        Piece::Table(targets) => targets[random.below(3)] = target,
        Piece::Symbol(_) => unreachable!("they were filtered out"),
    }
}

/// Returns a class file with a changed body: switches take the place of some instructions, and some branches lead into
/// instructions. The code can have more leaders than instructions.
pub fn scatter(body: &mut Body, alphabet: &Alphabet, random: &mut Random) -> Vec<u8> {
    let length = body.pieces.len();
    for piece in &mut body.pieces {
        if random.one_in(3) {
            *piece = Piece::Table([(); 3].map(|()| random.below(length)));
        }
    }
    let often = 1 + random.below(8);
    body.class_with_targets(alphabet, |target, end| {
        if random.one_in(often) {
            random.below(end + 1)
        } else {
            target
        }
    })
}

/// Changes one or two bytes of a class file; half of the changes flip a single bit.
pub fn change_bytes(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..=random.below(2) {
        // Only bytes after the version are changed, because the version selects OpenJDK's verifier.
        let at = 8 + random.below(bytes.len() - 8);
        let [byte, ..] = random.draw().to_be_bytes();
        if random.one_in(2) {
            bytes[at] ^= 1 << (byte % 8);
        } else {
            bytes[at] = byte;
        }
    }
}

/// Offsets of the parts of a class file.
#[derive(Clone, Debug, Default)]
struct Layout {
    /// Offset of the tag of each constant.
    constants: Vec<usize>,
    /// Offset of the class's access flags, which `this_class` and `super_class` follow.
    class: usize,
    /// Offset of each field and method, which starts with its access flags.
    members: Vec<usize>,
    /// Offset of each attribute of a field or method, which starts with its name and length.
    attributes: Vec<usize>,
}

/// Returns the layout of a well-formed class file, or `None` for a malformed one.
fn layout(bytes: &[u8]) -> Option<Layout> {
    let half = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let mut layout = Layout::default();
    let mut at = 10;
    let mut index = 1;
    while index < half(8)? {
        layout.constants.push(at);
        let tag = *bytes.get(at)?;
        index += if matches!(tag, 5 | 6) { 2 } else { 1 };
        // JVMS §4.4 defines the length of each kind of constant, tag included.
        at += match tag {
            1 => 3 + usize::from(half(at + 1)?),
            3 | 4 | 9..=12 | 17 | 18 => 5,
            5 | 6 => 9,
            7 | 8 | 16 | 19 | 20 => 3,
            15 => 4,
            _ => return None,
        };
    }
    layout.class = at;
    at += 8 + 2 * usize::from(half(at + 6)?);
    for _ in 0..2 {
        let count = half(at)?;
        at += 2;
        for _ in 0..count {
            layout.members.push(at);
            let attributes = half(at + 6)?;
            at += 8;
            for _ in 0..attributes {
                layout.attributes.push(at);
                let high = usize::from(half(at + 2)?);
                at += 6 + (high << 16) + usize::from(half(at + 4)?);
            }
        }
    }
    Some(layout)
}

/// Changes one number or character in the structure of a well-formed class file.
pub fn change_structure(bytes: &mut [u8], random: &mut Random) {
    let Some(layout) = layout(bytes) else {
        return;
    };
    let pick = |from: &[usize], random: &mut Random| from[random.below(from.len())];
    let count = layout.constants.len() + 2;
    let index = u16::try_from(random.below(count)).expect("a small pool");
    let flag = 1_u16 << random.below(16);
    match random.below(12) {
        0..=3 => change_constant(bytes, pick(&layout.constants, random), index, random),
        4 => set(bytes, layout.class, |flags| flags ^ flag),
        5 => set(bytes, layout.class + 2 + 2 * random.below(2), |_| index),
        6 | 7 => set(bytes, pick(&layout.members, random), |flags| flags ^ flag),
        8 | 9 => {
            let member = pick(&layout.members, random);
            set(bytes, member + 2 + 2 * random.below(2), |_| index);
        }
        10 if !layout.attributes.is_empty() => {
            let attribute = pick(&layout.attributes, random);
            let small = u16::try_from(random.below(8)).expect("below 8");
            match random.below(4) {
                0 => set(bytes, attribute, |_| index),
                1 => set(bytes, attribute + 4, |length| length.wrapping_add(small)),
                // In a `Code` attribute, `max_stack` and `max_locals` follow the attribute's length.
                2 => set(bytes, attribute + 6, |_| small),
                _ => set(bytes, attribute + 8, |_| small),
            }
        }
        // The change sets the major version to one for which OpenJDK infers types (JVMS §4.10).
        _ => set(bytes, 6, |_| 45 + index % 5),
    }
}

/// Changes the contents or the kind of a constant.
fn change_constant(bytes: &mut [u8], at: usize, index: u16, random: &mut Random) {
    const LETTERS: &[u8] = b"()[IBSZLVJCFD;/<>init.aA";
    if random.one_in(10) {
        let tags = [1, 3, 4, 7, 8, 9, 10, 11, 12];
        bytes[at] = tags[random.below(tags.len())];
        return;
    }
    match bytes[at] {
        1 => {
            let length = usize::from(u16::from_be_bytes([bytes[at + 1], bytes[at + 2]]));
            if length > 0 {
                let letter = LETTERS[random.below(LETTERS.len())];
                bytes[at + 3 + random.below(length)] = letter;
            }
        }
        9..=12 => set(bytes, at + 1 + 2 * random.below(2), |_| index),
        _ => set(bytes, at + 1, |_| index),
    }
}

/// Changes the two-byte number at the offset `at`, if the class file is long enough.
fn set(bytes: &mut [u8], at: usize, change: impl FnOnce(u16) -> u16) {
    if let Some([high, low]) = bytes.get_mut(at..at + 2) {
        let changed = change(u16::from_be_bytes([*high, *low])).to_be_bytes();
        [*high, *low] = changed;
    }
}
