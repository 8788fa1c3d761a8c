//! The disassembler: writes a class file as text for the assembler.

use core::fmt::Write;
use std::collections::BTreeSet;

use jive_core::{
    ClassFile, Code, Constant, ConstantPool, CpIndex, Field, Insn, MemberKind, Method, Operand,
    OperandLayout, Utf8, instructions,
};

use super::operand::{ARRAY_TYPES, FIRST_ARRAY_TYPE};
use super::parse::FLAGS;

/// Returns the assembly text of a class.
///
/// Assembling the text gives a class with the same members and the same code. The constants of the assembled class may
/// be in another order. The text leaves out attributes without a directive, such as `BootstrapMethods`. So constants
/// that need `BootstrapMethods` refer to nothing in the assembled class.
#[must_use]
pub fn disassemble(class: ClassFile<'_>) -> String {
    let mut printer = Printer {
        pool: class.pool(),
        text: String::new(),
    };
    printer.class(class);
    printer.text
}

struct Printer<'a> {
    pool: ConstantPool<'a>,
    text: String,
}

/// The structure that a flag belongs to. Some bits have different names for classes, fields and methods.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Owner {
    Class,
    Field,
    Method,
}

impl Printer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn class(&mut self, class: ClassFile<'_>) {
        let version = class.version();
        self.line(&format!(".version {}.{}", version.major, version.minor));
        let flags = flags(class.access().bits(), Owner::Class);
        self.line(&format!(".class {flags}{}", written(class.name())));
        let superclass = class.super_class().map(|index| self.class_name(index));
        let superclass = superclass.as_deref().unwrap_or("none");
        self.line(&format!(".super {superclass}"));
        for index in class.interfaces() {
            let name = self.class_name(index);
            self.line(&format!(".implements {name}"));
        }
        if let Some(source) = class.source_file() {
            self.line(&format!(".source {}", written(source)));
        }
        self.line(".omit all");
        for field in class.fields() {
            self.field(field);
        }
        for method in class.methods() {
            self.method(method);
        }
    }

    fn field(&mut self, field: Field<'_>) {
        let flags = flags(field.access.bits(), Owner::Field);
        let value = match field.constant_value() {
            Some(index) => format!(" = {}", self.constant(index)),
            None => String::new(),
        };
        self.line(&format!(
            ".field {flags}{} {}{value}",
            written(field.name),
            written_descriptor(field.descriptor)
        ));
    }

    fn method(&mut self, method: Method<'_>) {
        let flags = flags(method.access.bits(), Owner::Method);
        let (name, descriptor) = (written(method.name), written_descriptor(method.descriptor));
        let mut head = format!(".method {flags}{name}{descriptor}");
        if let Some(code) = method.code() {
            let (stack, locals) = (code.max_stack, code.max_locals);
            write!(head, " stack {stack} locals {locals}").expect("a string takes everything");
        }
        self.line(&head);
        if let Some(code) = method.code() {
            self.code(code);
        }
    }

    fn code(&mut self, code: Code<'_>) {
        let labels = labels(code);
        let mut last_line = None;
        let mut end = 0;
        let name = |pc: i64| label_or_offset(&labels, pc);
        for insn in instructions(code.bytes).map_while(Result::ok) {
            if labels.contains(&i64::from(insn.pc.0)) {
                self.line(&format!("L{}:", insn.pc));
            }
            let line = code.line(insn.pc);
            if let Some(number) = line.filter(|_| line != last_line) {
                self.line(&format!("    .line {number}"));
            }
            last_line = line;
            end = insn.next_pc();
            let text = self.instruction(insn, &labels);
            self.line(&format!("    {text}"));
        }
        if labels.contains(&i64::from(end)) {
            self.line(&format!("L{end}:"));
        }
        // Bytes that do not decode are written with a `.bytes` directive.
        let rest = usize::try_from(end).map_or(&[][..], |end| &code.bytes[end..]);
        if !rest.is_empty() {
            let hex: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
            self.line(&format!("    .bytes {hex}"));
        }
        for handler in code.exceptions() {
            let class = match handler.catch_type {
                Some(index) => self.constant(index),
                None => "any".to_owned(),
            };
            let [start, end, using] =
                [handler.start, handler.end, handler.handler].map(|pc| name(i64::from(pc.0)));
            self.line(&format!(
                "    .catch {class} from {start} to {end} using {using}"
            ));
        }
    }

    fn instruction(&self, insn: Insn<'_>, labels: &BTreeSet<i64>) -> String {
        let target = |pc: i64| label_or_offset(labels, pc);
        let operand = match insn.operand {
            Operand::None => String::new(),
            Operand::Int(_) | Operand::Local(_) if implicit(insn) => String::new(),
            Operand::Int(value) => value.to_string(),
            Operand::Local(local) => local.to_string(),
            Operand::LocalIncrement { local, by } => format!("{local} {by}"),
            Operand::Constant(index) | Operand::InvokeDynamic(index) => self.constant(index),
            Operand::Branch(pc) => target(pc),
            Operand::TableSwitch(table) => {
                let targets: String = table
                    .cases()
                    .map(|(_, pc)| format!("{} ", target(pc)))
                    .collect();
                let (low, default) = (table.low(), target(table.default()));
                format!("{low}: {targets}default: {default}")
            }
            Operand::LookupSwitch(table) => {
                let cases: String = table
                    .cases()
                    .map(|(key, pc)| format!("{key}: {} ", target(pc)))
                    .collect();
                format!("{cases}default: {}", target(table.default()))
            }
            Operand::ArrayType(code) => code
                .checked_sub(FIRST_ARRAY_TYPE)
                .and_then(|index| ARRAY_TYPES.get(usize::from(index)))
                .map_or_else(|| code.to_string(), |name| (*name).to_owned()),
            Operand::InvokeInterface { method, count } => {
                format!("{} {count}", self.constant(method))
            }
            Operand::MultiArray { class, dimensions } => {
                format!("{} {dimensions}", self.constant(class))
            }
        };
        let wide = if insn.wide { "wide " } else { "" };
        format!("{wide}{} {operand}", insn.opcode)
            .trim_end()
            .to_owned()
    }

    fn constant(&self, index: CpIndex) -> String {
        let Ok(constant) = self.pool.get(index) else {
            return format!("#{index}");
        };
        match constant {
            Constant::Utf8(text) => format!("utf8 {}", quoted(text)),
            Constant::Integer(value) => value.to_string(),
            // A float is written as its bits, because different NaN values have the same text.
            Constant::Float(value) => format!("bytes 04 {:08x}", value.to_bits()),
            Constant::Double(value) => format!("bytes 06 {:016x}", value.to_bits()),
            Constant::Long(value) => format!("long {value}"),
            Constant::Class { .. } => format!("class {}", self.class_name(index)),
            Constant::String { text } => format!("string {}", self.quoted_at(text)),
            Constant::Member { kind, .. } => {
                let Ok(member) = self.pool.member(index) else {
                    return format!("#{index}");
                };
                let (class, name) = (written(member.class), written(member.name));
                let descriptor = written_descriptor(member.descriptor);
                match kind {
                    MemberKind::Field => format!("{class}.{name}:{descriptor}"),
                    MemberKind::Method => format!("{class}.{name}{descriptor}"),
                    MemberKind::InterfaceMethod => format!("interface {class}.{name}{descriptor}"),
                }
            }
            Constant::NameAndType { .. } => format!("nametype {}", self.name_and_type(index)),
            Constant::MethodHandle { kind, member } => {
                format!("methodhandle {kind} {}", self.constant(member))
            }
            Constant::MethodType { descriptor } => {
                format!("methodtype {}", self.descriptor_at(descriptor))
            }
            Constant::Dynamic {
                bootstrap,
                name_and_type,
            } => format!("dynamic {bootstrap} {}", self.name_and_type(name_and_type)),
            Constant::InvokeDynamic {
                bootstrap,
                name_and_type,
            } => {
                let member = self.name_and_type(name_and_type);
                format!("invokedynamic {bootstrap} {member}")
            }
            Constant::Module { name } => format!("module {}", self.text_at(name)),
            Constant::Package { name } => format!("package {}", self.text_at(name)),
        }
    }

    fn class_name(&self, index: CpIndex) -> String {
        match self.pool.class_name(index) {
            Ok(name) => written(name),
            Err(_) => format!("#{index}"),
        }
    }

    fn descriptor_at(&self, index: CpIndex) -> String {
        match self.pool.utf8(index) {
            Ok(text) => written_descriptor(text),
            Err(_) => format!("#{index}"),
        }
    }

    fn text_at(&self, index: CpIndex) -> String {
        match self.pool.utf8(index) {
            Ok(text) => written(text),
            Err(_) => format!("#{index}"),
        }
    }

    fn quoted_at(&self, index: CpIndex) -> String {
        match self.pool.utf8(index) {
            Ok(text) => quoted(text),
            Err(_) => format!("#{index}"),
        }
    }

    fn name_and_type(&self, index: CpIndex) -> String {
        match self.pool.name_and_type(index) {
            Ok((name, descriptor)) if descriptor.as_bytes().starts_with(b"(") => {
                format!("{}{}", written(name), written_descriptor(descriptor))
            }
            Ok((name, descriptor)) => {
                format!("{}:{}", written(name), written_descriptor(descriptor))
            }
            Err(_) => format!("#{index}"),
        }
    }
}

/// Returns whether the instruction's opcode implies its operand, so that the text has no operand.
fn implicit(insn: Insn<'_>) -> bool {
    matches!(
        insn.opcode.layout(),
        OperandLayout::ImplicitInt(_) | OperandLayout::ImplicitLocal(_)
    )
}

fn label_or_offset(labels: &BTreeSet<i64>, pc: i64) -> String {
    if labels.contains(&pc) {
        format!("L{pc}")
    } else {
        format!("@{pc}")
    }
}

/// Returns the code offsets that branches and handlers name, if an instruction starts or ends there.
fn labels(code: Code<'_>) -> BTreeSet<i64> {
    let mut targets = BTreeSet::new();
    let mut starts = BTreeSet::new();
    for insn in instructions(code.bytes).map_while(Result::ok) {
        starts.extend([i64::from(insn.pc.0), i64::from(insn.next_pc())]);
        match insn.operand {
            Operand::Branch(target) => targets.extend([target]),
            Operand::TableSwitch(table) => {
                targets.insert(table.default());
                targets.extend(table.cases().map(|(_, target)| target));
            }
            Operand::LookupSwitch(table) => {
                targets.insert(table.default());
                targets.extend(table.cases().map(|(_, target)| target));
            }
            Operand::None
            | Operand::Int(_)
            | Operand::Constant(_)
            | Operand::Local(_)
            | Operand::LocalIncrement { .. }
            | Operand::ArrayType(_)
            | Operand::InvokeInterface { .. }
            | Operand::InvokeDynamic(_)
            | Operand::MultiArray { .. } => {}
        }
    }
    for handler in code.exceptions() {
        let pcs = [handler.start, handler.end, handler.handler];
        targets.extend(pcs.map(|pc| i64::from(pc.0)));
    }
    targets.intersection(&starts).copied().collect()
}

/// Returns the names of flags, each followed by a space.
fn flags(access: u16, owner: Owner) -> String {
    let elsewhere = |word: &str| match word {
        "super" | "module" => owner != Owner::Class,
        "synchronized" | "bridge" | "varargs" => owner != Owner::Method,
        "volatile" | "transient" => owner != Owner::Field,
        "mandated" => true,
        _ => false,
    };
    FLAGS
        .iter()
        .filter(|(word, bit)| access & bit != 0 && !elsewhere(word))
        .map(|(word, _)| format!("{word} "))
        .collect()
}

/// Returns a name as one word of the assembly.
///
/// Names may contain almost any character (JVMS §4.2). Characters with a meaning in the assembly are written as `\xNN`.
fn written(name: Utf8<'_>) -> String {
    let text = escaped(name, |c| !matches!(c, '(' | ':' | '.' | '#' | '@' | ';'));
    let is_taken = FLAGS.iter().any(|(word, _)| *word == text)
        || text.starts_with("0x")
        || ["none", "="].contains(&text.as_str());
    match text.as_bytes() {
        [first, rest @ ..] if is_taken => {
            format!("\\x{first:02x}{}", String::from_utf8_lossy(rest))
        }
        _ => text,
    }
}

/// Returns a descriptor as the end of a word. The first parenthesis of a method's descriptor separates the descriptor
/// from the name.
fn written_descriptor(descriptor: Utf8<'_>) -> String {
    let is_method = descriptor.as_bytes().starts_with(b"(");
    escaped(descriptor, |c| c != '(' || is_method)
}

/// Escapes whitespace, control characters, quotes and backslashes, and ASCII characters for which `plain` is false.
fn escaped(text: Utf8<'_>, plain: impl Fn(char) -> bool) -> String {
    let is_plain = |c: char| {
        (c.is_ascii_graphic() && !matches!(c, '"' | '\\') && plain(c)) || c.is_alphanumeric()
    };
    match core::str::from_utf8(text.as_bytes()) {
        Ok(text) => text
            .chars()
            .map(|c| {
                let mut bytes = [0; 4];
                if is_plain(c) {
                    c.to_string()
                } else {
                    hex_escapes(c.encode_utf8(&mut bytes).as_bytes())
                }
            })
            .collect(),
        Err(_) => hex_escapes(text.as_bytes()),
    }
}

fn hex_escapes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect()
}

fn quoted(text: Utf8<'_>) -> String {
    let inner: String = text
        .as_bytes()
        .iter()
        .map(|byte| match byte {
            b'"' => "\\\"".to_owned(),
            b'\\' => "\\\\".to_owned(),
            0x20..=0x7e => char::from(*byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        })
        .collect();
    format!("\"{inner}\"")
}
