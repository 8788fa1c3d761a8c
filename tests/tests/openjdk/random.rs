//! Random methods give OpenJDK's results on JIVE: arithmetic, stack shuffling, arrays, branches and loops in unusual
//! combinations. The methods are generated from a fixed seed.

use std::fmt::Write as _;
use std::fs;

use jive_core::{Action, Opcode};
use jive_lab::asm::assemble;
use tests::openjdk::{Call, calls, jdk, jive};
use tests::random::Random;
use tests::skipped::skip;

const CLASSES: usize = 24;
const METHODS: usize = 4;

/// Local variables 0 to 3 are `int`s, including the parameters; the generator uses the other variables itself.
const INT_LOCALS: u64 = 4;
const SCRATCH: usize = 4;
const ARRAY: usize = 5;
/// The local variable that counts the outermost loop; the counters of inner loops follow.
const LOOPS: usize = 6;
const NESTING_MAX: usize = 3;
const DEPTH_MAX: usize = 10;
/// One in this many divisions and array accesses may trap.
const RARE: u64 = 60;

/// Writes a method, and tracks the depth of the operand stack.
struct Writer {
    random: Random,
    text: String,
    depth: usize,
    /// Minimum depth of the operand stack in the current block; the values below belong to an enclosing block.
    floor: usize,
    nesting: usize,
    labels: usize,
}

impl Writer {
    fn line(&mut self, line: impl AsRef<str>) {
        writeln!(self.text, "    {}", line.as_ref()).expect("a string takes all that is written");
    }

    /// Returns the number of values that the current block may pop.
    fn free(&self) -> usize {
        self.depth - self.floor
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("label{}", self.labels)
    }

    fn push(&mut self) {
        let local = self.random.below(INT_LOCALS);
        let constant = self.random.pick(&[
            i32::MIN,
            -32769,
            -129,
            -1,
            0,
            1,
            7,
            31,
            32,
            128,
            65535,
            i32::MAX,
        ]);
        match self.random.below(3) {
            0 => self.line(format!("ldc int {constant}")),
            _ => self.line(format!("iload {local}")),
        }
        self.depth += 1;
    }

    /// Writes an arithmetic opcode for `int`s.
    fn compute(&mut self) {
        let fitting: Vec<(Opcode, usize)> = Opcode::ALL
            .iter()
            .filter_map(|opcode| match opcode.action() {
                Action::Unary(_) => Some((*opcode, 1)),
                Action::Binary(_) => Some((*opcode, 2)),
                _ => None,
            })
            .filter(|(_, pops)| *pops <= self.free())
            .collect();
        if fitting.is_empty() {
            return self.push();
        }
        let (opcode, pops) = self.random.pick(&fitting);
        // A trap ends the method, so traps must be rare.
        if matches!(opcode, Opcode::Idiv | Opcode::Irem) && self.random.below(RARE) > 0 {
            self.line("iconst_1");
            self.line("ior");
        }
        self.line(opcode.mnemonic());
        self.depth = self.depth - pops + 1;
    }

    fn shuffle(&mut self) {
        // Shuffles, each with its name, its number of required values, and its change of the depth (JVMS §6.5).
        const SHUFFLES: [(&str, usize, isize); 9] = [
            ("pop", 1, -1),
            ("pop2", 2, -2),
            ("dup", 1, 1),
            ("dup_x1", 2, 1),
            ("dup_x2", 3, 1),
            ("dup2", 2, 2),
            ("dup2_x1", 3, 2),
            ("dup2_x2", 4, 2),
            ("swap", 2, 0),
        ];
        let (name, needed, change) = self.random.pick(&SHUFFLES);
        let depth = self.depth.checked_add_signed(change);
        match depth {
            Some(depth) if needed <= self.free() && depth <= DEPTH_MAX => {
                self.line(name);
                self.depth = depth;
            }
            _ => self.push(),
        }
    }

    fn store(&mut self) {
        if self.free() == 0 {
            let local = self.random.below(INT_LOCALS);
            let by = self.random.pick(&[-128, -1, 1, 127]);
            return self.line(format!("iinc {local} {by}"));
        }
        let local = self.random.below(INT_LOCALS);
        self.line(format!("istore {local}"));
        self.depth -= 1;
    }

    /// Writes a load from or a store into the array, usually with an index in bounds.
    fn element(&mut self, load: &str, store: &str) {
        let local = self.random.below(INT_LOCALS);
        let mask = if self.random.below(RARE) == 0 { 15 } else { 7 };
        let storing = self.free() > 0 && self.random.below(2) == 0;
        if storing {
            self.line(format!("istore {SCRATCH}"));
        }
        self.line(format!("aload {ARRAY}"));
        self.line(format!("iload {local}"));
        self.line(format!("bipush {mask}"));
        self.line("iand");
        if storing {
            self.line(format!("iload {SCRATCH}"));
            self.line(store);
            self.depth -= 1;
        } else {
            self.line(load);
            self.depth += 1;
        }
    }

    /// Writes a block that is executed under a condition, and that leaves the stack as deep as before.
    fn branch(&mut self, element: (&str, &str)) {
        let two = self.free() >= 2;
        let one = self.free() >= 1;
        let condition = match (two, one) {
            (true, _) => self
                .random
                .pick(&["if_icmpeq", "if_icmpne", "if_icmplt", "if_icmpge"]),
            (false, true) => self
                .random
                .pick(&["ifeq", "ifne", "iflt", "ifle", "ifgt", "ifge"]),
            (false, false) => return self.push(),
        };
        self.depth -= if two { 2 } else { 1 };
        let end = self.label();
        self.line(format!("{condition} {end}"));
        self.block(element);
        self.text.push_str(&format!("{end}:\n"));
    }

    fn repeat(&mut self, element: (&str, &str)) {
        let counter = LOOPS + self.nesting;
        let start = self.label();
        let times = self.random.below(5) + 1;
        self.line(format!("bipush {times}"));
        self.line(format!("istore {counter}"));
        self.text.push_str(&format!("{start}:\n"));
        self.block(element);
        self.line(format!("iinc {counter} -1"));
        self.line(format!("iload {counter}"));
        self.line(format!("ifgt {start}"));
    }

    fn block(&mut self, element: (&str, &str)) {
        let floor = std::mem::replace(&mut self.floor, self.depth);
        self.nesting += 1;
        self.steps(12, element);
        while self.free() > 0 {
            self.line("pop");
            self.depth -= 1;
        }
        self.nesting -= 1;
        self.floor = floor;
    }

    fn steps(&mut self, count: usize, (load, store): (&str, &str)) {
        for _ in 0..count {
            if self.depth >= DEPTH_MAX {
                self.line("ixor");
                self.depth -= 1;
            }
            match self.random.below(12) {
                0..=1 => self.push(),
                2..=4 => self.compute(),
                5..=6 => self.shuffle(),
                7 => self.store(),
                8..=9 => self.element(load, store),
                10 if self.nesting < NESTING_MAX => self.branch((load, store)),
                11 if self.nesting < NESTING_MAX => self.repeat((load, store)),
                _ => self.push(),
            }
        }
    }
}

/// Generates a method with two `int` parameters, whose result combines all computed values.
fn method(name: &str, random: Random) -> (String, Random) {
    let mut writer = Writer {
        random,
        text: format!(".method static {name}(II)I stack 20 locals 10\n"),
        depth: 0,
        floor: 0,
        nesting: 0,
        labels: 0,
    };
    let (element, load, store) = writer.random.pick(&[
        ("byte", "baload", "bastore"),
        ("boolean", "baload", "bastore"),
        ("short", "saload", "sastore"),
        ("int", "iaload", "iastore"),
    ]);
    for line in ["iload_0", "istore 2", "iload_1", "istore 3", "bipush 8"] {
        writer.line(line);
    }
    writer.line(format!("newarray {element}"));
    writer.line(format!("astore {ARRAY}"));
    for local in SCRATCH..=LOOPS + NESTING_MAX {
        if local != ARRAY {
            writer.line("iconst_0");
            writer.line(format!("istore {local}"));
        }
    }
    writer.steps(60, (load, store));
    for local in 0..INT_LOCALS {
        writer.line(format!("iload {local}"));
        writer.depth += 1;
    }
    while writer.depth > 1 {
        for line in ["bipush 31", "imul", "iadd"] {
            writer.line(line);
        }
        writer.depth -= 1;
    }
    writer.line("ireturn");
    (writer.text, writer.random)
}

#[test]
fn random_methods_compute_what_openjdk_computes() {
    if !jdk::is_java_installed() {
        skip("comparison of random methods with OpenJDK", jdk::NONE);
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let mut list = String::new();
    let mut sources = Vec::new();
    for number in 0..CLASSES {
        let class = format!("Random{number}");
        let mut source = format!(".class public super {class}\n.omit all\n");
        for number in 0..METHODS {
            let name = format!("m{number}");
            let (text, next) = method(&name, random);
            random = next;
            source.push_str(&text);
            writeln!(list, "{class} {name} * *").expect("a string takes all that is written");
        }
        let assembled = assemble(&class, &source).unwrap_or_else(|error| panic!("{error}"));
        fs::write(
            directory.path().join(format!("{class}.class")),
            &assembled.bytes,
        )
        .expect("a writable directory");
        sources.push((class, source, assembled.bytes));
    }
    let calls = calls(&list);
    let ours = jive::results(&calls, |class| {
        let found = sources.iter().find(|(name, ..)| name == class);
        found.expect("a class that was written").2.clone()
    });
    let theirs = jdk::results(&list, &[directory.path()]);
    assert_eq!(ours.len(), theirs.len());
    for ((ours, theirs), call) in ours.iter().zip(&theirs).zip(&calls) {
        let source = &sources.iter().find(|(name, ..)| name == call.class);
        let source = &source.expect("a class that was written").1;
        assert_eq!(ours, theirs, "{source}");
    }
    let count: usize = calls.iter().map(Call::count).sum();
    jdk::announce(&format!("openjdk, random methods: compared {count}"));
}
