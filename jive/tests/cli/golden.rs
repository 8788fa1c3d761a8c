//! `jive test`.

use std::fs;

use nic_runtime::scenario::BUILTIN;

use crate::{jive_in, words};

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
