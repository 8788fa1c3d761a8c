//! Tests of `docs/limits.md`: a command's memory and output are bounded whatever a folder contains. A command never
//! waits for a file that a folder or scenario names.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use nic_runtime::scenario;

use crate::{classes, words};

/// The address space that each command may use, in KiB, including code and threads.
const MEMORY_KIB: u32 = 1 << 20;

/// Maximum number of bytes that a command prints in these tests, on both streams.
const OUTPUT_MAX: usize = 3 << 20;

/// Runs `jive` with limited memory, and returns its exit status and output.
fn confined(directory: &Path, line: &str, input: Option<&str>) -> (i32, String) {
    let input = input.map_or_else(Stdio::null, |path| {
        File::open(path).expect("it can be opened").into()
    });
    let Output {
        status,
        mut stdout,
        stderr,
    } = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {MEMORY_KIB}; exec \"$0\" \"$@\""))
        .arg(env!("CARGO_BIN_EXE_jive"))
        .args(words(line))
        .current_dir(directory)
        .stdin(input)
        .output()
        .expect("every Unix has a shell");
    stdout.extend(stderr);
    assert!(stdout.len() < OUTPUT_MAX, "{line}: {} bytes", stdout.len());
    let printed = String::from_utf8(stdout).expect("it is text");
    let status = status.code();
    (
        status.unwrap_or_else(|| panic!("{line}: {printed}")),
        printed,
    )
}

fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("every Unix has it").success());
}

/// Writes the built-in scenario `drop`, with invalid content as its golden trace.
fn scenario_in(directory: &Path) {
    let builtin = scenario::builtin("drop").expect("it is shipped");
    fs::write(directory.join("drop.toml"), builtin.text).expect("it can be written");
}

#[test]
fn a_golden_trace_of_any_content_takes_little() {
    // Each case has a function that writes the golden trace, the exit status, and a part of the output.
    type Lay = fn(&Path);
    let cases: [(Lay, i32, &str); 6] = [
        (
            |path| {
                // The golden trace is a single line of the largest allowed size, in a sparse file that occupies no disk
                // space.
                let file = File::create(path).expect("it can be made");
                file.set_len(1 << 28).expect("it can be long");
            },
            2,
            "cannot read ./drop.trace: expected lines of at most 65536 bytes, found a longer one in line 1",
        ),
        (
            |path| {
                let file = File::create(path).expect("it can be made");
                file.set_len(1 << 40).expect("it can be long");
            },
            2,
            "expected at most 268435456 bytes, found more",
        ),
        (
            |path| {
                let line = "\u{1b}".repeat(60_000) + "\n";
                fs::write(path, line.repeat(200)).expect("it can be written");
            },
            1,
            "differs: ./drop.toml",
        ),
        (
            |path| fs::write(path, "\n".repeat(1 << 24)).expect("it can be written"),
            1,
            "(not compared behind event 2000: 16775216 more in the golden trace, 0 more now)",
        ),
        (
            |path| symlink("/dev/zero", path).expect("it can be made"),
            2,
            "cannot read ./drop.trace: expected a regular file, found a device",
        ),
        (
            fifo,
            2,
            "cannot read ./drop.trace: expected a regular file, found a pipe",
        ),
    ];
    for (lay, status, part) in cases {
        let directory = tempfile::tempdir().expect("a temporary directory");
        scenario_in(directory.path());
        lay(&directory.path().join("drop.trace"));
        let ended = confined(directory.path(), "test", None);
        assert_eq!(ended.0, status, "{part}: {}", ended.1);
        assert!(ended.1.contains(part), "{part}: {}", ended.1);
    }
}

#[test]
fn test_waits_for_no_scenario_of_a_folder() {
    for device in [None, Some("/dev/zero")] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        scenario_in(directory.path());
        for name in ["drop.trace", "other.trace"] {
            fs::write(directory.path().join(name), "").expect("it can be written");
        }
        let other = directory.path().join("other.toml");
        match device {
            None => fifo(&other),
            Some(device) => symlink(device, &other).expect("it can be made"),
        }
        for line in [
            "test",
            "test other.toml",
            "test --bless",
            "test other.toml --bless",
        ] {
            let (status, printed) = confined(directory.path(), line, None);
            assert_eq!(status, 2, "{printed}");
            assert!(printed.contains("expected a regular file"), "{printed}");
        }
    }
}

#[test]
fn a_scenario_may_name_regular_files_alone() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fifo(&directory.path().join("pipe"));
    symlink("/dev/zero", directory.path().join("zero")).expect("it can be made");
    for file in ["pipe", "zero", "/dev/zero", "/dev/tty"] {
        for (endpoint, payload) in [
            (format!("applet = \"{file}\""), "{ zeros = 1 }".to_owned()),
            (String::new(), format!("{{ file = \"{file}\" }}")),
            (String::new(), format!("{{ pcap = \"{file}\" }}")),
        ] {
            let text = format!(
                "[[nic]]\nname = \"a\"\n[[endpoint]]\nnic = \"a\"\nname = \"x\"\n{endpoint}\n\
                 [[channel]]\nx = [1, 2]\n\
                 [[send]]\nendpoint = \"x\"\nchannel = 1\npayload = {payload}\n"
            );
            fs::write(directory.path().join("s.toml"), text).expect("it can be written");
            let (status, printed) = confined(directory.path(), "run s.toml", None);
            assert_eq!(status, 2, "{file}: {printed}");
            // A process without a terminal cannot open `/dev/tty`.
            let part = "expected a regular file, found";
            assert!(
                printed.contains(part) || file == "/dev/tty",
                "{file}: {printed}"
            );
        }
    }
}

#[test]
fn endless_input_from_the_user_is_cut() {
    let class = classes().join("Bounds.class");
    let class = class.display();
    for (line, status, part) in [
        ("verify -", 1, "error[limit/file-size]"),
        ("verify /dev/stdin", 1, "error[limit/file-size]"),
        ("verify --format json - -", 1, "limit/file-size"),
        ("disasm -", 1, "error[limit/file-size]"),
        ("exec - f", 1, "error[limit/file-size]"),
        (
            &format!("exec --calls /dev/stdin {class}"),
            2,
            "expected at most",
        ),
        (
            "run /dev/stdin",
            2,
            "cannot read the scenario /dev/stdin: expected at most",
        ),
        (
            "paper unet-sle --profile /dev/stdin",
            2,
            "cannot read the profile",
        ),
    ] {
        let (found, printed) = confined(Path::new("."), line, Some("/dev/zero"));
        assert_eq!(found, status, "{line}: {printed}");
        assert!(printed.contains(part), "{line}: {printed}");
    }
}

#[test]
fn mistakes_in_one_long_line_are_shown_shortly() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let text = format!("a = [{}]", "[1,],,".repeat(150_000));
    let unknown = format!("nic = [{}]", "{ nmae = 1 },".repeat(250_000));
    for text in [text, unknown] {
        fs::write(directory.path().join("s.toml"), text).expect("it can be written");
        let (status, printed) = confined(directory.path(), "run s.toml", None);
        assert_eq!(status, 2, "{printed}");
    }
}

/// Returns a scenario whose only endpoint sends these payloads to itself.
fn sending(payloads: &[&str]) -> String {
    let sends = payloads
        .iter()
        .map(|payload| format!("[[send]]\nendpoint = \"x\"\nchannel = 1\npayload = {payload}\n"));
    format!(
        "[[nic]]\nname = \"a\"\n[[endpoint]]\nnic = \"a\"\nname = \"x\"\n\
         [[channel]]\nx = [1, 2]\n{}",
        sends.collect::<String>()
    )
}

#[test]
fn a_capture_of_any_content_takes_little() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("x.pcap");
    let text = sending(&["{ pcap = \"x.pcap\" }"]);
    let text = format!("max_events = 1000\n{text}");
    fs::write(directory.path().join("s.toml"), text).expect("it can be written");
    // Zeros after the header of a pcap file are empty packets: make as many as a file may contain.
    let head = [
        0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0,
    ];
    fs::write(&path, head).expect("it can be written");
    let file = File::options().write(true).open(&path);
    let longest = 1 << 27;
    let whole_records = longest - (longest - 24) % 16;
    file.and_then(|file| file.set_len(whole_records))
        .expect("it can be long");
    let (status, printed) = confined(directory.path(), "run s.toml --trace none", None);
    assert_eq!(status, 0, "{printed}");
    let part = "the limit `max_events` was reached";
    assert!(printed.contains(part), "{printed}");

    // Write a pcapng file with many interfaces and no packets.
    let section = [0x0a0d_0d0a_u32, 28, 0x1a2b_3c4d, 1, u32::MAX, u32::MAX, 28];
    let interfaces = [1_u32, 20, 1, 0, 20].repeat(70_000);
    let words = section.into_iter().chain(interfaces);
    let bytes = words.flat_map(u32::to_le_bytes).collect::<Vec<_>>();
    fs::write(&path, bytes).expect("it can be written");
    let (status, printed) = confined(directory.path(), "run s.toml", None);
    assert_eq!(status, 2, "{printed}");
    let part = "expected a capture of at most 65536 packets and interfaces";
    assert!(printed.contains(part), "{printed}");
}

#[test]
fn scenarios_cannot_read_or_make_endless_data() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = File::create(directory.path().join("x.bin")).expect("it can be made");
    file.set_len(1 << 26).expect("it can be long");
    for (payload, part) in [
        (
            "{ file = \"x.bin\" }",
            "expected at most 268435456 bytes of files to send",
        ),
        ("{ pcap = \"x.bin\" }", "expected a capture file"),
        (
            "{ random = 67108864 }",
            "expected at most 67108864 bytes of payloads",
        ),
    ] {
        let text = sending(&vec![payload; 40]);
        fs::write(directory.path().join("s.toml"), text).expect("it can be written");
        let (status, printed) = confined(directory.path(), "run s.toml", None);
        assert_eq!(status, 2, "{printed}");
        assert!(printed.contains(part), "{payload}: {printed}");
    }
}

#[test]
fn unreadable_directory_stops_no_other_test() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    scenario_in(directory.path());
    let (status, printed) = confined(directory.path(), "test drop.toml --bless", None);
    assert_eq!(status, 0, "{printed}");
    // Make nested directories whose path is longer than the system allows.
    let made = Command::new("sh")
        .arg("-c")
        .arg("n=$(printf %0200d 0); for i in $(seq 25); do mkdir $n && cd -P $n || exit; done")
        .current_dir(directory.path())
        .status();
    assert!(made.expect("every Unix has a shell").success());
    let (status, printed) = confined(directory.path(), "test", None);
    assert_eq!(status, 2, "{printed}");
    assert!(printed.contains("ok: ./drop.toml\n"), "{printed}");
    assert!(printed.contains("error: cannot read ./000"), "{printed}");
}
