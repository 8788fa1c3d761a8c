//! How a fault in a text is shown: the sentence, the place, the line, and what may help.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// A place in a text, and what is there.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The bytes of the text.
    pub span: Range<usize>,
    /// What is there; may be empty.
    pub label: String,
}

/// A fault, ready to be shown.
#[derive(Clone, Debug)]
pub struct Diagnosis<'t> {
    /// What is wrong, in a sentence.
    pub title: String,
    /// Name of the text, as the user gave it.
    pub path: &'t str,
    /// The text.
    pub text: &'t str,
    /// The offending place.
    pub mark: Mark,
    /// Other places that have to do with it.
    pub context: Vec<Mark>,
    /// Facts that help to understand.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
}

impl Diagnosis<'_> {
    /// Renders it with colours.
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

    /// Cuts out the lines from the first mark to the last. So the cost depends on what is shown, not on the length of
    /// the text.
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

/// Replaces the control characters U+0080 to U+009F, some of which terminals obey as they do an escape.
///
/// `annotate-snippets` replaces those below U+0020 and those that change the direction of text, not these. What
/// replaces one takes as many bytes, so that the marks' spans stay right.
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

/// Renders a fault that has no place in a text.
pub fn sentence(title: &str, notes: &[String]) -> String {
    let mut group = Group::with_title(Level::ERROR.primary_title(title));
    for note in notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    render(&[group])
}

/// Renders a report with colours; the stream that prints it takes them out where nobody wants them.
pub fn render(report: &[Group<'_>]) -> String {
    Renderer::styled().render(report)
}
