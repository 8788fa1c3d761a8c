//! Renders the mistakes of a scenario file as diagnoses.

use std::path::Path;

use jive_embed::diagnosis::{Diagnosis, Mark};
use jive_embed::plain_text::{NotUtf8, plain_lossy};
use jive_embed::text::printable_path;
use nic_runtime::scenario::{Mistake, MistakeKind, ScenarioError};
use nic_runtime::spec::Span;

/// Renders all mistakes of a scenario file, each as one diagnosis.
#[must_use]
pub fn render(path: &Path, bytes: &[u8], error: &ScenarioError) -> Vec<String> {
    let path = &printable_path(path);
    let text = &*plain_lossy(bytes);
    match error {
        ScenarioError::NotUtf8(NotUtf8 { valid, byte, .. }) => {
            let span = Span {
                start: *valid,
                end: valid + char::REPLACEMENT_CHARACTER.len_utf8(),
            };
            let title = format!("expected a file of UTF-8 text, found byte {byte:#04x}");
            vec![place(path, text, span, title).render()]
        }
        ScenarioError::Syntax(errors) => errors
            .iter()
            .map(|(span, message)| {
                let title = format!("expected TOML: {message}");
                place(path, text, *span, title).render()
            })
            .collect(),
        ScenarioError::Mistakes(mistakes) => mistakes
            .iter()
            .map(|mistake| diagnosis(path, text, mistake).render())
            .collect(),
    }
}

/// Renders a problem at one place of a scenario that is otherwise valid.
#[must_use]
pub fn render_one(path: &Path, bytes: &[u8], span: Span, title: String, help: String) -> String {
    let text = &*plain_lossy(bytes);
    let path = &printable_path(path);
    let mut diagnosis = place(path, text, span, title);
    diagnosis.help.push(help);
    diagnosis.render()
}

/// Renders what is wrong with one place of a scenario, with a note of several lines.
#[must_use]
pub fn render_noted(
    path: &Path,
    bytes: &[u8],
    span: Span,
    title: String,
    note: Option<String>,
) -> String {
    let text = &*plain_lossy(bytes);
    let path = &printable_path(path);
    let mut diagnosis = place(path, text, span, title);
    diagnosis.notes.extend(note);
    diagnosis.render()
}

fn diagnosis<'t>(path: &'t str, text: &'t str, mistake: &Mistake) -> Diagnosis<'t> {
    let kind = &mistake.kind;
    let mut diagnosis = place(path, text, mistake.span, kind.to_string());
    if let Some((span, label)) = kind.related() {
        diagnosis.context.push(Mark {
            span: within(text, span),
            label: label.to_owned(),
        });
    }
    if let Some(word) = kind.suggestion() {
        diagnosis.help.push(format!("did you mean `{word}`?"));
    }
    if let MistakeKind::Profile(error) = kind {
        diagnosis.notes.push(error.to_string());
    }
    diagnosis
}

fn place<'t>(path: &'t str, text: &'t str, span: Span, title: String) -> Diagnosis<'t> {
    let mark = Mark {
        span: within(text, span),
        label: String::new(),
    };
    Diagnosis {
        title,
        path,
        text,
        mark,
        context: Vec::new(),
        notes: Vec::new(),
        help: Vec::new(),
    }
}

/// Returns the part of a span on the span's first line, so that a problem of a table is shown at the table's header.
fn within(text: &str, span: Span) -> std::ops::Range<usize> {
    let start = char_boundary(text, span.start);
    let end = char_boundary(text, span.end).max(start);
    let line = text[start..end]
        .find('\n')
        .map_or(end, |newline| start + newline);
    start..line
}

/// Returns the last character boundary at or before an offset.
fn char_boundary(text: &str, at: usize) -> usize {
    let mut before = (0..=at.min(text.len())).rev();
    before.find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use nic_runtime::scenario::{self, parse};

    use super::*;

    /// Returns the rendered mistakes of a scenario, without colours.
    fn shown(text: &str) -> String {
        let error = parse(text.as_bytes(), None, None).expect_err("the scenario has a mistake");
        let rendered = render(Path::new("s.toml"), text.as_bytes(), &error).join("\n\n");
        anstream::adapter::strip_str(&rendered).to_string()
    }

    /// Returns the text of a scenario with two NICs and two endpoints, followed by `more`.
    fn pair(more: &str) -> String {
        format!(
            "[[nic]]\nname = \"a\"\n[[nic]]\nname = \"b\"\n\
             [[endpoint]]\nnic = \"a\"\nname = \"client\"\n\
             [[endpoint]]\nnic = \"b\"\nname = \"server\"\n{more}"
        )
    }

    #[test]
    fn a_misspelt_key_is_named_with_the_likely_one() {
        insta::assert_snapshot!(shown("[[nic]]\nnmae = \"a\"\n"));
    }

    #[test]
    fn broken_toml_shows_where() {
        insta::assert_snapshot!(shown("[[nic]]\nname = \"a\nsram = 4\n"));
    }

    #[test]
    fn a_name_used_twice_shows_both_places() {
        insta::assert_snapshot!(shown("[[nic]]\nname = \"a\"\n[[nic]]\nname = \"a\"\n"));
    }

    #[test]
    fn an_unknown_endpoint_shows_a_similar_one() {
        insta::assert_snapshot!(shown(&pair("[[channel]]\nclient = 1\nsever = 7\n")));
    }

    #[test]
    fn a_channel_number_used_twice_shows_both_places() {
        insta::assert_snapshot!(shown(&pair("[[channel]]\nclient = [1, 1]\n")));
    }

    #[test]
    fn units_and_ranges_are_named() {
        let wrong = "[[link]]\nbetween = [\"a\", \"b\"]\nlatency = 500\nbandwidth = \"160MB\"\n\
                     loss = 1.5\nreorder = true\n[[send]]\nendpoint = \"client\"\nchannel = -1\n\
                     at = \"10\"\npayload = { zeros = 9, hex = \"0\" }\nrepeat = 3\n";
        insta::assert_snapshot!(shown(&pair(wrong)));
    }

    #[test]
    fn payload_and_buffers_that_never_fit_are_refused() {
        let send = "free_buffers = { count = 15 }\n[[send]]\nendpoint = \"server\"\nchannel = 1\n\
                    payload = { zeros = 5000 }\n[[endpoint]]\nnic = \"b\"\nname = \"c\"\n\
                    buffer_area = \"4KiB\"\n";
        insta::assert_snapshot!(shown(&pair(send)));
    }

    #[test]
    fn missing_keys_and_files_are_named() {
        let wrong = "applet = \"RawUnet.class\"\n[[endpoint]]\nnic = \"a\"\nname = \"x\"\n\
                     applet = \"builtin:RawUnit\"\nhost = \"eccho\"\n[[endpoint]]\nname = \"y\"\n";
        insta::assert_snapshot!(shown(&pair(wrong)));
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let text = "[[nic]]\nname = \"a\"\n\"\\u001b[31m\u{202e}evil\" = 1\n";
        let shown = shown(text);
        assert!(
            !shown.contains('\u{1b}') && !shown.contains('\u{202e}'),
            "{shown}"
        );
    }

    #[test]
    fn c1_control_characters_do_not_reach_the_terminal() {
        // U+009B begins a control sequence, like U+001B and `[` (ECMA-48 §8.3.16), and TOML allows it in a comment.
        for text in [
            "[[nic]]\nname = 1 # \u{9b}31m\n",
            "\u{9b}31m = 1\n",
            "\"\u{9b}31m\u{85}\" = 1\n",
        ] {
            let shown = shown(text);
            let control = shown.chars().find(|c| c.is_control() && *c != '\n');
            assert_eq!(control, None, "{shown:?}");
        }
    }

    #[test]
    fn mistakes_of_any_changed_byte_can_be_shown() {
        let text = scenario::builtin("contract").expect("it is shipped").text;
        let original = text.replace("hello", "größe").into_bytes();
        for position in 0..original.len() {
            for change in [b'"', b'[', b'\n', 0xc3, b'9', b' '] {
                let mut bytes = original.clone();
                bytes[position] = change;
                if let Err(error) = parse(&bytes, None, None) {
                    assert!(!render(Path::new("s.toml"), &bytes, &error).is_empty());
                }
            }
        }
    }

    #[test]
    fn text_that_is_not_utf_8_is_shown_where_it_is() {
        let bytes = b"[[nic]]\nname = \"\xc3\xa9\xff\"\n";
        let error = parse(bytes, None, None).expect_err("it is not UTF-8");
        let shown = render(Path::new("s.toml"), bytes, &error).join("");
        assert_eq!(
            anstream::adapter::strip_str(&shown).to_string(),
            "error: expected a file of UTF-8 text, found byte 0xff\n \
             --> s.toml:2:10\n  |\n2 | name = \"\u{e9}\u{fffd}\"\n  |          ^"
        );
    }
}
