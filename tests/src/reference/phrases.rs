//! Generates methods from phrases: short pieces of assembly that lowering turns into one or a few ops.
//!
//! Most ops need three or four consecutive instructions, so generators that choose single instructions reach few of the
//! possible pairs of ops. In the generated methods, any two phrases follow each other. The operands of a phrase come
//! from local variables, constants, fields and the previous phrase, so that any two ops meet.

use jive_lab::Random;

/// A piece of assembly, with the kinds of values that it pops and pushes: `I` an `int`, `b`, `s`, `i` and `z` arrays,
/// `t` the object. `@L` and `@E` stand for labels of the phrase itself.
#[derive(Copy, Clone, Debug)]
pub struct Phrase {
    pops: &'static str,
    pushes: &'static str,
    lines: &'static str,
    /// The text before the first phrase of the phrase's group, and the text after the last.
    around: [&'static str; 2],
    /// Whether control can pass to the next instruction.
    goes_on: bool,
}

const PLAIN: [&str; 2] = ["", ""];
/// A forward branch.
const ONWARD: [&str; 2] = ["", "@E:"];
/// A back edge.
const BACK: [&str; 2] = ["@L:", ""];

const fn row(pops: &'static str, pushes: &'static str, lines: &'static str) -> Phrase {
    Phrase {
        pops,
        pushes,
        lines,
        around: PLAIN,
        goes_on: true,
    }
}

const fn branch(pops: &'static str, lines: &'static str, around: [&'static str; 2]) -> Phrase {
    Phrase {
        pops,
        pushes: "",
        lines,
        around,
        goes_on: true,
    }
}

/// A phrase that ends a group: a jump back to the condition in `before`, or a return.
const fn last(pops: &'static str, lines: &'static str, before: &'static str) -> Phrase {
    Phrase {
        pops,
        pushes: "",
        lines,
        around: [before, "@E:"],
        goes_on: false,
    }
}

/// The phrase whose method has no result.
const VOID: &str = "return";

/// All phrases.
pub const PHRASES: &[Phrase] = &[
    row("II", "I", "iadd"),
    row("II", "I", "isub"),
    row("II", "I", "imul"),
    row("II", "I", "idiv"),
    row("II", "I", "irem"),
    row("II", "I", "ishl"),
    row("II", "I", "ishr"),
    row("II", "I", "iushr"),
    row("II", "I", "iand"),
    row("II", "I", "ior"),
    row("II", "I", "ixor"),
    row("I", "I", "bipush 7\niadd"),
    row("I", "I", "bipush 7\nisub"),
    row("I", "I", "bipush 7\nimul"),
    row("I", "I", "iconst_3\nishl"),
    row("I", "I", "iconst_3\nishr"),
    row("I", "I", "iconst_3\niushr"),
    row("I", "I", "sipush 255\niand"),
    row("I", "I", "sipush 4096\nior"),
    row("I", "I", "ldc 123456\nixor"),
    row("I", "I", "ineg"),
    row("I", "I", "i2b"),
    row("I", "I", "i2s"),
    row("", "I", "ldc 100000"),
    row("", "I", "getstatic int:I"),
    row("", "I", "iload 0\niinc 0 1"),
    row("", "I", "iload 1\niinc 1 1"),
    row("", "I", "iload 6\niinc 6 -1"),
    row("", "", "iinc 6 1"),
    row("", "", "iinc 6 -1"),
    row("", "I", "iload 0\niconst_1\niadd\ndup\nistore 0"),
    row("", "", "iinc 1 5"),
    row("", "", "wide iinc 6 -1000"),
    row("", "", "iload 0\nistore 1"),
    row("", "", "iconst_2\nistore 1"),
    row("", "", "ldc 100000\nistore 6"),
    row("", "", "getstatic int:I\nistore 1"),
    row("", "", "aload 2\nastore 8"),
    row("", "", "aconst_null\nastore 8"),
    row("bI", "I", "baload"),
    row("bI", "I", "baload\nsipush 255\niand"),
    row("zI", "I", "baload"),
    row("sI", "I", "saload"),
    row("iI", "I", "iaload"),
    row("b", "I", "iconst_1\nbaload"),
    row("b", "I", "iconst_1\nbaload\nsipush 255\niand"),
    row("I", "I", "getstatic bytes:[B\nswap\nbaload"),
    row("bI", "I", "iconst_1\niadd\nbaload"),
    row("I", "I", "getstatic shorts:[S\nswap\nsaload"),
    row("I", "I", "getstatic ints:[I\nswap\niaload"),
    row("", "I", "getstatic bytes:[B\niload 0\nbaload"),
    row(
        "",
        "I",
        "getstatic bytes:[B\niload 0\nbaload\nsipush 255\niand",
    ),
    row("", "I", "getstatic shorts:[S\niload 0\nsaload"),
    row("", "I", "getstatic ints:[I\niload 0\niaload"),
    row("", "", "getstatic bytes:[B\niload 0\niload 1\nbastore"),
    row("", "", "getstatic shorts:[S\niload 0\niload 1\nsastore"),
    row("", "", "getstatic ints:[I\niload 0\niload 1\niastore"),
    row("bII", "", "bastore"),
    row("bI", "", "iconst_1\nswap\nbastore"),
    row("zII", "", "bastore"),
    row("sII", "", "sastore"),
    row("iII", "", "iastore"),
    row("bII", "", "i2b\nbastore"),
    row("sII", "", "i2s\nsastore"),
    row("b", "I", "arraylength"),
    row("i", "I", "arraylength"),
    row("I", "b", "newarray byte"),
    row("I", "s", "newarray short"),
    row("I", "i", "newarray int"),
    row("I", "z", "newarray boolean"),
    row("", "b", "getstatic bytes:[B"),
    row("", "i", "getstatic ints:[I"),
    row("", "t", "getstatic self:LFixture;"),
    row("", "n", "aconst_null"),
    row("I", "", "putstatic int:I"),
    row("I", "", "putstatic byte:B"),
    row("I", "", "putstatic flag:Z"),
    row("b", "", "putstatic bytes:[B"),
    row("i", "", "putstatic ints:[I"),
    row("t", "", "putstatic self:LFixture;"),
    row("t", "I", "getfield count:I"),
    row("t", "s", "getfield data:[S"),
    row("tI", "", "putfield count:I"),
    row("ts", "", "putfield data:[S"),
    row("", "", "iconst_5\nputstatic int:I"),
    row("", "", "getstatic int:I\nbipush 7\niadd\nputstatic int:I"),
    row(
        "",
        "I",
        "getstatic int:I\nbipush 7\niadd\ndup\nputstatic int:I",
    ),
    row("I", "II", "dup"),
    row("II", "II", "swap"),
    row("II", "III", "dup_x1"),
    row("III", "IIII", "dup_x2"),
    row("II", "IIII", "dup2"),
    row("I", "", "pop"),
    row("I", "I", "invokestatic twice(I)I"),
    row("bI", "b", "invokestatic pass([BI)[B"),
    row("", "", "invokestatic nothing()V"),
    row("tI", "I", "invokevirtual member(I)I"),
    row("I", "b", "invokestatic unet/Nic.newAlignedArray(I)[B"),
    row("", "I", "invokestatic unet/Nic.getFreeBuffer()I"),
    row("bIII", "", "invokestatic unet/Nic.txPush([BIII)V"),
    row("iII", "", "invokestatic unet/Nic.dmaRxd([III)V"),
    branch("I", "ifeq @E", ONWARD),
    branch("I", "ifne @E", ONWARD),
    branch("I", "iflt @E", ONWARD),
    branch("I", "ifge @E", ONWARD),
    branch("I", "ifgt @E", ONWARD),
    branch("I", "ifle @E", ONWARD),
    branch("II", "if_icmpeq @E", ONWARD),
    branch("II", "if_icmpne @E", ONWARD),
    branch("II", "if_icmplt @E", ONWARD),
    branch("II", "if_icmpge @E", ONWARD),
    branch("II", "if_icmpgt @E", ONWARD),
    branch("II", "if_icmple @E", ONWARD),
    branch("I", "sipush 1000\nif_icmpeq @E", ONWARD),
    branch("I", "sipush 1000\nif_icmpne @E", ONWARD),
    branch("I", "sipush 1000\nif_icmplt @E", ONWARD),
    branch("I", "sipush 1000\nif_icmpge @E", ONWARD),
    branch("b", "ifnull @E", ONWARD),
    branch("b", "ifnonnull @E", ONWARD),
    branch("bi", "if_acmpeq @E", ONWARD),
    branch("bi", "if_acmpne @E", ONWARD),
    branch("I", "ifeq @L", BACK),
    branch("I", "ifne @L", BACK),
    branch("I", "iflt @L", BACK),
    branch("I", "ifge @L", BACK),
    branch("II", "if_icmpeq @L", BACK),
    branch("II", "if_icmpne @L", BACK),
    branch("II", "if_icmplt @L", BACK),
    branch("II", "if_icmpge @L", BACK),
    branch("I", "sipush 1000\nif_icmpeq @L", BACK),
    branch("I", "sipush 1000\nif_icmpne @L", BACK),
    branch("I", "sipush 1000\nif_icmplt @L", BACK),
    branch("I", "sipush 1000\nif_icmpge @L", BACK),
    last("", "goto @E\n@L:\niinc 6 1\ngoto @E", ""),
    last("", "goto @L", "@L:\niload 6\nifeq @E"),
    last("", "goto @L", "@L:\niload 6\nifne @E"),
    last("", "goto @L", "@L:\niload 6\niflt @E"),
    last("", "goto @L", "@L:\niload 6\nifge @E"),
    last("", "goto @L", "@L:\niload 6\niload 1\nif_icmpeq @E"),
    last("", "goto @L", "@L:\niload 6\niload 1\nif_icmpne @E"),
    last("", "goto @L", "@L:\niload 6\niload 1\nif_icmplt @E"),
    last("", "goto @L", "@L:\niload 6\niload 1\nif_icmpge @E"),
    last("", "goto @L", "@L:\niload 6\nsipush 1000\nif_icmpeq @E"),
    last("", "goto @L", "@L:\niload 6\nsipush 1000\nif_icmpne @E"),
    last("", "goto @L", "@L:\niload 6\nsipush 1000\nif_icmplt @E"),
    last("", "goto @L", "@L:\niload 6\nsipush 1000\nif_icmpge @E"),
    last(
        "",
        "iinc 6 1\ngoto @L",
        "@L:\niload 6\niload 1\nif_icmpge @E",
    ),
    last(
        "",
        "iinc 6 1\ngoto @L",
        "@L:\niload 6\nbipush 9\nif_icmpge @E",
    ),
    last("", "iinc 6 -1\ngoto @L", "@L:\niload 6\nifle @E"),
    last("", "iinc 6 -1\ngoto @L", "@L:\niload 6\niflt @E"),
    last(
        "",
        "iinc 6 1\ngoto @L",
        "@L:\niload 6\niload 1\nixor\nifeq @E",
    ),
    last(
        "I",
        "tableswitch 0: @E @E @E @E @E @E @E @E @E @E @E @E @E @E @E @E @E @E default: @E",
        "",
    ),
    last(
        "I",
        "tableswitch 0: @E @L @E @L @E @L @E @L @E @L @E @L @E @L @E @L @E @L default: @E",
        "@L:",
    ),
    last("I", "lookupswitch 1: @E 100: @L default: @E", "@L:"),
    last(
        "I",
        "lookupswitch 1: @L 4: @E 7: @L 10: @E 13: @L 16: @E 19: @L 22: @E 25: @L 28: @E 31: @L default: @E",
        "@L:",
    ),
    last("I", "ireturn", ""),
    last("", "iload 1\nireturn", ""),
    last("", VOID, ""),
    last("", "iconst_3\nireturn", ""),
];

impl Phrase {
    /// Returns whether control can pass to another phrase.
    #[must_use]
    pub const fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Returns whether the phrase computes an `int` that the next phrase may use.
    #[must_use]
    pub fn computes(&self) -> bool {
        self.pushes == "I"
    }
}

/// The class around methods made of phrases.
const MEMBERS: &str = "
.omit all
.field static int I
.field static byte B
.field static flag Z
.field static bytes [B
.field static shorts [S
.field static ints [I
.field static flags [Z
.field static self LFixture;
.field count I
.field data [S
.method static twice(I)I stack 2 locals 1
iload_0
iconst_2
imul
ireturn
.method static pass([BI)[B stack 1 locals 2
aload_0
areturn
.method static nothing()V stack 0 locals 0
return
.method member(I)I stack 2 locals 2
iload_1
aload_0
getfield count:I
iadd
ireturn
.method <init>()V stack 2 locals 1
aload_0
invokespecial java/lang/Object.<init>()V
aload_0
putstatic self:LFixture;
bipush 9
newarray byte
putstatic bytes:[B
bipush 9
newarray int
putstatic ints:[I
bipush 9
newarray boolean
putstatic flags:[Z
bipush 9
newarray short
dup
putstatic shorts:[S
aload_0
swap
putfield data:[S
return
";

/// Combines the final values of all local variables into an `int`, so that a wrong value changes the result.
const LOCALS_MIXED: &str = "\
iload 0
bipush 31
imul
iload 1
ixor
bipush 31
imul
iload 6
iadd
aload 2
aload 8
if_acmpeq same
iconst_5
ixor
same:
";

/// A method under construction: a group of phrases between two points at which the operand stack is empty.
struct Group<'g> {
    random: &'g mut Random,
    text: String,
    stack: Vec<char>,
    /// The local variable in which an `int` was stored last.
    latest: char,
}

impl Group<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Pushes a value of a kind from a random source.
    fn push(&mut self, kind: char) {
        let from: &[&str] = match kind {
            'I' => &[
                "iload 0",
                "iload 0",
                "iload 1",
                "iload 6",
                "iconst_2",
                "sipush -300",
                "ldc 100000",
                "getstatic int:I",
                "iload 0\niconst_1\niadd",
            ],
            'b' => &["aload 2", "getstatic bytes:[B", "aload 8"],
            's' => &[
                "aload 3",
                "getstatic shorts:[S",
                "aload 5\ngetfield data:[S",
            ],
            'i' => &["aload 4", "getstatic ints:[I"],
            'z' => &["aload 7", "getstatic flags:[Z"],
            't' => &["aload 5", "getstatic self:LFixture;"],
            _ => panic!("nothing is of kind {kind}"),
        };
        if kind == 'I' && self.random.one_in(3) {
            let line = format!("iload {}", self.latest);
            self.line(&line);
        } else {
            let line = from[self.random.below(from.len())];
            self.line(line);
        }
        self.stack.push(kind);
    }

    /// Stores the topmost operand.
    fn spill(&mut self) {
        let Some(kind) = self.stack.pop() else { return };
        let line = match kind {
            'I' => {
                self.latest = ['0', '1', '6'][self.random.below(3)];
                format!("istore {}", self.latest)
            }
            'b' | 'n' => "astore 8".to_owned(),
            's' => "astore 3".to_owned(),
            'i' => "astore 4".to_owned(),
            'z' => "astore 7".to_owned(),
            _ => "astore 5".to_owned(),
        };
        self.line(&line);
    }

    /// Pushes the operands of a phrase, of which the topmost may already be on the operand stack.
    fn supply(&mut self, phrase: &Phrase) {
        let wanted: Vec<char> = phrase.pops.chars().collect();
        // Use as many values on the operand stack as fit, and push the other operands on top of them.
        let ready = (0..=wanted.len())
            .rev()
            .find(|&count| self.stack.ends_with(&wanted[..count]))
            // Sometimes leave earlier results on the stack and push all operands.
            .filter(|_| !self.random.one_in(4))
            .unwrap_or(0);
        let is_control = phrase.around != PLAIN || !phrase.goes_on;
        if is_control && self.stack.len() > ready || self.random.one_in(8) {
            while !self.stack.is_empty() {
                self.spill();
            }
            wanted.iter().for_each(|kind| self.push(*kind));
            return;
        }
        wanted[ready..].iter().for_each(|kind| self.push(*kind));
    }

    /// Writes consecutive phrases, of which only the last may be a phrase without a successor.
    fn write(&mut self, phrases: &[&Phrase], number: usize) {
        let own = |text: &str, place: usize| {
            let text = text.replace("@L", &format!("l{number}_{place}"));
            text.replace("@E", &format!("e{number}_{place}"))
        };
        for (place, phrase) in phrases.iter().enumerate() {
            let before = own(phrase.around[0], place);
            self.line(&before);
        }
        for (place, phrase) in phrases.iter().enumerate() {
            // Push those operands of the next phrase first that must be below this phrase's result on the operand
            // stack.
            let next = phrases
                .get(place + 1)
                .filter(|next| next.pops.len() > phrase.pushes.len());
            if let Some(next) = next
                && phrase.around == PLAIN
                && next.pops.ends_with(phrase.pushes)
                && !phrase.pushes.is_empty()
                && self.stack.is_empty()
                && !self.random.one_in(4)
            {
                let below = next.pops.len() - phrase.pushes.len();
                next.pops[..below].chars().for_each(|kind| self.push(kind));
            }
            if self.random.one_in(16) && self.stack.is_empty() {
                // At this label another path joins, so lowering has no knowledge of earlier values.
                let label = format!("m{number}_{place}");
                self.line(&format!("iload 6\nifeq {label}\niinc 6 -1\n{label}:"));
            }
            self.supply(phrase);
            let lines = own(phrase.lines, place);
            self.line(&lines);
            let left = self.stack.len() - phrase.pops.len();
            self.stack.truncate(left);
            self.stack.extend(phrase.pushes.chars());
        }
        while !self.stack.is_empty() {
            self.spill();
        }
        for (place, phrase) in phrases.iter().enumerate().rev() {
            let behind = own(phrase.around[1], place);
            self.line(&behind);
        }
    }
}

/// Returns a class as assembly, with a method for each group of phrases.
///
/// Only the last phrase of a group may have no successor ([`Phrase::goes_on`]).
#[must_use]
pub fn class(groups: &[Vec<&Phrase>], random: &mut Random) -> String {
    let mut source = MEMBERS.to_owned();
    for (number, phrases) in groups.iter().enumerate() {
        let mut group = Group {
            random,
            text: String::new(),
            stack: Vec::new(),
            latest: '0',
        };
        group.write(phrases, number);
        let is_void = phrases.iter().any(|phrase| phrase.lines == VOID);
        let (result, end) = if is_void {
            ("V", "putstatic int:I\nreturn")
        } else {
            ("I", "ireturn")
        };
        // Most initial indices are in bounds. The final store of a constant leaves no computed value that the first
        // phrase could use.
        source.push_str(&format!(
            ".method static m{number}(II[B[S[ILFixture;I[Z){result} stack 32 locals 9\n\
             aload 2\nastore 8\niload 0\niconst_3\niand\nistore 0\niconst_0\nputstatic int:I\n{}{LOCALS_MIXED}{end}\n",
            group.text
        ));
    }
    source
}
