//! Files that commands write: commands do not write through existing links and files of the same names.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use nic_runtime::scenario;

use crate::{jive_in, words};

/// Writes the built-in scenario `drop` as `drop.toml`.
fn drop_scenario(directory: &Path) {
    let builtin = scenario::builtin("drop").expect("it is shipped");
    fs::write(directory.join("drop.toml"), builtin.text).expect("it can be written");
}

/// Returns the sorted names of files in a directory and its subdirectories.
fn names(directory: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = vec![directory.to_owned()];
    while let Some(next) = rest.pop() {
        for entry in fs::read_dir(next).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                rest.push(path.clone());
            }
            let name = path.strip_prefix(directory).expect("it lies below");
            names.push(name.display().to_string());
        }
    }
    names.sort();
    names
}

#[test]
fn no_link_is_followed_where_a_command_derives_the_name() {
    // Each case has a link in an untrusted folder, and the command that is run in this folder.
    for (link, command) in [
        ("drop.trace.partial", "test drop.toml --bless"),
        ("drop.trace", "test drop.toml --bless"),
        ("unet/Nic.java", "stub --out ."),
    ] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let victim = directory.path().join("victim");
        drop_scenario(directory.path());
        fs::create_dir(directory.path().join("unet")).expect("it can be made");
        fs::write(&victim, "precious").expect("it can be written");
        symlink(&victim, directory.path().join(link)).expect("it can be made");
        let ended = jive_in(directory.path(), words(command), b"");
        assert_eq!(ended.status, 0, "{}", ended.err);
        let left = fs::read_to_string(&victim).expect("it is still there");
        assert_eq!(left, "precious", "{command} wrote through {link}");
    }
}

#[test]
fn a_command_leaves_the_files_it_names_and_no_other() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    drop_scenario(directory.path());
    let jive = |line: &str| jive_in(directory.path(), words(line), b"");
    assert_eq!(jive("run drop --perfetto a.json --pcap a.pcapng").status, 0);
    assert_eq!(jive("test drop.toml --bless").status, 0);
    assert_eq!(jive("stub --out .").status, 0);
    let whole = [
        "a.json",
        "a.pcapng",
        "drop.toml",
        "drop.trace",
        "unet",
        "unet/Nic.java",
    ];
    assert_eq!(names(directory.path()), whole);
    // A run that is refused creates no file and leaves an existing file unchanged.
    fs::write(directory.path().join("a.json"), "older").expect("it can be written");
    let nowhere = jive("run drop --perfetto a.json --pcap no/such/place");
    assert_eq!(nowhere.status, 2);
    assert_eq!(names(directory.path()), whole);
    let older = fs::read_to_string(directory.path().join("a.json")).expect("it is there");
    assert_eq!(older, "older");
}

#[test]
fn a_pipe_or_device_that_the_user_names_is_written_in_place() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = jive_in(
        directory.path(),
        words("run drop --trace none --pcap a.pcapng"),
        b"",
    );
    assert_eq!(file.status, 0);
    let capture = fs::read(directory.path().join("a.pcapng")).expect("it was written");
    // Standard output of the test's process is a pipe, on which the summary follows the timeline.
    let line = "run drop --trace none --perfetto /dev/stdout";
    let piped = jive_in(directory.path(), words(line), b"");
    assert_eq!(piped.status, 0, "{}", piped.err);
    assert!(piped.out.starts_with("{"), "{}", piped.out);
    assert!(piped.out.ends_with(&file.out), "{}", piped.out);
    let line = "run drop --trace none --perfetto /dev/null";
    assert_eq!(jive_in(directory.path(), words(line), b""), file);
    // A command can also write to a named pipe.
    let fifo = directory.path().join("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .expect("it can be made");
    let reader = std::thread::spawn(move || fs::read(fifo).expect("it can be read"));
    let line = "run drop --trace none --pcap fifo";
    assert_eq!(jive_in(directory.path(), words(line), b""), file);
    assert_eq!(reader.join().expect("no panic"), capture);
}

/// The scenario replays a capture to an endpoint, with capture, applet and profile from files.
const REPLAY: &str = r#"
profile = "profile.toml"
[[nic]]
name = "a"
[[endpoint]]
nic = "a"
name = "x"
applet = "Relay.class"
[[channel]]
x = [1, 2]
[[send]]
endpoint = "x"
channel = 1
payload = { pcap = "traffic.pcap" }
[[send]]
endpoint = "x"
channel = 1
payload = { file = "message" }
"#;

#[test]
fn no_output_replaces_an_input_or_another_output() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let here = directory.path();
    let write = |name: &str, bytes: &[u8]| fs::write(here.join(name), bytes).expect("written");
    write("replay.toml", REPLAY.as_bytes());
    write("replay", REPLAY.as_bytes());
    write("replay.trace", REPLAY.as_bytes());
    write("message", b"hello");
    let profile = include_bytes!("../../../nic-runtime/profiles/lanai-1998.toml");
    write("profile.toml", profile);
    for (from, to) in [
        ("Relay.class", "Relay.class"),
        ("loopback.pcap", "traffic.pcap"),
    ] {
        write(to, &fs::read(crate::classes().join(from)).expect("read"));
    }
    fs::create_dir(here.join("figures")).expect("it can be made");
    fs::write(here.join("figures/figure-3.svg"), profile).expect("written");
    symlink("replay.toml", here.join("link")).expect("it can be made");
    fs::hard_link(here.join("message"), here.join("hard")).expect("it can be made");
    let contents = || {
        let files = names(here).into_iter().map(|name| here.join(name));
        let files = files.filter(|path| path.is_file());
        Vec::from_iter(files.map(|path| (path.clone(), fs::read(path).expect("read"))))
    };
    let before = contents();
    for line in [
        "run replay.toml --pcap replay.toml",
        "run replay.toml --perfetto link",
        "run link --perfetto ./replay.toml",
        "run replay.toml --pcap traffic.pcap",
        "run replay.toml --pcap figures/../traffic.pcap",
        "run replay.toml --perfetto message",
        "run replay.toml --perfetto hard",
        "run replay.toml --perfetto Relay.class",
        "run replay.toml --perfetto profile.toml",
        "run replay.toml --perfetto new --pcap traffic.pcap",
        "run replay.toml --perfetto new --pcap new",
        "run replay.toml --perfetto new --pcap figures/../new",
        "run replay.toml --perfetto message --pcap hard",
        "test replay.trace --bless",
        "paper unet-sle --svg figures --profile figures/figure-3.svg",
    ] {
        let ended = jive_in(here, words(line), b"");
        assert_eq!(ended.status, 2, "{line}");
        assert!(ended.err.starts_with("error: cannot write "), "{line}");
        assert!(contents() == before, "{line} wrote something");
    }
    // Commands that overwrite nothing but their own outputs are allowed.
    for line in [
        "run replay.toml --perfetto /dev/null --pcap /dev/null",
        "run replay.toml --perfetto new --pcap other",
        "run replay.toml --perfetto new --pcap other",
        "test replay.toml --bless",
    ] {
        let ended = jive_in(here, words(line), b"");
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{line}");
    }
    // A file may have the name of a built-in scenario and still be an output file.
    let ended = jive_in(here, words("run drop --pcap drop"), b"");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
}

#[test]
fn no_output_goes_where_standard_output_goes() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for line in ["run --pcap out", "run --perfetto /dev/stdout"] {
        let path = directory.path().join("out");
        let out = fs::File::create(&path).expect("it can be made");
        let status = Command::new(env!("CARGO_BIN_EXE_jive"))
            .args(words(line))
            .current_dir(directory.path())
            .stdout(out)
            .stderr(Stdio::null())
            .status()
            .expect("the binary was built for this test");
        assert_eq!(status.code(), Some(2), "{line}");
        assert_eq!(fs::read(&path).expect("read"), b"", "{line}");
    }
}

/// Only `output_file.rs` creates a file or opens one for writing, so no other code can write through a link.
#[test]
fn one_module_writes_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut writers = Vec::new();
    for source in ["jive/src", "nic-experiment/src"] {
        for name in names(&root.join(source)) {
            let name = Path::new(source).join(name);
            let path = root.join(&name);
            if path.is_dir() {
                continue;
            }
            let text = fs::read_to_string(&path).expect("it is text");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let opens = ["File::create", "fs::write(", ".write(true)", "fs::rename"];
            if opens.iter().any(|word| code.contains(word)) {
                writers.push(name);
            }
        }
    }
    assert_eq!(writers, [Path::new("nic-experiment/src/output_file.rs")]);
}
