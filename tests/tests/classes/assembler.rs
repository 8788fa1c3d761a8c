//! The disassembly of a class file assembles to the same code.

use std::fs;
use std::path::Path;

use jive_core::ClassFile;
use jive_lab::Random;
use jive_lab::asm::{assemble, disassemble};
use tests::fixture::{Fixture, Outcome};
use tests::fuzzing;
use tests::machine::parsed;

/// Disassembles a class file, if it is valid.
fn written_down(bytes: &[u8]) -> Option<String> {
    parsed(bytes, disassemble).ok()
}

fn code(bytes: &[u8]) -> Vec<Vec<u8>> {
    let all = |class: ClassFile<'_>| {
        class
            .methods()
            .filter_map(|method| Some(method.code()?.bytes.to_vec()))
            .collect()
    };
    parsed(bytes, all).expect("it was assembled from a class file")
}

fn constants(bytes: &[u8]) -> u16 {
    parsed(bytes, |class| class.pool().count()).expect("it was assembled from a class file")
}

#[test]
fn assembling_a_disassembly_gives_the_same_disassembly() {
    let mut compared = 0;
    for (name, bytes) in fuzzing::seeds() {
        let Some(text) = written_down(&bytes) else {
            continue;
        };
        // Skip classes with dynamic constants, whose attribute has no directive. Skip invalid indices, which may become
        // valid in the new constant pool.
        if text.contains("dynamic 0") || text.contains(" #") {
            continue;
        }
        let again = assemble(&name, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(written_down(&again.bytes).as_ref(), Some(&text), "{name}");
        compared += 1;
    }
    assert!(compared > 200, "{compared} class files");
}

#[test]
fn accepted_fixtures_come_back_with_the_same_code() {
    let mut compared = 0;
    for fixture in Fixture::all() {
        if matches!(fixture.expected, Outcome::Rejected { .. }) {
            continue;
        }
        let text = written_down(&fixture.bytes).expect("it is accepted");
        let again = assemble(&fixture.name, &text).expect("it assembles");
        // The disassembly loses constants that no member uses, so the indices of all other constants may change.
        if constants(&again.bytes) == constants(&fixture.bytes) {
            assert_eq!(code(&again.bytes), code(&fixture.bytes), "{}", fixture.name);
            compared += 1;
        }
    }
    assert!(compared > 70, "{compared} class files");
}

#[test]
fn names_with_any_character_come_back() {
    // Each name has a character with a meaning in the assembly, or is a word of the assembly; JVMS §4.2.2 allows all of
    // these names.
    let names = [
        "a b", "a:I", "a(b", "#5", "@7", "static", "none", "0x12", "é", "\u{3000}", "a\"b",
        "\\x41", "a\tb", "=", "{n}",
    ];
    let hex =
        |name: &str| -> String { name.bytes().map(|byte| format!("\\x{byte:02x}")).collect() };
    let mut source = ".omit all\n".to_owned();
    for name in names {
        source.push_str(&format!(".field static {} I\n", hex(name)));
    }
    for name in names {
        let (name, of) = (hex(name), format!("{}.{}", hex("a b/none"), hex(name)));
        source.push_str(&format!(
            ".method static {name}()V stack 1 locals 0\n getstatic {of}:I\n invokestatic {of}()V\n return\n"
        ));
    }
    let class = assemble("names", &source).expect("hexadecimal names are words");
    let members = |bytes: &[u8]| {
        let named = |class: ClassFile<'_>| -> Vec<Vec<u8>> {
            let fields = class.fields().map(|field| field.name.as_bytes().to_vec());
            let methods = class
                .methods()
                .map(|method| method.name.as_bytes().to_vec());
            fields.chain(methods).collect()
        };
        parsed(bytes, named).expect("it is a class file")
    };
    let expected: Vec<_> = names
        .iter()
        .chain(&names)
        .map(|name| name.as_bytes().to_vec())
        .collect();
    assert_eq!(members(&class.bytes), expected);
    let text = written_down(&class.bytes).expect("it is a class file");
    let again = assemble("again", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(members(&again.bytes), expected);
    assert_eq!(written_down(&again.bytes), Some(text));
}

#[test]
fn changed_sources_are_assembled_or_refused() {
    // Words and characters that have a meaning at some places of the assembly, which the test inserts at any place.
    const PARTS: [&str; 16] = [
        "-1",
        "99999999999999999999",
        "*",
        "#",
        "@",
        ":",
        "(",
        "\"",
        ".",
        "wide ",
        "\\x",
        "é",
        "default:",
        "methodhandle 6 ",
        "= ",
        "0x",
    ];
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut sources = Vec::new();
    let mut open = vec![directory];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("a committed directory") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "jasm")
            {
                sources.push(fs::read_to_string(path).expect("sources are text"));
            }
        }
    }
    sources.retain(|source| source.len() < 2_000);
    sources.sort();
    assert!(sources.len() > 200, "{} sources", sources.len());
    let (mut assembled, mut refused) = (0, 0);
    let mut random = Random::new(b"sources");
    for source in &sources {
        for _ in 0..20 {
            let mut changed: Vec<char> = source.chars().collect();
            for _ in 0..=random.below(3) {
                let at = random.below(changed.len());
                let part = PARTS[random.below(PARTS.len())].chars();
                let end = (at + random.below(4)).min(changed.len());
                changed.splice(at..end, part);
            }
            let changed: String = changed.into_iter().collect();
            match assemble("changed", &changed) {
                Ok(class) => {
                    assembled += 1;
                    let _text = written_down(&class.bytes);
                }
                Err(error) => {
                    refused += 1;
                    let lines = u32::try_from(changed.lines().count()).expect("short sources");
                    assert!(
                        (1..=lines.max(1)).contains(&error.line),
                        "{error}\n{changed}"
                    );
                }
            }
        }
    }
    assert!(assembled > 500 && refused > 500, "{assembled} {refused}");
}

#[test]
fn every_opcode_comes_back() {
    // Write one method for each opcode, with operands that fit the opcode's layout.
    let mut source = ".version 52\n.omit all\n".to_owned();
    for (n, opcode) in jive_core::Opcode::ALL.iter().enumerate() {
        use jive_core::OperandLayout as Layout;
        let operand = match opcode.layout() {
            Layout::None | Layout::ImplicitInt(_) | Layout::ImplicitLocal(_) => "",
            Layout::Byte | Layout::Short => "-3",
            Layout::ConstantByte => "7",
            Layout::Constant => "class Other",
            Layout::Local => "9",
            Layout::LocalIncrement => "9 -3",
            Layout::Branch | Layout::BranchWide => "here",
            Layout::TableSwitch => "-1: here here default: here",
            Layout::LookupSwitch => "-5: here 5: here default: here",
            Layout::InvokeInterface => "interface Other.m()V 1",
            Layout::InvokeDynamic => "class Other",
            Layout::ArrayType => "short",
            Layout::MultiArray => "[[I 2",
            Layout::Wide => "iinc 300 -300",
        };
        let mnemonic = opcode.mnemonic();
        source.push_str(&format!(
            ".method static m{n}()V stack 0 locals 0\nhere: {mnemonic} {operand}\nreturn\n"
        ));
    }
    let class = assemble("opcodes", &source).expect("every opcode assembles");
    let text = written_down(&class.bytes).expect("it is a class file");
    let again = assemble("again", &text).expect("what was written down assembles");
    assert_eq!(code(&again.bytes), code(&class.bytes));
    for opcode in jive_core::Opcode::ALL {
        assert!(text.contains(opcode.mnemonic()), "{opcode}");
    }
}
