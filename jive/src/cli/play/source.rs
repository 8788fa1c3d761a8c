//! The name of the class in a Java source: javac asks that the file of a public class has its name.

/// The longest name that is taken for a file.
const NAME_BYTES_MAX: usize = 100;

/// Returns the name of the public class that a source declares, or else of its first class; `None` if it declares no
/// class, or one whose name does not suit a file.
///
/// Comments and literals are skipped; nothing else of Java is known here. If the name is wrong, javac says so.
pub(super) fn class_name(source: &str) -> Option<&str> {
    let mut first = None;
    let mut is_public = false;
    let mut is_named = false;
    let mut depth = 0_usize;
    let mut rest = source;
    while let Some(character) = rest.chars().next() {
        let length = match character {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => {
                let end = rest[2..].find("*/");
                end.map_or(rest.len(), |end| end + 4)
            }
            '"' | '\'' => literal(rest, character),
            _ if is_of_name(character) => {
                let length = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
                let word = &rest[..length];
                if depth == 0 && is_named && is_file_name(word) {
                    if is_public {
                        return Some(word);
                    }
                    first = first.or(Some(word));
                }
                is_named = word == "class";
                is_public |= word == "public";
                length
            }
            _ => {
                match character {
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                // A declaration ends here, and its modifiers with it.
                is_public &= !matches!(character, '{' | '}' | ';');
                // `Name.class` is no declaration.
                is_named &= character.is_whitespace();
                character.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    first
}

/// Returns the length of the literal at the start of a text. It ends at the end of the line if it is not closed.
fn literal(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return at,
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

fn is_file_name(word: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_$".contains(&byte);
    word.len() <= NAME_BYTES_MAX && word.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_class_or_the_first_one_is_found() {
        for (source, name) in [
            ("class A {}", Some("A")),
            ("class A {} public final class B {}", Some("B")),
            ("class A { public class B {} } class C {}", Some("A")),
            ("public interface I {} class A {}", Some("A")),
            ("/* class B */ // class C\nclass A{}", Some("A")),
            ("@S(\"\\\"class B\") class A { char c = '}'; }", Some("A")),
            ("@S('{') class/**/A$_1<T> {}", Some("A$_1")),
            ("enum E { X }", None),
            ("class", None),
            ("@S(B.class) class A {}", Some("A")),
            ("class ../x {}", None),
            ("class Größe {}", None),
            ("\"class A {}", None),
            ("/* class A", None),
            ("", None),
        ] {
            assert_eq!(class_name(source), name, "{source}");
        }
    }
}
