//! The syntax tree between the assembler's text and the class file.
//!
//! The syntax tree is unchecked, so it can express invalid class files.

use jive_core::Opcode;

/// A node of the syntax tree with its source line, for error messages.
#[derive(Clone, Debug)]
pub(super) struct At<T> {
    pub(super) line: u32,
    pub(super) item: T,
}

/// A class file.
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
    /// Number of bytes to remove from the end of the file.
    pub(super) truncated: usize,
    /// Bytes to append to the file.
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

/// A method. A method without code has no `Code` attribute, whatever its flags.
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

/// The operand of an instruction, with symbolic labels and constants.
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

/// The target of a branch.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Label(String),
    /// `@N`: the code offset N, which need not be the start of an instruction.
    Pc(i64),
}

/// An entry of a method's exception table.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    pub(super) class: Option<Constant>,
    pub(super) start: Target,
    pub(super) end: Target,
    pub(super) handler: Target,
}

/// An attribute with its contents as bytes.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) body: Vec<RawPart>,
}

/// A part of a structure's contents that the source gives as bytes.
#[derive(Clone, Debug)]
pub(super) enum RawPart {
    Bytes(Vec<u8>),
    /// The two-byte index of a constant.
    Index(Constant),
}

/// The number that a `.set` directive gives, which replaces the number that the assembler would write.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Name of the item in JVMS §4. The name of an attribute's item begins with the attribute's name and a dot.
    pub(super) name: String,
    pub(super) value: ItemValue,
}

/// The number of an [`Item`].
#[derive(Clone, Debug)]
pub(super) enum ItemValue {
    Number(i64),
    Index(Constant),
}

/// A named constant at the front of the constant pool.
#[derive(Clone, Debug)]
pub(super) struct NamedConstant {
    pub(super) name: String,
    pub(super) constant: Constant,
}

/// A constant pool entry, with the entries that it refers to.
#[derive(Clone, Debug)]
pub(super) enum Constant {
    /// `#5`: an index, which need not be valid.
    Index(u16),
    /// `#name`: the entry defined by a `.constant` directive.
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
    /// A constant pool entry given as bytes, including its tag.
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
