//! Fuzz targets that run the simulator and the commands on files that `SECURITY.md` calls hostile: scenarios, captures,
//! golden traces and class files.

use nic_runtime::Run;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jive::cli::said;
use jive_verifier::Policy;
use nic_core::event::{Event, Names, Sink};
use nic_core::id::PacketId;
use nic_core::sle::NicEntry;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::export::PayloadMode;
use nic_runtime::export::follow::Story;
use nic_runtime::export::golden::GoldenTrace;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::pcapng::Capture;
use nic_runtime::export::perfetto::PerfettoTrace;
use nic_runtime::export::summary::Summary;
use nic_runtime::export::text::TextTrace;
use nic_runtime::judge::Judgement;
use nic_runtime::scenario::{BUILTIN, parse};
use nic_runtime::spec::{Code, GoldenSettings, Scenario, Times};
use pcap_file::pcapng::PcapNgReader;

use crate::captures::{self, Shape};

/// Maximum number of events of a run.
const EVENTS_MAX: u64 = 2_000;
/// Maximum number of instructions of a run.
const BYTECODES_MAX: u64 = 200_000;
/// Longest virtual time of a run.
const UNTIL_MAX: SimDuration = SimDuration::from_ns(20_000_000);
/// Maximum fuel of a call.
const FUEL_MAX: u64 = 5_000;
/// Maximum number of bytes that a run may allocate at its start; more would slow the fuzzer down.
const MEMORY_MAX: u64 = 16 << 20;
/// Maximum number of NICs or endpoints of a scenario that is run.
const PARTIES_MAX: usize = 64;

/// The input is a scenario. Reading must end with a scenario, or with mistakes that can be displayed. Running a
/// scenario must end, and every export must be complete.
pub fn scenario(bytes: &[u8]) {
    read_and_run(bytes, None);
}

/// The input is a capture, which a scenario replays.
pub fn capture(bytes: &[u8]) {
    static DIRECTORY: LazyLock<tempfile::TempDir> =
        LazyLock::new(|| tempfile::tempdir().expect("a temporary directory"));
    let directory = DIRECTORY.path();
    // `cargo test` runs targets in parallel threads, so each thread needs its own file.
    let name = format!("{:?}.pcap", std::thread::current().id());
    let name = name.replace(['(', ')'], "-");
    fs::write(directory.join(&name), bytes).expect("a writable directory");
    for pace in ["recorded", "back-to-back"] {
        let text = REPLAY.replace("NAME", &name).replace("PACE", pace);
        read_and_run(text.as_bytes(), Some(directory));
    }
}

/// The scenario that replays a capture.
const REPLAY: &str = r#"
    until = "5ms"
    [[nic]]
    name = "a"
    [[endpoint]]
    nic = "a"
    name = "client"
    [[endpoint]]
    nic = "a"
    name = "server"
    host = "echo"
    applet = "builtin:RawUnet"
    [[channel]]
    client = 1
    server = 7
    [[send]]
    endpoint = "client"
    channel = 1
    at = "1us"
    payload = { pcap = "NAME", pace = "PACE" }
"#;

/// Settings of golden traces: the default, and each setting changed.
const GOLDEN_SETTINGS: [GoldenSettings; 3] = [
    GoldenSettings {
        payload: true,
        times: Times::Exact,
        costs: true,
        code: Code::None,
    },
    GoldenSettings {
        payload: true,
        times: Times::Order,
        costs: false,
        code: Code::Exact,
    },
    GoldenSettings {
        payload: false,
        times: Times::None,
        costs: true,
        code: Code::None,
    },
];

/// Returns the golden trace of a built-in scenario, cut off after `events_max` events.
fn golden_trace(text: &str, settings: GoldenSettings, events_max: u64) -> Vec<u8> {
    let scenario = parse(text.as_bytes(), None, None);
    let mut scenario = scenario.expect("a shipped scenario is right");
    scenario.events_max = events_max;
    let mut trace = GoldenTrace::new(Vec::new(), settings);
    Run::new(&scenario)
        .sink(&mut trace)
        .execute()
        .expect("a shipped scenario runs");
    trace.finish().expect("a vector takes everything")
}

/// The input is a golden trace. Comparing a golden trace must end, and must report no difference if and only if the
/// golden trace equals the trace of the run.
pub fn golden(bytes: &[u8]) {
    // Traces of about forty lines are long enough for differences at both ends and in the middle.
    static TRACES: LazyLock<[Vec<u8>; 3]> = LazyLock::new(|| {
        GOLDEN_SETTINGS.map(|settings| golden_trace(BUILTIN[0].text, settings, 100))
    });
    for trace in &*TRACES {
        let said = said::of_difference(bytes, trace).expect("memory can be read");
        assert_eq!(said.is_none(), bytes == &trace[..], "{said:?}");
        if let Some(said) = said {
            assert!(!said.is_empty());
            shows_no_control_character(&said);
        }
    }
}

/// The input is a class file. The verdict of `jive verify` must be displayable, and must be valid JSON with `--format
/// json`.
pub fn verdict(bytes: &[u8]) {
    for policy in [
        Policy::Applet {
            entries: NicEntry::TABLE,
        },
        Policy::ClassOnly,
    ] {
        let [text, json] = said::of_class(bytes, policy).expect("a verdict can be written");
        assert!(!text.is_empty());
        shows_no_control_character(&text);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert!(json.is_object(), "{json}");
    }
}

fn read_and_run(bytes: &[u8], directory: Option<&Path>) {
    match parse(bytes, directory, None) {
        Ok(scenario) => run(scenario),
        Err(error) => {
            let said = said::of_mistakes("scenario.toml", bytes, &error);
            assert!(!said.is_empty(), "{error:?}");
            for mistake in said {
                shows_no_control_character(&mistake);
            }
        }
    }
}

/// Control characters from a file must not reach the terminal. Colour sequences are allowed, because the command itself
/// writes them.
fn shows_no_control_character(said: &str) {
    let plain = |rest: &str| {
        let after = rest.strip_prefix('[').unwrap_or_default();
        let end = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        end.starts_with('m')
    };
    for (at, character) in said.char_indices() {
        let is_colour = character == '\x1b' && plain(&said[at + 1..]);
        assert!(
            !character.is_control() || character == '\n' || is_colour,
            "{character:?} in {said:?}"
        );
    }
}

/// All exports of a run at the same time.
struct Exports {
    text: TextTrace<Vec<u8>>,
    json: JsonTrace<Vec<u8>>,
    story: Story<Vec<u8>>,
    timeline: PerfettoTrace<Vec<u8>>,
    capture: Capture<Vec<u8>>,
    summary: Summary,
    latest: SimTime,
}

impl Sink for Exports {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        assert!(self.latest <= event.time, "events are in order of time");
        self.latest = event.time;
        self.text.event(names, event);
        self.json.event(names, event);
        self.story.event(names, event);
        self.timeline.event(names, event);
        self.capture.event(names, event);
        self.summary.event(names, event);
    }
}

fn run(scenario: Scenario) {
    run_within(scenario, BYTECODES_MAX);
}

/// Runs a scenario with all exports, if the scenario is small enough, with at most `bytecodes_max` instructions.
pub(super) fn run_within(mut scenario: Scenario, bytecodes_max: u64) {
    let areas = scenario
        .endpoints
        .iter()
        .map(|it| u64::from(it.buffer_area));
    let queues = scenario.endpoints.iter();
    let queues = queues.map(|it| 100 * (u64::from(it.tx_queue) + u64::from(it.rx_queue)));
    let payloads = scenario.sends.iter().map(|send| send.payload.len() as u64);
    let is_large = areas.chain(queues).chain(payloads).sum::<u64>() > MEMORY_MAX;
    let parties = scenario.nics.len() + scenario.endpoints.len();
    if is_large || parties > PARTIES_MAX {
        return;
    }
    scenario.until = scenario.until.min(SimTime::ZERO + UNTIL_MAX);
    scenario.events_max = scenario.events_max.min(EVENTS_MAX);
    scenario.bytecodes_max = scenario.bytecodes_max.min(bytecodes_max);
    for endpoint in &mut scenario.endpoints {
        endpoint.fuel = endpoint.fuel.min(FUEL_MAX);
    }
    let shown = PayloadMode::Shown;
    let capture = Capture::new(Vec::new(), &scenario);
    let mut exports = Exports {
        text: TextTrace::new(Vec::new(), shown),
        json: JsonTrace::new(Vec::new(), shown, &scenario),
        story: Story::new(Vec::new(), PacketId(1), shown),
        timeline: PerfettoTrace::new(Vec::new()),
        capture: capture.expect("a vector takes everything"),
        summary: Summary::new(&scenario),
        latest: SimTime::ZERO,
    };
    match Run::new(&scenario)
        .sink(&mut exports)
        .judge()
        .execute()
        .map(|outcome| outcome.judged())
    {
        Ok((end, judgement)) => {
            if let Some(Judgement { met, unmet }) = judgement {
                assert_eq!(met + unmet.len(), scenario.expectations.len());
                for unmet in unmet {
                    shows_no_control_character(&unmet.title);
                    shows_no_control_character(&unmet.note.unwrap_or_default());
                }
            }
            exports.finish(end.time, end.reason);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

impl Exports {
    /// Finishes all exports and parses their outputs.
    fn finish(mut self, time: SimTime, reason: nic_core::event::EndReason) {
        const WHOLE: &str = "a vector takes everything";
        self.summary.end(time, reason);
        let text = String::from_utf8(self.text.finish().expect(WHOLE)).expect("a text");
        shows_no_control_character(&text);
        shows_no_control_character(&self.summary.to_string());
        let story = self.story.finish().expect(WHOLE);
        shows_no_control_character(&String::from_utf8(story).expect("a text"));
        let json = self.json.finish(&self.summary).expect(WHOLE);
        let json = String::from_utf8(json).expect("JSON is UTF-8");
        for line in json.lines() {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert!(value["event"].is_string(), "{line}");
        }
        // Each event is one line of the text trace and one line of the JSON trace. The JSON trace also has a header and
        // a summary.
        assert_eq!(json.lines().count(), text.lines().count() + 2);
        let timeline = self.timeline.finish().expect(WHOLE);
        serde_json::from_slice::<serde_json::Value>(&timeline).expect("the timeline is JSON");
        let capture = self.capture.finish().expect(WHOLE);
        let mut capture = PcapNgReader::new(&capture[..]).expect("a capture");
        while let Some(block) = capture.next_block() {
            block.expect("a whole block");
        }
    }
}

/// Returns the repository's files below `folders` whose names end with `ending`.
fn files(folders: &[&str], ending: &str) -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a committed folder") {
            let path = entry.expect("a readable folder").path();
            let name = path.strip_prefix(&root).unwrap_or(&path);
            let name = name.display().to_string();
            if path.is_dir() {
                open.push(path);
            } else if name.ends_with(ending) {
                let bytes = fs::read(&path).expect("a readable file");
                found.push((name.replace('/', "-"), bytes));
            }
        }
    }
    found.sort();
    found
}

/// Returns the seed scenarios by name: the built-in scenarios and those of the tests.
#[must_use]
pub fn scenario_seeds() -> Vec<(String, Vec<u8>)> {
    let shipped = BUILTIN.iter();
    let shipped = shipped.map(|it| (it.name.to_owned(), it.text.as_bytes().to_vec()));
    let folders = ["tests/scenarios", "nic-runtime/tests", "firmware/scenarios"];
    shipped.chain(files(&folders, ".toml")).collect()
}

/// Returns the seed captures by name: those of the tests, generated ones, and exports of the built-in scenarios.
#[must_use]
pub fn capture_seeds() -> Vec<(String, Vec<u8>)> {
    let mut seeds = files(&["nic-runtime/tests"], ".pcap");
    seeds.extend(files(&["nic-runtime/tests"], ".pcapng"));
    let short = Shape {
        length_max: 40,
        has_longest: false,
        is_plain: false,
    };
    for seed in 0..12 {
        let made = captures::section(seed, short);
        seeds.push((format!("section-{seed}.pcapng"), made.file));
        let made = captures::classic(seed, short);
        seeds.push((format!("classic-{seed}.pcap"), made.file));
    }
    for shipped in BUILTIN {
        let scenario = parse(shipped.text.as_bytes(), None, None);
        let mut scenario = scenario.expect("a shipped scenario is right");
        scenario.events_max = 100;
        let capture = Capture::new(Vec::new(), &scenario);
        let mut capture = capture.expect("a vector takes everything");
        Run::new(&scenario)
            .sink(&mut capture)
            .execute()
            .expect("a shipped scenario runs");
        let bytes = capture.finish().expect("a vector takes everything");
        seeds.push((format!("{}.pcapng", shipped.name), bytes));
    }
    seeds
}

/// Returns the seed golden traces by name: those of the tests and of the built-in scenarios.
#[must_use]
pub fn golden_seeds() -> Vec<(String, Vec<u8>)> {
    let mut seeds = files(
        &["nic-runtime/tests", "tests/tests/simulator/snapshots"],
        ".trace",
    );
    for shipped in BUILTIN {
        let [settings, others @ ..] = GOLDEN_SETTINGS;
        for events_max in [100, 101] {
            let bytes = golden_trace(shipped.text, settings, events_max);
            seeds.push((format!("{}-{events_max}", shipped.name), bytes));
        }
        for (number, settings) in others.into_iter().enumerate() {
            let bytes = golden_trace(shipped.text, settings, 100);
            seeds.push((format!("{}-100-{number}", shipped.name), bytes));
        }
    }
    seeds
}
