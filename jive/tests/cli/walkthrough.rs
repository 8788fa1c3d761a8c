//! Runs the commands of the README, the tutorial, the guides and the applets' pages exactly as written, each page in an
//! empty directory.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{jive_in, words};
use crate::skipped::skip;

/// A fenced block of a page: its language and its lines.
struct Block<'r> {
    language: &'r str,
    text: &'r str,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut fences = page.split("\n```");
    fences.next();
    let open = fences.step_by(2);
    open.map(|block| {
        let (language, text) = block.split_once('\n').expect("a block has lines");
        Block { language, text }
    })
    .collect()
}

/// The file name that a block gives in a comment on its first line.
fn file_name<'r>(block: &Block<'r>) -> &'r str {
    let first = block.text.lines().next().unwrap_or_default();
    first.trim_start_matches(['/', '#', ';', ' '])
}

fn has_javac() -> bool {
    let probe = Command::new("javac")
        .arg("-version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    probe.is_ok_and(|status| status.success())
}

/// Runs a command of a page, which must succeed unless `|| true` follows, and returns its output.
fn follow(directory: &Path, line: &str) -> String {
    let (line, may_fail) = match line.strip_suffix(" || true") {
        Some(line) => (line, true),
        None => (line, false),
    };
    let mut arguments = words(line);
    match arguments.next() {
        Some("jive") => {
            let ended = jive_in(directory, arguments, b"");
            assert_eq!(ended.status != 0, may_fail, "{line}: {}", ended.err);
            ended.out + &ended.err
        }
        Some("java") => {
            let output = Command::new("java")
                .args(arguments)
                .current_dir(directory)
                .output()
                .expect("java comes with javac");
            assert!(output.status.success(), "{line}");
            String::from_utf8(output.stdout).expect("UTF-8")
        }
        Some("javac") => {
            let status = Command::new("javac")
                .args(arguments)
                .arg("-Xlint:-options")
                .current_dir(directory)
                .status()
                .expect("javac was found");
            assert!(status.success(), "{line}");
            String::new()
        }
        other => panic!("{line}: nobody knows how to run {other:?}"),
    }
}

/// Runs all commands of a page of the repository, and returns the page and the output of its commands.
fn follow_page(page: &str) -> (String, String) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(page);
    let page = fs::read_to_string(page).expect("the page is in the repository");
    let temporary = tempfile::tempdir().expect("a directory for the test");
    let mut directory = temporary.path().to_owned();
    let mut printed = String::new();
    for block in blocks(&page) {
        match block.language {
            "java" | "toml" | "jasm" | "bash" => {
                let path = directory.join(file_name(&block));
                fs::write(path, block.text).expect("the directory is writable");
            }
            "sh" => {
                for line in block.text.lines() {
                    match line.strip_prefix("cd ") {
                        Some(inner) => directory.push(inner),
                        None => printed.push_str(&follow(&directory, line)),
                    }
                }
            }
            "text" => {
                for line in block.text.lines() {
                    assert!(
                        printed.lines().any(|shown| shown.trim() == line.trim()),
                        "the page shows a line that no command before it prints: {line}\n{printed}"
                    );
                }
            }
            // Skip blocks of Rust, which are fragments: the example of jive-embed has the whole program.
            "rust" => {}
            other => panic!("a block of `{other}`: say here how to follow it"),
        }
    }
    (page, printed)
}

#[test]
fn every_page_with_commands_is_followed() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let pages = fs::read_dir(docs).expect("a committed directory");
    let paths = pages.map(|page| page.expect("a readable directory").path());
    let with_commands = paths.filter(|path| {
        let is_page = path.extension().is_some_and(|extension| extension == "md");
        is_page
            && fs::read_to_string(path)
                .expect("UTF-8")
                .contains("\n```sh\n")
    });
    let names = with_commands.map(|path: PathBuf| {
        let name = path.file_name().expect("it is a file");
        name.to_str().expect("UTF-8").to_owned()
    });
    let followed = [
        "assembly.md",
        "bound.md",
        "debugging.md",
        "profiling.md",
        "replacing.md",
        "research.md",
        "scenario.md",
        "seeing.md",
        "sweep.md",
        "tutorial.md",
    ];
    let followed = followed.map(str::to_owned);
    assert_eq!(names.collect::<BTreeSet<_>>(), BTreeSet::from(followed));
}

#[test]
fn a_reader_can_see_a_run_as_the_guide_says() {
    if !has_javac() {
        skip("following the guide to seeing", "no `javac` on the path");
        return;
    }
    let (_, printed) = follow_page("docs/seeing.md");
    // The output has the summary of the applet on the packets of the capture.
    assert!(printed.contains("posted        20 messages"), "{printed}");
    assert!(printed.contains("fields of applet"), "{printed}");
}

#[test]
fn the_commands_of_the_reference_do_as_shown() {
    follow_page("docs/scenario.md");
    let (_, printed) = follow_page("docs/bound.md");
    assert_eq!(printed.matches("Counter, times of").count(), 2);
}

#[test]
fn a_researcher_can_follow_the_pages_of_the_kit() {
    let (_, printed) = follow_page("docs/assembly.md");
    assert!(printed.contains("wrote Overflow.class"), "{printed}");
    follow_page("docs/research.md");
}

#[test]
fn a_reader_can_profile_an_applet_as_the_guide_says() {
    let (_, printed) = follow_page("docs/profiling.md");
    // The guide to profiling runs the same scenario a second time, with another seed.
    assert!(printed.contains("\nbytecodes  "), "{printed}");
}

#[test]
fn a_student_can_follow_the_tutorial() {
    if !has_javac() {
        skip("following the tutorial", "no `javac` on the path");
        return;
    }
    let (page, _) = follow_page("docs/tutorial.md");
    let steps = page.lines().filter(|line| line.starts_with("## ")).count();
    // The tutorial has ten steps, and two sections after them.
    assert_eq!(steps, 12);
}

#[test]
fn a_reader_can_replace_an_applet_as_the_guide_says() {
    if !has_javac() {
        skip("following the guide to replacing", "no `javac` on the path");
        return;
    }
    let (_, printed) = follow_page("docs/replacing.md");
    let swaps = printed.lines().filter(|line| line.contains("applet-swap"));
    let swaps: Vec<_> = swaps.map(|line| line.contains("carried=2")).collect();
    assert_eq!(swaps, [true, true]);
    let met = printed.lines().filter(|line| line.contains("2 met"));
    assert_eq!(met.count(), 2, "{printed}");
}

#[test]
fn a_student_can_follow_the_guide_to_debugging() {
    if !has_javac() {
        skip("following the guide to debugging", "no `javac` on the path");
        return;
    }
    let (page, _) = follow_page("docs/debugging.md");
    // The guide to debugging has two blocks of printed lines.
    assert_eq!(page.matches("```text").count(), 2);
}

#[test]
fn the_sweep_of_the_guide_is_the_same_in_shards() {
    let (_, printed) = follow_page("docs/sweep.md");
    let window = Some("16");
    let rows = printed
        .lines()
        .filter(|line| line.split_whitespace().nth(1) == window);
    // The whole sweep and the joined shards print three points each.
    assert_eq!(rows.count(), 6, "{printed}");
}

#[test]
fn each_page_of_an_applet_prints_what_it_shows() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/applets");
    for page in fs::read_dir(pages).expect("a committed directory") {
        let name = page.expect("a readable directory").file_name();
        let page = format!("docs/applets/{}", name.to_string_lossy());
        let (page, _) = follow_page(&page);
        assert!(page.starts_with("# "));
    }
}

#[test]
fn a_new_user_can_follow_the_readme() {
    if !has_javac() {
        skip("following the README", "no `javac` on the path");
        return;
    }
    let (readme, printed) = follow_page("README.md");
    let shown: Vec<&str> = readme
        .lines()
        .filter(|line| line.contains(" us  "))
        .map(str::trim)
        .collect();
    assert!(!shown.is_empty(), "the README shows a piece of the trace");
    for line in shown {
        assert!(
            printed.lines().any(|event| event.trim() == line),
            "the README shows an event that the run does not print: {line}"
        );
    }
    assert!(printed.contains("ok: Parrot.class"), "{printed}");
    assert!(
        printed.contains("1 passed, 0 differ, 0 failed to load"),
        "{printed}"
    );
}
