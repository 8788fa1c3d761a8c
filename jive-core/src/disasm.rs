//! Disassembly of instructions and constants, with resolved references, in the format of `javap -c`.

use core::fmt;

use crate::classfile::{ClassFile, Constant, ConstantPool, MemberKind, MemberRef, PoolError, Utf8};
use crate::cut::Cut;
use crate::id::CpIndex;
use crate::insn::{Cases, Insn, Operand};
use crate::opcode::OperandLayout;

/// Width of the mnemonic column: the length of `invokeinterface`, the longest mnemonic.
const MNEMONIC_WIDTH: usize = 15;
/// Width of the key column of a switch. The column is as wide as the least `int` and an indentation, so that keys are
/// right-aligned.
const KEY_WIDTH: usize = 16;

/// Displays an instruction with its operands resolved.
///
/// Branch targets are absolute. The display of a switch has a line for each case. After an operand that is a constant
/// pool index, `//` and the constant follow. The name of the class is left out for members of the displayed class. If
/// the constant is unusable, the reason follows `//` instead. [`Cut`] truncates names, which bounds the length of a
/// displayed line.
///
/// ```text
/// getstatic       #7 // Field RxBuf:[B
/// goto            12
/// ```
#[derive(Copy, Clone, Debug)]
pub struct Disassembly<'a> {
    insn: Insn<'a>,
    class: ClassFile<'a>,
}

impl<'a> Disassembly<'a> {
    /// Pairs an instruction with the class that contains the instruction.
    #[must_use]
    pub const fn new(insn: Insn<'a>, class: ClassFile<'a>) -> Self {
        Self { insn, class }
    }

    fn meaning(&self, index: CpIndex) -> Described<'a> {
        Described {
            pool: self.class.pool(),
            index,
            is_own: self.class.is_own(index),
        }
    }

    fn write_mnemonic(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mnemonic = self.insn.opcode.mnemonic();
        let suffix = if self.insn.wide { "_w" } else { "" };
        let width = MNEMONIC_WIDTH.saturating_sub(mnemonic.len());
        write!(f, "{mnemonic}{suffix:<width$} ")
    }

    fn write_operand(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.insn.operand {
            Operand::None => Ok(()),
            Operand::Int(value) => write!(f, "{value}"),
            Operand::Local(local) => write!(f, "{local}"),
            Operand::LocalIncrement { local, by } => write!(f, "{local}, {by}"),
            Operand::Branch(target) => write!(f, "{target}"),
            Operand::Constant(index) | Operand::InvokeDynamic(index) => {
                write!(f, "#{index} // {}", self.meaning(index))
            }
            Operand::InvokeInterface { method, count } => {
                write!(f, "#{method}, {count} // {}", self.meaning(method))
            }
            Operand::MultiArray { class, dimensions } => {
                write!(f, "#{class}, {dimensions} // {}", self.meaning(class))
            }
            Operand::ArrayType(code) => match array_type(code) {
                Some(name) => f.write_str(name),
                None => write!(f, "{code} // expected an array type from 4 to 11"),
            },
            Operand::TableSwitch(table) => write_switch(f, table.cases(), table.default()),
            Operand::LookupSwitch(table) => write_switch(f, table.cases(), table.default()),
        }
    }
}

impl fmt::Display for Disassembly<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.insn.opcode.layout() {
            // The instructions of this `match` arm have no operands besides the ones that the mnemonic states.
            OperandLayout::None
            | OperandLayout::ImplicitInt(_)
            | OperandLayout::ImplicitLocal(_) => f.write_str(self.insn.opcode.mnemonic()),
            OperandLayout::Byte
            | OperandLayout::Short
            | OperandLayout::ConstantByte
            | OperandLayout::Constant
            | OperandLayout::Local
            | OperandLayout::LocalIncrement
            | OperandLayout::Branch
            | OperandLayout::BranchWide
            | OperandLayout::TableSwitch
            | OperandLayout::LookupSwitch
            | OperandLayout::InvokeInterface
            | OperandLayout::InvokeDynamic
            | OperandLayout::ArrayType
            | OperandLayout::MultiArray
            | OperandLayout::Wide => {
                self.write_mnemonic(f)?;
                self.write_operand(f)
            }
        }
    }
}

fn write_switch(f: &mut fmt::Formatter<'_>, cases: Cases<'_>, default: i64) -> fmt::Result {
    writeln!(f, "{{")?;
    for (key, target) in cases {
        writeln!(f, "{key:>KEY_WIDTH$}: {target}")?;
    }
    writeln!(f, "{:>KEY_WIDTH$}: {default}", "default")?;
    write!(f, "}}")
}

/// Returns the element type for a type code of `newarray` (JVMS table 6.5.newarray-A).
const fn array_type(code: u8) -> Option<&'static str> {
    Some(match code {
        4 => "boolean",
        5 => "char",
        6 => "float",
        7 => "double",
        8 => "byte",
        9 => "short",
        10 => "int",
        11 => "long",
        _ => return None,
    })
}

/// Displays a constant with its references resolved and its names [truncated](Cut).
#[derive(Copy, Clone, Debug)]
pub struct Described<'a> {
    pool: ConstantPool<'a>,
    index: CpIndex,
    /// Whether the constant is a member of the displayed class, whose name is then left out.
    is_own: bool,
}

impl<'a> Described<'a> {
    /// Pairs a constant pool with an index into it.
    #[must_use]
    pub const fn new(pool: ConstantPool<'a>, index: CpIndex) -> Self {
        Self {
            pool,
            index,
            is_own: false,
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> Result<fmt::Result, PoolError> {
        let constant = self.pool.get(self.index)?;
        let tag = constant.tag();
        Ok(match constant {
            Constant::Utf8(text) => write!(f, "{}", Cut(text)),
            Constant::Integer(value) => write!(f, "int {value}"),
            Constant::Float(value) => write!(f, "float {value:?}f"),
            Constant::Long(value) => write!(f, "long {value}l"),
            Constant::Double(value) => write!(f, "double {value:?}d"),
            Constant::Class { name } => write!(f, "class {}", ClassName(self.pool.utf8(name)?)),
            Constant::String { text } => write!(f, "String {}", Cut(self.pool.utf8(text)?)),
            Constant::Member { .. } => self.write_member(f, &self.pool.member(self.index)?),
            Constant::NameAndType { .. } => {
                let (name, descriptor) = self.pool.name_and_type(self.index)?;
                write!(f, "{tag} {}:{}", MemberName(name), Cut(descriptor))
            }
            Constant::MethodHandle { kind, member } => {
                let member = self.pool.member(member)?;
                write!(f, "{tag} {} ", handle_kind(kind))
                    .and_then(|()| self.write_member(f, &member))
            }
            Constant::MethodType { descriptor } => {
                write!(f, "{tag} {}", Cut(self.pool.utf8(descriptor)?))
            }
            Constant::Dynamic {
                bootstrap,
                name_and_type,
            }
            | Constant::InvokeDynamic {
                bootstrap,
                name_and_type,
            } => {
                let (name, descriptor) = self.pool.name_and_type(name_and_type)?;
                let name = MemberName(name);
                write!(f, "{tag} #{bootstrap}:{name}:{}", Cut(descriptor))
            }
            Constant::Module { name } | Constant::Package { name } => {
                write!(f, "{tag} {}", Cut(self.pool.utf8(name)?))
            }
        })
    }

    fn write_member(&self, f: &mut fmt::Formatter<'_>, member: &MemberRef<'_>) -> fmt::Result {
        f.write_str(match member.kind {
            MemberKind::Field => "Field ",
            MemberKind::Method => "Method ",
            MemberKind::InterfaceMethod => "InterfaceMethod ",
        })?;
        if !self.is_own {
            write!(f, "{}.", ClassName(member.class))?;
        }
        write!(f, "{}:{}", MemberName(member.name), Cut(member.descriptor))
    }
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f).unwrap_or_else(|error| write!(f, "{error}"))
    }
}

/// Displays a class name. Array classes are quoted, as in `javap`.
struct ClassName<'a>(Utf8<'a>);

impl fmt::Display for ClassName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_quoted(f, self.0, b'[')
    }
}

/// Displays a member name. `<init>` and `<clinit>` are quoted, as in `javap`.
struct MemberName<'a>(Utf8<'a>);

impl fmt::Display for MemberName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_quoted(f, self.0, b'<')
    }
}

fn write_quoted(f: &mut fmt::Formatter<'_>, name: Utf8<'_>, mark: u8) -> fmt::Result {
    if name.as_bytes().starts_with(&[mark]) {
        write!(f, "\"{}\"", Cut(name))
    } else {
        write!(f, "{}", Cut(name))
    }
}

/// Returns the name of a method handle's kind (JVMS table 5.4.3.5-A).
const fn handle_kind(kind: u8) -> &'static str {
    match kind {
        1 => "REF_getField",
        2 => "REF_getStatic",
        3 => "REF_putField",
        4 => "REF_putStatic",
        5 => "REF_invokeVirtual",
        6 => "REF_invokeStatic",
        7 => "REF_invokeSpecial",
        8 => "REF_newInvokeSpecial",
        9 => "REF_invokeInterface",
        // The parser rejects every other kind of method handle.
        _ => "REF_unknown",
    }
}
