//! Sources that javac compiles, and those that it refuses.

use std::fs;
use std::process::Command;
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::server::{Server, fake_javac, folder};
use crate::process::jive_in;
use crate::skipped::skip;
use crate::words;

/// Returns the server, or `None` without javac.
fn with_javac() -> Option<Server> {
    let found = Command::new("javac").arg("-version").output();
    if found.is_err() {
        skip("`jive play` compiles Java", "no `javac` on the path");
        return None;
    }
    Some(Server::start())
}

const CALLS: &str =
    "public class Calls {\n    static int twice(int n) {\n        return 2 * n;\n    }\n}\n";

/// Runs a method of the class that an answer has.
fn ran(answer: &Value, call: &str) -> String {
    assert_eq!(answer["outcome"], "compiled", "{answer}");
    let folder = tempfile::tempdir().expect("a temporary directory");
    let class = STANDARD.decode(answer["class"].as_str().expect("base64"));
    fs::write(folder.path().join("It.class"), class.expect("base64")).expect("it can be written");
    let ended = jive_in(folder.path(), words(&format!("exec It.class {call}")), b"");
    assert_eq!(ended.status, 0, "{}", ended.err);
    ended.out
}

#[test]
fn a_class_is_compiled_and_runs() {
    let Some(server) = with_javac() else { return };
    let answer = server.compile(CALLS);
    assert_eq!(answer["name"], "Calls");
    assert_eq!(answer["messages"], Value::Array(Vec::new()));
    assert_eq!(ran(&answer, "twice 21"), "return: 42\n");
    // In a package, not public, and with a comment that has the word.
    let other = format!(
        "/* a class of packets */ package a.b; {}",
        CALLS.replace("public ", "")
    );
    let answer = server.compile(&other);
    assert_eq!(answer["name"], "Calls");
    assert_eq!(ran(&answer, "twice 4"), "return: 8\n");
    assert_eq!(
        fs::read_dir(server.folder.path().join("temporary"))
            .expect("it is there")
            .count(),
        0
    );
}

#[test]
fn shipped_applets_are_compiled_to_classes_that_are_accepted() {
    let Some(server) = with_javac() else { return };
    for applet in [&applets::FIREWALL, &applets::RELIABLE] {
        let answer = server.compile(applet.source);
        assert_eq!(answer["name"], applet.name, "{answer}");
        let class = STANDARD.decode(answer["class"].as_str().expect("base64"));
        let class = class.expect("base64");
        fs::write(server.folder.path().join("It.class"), class).expect("it can be written");
        let ended = jive_in(server.folder.path(), words("verify It.class"), b"");
        assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
    }
}

#[test]
fn public_types_of_every_kind_and_name_are_compiled() {
    let folder = folder();
    if with_javac().is_none() {
        return;
    }
    // The names of files do not depend on the user's language, and neither does what javac prints on the user's options.
    let server = Server::start_with(folder, |command| {
        command
            .env("LC_ALL", "C")
            .env("JDK_JAVAC_OPTIONS", "-verbose -Werror")
    });
    for (source, name) in [
        ("public class Größe {}", "Größe"),
        ("public class 类 {}", "类"),
        (
            "public interface I { int X = 1; } class A { int a = (int) I.X; }",
            "A",
        ),
        ("class A {} public enum E { X }", "A"),
        ("public interface I {}", "I"),
    ] {
        let answer = server.compile(source);
        assert_eq!(answer["name"], name, "{source}: {answer}");
    }
}

#[test]
fn errors_have_their_lines() {
    let Some(server) = with_javac() else { return };
    let wrong = CALLS.replace("2 * n", "2 * m");
    let answer = server.compile(&wrong);
    assert_eq!(answer["outcome"], "refused", "{answer}");
    let message = &answer["messages"][0];
    assert_eq!(
        (&message["kind"], &message["line"], &message["column"]),
        (&"error".into(), &3.into(), &20.into())
    );
    let text = message["text"].as_str().expect("text");
    assert!(text.starts_with("cannot find symbol\n"), "{text}");
    assert!(text.contains("variable m"), "{text}");
    assert!(
        answer["output"].as_str().expect("text").contains("1 error"),
        "{answer}"
    );
    let foreign = server.compile("class A {\n    int a = größe;\n}\n");
    let text = foreign["messages"][0]["text"].as_str().expect("text");
    assert!(text.contains("variable größe"), "{text}");
    let two = server.compile("class A {\n    int a = true;\n    int b = \"<b>\";\n}\n");
    let lines = two["messages"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|message| message["line"].clone());
    assert_eq!(lines.collect::<Vec<_>>(), [2, 3]);
    let warned =
        server.compile("class A {\n    static int a(int n) {\n        return (int) n;\n    }\n}\n");
    assert_eq!(
        (&warned["outcome"], &warned["messages"][0]["kind"]),
        (&"compiled".into(), &"warning".into())
    );
}

#[test]
fn sources_of_any_content_are_answered() {
    let Some(server) = with_javac() else { return };
    let deep = format!("class A {{ int a = {}1; }}", "(".repeat(20_000));
    let long = format!("class {} {{}}", "x".repeat(10_000));
    for (source, outcome) in [
        ("", "failed"),
        ("\0\u{feff}\u{202e}", "refused"),
        ("interface I {}", "compiled"),
        ("class ../../A {}", "refused"),
        ("class A {} class B {}", "compiled"),
        ("interface A {} interface B {}", "failed"),
        ("import java.nio.file.*; class A { Path p; }", "compiled"),
        ("import applets.Missing; class A {}", "refused"),
        (
            "@javax.annotation.processing.SupportedOptions({}) class A {}",
            "compiled",
        ),
        ("public class \\u0041 {}", "refused"),
        (&deep, "failed"),
        (&long, "refused"),
    ] {
        let answer = server.compile(source);
        let start: String = source.chars().take(60).collect();
        assert_eq!(answer["outcome"], outcome, "{start}");
        let reason = answer["reason"].as_str().unwrap_or_default();
        assert!(!reason.contains("install"), "{start}: {reason}");
        assert!(reason.lines().count() <= 20, "{start}: {reason}");
    }
    server.assert_goes_on();
}

#[test]
fn clients_are_served_at_the_same_time() {
    let Some(server) = with_javac() else { return };
    thread::scope(|scope| {
        for number in 1..=4 {
            let server = &server;
            scope.spawn(move || {
                let answer = server.compile(&CALLS.replace("2 *", &format!("{number} *")));
                assert_eq!(
                    ran(&answer, "twice 10"),
                    format!("return: {}\n", 10 * number)
                );
            });
        }
        server.assert_goes_on();
    });
}

#[test]
fn without_javac_the_answer_says_what_to_install() {
    let folder = folder();
    let nowhere = folder.path().join("nowhere");
    let server = Server::start_with(folder, |command| command.env("JAVA_HOME", nowhere));
    let answer = server.compile(CALLS);
    assert_eq!(answer["outcome"], "failed");
    let reason = answer["reason"].as_str().expect("text");
    assert!(
        reason.starts_with("there is no `javac`: install a JDK"),
        "{reason}"
    );
    server.assert_goes_on();
}

#[test]
fn a_javac_that_is_too_old_is_named() {
    let folder = folder();
    let home = fake_javac(
        folder.path(),
        "echo 'javac: invalid flag: --release' >&2; exit 2",
    );
    let server = Server::start_with(folder, |command| command.env("JAVA_HOME", home));
    let answer = server.compile(CALLS);
    assert_eq!(answer["outcome"], "failed");
    let reason = answer["reason"].as_str().expect("text");
    assert!(reason.contains("invalid flag: --release"), "{reason}");
    assert!(reason.contains("version 9 or newer"), "{reason}");
}
