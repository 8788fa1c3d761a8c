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
    let drop = BUILTIN.iter().find(|builtin| builtin.name == "drop");
    let drop = drop.expect("it is shipped").text;
    fs::write(below.join("drop.toml"), drop).expect("it can be written");
    fs::write(below.join("other.toml"), "no scenario").expect("it can be written");
    let jive = |line: &str| jive_in(directory.path(), words(line), b"");

    let nothing = jive("test");
    assert_eq!((nothing.status, nothing.out.as_str()), (2, ""));
    let title = "error: no scenario below . is a test\n";
    assert!(nothing.err.starts_with(title), "{}", nothing.err);
    let allowed = jive("test --allow-empty");
    assert_eq!(
        (allowed.status, allowed.out.as_str(), allowed.err.as_str()),
        (0, "0 passed, 0 differ, 0 failed to load\n", "")
    );
    let blessed = jive("test below/drop.toml --bless");
    assert_eq!(
        blessed.out,
        "blessed: below/drop.toml (wrote below/drop.trace)\n\
         1 passed, 0 differ, 0 failed to load\n"
    );
    let again = jive("test below/drop.toml --bless");
    assert_eq!(
        again.out,
        "blessed: below/drop.toml (the same as before: below/drop.trace)\n\
         1 passed, 0 differ, 0 failed to load\n"
    );
    let same = jive("test");
    assert_eq!(
        (same.status, same.out.as_str()),
        (
            0,
            "ok: ./below/drop.toml\n1 passed, 0 differ, 0 failed to load\n"
        )
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

/// The scenario sends a short message and a long one to the applet `Masker`.
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

/// Returns a directory with the applet and the scenario `masked.toml`, which ends with the text `more`.
fn masked(more: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let masker = classes().join("Masker.class");
    fs::copy(masker, directory.path().join("Masker.class")).expect("it can be copied");
    let text = format!("{MASKED}{more}");
    fs::write(directory.path().join("masked.toml"), text).expect("it can be written");
    directory
}

/// Changes the applet's only `bipush 0x5A`, so that the applet exclusive-ors with 0x3C in place of 0x5A.
fn change_mask(directory: &Path) {
    let path = directory.join("Masker.class");
    let mut class = fs::read(&path).expect("it was copied");
    let at = class.windows(2).position(|code| code == [0x10, 0x5A]);
    class[at.expect("the instruction") + 1] = 0x3C;
    fs::write(path, class).expect("it can be written");
}

#[test]
fn a_golden_trace_with_payloads_shows_which_bytes_changed() {
    let directory = masked("");
    let jive = |line: &str| jive_in(directory.path(), words(line), b"");
    assert_eq!(jive("test masked.toml --bless").status, 0);
    assert_eq!(jive("test").status, 0);
    change_mask(directory.path());
    let differs = jive("test");
    assert_eq!(differs.status, 1, "{}", differs.out);
    // The bytes of `hello` are 68 65 6c 6c 6f.
    let bytes = "    payload: 323f363635 -> 5459505053\n";
    assert!(differs.out.contains(bytes), "{}", differs.out);
    // The digests are those that `sha256sum` prints for the bytes 0 to 64, each exclusive-or 0x5A, and each
    // exclusive-or 0x3C.
    let digests = "    payload: sha256:121da885fd85220c835c0060df9672e5453c73d9a5390f960af7c0cde926fa54\n          -> sha256:1d2b08a8f774ead09e17823fb996f7c5269e9497142d17fcfa038d088b70d76f\n";
    assert!(differs.out.contains(digests), "{}", differs.out);
    assert_eq!(differs.out.matches("~ event").count(), 2, "{}", differs.out);
}

#[test]
fn a_golden_trace_without_payloads_does_not_see_bytes() {
    let directory = masked("[golden]\npayload = false\n");
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

#[test]
fn the_last_line_adds_up_and_a_filter_chooses() {
    let directory = masked("[[expect]]\ndrops = 0\n");
    let path = |name: &str| directory.path().join(name);
    let text = fs::read_to_string(path("masked.toml")).expect("it was written");
    for (name, text) in [
        ("drops.toml", text.replace("drops = 0", "drops = 1")),
        ("mistake.toml", text.replace("drops = 0", "drop = 0")),
        (
            "no-class.toml",
            text.replace("Masker.class", "Nobody.class"),
        ),
        ("other.toml", "[package]\nname = \"no test\"\n".to_owned()),
    ] {
        fs::write(path(name), text).expect("it can be written");
    }
    let jive = |line: &str| jive_in(directory.path(), words(line), b"");
    for jobs in ["", " --jobs 1", " --jobs 7"] {
        let all = jive(&format!("test{jobs}"));
        assert_eq!(all.status, 2, "{}", all.err);
        let end = "\n1 passed, 1 differ, 2 failed to load\n";
        assert!(all.out.ends_with(end), "{}", all.out);
        assert!(all.err.contains("did you mean `drops`?"), "{}", all.err);
    }
    let filtered = jive("test . --filter mask");
    assert_eq!(
        (filtered.status, filtered.out.as_str()),
        (
            0,
            "ok: ./masked.toml\n1 passed, 0 differ, 0 failed to load\n"
        )
    );
    let nothing = jive("test --filter nothing");
    assert_eq!(nothing.status, 2);
    let title = "error: no test below . has a path that contains `nothing`\n";
    assert!(nothing.err.starts_with(title), "{}", nothing.err);
    assert_eq!(jive("test --filter nothing --allow-empty").status, 0);
    assert_eq!(jive("test --jobs 0").status, 2);
}

#[test]
fn results_are_written_as_junit_xml() {
    let directory = masked("[[expect]]\nendpoint = \"server\"\npayload = { text = \"hello\" }\n");
    let path = |name: &str| directory.path().join(name);
    let text = fs::read_to_string(path("masked.toml")).expect("it was written");
    let broken = text.replace("[[nic]]", "[[nick]]");
    fs::write(path("broken.toml"), broken).expect("it can be written");
    fs::create_dir(path("below")).expect("it can be made");
    fs::write(path("below/drop.toml"), BUILTIN[5].text).expect("it can be written");
    let jive = |line: &str| jive_in(directory.path(), words(line), b"");
    assert_eq!(jive("test below/drop.toml --bless").status, 0);
    let ended = jive("test --junit results.xml");
    assert_eq!(ended.status, 2);
    let document = fs::read_to_string(path("results.xml")).expect("it was written");
    let document = roxmltree::Document::parse(&document).expect("XML");
    let suite = document
        .descendants()
        .find(|node| node.has_tag_name("testsuite"));
    let suite = suite.expect("a suite");
    for (attribute, count) in [("tests", "3"), ("failures", "1"), ("errors", "1")] {
        assert_eq!(suite.attribute(attribute), Some(count), "{attribute}");
    }
    let cases = suite.children().filter(roxmltree::Node::is_element);
    let cases = cases.map(|case| {
        let result = case.first_element_child();
        (
            case.attribute("classname").unwrap_or_default(),
            case.attribute("name").unwrap_or_default(),
            result.map_or("", |result| result.tag_name().name()),
        )
    });
    assert_eq!(
        cases.collect::<Vec<_>>(),
        [
            ("./below", "drop.toml", ""),
            (".", "broken.toml", "error"),
            (".", "masked.toml", "failure"),
        ]
    );
    let failure = document
        .descendants()
        .find(|node| node.has_tag_name("failure"));
    let shown = failure.and_then(|node| node.text()).expect("a text");
    assert!(shown.contains("byte 0 differs"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn results_never_replace_their_inputs() {
    let directory = masked("[[expect]]\ndrops = 0\n");
    let jive = |line: &str| jive_in(directory.path(), words(line), b"");
    for file in ["masked.toml", "Masker.class"] {
        let before = fs::read(directory.path().join(file)).expect("it is there");
        let ended = jive(&format!("test --junit {file}"));
        assert_eq!(ended.status, 2);
        assert!(
            ended.err.contains("the command reads it as"),
            "{}",
            ended.err
        );
        assert_eq!(
            fs::read(directory.path().join(file)).expect("still there"),
            before
        );
    }
}

/// Sizes of code other than that of a run stand in a golden trace that was written before a class was compiled anew.
#[test]
fn code_size_is_compared_on_request() {
    for (more, shows) in [("", false), ("[golden]\ncode = \"exact\"\n", true)] {
        let directory = masked(more);
        let jive = |line: &str| jive_in(directory.path(), words(line), b"");
        assert_eq!(jive("test masked.toml --bless").status, 0);
        let path = directory.path().join("masked.trace");
        let trace = fs::read_to_string(&path).expect("it was blessed");
        assert_eq!(trace.contains(" code_bytes="), shows, "{trace}");
        assert!(trace.contains(" payload="), "{trace}");
        let events = jive("run masked.toml --trace text");
        assert!(events.out.contains(" code_bytes="), "{}", events.out);
        // Another size, as of the same method compiled anew.
        let other = trace.replace(" code_bytes=", " code_bytes=9");
        fs::write(&path, other).expect("it can be written");
        assert_eq!(jive("test").status, i32::from(shows));
    }
}
