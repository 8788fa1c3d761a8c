//! Diagnoses of errors in a text: message, location, excerpt, notes and help.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// A marked range of a text.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Byte range of the mark in the text.
    pub span: Range<usize>,
    /// Label at the range. May be empty.
    pub label: String,
}

/// An error in a text, ready for display.
#[derive(Clone, Debug)]
pub struct Diagnosis<'t> {
    /// The error message, which is a sentence.
    pub title: String,
    /// Name of the text, such as the path of a file, as the user wrote it.
    pub path: &'t str,
    /// The whole text.
    pub text: &'t str,
    /// The range of the text that is wrong.
    pub mark: Mark,
    /// Related ranges.
    pub context: Vec<Mark>,
    /// Facts that help to understand the error.
    pub notes: Vec<String>,
    /// Suggestions on how to fix the error.
    pub help: Vec<String>,
}

impl Diagnosis<'_> {
    /// Renders the diagnosis with colours.
    pub fn render(&self) -> String {
        let title = Level::ERROR.primary_title(self.title.as_str());
        let mut group = title.element(self.snippet());
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        for help in &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        render(&[group])
    }

    /// Returns the lines from the first mark to the last, so the cost of rendering does not depend on the length of the
    /// text.
    fn snippet(&self) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        let spans = || {
            std::iter::once(&self.mark)
                .chain(&self.context)
                .map(|mark| &mark.span)
        };
        let first = spans().map(|span| span.start).min().unwrap_or(0);
        let last = spans().map(|span| span.end).max().unwrap_or(0);
        let start = self.text[..first]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let end = self.text[last..]
            .find('\n')
            .map_or(self.text.len(), |newline| last + newline);
        let lines_before = self.text[..start]
            .bytes()
            .filter(|byte| *byte == b'\n')
            .count();
        let annotation = |kind: AnnotationKind, mark: &'_ Mark| {
            kind.span(mark.span.start - start..mark.span.end - start)
                .label((!mark.label.is_empty()).then(|| mark.label.clone()))
        };
        Snippet::source(without_c1(&self.text[start..end]))
            .path(self.path)
            .line_start(lines_before + 1)
            .annotation(annotation(AnnotationKind::Primary, &self.mark))
            .annotations(
                self.context
                    .iter()
                    .map(|mark| annotation(AnnotationKind::Context, mark)),
            )
    }
}

/// Replaces the control characters U+0080 to U+009F, which some terminals interpret like escape sequences.
///
/// `annotate-snippets` already replaces control characters below U+0020 and bidirectional controls. Each replacement
/// has as many bytes as the character that it replaces, so the spans of the marks stay valid.
fn without_c1(text: &str) -> Cow<'_, str> {
    const SHOWN: char = '\u{a4}';
    const _: () = assert!(SHOWN.len_utf8() == '\u{80}'.len_utf8());
    let is_c1 = |c: char| matches!(c, '\u{80}'..='\u{9f}');
    if text.contains(is_c1) {
        let shown = text.chars().map(|c| if is_c1(c) { SHOWN } else { c });
        Cow::Owned(shown.collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Renders a warning without a location.
pub fn warning(title: &str) -> String {
    render(&[Group::with_title(Level::WARNING.primary_title(title))])
}

/// Renders an error without a location.
pub fn sentence(title: &str, notes: &[String]) -> String {
    let mut group = Group::with_title(Level::ERROR.primary_title(title));
    for note in notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    render(&[group])
}

/// Renders a report with colours. The output stream removes the report's colours where they are unwanted.
pub fn render(report: &[Group<'_>]) -> String {
    Renderer::styled().render(report)
}
