//! Dictionaries for libFuzzer, generated from the tables that the parsers use.

use core::fmt::Write;
use std::collections::BTreeSet;

use jive_core::Opcode;
use nic_core::sle::NicNative;
use nic_runtime::profile::Profile;
use nic_runtime::scenario::{BUILTIN_PREFIX, Form, LISTS, SECTIONS};

/// Words of class files that are in no table: attributes, and members with a special meaning.
const CLASS_WORDS: &[&str] = &[
    "Code",
    "StackMapTable",
    "ConstantValue",
    "LineNumberTable",
    "SourceFile",
    "Exceptions",
    "Object",
    "java/lang/Object",
    "<init>",
    "<clinit>",
    "()V",
    "RxBuf",
    "doTx",
    "(III)I",
    "doRx",
    "(II)I",
    "[B",
    "[S",
    "[I",
    "[Z",
];

/// Parts of values of scenarios.
const SCENARIO_WORDS: &[&str] = &[
    "= ",
    "ns\"",
    "us\"",
    "ms\"",
    "KiB\"",
    "MB/s\"",
    "0.5",
    "true",
    "false",
    "9223372036854775807",
];

/// Magic numbers of pcap and pcapng, and types of pcapng's blocks and options.
const CAPTURE_BYTES: &[&[u8]] = &[
    &[0xa1, 0xb2, 0xc3, 0xd4],
    &[0xd4, 0xc3, 0xb2, 0xa1],
    &[0xa1, 0xb2, 0x3c, 0x4d],
    &[0x4d, 0x3c, 0xb2, 0xa1],
    &[0xa1, 0xb2, 0xcd, 0x34],
    &[0x34, 0xcd, 0xb2, 0xa1],
    // A link type with a check sequence of four bytes.
    &[1, 0, 0, 0x24],
    &[0x0a, 0x0d, 0x0d, 0x0a],
    &[0x1a, 0x2b, 0x3c, 0x4d],
    &[0x4d, 0x3c, 0x2b, 0x1a],
    &[1, 0, 0, 0],
    &[2, 0, 0, 0],
    &[3, 0, 0, 0],
    &[4, 0, 0, 0],
    &[5, 0, 0, 0],
    &[6, 0, 0, 0],
    &[9, 0, 0, 0],
    &[10, 0, 0, 0],
    &[0xad, 0x0b, 0, 0],
    &[10, 0, 4, 0],
    // The option `if_tsresol` with its length, as powers of ten and of two.
    &[9, 0, 1, 0, 9],
    &[9, 0, 1, 0, 0x9e],
    &[14, 0, 8, 0],
    &[0xff, 0xff, 0xff, 0xff],
];

/// Returns all dictionaries with their file names.
#[must_use]
pub fn dictionaries() -> Vec<(&'static str, String)> {
    let words = |words: &[&str]| {
        let words = words.iter().map(|word| word.as_bytes().to_vec());
        words.collect::<BTreeSet<Vec<u8>>>()
    };
    let mut class = words(CLASS_WORDS);
    let subset = Opcode::ALL
        .iter()
        .filter(|opcode| opcode.exclusion().is_none());
    class.extend(subset.map(|opcode| vec![opcode.byte()]));
    for native in NicNative::TABLE {
        let parts = [native.class, native.name, &native.descriptor().to_string()];
        class.extend(parts.map(|part| part.as_bytes().to_vec()));
    }
    let mut scenario = words(SCENARIO_WORDS);
    let sections = || SECTIONS.iter().chain(LISTS);
    for key in sections().flat_map(|section| section.names) {
        scenario.insert(format!("{key} = ").into_bytes());
        scenario.insert(format!("[[{key}]]\n").into_bytes());
    }
    for row in sections().flat_map(|section| section.keys) {
        let words = words_of((row.form)()).into_iter();
        scenario.extend(words.map(|word| format!("\"{word}\"").into_bytes()));
    }
    let profiles = Profile::builtin_names().map(|name| format!("\"{name}\"").into_bytes());
    scenario.extend(profiles);
    for applet in applets::ALL {
        scenario.insert(format!("\"{BUILTIN_PREFIX}{}\"", applet.name).into_bytes());
    }
    let capture = CAPTURE_BYTES.iter().map(|bytes| bytes.to_vec()).collect();
    vec![
        ("class.dict", rendered(&class)),
        ("scenario.dict", rendered(&scenario)),
        ("capture.dict", rendered(&capture)),
    ]
}

/// Returns the words that a value of this form may be.
fn words_of(form: Form) -> Vec<&'static str> {
    match form {
        Form::Words(words) => words,
        Form::Either(forms) => forms.into_iter().flat_map(words_of).collect(),
        Form::List(of, ..) | Form::Map(of) => words_of(*of),
        Form::Text
        | Form::Name
        | Form::NameOf(_)
        | Form::Anything
        | Form::Integer(..)
        | Form::Size(..)
        | Form::Time
        | Form::Rate
        | Form::Probability
        | Form::Positive
        | Form::Flag
        | Form::Table(..) => Vec::new(),
    }
}

/// Formats tokens for libFuzzer, one on each line.
fn rendered(tokens: &BTreeSet<Vec<u8>>) -> String {
    let mut text =
        "# Written by `BLESS=1 cargo test -p tests --test simulator dictionaries`.\n".to_owned();
    for token in tokens {
        text.push('"');
        for &byte in token {
            match byte {
                b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
                b' '..=b'~' => text.push(char::from(byte)),
                _ => write!(text, "\\x{byte:02x}").expect("a string takes everything"),
            }
        }
        text.push_str("\"\n");
    }
    text
}
