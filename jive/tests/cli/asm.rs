//! `jive asm`: class files from text, and text from class files.

use std::fs;

use crate::{jive_in, words};

/// The class contains two instructions and a name that no Java compiler emits.
const SOURCE: &str = "\
.class public Odd
.omit all
.method static a\\x20b(I)I stack 2 locals 1
    iload_0
    iconst_2
    imul
    ireturn
";

#[test]
fn a_source_becomes_a_class_that_runs_and_comes_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    fs::write(path.join("Odd.jasm"), SOURCE).expect("it can be written");
    let ended = jive_in(path, words("asm Odd.jasm"), b"");
    assert_eq!(
        (ended.status, &*ended.out, &*ended.err),
        (0, "", "wrote Odd.class\n")
    );
    let ended = jive_in(path, ["exec", "Odd.class", "a b", "21"], b"");
    assert_eq!(
        (ended.status, ended.out.trim()),
        (0, "return: 42"),
        "{}",
        ended.err
    );
    // Convert text to a class and back to text, through standard input and output.
    let text = jive_in(path, words("asm --print Odd.class"), b"");
    assert!(
        text.out
            .contains(".method static a\\x20b(I)I stack 2 locals 1"),
        "{}",
        text.out
    );
    let ended = jive_in(path, words("asm - --out Again.class"), text.out.as_bytes());
    assert_eq!((ended.status, &*ended.err), (0, "wrote Again.class\n"));
    let again = jive_in(path, words("asm --print Again.class --out Again.jasm"), b"");
    assert_eq!((again.status, &*again.out), (0, ""));
    let again = fs::read_to_string(path.join("Again.jasm")).expect("it was written");
    assert_eq!(again, text.out);
    assert_eq!(
        fs::read(path.join("Again.class")).expect("it was written"),
        fs::read(path.join("Odd.class")).expect("it was written")
    );
}

#[test]
fn a_wrong_line_is_shown_with_file_line_and_help() {
    let directory = tempfile::tempdir().expect("a directory");
    let method = ".method static run()V stack 0 locals 0\n";
    for (line, title, help) in [
        (
            "iconst_9",
            "unknown mnemonic `iconst_9`",
            "did you mean `iconst_",
        ),
        (
            ".feild A I",
            "unknown directive `.feild`",
            "did you mean `.field`?",
        ),
        ("goto far", "unknown label `far`", "write `far:` before"),
        ("ldc #seven", "unknown constant `#seven`", ".constant seven"),
        (
            "bipush 300",
            "operand 300 does not fit 1 bytes",
            "docs/assembly.md",
        ),
        (".end", "`.repeat` and `.end` do not pair up", "close each"),
    ] {
        let source = format!("{method}    nop\n    {line}\n    return\n");
        let ended = jive_in(
            directory.path(),
            words("asm - --out X.class"),
            source.as_bytes(),
        );
        assert_eq!((ended.status, &*ended.out), (1, ""), "{line}");
        assert!(
            ended.err.starts_with(&format!("error: {title}\n")),
            "{}",
            ended.err
        );
        assert!(ended.err.contains("--> -:3:5"), "{}", ended.err);
        assert!(ended.err.contains(help), "{}", ended.err);
    }
    assert!(!directory.path().join("X.class").exists());
}

#[test]
fn what_cannot_be_read_or_written_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    fs::write(path.join("A.class"), "; an empty class").expect("it can be written");
    fs::write(path.join("latin.jasm"), b"nop\n\xe9").expect("it can be written");
    let applet = applets::builtin("RawUnet").expect("it is shipped");
    fs::write(path.join("real.class"), applet.class).expect("it can be written");
    for (command, status, message) in [
        ("asm", 2, "the following required arguments"),
        ("asm none.jasm", 2, "cannot read none.jasm: no such file"),
        ("asm -", 2, "expected `--out FILE`"),
        ("asm latin.jasm", 1, "latin.jasm:2: expected UTF-8 text"),
        ("asm A.class", 2, "the command reads it as A.class"),
        ("asm real.class", 1, "`--print` writes a class file as text"),
        ("asm --print A.class", 1, "malformed/magic"),
        ("asm --print builtin:Nothing", 2, "no such built-in applet"),
        (
            "asm --print builtin:RawUnet --out none/A.jasm",
            2,
            "cannot write none/A.jasm: no such directory",
        ),
    ] {
        let ended = jive_in(path, words(command), b"");
        assert_eq!(
            (ended.status, &*ended.out),
            (status, ""),
            "{command}: {}",
            ended.err
        );
        assert!(ended.err.contains(message), "{command}: {}", ended.err);
    }
    assert_eq!(
        fs::read(path.join("A.class")).expect("it is still there"),
        b"; an empty class"
    );
}
