//! Generates random well-typed bodies: on every path, each instruction finds operands of the right types.

use jive_core::Opcode;

use super::alphabet::{Alphabet, Effect, Family, Kind, MAX_LOCALS, MAX_STACK};
use super::body::{Body, Piece};
use crate::Random;

/// Instruction sequences that compilers emit, each of which the linker's lowering turns into one op.
const PHRASES: [&[&str]; 6] = [
    &["getstatic int:I", "bipush 7", "iadd", "putstatic int:I"],
    &[
        "aload_3",
        "dup",
        "getfield count:I",
        "iconst_1",
        "iadd",
        "putfield count:I",
    ],
    &["getstatic bytes:[B", "iload_0", "iinc 0 1", "baload"],
    &["getstatic bytes:[B", "arraylength"],
    &["sipush -300", "putstatic int:I"],
    COUNT,
];

/// Increments a local variable, as loops do before their back edge.
const COUNT: &[&str] = &["iinc 0 1"];

/// The type state before an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    stack: Vec<Kind>,
    locals: Vec<Option<Kind>>,
    initialized: bool,
}

impl State {
    /// Returns the type state where two paths meet, or `None` if their states do not permit them to meet.
    fn join(&self, other: &State) -> Option<State> {
        if self.stack.len() != other.stack.len() || self.initialized != other.initialized {
            return None;
        }
        let stack = self.stack.iter().zip(&other.stack);
        let locals = self.locals.iter().zip(&other.locals);
        Some(State {
            stack: stack.map(|(a, b)| a.join(*b)).collect::<Option<_>>()?,
            locals: locals.map(|(a, b)| a.and_then(|a| a.join((*b)?))).collect(),
            initialized: self.initialized,
        })
    }

    /// Returns whether the topmost operands of the state have these kinds.
    fn has(&self, kinds: &[Kind]) -> bool {
        let start = self.stack.len().checked_sub(kinds.len());
        start.is_some_and(|start| {
            let found = self.stack[start..].iter();
            found.zip(kinds).all(|(found, kind)| found.fits(*kind))
        })
    }

    fn drop(&mut self, count: usize) {
        self.stack.truncate(self.stack.len() - count);
    }

    /// Applies the effect of an instruction to the type state. Returns false if the instruction would not be
    /// well-typed.
    fn apply(&mut self, effect: &Effect) -> bool {
        match effect {
            Effect::Fixed(pops, pushes) => {
                if !self.has(pops) {
                    return false;
                }
                self.drop(pops.len());
                self.stack.extend(pushes);
            }
            Effect::Load(local, is_int) => match self.locals[*local] {
                Some(kind) if (kind == Kind::Int) == *is_int => self.stack.push(kind),
                Some(_) | None => return false,
            },
            Effect::Store(local, is_int) => match self.stack.last() {
                // The constructor must keep its receiver in local variable 0, to initialize the receiver at the end.
                Some(_) if *local == 0 && self.locals[0] == Some(Kind::RawThis) => return false,
                Some(kind) if (*kind == Kind::Int) == *is_int => {
                    self.locals[*local] = self.stack.pop();
                }
                Some(_) | None => return false,
            },
            Effect::Increment(local) => return self.locals[*local] == Some(Kind::Int),
            Effect::Shuffle(count, order) => {
                let Some(start) = self.stack.len().checked_sub(*count) else {
                    return false;
                };
                let taken = self.stack.split_off(start);
                self.stack.extend(order.iter().map(|place| taken[*place]));
            }
            Effect::Length => match self.stack.last() {
                Some(Kind::Bytes | Kind::Shorts | Kind::Ints | Kind::Flags | Kind::Null) => {
                    self.drop(1);
                    self.stack.push(Kind::Int);
                }
                Some(_) | None => return false,
            },
            Effect::Construct => {
                if self.stack.last() != Some(&Kind::RawThis) {
                    return false;
                }
                self.drop(1);
                let locals = self.locals.iter_mut().flatten();
                for kind in locals.chain(&mut self.stack) {
                    if *kind == Kind::RawThis {
                        *kind = Kind::This;
                    }
                }
                self.initialized = true;
            }
            Effect::Return => return false,
        }
        true
    }
}

/// A forward branch without a target yet.
struct Pending {
    piece: usize,
    /// Index of the branch target within a switch.
    case: usize,
    state: State,
}

struct Writer<'w> {
    alphabet: &'w Alphabet,
    random: &'w mut Random,
    body: Body,
    state: State,
    pending: Vec<Pending>,
    /// Instructions that back edges may target, each with the type state before it.
    marks: Vec<(usize, State)>,
}

/// Generates a well-typed body of about `length` instructions.
#[must_use]
pub fn typed(alphabet: &Alphabet, family: Family, length: usize, random: &mut Random) -> Body {
    let mut locals: Vec<_> = family.parameters().iter().copied().map(Some).collect();
    locals.resize(usize::from(MAX_LOCALS), None);
    let mut writer = Writer {
        alphabet,
        random,
        body: Body::new(family),
        state: State {
            stack: Vec::new(),
            locals,
            initialized: family == Family::Static,
        },
        pending: Vec::new(),
        marks: Vec::new(),
    };
    for _ in 0..length {
        writer.instruction();
    }
    writer.finish();
    writer.body
}

impl Writer<'_> {
    fn here(&self) -> usize {
        self.body.pieces.len()
    }

    fn instruction(&mut self) {
        if self.random.one_in(3) {
            self.land();
        }
        if self.random.one_in(5) {
            self.marks.push((self.here(), self.state.clone()));
        }
        match self.random.below(8) {
            0 => self.branch(),
            1 if self.random.one_in(3) => self.goto(),
            2 if self.random.one_in(3) => self.table(),
            3 if self.random.one_in(4) => {
                let number = self.random.below(PHRASES.len());
                self.phrase(PHRASES[number]);
            }
            _ => self.symbol(),
        }
    }

    fn symbol(&mut self) {
        for _ in 0..12 {
            let number = self.random.below(self.alphabet.symbols.len());
            let mut state = self.state.clone();
            let fits = state.apply(&self.alphabet.symbols[number].effect);
            if fits && state.stack.len() <= usize::from(MAX_STACK) {
                self.state = state;
                self.body.pieces.push(Piece::Symbol(number));
                return;
            }
        }
    }

    /// Adds a sequence of instructions to the body, if all of them are well-typed in the current state.
    fn phrase(&mut self, lines: &[&str]) {
        let mut state = self.state.clone();
        let mut numbers = Vec::with_capacity(lines.len());
        for line in lines {
            let number = self.alphabet.symbol(line);
            let fits = state.apply(&self.alphabet.symbols[number].effect);
            if !fits || state.stack.len() > usize::from(MAX_STACK) {
                return;
            }
            numbers.push(Piece::Symbol(number));
        }
        self.state = state;
        self.body.pieces.extend(numbers);
    }

    /// Sets the next instruction as the target of a pending forward branch whose state joins with the current state.
    fn land(&mut self) {
        let here = self.here();
        let found = self
            .pending
            .iter()
            .enumerate()
            .find_map(|(place, pending)| Some((place, pending.state.join(&self.state)?)));
        if let Some((place, joined)) = found {
            let pending = self.pending.swap_remove(place);
            self.aim(pending.piece, pending.case, here);
            self.state = joined;
            // Marks for back edges to this position are removed, because the joined state guarantees less than their
            // recorded states.
            self.marks.retain(|(target, _)| *target != here);
        }
    }

    fn aim(&mut self, piece: usize, case: usize, target: usize) {
        match &mut self.body.pieces[piece] {
            Piece::Branch(_, to) => *to = target,
            Piece::Table(targets) => targets[case] = target,
            Piece::Symbol(_) => unreachable!("symbols are never pending"),
        }
    }

    /// Usually returns an earlier instruction as branch target, if one fits the current type state.
    fn backward(&mut self) -> Option<usize> {
        if self.random.one_in(3) || self.marks.is_empty() {
            return None;
        }
        let (target, state) = &self.marks[self.random.below(self.marks.len())];
        (self.state.join(state).as_ref() == Some(state)).then_some(*target)
    }

    /// Adds a branch or switch to the body, whose targets are earlier instructions, or are set later.
    fn push(&mut self, piece: Piece, cases: usize) {
        let here = self.here();
        self.body.pieces.push(piece);
        for case in 0..cases {
            match self.backward() {
                Some(target) => self.aim(here, case, target),
                None => self.pending.push(Pending {
                    piece: here,
                    case,
                    state: self.state.clone(),
                }),
            }
        }
    }

    fn branch(&mut self) {
        use Opcode as O;
        let choices: &[(Opcode, &[Kind])] = &[
            (O::Ifeq, &[Kind::Int]),
            (O::Ifne, &[Kind::Int]),
            (O::Iflt, &[Kind::Int]),
            (O::Ifge, &[Kind::Int]),
            (O::Ifgt, &[Kind::Int]),
            (O::Ifle, &[Kind::Int]),
            (O::IfIcmpeq, &[Kind::Int, Kind::Int]),
            (O::IfIcmpne, &[Kind::Int, Kind::Int]),
            (O::IfIcmplt, &[Kind::Int, Kind::Int]),
            (O::IfIcmpge, &[Kind::Int, Kind::Int]),
            (O::IfIcmpgt, &[Kind::Int, Kind::Int]),
            (O::IfIcmple, &[Kind::Int, Kind::Int]),
            (O::Ifnull, &[Kind::Mixed]),
            (O::Ifnonnull, &[Kind::Mixed]),
            (O::Ifnull, &[Kind::RawThis]),
            (O::IfAcmpeq, &[Kind::Mixed, Kind::Mixed]),
            (O::IfAcmpne, &[Kind::Mixed, Kind::Mixed]),
        ];
        let fitting: Vec<_> = choices
            .iter()
            .filter(|(_, kinds)| self.state.has(kinds))
            .collect();
        if fitting.is_empty() {
            return self.symbol();
        }
        let (opcode, kinds) = fitting[self.random.below(fitting.len())];
        self.state.drop(kinds.len());
        self.push(Piece::Branch(*opcode, 0), 1);
    }

    /// Adds a jump. The instruction after the jump becomes the target of a pending branch.
    fn goto(&mut self) {
        if self.pending.is_empty() {
            return self.symbol();
        }
        if self.random.one_in(3) {
            self.phrase(COUNT);
        }
        let opcode = if self.random.one_in(2) {
            Opcode::Goto
        } else {
            Opcode::GotoW
        };
        self.push(Piece::Branch(opcode, 0), 1);
        self.land_any();
    }

    fn table(&mut self) {
        if !self.state.has(&[Kind::Int]) {
            return self.symbol();
        }
        self.state.drop(1);
        let here = self.here();
        self.push(Piece::Table([0; 3]), 2);
        // The default target of the switch is the next instruction.
        self.aim(here, 2, here + 1);
    }

    /// Sets the next instruction, to which no instruction falls through, as the target of the oldest pending forward
    /// branch.
    fn land_any(&mut self) {
        let pending = self.pending.remove(0);
        let here = self.here();
        self.aim(pending.piece, pending.case, here);
        self.state = pending.state;
        self.marks.retain(|(target, _)| *target != here);
    }

    /// Ends every path through the body with a return.
    fn finish(&mut self) {
        self.give_back();
        while !self.pending.is_empty() {
            self.land_any();
            while self.random.one_in(2) && !self.pending.is_empty() {
                self.land();
            }
            self.give_back();
        }
    }

    fn give_back(&mut self) {
        let lines: &[&str] = match self.body.family {
            Family::Constructor if self.state.initialized => &["return"],
            Family::Constructor => &[
                "aload_0",
                "invokespecial java/lang/Object.<init>()V",
                "return",
            ],
            Family::Static => &["iconst_1", "ireturn"],
        };
        if self.state.stack.len() == usize::from(MAX_STACK) && lines.len() > 1 {
            let pop = self.alphabet.symbol("pop");
            self.body.pieces.push(Piece::Symbol(pop));
        }
        for line in lines {
            let symbol = self.alphabet.symbol(line);
            self.body.pieces.push(Piece::Symbol(symbol));
        }
    }
}
