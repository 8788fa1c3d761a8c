//! Names in Rust for what has a name in Java.

use std::collections::HashSet;

/// What no printed name may be: keywords, primitive types, and what printed code itself names.
const TAKEN: &str = "\
    abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if \
    impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type \
    typeof union unsafe unsized use virtual where while yield Self _ \
    bool char str u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 \
    k c N Code Option Some None Result Ok Err Fn FnMut FnOnce Send Sync Sized Copy Clone Debug Drop Default \
    new unit natives natives_mut array bytes bytes_mut set_fuel executed";

/// Names that have been given.
#[derive(Debug)]
pub(crate) struct Names(HashSet<String>);

impl Names {
    pub(crate) fn new() -> Names {
        Names(TAKEN.split_whitespace().map(str::to_owned).collect())
    }

    /// Returns a name that has not been given yet: the wanted one, or the wanted one with a number behind it.
    pub(crate) fn give(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 2;
        while !self.0.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    }
}

/// Returns the name with `_` for each character that an identifier of ASCII cannot have.
fn identifier(name: &str) -> String {
    let mut made: String = name
        .chars()
        .map(|character| match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => character,
            _ => '_',
        })
        // A name may have as many characters as a class file has bytes.
        .take(80)
        .collect();
    if made.is_empty() || made.starts_with(|first: char| first.is_ascii_digit()) {
        made.insert(0, '_');
    }
    made
}

/// Returns the part of a class name behind the package, as the name of a type.
pub(crate) fn type_name(class: &str) -> String {
    let simple = class.rsplit('/').next().unwrap_or(class);
    let mut name = identifier(simple);
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

/// Returns a name in lower case, with `_` between words, as Rust names methods and modules.
pub(crate) fn snake_case(name: &str) -> String {
    let name = identifier(name);
    let mut made = String::new();
    let mut before = '_';
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        let begins_word = character.is_ascii_uppercase()
            && before != '_'
            && (!before.is_ascii_uppercase()
                || characters.peek().is_some_and(char::is_ascii_lowercase));
        if begins_word {
            made.push('_');
        }
        made.push(character.to_ascii_lowercase());
        before = character;
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_names_become_names_of_rust() {
        for (java, rust) in [
            ("doTx", "do_tx"),
            ("accept", "accept"),
            ("RawUnet", "raw_unet"),
            ("CRCTable", "crc_table"),
            ("a$b-c", "a_b_c"),
            ("4th", "_4th"),
            ("größe", "gr__e"),
            ("", "_"),
        ] {
            assert_eq!(snake_case(java), rust);
        }
        assert_eq!(type_name("unet/Filter"), "Filter");
        assert_eq!(type_name("unet/filter$1"), "Filter_1");
        assert_eq!(type_name("größe"), "Gr__e");
    }

    #[test]
    fn no_name_is_given_twice_or_a_keyword() {
        let mut names = Names::new();
        assert_eq!(names.give("do_tx"), "do_tx");
        assert_eq!(names.give("do_tx"), "do_tx_2");
        assert_eq!(names.give("do_tx"), "do_tx_3");
        assert_eq!(names.give("match"), "match_2");
        assert_eq!(names.give("new"), "new_2");
    }
}
