//! Generates classes whose methods count in loops, most of which end: for the comparison of stated with observed costs.
//!
//! Counters start and end at constants, parameters, fields, lengths and results. Counters step up and down, before and
//! after the test, by zero, and past the end. Other statements change counters too.

use core::fmt::Write;

use crate::Random;

/// Greatest value of the first parameter of `run`.
pub const PARAMETER_MAX: i32 = 12;
/// Greatest result of `getFreeBufferLength`.
pub const BUFFER_MAX: i32 = 9;
/// The tag of an event that tells the length of the next array of an applet.
pub const LENGTH_TAG: i32 = 77;
/// Number of local variables of a method, all of which are `int`s; the first two are the parameters of `run`.
const LOCALS: usize = 8;
/// Largest number of loops that enclose a statement.
const NESTING_MAX: usize = 3;

/// Members of every class, without the two methods `run` and `count`.
const MEMBERS: &str = "
.field static f I
.field static b B
.field static z Z
.field static fixed I
.field static bytes [B
.field static ints [I
.field static other [B
.method static <clinit>()V stack 2 locals 0
    bipush 6
    newarray byte
    putstatic bytes:[B
    bipush 9
    newarray int
    putstatic ints:[I
    iconst_5
    putstatic fixed:I
    return
";

/// Returns the assembly of a class with the methods `run(II)I` and `count(I)I`.
#[must_use]
pub fn counted(random: &mut Random) -> String {
    let mut source = MEMBERS.to_owned();
    for (header, parameters, calls) in [("run(II)I", 2, true), ("count(I)I", 1, false)] {
        let mut writer = Writer {
            random,
            code: String::new(),
            labels: 0,
            loops: Vec::new(),
            calls,
            natives: None,
            notes_lengths: false,
        };
        for local in parameters..LOCALS {
            writer.line(&format!("iconst_0\n    istore {local}"));
        }
        let budget = 2 + writer.random.below(5);
        writer.block(budget);
        writer.line("iload 2\n    ireturn");
        let code = writer.code;
        // Writing to a string never fails.
        let _ = write!(
            source,
            ".method static {header} stack 12 locals {LOCALS}\n{code}"
        );
    }
    source
}

/// The array from which natives send, and into which they copy.
const PLACED_MEMBERS: &str = "
.field static RxBuf [B
.field static big [B
";

/// What an applet in a scenario has beside `doTx` and `doRx`.
#[derive(Copy, Clone, Debug)]
pub struct Gear {
    /// Whether the applet has `doTimer`, `doRefill` and `doWatch`.
    pub extras: bool,
    /// Whether the applet has window 1 in its own memory, and writes to window 1 of a peer.
    pub windows: bool,
}

/// Returns the assembly of an applet that counts with its arguments, and calls natives.
#[must_use]
pub fn placed(random: &mut Random, name: &str, gear: Gear) -> String {
    let mut start =
        "sipush 9216\n    invokestatic unet/Nic.newAlignedArray(I)[B\n    putstatic big:[B\n    sipush 300\n    \
         invokestatic unet/Nic.setTimer(I)V\n    iconst_5\n    putstatic fixed:I"
            .to_owned();
    if gear.windows {
        start +=
            "\n    iconst_1\n    iconst_0\n    iconst_4\n    invokestatic unet/Nic.watch(III)V";
    }
    let members = MEMBERS.replace("iconst_5\n    putstatic fixed:I", &start);
    let members = members.replace("()V stack 2", "()V stack 3");
    let mut source = format!(".class public super {name}\n{PLACED_MEMBERS}{members}");
    let required = [
        ("doTx(III)I", 3, true),
        ("doRx(II)I", 2, true),
        ("count(I)I", 1, false),
    ];
    let extras = [
        ("doTimer()I", 0, true),
        ("doRefill(III)I", 3, true),
        ("doWatch(III)I", 3, true),
    ];
    let extras = extras.into_iter().filter(|_| gear.extras);
    for (header, parameters, is_entry) in required.into_iter().chain(extras) {
        let mut writer = Writer {
            random,
            code: String::new(),
            labels: 0,
            loops: Vec::new(),
            calls: is_entry,
            natives: is_entry.then_some(gear),
            notes_lengths: true,
        };
        for local in parameters..LOCALS {
            writer.line(&format!("iconst_0\n    istore {local}"));
        }
        let budget = 1 + writer.random.below(4);
        writer.block(budget);
        if is_entry {
            writer.native(gear);
        }
        writer.line("iload 4\n    ireturn");
        let code = writer.code;
        // Writing to a string never fails.
        let _ = write!(
            source,
            ".method static {header} stack 12 locals {LOCALS}\n{code}"
        );
    }
    source
}

struct Writer<'r> {
    random: &'r mut Random,
    code: String,
    labels: usize,
    /// The enclosing loops, outermost first: for each its counter, the label of its test and the label after the loop.
    loops: Vec<(usize, usize, usize)>,
    /// Whether the method, which is then `run`, may call `count`.
    calls: bool,
    /// What the applet has, if the method calls natives with effects.
    natives: Option<Gear>,
    /// Whether the method tells the length of each new array by `trace`.
    notes_lengths: bool,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.code, "    {line}");
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn place(&mut self, label: usize) {
        let _ = writeln!(self.code, "L{label}:");
    }

    fn pick<'p>(&mut self, from: &[&'p str]) -> &'p str {
        from[self.random.below(from.len())]
    }

    fn local(&mut self) -> usize {
        self.random.below(LOCALS)
    }

    fn block(&mut self, statements: usize) {
        for _ in 0..statements {
            self.statement();
        }
    }

    fn statement(&mut self) {
        if let Some(gear) = self.natives
            && self.random.one_in(6)
        {
            return self.native(gear);
        }
        match self.random.below(14) {
            0..=4 if self.loops.len() < NESTING_MAX => self.counting_loop(),
            0..=5 => {
                self.expression(2);
                let local = self.unprotected();
                self.line(&format!("istore {local}"));
            }
            6 => {
                let local = self.unprotected();
                let by = self.pick(&["1", "-1", "2", "0", "-3", "127", "-128"]);
                self.line(&format!("iinc {local} {by}"));
            }
            7 => {
                let end = self.label();
                self.condition(end);
                self.statement();
                self.place(end);
            }
            8 => self.leave(),
            9 | 10 => self.element(),
            11 => {
                self.expression(2);
                let field = self.pick(&["f:I", "f:I", "b:B", "z:Z"]);
                self.line(&format!("putstatic {field}"));
            }
            12 => {
                self.line("invokestatic unet/Nic.getFreeBuffer()I");
                let local = self.unprotected();
                self.line(&format!("istore {local}"));
            }
            _ => {
                self.expression(1);
                if self.notes_lengths {
                    // The value of the event is the length of the array that follows.
                    self.line(&format!("dup\n    bipush {LENGTH_TAG}\n    swap\n    invokestatic unet/Nic.trace(II)V"));
                }
                self.line("newarray byte");
                self.line("putstatic other:[B");
            }
        }
    }

    /// Generates a call of a native with an effect, whose arguments are usually right.
    fn native(&mut self, gear: Gear) {
        let length = match self.random.below(4) {
            0 => "iload 0".to_owned(),
            1 => "iload 0\n    sipush 4095\n    iand".to_owned(),
            _ => format!("bipush {}", self.random.below(57)),
        };
        let channel = match self.random.below(4) {
            0 => "iload 1".to_owned(),
            1 => format!("ldc int {}", self.random.int()),
            _ => "iconst_1".to_owned(),
        };
        let line = match self.random.below(if gear.windows { 16 } else { 11 }) {
            0 => format!(
                "getstatic big:[B\n    iconst_0\n    {channel}\n    {length}\n    invokestatic unet/Nic.txPush([BIII)V"
            ),
            1 => format!(
                "getstatic big:[B\n    iconst_0\n    iconst_1\n    {length}\n    invokestatic unet/Nic.txPush([BIII)V"
            ),
            2 => format!(
                "getstatic big:[B\n    {channel}\n    bipush {}\n    invokestatic unet/Nic.dmaRxdPayload([BII)V",
                self.random.below(57)
            ),
            3 => format!(
                "getstatic ints:[I\n    {channel}\n    iconst_2\n    invokestatic unet/Nic.dmaRxd([III)V"
            ),
            4 | 5 => {
                let from = self.pick(&["iconst_0", "iload 2", "iconst_4"]);
                format!(
                    "getstatic big:[B\n    iconst_0\n    {from}\n    {length}\n    invokestatic unet/Nic.doHtoLDMA([BIII)V"
                )
            }
            6 => format!(
                "getstatic big:[B\n    iconst_0\n    iconst_0\n    {length}\n    invokestatic unet/Nic.doLtoHDMA([BIII)V"
            ),
            7 => format!(
                "sipush {}\n    invokestatic unet/Nic.setTimer(I)V",
                1 + self.random.below(900)
            ),
            8 => {
                let local = self.unprotected();
                let native = self.pick(&["currentTime", "immediate"]);
                format!("invokestatic unet/Nic.{native}()I\n    istore {local}")
            }
            9 => format!("{channel}\n    invokestatic unet/Nic.setImmediate(I)V"),
            10 => {
                let lengths = ["bipush 40", "iload 0", "bipush -3"];
                format!(
                    "{}\n    invokestatic unet/Nic.newAlignedArray(I)[B\n    putstatic other:[B",
                    self.pick(&lengths)
                )
            }
            11 | 12 => {
                let length =
                    self.pick(&["iconst_4", "iconst_4", "iconst_1", "iload 2", "iconst_0"]);
                format!(
                    "iconst_1\n    iconst_0\n    {length}\n    invokestatic unet/Nic.watch(III)V"
                )
            }
            _ => {
                let length = self.pick(&["iconst_1", "iconst_4", "bipush 16", "iload 0"]);
                format!(
                    "getstatic big:[B\n    iconst_0\n    iconst_1\n    iconst_0\n    {length}\n    invokestatic \
                     unet/Nic.windowWrite([BIIII)V"
                )
            }
        };
        self.line(&line);
    }

    /// Returns a local variable, which is rarely the counter of an enclosing loop.
    fn unprotected(&mut self) -> usize {
        for _ in 0..4 {
            let local = self.local();
            let counts = self.loops.iter().any(|(counter, ..)| *counter == local);
            if !counts || self.random.one_in(12) {
                return local;
            }
        }
        LOCALS - 1
    }

    /// Branches to a label, under a random condition.
    fn condition(&mut self, label: usize) {
        self.expression(1);
        if self.random.one_in(2) {
            let branch = self.pick(&["ifeq", "ifne", "iflt", "ifge", "ifgt", "ifle"]);
            self.line(&format!("{branch} L{label}"));
        } else {
            self.expression(1);
            let branch = self.pick(&[
                "if_icmpeq",
                "if_icmpne",
                "if_icmplt",
                "if_icmpge",
                "if_icmpgt",
                "if_icmple",
            ]);
            self.line(&format!("{branch} L{label}"));
        }
    }

    /// Generates a conditional `break`, `continue` or `return`.
    fn leave(&mut self) {
        let stay = self.label();
        self.condition(stay);
        let around = self.random.below(self.loops.len() + 1);
        match self.loops.get(around).copied() {
            Some((_, test, end)) => {
                let label = if self.random.one_in(2) { test } else { end };
                self.line(&format!("goto L{label}"));
            }
            None => self.line("iload 3\n    ireturn"),
        }
        self.place(stay);
    }

    /// Generates a read or a write of an element, whose index is often a counter.
    fn element(&mut self) {
        let index = match self.loops.last() {
            Some((counter, ..)) if !self.random.one_in(3) => *counter,
            _ => self.local(),
        };
        let (array, load, store) = match self.random.below(3) {
            0 => ("ints:[I", "iaload", "iastore"),
            1 => ("other:[B", "baload", "bastore"),
            _ => ("bytes:[B", "baload", "bastore"),
        };
        self.line(&format!("getstatic {array}\n    iload {index}"));
        if self.random.one_in(2) {
            self.expression(1);
            self.line(store);
        } else {
            self.line(load);
            let local = self.unprotected();
            self.line(&format!("istore {local}"));
        }
    }

    /// Generates a loop that usually counts from a start to an end.
    fn counting_loop(&mut self) {
        let counter = 2 + self.random.below(LOCALS - 2);
        let (up, first, test, end) = (
            !self.random.one_in(3),
            self.label(),
            self.label(),
            self.label(),
        );
        self.start(up);
        self.line(&format!("istore {counter}"));
        self.loops.push((counter, test, end));
        let is_tested_last = self.random.one_in(4);
        let is_stepped_first = self.random.one_in(5);
        // A second step, which only some paths to the test take.
        let may_step_before = self.random.one_in(8);
        if is_tested_last {
            self.place(first);
        } else {
            self.place(test);
            if is_stepped_first {
                self.step(counter, up);
            }
            if may_step_before {
                self.step_on_one_path(counter, up);
            }
            self.test(counter, up, end, false);
        }
        let statements = self.random.below(3);
        self.block(statements);
        if is_tested_last {
            self.step(counter, up);
            self.place(test);
            self.test(counter, up, first, true);
        } else {
            if !is_stepped_first {
                self.step(counter, up);
            }
            self.line(&format!("goto L{test}"));
        }
        self.place(end);
        self.loops.pop();
    }

    /// Pushes the value at which a counter starts.
    fn start(&mut self, up: bool) {
        match self.random.below(8) {
            0 => self.expression(2),
            1 => self.line("getstatic b:B"),
            2 => self.line("iload 0"),
            3 if !up => self.line("getstatic bytes:[B\n    arraylength\n    iconst_1\n    isub"),
            _ => {
                let constants = if up {
                    ["0", "0", "0", "1", "-3", "2147483640"]
                } else {
                    ["10", "7", "3", "0", "12", "-2147483640"]
                };
                let constant = self.pick(&constants);
                self.line(&format!("ldc int {constant}"));
            }
        }
    }

    /// Pushes the value at which a counter ends.
    fn end(&mut self, up: bool) {
        match self.random.below(11) {
            0 => self.expression(2),
            1 => self.line("getstatic fixed:I"),
            2 => self.line("iload 0"),
            3 => self.line("getstatic bytes:[B\n    arraylength"),
            4 => self.line("getstatic other:[B\n    arraylength"),
            5 => self.line("invokestatic unet/Nic.getFreeBufferLength()I"),
            6 => {
                let local = self.local();
                self.line(&format!("iload {local}\n    bipush 7\n    iand"));
            }
            7 => {
                let local = self.local();
                self.line(&format!("iload {local}"));
            }
            _ => {
                let constants = if up {
                    ["5", "8", "1", "0", "2147483647", "2147483643"]
                } else {
                    ["0", "-1", "1", "-5", "-2147483648", "-2147483643"]
                };
                let constant = self.pick(&constants);
                self.line(&format!("ldc int {constant}"));
            }
        }
    }

    /// Compares a counter with its end, and branches to `label` if the counter is before the end (`stays`) or has
    /// reached it.
    fn test(&mut self, counter: usize, up: bool, label: usize, stays: bool) {
        // Choose the branch that is taken while an upward counter is below its end.
        let inside = match self.random.below(12) {
            0 => "ne",
            1 => "eq",
            2 => "gt",
            3..=5 => "le",
            _ => "lt",
        };
        let negated = |word| match word {
            "ne" => "eq",
            "eq" => "ne",
            "gt" => "le",
            "le" => "gt",
            "lt" => "ge",
            _ => "lt",
        };
        let mirrored = |word| match word {
            "gt" => "lt",
            "le" => "ge",
            "lt" => "gt",
            "ge" => "le",
            same => same,
        };
        let mut word = if up { inside } else { mirrored(inside) };
        if !stays {
            word = negated(word);
        }
        if self.random.one_in(5) {
            self.line(&format!("iload {counter}"));
            self.line(&format!("if{word} L{label}"));
        } else if self.random.one_in(3) {
            self.end(up);
            self.line(&format!("iload {counter}"));
            self.line(&format!("if_icmp{} L{label}", mirrored(word)));
        } else {
            self.line(&format!("iload {counter}"));
            if self.random.one_in(8) {
                // Step the counter after its test, as in `i++ < n`.
                self.line(&format!("iinc {counter} {}", if up { 1 } else { -1 }));
            }
            if self.random.one_in(12) {
                self.line("iconst_1\n    iadd");
            }
            self.end(up);
            self.line(&format!("if_icmp{word} L{label}"));
        }
    }

    /// Generates a step by one that the second parameter decides about, so that both paths are taken.
    fn step_on_one_path(&mut self, counter: usize, up: bool) {
        let skip = self.label();
        let branch = self.pick(&["iflt", "ifge"]);
        self.line(&format!("iload 1\n    {branch} L{skip}"));
        self.line(&format!("iinc {counter} {}", if up { 1 } else { -1 }));
        self.place(skip);
    }

    fn step(&mut self, counter: usize, up: bool) {
        let skip = self.random.one_in(10).then(|| self.label());
        if let Some(skip) = skip {
            self.condition(skip);
        }
        let by = match self.random.below(12) {
            0 => 0,
            1 => -1,
            2 | 3 => 2,
            4 => 3,
            _ => 1,
        };
        let by = if up { by } else { -by };
        match self.random.below(10) {
            0 => {
                let line =
                    format!("iload {counter}\n    ldc int {by}\n    iadd\n    istore {counter}");
                self.line(&line);
            }
            1 => self.line(&format!(
                "iload {counter}\n    ldc int {by}\n    isub\n    istore {counter}"
            )),
            2 => {
                let narrow = self.pick(&["i2b", "i2s"]);
                self.line(&format!(
                    "iload {counter}\n    ldc int {by}\n    iadd\n    {narrow}\n    istore {counter}"
                ));
            }
            3 => self.line(&format!(
                "iinc {counter} {by}\n    wide iinc {counter} {}",
                by * 300
            )),
            _ => self.line(&format!("iinc {counter} {by}")),
        }
        if let Some(skip) = skip {
            self.place(skip);
        }
    }

    /// Pushes a value.
    fn expression(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 6 } else { 12 }) {
            0 | 1 => {
                let local = self.local();
                self.line(&format!("iload {local}"));
            }
            2 | 3 => {
                let constant = match self.random.below(3) {
                    0 => self.random.int(),
                    _ => i32::try_from(self.random.below(16)).expect("it is small") - 3,
                };
                self.line(&format!("ldc int {constant}"));
            }
            4 => {
                let field = self.pick(&["f:I", "b:B", "z:Z", "fixed:I"]);
                self.line(&format!("getstatic {field}"));
            }
            5 => self.line("getstatic ints:[I\n    arraylength"),
            6 => {
                self.expression(depth - 1);
                let narrow = self.pick(&["i2b", "i2s", "ineg"]);
                self.line(narrow);
            }
            7 if self.calls => {
                self.expression(depth - 1);
                self.line("invokestatic count(I)I");
            }
            _ => {
                self.expression(depth - 1);
                self.expression(depth - 1);
                let operator = self.pick(&[
                    "iadd", "isub", "imul", "idiv", "irem", "iand", "ior", "ixor", "ishl", "ishr",
                    "iushr",
                ]);
                self.line(operator);
            }
        }
    }
}
