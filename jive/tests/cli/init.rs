//! `jive init` and `jive completions`: files and scripts that others read.

use std::fs;
use std::process::Command;

use super::{jive, jive_in};
use crate::skipped::skip;

#[test]
fn a_new_applet_compiles_and_its_test_passes() {
    let directory = tempfile::tempdir().expect("a directory");
    let ended = jive_in(directory.path(), ["init", "Parrot"], b"");
    assert_eq!((ended.status, &*ended.out), (0, ""), "{}", ended.err);
    let project = directory.path().join("Parrot");
    for name in [
        "Parrot.java",
        "Parrot.toml",
        "README.md",
        ".gitignore",
        "unet/Nic.java",
    ] {
        let text = fs::read_to_string(project.join(name)).expect(name);
        assert!(!text.contains("NAME"), "{name}");
    }
    let javac = Command::new("javac")
        .args(["--release", "8", "-g", "-Xlint:-options", "Parrot.java"])
        .current_dir(&project)
        .status();
    match javac {
        Ok(status) => assert!(status.success()),
        Err(_) => return skip("testing a new applet", "no `javac` on the path"),
    }
    let ended = jive_in(&project, ["verify", "Parrot.class"], b"");
    assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
    let ended = jive_in(&project, ["test"], b"");
    assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("1 passed"), "{}", ended.out);
    let ended = jive_in(&project, ["test", "Parrot.toml", "--bless"], b"");
    assert_eq!(ended.status, 0, "{}", ended.err);
    // The message of 5 bytes is `Hello`.
    let trace = fs::read_to_string(project.join("Parrot.trace")).expect("a golden trace");
    assert!(trace.contains("48656c6c6f"), "{trace}");
}

#[test]
fn nothing_is_overwritten_and_names_are_those_of_classes() {
    let directory = tempfile::tempdir().expect("a directory");
    let project = directory.path().join("Parrot");
    fs::create_dir(&project).expect("it is new");
    fs::write(project.join("README.md"), "mine").expect("it can be written");
    let ended = jive_in(directory.path(), ["init", "Parrot"], b"");
    assert_eq!(ended.status, 2);
    assert!(
        ended
            .err
            .contains("README.md is there already: nothing was written"),
        "{}",
        ended.err
    );
    let left = fs::read_dir(&project).expect("a directory").count();
    assert_eq!(left, 1);
    for name in ["", "9", "../x", "a b", "class", "x\u{e9}", &"x".repeat(65)] {
        let ended = jive_in(directory.path(), ["init", "--", name], b"");
        assert_eq!(ended.status, 2, "{name}");
        assert!(
            ended.err.contains("expected the name of a class"),
            "{name}: {}",
            ended.err
        );
    }
    let count = fs::read_dir(directory.path()).expect("a directory").count();
    assert_eq!(count, 1);
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let help = jive(["--help"]).out;
    let commands = help.split_once("Commands:").expect("a list").1;
    let commands = commands.split_once("Options:").expect("its end").0;
    let names = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<_> = names
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    assert!(names.contains(&"completions"), "{names:?}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ended = jive(["completions", shell]);
        assert_eq!((ended.status, &*ended.err), (0, ""), "{shell}");
        for name in &names {
            assert!(ended.out.contains(name), "{shell}: {name}");
        }
    }
    let directory = tempfile::tempdir().expect("a directory");
    let ended = jive_in(directory.path(), ["completions", "--man", "man"], b"");
    assert_eq!(ended.status, 0, "{}", ended.err);
    for name in &names {
        let page = directory.path().join(format!("man/jive-{name}.1"));
        let text = fs::read_to_string(&page).expect("a page for each command");
        assert!(text.starts_with(".ie"), "{text}");
    }
}

#[test]
fn colour_is_used_where_it_is_asked_for() {
    let coloured = |when: &str| {
        let ended = jive(["--color", when, "verify", "no-such.class"]);
        assert_eq!(ended.status, 2);
        ended.err.contains('\u{1b}')
    };
    assert_eq!(
        ["auto", "always", "never"].map(coloured),
        [false, true, false]
    );
}
