//! Verdicts as one line for each fault and warning, in the forms that other programs search for.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use jive_embed::text::{path_text, printable_path};
use jive_embed::{Rejection, Verdict};

/// The form of a line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `Bad.java:5: error: [subset/long] message`, as javac writes it.
    Javac,
    /// `::error file=Bad.java,line=5,title=subset/long::message`, a workflow command of GitHub Actions.
    Github,
}

/// Writes a line for each fault or warning of a file, and for a file that cannot be read.
pub(super) fn write(
    style: Style,
    file: &Path,
    verdict: &Verdict,
    out: &mut impl Write,
) -> io::Result<()> {
    let (told, omitted) = verdict.told();
    for rejection in told {
        writeln!(out, "{}", line(style, rejection))?;
    }
    if omitted > 0 {
        let message = format!("{omitted} more are not shown");
        writeln!(out, "{}", remark(style, "note", "notice", file, &message))?;
    }
    if let Verdict::Unreadable { message } = verdict {
        let message = format!("cannot read it: {message}");
        writeln!(out, "{}", remark(style, "error", "error", file, &message))?;
    }
    Ok(())
}

/// Returns where a fault is: the Java source with its line or, if the source was not found, the class file.
pub(super) fn place(rejection: &Rejection) -> (&Path, Option<u16>) {
    match rejection.source_path() {
        Some(source) => (source, rejection.line),
        None => (rejection.file(), None),
    }
}

/// Returns the message of a fault in one line. If its source was not found, it names the source and the line.
pub(super) fn message(rejection: &Rejection) -> String {
    let Rejection {
        message,
        source_file,
        line,
        ..
    } = rejection;
    match (rejection.source_path(), source_file, line) {
        (None, Some(source), Some(line)) => format!("{message} ({source}:{line})"),
        _ => message.clone(),
    }
}

/// Returns the lines that follow the message where there is room: what the fault compares, and what to do about it.
pub(super) fn details(rejection: &Rejection) -> Vec<String> {
    let compared = rejection.expected.as_ref().zip(rejection.found.as_ref());
    let compared = compared.map(|(expected, found)| format!("expected {expected}, found {found}"));
    compared.into_iter().chain(rejection.help.clone()).collect()
}

fn line(style: Style, rejection: &Rejection) -> String {
    let (file, line) = place(rejection);
    let message = message(rejection);
    let level = if rejection.is_warning() {
        "warning"
    } else {
        "error"
    };
    let code = rejection.code;
    match style {
        Style::Javac => {
            let file = printable_path(file);
            // A message with line breaks would end the line that a problem matcher reads.
            let message = message.replace(['\n', '\r'], " ");
            match line {
                Some(line) => format!("{file}:{line}: {level}: [{code}] {message}"),
                None => format!("{file}: {level}: [{code}] {message}"),
            }
        }
        Style::Github => {
            let file = property(&path_text(file)).into_owned();
            let line = line.map_or_else(String::new, |line| format!(",line={line}"));
            let mut message = vec![message];
            message.extend(details(rejection));
            let message = message.join("\n");
            let message = data(&message);
            format!(
                "::{level} file={file}{line},title={}::{message}",
                property(code)
            )
        }
    }
}

fn remark(style: Style, javac: &str, github: &str, file: &Path, message: &str) -> String {
    match style {
        Style::Javac => format!("{}: {javac}: {message}", printable_path(file)),
        Style::Github => {
            let file = path_text(file);
            format!("::{github} file={}::{}", property(&file), data(message))
        }
    }
}

/// Escapes the message of a workflow command.
fn data(text: &str) -> Cow<'_, str> {
    escaped(text, &['%', '\r', '\n'])
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> Cow<'_, str> {
    escaped(text, &['%', '\r', '\n', ':', ','])
}

fn escaped<'t>(text: &'t str, special: &[char]) -> Cow<'t, str> {
    if !text.contains(special) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::new();
    for character in text.chars() {
        if special.contains(&character) {
            let _infallible = write!(escaped, "%{:02X}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}
