//! `jive test`.

use std::fs;
use std::path::Path;

use nic_runtime::scenario::BUILTIN;

use crate::{classes, jive_in, words};

#[test]
fn golden_traces_are_made_compared_and_accepted() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let below = directory.path().join("below");
    fs::create_dir(&below).expect("it can be made");
    fs::write(below.join("drop.toml"), BUILTIN[5].text).expect("it can be written");
    fs::write(below.join("other.toml"), "no scenario").expect("it can be written");
    let jive = |line: &str| jive_in(directory.path(), words(line), b"");

    let nothing = jive("test");
    assert_eq!(
        (nothing.status, nothing.out.as_str()),
        (0, "0 golden traces, 0 differ\n")
    );
    let blessed = jive("test below/drop.toml --bless");
    assert_eq!(
        blessed.out,
        "blessed: below/drop.toml\n1 golden traces, 0 differ\n"
    );
    let same = jive("test");
    assert_eq!(
        (same.status, same.out.as_str()),
        (0, "ok: ./below/drop.toml\n1 golden traces, 0 differ\n")
    );

    let golden = below.join("drop.trace");
    let trace = fs::read_to_string(&golden).expect("it was blessed");
    fs::write(&golden, trace.replacen("length=6", "length=7", 1)).expect("it can be written");
    let differs = jive("test below");
    assert_eq!((differs.status, differs.err.as_str()), (1, ""));
    let change = |text: &str| {
        let lines = differs.out.lines();
        lines.filter(|line| line.contains(text)).count()
    };
    assert_eq!(
        (change("~ event"), change("length: 7 -> 6")),
        (1, 1),
        "{}",
        differs.out
    );
    assert!(
        differs.out.contains("differs: below/drop.toml"),
        "{}",
        differs.out
    );

    assert_eq!(jive("test --bless").status, 0);
    assert_eq!(fs::read_to_string(&golden).expect("it was blessed"), trace);
}

#[test]
fn a_golden_trace_of_a_wrong_scenario_is_2() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("a.toml"), "no scenario").expect("it can be written");
    fs::write(directory.path().join("a.trace"), "").expect("it can be written");
    let ended = jive_in(directory.path(), ["test"], b"");
    assert_eq!(ended.status, 2);
    assert!(ended.err.contains("expected TOML"), "{}", ended.err);
    assert_eq!(
        jive_in(directory.path(), words("test nowhere"), b"").status,
        2
    );
}

/// Sends a short message and a long one to the applet `Masker`.
const MASKED: &str = r#"
    [[nic]]
    name = "a"
    [[nic]]
    name = "b"
    [[endpoint]]
    nic = "a"
    name = "client"
    [[endpoint]]
    nic = "b"
    name = "server"
    applet = "Masker.class"
    [[channel]]
    client = 1
    server = 7
    [[send]]
    endpoint = "client"
    channel = 1
    at = "10us"
    payload = { text = "hello" }
    [[send]]
    endpoint = "client"
    channel = 1
    at = "500us"
    payload = { count = 65 }
"#;

/// A directory with the scenario `masked.toml`, its text with this more, and the applet.
fn masked(more: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let masker = classes().join("Masker.class");
    fs::copy(masker, directory.path().join("Masker.class")).expect("it can be copied");
    let text = format!("{MASKED}{more}");
    fs::write(directory.path().join("masked.toml"), text).expect("it can be written");
    directory
}

/// Has the applet exclusive-or with 0x3C in place of 0x5A: the operand of its one `bipush 0x5A`.
fn change_mask(directory: &Path) {
    let path = directory.join("Masker.class");
    let mut class = fs::read(&path).expect("it was copied");
    let at = class.windows(2).position(|code| code == [0x10, 0x5A]);
    class[at.expect("the instruction") + 1] = 0x3C;
    fs::write(path, class).expect("it can be written");
}

#[test]
fn a_golden_trace_with_payloads_shows_which_bytes_changed() {
    let directory = masked("[golden]\npayload = true\n");
    let jive = |line: &str| jive_in(directory.path(), words(line), b"");
    assert_eq!(jive("test masked.toml --bless").status, 0);
    assert_eq!(jive("test").status, 0);
    change_mask(directory.path());
    let differs = jive("test");
    assert_eq!(differs.status, 1, "{}", differs.out);
    // `hello` is 68 65 6c 6c 6f.
    let bytes = "    payload: 323f363635 -> 5459505053\n";
    assert!(differs.out.contains(bytes), "{}", differs.out);
    // As `sha256sum` has them, of 0 to 64, each byte exclusive-or 0x5A, and 0x3C.
    let digests = "    payload: sha256:121da885fd85220c835c0060df9672e5453c73d9a5390f960af7c0cde926fa54\n          -> sha256:1d2b08a8f774ead09e17823fb996f7c5269e9497142d17fcfa038d088b70d76f\n";
    assert!(differs.out.contains(digests), "{}", differs.out);
    assert_eq!(differs.out.matches("~ event").count(), 2, "{}", differs.out);
}

#[test]
fn a_golden_trace_without_payloads_does_not_see_bytes() {
    let directory = masked("");
    let jive = |line: &str| jive_in(directory.path(), words(line), b"");
    assert_eq!(jive("test masked.toml --bless").status, 0);
    change_mask(directory.path());
    assert_eq!(jive("test").status, 0);
}

#[test]
fn a_golden_trace_without_times_stands_when_only_they_change() {
    for (settings, status) in [
        ("", 1),
        ("[golden]\ntimes = \"order\"\n", 0),
        ("[golden]\ntimes = \"none\"\n", 0),
    ] {
        let directory = masked(settings);
        let jive = |line: &str| jive_in(directory.path(), words(line), b"");
        assert_eq!(jive("test masked.toml --bless").status, 0);
        let path = directory.path().join("masked.toml");
        let text = fs::read_to_string(&path).expect("it was written");
        fs::write(&path, text.replace("500us", "700us")).expect("it can be written");
        let ended = jive("test");
        assert_eq!(ended.status, status, "{settings}: {}", ended.out);
    }
}
