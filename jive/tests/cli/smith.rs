//! `jive smith`: random class files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{jive_in, schema, words};

/// Runs `jive smith` with JSON, and returns the objects that it prints.
fn smith(directory: &Path, line: &str) -> Vec<Value> {
    let ended = jive_in(
        directory,
        words(&format!("smith --format json {line}")),
        b"",
    );
    assert_eq!(ended.status, 0, "{}", ended.err);
    let lines = ended.out.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON Lines"))
        .collect()
}

fn texts<'v>(made: &'v [Value], key: &str) -> BTreeSet<&'v str> {
    made.iter().filter_map(|made| made[key].as_str()).collect()
}

#[test]
fn verdicts_of_all_kinds_are_those_of_the_verifier() {
    let directory = tempfile::tempdir().expect("a directory");
    let made = smith(directory.path(), "--out made --count 120");
    assert_eq!(made.len(), 120);
    schema::with("smith.schema.json", |_, validator| {
        for made in &made {
            assert!(validator.is_valid(made), "{made}");
        }
        assert!(!validator.is_valid(&Value::from("typed-1-0.class")));
    });
    let kinds = [
        "broken",
        "bytes",
        "constructor",
        "program",
        "structure",
        "typed",
    ];
    assert_eq!(texts(&made, "kind"), kinds.into());
    let accepted = made.iter().filter(|made| made["code"].is_null()).count();
    assert!((20..100).contains(&accepted), "{accepted}");
    for made in &made {
        let file = made["file"].as_str().expect("a path");
        assert_eq!(
            fs::metadata(directory.path().join(file)).expect(file).len(),
            made["bytes"].as_u64().expect("a length")
        );
        // A well-typed body is accepted, whatever its instructions.
        let verdict = made["code"].as_str();
        assert!(made["kind"] != "typed" || verdict.is_none(), "{made}");
    }
    for made in made.iter().step_by(17) {
        let file = made["file"].as_str().expect("a path");
        let ended = jive_in(directory.path(), ["verify", "--class-only", file], b"");
        match made["code"].as_str() {
            None => assert_eq!(ended.status, 0, "{made}: {}", ended.err),
            Some(code) => assert!(ended.out.contains(code), "{made}: {}", ended.out),
        }
    }
}

#[test]
fn class_files_depend_only_on_seed_number_and_kind() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let all = smith(path, "--out all --count 20 --seed 3");
    for made in all.iter().skip(10).step_by(3) {
        let (kind, number) = (made["kind"].as_str().expect("a kind"), &made["number"]);
        let line = format!("--out one --count 1 --seed 3 --from {number} --kind {kind}");
        let one = smith(path, &line);
        let bytes = |made: &Value| fs::read(path.join(made["file"].as_str().expect("a path")));
        assert_eq!(
            bytes(&one[0]).expect("it was written"),
            bytes(made).expect("it was written")
        );
    }
    let other = smith(path, "--out other --count 20 --seed 4");
    assert_ne!(
        all.iter().map(|made| &made["bytes"]).collect::<Vec<_>>(),
        other.iter().map(|made| &made["bytes"]).collect::<Vec<_>>()
    );
    let broken = smith(path, "--out broken --kind broken --kind bytes");
    assert_eq!(texts(&broken, "kind"), ["broken", "bytes"].into());
}

#[test]
fn text_has_the_same_and_wrong_usage_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let ended = jive_in(path, words("smith --out made --kind typed --count 2"), b"");
    assert_eq!(
        (ended.status, &*ended.out, &*ended.err),
        (
            0,
            "made/typed-1-0.class  accepted\nmade/typed-1-1.class  accepted\n",
            "wrote 2 class files to made: 2 accepted, 0 rejected\n"
        )
    );
    fs::write(path.join("taken"), "").expect("it can be written");
    for (line, message) in [
        ("smith", "--out <DIR>"),
        ("smith --out made --count 0", "0 is not in 1..=1000000"),
        ("smith --out made --kind type", "typed"),
        ("smith --out made --from 18446744073709551615", "is not in"),
        ("smith --out taken", "cannot write taken"),
    ] {
        let ended = jive_in(path, words(line), b"");
        assert_eq!((ended.status, &*ended.out), (2, ""), "{line}");
        assert!(ended.err.contains(message), "{line}: {}", ended.err);
    }
}
