//! How the rejection of a class is shown: to people as a diagnosis over the code around the fault, to
//! programs as the same facts with stable names.

use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Snippet};
use anstyle::{AnsiColor, Effects, Style};
use jive_core::{ClassFile, Code, Disassembly, MethodId, Pc, decode, instructions};
use jive_verifier::{Location, Policy, VerifyErrorKind};
use serde::Serialize;

use super::class_file::{self, Types};
use super::diagnosis::{self, printable};
use super::explanations;
use crate::input;
use crate::sle::LoadError;

/// Instructions that are shown before the one that is wrong.
const BEFORE: usize = 4;
/// Instructions that are shown behind it.
const AFTER: usize = 2;
/// How the arrow to a place is coloured, as the diagnostics library has it.
const ARROW: Style = AnsiColor::BrightBlue.on_default().effects(Effects::BOLD);
/// Bytes of a Java source that are read to show a line of it.
const SOURCE_BYTES_MAX: u64 = 1 << 20;

/// Why a class was rejected, with everything that helps to see why.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Rejection {
    /// The stable code.
    pub(super) code: &'static str,
    /// What is wrong, in a sentence.
    pub(super) message: String,
    /// The class, where that much of it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) class: Option<String>,
    /// Offset in the file, of what is no class file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) offset: Option<u32>,
    /// The field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) field: Option<String>,
    /// The method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<String>,
    /// The descriptor of the field or method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) descriptor: Option<String>,
    /// The instruction's place in the method's code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pc: Option<u16>,
    /// The instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instruction: Option<String>,
    /// The Java source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source_file: Option<String>,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u16>,
    /// What was expected, where that is a type or a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expected: Option<String>,
    /// What was found in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) found: Option<String>,
    /// The types of the local variables there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) locals: Option<Vec<&'static str>>,
    /// The types of the operand stack there, the top last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stack: Option<Vec<&'static str>>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<&'static str>,
    #[serde(skip)]
    listing: Listing,
    #[serde(skip)]
    types: Option<Types>,
}

/// Lines to show, and what of them is wrong.
#[derive(Clone, Debug, Default)]
struct Listing {
    text: String,
    fault: Option<Range<usize>>,
}

impl Listing {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Adds the line that is wrong, between these columns of it.
    fn fault(&mut self, line: &str, columns: Range<usize>) {
        let start = self.text.len();
        self.fault = Some(start + columns.start..start + columns.end);
        self.line(line);
    }
}

/// The code of a class that is to run as an applet and was not judged as one.
pub(super) const NOT_AN_APPLET: &str = "applet/not-judged";
/// The code of a class whose `RxBuf` no heap has room for.
pub(super) const RX_BUF_TOO_LARGE: &str = "limit/rx-buf";

/// Returns the stable code of an error.
fn code(error: LoadError) -> &'static str {
    match error {
        LoadError::Parse(error) => error.code(),
        LoadError::Verify(error) => error.kind.code(),
        LoadError::Link(error) => error.kind.code(),
        LoadError::NotAnApplet => NOT_AN_APPLET,
        LoadError::TooLarge => RX_BUF_TOO_LARGE,
    }
}

impl Rejection {
    /// Finds out all there is to say about why these bytes were rejected.
    pub(super) fn explore(bytes: &[u8], policy: Policy, error: LoadError) -> Rejection {
        let mut rejection = Rejection::new(code(error), error.to_string());
        let mut index = vec![0; ClassFile::index_len(bytes).unwrap_or(0)];
        let class = ClassFile::parse(bytes, &mut index).ok();
        if let Some(class) = &class {
            rejection.of_class(class);
        }
        match error {
            LoadError::Parse(error) => {
                rejection.message = error.kind.to_string();
                rejection.offset = Some(error.offset);
                rejection.listing = hex_listing(bytes, error.offset);
            }
            LoadError::Verify(error) => {
                rejection.message = error.kind.to_string();
                if let Some(class) = &class {
                    rejection.place(class, error.at);
                    rejection.compare(error.kind);
                    rejection.see(class_file::failing_types(*class, policy));
                }
            }
            LoadError::Link(_) | LoadError::NotAnApplet | LoadError::TooLarge => {}
        }
        rejection
    }

    fn new(code: &'static str, message: String) -> Rejection {
        Rejection {
            code,
            message,
            class: None,
            offset: None,
            field: None,
            method: None,
            descriptor: None,
            pc: None,
            instruction: None,
            source_file: None,
            line: None,
            expected: None,
            found: None,
            locals: None,
            stack: None,
            help: explanations::find(code).map(|explanation| explanation.mend),
            listing: Listing::default(),
            types: None,
        }
    }

    fn of_class(&mut self, class: &ClassFile<'_>) {
        self.class = Some(class_file::class_name(class));
        self.source_file = class_file::source_name(class);
    }

    fn place(&mut self, class: &ClassFile<'_>, at: Location) {
        match at {
            Location::Class => {}
            Location::Field(id) => {
                if let Some(field) = class.field(id) {
                    self.field = Some(field.name.to_string());
                    self.descriptor = Some(field.descriptor.to_string());
                }
            }
            Location::Method(id) => self.place_method(class, id),
            Location::Code { method, pc } => {
                self.place_method(class, method);
                self.pc = Some(pc.0);
                if let Some(code) = class.method(method).and_then(|method| method.code()) {
                    self.line = code.line(pc);
                    self.listing = code_listing(class, &code, pc);
                    self.instruction = Some(instruction(class, &code, pc));
                }
            }
        }
    }

    fn place_method(&mut self, class: &ClassFile<'_>, id: MethodId) {
        if let Some(method) = class.method(id) {
            self.method = Some(method.name.to_string());
            self.descriptor = Some(method.descriptor.to_string());
            self.line = method.code().and_then(|code| code.line(Pc(0)));
        }
    }

    /// Sets what was expected and found, of kinds that compare types or numbers. The sentence of
    /// every other kind says it all.
    fn compare(&mut self, kind: VerifyErrorKind) {
        let (expected, found) = match kind {
            VerifyErrorKind::StackUnderflow { needed, found, .. } => {
                (needed.to_string(), found.to_string())
            }
            VerifyErrorKind::OperandType {
                expected, found, ..
            }
            | VerifyErrorKind::LocalType {
                expected, found, ..
            } => (expected.to_string(), found.to_string()),
            VerifyErrorKind::MergeDepth {
                expected, found, ..
            } => (expected.to_string(), found.to_string()),
            VerifyErrorKind::MergeType {
                expected, found, ..
            } => (expected.to_string(), found.to_string()),
            VerifyErrorKind::Constants { needed, limit }
            | VerifyErrorKind::Fields { needed, limit }
            | VerifyErrorKind::Methods { needed, limit }
            | VerifyErrorKind::Frame { needed, limit } => {
                (format!("at most {limit}"), needed.to_string())
            }
            _ => return,
        };
        self.expected = Some(expected.replace('`', ""));
        self.found = Some(found.replace('`', ""));
    }

    fn see(&mut self, types: Option<Types>) {
        if let Some(types) = &types {
            let words = |types: &[_]| {
                types
                    .iter()
                    .map(|kind| class_file::type_word(*kind))
                    .collect()
            };
            self.locals = Some(words(&types.locals));
            self.stack = Some(words(&types.stack));
        }
        self.types = types;
    }

    /// Returns where the fault is, in words.
    fn location(&self) -> String {
        let mut words = String::new();
        if let Some(offset) = self.offset {
            words.push_str(&format!(": offset {offset:#x}"));
        }
        if let Some(class) = &self.class {
            words.push_str(&format!(": class {class}"));
        }
        let descriptor = self.descriptor.as_deref().unwrap_or("");
        if let Some(field) = &self.field {
            words.push_str(&format!(", field {field} {descriptor}"));
        }
        if let Some(method) = &self.method {
            words.push_str(&format!(", method {method}{descriptor}"));
        }
        if let Some(pc) = self.pc {
            words.push_str(&format!(", pc {pc}"));
        }
        if let Some(line) = self.line {
            let file = self.source_file.as_deref().unwrap_or("line");
            words.push_str(&format!(" ({file}:{line})"));
        }
        words
    }

    /// Renders the diagnosis of the class that `file` holds.
    pub(super) fn render(&self, file: &str) -> String {
        let place = format!("{}{}", printable(file), self.location());
        let types = self.types.as_ref().map(|types| format!("here {types}"));
        let title = Level::ERROR
            .primary_title(self.message.as_str())
            .id(self.code);
        let mut group = Group::with_level(Level::ERROR);
        if let Some(fault) = &self.listing.fault {
            let snippet = Snippet::source(self.listing.text.trim_end_matches('\n'))
                .line_numbering(false)
                .fold(false)
                .annotation(AnnotationKind::Primary.span(fault.clone()));
            group = group.element(snippet);
        }
        let source = self.source_line(file);
        if let Some((path, line, text)) = &source {
            let indent = text.len() - text.trim_start().len();
            let snippet = Snippet::source(text.as_str())
                .path(path.as_str())
                .line_start(usize::from(*line))
                .annotation(
                    AnnotationKind::Context.span(indent..text.trim_end().len().max(indent)),
                );
            group = group.element(snippet);
        }
        if let Some(types) = &types {
            group = group.element(Level::NOTE.message(types.as_str()));
        }
        if let Some(help) = self.help {
            group = group.element(Level::HELP.message(help));
        }
        // A listing has no file whose lines could be counted, so the place is said in words, in the
        // column where the library would put it.
        let digits = source
            .as_ref()
            .map_or(0, |(_, line, _)| line.to_string().len());
        let title = diagnosis::render(&[Group::with_title(title)]);
        let body = diagnosis::render(&[group]);
        format!("{title}\n{:digits$}{ARROW}-->{ARROW:#} {place}\n{body}", "")
    }

    /// Returns the line of the Java source, where the source lies beside the class file: its path,
    /// its number and its text.
    fn source_line(&self, file: &str) -> Option<(String, u16, String)> {
        let (name, number) = (self.source_file.as_ref()?, self.line?);
        let path = Path::new(file).parent()?.join(name);
        let text = input::read_file(&path, SOURCE_BYTES_MAX).ok()?;
        let text = String::from_utf8(text).ok()?;
        let line = text.lines().nth(usize::from(number.checked_sub(1)?))?;
        Some((
            printable(&path.display().to_string()),
            number,
            line.to_owned(),
        ))
    }
}

/// Shows an instruction on one line, without its place.
fn instruction(class: &ClassFile<'_>, code: &Code<'_>, pc: Pc) -> String {
    match decode(code.bytes, pc) {
        Ok(insn) => {
            let text = Disassembly::new(insn, *class).to_string();
            // The cases of a switch may be thousands.
            text.lines().next().unwrap_or("").trim_end().to_owned()
        }
        Err(_) => {
            let byte = code.bytes.get(pc.index()).copied().unwrap_or(0);
            format!("byte {byte:#04x}")
        }
    }
}

/// Lists the instructions around a pc.
fn code_listing(class: &ClassFile<'_>, code: &Code<'_>, fault: Pc) -> Listing {
    let places = instructions(code.bytes).map(|decoded| match decoded {
        Ok(insn) => insn.pc,
        Err(error) => error.pc,
    });
    let (before, from) = places.partition::<Vec<_>, _>(|pc| *pc < fault);
    let mut listing = Listing::default();
    for pc in before.iter().rev().take(BEFORE).rev() {
        listing.line(&format!("{pc:>5}: {}", instruction(class, code, *pc)));
    }
    let prefix = format!("{fault:>5}: ");
    let line = format!("{prefix}{}", instruction(class, code, fault));
    listing.fault(&line, prefix.len()..line.len());
    for pc in from.iter().filter(|pc| **pc > fault).take(AFTER) {
        listing.line(&format!("{pc:>5}: {}", instruction(class, code, *pc)));
    }
    listing
}

/// Lists the bytes around an offset of a file that is no class file.
fn hex_listing(bytes: &[u8], offset: u32) -> Listing {
    const ROW: usize = 16;
    const BYTE_COLUMNS: usize = 3;
    let offset = usize::try_from(offset).map_or(bytes.len(), |offset| offset.min(bytes.len()));
    let row = offset / ROW * ROW;
    let prefix = |start: usize| format!("{start:>6x}:");
    let line = |start: usize| {
        let shown = bytes[start..]
            .iter()
            .take(ROW)
            .map(|byte| format!(" {byte:02x}"));
        prefix(start) + &shown.collect::<String>()
    };
    let mut listing = Listing::default();
    if row >= ROW {
        listing.line(&line(row - ROW));
    }
    let text = line(row);
    let start = prefix(row).len() + (offset - row) * BYTE_COLUMNS;
    // Behind the last byte the mark stands where the next would.
    let text = format!("{text:<width$}", width = start + BYTE_COLUMNS);
    listing.fault(&text, start + 1..start + BYTE_COLUMNS);
    listing
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;
    use crate::sle::load_class;

    /// Judges bytes and, where they are rejected, returns what a user sees without colours.
    fn shown(bytes: &[u8]) -> Option<String> {
        let arena = Bump::new();
        let error = load_class(&arena, bytes, Policy::Applet).err()?;
        let rendered = Rejection::explore(bytes, Policy::Applet, error).render("A.class");
        Some(anstream::adapter::strip_str(&rendered).to_string())
    }

    #[test]
    fn whatever_byte_is_changed_the_diagnosis_can_be_shown() {
        let class = applets::DROP.class;
        let mut rejected = 0;
        for position in 0..class.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut bytes = class.to_vec();
                bytes[position] ^= change;
                if let Some(shown) = shown(&bytes) {
                    rejected += 1;
                    assert!(shown.starts_with("error["), "{shown}");
                    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
                }
            }
        }
        // Most bytes of a class file matter.
        assert!(rejected > class.len());
    }

    #[test]
    fn bytes_that_are_no_class_file_are_marked_where_they_are_wrong() {
        let magic = shown(b"public class A { }").expect("it is no class file");
        assert!(magic.contains("0: 70 75 62 6c 69 63 20"), "{magic}");
        assert!(magic.contains("|         ^^\n"), "{magic}");
        let empty = shown(b"").expect("it is no class file");
        assert!(empty.contains("error[malformed/truncated]"), "{empty}");
    }
}
