//! Generates well-typed programs from expressions and statements, sometimes with a mistake.

use arbitrary::{Arbitrary, Result, Unstructured};

/// A class in assembly.
#[derive(Clone, Debug)]
pub struct Program {
    /// The source.
    pub source: String,
    /// Whether the program contains no mistake.
    pub sound: bool,
}

/// Members that the generated methods use. The constructor of the program stores persistent arrays in the fields.
const MEMBERS: &str = "
.field static int I
.field static byte B
.field static short S
.field static boolean Z = 1
.field static bytes [B
.field static shorts [S
.field static ints [I
.field static flags [Z
.field static self LFixture;
.field count I
.field data [B
.method <init>()V stack 2 locals 1
    aload_0
    iconst_3
    putfield count:I
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
    return
";

/// The parameters of all generated methods: an `int`, a `byte[]` and an `int`.
pub(super) const PARAMETERS: &str = "(I[BI)";

/// The generated methods: flags, name, result.
const METHODS: [(&str, &str, &str); 5] = [
    ("static", "whole", "I"),
    ("static", "narrow", "B"),
    ("static", "array", "[B"),
    ("static", "nothing", "V"),
    ("private", "member", "Z"),
];

/// The kind of a value.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Bytes,
    Shorts,
    Ints,
    Flags,
    This,
}

impl Kind {
    pub(super) const ARRAYS: [Kind; 4] = [Kind::Bytes, Kind::Shorts, Kind::Ints, Kind::Flags];

    /// Returns the number of the local variable for values of this kind, counted from the variable after `this`.
    const fn local(self) -> u16 {
        match self {
            Kind::Int => 0,
            Kind::Bytes => 1,
            Kind::Shorts => 3,
            Kind::Ints => 4,
            Kind::Flags => 5,
            Kind::This => 6,
        }
    }

    /// Returns the element type, the mnemonic prefix of element access, and the field with an array of this kind.
    pub(super) const fn array(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Kind::Bytes | Kind::Int | Kind::This => ("byte", "ba", "bytes:[B"),
            Kind::Shorts => ("short", "sa", "shorts:[S"),
            Kind::Ints => ("int", "ia", "ints:[I"),
            Kind::Flags => ("boolean", "ba", "flags:[Z"),
        }
    }
}

/// Number of local variables of a method after `this`: parameters, one variable of each kind, and another `int`.
const LOCALS: u16 = 8;
const SPARE_INT: u16 = 7;

/// Maximum nesting of expressions and statements, which bounds the depth of the operand stack.
const DEPTH_MAX: u8 = 5;
/// The `max_stack` of each method, which is more than the deepest expression needs.
const STACK: u16 = 120;
/// Maximum number of expressions and statements of a method, so that branches stay short.
const NODES_MAX: u32 = 250;

impl<'a> Arbitrary<'a> for Program {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Program> {
        let mut source = MEMBERS.to_owned();
        let mistakes = u.ratio(1, 2)?;
        let mut sound = true;
        for (flags, name, result) in METHODS {
            let this = u16::from(flags != "static");
            let mut writer = Writer {
                u,
                text: String::new(),
                labels: 0,
                nodes: 0,
                this,
                result,
                mistakes,
                sound: true,
            };
            writer.method()?;
            sound &= writer.sound;
            let locals = LOCALS + this;
            source.push_str(&format!(
                ".method {flags} {name}{PARAMETERS}{result} stack {STACK} locals {locals}\n{}",
                writer.text
            ));
        }
        Ok(Program { source, sound })
    }
}

/// A method under construction.
pub(super) struct Writer<'w, 'a> {
    pub(super) u: &'w mut Unstructured<'a>,
    text: String,
    labels: u32,
    nodes: u32,
    /// The number of the local variable after `this`: 1 if local variable 0 is `this`, else 0.
    this: u16,
    result: &'static str,
    mistakes: bool,
    sound: bool,
}

impl Writer<'_, '_> {
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(super) fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    pub(super) fn place(&mut self, label: &str) {
        self.line(&format!("{label}:"));
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> Result<T> {
        self.u.choose(of).copied()
    }

    /// Counts a node, and returns its permitted depth, which is 0 once the method has [`NODES_MAX`] nodes.
    pub(super) fn spend(&mut self, depth: u8) -> u8 {
        self.nodes += 1;
        if self.nodes < NODES_MAX { depth } else { 0 }
    }

    pub(super) fn load(&mut self, kind: Kind) -> Result<()> {
        let local = kind.local() + self.this;
        let wide = self.pick(&["", "wide "])?;
        let letter = if kind == Kind::Int { 'i' } else { 'a' };
        self.line(&format!("{wide}{letter}load {local}"));
        Ok(())
    }

    fn store(&mut self, kind: Kind) {
        let local = kind.local() + self.this;
        let letter = if kind == Kind::Int { 'i' } else { 'a' };
        self.line(&format!("{letter}store {local}"));
    }

    /// Writes a whole method body: it sets every local variable, executes statements, and returns a result.
    fn method(&mut self) -> Result<()> {
        for kind in Kind::ARRAYS {
            let element = kind.array().0;
            self.line(&format!("iconst_4\nnewarray {element}"));
            self.store(kind);
        }
        self.line("getstatic self:LFixture;");
        self.store(Kind::This);
        self.line("iconst_0");
        self.line(&format!("istore {}", SPARE_INT + self.this));
        let statements = self.u.int_in_range(0..=8)?;
        for _ in 0..statements {
            self.statement(DEPTH_MAX)?;
        }
        self.give_back(DEPTH_MAX)
    }

    fn give_back(&mut self, depth: u8) -> Result<()> {
        match self.result {
            "V" => self.line("return"),
            "[B" => {
                self.reference(Kind::Bytes, depth)?;
                self.line("areturn");
            }
            _ => {
                self.int(depth)?;
                self.line("ireturn");
            }
        }
        Ok(())
    }

    fn statement(&mut self, depth: u8) -> Result<()> {
        let depth = self.spend(depth);
        if depth == 0 {
            self.line("nop");
            return Ok(());
        }
        if self.mistakes && self.u.ratio(1, 64)? {
            return self.mistake();
        }
        let inner = depth - 1;
        match self.u.int_in_range(0..=12)? {
            0 => {
                self.int(inner)?;
                self.store(Kind::Int);
            }
            1 => {
                let by: i16 = self.u.arbitrary()?;
                let local = SPARE_INT + self.this;
                self.line(&format!("wide iinc {local} {by}"));
            }
            2 => {
                let kind = self.pick(&Kind::ARRAYS)?;
                self.reference(kind, inner)?;
                self.small_int(3, inner)?;
                self.int(inner)?;
                self.line(&format!("{}store", kind.array().1));
            }
            3 => {
                self.int(inner)?;
                let field = self.pick(&["int:I", "byte:B", "short:S", "boolean:Z"])?;
                self.line(&format!("putstatic {field}"));
            }
            4 => {
                let kind = self.pick(&Kind::ARRAYS)?;
                self.reference(kind, inner)?;
                self.line(&format!("putstatic {}", kind.array().2));
            }
            5 => {
                self.reference(Kind::This, inner)?;
                self.int(inner)?;
                self.line("putfield count:I");
            }
            6 => {
                self.reference(Kind::This, inner)?;
                self.reference(Kind::Bytes, inner)?;
                self.line("putfield data:[B");
            }
            7 => {
                let kind = self.pick(&Kind::ARRAYS)?;
                self.reference(kind, inner)?;
                self.store(kind);
            }
            8 => self.branches(inner)?,
            9 => self.repetition(inner)?,
            10 => {
                if let Some(result) = self.native(inner)? {
                    self.line(if result == Kind::Int {
                        "pop"
                    } else {
                        "arraylength\npop"
                    });
                }
            }
            11 => self.call("nothing", "V", inner)?,
            _ => self.dead_code()?,
        }
        Ok(())
    }

    fn branches(&mut self, depth: u8) -> Result<()> {
        let (other, end) = (self.label(), self.label());
        self.condition(&other, depth)?;
        self.statement(depth)?;
        if self.u.ratio(1, 8)? {
            self.give_back(depth)?;
        } else {
            self.line(&format!("goto {end}"));
        }
        self.place(&other);
        self.statement(depth)?;
        self.place(&end);
        Ok(())
    }

    fn repetition(&mut self, depth: u8) -> Result<()> {
        let (again, end) = (self.label(), self.label());
        self.place(&again);
        self.condition(&end, depth)?;
        self.statement(depth)?;
        self.statement(depth)?;
        let goto = self.pick(&["goto", "goto_w"])?;
        self.line(&format!("{goto} {again}"));
        self.place(&end);
        Ok(())
    }

    /// Writes unreachable instructions that are in the subset but not well-typed.
    fn dead_code(&mut self) -> Result<()> {
        let end = self.label();
        self.line(&format!("goto {end}"));
        for _ in 0..self.u.int_in_range(0..=3)? {
            let line = self.pick(&["iadd", "aconst_null", "pop2", "areturn", "swap", "iaload"])?;
            self.line(line);
        }
        self.place(&end);
        Ok(())
    }

    /// Writes an instruction that may be ill-typed at this place in the method.
    fn mistake(&mut self) -> Result<()> {
        self.sound = false;
        match self.u.int_in_range(0..=3)? {
            0 => {
                let byte: u8 = self.u.arbitrary()?;
                self.line(&format!(".bytes {byte:02x}"));
            }
            1 => {
                let target: u8 = self.u.arbitrary()?;
                self.line(&format!("goto @{target}"));
            }
            2 => self.int(1)?,
            _ => {
                let line =
                    self.pick(&["pop", "iadd", "dup2_x2", "astore 0", "return", "baload"])?;
                self.line(line);
            }
        }
        Ok(())
    }
}
