//! Programs that run on the host: `jive verify --program`, and what is said of a class of the other kind.

use std::fs;

use crate::{jive, jive_in, words};

#[test]
fn every_shipped_program_is_a_program() {
    for program in applets::PROGRAMS {
        let name = program.name;
        let ended = jive(words(&format!("verify --program --lint builtin:{name}")));
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{}", ended.out);
        let ok = format!("ok: builtin:{name}: class {name}, major 52, ");
        assert!(ended.out.starts_with(&ok), "{}", ended.out);
        let listed = jive(words(&format!("disasm builtin:{name}")));
        assert_eq!((listed.status, listed.err.as_str()), (0, ""));
    }
}

#[test]
fn a_program_is_no_applet_and_an_applet_no_program() {
    for (command, parts) in [
        (
            "verify builtin:Pong",
            [
                "error[subset/foreign-method]",
                "help: The class is a program for a host: judge it with `jive verify --program`",
                "help: Call natives of `unet/Nic`: those of `via/Via` are for programs on the host.",
            ],
        ),
        (
            "verify --program builtin:Counter",
            [
                "error[subset/foreign-method]",
                "help: The class is an applet for a NIC: give it to an `[[endpoint]]` of a scenario.",
                "help: Call natives of `via/Via`: those of `unet/Nic` are for applets on the NIC.",
            ],
        ),
        (
            "verify --program builtin:DirectCounter",
            [
                "error[subset/foreign-method]",
                "help: The class is an applet for a NIC: give it to an `[[endpoint]]` of a scenario.",
                "help: Call natives of `via/Via`: those of `unet/Nic` are for applets on the NIC.",
            ],
        ),
    ] {
        let ended = jive(words(command));
        assert_eq!(ended.status, 1, "{command}");
        for part in parts {
            assert!(ended.out.contains(part), "{command}: {part}: {}", ended.out);
        }
    }
    let ended = jive(words("verify --program --class-only builtin:Ping"));
    assert_eq!(ended.status, 2);
}

/// Assembles a class from its source, and judges it as a program.
fn judged(source: &str) -> (i32, String) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("P.jasm"), source).expect("written");
    let ended = jive_in(directory.path(), words("asm P.jasm"), b"");
    assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
    let ended = jive_in(directory.path(), words("verify --program P.class"), b"");
    (ended.status, ended.out)
}

#[test]
fn the_entries_of_a_program_are_static_methods_with_code() {
    let run = ".method static run()I stack 1 locals 0\n iconst_0\n ireturn\n";
    for (source, status, shown) in [
        (run.to_owned(), 0, "ok: "),
        (
            run.replace("static ", "").replace("locals 0", "locals 1"),
            1,
            "error[applet/instance-entry]: expected a method `run()I` that is `static`, it is not",
        ),
        (
            run.replace("()I", "(I)I").replace("locals 0", "locals 1"),
            1,
            "error[applet/member-descriptor]: expected a method `run()I`, its descriptor differs",
        ),
        (
            run.replace("run", "runs"),
            1,
            "error[applet/missing-member]: expected a method `run()I`, the class has none",
        ),
        (
            ".method static native run()I\n".to_owned(),
            1,
            "error[subset/unknown-native]",
        ),
        (
            format!("{run}.method static unreferenced(I)I stack 1 locals 1\n iconst_0\n ireturn\n"),
            1,
            "error[applet/member-descriptor]: expected a method `unreferenced(II)I`, its descriptor differs",
        ),
        (format!("{run}.method static native now()I\n"), 0, "ok: "),
    ] {
        let (found, text) = judged(&format!(".omit all\n{source}"));
        assert_eq!(found, status, "{source}{text}");
        assert!(text.contains(shown), "{source}: {text}");
    }
}
