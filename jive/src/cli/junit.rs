//! The results of `jive test` as JUnit XML, which most CI services read.

use std::fmt::{self, Write as _};

use anstream::adapter::strip_str;
use jive_core::is_plain;

/// The results of all scenarios.
#[derive(Debug, Default)]
pub(super) struct Suite {
    cases: Vec<Case>,
}

#[derive(Debug)]
struct Case {
    /// The directory of the scenario.
    class: String,
    /// The file name of the scenario.
    name: String,
    result: CaseResult,
}

/// The result of one scenario.
#[derive(Debug)]
pub(super) enum CaseResult {
    /// The scenario ran as expected.
    Passed,
    /// The scenario ran, but differs from what was expected, as the text describes.
    Failure(String),
    /// The scenario was not judged; the text says why.
    Skipped(String),
    /// The scenario could not be run; the text says why.
    Error(String),
}

impl Suite {
    /// Adds the result of the scenario at `path`.
    pub(super) fn add(&mut self, path: &str, result: CaseResult) {
        let (class, name) = path.rsplit_once('/').unwrap_or((".", path));
        self.cases.push(Case {
            class: class.to_owned(),
            name: name.to_owned(),
            result,
        });
    }
}

impl fmt::Display for Suite {
    /// Writes the XML document.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tests = self.cases.len();
        let count = |is: fn(&CaseResult) -> bool| {
            let cases = self.cases.iter();
            cases.filter(|case| is(&case.result)).count()
        };
        let failures = count(|result| matches!(result, CaseResult::Failure(_)));
        let errors = count(|result| matches!(result, CaseResult::Error(_)));
        let skipped = match count(|result| matches!(result, CaseResult::Skipped(_))) {
            0 => String::new(),
            skipped => format!(" skipped=\"{skipped}\""),
        };
        let counts =
            format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"{skipped}");
        writeln!(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(f, "<testsuites {counts}>")?;
        writeln!(f, "  <testsuite name=\"jive test\" {counts}>")?;
        for Case {
            class,
            name,
            result,
        } in &self.cases
        {
            let (class, name) = (Escaped(class), Escaped(name));
            write!(f, "    <testcase classname=\"{class}\" name=\"{name}\"")?;
            let (element, text) = match result {
                CaseResult::Passed => {
                    writeln!(f, "/>")?;
                    continue;
                }
                CaseResult::Failure(text) => ("failure", text),
                CaseResult::Error(text) => ("error", text),
                CaseResult::Skipped(text) => ("skipped", text),
            };
            let text = strip_str(text).to_string();
            let message = Escaped(text.lines().next().unwrap_or_default());
            let text = Escaped(&text);
            writeln!(f, ">")?;
            writeln!(
                f,
                "      <{element} message=\"{message}\">{text}</{element}>"
            )?;
            writeln!(f, "    </testcase>")?;
        }
        writeln!(f, "  </testsuite>")?;
        writeln!(f, "</testsuites>")
    }
}

/// Escapes text for use as content or as the value of an attribute (XML 1.0 §2.4, §3.3.3).
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                // The text `]]>` is not allowed in content.
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\n' | '\t' => f.write_char(c)?,
                // XML documents cannot contain most control characters, U+FFFE or U+FFFF, not even escaped (§2.2).
                '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                _ if is_plain(c) => f.write_char(c)?,
                _ => write!(f, "&#x{:x};", u32::from(c))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_no_document_may_have_are_replaced() {
        let text = "a\u{0}\u{1b}\u{ffff}\r\n\tz\u{85}";
        let escaped = Escaped(text).to_string();
        let replaced = "a\u{fffd}\u{fffd}\u{fffd}\u{fffd}\n\tz";
        assert_eq!(escaped, [replaced, "&#x85;"].concat());
        let document = format!("<a>{escaped}</a>");
        let document = roxmltree::Document::parse(&document).expect("XML");
        let read = [replaced, "\u{85}"].concat();
        assert_eq!(document.root_element().text(), Some(&*read));
    }

    #[test]
    fn a_parser_reads_back_what_was_found() {
        let text = "first <line> & \"quotes\" ]]>\n\u{1b}[31msecond\u{1b}[0m é";
        let mut suite = Suite::default();
        suite.add("a/b/\"x\" & <y>.toml", CaseResult::Failure(text.to_owned()));
        suite.add("z.toml", CaseResult::Error("error: no".to_owned()));
        suite.add("./c.toml", CaseResult::Passed);
        let document = suite.to_string();
        let document = roxmltree::Document::parse(&document).expect("XML");
        let suites = document.root_element();
        assert_eq!(suites.tag_name().name(), "testsuites");
        let suite = suites.first_element_child().expect("a suite");
        for (attribute, value) in [("tests", "3"), ("failures", "1"), ("errors", "1")] {
            assert_eq!(suite.attribute(attribute), Some(value));
        }
        let cases = suite.children().filter(roxmltree::Node::is_element);
        let cases = cases.collect::<Vec<_>>();
        let names = cases.iter().map(|case| case.attribute("name"));
        assert_eq!(
            names.collect::<Vec<_>>(),
            [Some("\"x\" & <y>.toml"), Some("z.toml"), Some("c.toml")]
        );
        let failure = cases[0].first_element_child().expect("a failure");
        assert_eq!(failure.tag_name().name(), "failure");
        assert_eq!(
            failure.attribute("message"),
            Some("first <line> & \"quotes\" ]]>")
        );
        let content = "first <line> & \"quotes\" ]]>\nsecond é";
        assert_eq!(failure.text(), Some(content));
        let error = cases[1].first_element_child().expect("an error");
        assert_eq!(error.tag_name().name(), "error");
        assert!(cases[2].first_element_child().is_none());
    }
}
