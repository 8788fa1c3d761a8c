//! Committed pages and sources that commands generate are up to date.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{jive, jive_in, schema, words};

#[track_caller]
fn assert_fresh(path: &str, command: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let committed = fs::read_to_string(file).unwrap_or_default();
    let ended = jive(words(command));
    assert_eq!(ended.status, 0);
    assert!(
        committed == ended.out,
        "{path} is stale: write it with `cargo run -- {command} > {path}`"
    );
}

#[test]
fn the_page_of_rejections_and_traps_is_fresh() {
    assert_fresh("docs/errors.md", "explain --markdown");
}

#[test]
fn the_page_of_natives_is_fresh() {
    assert_fresh("docs/natives.md", "stub --markdown");
}

#[test]
fn the_stub_is_fresh() {
    assert_fresh("applets/java/unet/Nic.java", "stub");
    assert_fresh("applets/programs/java/via/Via.java", "stub --program");
}

#[test]
fn the_stub_is_written_where_the_java_compiler_looks() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let ended = jive_in(directory.path(), words("stub --out src"), b"");
    assert_eq!((ended.status, ended.out.as_str()), (0, ""));
    let stub = fs::read_to_string(directory.path().join("src/unet/Nic.java"));
    assert_eq!(stub.expect("it was written"), applets::NIC_STUB);
    let ended = jive_in(directory.path(), words("stub --program --out src"), b"");
    assert_eq!((ended.status, ended.out.as_str()), (0, ""));
    let stub = fs::read_to_string(directory.path().join("src/via/Via.java"));
    assert_eq!(stub.expect("it was written"), applets::VIA_STUB);
}

#[test]
fn codes_are_explained_and_unknown_ones_are_2() {
    let long = jive(words("explain subset/long"));
    assert_eq!((long.status, long.err.as_str()), (0, ""));
    insta::assert_snapshot!(long.out);
    let unknown = jive(words("explain subset/lomg"));
    assert_eq!((unknown.status, unknown.out.as_str()), (2, ""));
    assert!(
        unknown.err.contains("did you mean `subset/long`?"),
        "{}",
        unknown.err
    );
    // The case does not matter, and a part that only one code has is enough.
    for (word, code) in [
        ("nullpointer", "NullPointerException"),
        ("fuelexhausted", "FuelExhausted"),
        ("LONG", "subset/long"),
        ("unbounded", "lint/unbounded-loop"),
    ] {
        let found = jive(["explain", word]);
        assert_eq!(found.status, 0, "{word}: {}", found.err);
        assert!(found.out.starts_with(&format!("{code}\n")), "{word}");
    }
    let several = jive(words("explain exception"));
    assert_eq!(several.status, 2);
    let codes = "codes with this word are `malformed/exception-table`, ";
    assert!(several.err.contains(codes), "{}", several.err);
    let all = jive(words("explain"));
    for code in ["malformed/magic", "unsafe/merge-type", "FuelExhausted"] {
        assert!(all.out.contains(code), "{code}");
    }
}

/// Returns the commands that `jive --help` lists.
fn commands() -> BTreeSet<String> {
    let help = jive(["--help"]).out;
    let list = help.split_once("Commands:").expect("a list").1;
    let list = list.split_once("Options:").expect("its end").0;
    let names = list
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    names.map(str::to_owned).collect()
}

#[test]
fn each_command_has_a_json_form_with_a_schema_or_needs_none() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let page = fs::read_to_string(docs.join("json.md")).expect("it is committed");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut listed = BTreeSet::new();
    let mut schemas = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row
            .split('|')
            .map(|cell| cell.trim_matches([' ', '`']))
            .collect();
        let [command, option, why, ..] = cells[..] else {
            panic!("a row has three cells: {row}");
        };
        listed.insert(command.to_owned());
        if option == "none" {
            continue;
        }
        let name = option.split(' ').next().unwrap_or_default();
        assert!(
            jive([command, "--help"]).out.contains(name),
            "{command} {option}"
        );
        let links = why.split('[').skip(1);
        let links = links.filter_map(|link| link.split_once(']'));
        let names = links.map(|(name, _)| name.to_owned());
        schemas.extend(names.filter(|name| name.ends_with(".schema.json")));
    }
    assert_eq!(listed, commands());
    let files = fs::read_dir(docs)
        .expect("a directory")
        .map(|file| file.expect("a file"));
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let committed: BTreeSet<String> = names
        .filter(|name| name.ends_with(".schema.json"))
        .collect();
    // A scenario is no output of a command.
    schemas.insert("scenario.schema.json".to_owned());
    assert_eq!(schemas, committed);
}

#[test]
fn the_json_of_a_paper_is_as_its_schema_says() {
    schema::with("paper.schema.json", |_, validator| {
        for report in crate::paper::reports() {
            if let Some(error) = validator.iter_errors(report).next() {
                panic!("{error}");
            }
        }
        let mut changed = crate::paper::reports()[0].clone();
        changed["rows"][0]["ok"] = Value::from("yes");
        assert!(!validator.is_valid(&changed), "it asks for a boolean");
    });
}

/// Returns the pages for users: the README and those of `docs`.
fn pages() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut text = fs::read_to_string(root.join("README.md")).expect("it is committed");
    for page in fs::read_dir(root.join("docs")).expect("a committed directory") {
        let path = page.expect("a readable directory").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            text += &fs::read_to_string(path).expect("UTF-8");
        }
    }
    text
}

#[test]
fn each_option_of_each_command_is_named_in_a_page() {
    let pages = pages();
    let is_of_option = |c: char| c == '-' || c.is_ascii_lowercase();
    let named = pages.split("--").skip(1).map(|rest| {
        let end = rest.find(|c| !is_of_option(c)).unwrap_or(rest.len());
        &rest[..end]
    });
    let named = named.collect::<BTreeSet<_>>();
    let help = jive(words("--help")).out;
    let (_, commands) = help.split_once("Commands:\n").expect("it lists commands");
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let commands = commands.filter_map(|line| words(line).next());
    let commands = commands.filter(|command| *command != "help");
    let mut seen = 0;
    for command in commands {
        let help = jive([command, "--help"]).out;
        let options = help.lines().filter_map(|line| {
            let rest = line.trim_start().strip_prefix("--")?;
            rest.split(|c| !is_of_option(c)).next()
        });
        for option in options {
            seen += 1;
            assert!(
                named.contains(option),
                "no page names `{command} --{option}`"
            );
        }
    }
    assert!(seen > 50, "{seen} options were found");
}
