//! Parses operands of assembly: constants, branch targets, and the operand of each layout.

use std::cell::Cell;

use jive_core::{Opcode, OperandLayout};

use super::RAW_BYTES_MAX;
use super::error::AsmErrorKind;
use super::line::{Words, number, quoted, unexpected};
use super::model::{Constant, DynamicTag, MemberTag, Operand, RawPart, Target};

/// The primitive array types in the order of their codes, which begin at 4 (JVMS table 6.5.newarray-A).
pub(super) const ARRAY_TYPES: [&str; 8] = [
    "boolean", "char", "float", "double", "byte", "short", "int", "long",
];
pub(super) const FIRST_ARRAY_TYPE: u8 = 4;

/// The class that a line's members belong to, and how many raw bytes the line may write.
#[derive(Debug)]
pub(super) struct Scope<'s> {
    /// The class that an unqualified member belongs to.
    pub(super) class: &'s str,
    /// Number of raw bytes that this line and later lines of the source may write.
    pub(super) room: &'s Cell<usize>,
}

/// Parses the operand of `opcode`. The opcode's layout alone decides the syntax of the operand.
pub(super) fn operand(
    opcode: Opcode,
    words: &mut Words<'_>,
    scope: &Scope<'_>,
) -> Result<Operand, AsmErrorKind> {
    let mut integer = |expected| words.take(expected).and_then(number);
    Ok(match opcode.layout() {
        OperandLayout::None | OperandLayout::ImplicitInt(_) | OperandLayout::ImplicitLocal(_) => {
            Operand::None
        }
        OperandLayout::Byte | OperandLayout::Short => Operand::Int(integer("an int")?),
        OperandLayout::Local => Operand::Local(integer("a local variable")?),
        OperandLayout::LocalIncrement => Operand::LocalIncrement {
            local: integer("a local variable")?,
            by: integer("an increment")?,
        },
        OperandLayout::ConstantByte | OperandLayout::Constant | OperandLayout::InvokeDynamic => {
            Operand::Constant(constant(words, scope)?)
        }
        OperandLayout::InvokeInterface => Operand::InvokeInterface {
            method: constant(words, scope)?,
            count: words.take("a count of arguments").and_then(number)?,
        },
        OperandLayout::MultiArray => Operand::MultiArray {
            class: constant(words, scope)?,
            dimensions: words.take("a count of dimensions").and_then(number)?,
        },
        OperandLayout::Branch | OperandLayout::BranchWide => Operand::Branch(target(words)?),
        OperandLayout::TableSwitch => table_switch(words)?,
        OperandLayout::LookupSwitch => lookup_switch(words)?,
        OperandLayout::ArrayType => {
            let word = words.take("an array type")?;
            let named = (i64::from(FIRST_ARRAY_TYPE)..)
                .zip(ARRAY_TYPES)
                .find(|(_, name)| *name == word);
            Operand::ArrayType(match named {
                Some((code, _)) => code,
                None => number(word)?,
            })
        }
        OperandLayout::Wide => return Err(AsmErrorKind::NoWideForm { opcode }),
    })
}

/// Parses the operand of `tableswitch LOW: TARGET… default: TARGET`.
fn table_switch(words: &mut Words<'_>) -> Result<Operand, AsmErrorKind> {
    let low = key(words.take("the lowest key")?)?;
    let mut targets = Vec::new();
    while words.peek() != Some("default:") {
        targets.push(target(words)?);
    }
    words.demand("default:")?;
    Ok(Operand::TableSwitch {
        low,
        targets,
        default: target(words)?,
    })
}

/// Parses the operand of `lookupswitch KEY: TARGET … default: TARGET`.
fn lookup_switch(words: &mut Words<'_>) -> Result<Operand, AsmErrorKind> {
    let mut cases = Vec::new();
    while words.peek() != Some("default:") {
        let key = key(words.take("`default:`")?)?;
        cases.push((key, target(words)?));
    }
    words.demand("default:")?;
    Ok(Operand::LookupSwitch {
        cases,
        default: target(words)?,
    })
}

fn key(word: &str) -> Result<i32, AsmErrorKind> {
    word.strip_suffix(':')
        .and_then(|digits| number(digits).ok())
        .and_then(|value| i32::try_from(value).ok())
        .ok_or_else(|| unexpected("a key with a colon", word))
}

/// Parses a label, or `@N` for the code offset N.
pub(super) fn target(words: &mut Words<'_>) -> Result<Target, AsmErrorKind> {
    let word = words.take("a label")?;
    Ok(match word.strip_prefix('@') {
        Some(digits) => Target::Pc(number(digits)?),
        None => Target::Label(word.to_owned()),
    })
}

/// Parses a constant. The constant's first word, or the form of that word, gives the kind.
pub(super) fn constant(words: &mut Words<'_>, scope: &Scope<'_>) -> Result<Constant, AsmErrorKind> {
    let word = words.take("a constant")?;
    let mut text = |expected| words.take(expected).map(str::to_owned);
    Ok(match word {
        "int" => Constant::Integer(int(&text("an int")?)?),
        "long" => Constant::Long(number(&text("a long")?)?),
        "float" => {
            let value: f32 = float(&text("a float")?)?;
            Constant::Float(value.to_bits())
        }
        "double" => {
            let value: f64 = float(&text("a double")?)?;
            Constant::Double(value.to_bits())
        }
        "utf8" => Constant::Utf8(quoted(&text("a quoted text")?)?),
        "string" => Constant::String(quoted(&text("a quoted text")?)?),
        "class" => Constant::Class(text("a class name")?),
        "methodtype" => Constant::MethodType(text("a method descriptor")?),
        "module" => Constant::Module(text("a module name")?),
        "package" => Constant::Package(text("a package name")?),
        "interface" => member(
            MemberTag::InterfaceMethod,
            &text("a method of an interface")?,
            scope,
        )?,
        "nametype" => {
            let (name, descriptor) = name_and_descriptor(&text("a name and a descriptor")?)?;
            Constant::NameAndType { name, descriptor }
        }
        "methodhandle" => method_handle(words, scope)?,
        "dynamic" => dynamic(DynamicTag::Dynamic, words)?,
        "invokedynamic" => dynamic(DynamicTag::InvokeDynamic, words)?,
        "bytes" => Constant::Raw(raw(words, scope)?),
        _ => by_look(word, scope)?,
    })
}

/// Parses a constant without a word for its kind: `#index`, `"text"`, `5`, `name()V`, `name:I` or a class.
fn by_look(word: &str, scope: &Scope<'_>) -> Result<Constant, AsmErrorKind> {
    if let Some(name) = word.strip_prefix('#') {
        return Ok(match name.parse() {
            Ok(index) => Constant::Index(index),
            Err(_) => Constant::Named(name.to_owned()),
        });
    }
    if word.starts_with('"') {
        return Ok(Constant::String(quoted(word)?));
    }
    if word.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') {
        return Ok(Constant::Integer(int(word)?));
    }
    if word.contains('(') {
        return member(MemberTag::Method, word, scope);
    }
    if word.contains(':') {
        return member(MemberTag::Field, word, scope);
    }
    Ok(Constant::Class(word.to_owned()))
}

fn method_handle(words: &mut Words<'_>, scope: &Scope<'_>) -> Result<Constant, AsmErrorKind> {
    let kind = number(words.take("a reference kind")?)?;
    // A handle of a handle is refused, because nested handles would recurse once for each level.
    if words.peek() == Some("methodhandle") {
        return Err(unexpected("a field, a method or an index", "methodhandle"));
    }
    Ok(Constant::MethodHandle {
        kind: byte("reference kind", kind)?,
        reference: Box::new(constant(words, scope)?),
    })
}

fn member(tag: MemberTag, word: &str, scope: &Scope<'_>) -> Result<Constant, AsmErrorKind> {
    let (path, descriptor) = name_and_descriptor(word)?;
    let (class, name) = path.rsplit_once('.').unwrap_or((scope.class, &path));
    Ok(Constant::Member {
        tag,
        class: class.to_owned(),
        name: name.to_owned(),
        descriptor,
    })
}

/// Splits `name()V` before the parenthesis and `name:I` at the colon.
pub(super) fn name_and_descriptor(word: &str) -> Result<(String, String), AsmErrorKind> {
    let split = match word.find('(') {
        Some(at) => Some(word.split_at(at)),
        None => word.split_once(':'),
    };
    split
        .map(|(name, descriptor)| (name.to_owned(), descriptor.to_owned()))
        .ok_or_else(|| unexpected("a name with its descriptor", word))
}

fn dynamic(tag: DynamicTag, words: &mut Words<'_>) -> Result<Constant, AsmErrorKind> {
    let bootstrap = words.take("a bootstrap method").and_then(number)?;
    let (name, descriptor) = name_and_descriptor(words.take("a name and a descriptor")?)?;
    Ok(Constant::Dynamic {
        tag,
        bootstrap: u16::try_from(bootstrap).map_err(|_| AsmErrorKind::DoesNotFit {
            what: "bootstrap method",
            value: bootstrap,
            bytes: 2,
        })?,
        name,
        descriptor,
    })
}

/// Parses raw bytes to the end of the line: pairs of hex digits, `00*12` for repetition, `#name` for an index.
pub(super) fn raw(words: &mut Words<'_>, scope: &Scope<'_>) -> Result<Vec<RawPart>, AsmErrorKind> {
    let mut parts = Vec::new();
    while let Some(word) = words.peek() {
        if word.starts_with('#') {
            parts.push(RawPart::Index(constant(words, scope)?));
            continue;
        }
        words.next();
        if word.starts_with('"') {
            let bytes = quoted(word)?;
            scope.spend(bytes.len())?;
            parts.push(RawPart::Bytes(bytes));
            continue;
        }
        let (digits, times) = word.split_once('*').unwrap_or((word, "1"));
        let wrong = || unexpected("bytes in hex", word);
        let times: usize = times.parse().map_err(|_| wrong())?;
        if digits.len() % 2 != 0 || !digits.is_ascii() {
            return Err(wrong());
        }
        let bytes = (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16))
            .collect::<Result<Vec<u8>, _>>()
            .map_err(|_| wrong())?;
        scope.spend(bytes.len().saturating_mul(times))?;
        parts.push(RawPart::Bytes(bytes.repeat(times)));
    }
    Ok(parts)
}

impl Scope<'_> {
    /// Subtracts a number of raw bytes from the room for them, before these bytes are allocated.
    fn spend(&self, bytes: usize) -> Result<(), AsmErrorKind> {
        let rest = self.room.get().checked_sub(bytes);
        self.room.set(rest.ok_or(AsmErrorKind::TooLong {
            limit: RAW_BYTES_MAX,
        })?);
        Ok(())
    }
}

/// Returns the number of bytes that [`raw`] produces.
pub(super) fn raw_length(parts: &[RawPart]) -> usize {
    parts
        .iter()
        .map(|part| match part {
            RawPart::Bytes(bytes) => bytes.len(),
            RawPart::Index(_) => 2,
        })
        .sum()
}

/// Parses an `int`, written as a signed number or as the unsigned number with the same bits.
fn int(word: &str) -> Result<i32, AsmErrorKind> {
    let value = number(word)?;
    i32::try_from(value)
        .or_else(|_| u32::try_from(value).map(u32::cast_signed))
        .map_err(|_| AsmErrorKind::DoesNotFit {
            what: "int",
            value,
            bytes: 4,
        })
}

fn float<T: core::str::FromStr>(word: &str) -> Result<T, AsmErrorKind> {
    word.parse()
        .map_err(|_| unexpected("a floating-point number", word))
}

fn byte(what: &'static str, value: i64) -> Result<u8, AsmErrorKind> {
    u8::try_from(value).map_err(|_| AsmErrorKind::DoesNotFit {
        what,
        value,
        bytes: 1,
    })
}
