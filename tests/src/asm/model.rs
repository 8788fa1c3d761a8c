//! The tree between the assembler's text and the class file's bytes.
//!
//! Nothing here is checked: a tree can say everything that a class file can say wrongly.

use jive_core::Opcode;

/// A thing with the source line that an error about it is reported under.
#[derive(Clone, Debug)]
pub(super) struct At<T> {
    pub(super) line: u32,
    pub(super) item: T,
}

/// A class file to be.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) major: u16,
    pub(super) minor: u16,
    pub(super) access: u16,
    pub(super) name: String,
    pub(super) super_class: Option<String>,
    pub(super) interfaces: Vec<String>,
    pub(super) constants: Vec<At<NamedConstant>>,
    pub(super) fields: Vec<Field>,
    pub(super) methods: Vec<Method>,
    pub(super) attributes: Vec<At<Attribute>>,
    pub(super) items: Vec<At<Item>>,
    /// Bytes cut off at the end of the file.
    pub(super) truncated: usize,
    /// Bytes behind the end of the file.
    pub(super) trailing: Vec<u8>,
}

/// A field with its optional `ConstantValue`.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) line: u32,
    pub(super) access: u16,
    pub(super) name: String,
    pub(super) descriptor: String,
    pub(super) value: Option<Constant>,
    pub(super) attributes: Vec<At<Attribute>>,
    pub(super) items: Vec<At<Item>>,
}

/// A method; without code it has no `Code` attribute, whatever its flags say.
#[derive(Clone, Debug)]
pub(super) struct Method {
    pub(super) line: u32,
    pub(super) access: u16,
    pub(super) name: String,
    pub(super) descriptor: String,
    pub(super) code: Option<Code>,
    pub(super) attributes: Vec<At<Attribute>>,
    pub(super) items: Vec<At<Item>>,
}

/// A `Code` attribute.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) max_stack: u16,
    pub(super) max_locals: u16,
    pub(super) statements: Vec<At<Statement>>,
    pub(super) handlers: Vec<At<Handler>>,
    pub(super) attributes: Vec<At<Attribute>>,
}

/// A line of code.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    Label(String),
    Insn {
        wide: bool,
        opcode: Opcode,
        operand: Operand,
    },
    Bytes(Vec<RawPart>),
    /// The source line of the instructions that follow.
    Line(u16),
}

/// An instruction's operand before labels and constants have numbers.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    None,
    Int(i64),
    Constant(Constant),
    Local(i64),
    LocalIncrement {
        local: i64,
        by: i64,
    },
    Branch(Target),
    TableSwitch {
        low: i32,
        targets: Vec<Target>,
        default: Target,
    },
    LookupSwitch {
        cases: Vec<(i32, Target)>,
        default: Target,
    },
    ArrayType(i64),
    InvokeInterface {
        method: Constant,
        count: i64,
    },
    MultiArray {
        class: Constant,
        dimensions: i64,
    },
}

/// Where a branch goes.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Label(String),
    /// `@N`: the code offset N, an instruction there or not.
    Pc(i64),
}

/// An entry of the exception table.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    pub(super) class: Option<Constant>,
    pub(super) start: Target,
    pub(super) end: Target,
    pub(super) handler: Target,
}

/// An attribute with the bytes of its body.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) body: Vec<RawPart>,
}

/// A piece of a body given as bytes.
#[derive(Clone, Debug)]
pub(super) enum RawPart {
    Bytes(Vec<u8>),
    /// The two-byte index of a constant.
    Index(Constant),
}

/// A number written in the place of the one the assembler would write.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The item's name in JVMS §4, after its attribute's name and a dot where it is an attribute's.
    pub(super) name: String,
    pub(super) value: ItemValue,
}

/// The number of an [`Item`].
#[derive(Clone, Debug)]
pub(super) enum ItemValue {
    Number(i64),
    Index(Constant),
}

/// A constant placed at the front of the pool under a name.
#[derive(Clone, Debug)]
pub(super) struct NamedConstant {
    pub(super) name: String,
    pub(super) constant: Constant,
}

/// A constant pool entry, with the entries it points to written out.
#[derive(Clone, Debug)]
pub(super) enum Constant {
    /// `#5`: an index, whatever stands there.
    Index(u16),
    /// `#name`: the entry that a `.constant` directive named.
    Named(String),
    Utf8(Vec<u8>),
    Integer(i32),
    Float(u32),
    Long(i64),
    Double(u64),
    Class(String),
    String(Vec<u8>),
    Member {
        tag: MemberTag,
        class: String,
        name: String,
        descriptor: String,
    },
    NameAndType {
        name: String,
        descriptor: String,
    },
    MethodHandle {
        kind: u8,
        reference: Box<Constant>,
    },
    MethodType(String),
    Dynamic {
        tag: DynamicTag,
        bootstrap: u16,
        name: String,
        descriptor: String,
    },
    Module(String),
    Package(String),
    /// An entry as bytes, tag included.
    Raw(Vec<RawPart>),
}

/// The three constants that name a member (JVMS §4.4.2); the numbers are their tags.
#[derive(Copy, Clone, Debug)]
#[repr(u8)]
pub(super) enum MemberTag {
    Field = 9,
    Method = 10,
    InterfaceMethod = 11,
}

/// The two constants that name a bootstrap method (JVMS §4.4.10); the numbers are their tags.
#[derive(Copy, Clone, Debug)]
#[repr(u8)]
pub(super) enum DynamicTag {
    Dynamic = 17,
    InvokeDynamic = 18,
}
