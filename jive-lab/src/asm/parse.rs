//! Parses the assembly text into the syntax tree: directives, labels and instructions.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use jive_core::{Opcode, OperandLayout};

use super::RAW_BYTES_MAX;
use super::error::AsmErrorKind;
use super::line::{Line, Located, Words, lines, number, unescaped, unexpected};
use super::model::{
    At, Attribute, Class, Code, Constant, Field, Handler, Item, ItemValue, Method, NamedConstant,
    RawPart, Statement,
};
use super::operand::{Scope, constant, name_and_descriptor, operand, raw, target};

/// Access flags by name. Some bits have different names for classes, fields and methods (JVMS tables 4.1-B, 4.5-A and
/// 4.6-A).
pub(super) const FLAGS: [(&str, u16); 20] = [
    ("public", 0x0001),
    ("private", 0x0002),
    ("protected", 0x0004),
    ("static", 0x0008),
    ("final", 0x0010),
    ("super", 0x0020),
    ("synchronized", 0x0020),
    ("volatile", 0x0040),
    ("bridge", 0x0040),
    ("transient", 0x0080),
    ("varargs", 0x0080),
    ("native", 0x0100),
    ("interface", 0x0200),
    ("abstract", 0x0400),
    ("strict", 0x0800),
    ("synthetic", 0x1000),
    ("annotation", 0x2000),
    ("enum", 0x4000),
    ("module", 0x8000),
    ("mandated", 0x8000),
];

/// The members that every applet needs, and that most fixtures do not declare.
const DEFAULT_MEMBERS: &str = "
.field static RxBuf [B
.method <init>()V stack 1 locals 1
    aload_0
    invokespecial java/lang/Object.<init>()V
    return
.method static doTx(III)I stack 1 locals 3
    iconst_0
    ireturn
.method static doRx(II)I stack 1 locals 2
    iconst_0
    ireturn
";

/// A parsed source.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) class: Class,
    /// Name of the first method that the source itself declares, or `None` if it declares no method.
    pub(super) first_method: Option<String>,
}

/// Parses a source, and adds the applet members that the source neither declares nor omits.
pub(super) fn parse(text: &str) -> Located<Source> {
    let mut parser = Parser::new();
    for line in lines(text)? {
        parser.line(&line).map_err(|kind| (line.number, kind))?;
    }
    let first_method = parser.class.methods.first().map(|m| m.name.clone());
    parser.add_default_members();
    Ok(Source {
        class: parser.class,
        first_method,
    })
}

/// The class as parsed so far, and the member that the next line belongs to.
struct Parser {
    class: Class,
    context: Context,
    omitted: Vec<String>,
    /// Number of raw bytes that the rest of the source may still write.
    room: Cell<usize>,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Context {
    Class,
    Field,
    Method,
}

impl Parser {
    fn new() -> Parser {
        Parser {
            class: Class {
                // The default version: the last one for which OpenJDK verifies classes without a `StackMapTable`, as
                // JIVE does.
                major: 49,
                minor: 0,
                access: 0x0021,
                name: "Fixture".to_owned(),
                super_class: Some("java/lang/Object".to_owned()),
                interfaces: Vec::new(),
                constants: Vec::new(),
                fields: Vec::new(),
                methods: Vec::new(),
                attributes: Vec::new(),
                items: Vec::new(),
                truncated: 0,
                trailing: Vec::new(),
            },
            context: Context::Class,
            omitted: Vec::new(),
            room: Cell::new(RAW_BYTES_MAX),
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope {
            class: &self.class.name,
            room: &self.room,
        }
    }

    fn line(&mut self, line: &Line) -> Result<(), AsmErrorKind> {
        let mut words = Words::new(&line.text);
        while let Some(label) = words.peek().and_then(|word| word.strip_suffix(':')) {
            words.next();
            self.statement(line.number, Statement::Label(label.to_owned()))?;
        }
        let Some(first) = words.next() else {
            return Ok(());
        };
        match first.strip_prefix('.') {
            Some(directive) => self.directive(line.number, directive, &mut words)?,
            None => {
                let statement = instruction(first, &mut words, &self.scope())?;
                self.statement(line.number, statement)?;
            }
        }
        words.finish()
    }

    fn directive(
        &mut self,
        line: u32,
        name: &str,
        words: &mut Words<'_>,
    ) -> Result<(), AsmErrorKind> {
        match name {
            "class" => {
                self.class.access = flags(words)?;
                words.take("a class name")?.clone_into(&mut self.class.name);
            }
            "version" => self.version(words.take("a version")?)?,
            "super" => {
                let name = words.take("a class name or `none`")?;
                self.class.super_class = (name != "none").then(|| name.to_owned());
            }
            "implements" => {
                let name = words.take("an interface")?;
                self.class.interfaces.push(name.to_owned());
            }
            "source" => {
                let file = Constant::Utf8(unescaped(words.take("a file name")?));
                self.class.attributes.push(At {
                    line,
                    item: Attribute {
                        name: "SourceFile".to_owned(),
                        body: vec![RawPart::Index(file)],
                    },
                });
            }
            "constant" => {
                let item = NamedConstant {
                    name: words.take("a name for the constant")?.to_owned(),
                    constant: constant(words, &self.scope())?,
                };
                self.class.constants.push(At { line, item });
            }
            "omit" => {
                while let Some(member) = words.next() {
                    self.omitted.push(member.to_owned());
                }
            }
            "truncate" => self.class.truncated = size(words.take("a count of bytes")?)?,
            "trailing" => {
                for part in raw(words, &self.scope())? {
                    match part {
                        RawPart::Bytes(bytes) => self.class.trailing.extend(bytes),
                        RawPart::Index(_) => return Err(unexpected("bytes in hex", "an index")),
                    }
                }
            }
            "field" => self.field(line, words)?,
            "method" => self.method(line, words)?,
            "set" => {
                let item = item(words, &self.scope())?;
                self.items().push(At { line, item });
            }
            "attribute" => {
                let item = self.attribute(words)?;
                self.attributes().push(At { line, item });
            }
            "code_attribute" => {
                let item = self.attribute(words)?;
                self.code()?.attributes.push(At { line, item });
            }
            "catch" => {
                let item = handler(words, &self.scope())?;
                self.code()?.handlers.push(At { line, item });
            }
            "line" => {
                let number = u2("line number", number(words.take("a line number")?)?)?;
                self.statement(line, Statement::Line(number))?;
            }
            "bytes" => {
                let parts = raw(words, &self.scope())?;
                self.statement(line, Statement::Bytes(parts))?;
            }
            _ => {
                return Err(AsmErrorKind::UnknownDirective {
                    name: format!(".{name}"),
                });
            }
        }
        Ok(())
    }

    /// Parses `.version MAJOR` or `.version MAJOR.MINOR`.
    fn version(&mut self, word: &str) -> Result<(), AsmErrorKind> {
        let (major, minor) = word.split_once('.').unwrap_or((word, "0"));
        self.class.major = u2("major version", number(major)?)?;
        self.class.minor = u2("minor version", number(minor)?)?;
        Ok(())
    }

    /// Parses `.field FLAGS NAME DESCRIPTOR [= CONSTANT]`.
    fn field(&mut self, line: u32, words: &mut Words<'_>) -> Result<(), AsmErrorKind> {
        let field = Field {
            line,
            access: flags(words)?,
            name: words.take("a field name")?.to_owned(),
            descriptor: words.take("a field descriptor")?.to_owned(),
            value: if words.accept("=") {
                Some(constant(words, &self.scope())?)
            } else {
                None
            },
            attributes: Vec::new(),
            items: Vec::new(),
        };
        self.class.fields.push(field);
        self.context = Context::Field;
        Ok(())
    }

    /// Parses `.method FLAGS NAME(PARAMETERS)RESULT [stack N locals N]`.
    fn method(&mut self, line: u32, words: &mut Words<'_>) -> Result<(), AsmErrorKind> {
        let access = flags(words)?;
        let (name, descriptor) = name_and_descriptor(words.take("a method")?)?;
        let code = if words.is_empty() {
            None
        } else {
            words.demand("stack")?;
            let max_stack = u2("max_stack", number(words.take("max_stack")?)?)?;
            words.demand("locals")?;
            Some(Code {
                max_stack,
                max_locals: u2("max_locals", number(words.take("max_locals")?)?)?,
                ..Code::default()
            })
        };
        self.class.methods.push(Method {
            line,
            access,
            name,
            descriptor,
            code,
            attributes: Vec::new(),
            items: Vec::new(),
        });
        self.context = Context::Method;
        Ok(())
    }

    /// `.attribute NAME BYTES…`.
    fn attribute(&self, words: &mut Words<'_>) -> Result<Attribute, AsmErrorKind> {
        Ok(Attribute {
            name: words.take("an attribute name")?.to_owned(),
            body: raw(words, &self.scope())?,
        })
    }

    fn statement(&mut self, line: u32, item: Statement) -> Result<(), AsmErrorKind> {
        self.code()?.statements.push(At { line, item });
        Ok(())
    }

    fn code(&mut self) -> Result<&mut Code, AsmErrorKind> {
        match self.context {
            Context::Method => self.class.methods.last_mut(),
            Context::Class | Context::Field => None,
        }
        .and_then(|method| method.code.as_mut())
        .ok_or(AsmErrorKind::OutsideCode)
    }

    fn items(&mut self) -> &mut Vec<At<Item>> {
        match (
            self.context,
            self.class.fields.last_mut(),
            self.class.methods.last_mut(),
        ) {
            (Context::Field, Some(field), _) => &mut field.items,
            (Context::Method, _, Some(method)) => &mut method.items,
            _ => &mut self.class.items,
        }
    }

    fn attributes(&mut self) -> &mut Vec<At<Attribute>> {
        match (
            self.context,
            self.class.fields.last_mut(),
            self.class.methods.last_mut(),
        ) {
            (Context::Field, Some(field), _) => &mut field.attributes,
            (Context::Method, _, Some(method)) => &mut method.attributes,
            _ => &mut self.class.attributes,
        }
    }

    fn add_default_members(&mut self) {
        if self.omitted.iter().any(|name| name == "all") {
            return;
        }
        let mut defaults = Parser::new();
        for line in lines(DEFAULT_MEMBERS).expect("the default members repeat nothing") {
            defaults
                .line(&line)
                .expect("the default members are assembly");
        }
        for field in defaults.class.fields {
            let declared = self.class.fields.iter().any(|f| f.name == field.name);
            if !declared && !self.omitted.contains(&field.name) {
                self.class.fields.push(field);
            }
        }
        for method in defaults.class.methods {
            let declared = self.class.methods.iter().any(|m| m.name == method.name);
            if !declared && !self.omitted.contains(&method.name) {
                self.class.methods.push(method);
            }
        }
    }
}

fn instruction(
    mnemonic: &str,
    words: &mut Words<'_>,
    scope: &Scope<'_>,
) -> Result<Statement, AsmErrorKind> {
    let mut opcode = opcode(mnemonic)?;
    let wide = opcode.layout() == OperandLayout::Wide;
    if wide {
        opcode = self::opcode(words.take("an instruction to widen")?)?;
        if !matches!(
            opcode.layout(),
            OperandLayout::Local | OperandLayout::LocalIncrement
        ) {
            return Err(AsmErrorKind::NoWideForm { opcode });
        }
    }
    Ok(Statement::Insn {
        wide,
        opcode,
        operand: operand(opcode, words, scope)?,
    })
}

fn opcode(mnemonic: &str) -> Result<Opcode, AsmErrorKind> {
    opcode_named(mnemonic).ok_or_else(|| AsmErrorKind::UnknownMnemonic {
        name: mnemonic.to_owned(),
    })
}

/// Returns the opcode that has the given mnemonic.
pub(crate) fn opcode_named(mnemonic: &str) -> Option<Opcode> {
    // A map finds the opcode, because fuzzing assembles thousands of lines a second, too many for a linear search for
    // each line.
    static BY_MNEMONIC: LazyLock<BTreeMap<&str, Opcode>> = LazyLock::new(|| {
        let named = |opcode: &Opcode| (opcode.mnemonic(), *opcode);
        Opcode::ALL.iter().map(named).collect()
    });
    BY_MNEMONIC.get(mnemonic).copied()
}

/// Parses `.catch CLASS|any from START to END using HANDLER`.
fn handler(words: &mut Words<'_>, scope: &Scope<'_>) -> Result<Handler, AsmErrorKind> {
    let class = if words.accept("any") {
        None
    } else {
        Some(constant(words, scope)?)
    };
    words.demand("from")?;
    let start = target(words)?;
    words.demand("to")?;
    let end = target(words)?;
    words.demand("using")?;
    Ok(Handler {
        class,
        start,
        end,
        handler: target(words)?,
    })
}

/// Parses `.set ITEM NUMBER` or `.set ITEM #CONSTANT`.
fn item(words: &mut Words<'_>, scope: &Scope<'_>) -> Result<Item, AsmErrorKind> {
    let name = words.take("an item")?.to_owned();
    let value = match words.peek() {
        Some(word) if word.starts_with('#') => ItemValue::Index(constant(words, scope)?),
        _ => ItemValue::Number(number(words.take("a number")?)?),
    };
    Ok(Item { name, value })
}

/// Parses flag words, or numbers for flags without a word, up to the first word that is neither a flag nor a number.
fn flags(words: &mut Words<'_>) -> Result<u16, AsmErrorKind> {
    let mut access = 0;
    while let Some(word) = words.peek() {
        if let Some((_, bit)) = FLAGS.iter().find(|(name, _)| *name == word) {
            access |= bit;
        } else if word.starts_with("0x") {
            access |= u2("access flags", number(word)?)?;
        } else {
            break;
        }
        words.next();
    }
    Ok(access)
}

fn u2(what: &'static str, value: i64) -> Result<u16, AsmErrorKind> {
    u16::try_from(value).map_err(|_| AsmErrorKind::DoesNotFit {
        what,
        value,
        bytes: 2,
    })
}

fn size(word: &str) -> Result<usize, AsmErrorKind> {
    usize::try_from(number(word)?).map_err(|_| unexpected("a count of bytes", word))
}
