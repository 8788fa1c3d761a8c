//! A class may have names of 65,535 bytes, but events show such names shortened, however often they occur.

use std::fs;

use jive_core::limits::NAME_CHARS_MAX;
use jive_lab::asm::assemble;
use nic_core::event::fields::PayloadMode;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::summary::Summary;
use tests::simulation::{run, scenario, trace};

/// Length of the names in bytes.
const NAME: usize = 20_000;

const SCENARIO: &str = r#"
[[nic]]
name = "a"
[[endpoint]]
nic = "a"
name = "client"
applet = "Long.class"
[[channel]]
client = [1, 2]
[[send]]
endpoint = "client"
channel = 1
at = "10us"
payload = { text = "hello" }
"#;

#[test]
fn events_show_names_cut() {
    let (class, method) = ("C".repeat(NAME), "m".repeat(NAME));
    // `doTx` calls a method that divides by zero.
    let source = format!(
        ".class public super {class}\n\
         .method static doTx(III)I stack 1 locals 3\n    iconst_0\n    invokestatic {method}(I)I\n    ireturn\n\
         .method static {method}(I)I stack 2 locals 1\n    iconst_1\n    iload_0\n    idiv\n    ireturn\n"
    );
    let assembled = assemble("long", &source).expect("the source is right");
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("Long.class"), assembled.bytes).expect("it can be written");
    let scenario = scenario(SCENARIO, Some(directory.path()), None);
    let text = trace(&scenario);
    let mut json = JsonTrace::new(Vec::new(), PayloadMode::Shown, &scenario);
    run(&scenario, &mut json);
    let summary = Summary::new(&scenario);
    let json = json
        .finish(&summary)
        .expect("a vector takes all that is written");
    let json = String::from_utf8(json).expect("JSON is UTF-8");
    for (trace, event) in [(text, " trap "), (json, "\"trap\"")] {
        let trap = trace.lines().find(|line| line.contains(event));
        let trap = trap.unwrap_or_else(|| panic!("{trace:.2000}"));
        let cut = format!("\"{}…\"", "m".repeat(NAME_CHARS_MAX));
        assert!(trap.contains(&cut), "{trap:.500}");
        let cut = format!("\"{}…\"", "C".repeat(NAME_CHARS_MAX));
        assert!(trace.contains(&cut), "{trace:.2000}");
        // The summary has a count for each reason and each kind of trap, and this one has no names.
        let mut events = trace.lines().filter(|line| !line.contains("\"summary\""));
        assert!(events.all(|line| line.len() < 1_000), "{trace:.2000}");
    }
}
