//! The types that a Java source declares: javac asks that the file of a public type has its name.

/// The longest name that is taken for a file, in bytes.
const NAME_BYTES_MAX: usize = 200;

/// The name of a file without any declaration.
const DEFAULT: &str = "Applet";

/// What a source declares outside of all braces.
///
/// Comments and literals are skipped; nothing else of Java is known here. If a name is wrong, javac says so.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Declared<'s> {
    /// The public type.
    public: Option<&'s str>,
    /// The public class, or else the first class.
    pub(super) class: Option<&'s str>,
}

/// What the words before a name say of it.
#[derive(Clone, Copy, Default)]
struct Before<'s> {
    /// The word that declares a type, such as `class`.
    kind: Option<&'s str>,
    is_public: bool,
}

impl<'s> Declared<'s> {
    /// Reads a source.
    pub(super) fn of(source: &'s str) -> Declared<'s> {
        let mut declared = Declared::default();
        let mut before = Before::default();
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
                    if depth == 0 && before.kind.is_some() {
                        declared.add(word, before);
                    }
                    before.kind = Some(word).filter(|word| is_kind(word));
                    before.is_public |= word == "public";
                    length
                }
                _ => {
                    match character {
                        '{' => depth += 1,
                        '}' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    // A declaration ends here, and its modifiers with it.
                    before.is_public &= !matches!(character, '{' | '}' | ';');
                    // `Name.class` is no declaration.
                    before.kind = before.kind.filter(|_| character.is_whitespace());
                    character.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        declared
    }

    /// Returns the name of the file without its ending.
    pub(super) fn file_name(&self) -> &'s str {
        self.public.or(self.class).unwrap_or(DEFAULT)
    }

    /// Adds a type.
    fn add(&mut self, name: &'s str, Before { kind, is_public }: Before<'_>) {
        if name.len() > NAME_BYTES_MAX {
            return;
        }
        let is_first_public = is_public && self.public.is_none();
        if is_first_public {
            self.public = Some(name);
        }
        if kind == Some("class") && (self.class.is_none() || is_first_public) {
            self.class = Some(name);
        }
    }
}

fn is_kind(word: &str) -> bool {
    matches!(word, "class" | "interface" | "enum")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_the_name_of_the_public_type_and_the_class_is_found() {
        let long = format!("public class {} {{}}", "x".repeat(NAME_BYTES_MAX + 1));
        for (source, file, class) in [
            ("class A {}", "A", Some("A")),
            ("class A {} public final class B {}", "B", Some("B")),
            ("class A { public class B {} } class C {}", "A", Some("A")),
            ("public interface I {} class A {}", "I", Some("A")),
            ("class A {} public enum E { X }", "E", Some("A")),
            ("public @interface I {}", "I", None),
            ("enum E { X } class A {}", "A", Some("A")),
            ("/* class B */ // class C\nclass A{}", "A", Some("A")),
            (
                "@S(\"\\\"class B\") class A { char c = '}'; }",
                "A",
                Some("A"),
            ),
            ("@S('{') class/**/A$_1<T> {}", "A$_1", Some("A$_1")),
            ("public class Größe {}", "Größe", Some("Größe")),
            ("public class 类 {}", "类", Some("类")),
            ("enum E { X }", DEFAULT, None),
            ("class", DEFAULT, None),
            ("@S(B.class) class A {}", "A", Some("A")),
            ("class ../x {}", DEFAULT, None),
            (&long, DEFAULT, None),
            ("\"class A {}", DEFAULT, None),
            ("/* class A", DEFAULT, None),
            ("", DEFAULT, None),
        ] {
            let declared = Declared::of(source);
            assert_eq!(
                (declared.file_name(), declared.class),
                (file, class),
                "{source}"
            );
        }
    }
}
