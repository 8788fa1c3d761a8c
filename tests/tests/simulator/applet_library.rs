//! The library of applets is complete: each applet has its source, class file, scenario, golden trace and page. The run
//! of each scenario meets its expectations and equals its golden trace.

use nic_runtime::Run;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use nic_core::event::EndReason;
use nic_runtime::export::golden::GoldenTrace;
use nic_runtime::scenario::{BUILTIN, parse};
use traffic::library::library;

/// Maximum number of lines of a source.
const LINES_MAX: usize = 199;

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the names of the files with an extension in a directory, without the extension.
fn names(directory: &str, extension: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(repository(directory)).expect("a committed directory");
    let paths = entries.map(|entry| entry.expect("a readable directory").path());
    let wanted = paths.filter(|path| path.extension().is_some_and(|found| found == extension));
    wanted
        .map(|path| {
            let stem = path.file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        })
        .collect()
}

#[test]
fn sources_classes_and_the_table_have_the_same_names() {
    let table: BTreeSet<String> = applets::ALL
        .iter()
        .map(|applet| applet.name.to_owned())
        .collect();
    assert_eq!(names("applets/java", "java"), table);
    assert_eq!(names("applets/class", "class"), table);
}

#[test]
fn each_applet_has_a_scenario_a_golden_trace_and_a_page() {
    let index = text("docs/applets/README.md");
    for (applet, name) in library() {
        let scenario = text(&format!("nic-runtime/scenarios/{name}.toml"));
        let uses = format!("applet = \"builtin:{}\"", applet.name);
        assert!(scenario.contains(&uses), "{name}: {uses}");
        assert!(scenario.contains("[[expect]]"), "{name}");
        assert!(!text(&format!("nic-runtime/scenarios/{name}.trace")).is_empty());
        let page = text(&format!("docs/applets/{name}.md"));
        assert!(page.contains(&format!("jive run {name}\n")), "{name}");
        assert!(page.contains("## Cost of a packet"), "{name}");
        assert!(page.contains("## What holds"), "{name}");
        let row = format!("| [{}]({name}.md) |", applet.name);
        assert!(index.contains(&row), "docs/applets/README.md lacks {row}");
    }
    let mut pages: BTreeSet<String> = library().map(|(_, name)| name).collect();
    // Two further pages introduce the library, and describe an endpoint with several applets.
    pages.extend(["README".to_owned(), "chain".to_owned()]);
    assert_eq!(names("docs/applets", "md"), pages);
}

#[test]
fn each_source_is_short_and_draws_its_packet() {
    for (applet, _) in library() {
        let lines = applet.source.lines().count();
        assert!(lines <= LINES_MAX, "{}: {lines} lines", applet.name);
        assert!(applet.source.contains(" * <pre>"), "{}", applet.name);
    }
}

#[test]
fn scenarios_meet_expectations_and_golden_traces() {
    let traces = names("nic-runtime/scenarios", "trace");
    assert!(library().all(|(_, name)| traces.contains(&name)));
    for name in traces {
        let builtin = BUILTIN.iter().find(|builtin| builtin.name == name);
        let builtin = builtin.unwrap_or_else(|| panic!("{name} is no built-in scenario"));
        let scenario = parse(builtin.text.as_bytes(), None, None);
        let scenario = scenario.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let mut trace = GoldenTrace::new(Vec::new(), scenario.golden);
        let (end, judgement) = Run::new(&scenario)
            .sink(&mut trace)
            .judge()
            .execute()
            .expect("it can be simulated")
            .judged();
        assert_eq!(end.reason, EndReason::Idle, "{name}");
        let judgement = judgement.expect("it has expectations");
        assert!(judgement.unmet.is_empty(), "{name}: {:?}", judgement.unmet);
        let trace = trace.finish().expect("a vector takes all that is written");
        let golden = text(&format!("nic-runtime/scenarios/{name}.trace"));
        // The message names `jive test`, which shows the difference.
        assert!(
            golden.as_bytes() == trace,
            "{name}: cargo run -- test nic-runtime/scenarios --bless"
        );
    }
}
