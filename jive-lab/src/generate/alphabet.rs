//! The instructions that generated method bodies consist of, their effects on types, and the class around a body.

use std::collections::HashMap;

use jive_core::{ClassFile, Opcode, instructions};

use crate::asm::assemble;

/// The type of a value, with as much detail as generating well-typed bodies needs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An `int`.
    Int,
    /// A `byte[]`.
    Bytes,
    /// A `short[]`.
    Shorts,
    /// An `int[]`.
    Ints,
    /// A `boolean[]`.
    Flags,
    /// The object.
    This,
    /// The object before `Object.<init>`.
    RawThis,
    /// Null.
    Null,
    /// A reference whose type differs between the paths that lead to an instruction.
    Mixed,
}

impl Kind {
    /// Returns whether the kind is an initialized reference.
    #[must_use]
    pub fn is_reference(self) -> bool {
        !matches!(self, Kind::Int | Kind::RawThis)
    }

    /// Returns whether a value of this kind may be used as `wanted`.
    #[must_use]
    pub fn fits(self, wanted: Kind) -> bool {
        self == wanted
            || self == Kind::Null && wanted.is_reference()
            || self.is_reference() && wanted == Kind::Mixed
    }

    /// Returns the kind of a value that has the two kinds on two paths that meet, if such a value is usable.
    #[must_use]
    pub fn join(self, other: Kind) -> Option<Kind> {
        match (self, other) {
            (left, right) if left.fits(right) => Some(right),
            (left, right) if right.fits(left) => Some(left),
            (left, right) if left.is_reference() && right.is_reference() => Some(Kind::Mixed),
            _ => None,
        }
    }

    fn of_letter(letter: char) -> Kind {
        match letter {
            'I' => Kind::Int,
            'b' => Kind::Bytes,
            's' => Kind::Shorts,
            'i' => Kind::Ints,
            'z' => Kind::Flags,
            't' => Kind::This,
            'u' => Kind::RawThis,
            'n' => Kind::Null,
            'r' => Kind::Mixed,
            _ => panic!("no kind has the letter {letter}"),
        }
    }
}

/// The effect of an instruction on the types of operands and local variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Pops values of the first list of kinds, whose last is on top, and pushes values of the second list.
    Fixed(Vec<Kind>, Vec<Kind>),
    /// Loads a local variable: an `int` if the `bool` is true, otherwise a reference.
    Load(usize, bool),
    /// Stores a local variable.
    Store(usize, bool),
    /// Increments a local variable.
    Increment(usize),
    /// Replaces a number of top operands by a selection of these operands, numbered from the deepest.
    Shuffle(usize, Vec<usize>),
    /// Pops an array of any type and pushes its length.
    Length,
    /// Calls `Object.<init>`.
    Construct,
    /// Returns from the method.
    Return,
}

/// An instruction without a branch target.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The instruction's line of assembly.
    pub line: &'static str,
    /// The instruction's bytes.
    pub bytes: Vec<u8>,
    /// The instruction's effect on types.
    pub effect: Effect,
    /// Whether exhaustive runs use the instruction, as a representative of similar instructions.
    pub is_representative: bool,
}

/// Instructions with a fixed effect: line, kinds popped, kinds pushed, and whether the instruction is a representative.
const FIXED: &[(&str, &str, &str, bool)] = &[
    ("nop", "", "", false),
    ("iconst_1", "", "I", true),
    ("iconst_m1", "", "I", false),
    ("bipush 7", "", "I", false),
    ("sipush -300", "", "I", false),
    ("ldc 100000", "", "I", false),
    ("aconst_null", "", "n", true),
    ("iadd", "II", "I", true),
    ("isub", "II", "I", false),
    ("imul", "II", "I", false),
    ("idiv", "II", "I", true),
    ("irem", "II", "I", false),
    ("ishl", "II", "I", false),
    ("ishr", "II", "I", false),
    ("iushr", "II", "I", false),
    ("iand", "II", "I", false),
    ("ior", "II", "I", false),
    ("ixor", "II", "I", false),
    ("ineg", "I", "I", false),
    ("i2b", "I", "I", true),
    ("i2s", "I", "I", false),
    ("baload", "bI", "I", true),
    ("baload", "zI", "I", false),
    ("saload", "sI", "I", true),
    ("iaload", "iI", "I", true),
    ("bastore", "bII", "", true),
    ("bastore", "zII", "", false),
    ("sastore", "sII", "", true),
    ("iastore", "iII", "", true),
    ("newarray byte", "I", "b", true),
    ("newarray short", "I", "s", true),
    ("newarray int", "I", "i", true),
    ("newarray boolean", "I", "z", true),
    ("getstatic int:I", "", "I", true),
    ("putstatic int:I", "I", "", false),
    ("putstatic byte:B", "I", "", true),
    ("putstatic flag:Z", "I", "", false),
    ("getstatic bytes:[B", "", "b", false),
    ("putstatic bytes:[B", "b", "", true),
    ("putstatic ints:[I", "i", "", false),
    ("getstatic self:LFixture;", "", "t", false),
    ("putstatic self:LFixture;", "t", "", false),
    ("getfield count:I", "t", "I", true),
    ("putfield count:I", "tI", "", true),
    ("putfield count:I", "uI", "", false),
    ("getfield data:[S", "t", "s", false),
    ("putfield data:[S", "ts", "", false),
    ("getfield own:LFixture;", "t", "t", false),
    ("putfield own:LFixture;", "tt", "", false),
    ("putfield own:LFixture;", "un", "", false),
    ("invokestatic twice(I)I", "I", "I", true),
    ("invokestatic pass([BI)[B", "bI", "b", true),
    ("invokestatic mixed(LFixture;[I)V", "ti", "", false),
    ("invokevirtual member(I)I", "tI", "I", true),
    (
        "invokestatic unet/Nic.newAlignedArray(I)[B",
        "I",
        "b",
        false,
    ),
    (
        "invokestatic unet/Nic.getFreeBufferLength()I",
        "",
        "I",
        false,
    ),
    ("invokestatic unet/Nic.getFreeBuffer()I", "", "I", false),
    ("invokestatic unet/Nic.doHtoLDMA([BIII)V", "bIII", "", false),
    ("invokestatic unet/Nic.doLtoHDMA([BIII)V", "bIII", "", false),
    ("invokestatic unet/Nic.txPush([BIII)V", "bIII", "", true),
    ("invokestatic unet/Nic.dmaRxd([III)V", "iII", "", false),
    (
        "invokestatic unet/Nic.dmaRxdPayload([BII)V",
        "bII",
        "",
        false,
    ),
    // The class around the body declares the natives `dmaRxd` and `dmaRxdPayload` itself.
    ("invokestatic dmaRxd([III)V", "iII", "", false),
    ("invokevirtual dmaRxdPayload([BII)V", "tbII", "", false),
];

/// Stack shuffles: line, number of operands, resulting operands, and whether the instruction is a representative.
const SHUFFLES: &[(&str, usize, &[usize], bool)] = &[
    ("pop", 1, &[], true),
    ("pop2", 2, &[], false),
    ("dup", 1, &[0, 0], true),
    ("dup_x1", 2, &[1, 0, 1], true),
    ("dup_x2", 3, &[2, 0, 1, 2], false),
    ("dup2", 2, &[0, 1, 0, 1], false),
    ("dup2_x1", 3, &[1, 2, 0, 1, 2], false),
    ("dup2_x2", 4, &[2, 3, 0, 1, 2, 3], false),
    ("swap", 2, &[1, 0], true),
];

/// Loads and stores: line, local variable, whether the variable is an `int`, and whether the instruction is a
/// representative.
const LOCALS: &[(&str, usize, bool, bool)] = &[
    ("iload_0", 0, true, true),
    ("iload 5", 5, true, true),
    ("aload_0", 0, false, true),
    ("aload_1", 1, false, true),
    ("aload_2", 2, false, true),
    ("aload_3", 3, false, true),
    ("aload 5", 5, false, false),
    ("istore_0", 0, true, true),
    ("istore 5", 5, true, true),
    ("astore_1", 1, false, true),
    ("astore_2", 2, false, false),
    ("astore 5", 5, false, true),
    ("wide iload 4", 4, true, false),
    ("wide istore 4", 4, true, false),
];

/// Number of local variables of a generated body.
pub const MAX_LOCALS: u16 = 6;
/// Operand stack size of a generated body.
pub const MAX_STACK: u16 = 6;

/// The kind of method that a body belongs to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Family {
    /// The method `static int run(int, byte[], int[], Fixture)`.
    Static,
    /// The constructor.
    Constructor,
}

impl Family {
    /// Both families.
    pub const ALL: [Family; 2] = [Family::Static, Family::Constructor];

    /// Returns the name of the method that has the body.
    #[must_use]
    pub const fn method(self) -> &'static str {
        match self {
            Family::Static => "run",
            Family::Constructor => "<init>",
        }
    }

    /// Returns the kinds of the local variables at the start of the method.
    #[must_use]
    pub fn parameters(self) -> &'static [Kind] {
        match self {
            Family::Static => &[Kind::Int, Kind::Bytes, Kind::Ints, Kind::This],
            Family::Constructor => &[Kind::RawThis, Kind::Int, Kind::Bytes],
        }
    }

    fn declaration(self) -> &'static str {
        match self {
            Family::Static => "static run(I[B[ILFixture;)I",
            Family::Constructor => "<init>(I[B)V",
        }
    }
}

/// A class file with a hole for the code of one method.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The bytes before the length of the method's `Code` attribute.
    before: Vec<u8>,
    /// The bytes after the method's code.
    behind: Vec<u8>,
}

impl Frame {
    /// Removes the code of a method from a class file.
    ///
    /// # Panics
    ///
    /// Panics if the class has no method called `name`, or the method has no code.
    #[must_use]
    pub fn around(name: &str, bytes: &[u8]) -> Frame {
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let class = ClassFile::parse(bytes, &mut index).expect("a class file");
        let method = class.methods().find(|method| method.name == name);
        let code = method
            .and_then(|method| method.code())
            .expect("it has code");
        let start = code.bytes.as_ptr().addr() - bytes.as_ptr().addr();
        Frame {
            // In a `Code` attribute, the attribute's length, two limits and the code's length precede the code: 12
            // bytes.
            before: bytes[..start - 12].to_vec(),
            behind: bytes[start + code.bytes.len()..].to_vec(),
        }
    }

    /// Returns the class file with `code` as the method's code.
    ///
    /// # Panics
    ///
    /// Panics if the code is too long for a class file.
    #[must_use]
    pub fn class(&self, code: &[u8], max_stack: u16, max_locals: u16) -> Vec<u8> {
        let length = u32::try_from(code.len()).expect("bodies are short");
        let mut bytes = Vec::with_capacity(self.before.len() + code.len() + self.behind.len() + 12);
        bytes.extend(&self.before);
        // In addition to the code, the `Code` attribute has two limits, one length and two empty tables: 12 bytes (JVMS
        // §4.7.3).
        bytes.extend((length + 12).to_be_bytes());
        bytes.extend(max_stack.to_be_bytes());
        bytes.extend(max_locals.to_be_bytes());
        bytes.extend(length.to_be_bytes());
        bytes.extend(code);
        bytes.extend(&self.behind);
        bytes
    }
}

/// All instructions that generated bodies consist of, and the class around a body of each family.
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// Every instruction without a branch target.
    pub symbols: Vec<Symbol>,
    frames: [Frame; 2],
    /// The index of each symbol, by the symbol's line of assembly.
    numbers: HashMap<&'static str, usize>,
}

impl Default for Alphabet {
    fn default() -> Alphabet {
        Alphabet::new()
    }
}

impl Alphabet {
    /// Assembles the alphabet.
    ///
    /// # Panics
    ///
    /// Panics if a line of the instruction tables is not valid assembly.
    #[must_use]
    pub fn new() -> Alphabet {
        let mut symbols = lines();
        let mut frames = Family::ALL.map(|family| {
            let source = source(family, &symbols);
            let class = assemble("alphabet", &source).unwrap_or_else(|error| panic!("{error}"));
            (family, class.bytes)
        });
        let encoded = encoded_lines(&frames[0].1);
        assert_eq!(encoded.len(), symbols.len());
        for (symbol, bytes) in symbols.iter_mut().zip(encoded) {
            symbol.bytes = bytes;
        }
        assert_eq!(encoded_lines(&frames[1].1).len(), symbols.len());
        for (_, bytes) in &mut frames {
            // The bytes of all lines of the alphabet are known now, so a `return` replaces the code of the method
            // `alphabet`. The constants of the alphabet's lines remain in the pool for bodies to use.
            *bytes = Frame::around("alphabet", bytes).class(&[Opcode::Return.byte()], 0, 0);
        }
        let numbers = symbols.iter().enumerate();
        Alphabet {
            numbers: numbers
                .map(|(number, symbol)| (symbol.line, number))
                .collect(),
            symbols,
            frames: frames
                .each_mut()
                .map(|(family, bytes)| Frame::around(family.method(), bytes)),
        }
    }

    /// Returns the class around a body of this family.
    #[must_use]
    pub fn frame(&self, family: Family) -> &Frame {
        match family {
            Family::Static => &self.frames[0],
            Family::Constructor => &self.frames[1],
        }
    }

    /// Returns the index of the symbol with this line of assembly.
    ///
    /// # Panics
    ///
    /// Panics if no symbol has this line.
    #[must_use]
    pub fn symbol(&self, line: &str) -> usize {
        *self
            .numbers
            .get(line)
            .unwrap_or_else(|| panic!("`{line}` is in the alphabet"))
    }
}

/// Returns all symbols of the alphabet, whose lines are not encoded yet.
fn lines() -> Vec<Symbol> {
    let kinds = |letters: &str| letters.chars().map(Kind::of_letter).collect();
    let symbol = |line, effect, is_representative| Symbol {
        line,
        bytes: Vec::new(),
        effect,
        is_representative,
    };
    let fixed = FIXED.iter().map(|(line, pops, pushes, represents)| {
        symbol(line, Effect::Fixed(kinds(pops), kinds(pushes)), *represents)
    });
    let shuffles = SHUFFLES.iter().map(|(line, count, order, represents)| {
        symbol(line, Effect::Shuffle(*count, order.to_vec()), *represents)
    });
    let locals = LOCALS.iter().map(|(line, local, is_int, represents)| {
        let effect = if line.contains("load") {
            Effect::Load(*local, *is_int)
        } else {
            Effect::Store(*local, *is_int)
        };
        symbol(line, effect, *represents)
    });
    let others = [
        symbol("iinc 0 1", Effect::Increment(0), true),
        symbol("wide iinc 5 -1000", Effect::Increment(5), false),
        symbol("arraylength", Effect::Length, true),
        symbol(
            "invokespecial java/lang/Object.<init>()V",
            Effect::Construct,
            true,
        ),
        symbol("ireturn", Effect::Return, true),
        symbol("areturn", Effect::Return, true),
        symbol("return", Effect::Return, true),
    ];
    fixed.chain(shuffles).chain(locals).chain(others).collect()
}

/// Returns the assembly of the class around a body. The class has members that the alphabet's lines use, all lines as
/// dead code, and the body's method.
fn source(family: Family, symbols: &[Symbol]) -> String {
    let mut source = "
.omit all
.field static int I
.field static byte B
.field static flag Z
.field static bytes [B
.field static ints [I
.field static self LFixture;
.field count I
.field data [S
.field own LFixture;
.method static twice(I)I stack 2 locals 1
iload_0
iconst_2
imul
ireturn
.method static pass([BI)[B stack 1 locals 2
aload_0
areturn
.method static mixed(LFixture;[I)V stack 0 locals 2
return
.method member(I)I stack 2 locals 2
iload_1
aload_0
getfield count:I
iadd
ireturn
.method static native dmaRxd([III)V
.method native dmaRxdPayload([BII)V
.method static alphabet()V stack 0 locals 6
return
"
    .to_owned();
    for symbol in symbols {
        source.push_str(symbol.line);
        source.push('\n');
    }
    if family == Family::Static {
        source.push_str(
            ".method <init>()V stack 1 locals 1\naload_0\ninvokespecial java/lang/Object.<init>()V
aload_0\nputstatic self:LFixture;\nreturn\n",
        );
    }
    let declaration = family.declaration();
    source.push_str(&format!(".method {declaration} stack 0 locals 6\nnop\n"));
    source
}

/// Returns the bytes of each instruction of the method `alphabet`, without its first instruction (`return`).
///
/// # Panics
///
/// Panics if the class has no method called `alphabet`.
#[must_use]
pub fn encoded_lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut index = vec![0; ClassFile::index_len(bytes)];
    let class = ClassFile::parse(bytes, &mut index).expect("a class file");
    let method = class.methods().find(|method| method.name == "alphabet");
    let code = method
        .and_then(|method| method.code())
        .expect("it has code");
    instructions(code.bytes)
        .skip(1)
        .map(|insn| {
            let insn = insn.expect("the assembler's code");
            code.bytes[insn.pc.index()..][..insn.length as usize].to_vec()
        })
        .collect()
}
