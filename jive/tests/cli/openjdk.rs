//! `jive test --java`, and the model of the natives in plain Java.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nic_runtime::scenario::BUILTIN;

use crate::process::Ended;
use crate::skipped::skip;
use crate::{jive_in, words};

/// Returns whether the programs of a JDK are on the path, and reports the skipped test if they are not.
fn has_jdk(test: &str) -> bool {
    let starts = |program: &str| {
        let probe = Command::new(program).arg("-version").output();
        probe.is_ok_and(|output| output.status.success())
    };
    let missing = ["java", "javac"]
        .into_iter()
        .find(|program| !starts(program));
    if let Some(program) = missing {
        skip(test, &format!("no `{program}` on the path"));
    }
    missing.is_none()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Compiles an applet of `jive/tests/openjdk` to a directory.
fn compile(name: &str, to: &Path) {
    let source = repository().join(format!("jive/tests/openjdk/{name}.java"));
    let status = Command::new("javac")
        .args(["--release", "8", "-g", "-Xlint:-options", "-implicit:none"])
        .arg("-sourcepath")
        .arg(repository().join("applets/java"))
        .arg("-d")
        .args([to, &source])
        .status();
    assert!(status.expect("`javac` starts").success());
}

/// Returns a scenario of two endpoints, in which the first sends messages 50 microseconds apart.
fn scenario(keys: &[&str; 2], payloads: &[&str]) -> String {
    let mut text = "until = \"20ms\"\n[[nic]]\nname = \"a\"\n[[nic]]\nname = \"b\"\n".to_owned();
    for (nic, keys) in ["a", "b"].iter().zip(keys) {
        text.push_str(&format!(
            "[[endpoint]]\nnic = \"{nic}\"\nname = \"{nic}\"\n{keys}\n"
        ));
    }
    text.push_str("[[channel]]\na = 1\nb = 1\n");
    for (index, payload) in payloads.iter().enumerate() {
        let at = 10 + 500 * index;
        text.push_str(&format!(
            "[[send]]\nendpoint = \"a\"\nchannel = 1\nat = \"{at}us\"\npayload = {{ {payload} }}\n"
        ));
    }
    text
}

#[test]
fn chains_are_left_out_with_a_reason() {
    if !has_jdk("a chain of applets beside OpenJDK") {
        return;
    }
    let scenarios = repository().join("nic-runtime/scenarios");
    let Ended { status, out, err } = jive_in(&scenarios, words("test --java chain.toml"), b"");
    assert_eq!((status, err.as_str()), (0, ""));
    let notes = ["client", "server"].map(|endpoint| {
        format!(
            "  endpoint `{endpoint}` was not compared: it has a chain of applets, and the model has no messages \
             between applets\n"
        )
    });
    let [client, server] = notes;
    let last = "0 agree, 0 differ, 0 failed to load, 1 not compared\n";
    assert_eq!(
        out,
        ["not compared: chain.toml\n", &client, &server, last].concat()
    );
}

#[test]
fn every_builtin_scenario_agrees_with_openjdk() {
    if !has_jdk("applets of the built-in scenarios on OpenJDK") {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    for builtin in BUILTIN {
        // Add an expectation, because without one `jive test` ignores a scenario that has no golden trace.
        let text = format!("{}\n[[expect]]\ncount = 1\n", builtin.text);
        let file = directory.path().join(format!("{}.toml", builtin.name));
        fs::write(file, text).expect("written");
    }
    // Also compare the applets that no built-in scenario contains.
    for applet in applets::ALL {
        // A NIC that has all that the applet needs.
        let profile = match applet.receives_directly {
            true => "profile = \"lanai-1998-direct\"\n",
            false if applet.name == "WindowBarrier" => "profile = \"clan-programmable\"\n",
            false => "",
        };
        let (profile, applet) = (profile.to_owned(), applet.name);
        let key = format!("applet = \"builtin:{applet}\"");
        let payloads = ["random = 64", "text = \"xyz\"", "random = 9000"];
        let text = profile + &scenario(&[&key, &key], &payloads) + "[[expect]]\ncount = 1\n";
        fs::write(directory.path().join(format!("{applet}.toml")), text).expect("written");
    }
    let junit = "test . --java --junit results.xml";
    let ended = jive_in(directory.path(), words(junit), b"");
    let scenarios = BUILTIN.len() + applets::ALL.len();
    let without = |line: &str| line.strip_prefix("not compared: ./").map(str::to_owned);
    let without: Vec<_> = ended.out.lines().filter_map(without).collect();
    // No applet at all, a chain of applets, or code that comes during the run.
    let expected = [
        "all-to-all.toml",
        "base-path.toml",
        "capsules.toml",
        "chain.toml",
        "clan-ping.toml",
        "clan-server.toml",
        "clan-switch.toml",
        "incast.toml",
        "javia.toml",
        "lmmc.toml",
        "via-segments.toml",
        "via.toml",
    ];
    assert_eq!(without, expected, "{}", ended.out);
    let last = format!(
        "{} agree, 0 differ, 0 failed to load, {} not compared\n",
        scenarios - without.len(),
        without.len()
    );
    assert!(ended.out.ends_with(&last), "{}{}", ended.out, ended.err);
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    // The calls are two initializers, three messages sent and three messages received.
    for applet in ["RawUnet", "Counter", "PingPong"] {
        let agrees = format!("agrees: ./{applet}.toml (");
        let line = ended.out.lines().find(|line| line.starts_with(&agrees));
        let calls = line.and_then(|line| line[agrees.len()..].split(' ').next());
        let calls = calls.and_then(|calls| calls.parse::<u64>().ok());
        assert!(calls >= Some(8), "{applet}: {line:?}");
    }
    let xml = fs::read_to_string(directory.path().join("results.xml")).expect("written");
    assert!(
        xml.contains(&format!(
            "tests=\"{scenarios}\" failures=\"0\" errors=\"0\" skipped="
        )),
        "{xml}"
    );
}

#[test]
fn traps_agree_with_openjdk_up_to_a_limit() {
    if !has_jdk("traps of applets on OpenJDK") {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    compile("Traps", directory.path());
    let applet = ["", "applet = \"Traps.class\""];
    let of = |letters: &[&str]| {
        let texts = letters.iter().map(|letter| format!("text = \"{letter}\""));
        let texts = texts.collect::<Vec<_>>();
        let texts = texts.iter().map(String::as_str).collect::<Vec<_>>();
        let file = directory.path().join("traps.toml");
        fs::write(file, scenario(&applet, &texts)).expect("written");
        let ended = jive_in(directory.path(), words("test --java traps.toml"), b"");
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{}", ended.out);
        ended.out
    };
    // The calls are the two initializers, and one call for each letter.
    let all = of(&["a", "b", "c", "d", "e", "f", "g", "h", "z"]);
    assert_eq!(
        all,
        "agrees: traps.toml (11 calls)\n1 agree, 0 differ, 0 failed to load\n"
    );
    let limited = of(&["a", "i", "b"]);
    assert_eq!(
        limited,
        "agrees: traps.toml (3 calls)\n  endpoint `b` was compared up to call 3 and without its fields: its next \
         call ended with StackOverflowError, a limit that OpenJDK does not share\n\
         1 agree, 0 differ, 0 failed to load\n"
    );
}

#[test]
fn own_natives_and_state_need_no_other_class() {
    if !has_jdk("an applet with natives of its own on OpenJDK") {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    compile("Ways", directory.path());
    let keys = [
        "applet = \"Ways.class\"\nstate = { WINDOW = 5, KEYS = [4, 5] }",
        "applet = \"Ways.class\"",
    ];
    let payloads = ["text = \"hello\"", "random = 9000", "random = 0"];
    let text = scenario(&keys, &payloads);
    fs::write(directory.path().join("ways.toml"), text).expect("written");
    let ended = jive_in(directory.path(), words("test --java ways.toml"), b"");
    assert!(
        ended.out.starts_with("agrees: ways.toml ("),
        "{}{}",
        ended.out,
        ended.err
    );
    assert_eq!(ended.out.lines().count(), 2, "nothing is left out");
}

/// Runs `jive test --java` on the scenario `counter` with a script in the place of `java`.
fn with_java(script: &str, more: &str) -> Ended {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let home = directory.path().join("jdk");
    fs::create_dir_all(home.join("bin")).expect("it can be made");
    let java = home.join("bin/java");
    fs::write(&java, format!("#!/bin/sh\n{script}\n")).expect("written");
    fs::set_permissions(&java, PermissionsExt::from_mode(0o755)).expect("its owner may");
    let counter = BUILTIN.iter().find(|builtin| builtin.name == "counter");
    let text = counter.expect("it is shipped").text;
    fs::write(directory.path().join("counter.toml"), text).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_jive"))
        .args(words("test counter.toml --java"))
        .args(words(more))
        .current_dir(directory.path())
        .env("JAVA_HOME", &home)
        .stdin(Stdio::null())
        .output()
        .expect("the binary was built for this test");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ended {
        status: output.status.code().expect("no signal ended it"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

#[test]
fn differing_call_is_shown_line_by_line() {
    if !has_jdk("a difference from OpenJDK") {
        return;
    }
    let ended = with_java("java \"$@\" | sed -u 's/^returned 2$/returned 3/'", "");
    assert_eq!((ended.status, ended.err.as_str()), (1, ""), "{}", ended.out);
    insta::assert_snapshot!(ended.out);
}

#[test]
fn a_java_that_misbehaves_is_ended_and_described() {
    // The script stands for a Java process that answers no call.
    let answers =
        "while read -r line; do case $line in begin*) echo .;; *) exec sleep 20;; esac; done";
    let late = with_java(answers, "--timeout 1");
    assert_eq!((late.status, late.err.as_str()), (1, ""), "{}", late.out);
    assert!(
        late.out
            .contains("call 1: <init>()\n  JIVE has ended the call, OpenJDK has not within 1 s\n"),
        "{}",
        late.out
    );
    for (script, why) in [
        ("exec yes", "its answer is too long"),
        ("echo 'no memory' >&2; exit 1", "it has ended: no memory"),
        // The script closes its output before it writes the reason to standard error.
        (
            "exec >&-; sleep 0.3; echo 'no memory' >&2; exit 1",
            "it has ended: no memory",
        ),
        ("printf half", "its last line is not complete"),
    ] {
        let ended = with_java(script, "");
        assert_eq!(ended.status, 2, "{script}: {}", ended.out);
        let title = "error: the Java process gave no answer: endpoint";
        assert!(ended.err.starts_with(title), "{script}: {}", ended.err);
        assert!(ended.err.contains(why), "{script}: {}", ended.err);
        assert!(
            ended.out.ends_with("0 agree, 0 differ, 1 failed to load\n"),
            "{script}: {}",
            ended.out
        );
    }
    // Control characters in the output of the Java process do not reach the terminal.
    let refusal = "while read -r line; do printf 'x \\033[31m\\n.\\n'; done";
    let refused = with_java(refusal, "");
    let expected = "JIVE accepts the class, OpenJDK refuses it: x \\u{1b}[31m\n";
    assert!(refused.out.contains(expected), "{}", refused.out);
}

#[test]
fn without_java_it_says_how_to_get_it() {
    let output = Command::new(env!("CARGO_BIN_EXE_jive"))
        .args(words("test --java"))
        .current_dir(tempfile::tempdir().expect("a temporary directory").path())
        .env("JAVA_HOME", "/nowhere")
        .output()
        .expect("the binary was built for this test");
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    insta::assert_snapshot!(err);
}

#[test]
fn the_model_is_a_class_to_drive() {
    if !has_jdk("the example of the model") {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let ended = jive_in(directory.path(), words("stub --model --out ."), b"");
    assert_eq!(
        (ended.status, ended.err.as_str()),
        (0, "wrote ./jive-model.jar\n")
    );
    let class_path = |first: &str| {
        let applets = repository().join("applets/class");
        format!("{first}:jive-model.jar:{}", applets.display())
    };
    let compiled = Command::new("javac")
        .args(["-d", ".", "-cp", &class_path(".")])
        .arg(repository().join("applets/model/example/DriveCounter.java"))
        .current_dir(directory.path())
        .status();
    assert!(compiled.expect("`javac` starts").success());
    let output = Command::new("java")
        .args(["-cp", &class_path("."), "DriveCounter"])
        .current_dir(directory.path())
        .output()
        .expect("`java` starts");
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    // The snapshot has counts made by hand: channel 1 receives the first and the third packet, channel 2 the second.
    // Messages start after the eight buffers of 4,096 bytes.
    insta::assert_snapshot!(out);
}
