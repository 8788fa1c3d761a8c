//! The messages of javac, as it prints them.

use serde::Serialize;

/// What kind a message is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    Error,
    Warning,
}

/// A message about a line of the source.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Message {
    kind: Kind,
    /// Counted from 1.
    line: u32,
    /// Counted from 1, in characters; missing where javac does not point at one.
    column: Option<usize>,
    text: String,
}

/// Returns the messages about a source file in the output of javac. What else is in the output is left out.
///
/// ```text
/// Foo.java:2: error: cannot find symbol
///   int a() { return x; }
///                    ^
///   symbol:   variable x
/// ```
pub(super) fn parse(output: &str, file: &str) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    let mut is_of_last = false;
    for line in output.lines() {
        if let Some(message) = first_line(line, file) {
            messages.push(message);
            is_of_last = true;
        } else if is_other(line) {
            is_of_last = false;
        } else if let Some(last) = messages.last_mut().filter(|_| is_of_last) {
            match line.trim_end().strip_suffix('^') {
                Some(before) if before.trim().is_empty() && last.column.is_none() => {
                    last.column = Some(before.chars().count() + 1);
                    // The line before quotes the source.
                    if let Some((text, _quoted)) = last.text.rsplit_once('\n') {
                        last.text.truncate(text.len());
                    }
                }
                _ => {
                    last.text.push('\n');
                    last.text.push_str(line.trim_end());
                }
            }
        }
    }
    messages
}

fn first_line(line: &str, file: &str) -> Option<Message> {
    let rest = line.strip_prefix(file)?.strip_prefix(':')?;
    let (number, rest) = rest.split_once(": ")?;
    let (kind, text) = match rest.split_once(": ")? {
        ("error", text) => (Kind::Error, text),
        ("warning", text) => (Kind::Warning, text),
        _ => return None,
    };
    Some(Message {
        kind,
        line: number.parse().ok()?,
        column: None,
        text: text.to_owned(),
    })
}

/// Returns whether a line belongs to no message about a line: the count at the end, a note, a message of its own.
fn is_other(line: &str) -> bool {
    let is_count = line.split_once(' ').is_some_and(|(count, what)| {
        let things = ["error", "errors", "warning", "warnings"];
        count.parse::<u32>().is_ok() && things.contains(&what)
    });
    let starts = ["Note: ", "error: ", "warning: "];
    is_count || starts.iter().any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_their_lines_columns_and_details() {
        let output = "Note: a processor\n\
            Foo.java:2: error: cannot find symbol\n  int a() { return x; }\n                   ^\n  \
              symbol:   variable x\n  location: class Foo\n\
            Foo.java:3: warning: [cast] redundant cast to int\n\t^^\n        ^\n\
            Foo.java:9: error: reached end of file while parsing\n\
            error: warnings found\nFoo.java:x: error: none\n1 error\n1 warning\n";
        let message = |kind, line, column, text: &str| Message {
            kind,
            line,
            column,
            text: text.to_owned(),
        };
        let expected = [
            message(
                Kind::Error,
                2,
                Some(20),
                "cannot find symbol\n  symbol:   variable x\n  location: class Foo",
            ),
            message(Kind::Warning, 3, Some(9), "[cast] redundant cast to int"),
            message(Kind::Error, 9, None, "reached end of file while parsing"),
        ];
        assert_eq!(parse(output, "Foo.java"), expected);
        assert_eq!(parse(output, "Bar.java"), []);
        assert_eq!(parse("", "Foo.java"), []);
    }
}
