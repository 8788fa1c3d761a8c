//! The annotation processor of `jive stub --javac-plugin`: what javac prints, and its exit status.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::skipped::skip;
use crate::{jive_in, words};

/// Ten classes of `tests/rejected/java`, each with a mistake of its own.
const MISTAKES: [&str; 10] = [
    "ArrayCopy",
    "CharLocal",
    "DoubleMath",
    "FinalBuffer",
    "FloatRate",
    "IntBuffer",
    "Lambda",
    "LongField",
    "LongBoxed",
    "InstanceOf",
];

const CORRECT: &str = "class Good {\n    byte[] RxBuf;\n\n    int doTx(int length, int channel, int offset) {\n        \
                       return 0;\n    }\n\n    int doRx(int length, int channel) {\n        return 0;\n    }\n}\n";

/// Returns a directory with the processor, or `None` without the compiler whose messages the snapshots have.
fn with_plugin() -> Option<tempfile::TempDir> {
    let version = Command::new("javac").arg("-version").output();
    if !version.is_ok_and(|version| version.stdout.starts_with(b"javac 17.")) {
        skip(
            "the annotation processor for javac",
            "`javac` on the path is not that of JDK 17",
        );
        return None;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let written = jive_in(
        directory.path(),
        words("stub --javac-plugin lib/jive-javac.jar"),
        b"",
    );
    assert_eq!((written.status, written.out.as_str()), (0, ""));
    assert_eq!(written.err, "wrote lib/jive-javac.jar\n");
    Some(directory)
}

/// Runs javac with the processor, which runs this build of `jive`.
fn javac(directory: &Path, arguments: &[&str]) -> (bool, String) {
    let command = format!("-Ajive.command={}", env!("CARGO_BIN_EXE_jive"));
    let Output {
        status,
        stderr,
        stdout,
    } = Command::new("javac")
        .current_dir(directory)
        .args(["-processorpath", "lib/jive-javac.jar", &command])
        .args(arguments)
        .output()
        .expect("it was found above");
    assert!(stdout.is_empty());
    (status.success(), String::from_utf8(stderr).expect("UTF-8"))
}

fn source(name: &str) -> String {
    let java = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rejected/java");
    fs::read_to_string(java.join(format!("{name}.java"))).expect("a committed source")
}

#[test]
fn ten_mistakes_are_errors_of_javac_at_their_lines() {
    let Some(directory) = with_plugin() else {
        return;
    };
    // Javac writes no class after an error, so each class is compiled by itself.
    let mut all = String::new();
    for name in MISTAKES {
        let file = format!("{name}.java");
        fs::write(directory.path().join(&file), source(name)).expect("it can be written");
        let (succeeded, printed) = javac(directory.path(), &[&file]);
        assert!(!succeeded, "{file}: {printed}");
        assert!(
            printed.starts_with(&format!("{file}:")),
            "{file}: {printed}"
        );
        all.push_str(&printed);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn packages_nested_classes_and_output_folders_are_found() {
    let Some(directory) = with_plugin() else {
        return;
    };
    let at = |path: &str| directory.path().join(path);
    fs::create_dir_all(at("src/net/low")).expect("it can be made");
    fs::create_dir(at("out")).expect("it can be made");
    let nested = CORRECT.replace("class Good", "static class Bad").replace(
        "return 0;\n    }\n}",
        "return (int) (1.5 * length);\n    }\n}",
    );
    let text = format!("package net.low;\n\nclass Outer {{\n{nested}}}\n");
    fs::write(at("src/net/low/Outer.java"), text).expect("it can be written");
    // Another source of the same name must not be quoted.
    fs::write(at("Outer.java"), "\n".repeat(50)).expect("it can be written");
    let expected = "src/net/low/Outer.java:12: error: [subset/double] ";
    for arguments in [
        &["-d", "out", "src/net/low/Outer.java"][..],
        &["src/net/low/Outer.java"],
        &["-g:none", "src/net/low/Outer.java"],
    ] {
        let (succeeded, printed) = javac(directory.path(), arguments);
        assert!(!succeeded, "{printed}");
        if arguments.contains(&"-g:none") {
            // Without line numbers the fault is reported at the class.
            assert!(printed.contains("error: [subset/double] "), "{printed}");
        } else {
            assert!(printed.starts_with(expected), "{arguments:?}: {printed}");
        }
    }
}

#[test]
fn correct_applets_and_other_classes_compile() {
    let Some(directory) = with_plugin() else {
        return;
    };
    fs::write(directory.path().join("Good.java"), CORRECT).expect("it can be written");
    let other =
        "class Other {\n    static double half(double x) {\n        return x / 2;\n    }\n}\n";
    fs::write(directory.path().join("Other.java"), other).expect("it can be written");
    let (succeeded, printed) = javac(directory.path(), &["Good.java", "Other.java"]);
    assert_eq!((succeeded, printed.as_str()), (true, ""));
    let (succeeded, printed) = javac(directory.path(), &["-Ajive.classOnly=true", "Other.java"]);
    assert!(!succeeded);
    assert!(printed.starts_with("Other.java:"), "{printed}");
    let missing = "-Ajive.command=./nowhere/jive";
    let (succeeded, printed) = javac(directory.path(), &[missing, "Good.java"]);
    assert!(!succeeded);
    assert!(
        printed.starts_with("error: jive cannot verify Good: "),
        "{printed}"
    );
}
