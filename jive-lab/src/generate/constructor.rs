//! Generates constructors with control flow, and decides which are legal: `Object.<init>` must be called exactly once
//! on every path.
//!
//! A constructor's body is a list of steps of several instructions, so that branches skip more than one instruction.
//! [`legal`] judges a body path by path, by JVMS §4.9.2 and §4.10.2.4, independently of the verifier.

use std::collections::BTreeSet;

use jive_core::Opcode;

use super::alphabet::{Alphabet, Family};
use super::body::{Body, Piece};
use crate::Random;

/// A step of a constructor. Branch targets are indices of steps; a `return` follows the last step.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// No instruction.
    Nop,
    /// Calls `Object.<init>` on local variable 0.
    Construct,
    /// Calls `Object.<init>` on the copy of local variable 0 that `Copy` makes.
    ConstructCopy,
    /// Copies local variable 0.
    Copy,
    /// Overwrites local variable 0 with an `int`.
    Lose,
    /// Loads local variable 0 and pops the loaded value.
    Load,
    /// Stores an `int` in a field of the constructed object.
    Set,
    /// Stores the constructed object in one of its own fields.
    Keep,
    /// Stores the constructed object in a static field.
    Escape,
    /// Calls a method of the constructed object.
    Call,
    /// Returns.
    Return,
    /// Branches to a step if a native returns a negative number.
    If(usize),
    /// Jumps to a step.
    Goto(usize),
    /// Switches on a native's result to one of three steps: first case, second case, default.
    Switch([usize; 3]),
}

impl Step {
    /// Returns the instructions of the step, without the branch at the end of the step.
    fn lines(self) -> &'static [&'static str] {
        match self {
            Step::Nop => &["nop"],
            Step::Construct => &["aload_0", "invokespecial java/lang/Object.<init>()V"],
            Step::ConstructCopy => &["aload 5", "invokespecial java/lang/Object.<init>()V"],
            Step::Copy => &["aload_0", "astore 5"],
            Step::Lose => &["iconst_1", "istore_0"],
            Step::Load => &["aload_0", "pop"],
            Step::Set => &["aload_0", "iconst_1", "putfield count:I"],
            Step::Keep => &["aload_0", "aload_0", "putfield own:LFixture;"],
            Step::Escape => &["aload_0", "putstatic self:LFixture;"],
            Step::Call => &["aload_0", "iconst_1", "invokevirtual member(I)I", "pop"],
            Step::Return => &["return"],
            Step::If(_) => &["invokestatic unet/Nic.getFreeBuffer()I"],
            Step::Goto(_) => &[],
            Step::Switch(_) => &["invokestatic unet/Nic.getFreeBuffer()I", "iconst_1", "iand"],
        }
    }

    /// Returns the indices of the steps that may follow this step, whose index is `place`.
    fn successors(self, place: usize) -> Vec<usize> {
        match self {
            Step::Return => Vec::new(),
            Step::If(target) => vec![target, place + 1],
            Step::Goto(target) => vec![target],
            Step::Switch(targets) => targets.to_vec(),
            _ => vec![place + 1],
        }
    }

    /// Returns the step with its branch targets increased by `by`.
    fn moved(self, by: usize) -> Step {
        match self {
            Step::If(target) => Step::If(target + by),
            Step::Goto(target) => Step::Goto(target + by),
            Step::Switch(targets) => Step::Switch(targets.map(|target| target + by)),
            other => other,
        }
    }
}

/// Returns the constructor's body that consists of these steps.
#[must_use]
pub fn body(steps: &[Step], alphabet: &Alphabet) -> Body {
    let mut body = Body::new(Family::Constructor);
    let all = || steps.iter().copied().chain([Step::Return]);
    let mut places = Vec::with_capacity(steps.len() + 1);
    let mut next = 0;
    for step in all() {
        places.push(next);
        let branches = matches!(step, Step::If(_) | Step::Goto(_) | Step::Switch(_));
        next += step.lines().len() + usize::from(branches);
    }
    for step in all() {
        let lines = step.lines().iter();
        body.pieces
            .extend(lines.map(|line| Piece::Symbol(alphabet.symbol(line))));
        match step {
            Step::If(target) => body
                .pieces
                .push(Piece::Branch(Opcode::Iflt, places[target])),
            Step::Goto(target) => body
                .pieces
                .push(Piece::Branch(Opcode::Goto, places[target])),
            Step::Switch(targets) => body
                .pieces
                .push(Piece::Table(targets.map(|target| places[target]))),
            _ => {}
        }
    }
    body
}

/// The state of the object and the local variables before a step, on one path.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Path {
    /// Whether the path has called `Object.<init>`.
    initialized: bool,
    /// Whether local variable 0 holds the constructed object.
    has_this: bool,
    /// Whether the copy of local variable 0 holds the constructed object.
    has_copy: bool,
}

/// Returns whether a constructor with these steps is legal.
///
/// `legal` follows every path through the steps. The contents of a local variable are known at a step if all paths to
/// the step agree. A step is legal if the values that it uses are known to be of the right types.
#[must_use]
pub fn legal(steps: &[Step]) -> bool {
    let mut paths = vec![BTreeSet::new(); steps.len() + 1];
    let at = |place: usize| steps.get(place).copied().unwrap_or(Step::Return);
    let entry = Path {
        initialized: false,
        has_this: true,
        has_copy: false,
    };
    let mut waiting = vec![(0, entry)];
    while let Some((place, path)) = waiting.pop() {
        if !paths[place].insert(path) {
            continue;
        }
        let mut behind = path;
        match at(place) {
            Step::Construct | Step::ConstructCopy => behind.initialized = true,
            Step::Copy => behind.has_copy = path.has_this,
            Step::Lose => behind.has_this = false,
            _ => {}
        }
        let successors = at(place).successors(place);
        waiting.extend(successors.into_iter().map(|next| (next, behind)));
    }
    paths.iter().enumerate().all(|(place, paths)| {
        let all = |holds: &dyn Fn(&Path) -> bool| paths.iter().all(holds);
        let initialized = all(&|path| path.initialized);
        let uninitialized = all(&|path| !path.initialized);
        let this_is_known = all(&|path| path.has_this) && (initialized || uninitialized);
        match at(place) {
            Step::Construct => this_is_known && uninitialized,
            Step::ConstructCopy => all(&|path| path.has_copy) && uninitialized,
            Step::Copy | Step::Load | Step::Set => this_is_known,
            Step::Keep | Step::Escape | Step::Call => this_is_known && initialized,
            Step::Return => initialized,
            Step::Nop | Step::Lose | Step::If(_) | Step::Goto(_) | Step::Switch(_) => true,
        }
    })
}

/// Compares a verifier's verdict on a constructor with the result of [`legal`].
///
/// # Errors
///
/// Returns a description of the constructor if verdict and [`legal`] differ.
pub fn check(steps: &[Step], is_accepted: bool) -> Result<(), String> {
    let is_legal = legal(steps);
    if is_accepted == is_legal {
        return Ok(());
    }
    let verdict = if is_accepted { "accepted" } else { "rejected" };
    Err(format!(
        "{verdict}, and by its paths legal: {is_legal}: {steps:?}"
    ))
}

/// Generates a constructor of nested branches, loops and switches. Some paths of the constructor may be illegal.
#[must_use]
pub fn nested(random: &mut Random) -> Vec<Step> {
    let mut steps = Vec::new();
    block(&mut steps, 3, true, false, random);
    if random.one_in(3) {
        block(&mut steps, 2, false, true, random);
    }
    steps
}

/// Appends a block of steps that calls `Object.<init>` only if `constructs` is set; one block in 25 does the opposite.
fn block(
    steps: &mut Vec<Step>,
    depth: usize,
    constructs: bool,
    initialized: bool,
    random: &mut Random,
) {
    let constructs = constructs != random.one_in(25);
    plain(steps, initialized, random);
    if depth > 0 && random.one_in(3) {
        fork(steps, depth - 1, false, initialized, random);
    }
    if constructs {
        if depth > 0 && !random.one_in(3) {
            fork(steps, depth - 1, true, initialized, random);
        } else {
            steps.push(Step::Construct);
        }
    }
    plain(steps, initialized || constructs, random);
}

/// Appends a few mostly legal steps without branches.
fn plain(steps: &mut Vec<Step>, initialized: bool, random: &mut Random) {
    for _ in 0..random.below(3) {
        let early = [Step::Nop, Step::Load, Step::Set, Step::Copy];
        let late = [Step::Keep, Step::Escape, Step::Call, Step::Set];
        let wrong = [Step::Lose, Step::ConstructCopy, Step::Return, Step::Keep];
        let choices = match random.below(30) {
            0 => wrong,
            1..=15 if initialized => late,
            _ => early,
        };
        steps.push(choices[random.below(4)]);
    }
}

/// Appends a branch with one or two arms, a loop or a switch. Each arm of the branch is a block of steps.
fn fork(
    steps: &mut Vec<Step>,
    depth: usize,
    constructs: bool,
    initialized: bool,
    random: &mut Random,
) {
    let mut arm = |constructs| {
        let mut arm = Vec::new();
        block(&mut arm, depth, constructs, initialized, random);
        arm
    };
    let (first, second, third) = (arm(constructs), arm(constructs), arm(constructs));
    let start = steps.len();
    let append = |steps: &mut Vec<Step>, arm: &[Step]| {
        let by = steps.len();
        steps.extend(arm.iter().map(|step| step.moved(by)));
    };
    match random.below(if constructs { 2 } else { 4 }) {
        // The generated branch has two arms, one after the other, either of which may be skipped.
        0 => {
            steps.push(Step::If(start + first.len() + 2));
            append(steps, &first);
            steps.push(Step::Goto(start + first.len() + second.len() + 2));
            append(steps, &second);
        }
        1 => {
            let behind = [first.len(), second.len(), third.len()];
            let begins = [
                start + 1,
                start + behind[0] + 2,
                start + behind[0] + behind[1] + 3,
            ];
            let end = begins[2] + behind[2];
            // Two cases of the switch may have the same target.
            let mut targets = begins;
            if random.one_in(3) {
                targets.swap(0, random.below(3));
            }
            steps.push(Step::Switch(targets));
            append(steps, &first);
            steps.push(Step::Goto(end));
            append(steps, &second);
            steps.push(Step::Goto(end));
            append(steps, &third);
        }
        // One arm.
        2 => {
            steps.push(Step::If(start + first.len() + 1));
            append(steps, &first);
        }
        // A loop has its condition at the end, or else at the beginning.
        _ if random.one_in(2) => {
            append(steps, &first);
            steps.push(Step::If(start));
        }
        _ => {
            steps.push(Step::If(start + first.len() + 2));
            append(steps, &first);
            steps.push(Step::Goto(start));
        }
    }
}

/// Generates a constructor of random steps, whose branches may target any step.
#[must_use]
pub fn scattered(random: &mut Random) -> Vec<Step> {
    let length = 2 + random.below(9);
    let mut steps = Vec::with_capacity(length);
    for _ in 0..length {
        let targets = [(); 3].map(|()| random.below(length + 1));
        steps.push(match random.below(16) {
            0..=3 => Step::Construct,
            4..=6 => Step::If(targets[0]),
            7 | 8 => Step::Goto(targets[0]),
            9 => Step::Switch(targets),
            10 => Step::Copy,
            11 => Step::ConstructCopy,
            12 => Step::Return,
            13 => Step::Set,
            _ => [Step::Nop, Step::Lose, Step::Load, Step::Escape][random.below(4)],
        });
    }
    steps
}

/// The steps of constructors that are tested exhaustively. Each function in the list returns a step, given the step's
/// position and the index of the final step.
///
/// Branches skip one to three steps. A backward branch depends on a native's result, so that every run ends. Only
/// random constructors test steps such as `Load` and `Set`.
pub const LETTERS: &[fn(usize, usize) -> Step] = &[
    |_, _| Step::Construct,
    |_, _| Step::ConstructCopy,
    |_, _| Step::Copy,
    |_, _| Step::Lose,
    |_, _| Step::Escape,
    |_, _| Step::Return,
    |place, last| Step::If(last.min(place + 2)),
    |place, last| Step::If(last.min(place + 3)),
    |place, last| Step::If(last.min(place + 4)),
    |place, _| Step::If(place.saturating_sub(2)),
    |place, last| Step::Goto(last.min(place + 2)),
    |place, last| Step::Goto(last.min(place + 3)),
    |place, last| Step::Switch([last.min(place + 2), place.saturating_sub(1), place + 1]),
    |place, last| Step::Switch([place + 1, last.min(place + 3), last.min(place + 2)]),
];

/// Returns the number of constructors that consist of `length` steps from [`LETTERS`].
#[must_use]
pub fn count(length: u32) -> u64 {
    u64::try_from(LETTERS.len())
        .expect("few letters")
        .pow(length)
}

/// Returns the constructor with this number among all constructors of `length` steps from [`LETTERS`].
///
/// # Panics
///
/// Panics if `number` is not below [`count`] of `length`.
#[must_use]
pub fn numbered(length: u32, number: u64) -> Vec<Step> {
    let letters = u64::try_from(LETTERS.len()).expect("few letters");
    let last = usize::try_from(length).expect("u32 fits usize");
    let mut rest = number;
    let steps = (0..last).map(|place| {
        let letter = usize::try_from(rest % letters).expect("below a usize");
        rest /= letters;
        LETTERS[letter](place, last)
    });
    let steps = steps.collect();
    assert_eq!(rest, 0, "there are not as many");
    steps
}
