//! `jive verify` for other programs: SARIF, workflow commands, lines as javac writes them; and folders of classes.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::process::Ended;
use crate::{classes, jive_in, words};

/// A folder with a rejected class beside its source, a class with warnings, an accepted class, the natives'
/// declarations, and a file that is no class.
fn folder() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let at = |path: &str| directory.path().join(path);
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    fs::create_dir_all(at("out, 100%/unet")).expect("it can be made");
    let copy = |from: &Path, to: &str| {
        let bytes = fs::read(from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
        fs::write(at(to), bytes).expect("it can be written");
    };
    copy(
        &tests.join("rejected/java/LongField.java"),
        "out, 100%/LongField.java",
    );
    copy(
        &tests.join("rejected/java/LongField.class"),
        "out, 100%/LongField.class",
    );
    copy(
        &tests.join("lint/StaleBytes.class"),
        "out, 100%/StaleBytes.class",
    );
    copy(
        &classes().join("LongMaths.class"),
        "out, 100%/LongMaths.class",
    );
    copy(&classes().join("Trapper.class"), "Trapper.class");
    let natives = jive_lab::asm::assemble("Nic", ".class unet/Nic\n").expect("a class");
    fs::write(at("out, 100%/unet/Nic.class"), natives.bytes).expect("it can be written");
    fs::write(at("out, 100%/Broken.class"), "no class").expect("it can be written");
    directory
}

fn verify(directory: &Path, options: &[&str]) -> Ended {
    let arguments = [&["verify"], options].concat();
    jive_in(directory, arguments, b"")
}

#[test]
fn a_folder_stands_for_its_classes_without_the_natives() {
    let directory = folder();
    let ended = verify(directory.path(), &["--format", "json", "."]);
    assert_eq!((ended.status, ended.err.as_str()), (1, ""));
    let files = ended.out.lines().map(|line| {
        let verdict = serde_json::from_str::<Value>(line).expect("an object a line");
        verdict["file"].as_str().map(str::to_owned)
    });
    let files = files.flatten().collect::<Vec<_>>();
    let below = "./out, 100%";
    let expected = ["Broken", "LongField", "LongMaths", "StaleBytes"];
    let mut expected = Vec::from(expected.map(|name| format!("{below}/{name}.class")));
    expected.insert(0, "./Trapper.class".to_owned());
    assert_eq!(files, expected);
}

#[test]
fn a_folder_without_a_class_is_2_unless_it_is_allowed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("A.java"), "class A { }").expect("it can be written");
    let ended = verify(directory.path(), &["."]);
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    assert!(
        ended.err.starts_with("error: . has no class file\n"),
        "{}",
        ended.err
    );
    let allowed = verify(directory.path(), &["--allow-empty", "."]);
    assert_eq!(
        (allowed.status, allowed.out.as_str(), allowed.err.as_str()),
        (0, "", "")
    );
    // The folder does not hide the fault of a file beside it.
    let both = verify(&classes(), &[".", "--allow-empty", "nowhere"]);
    assert_eq!(both.status, 2);
}

#[test]
fn lines_are_those_of_javac() {
    let directory = folder();
    let ended = verify(
        directory.path(),
        &["--format", "javac", "--lint", ".", "nowhere"],
    );
    assert_eq!((ended.status, ended.err.as_str()), (2, ""));
    insta::assert_snapshot!(ended.out);
}

#[test]
fn lines_are_workflow_commands_of_github() {
    let directory = folder();
    let ended = verify(
        directory.path(),
        &["--format", "github", "--lint", ".", "nowhere"],
    );
    assert_eq!((ended.status, ended.err.as_str()), (2, ""));
    insta::assert_snapshot!(ended.out);
    for line in ended.out.lines() {
        // What follows the properties is the message, in which nothing is escaped but `%` and the ends of lines.
        let rest = line.strip_prefix("::").expect("a command");
        let (command, message) = rest.split_once("::").expect("a message");
        let (level, properties) = command.split_once(' ').expect("properties");
        assert!(["error", "warning"].contains(&level), "{line}");
        for property in properties.split(',') {
            let (name, value) = property.split_once('=').expect("a value");
            assert!(["file", "line", "title"].contains(&name), "{line}");
            assert!(!value.contains(':'), "{line}");
        }
        assert!(!message.is_empty(), "{line}");
    }
}

/// Returns the schema of SARIF 2.1.0, which the crate `serde-sarif` has among its sources.
fn sarif_schema() -> Value {
    let cargo = |words: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(words)
            .output()
            .expect("cargo, which runs this test");
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    // Packages for other machines need not be here.
    let version = String::from_utf8(cargo(&["-vV"])).expect("UTF-8");
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.expect("a line of cargo's version");
    let metadata = cargo(&[
        "metadata",
        "--offline",
        "--locked",
        "--format-version",
        "1",
        "--filter-platform",
        host,
    ]);
    let metadata = serde_json::from_slice::<Value>(&metadata).expect("an object");
    let packages = metadata["packages"].as_array().expect("a list");
    let package = packages
        .iter()
        .find(|package| package["name"] == "serde-sarif")
        .expect("a dependency of this test");
    let manifest = package["manifest_path"].as_str().expect("a path");
    let schema = Path::new(manifest).with_file_name("src/schema.json");
    serde_json::from_slice(&fs::read(schema).expect("a file of the crate")).expect("a schema")
}

#[test]
fn the_log_is_sarif() {
    let directory = folder();
    let ended = verify(
        directory.path(),
        &["--format", "sarif", "--lint", ".", "nowhere"],
    );
    assert_eq!((ended.status, ended.err.as_str()), (2, ""));
    let log = serde_json::from_str::<Value>(&ended.out).expect("one object");
    let schema = sarif_schema();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors = validator.iter_errors(&log).map(|error| error.to_string());
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<String>::new());
    let mut wrong = log.clone();
    wrong["runs"][0]["results"][0]["level"] = "severe".into();
    assert!(!validator.is_valid(&wrong), "the schema judges levels");

    // The log says what the lines say, and its URIs are those of the files.
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("a list");
    let lines = verify(
        directory.path(),
        &["--format", "javac", "--lint", ".", "nowhere"],
    )
    .out;
    let (told, unreadable) = lines.trim_end().rsplit_once('\n').expect("several lines");
    assert_eq!(results.len(), told.lines().count(), "{lines}");
    for (result, line) in results.iter().zip(told.lines()) {
        let id = result["ruleId"].as_str().expect("a code");
        let level = result["level"].as_str().expect("a level");
        assert!(line.contains(&format!(" {level}: [{id}] ")), "{line}");
        let rule = result["ruleIndex"].as_u64().expect("a number");
        let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
        assert_eq!(rules[usize::try_from(rule).expect("small")]["id"], id);
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
        let path = uri.replace("%2C%20", ", ").replace("%25", "%");
        let region = place["region"]["startLine"].as_u64();
        let start = match region {
            Some(number) => format!("{path}:{number}: "),
            None => format!("{path}: "),
        };
        assert!(line.starts_with(&start), "{line}: {start}");
    }
    let notifications = &run["invocations"][0]["toolExecutionNotifications"];
    let message = notifications[0]["message"]["text"].as_str();
    let message = message.expect("a text");
    assert_eq!(unreadable, format!("nowhere: error: {message}"));
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn a_log_without_results_is_sarif_too() {
    let ended = jive_in(
        &classes(),
        words("verify --class-only --format sarif Calls.class"),
        b"",
    );
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let log = serde_json::from_str::<Value>(&ended.out).expect("one object");
    let schema = sarif_schema();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert!(validator.is_valid(&log), "{log}");
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
}
