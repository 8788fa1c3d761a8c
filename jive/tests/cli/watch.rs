//! `jive watch`: what changes is verified and tested again, and nothing else.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

const SCENARIO: &str = r#"
[[nic]]
name = "a"
[[endpoint]]
nic = "a"
name = "x"
applet = "build/A.class"
[[endpoint]]
nic = "a"
name = "y"
[[channel]]
x = 1
y = 1
[[send]]
endpoint = "y"
channel = 1
payload = { text = "hello" }
[[expect]]
endpoint = "x"
payload = { text = "hello" }
"#;

/// A running `jive watch`, and its output.
struct Watching {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Watching {
    fn begin(directory: &Path, path: &str) -> Watching {
        let mut child = Command::new(env!("CARGO_BIN_EXE_jive"))
            .args(["watch", path])
            .current_dir(directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary was built for this test");
        let out = BufReader::new(child.stdout.take().expect("it was piped"));
        Watching { child, out }
    }

    /// Returns the lines up to one for which `is_last` returns true, and that line.
    fn until(&mut self, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.out.read_line(&mut line).expect("UTF-8");
            assert!(read > 0, "the output ended: {lines:#?}");
            lines.push(line.trim_end().to_owned());
            if is_last(&line) {
                return lines;
            }
        }
    }

    /// Returns the lines up to the sum of a round of tests, and the sum apart.
    fn round(&mut self) -> (Vec<String>, String) {
        let mut lines = self.until(|line| line.contains("failed to load"));
        let sum = lines.pop().expect("the sum is a line");
        (lines, sum)
    }

    fn end(mut self) -> Option<i32> {
        let id = i32::try_from(self.child.id()).expect("ids are positive");
        let id = Pid::from_raw(id).expect("ids are positive");
        kill_process(id, Signal::INT).expect("it has not been waited for");
        self.child.wait().expect("it was started").code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // A test that fails leaves no process behind. One that has ended cannot be killed.
        let _has_ended = self.child.kill();
    }
}

fn class(name: &str) -> &'static [u8] {
    let mut all = applets::ALL.iter();
    all.find(|applet| applet.name == name)
        .expect("a shipped applet")
        .class
}

#[test]
fn changed_classes_and_their_tests_are_checked_again() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    let write = |name: &str, bytes: &[u8]| {
        fs::write(directory.join(name), bytes).expect("it can be written");
    };
    fs::create_dir(directory.join("build")).expect("it can be made");
    write("build/A.class", class("RawUnet"));
    write("a.toml", SCENARIO.as_bytes());

    let mut watching = Watching::begin(directory, ".");
    let (first, sum) = watching.round();
    assert!(first[0].starts_with("ok: ./build/A.class"), "{first:?}");
    assert_eq!(first[1], "ok: ./a.toml");
    assert_eq!(sum, "1 passed, 0 differ, 0 failed to load");
    watching.until(|line| line == "watching ., until Ctrl-C\n");

    // A file that no test reads, and then a class that is cut short.
    write("notes.txt", b"nothing");
    write("build/A.class", &class("RawUnet")[..200]);
    let (broken, sum) = watching.round();
    let names = |what: &str| broken.iter().any(|line| line.contains(what));
    assert!(names("A.class") && !names("notes"), "{broken:?}");
    assert_eq!(sum, "0 passed, 0 differ, 1 failed to load");

    // The whole class again, and another one beside it, which no test reads.
    write("build/A.class", class("RawUnet"));
    let (_, sum) = watching.round();
    assert_eq!(sum, "1 passed, 0 differ, 0 failed to load");
    write("build/B.class", class("Counter"));
    let alone = watching.until(|line| line.starts_with("ok: ./build/B.class"));
    assert_eq!(alone.len(), 1, "{alone:?}");

    // An expectation that is not met.
    write("a.toml", SCENARIO.replacen("hello", "hallo", 1).as_bytes());
    let (differs, sum) = watching.round();
    assert_eq!(differs[0], "differs: ./a.toml");
    assert_eq!(sum, "0 passed, 1 differ, 0 failed to load");
    assert_eq!(watching.end(), Some(0));
}

#[test]
fn one_scenario_is_run_when_a_class_beside_it_changes() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    let build = directory.join("build");
    fs::create_dir(&build).expect("it can be made");
    fs::write(build.join("A.class"), class("RawUnet")).expect("it can be written");
    fs::write(directory.join("a.toml"), SCENARIO).expect("it can be written");

    let mut watching = Watching::begin(directory, "a.toml");
    let (first, _) = watching.round();
    assert_eq!(first, ["ok: a.toml"]);
    watching.until(|line| line == "watching a.toml, until Ctrl-C\n");
    // As a compiler that writes to a new file and renames it.
    let short = &class("RawUnet")[..200];
    fs::write(build.join("new"), short).expect("it can be written");
    fs::rename(build.join("new"), build.join("A.class")).expect("it can be renamed");
    let (_, sum) = watching.round();
    assert_eq!(sum, "0 passed, 0 differ, 1 failed to load");
    assert_eq!(watching.end(), Some(0));
}

#[test]
fn path_that_is_not_there_is_an_error() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let output = Command::new(env!("CARGO_BIN_EXE_jive"))
        .args(["watch", "absent"])
        .current_dir(directory.path())
        .output()
        .expect("the binary was built for this test");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.starts_with("error: cannot watch absent: "), "{said}");
}
