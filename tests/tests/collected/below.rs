//! Methods that keep arrays and `int`s on the operand stack below the arguments of calls and allocations, in local
//! variables, and in fields. They are random, and recursive, so that arrays live in several frames.

use std::fmt::Write as _;

use jive_core::Motion;
use jive_lab::Random;
use jive_lab::asm::assemble;

use crate::pair::{Argument, Room, pair};
use crate::runs::runs;

/// Greatest depth of the operand stack.
const DEPTH: usize = 9;
/// Local variables of `run`: the receiver, an `int`, one array of each type, an `int` for folding, the result, and a
/// value that is the receiver or an array.
const FIRST_ARRAY: usize = 2;
const SPARE: usize = 6;
const RESULT: usize = 7;
const EITHER: usize = 8;
const LOCALS: usize = 9;

/// The array types: name, descriptor, and the opcodes that load and store an element.
const ARRAYS: [(&str, &str, &str, &str); 4] = [
    ("int", "[I", "iaload", "iastore"),
    ("byte", "[B", "baload", "bastore"),
    ("short", "[S", "saload", "sastore"),
    ("boolean", "[Z", "baload", "bastore"),
];

/// A value on the operand stack: an `int`, or an array by its row in `ARRAYS`.
#[derive(Copy, Clone, PartialEq)]
enum Value {
    Int,
    Array(usize),
}

/// Writes the method `run`.
struct Writer {
    random: Random,
    text: String,
    stack: Vec<Value>,
    labels: usize,
}

impl Writer {
    fn line(&mut self, line: impl AsRef<str>) {
        writeln!(self.text, "    {}", line.as_ref()).expect("a string takes all that is written");
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("label{}", self.labels)
    }

    fn top(&self) -> Option<Value> {
        self.stack.last().copied()
    }

    fn push_int(&mut self) {
        let line = match self.random.below(3) {
            0 => "iload_1".to_owned(),
            1 => format!("iload {RESULT}"),
            _ => format!("bipush {}", self.random.below(100)),
        };
        self.line(line);
        self.stack.push(Value::Int);
    }

    /// Turns an `int` on the stack into an array, by a call or by an allocation.
    fn make(&mut self) {
        if self.top() != Some(Value::Int) {
            self.push_int();
        }
        let row = self.random.below(ARRAYS.len());
        let (name, descriptor, ..) = ARRAYS[row];
        if self.random.one_in(2) {
            self.line("bipush 7");
            self.line("iand");
            self.line(format!("newarray {name}"));
        } else {
            self.line(format!("invokestatic filled_{name}(I){descriptor}"));
        }
        self.stack.pop();
        self.stack.push(Value::Array(row));
    }

    /// Turns an array on top of the stack into an `int`, by a call that allocates too, or by its length.
    fn fold(&mut self, row: usize) {
        let (name, descriptor, ..) = ARRAYS[row];
        self.line(format!("invokestatic sum_{name}({descriptor})I"));
        self.stack.pop();
        self.stack.push(Value::Int);
    }

    fn shuffle(&mut self) {
        let shuffles = [
            ("dup", 1, "0 0"),
            ("swap", 2, "1 0"),
            ("dup_x1", 2, "1 0 1"),
            ("dup_x2", 3, "2 0 1 2"),
            ("dup2", 2, "0 1 0 1"),
            ("pop", 1, ""),
        ];
        let (name, taken, order) = shuffles[self.random.below(shuffles.len())];
        if self.stack.len() < taken || self.stack.len() + 2 > DEPTH {
            return;
        }
        self.line(name);
        let values = self.stack.split_off(self.stack.len() - taken);
        let order = order.split_whitespace();
        let order = order.map(|place| place.parse::<usize>().expect("a place"));
        self.stack.extend(order.map(|place| values[place]));
    }

    /// Stores to or loads from a local variable or a field.
    fn keep(&mut self) {
        let row = self.random.below(ARRAYS.len());
        let (name, descriptor, ..) = ARRAYS[row];
        let local = FIRST_ARRAY + row;
        let field = format!("{name}s:{descriptor}");
        if self.top() == Some(Value::Array(row)) && self.random.one_in(2) {
            self.stack.pop();
            match self.random.below(2) {
                0 => self.line(format!("astore {local}")),
                _ => self.line(format!("putstatic {field}")),
            }
        } else {
            self.stack.push(Value::Array(row));
            match self.random.below(2) {
                0 => self.line(format!("aload {local}")),
                _ => self.line(format!("getstatic {field}")),
            }
        }
    }

    /// Changes the local variable `EITHER`, or compares it with an array.
    fn either(&mut self) {
        let (other, end) = (self.label(), self.label());
        let local = FIRST_ARRAY + self.random.below(ARRAYS.len());
        if self.random.one_in(2) {
            self.line("iload_1");
            self.line(format!("ifeq {other}"));
            self.line("aload_0");
            self.line(format!("goto {end}"));
            writeln!(self.text, "{other}:\n    aload {local}\n{end}:").expect("a string");
            self.line(format!("astore {EITHER}"));
        } else {
            self.line(format!("aload {EITHER}"));
            self.line(format!("aload {local}"));
            self.line(format!("if_acmpeq {other}"));
            self.line("iconst_0");
            self.line(format!("goto {end}"));
            writeln!(self.text, "{other}:\n    iconst_1\n{end}:").expect("a string");
            self.stack.push(Value::Int);
        }
    }

    /// Calls `run` with a smaller argument, unless the argument is 0.
    fn recur(&mut self) {
        let (other, end) = (self.label(), self.label());
        self.line("iload_1");
        self.line(format!("ifle {other}"));
        self.line("aload_0");
        self.line("iload_1");
        self.line("iconst_1");
        self.line("isub");
        self.line("invokevirtual run(I)I");
        self.line(format!("goto {end}"));
        writeln!(self.text, "{other}:\n    iconst_0\n{end}:").expect("a string");
        self.stack.push(Value::Int);
    }

    fn step(&mut self) {
        if self.stack.len() + 3 > DEPTH {
            return self.fold_top();
        }
        match (self.random.below(8), self.top()) {
            (0, _) => self.push_int(),
            (1 | 2, _) => self.make(),
            (3, Some(Value::Array(row))) => self.fold(row),
            (4 | 5, _) => self.keep(),
            (6, _) => self.either(),
            _ => self.shuffle(),
        }
    }

    /// Folds the top of the stack into the result.
    fn fold_top(&mut self) {
        if let Some(Value::Array(row)) = self.top() {
            self.fold(row);
        }
        self.stack.pop();
        self.line(format!("istore {SPARE}"));
        self.line(format!("iload {RESULT}"));
        self.line("bipush 31");
        self.line("imul");
        self.line(format!("iload {SPARE}"));
        self.line("iadd");
        self.line(format!("istore {RESULT}"));
    }
}

/// Returns the methods that make an array of each type from an `int`, and an `int` from an array.
fn helpers() -> String {
    let helper = |(name, descriptor, load, store): (&str, &str, &str, &str)| {
        format!(
            "
.field static {name}s {descriptor}
.method static filled_{name}(I){descriptor} stack 5 locals 3
    iload_0
    bipush 7
    iand
    newarray {name}
    astore_1
    iconst_0
    istore_2
again:
    iload_2
    aload_1
    arraylength
    if_icmpge end
    aload_1
    iload_2
    iload_0
    iload_2
    iadd
    {store}
    iinc 2 1
    goto again
end:
    aload_1
    areturn
.method static sum_{name}({descriptor})I stack 4 locals 4
    iconst_3
    newarray {name}
    astore_1
    iconst_0
    istore_2
    iconst_0
    istore_3
    aload_0
    ifnull end
again:
    iload_2
    aload_0
    arraylength
    if_icmpge end
    iload_3
    bipush 31
    imul
    aload_0
    iload_2
    {load}
    iadd
    istore_3
    iinc 2 1
    goto again
end:
    aload_1
    iconst_1
    iload_3
    {store}
    iload_3
    ireturn
"
        )
    };
    ARRAYS.into_iter().map(helper).collect()
}

/// Returns a random class.
fn class(seed: u64) -> Vec<u8> {
    let mut writer = Writer {
        random: Random::new(&seed.to_be_bytes()),
        text: String::new(),
        stack: Vec::new(),
        labels: 0,
    };
    for local in (FIRST_ARRAY..SPARE).chain([EITHER]) {
        writer.line("aconst_null");
        writer.line(format!("astore {local}"));
    }
    writer.line("iconst_1");
    writer.line(format!("istore {RESULT}"));
    for step in 0..60 {
        writer.step();
        if step % 20 == 10 && writer.stack.len() + 3 < DEPTH {
            writer.recur();
        }
    }
    while !writer.stack.is_empty() {
        writer.fold_top();
    }
    let source = format!(
        ".class public super Below\n{}.method run(I)I stack {} locals {LOCALS}\n{}    iload {RESULT}\n    ireturn\n",
        helpers(),
        DEPTH + 3,
        writer.text
    );
    let assembled = assemble("Below", &source);
    assembled
        .unwrap_or_else(|error| panic!("{error}\n{source}"))
        .bytes
}

/// Runs random classes. Returns how many collections there were, and how many bytes they moved.
fn run_classes(motion: Motion) -> (u64, u64) {
    let (mut collections, mut moved) = (0, 0);
    for seed in 0..runs(100) {
        let room = Room {
            motion,
            heap: 1 << 16,
            fuel: 100_000,
            nested: 20,
        };
        let done = pair(&class(seed), room, |pair| {
            let run = pair.class.methods().find(|method| method.name == "run");
            let run = run.expect("the class has the method").id;
            for argument in [0, 3, 1] {
                let returned = pair.call(run, &[Argument::Int(argument)], room.fuel);
                assert!(matches!(returned, Ok(Some(_))), "{seed}: {returned:?}");
            }
        });
        let (more, done) = done.expect("the verifier accepts the class");
        collections += more;
        moved += u64::from(done.moved);
    }
    (collections, moved)
}

#[test]
fn values_below_arguments_are_found_while_arrays_move() {
    let (collections, moved) = run_classes(Motion::Moving);
    println!("{collections} collections, {moved} bytes moved");
    assert!(collections > 50 * runs(100), "{collections}");
    assert!(moved > 1_000 * runs(100), "{moved}");
}

#[test]
fn values_below_arguments_are_found_while_gaps_are_filled() {
    let (collections, _) = run_classes(Motion::Stationary);
    assert!(collections > 50 * runs(100), "{collections}");
}
