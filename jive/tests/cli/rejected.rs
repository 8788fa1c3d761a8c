//! The diagnoses for one class for each common mistake, and for attacks.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::jive_in;
use crate::process::Ended;
use crate::schema;

/// The directory of the rejected classes.
fn rejected() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rejected")
}

/// Returns the class files below a directory, in the order of their names.
fn class_files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("it is committed") {
        let path = entry.expect("the directory is readable").path();
        if path.is_dir() {
            found.extend(class_files(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "class")
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the verdict on a class, as text and as JSON.
fn verdict(directory: &Path, file: &str, policy: &[&str]) -> (String, Value) {
    let arguments = |format| [&["verify", "--format", format][..], policy, &[file]].concat();
    let Ended { status, out, err } = jive_in(directory, arguments("text"), b"");
    assert_eq!((status, err.as_str()), (1, ""), "{file}");
    // Remove the warning about a newer source, because after a checkout the source may be newer than the class.
    let lines = out.split_inclusive('\n');
    let out = String::from_iter(lines.filter(|line| !line.contains(" is newer than ")));
    let json = jive_in(directory, arguments("json"), b"");
    let json = serde_json::from_str(&json.out).expect("one object");
    (out, json)
}

/// Checks that a verdict's list of all faults begins with the verdict's own fault, and leaves only the other faults in
/// it.
fn without_repetition(mut json: Value) -> Value {
    let object = json.as_object_mut().expect("an object");
    let Some(Value::Array(mut faults)) = object.remove("rejections") else {
        panic!("expected all faults in {json}");
    };
    let first = faults.remove(0);
    for (name, value) in first.as_object().expect("an object") {
        assert_eq!(object.get(name), Some(value), "{name}");
    }
    if !faults.is_empty() {
        object.insert("other rejections".to_owned(), faults.into());
    }
    json
}

/// Compares the verdict on a class with the snapshot of this name.
fn assert_snapshot(name: &str, text: &str, json: &Value) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../rejected/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let json = without_repetition(json.clone());
    let json = serde_json::to_string_pretty(&json).expect("it was JSON");
    settings.bind(|| insta::assert_snapshot!(name, format!("{text}\n{json}\n")));
}

#[test]
fn a_mistake_in_java_is_shown_at_its_line() {
    let directory = rejected().join("java");
    let files = class_files(&directory);
    assert_eq!(files.len(), 62);
    for path in files {
        let name = path.file_stem().expect("a file").to_string_lossy();
        let source = fs::read_to_string(path.with_extension("java")).expect("beside the class");
        let marked = (1..)
            .zip(source.lines())
            .filter(|(_, line)| line.contains("// here"));
        let marked = marked.collect::<Vec<(u64, &str)>>();
        let [(number, line)] = marked[..] else {
            panic!("{name}: expected one marked line, found {marked:?}");
        };
        let (text, json) = verdict(&directory, &format!("{name}.class"), &[]);
        assert_eq!(json["line"], number, "{name}: {json}");
        assert_eq!(json["source_line"], line, "{name}");
        assert!(json["help"].is_string(), "{name}");
        assert_snapshot(&name, &text, &json);
    }
}

#[test]
fn six_mistakes_are_reported_in_one_pass() {
    let directory = rejected().join("several");
    let source = fs::read_to_string(directory.join("SixMistakes.java")).expect("it is committed");
    let marked = (1_u64..).zip(source.lines());
    let marked = marked.filter(|(_, line)| line.contains("// mistake"));
    let marked = marked.map(|(number, _)| number).collect::<Vec<_>>();
    assert_eq!(marked.len(), 6);
    let (text, json) = verdict(&directory, "SixMistakes.class", &[]);
    let faults = json["rejections"].as_array().expect("all faults");
    let lines = faults.iter().map(|fault| fault["line"].as_u64());
    let mut lines = lines.map(|line| line.expect("a line")).collect::<Vec<_>>();
    lines.sort_unstable();
    assert_eq!(lines, marked, "{text}");
    assert!(
        text.ends_with("error: SixMistakes.class has 6 faults\n\n"),
        "{text}"
    );
    assert_snapshot("SixMistakes", &text, &json);
    // With `--first`, the output has the first fault alone, which is the verifier's verdict.
    let (first_text, first) = verdict(&directory, "SixMistakes.class", &["--first"]);
    assert!(text.starts_with(first_text.trim_end()), "{first_text}");
    assert_eq!(first_text.matches("error[").count(), 1);
    assert_eq!(first.get("rejections"), None);
    assert_eq!(first["code"], json["code"]);
}

#[test]
fn static_fields_are_quoted_by_their_lines() {
    let directory = rejected().join("several");
    let (text, json) = verdict(&directory, "StaticFields.class", &[]);
    let faults = json["rejections"].as_array().expect("all faults");
    let found = faults.iter().map(|fault| {
        let line = fault["source_line"].as_str().expect("it is quoted");
        (fault["code"].as_str().expect("a code"), line)
    });
    let expected = [
        ("subset/char", "    static char c; // mistake"),
        (
            "subset/reference-array",
            "    static int[][] table; // mistake",
        ),
        ("subset/float", "    static float rate; // mistake"),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
    for place in ["3:5", "4:5", "5:5"] {
        assert!(
            text.contains(&format!("StaticFields.java:{place}\n")),
            "{text}"
        );
    }
}

#[test]
fn sources_are_looked_for_in_the_source_path() {
    let several = rejected().join("several");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = "SixMistakes.class";
    fs::copy(several.join(file), directory.path().join(file)).expect("it can be copied");
    let (_, without) = verdict(directory.path(), file, &[]);
    assert_eq!(without.get("source_line"), None);
    let path = several.to_str().expect("a path of the tests");
    let (text, with) = verdict(directory.path(), file, &["--source-path", path]);
    assert_eq!(with["source_line"], "    static long total; // mistake");
    assert!(text.contains("SixMistakes.java:4:5"), "{text}");
}

#[test]
fn an_attack_is_shown_with_what_made_the_values() {
    let directory = rejected().join("attacks");
    let files = class_files(&directory);
    assert_eq!(files.len(), 22);
    for path in files {
        let file = path.strip_prefix(&directory).expect("it was found there");
        let file = file.to_string_lossy();
        let (text, json) = verdict(&directory, &file, &["--class-only"]);
        let code = json["code"].as_str().expect("a code");
        assert!(file.starts_with(code), "{file}: {json}");
        assert_snapshot(&file.replace('/', "_").replace(".class", ""), &text, &json);
    }
}

#[test]
fn every_verdict_is_as_the_schema_says() {
    schema::with("verdict.schema.json", |_, validator| {
        for (directory, policy) in [
            ("java", &[][..]),
            ("java", &["--first"]),
            ("several", &[]),
            ("attacks", &["--class-only"]),
        ] {
            let directory = rejected().join(directory);
            for path in class_files(&directory) {
                let file = path.strip_prefix(&directory).expect("it was found there");
                let (_, json) = verdict(&directory, &file.to_string_lossy(), policy);
                if let Some(error) = validator.iter_errors(&json).next() {
                    panic!("{json}: {error}");
                }
            }
        }
    });
}

#[test]
fn every_type_error_says_where_its_value_came_from() {
    let directory = rejected().join("attacks");
    for path in class_files(&directory) {
        let file = path.strip_prefix(&directory).expect("it was found there");
        let (_, json) = verdict(&directory, &file.to_string_lossy(), &["--class-only"]);
        let compares_values = json["code"].as_str().is_some_and(|code| {
            [
                "unsafe/operand-type",
                "unsafe/local-type",
                "unsafe/merge-type",
            ]
            .contains(&code)
        });
        if compares_values {
            let sources = json["sources"].as_array().expect("sources");
            assert!(!sources.is_empty(), "{json}");
        }
    }
}
