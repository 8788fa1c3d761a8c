//! Explanation of rejections: a diagnosis for people, and the same facts with stable names for programs.

mod all;
mod collected;
mod comparison;
mod hint;
mod java_source;
mod likely;
mod listing;
mod provenance;
mod trap;
mod warning;

use std::path::{Path, PathBuf};

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Snippet};
use anstyle::{AnsiColor, Effects, Style};
use jive_core::{ClassFile, Cut, Method, MethodId, NativeDecl, ParseErrorKind, Pc};
use jive_verifier::{Location, Policy, VerifyError, VerifyErrorKind};
#[cfg(feature = "json")]
use serde::Serialize;

pub use self::all::Rejections;
use self::comparison::compared;
use self::hint::hint;
pub use self::java_source::{FoundAt, JavaSource, SourcePath};
pub use self::likely::closest;
use self::likely::{Lookalike, lookalike, meant};
use self::listing::{ListedInstruction, Listing, instruction};
use self::provenance::Source;
pub use self::trap::TrapDiagnosis;
use crate::inferred::{Types, type_word};
use crate::load::LoadError;
use crate::text::printable_path;
use crate::{diagnosis, explanations, names};

/// Explains why a class was rejected, with names, the instruction, the line of the Java source and a hint.
///
/// [`Rejection::render`] returns the text that `jive verify` prints. With the feature `json`, the rejection serialises to
/// the JSON of `jive verify`.
///
/// ```
/// use jive_embed::Policy;
///
/// let bytes = b"no class file";
/// let error = jive_embed::load(bytes, &[]).unwrap_err();
/// let rejection = jive_embed::explain(bytes, Policy::ClassOnly, &[], error);
/// assert_eq!(rejection.code, "malformed/magic");
/// assert!(rejection.render().contains("expected magic number 0xcafebabe"));
/// ```
#[must_use]
pub fn explain(
    bytes: &[u8],
    policy: Policy,
    natives: &[NativeDecl<'_>],
    error: LoadError,
) -> Rejection {
    Rejection::explore(Path::new("class file"), bytes, policy, natives, error)
}

/// Colour of the arrow in front of a location, the same as in `annotate-snippets`.
const ARROW: Style = AnsiColor::BrightBlue.on_default().effects(Effects::BOLD);

/// The reason why a class was rejected, with all related facts.
///
/// [`Cut`] truncates the names and descriptors in a rejection, also in its serialised form.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub struct Rejection {
    /// The stable code.
    pub code: &'static str,
    /// The error message, which is a sentence.
    pub message: String,
    /// Name of the class, if the parser got as far as that name.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub class: Option<String>,
    /// Offset in the file at which parsing failed, for a parse error.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub offset: Option<u32>,
    /// Name of the field whose declaration has the error.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub field: Option<String>,
    /// Name of the method with the error.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub method: Option<String>,
    /// The descriptor of the field or method with the error.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub descriptor: Option<String>,
    /// The pc of the instruction with the error.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub pc: Option<u16>,
    /// The instruction with the error.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub instruction: Option<String>,
    /// Name of the Java source file.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub source_file: Option<String>,
    /// Line number of the error in the source file.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub line: Option<u16>,
    /// Further lines of the method that break the same rule in the same way. Only the first few.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub also_lines: Vec<u16>,
    /// Text of the source line with the number `line`, if the source file is next to the class file.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub source_line: Option<String>,
    /// The instructions around the instruction with the error.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    instructions: Vec<ListedInstruction>,
    /// The value that the verifier expected, for errors that compare values.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub expected: Option<String>,
    /// The actual value.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub found: Option<String>,
    /// The origins of the actual value, and of the value from another path that it clashes with.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    sources: Vec<Source>,
    /// Types of the local variables before the instruction with the error.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub locals: Option<Vec<&'static str>>,
    /// Types of the operands before the instruction with the error, with the top of the stack last.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub stack: Option<Vec<&'static str>>,
    /// A hint on how to fix the error.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub help: Option<String>,
    #[cfg_attr(feature = "json", serde(skip))]
    file: PathBuf,
    #[cfg_attr(feature = "json", serde(skip))]
    java: Option<JavaSource>,
    #[cfg_attr(feature = "json", serde(skip))]
    listing: Listing,
    #[cfg_attr(feature = "json", serde(skip))]
    types: Option<Types>,
    #[cfg_attr(feature = "json", serde(skip))]
    is_warning: bool,
    /// Whether the diagnosis shows the source line as its main location, instead of as further information.
    #[cfg_attr(feature = "json", serde(skip))]
    is_at_line: bool,
    /// Further facts that the diagnosis shows as notes, such as the nested calls of a trap.
    #[cfg_attr(feature = "json", serde(skip))]
    extra_notes: Vec<String>,
}

impl Rejection {
    /// Collects all facts about the rejection of a file.
    pub fn explore<'f>(
        found: impl Into<FoundAt<'f>>,
        bytes: &[u8],
        policy: Policy,
        natives: &[NativeDecl<'_>],
        error: LoadError,
    ) -> Rejection {
        let found = found.into();
        let mut rejection = Rejection::new(found.file, error.code(), error.to_string());
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let class = ClassFile::parse(bytes, &mut index).ok();
        if let Some(class) = &class {
            rejection.of_class(class, found);
        }
        match error {
            LoadError::Parse(error) => {
                rejection.message = error.kind.to_string();
                rejection.offset = Some(error.offset);
                let label = if error.kind == ParseErrorKind::Truncated {
                    "what begins here is cut off"
                } else {
                    ""
                };
                rejection.listing = Listing::of_bytes(bytes, error.offset, label);
            }
            LoadError::Verify(error) => {
                rejection.message = error.kind.to_string();
                if let Some(class) = &class {
                    rejection.judged(class, policy, natives, error);
                }
            }
            LoadError::Link(_) => {}
        }
        rejection
    }

    /// Explains why a verified class cannot be used, for a `code` that has an explanation.
    #[must_use]
    pub fn of_use(file: &Path, bytes: &[u8], code: &'static str, message: String) -> Rejection {
        let mut rejection = Rejection::new(file, code, message);
        let mut index = vec![0; ClassFile::index_len(bytes)];
        if let Ok(class) = ClassFile::parse(bytes, &mut index) {
            rejection.of_class(&class, file.into());
        }
        rejection
    }

    fn new(file: &Path, code: &'static str, message: String) -> Rejection {
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
            also_lines: Vec::new(),
            source_line: None,
            instructions: Vec::new(),
            expected: None,
            found: None,
            sources: Vec::new(),
            locals: None,
            stack: None,
            help: explanations::find(code).map(|explanation| explanation.fix.to_owned()),
            file: file.to_owned(),
            java: None,
            listing: Listing::default(),
            types: None,
            is_warning: false,
            is_at_line: false,
            extra_notes: Vec::new(),
        }
    }

    fn of_class(&mut self, class: &ClassFile<'_>, found: FoundAt<'_>) {
        self.class = Some(names::class_name(class));
        if let Some(name) = names::source_name(class) {
            self.source_file = Some(Cut(&name).to_string());
            self.java = found.source(&class.name().to_string(), &name);
        }
    }

    /// Adds the facts about a verification error to the rejection.
    fn judged(
        &mut self,
        class: &ClassFile<'_>,
        policy: Policy,
        natives: &[NativeDecl<'_>],
        error: VerifyError,
    ) {
        if let Some((expected, found)) = compared(class, natives, error) {
            self.expected = Some(expected);
            self.found = Some(found);
        }
        let hint = hint(class, error).map(str::to_owned);
        if let Some(hint) = hint.or_else(|| meant(class, (policy, natives), error)) {
            self.help = Some(hint);
        }
        let lookalike = match error.kind {
            VerifyErrorKind::MissingMember { member } => lookalike(class, policy, member),
            _ => None,
        };
        // A missing member has no location of its own, but its misspelt lookalike has one.
        let at = match lookalike {
            Some(Lookalike::Field(field)) => Location::Field(field),
            Some(Lookalike::Method(method)) => Location::Method(method),
            None => error.at,
        };
        match at {
            Location::Class => {
                let class_name = class.name().to_string();
                let simple = class_name.rsplit(['/', '$']).next().unwrap_or("");
                self.declared(&[
                    &["class", simple],
                    &["interface", simple],
                    &["enum", simple],
                ]);
            }
            Location::Field(id) => {
                if let Some(field) = class.field(id) {
                    let name = field.name.to_string();
                    let kind = comparison::java_type_word(field.descriptor.as_bytes());
                    self.declared(&[&[kind.as_str(), name.as_str()]]);
                    self.field = Some(Cut(name).to_string());
                    self.descriptor = Some(Cut(field.descriptor).to_string());
                }
            }
            Location::Method(id) => self.in_method(class, id),
            Location::Code { method, pc } => {
                self.in_code(class, (policy, natives), (method, pc), error);
            }
        }
        self.quote_line();
    }

    /// Quotes the source line with the error, if the source was found.
    fn quote_line(&mut self) {
        let source = self.java.as_ref().zip(self.line);
        self.source_line = source.and_then(|(java, line)| Some(java.line(line)?.to_owned()));
    }

    /// Sets the line of the error to the source line of a declaration, which is searched in each wording. If no wording
    /// matches exactly one line, the line of the error stays unchanged.
    fn declared(&mut self, wordings: &[&[&str]]) {
        let java = self.java.as_ref();
        let mut lines = wordings.iter().filter_map(|words| java?.declaration(words));
        self.line = lines.next().or(self.line);
    }

    fn in_method(&mut self, class: &ClassFile<'_>, id: MethodId) {
        if let Some(method) = class.method(id) {
            // If the declaration is not found in the source, the error is at the first line of the method's code.
            self.line = method.code().and_then(|code| code.line(Pc(0)));
            let words = comparison::declaration_words(class, &method);
            let words = words.iter().map(String::as_str).collect::<Vec<_>>();
            self.declared(&[&words]);
            self.name(&method);
        }
    }

    /// Sets the name and descriptor of the method with the error.
    fn name(&mut self, method: &Method<'_>) {
        self.method = Some(Cut(method.name).to_string());
        self.descriptor = Some(Cut(method.descriptor).to_string());
    }

    fn in_code(
        &mut self,
        class: &ClassFile<'_>,
        rules: (Policy, &[NativeDecl<'_>]),
        (id, pc): (MethodId, Pc),
        error: VerifyError,
    ) {
        self.pc = Some(pc.0);
        let Some(method) = class.method(id) else {
            return;
        };
        self.name(&method);
        let Some(code) = method.code() else {
            return;
        };
        self.line = code.line(pc);
        self.instruction = Some(instruction(class, &code, pc));
        let explored = provenance::explore(class, rules, (id, &code), pc, error.kind);
        if let Some((types, sources)) = explored {
            self.see(types);
            self.sources = sources;
        }
        let label = self.label(error.kind);
        let others = self.sources.iter().filter_map(Source::label);
        let others = others.collect::<Vec<_>>();
        self.listing = Listing::of_code(class, &code, pc, &label, &others);
        self.instructions = self.listing.instructions.clone();
    }

    /// Returns the label that the listing shows at the failing instruction.
    fn label(&self, kind: VerifyErrorKind) -> String {
        // A label is not needed for a forbidden member, because the text of the instruction names the member.
        let names_member = matches!(
            kind,
            VerifyErrorKind::ForeignMethod { .. } | VerifyErrorKind::ForeignField { .. }
        );
        match (&self.expected, &self.found) {
            (Some(expected), Some(found)) if !names_member => {
                format!("expects {expected}, found {found}")
            }
            (Some(_), Some(_) | None) | (None, _) => String::new(),
        }
    }

    fn see(&mut self, types: Types) {
        let words = |types: &[_]| types.iter().map(|kind| type_word(*kind)).collect();
        self.locals = Some(words(&types.locals));
        self.stack = Some(words(&types.stack));
        self.types = Some(types);
    }

    /// Returns the location of the error in words.
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

    /// Returns the file that the class was read from.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the path of the Java source, if the source was found.
    #[must_use]
    pub fn source_path(&self) -> Option<&Path> {
        self.java.as_ref().map(|java| java.file.as_path())
    }

    /// Returns whether this is a warning about an accepted class.
    #[must_use]
    pub const fn is_warning(&self) -> bool {
        self.is_warning
    }

    /// Renders the diagnosis.
    pub fn render(&self) -> String {
        let place = format!("{}{}", printable_path(&self.file), self.location());
        let level = if self.is_warning {
            Level::WARNING
        } else {
            Level::ERROR
        };
        let title = level.clone().primary_title(self.message.as_str());
        let title = title.id(self.code);
        let mut group = Group::with_level(level);
        if let Some(snippet) = self.listing.snippet() {
            group = group.element(snippet);
        }
        if let Some(snippet) = self.java_snippet() {
            group = group.element(snippet);
        }
        for note in self.notes() {
            group = group.element(Level::NOTE.message(note));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        // A listing of instructions has no line numbers, so the location is added in words, where `annotate-snippets`
        // would place it.
        let digits = match &self.source_line {
            Some(_) => self.line.map_or(0, |line| line.to_string().len()),
            None => 0,
        };
        let title = diagnosis::render(&[Group::with_title(title)]);
        let body = diagnosis::render(&[group]);
        format!("{title}\n{:digits$}{ARROW}-->{ARROW:#} {place}\n{body}", "")
    }

    /// Returns, as notes, the facts about the error that do not appear in a listing.
    fn notes(&self) -> Vec<String> {
        let mut notes = self.extra_notes.clone();
        if let Some(java) = self.java.as_ref().filter(|java| java.is_newer) {
            let (source, class) = (&java.path, printable_path(&self.file));
            notes.push(format!("{source} is newer than {class}: compile it again"));
        }
        if self.pc.is_some() && self.line.is_none() {
            notes.push("the class has no line numbers: compile it with `javac -g`".to_owned());
        }
        let is_listed = self.pc.is_some();
        if let (false, Some(expected), Some(found)) = (is_listed, &self.expected, &self.found) {
            notes.push(format!("expected {expected}, found {found}"));
        }
        notes.extend(self.sources.iter().filter_map(Source::note));
        notes.extend(self.types.as_ref().map(|types| format!("here {types}")));
        if !self.also_lines.is_empty() {
            let lines = self.also_lines.iter().map(u16::to_string);
            let lines = lines.collect::<Vec<_>>().join(", ");
            notes.push(match self.also_lines.len() {
                1 => format!("the same in line {lines}"),
                _ => format!("the same in lines {lines}"),
            });
        }
        notes
    }

    /// Returns the Java source line of the error with a mark.
    fn java_snippet(&self) -> Option<Snippet<'_, Annotation<'_>>> {
        let (java, text) = (self.java.as_ref()?, self.source_line.as_deref()?);
        let kind = match self.is_at_line {
            true => AnnotationKind::Primary,
            false => AnnotationKind::Context,
        };
        let indent = text.len() - text.trim_start().len();
        let span = indent..text.trim_end().len().max(indent);
        Some(
            Snippet::source(text)
                .path(java.path.as_str())
                .line_start(usize::from(self.line?))
                .annotation(kind.span(span)),
        )
    }
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;
    use nic_core::sle::{NicEntry, NicNative};

    use super::*;
    use crate::load::load_class;

    /// Loads a class. Returns the diagnosis of a class file without colours, if the class is rejected.
    fn shown(bytes: &[u8]) -> Option<String> {
        let arena = Bump::new();
        let error = load_class(
            &arena,
            bytes,
            Policy::Applet {
                entries: NicEntry::TABLE,
            },
            NicNative::TABLE,
        )
        .err()?;
        let rendered = Rejection::explore(
            Path::new("A.class"),
            bytes,
            Policy::Applet {
                entries: NicEntry::TABLE,
            },
            NicNative::TABLE,
            error,
        )
        .render();
        Some(anstream::adapter::strip_str(&rendered).to_string())
    }

    #[test]
    fn the_diagnosis_can_be_rendered_for_any_changed_byte() {
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
        // Changes of most bytes are rejected, because most bytes of a class file are significant.
        assert!(rejected > class.len());
    }

    #[test]
    fn the_offending_bytes_of_a_malformed_file_are_marked() {
        let magic = shown(b"public class A { }").expect("it is no class file");
        assert!(magic.contains("0: 70 75 62 6c 69 63 20"), "{magic}");
        assert!(magic.contains("|         ^^\n"), "{magic}");
        let empty = shown(b"").expect("it is no class file");
        assert!(empty.contains("error[malformed/truncated]"), "{empty}");
    }
}
