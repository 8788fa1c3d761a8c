//! Programs by construction: expressions and statements that fit together, and now and then a mistake.
//!
//! Where no mistake was made the verifier has to accept, so that this finds rejections that should
//! not be as well as acceptances.

use arbitrary::{Arbitrary, Result, Unstructured};
use jive_core::NativeType;
use jive_verifier::Policy;
use nic_runtime::sle::NicNative;

use super::{Random, run_as};
use crate::asm::assemble;
use crate::fixture::Outcome;

/// A class in assembly.
#[derive(Clone, Debug)]
pub struct Program {
    /// The source.
    pub source: String,
    /// Whether every instruction was put where it fits.
    pub sound: bool,
}

/// A sound program is accepted, and an accepted one keeps its promises.
pub fn program(program: &Program) {
    let class = assemble("program", &program.source)
        .unwrap_or_else(|error| panic!("{error}\n{}", program.source));
    let verdict = run_as(&class.bytes, Policy::Applet, Random::new(&class.bytes));
    assert!(
        !program.sound || verdict == Outcome::Accepted,
        "{verdict}\n{}",
        program.source
    );
}

/// Members that the methods below use; the constructor leaves persistent arrays in the fields.
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

/// What the methods take: an `int`, a `byte[]` and an `int`.
const PARAMETERS: &str = "(I[BI)";

/// The methods: flags, name, result.
const METHODS: [(&str, &str, &str); 5] = [
    ("static", "whole", "I"),
    ("static", "narrow", "B"),
    ("static", "array", "[B"),
    ("static", "nothing", "V"),
    ("private", "member", "Z"),
];

/// What a value is.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Kind {
    Int,
    Bytes,
    Shorts,
    Ints,
    Flags,
    This,
}

impl Kind {
    const ARRAYS: [Kind; 4] = [Kind::Bytes, Kind::Shorts, Kind::Ints, Kind::Flags];

    /// Local variable that holds one, counted behind `this`.
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

    /// Element type, mnemonic prefix of element access, and the field that holds such an array.
    const fn array(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Kind::Bytes | Kind::Int | Kind::This => ("byte", "ba", "bytes:[B"),
            Kind::Shorts => ("short", "sa", "shorts:[S"),
            Kind::Ints => ("int", "ia", "ints:[I"),
            Kind::Flags => ("boolean", "ba", "flags:[Z"),
        }
    }
}

/// Locals of a method behind `this`: parameters, one of each kind, and an `int` more.
const LOCALS: u16 = 8;
const SPARE_INT: u16 = 7;

/// Expressions and statements nest no deeper, which bounds the operand stack.
const DEPTH_MAX: u8 = 5;
/// More operands than the deepest expression can have.
const STACK: u16 = 120;
/// Expressions and statements in one method, so that branches stay short.
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

/// A method in the writing.
struct Writer<'w, 'a> {
    u: &'w mut Unstructured<'a>,
    text: String,
    labels: u32,
    nodes: u32,
    /// 1 where local variable 0 is `this`.
    this: u16,
    result: &'static str,
    mistakes: bool,
    sound: bool,
}

impl Writer<'_, '_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    fn place(&mut self, label: &str) {
        self.line(&format!("{label}:"));
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> Result<T> {
        self.u.choose(of).copied()
    }

    /// Says how deep the next node may go, 0 once there are nodes enough.
    fn spend(&mut self, depth: u8) -> u8 {
        self.nodes += 1;
        if self.nodes < NODES_MAX { depth } else { 0 }
    }

    fn load(&mut self, kind: Kind) -> Result<()> {
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

    /// The whole body: every local variable set, some statements, a result.
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

    /// Instructions of the subset that fit together in no way, where nothing reaches them.
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

    /// Something that may not fit where it stands.
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

    /// Goes to `target` or falls through.
    fn condition(&mut self, target: &str, depth: u8) -> Result<()> {
        let mnemonic = match self.u.int_in_range(0..=3)? {
            0 => {
                self.int(depth)?;
                self.pick(&["ifeq", "ifne", "iflt", "ifge", "ifgt", "ifle"])?
            }
            1 => {
                self.int(depth)?;
                self.int(depth)?;
                self.pick(&[
                    "if_icmpeq",
                    "if_icmpne",
                    "if_icmplt",
                    "if_icmpge",
                    "if_icmpgt",
                ])?
            }
            2 => {
                let kind = self.pick(&Kind::ARRAYS)?;
                self.reference(kind, depth)?;
                self.pick(&["ifnull", "ifnonnull"])?
            }
            _ => {
                // References of different types may be compared.
                let kind = self.pick(&Kind::ARRAYS)?;
                self.reference(kind, depth)?;
                self.reference(Kind::This, depth)?;
                self.pick(&["if_acmpeq", "if_acmpne"])?
            }
        };
        self.line(&format!("{mnemonic} {target}"));
        Ok(())
    }

    /// Pushes an `int`.
    fn int(&mut self, depth: u8) -> Result<()> {
        let depth = self.spend(depth);
        if depth == 0 {
            return self.load(Kind::Int);
        }
        let inner = depth - 1;
        match self.u.int_in_range(0..=11)? {
            0 => {
                let value: i32 = self.u.arbitrary()?;
                self.line(&format!("ldc {value}"));
            }
            1 => self.load(Kind::Int)?,
            2 => {
                let value: i8 = self.u.arbitrary()?;
                self.line(&format!("bipush {value}"));
            }
            3 => {
                self.int(inner)?;
                self.int(inner)?;
                self.operation()?;
            }
            4 => {
                self.int(inner)?;
                let line = self.pick(&["ineg", "i2b", "i2s"])?;
                self.line(line);
            }
            5 => {
                let kind = self.pick(&Kind::ARRAYS)?;
                self.reference(kind, inner)?;
                self.small_int(3, inner)?;
                self.line(&format!("{}load", kind.array().1));
            }
            6 => {
                let kind = self.pick(&Kind::ARRAYS)?;
                self.reference(kind, inner)?;
                self.line("arraylength");
            }
            7 => {
                let field = self.pick(&["int:I", "byte:B", "short:S", "boolean:Z"])?;
                self.line(&format!("getstatic {field}"));
            }
            8 => {
                self.reference(Kind::This, inner)?;
                self.line("getfield count:I");
            }
            9 => {
                let (name, result) = self.pick(&[("whole", "I"), ("narrow", "B")])?;
                self.call(name, result, inner)?;
            }
            10 => self.choice(inner)?,
            _ => self.shuffle(inner)?,
        }
        Ok(())
    }

    /// Pushes an `int` that most of the time is from 0 to `mask`, so that programs get past their
    /// array accesses.
    fn small_int(&mut self, mask: u8, depth: u8) -> Result<()> {
        self.int(depth)?;
        if self.u.ratio(15, 16)? {
            self.line(&format!("bipush {mask}\niand"));
        }
        Ok(())
    }

    fn operation(&mut self) -> Result<()> {
        let line = self.pick(&[
            "iadd", "isub", "imul", "idiv", "irem", "ishl", "ishr", "iushr", "iand", "ior", "ixor",
        ])?;
        self.line(line);
        Ok(())
    }

    /// One `int` or another, by a branch or a switch; what lies below on the stack stays.
    fn choice(&mut self, depth: u8) -> Result<()> {
        let (other, end) = (self.label(), self.label());
        match self.u.int_in_range(0..=2)? {
            0 => self.condition(&other, depth)?,
            1 => {
                self.int(depth)?;
                let first = self.label();
                let low: i16 = self.u.arbitrary()?;
                self.line(&format!(
                    "tableswitch {low}: {first} {other} default: {first}"
                ));
                self.place(&first);
            }
            _ => {
                self.int(depth)?;
                let first = self.label();
                let key: i16 = self.u.arbitrary()?;
                self.line(&format!("lookupswitch {key}: {other} default: {first}"));
                self.place(&first);
            }
        }
        self.int(depth)?;
        self.line(&format!("goto {end}"));
        self.place(&other);
        self.int(depth)?;
        self.place(&end);
        Ok(())
    }

    /// An `int` that goes through the instructions that only move values.
    fn shuffle(&mut self, depth: u8) -> Result<()> {
        let (ints, moves, left) = self.pick(&[
            (1, "dup", 2),
            (2, "swap", 2),
            (2, "dup_x1", 3),
            (3, "dup_x2", 4),
            (2, "dup2", 4),
            (3, "dup2_x1", 5),
            (4, "dup2_x2", 6),
            (3, "pop2", 1),
            (2, "pop", 1),
        ])?;
        if self.u.ratio(1, 4)? {
            // An array and an `int` change places.
            self.reference(Kind::Bytes, depth)?;
            self.int(depth)?;
            self.line("swap\narraylength");
            return self.operation();
        }
        for _ in 0..ints {
            self.int(depth)?;
        }
        self.line(moves);
        for _ in 1..left {
            self.operation()?;
        }
        Ok(())
    }

    /// Pushes a reference of this kind, or null.
    fn reference(&mut self, kind: Kind, depth: u8) -> Result<()> {
        let depth = self.spend(depth);
        if depth == 0 {
            return self.load(kind);
        }
        let inner = depth - 1;
        if kind == Kind::This {
            if self.u.ratio(1, 16)? {
                self.line("aconst_null");
            } else {
                self.line("getstatic self:LFixture;");
            }
            return Ok(());
        }
        let (element, _, field) = kind.array();
        match self.u.int_in_range(0..=6)? {
            0 | 1 => {
                let length = self.u.int_in_range(0..=15)?;
                self.line(&format!("bipush {length}\nnewarray {element}"));
            }
            2 => self.load(kind)?,
            3 => self.line(&format!("getstatic {field}")),
            4 => {
                self.small_int(15, inner)?;
                self.line(&format!("newarray {element}"));
            }
            5 if self.u.ratio(1, 4)? => {
                // Null on one path, an array on the other.
                let (other, end) = (self.label(), self.label());
                self.condition(&other, inner)?;
                self.reference(kind, inner)?;
                self.line(&format!("goto {end}"));
                self.place(&other);
                self.line("aconst_null");
                self.place(&end);
            }
            _ if kind == Kind::Bytes => self.call("array", "[B", inner)?,
            _ => self.load(kind)?,
        }
        Ok(())
    }

    fn call(&mut self, name: &str, result: &str, depth: u8) -> Result<()> {
        self.int(depth)?;
        self.reference(Kind::Bytes, depth)?;
        self.int(depth)?;
        self.line(&format!("invokestatic {name}{PARAMETERS}{result}"));
        Ok(())
    }

    /// Calls any native and returns what it leaves on the stack.
    fn native(&mut self, depth: u8) -> Result<Option<Kind>> {
        let kind = |kind| match kind {
            NativeType::Int => Kind::Int,
            NativeType::ByteArray => Kind::Bytes,
            NativeType::ShortArray => Kind::Shorts,
            NativeType::IntArray => Kind::Ints,
        };
        let decl = self.pick(NicNative::TABLE)?;
        for parameter in decl.parameters {
            match kind(parameter.kind) {
                Kind::Int => self.int(depth)?,
                array => self.reference(array, depth)?,
            }
        }
        self.line(&format!(
            "invokestatic {}.{}{}",
            decl.class,
            decl.name,
            decl.descriptor()
        ));
        Ok(decl.result.map(kind))
    }
}
