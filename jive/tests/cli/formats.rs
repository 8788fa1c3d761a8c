//! The option `--format`: every command that has it prints text for people, and JSON and CSV that programs can read.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::process::jive_in;
use crate::words;

/// A quick call of each command that has the option.
const CALLS: &[&str] = &[
    "bound good.class",
    "packet good.class --rx text:hello",
    "paper javia",
    "profile pingpong",
    "run pingpong",
    "shrink bad.class -- test -s {}",
    "smith --out made --count 3 --seed 1",
    "sweep sweep.toml",
    "verify good.class",
];

const SWEEP: &str = r#"
[[nic]]
name = "a"
[[endpoint]]
nic = "a"
name = "client"
[[endpoint]]
nic = "a"
name = "server"
[[channel]]
client = 1
server = 1
[[send]]
endpoint = "client"
channel = 1
payload = { zeros = 8 }
repeat = 5

[sweep]
seeds = 2
collect = ["latency.mean", "loss"]

[sweep.axes]
"send.0.repeat" = [2, 3]
"#;

/// Returns the formats that a command has by its help, if it has any.
fn formats(command: &str) -> Vec<String> {
    let help = jive_in(Path::new("."), [command, "--help"], b"").out;
    let lines = help.lines().map(str::trim_start);
    let lines = lines.skip_while(|line| !line.starts_with("--format <"));
    let lines = lines.skip_while(|line| !line.starts_with("- "));
    let formats = lines.map_while(|line| line.strip_prefix("- "));
    formats
        .filter_map(|line| line.split(':').next())
        .map(str::to_owned)
        .collect()
}

/// Returns the commands that have the option.
fn commands() -> BTreeSet<String> {
    let help = jive_in(Path::new("."), ["--help"], b"").out;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = lines.map_while(|line| line.split_whitespace().next());
    let has_formats = |command: &&str| !formats(command).is_empty();
    commands.filter(has_formats).map(str::to_owned).collect()
}

/// Returns the rows of a table in CSV, of which each has as many fields as the first.
fn csv(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
    let rows = reader.records();
    rows.map(|row| {
        let row = row.unwrap_or_else(|error| panic!("{error}: {text}"));
        row.iter().map(str::to_owned).collect()
    })
    .collect()
}

/// Returns the JSON values of an output, which is one value, or one a line.
fn json(text: &str) -> Vec<Value> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    values
        .map(|value| value.unwrap_or_else(|error| panic!("{error}: {text}")))
        .collect()
}

/// Returns how many rows a table in JSON has: an object each, or a list in the only object.
fn rows(values: &[Value]) -> usize {
    match values {
        [Value::Object(table)] => table["rows"].as_array().map_or(1, Vec::len),
        values => values.len(),
    }
}

#[test]
fn every_command_prints_each_of_its_formats() {
    let directory = tempfile::tempdir().expect("a directory");
    let within = |name: &str| directory.path().join(name);
    fs::write(within("good.class"), applets::RAW_UNET.class).expect("it can be written");
    fs::write(within("bad.class"), b"\xca\xfe\xba\xbe\0\0\0\x34").expect("it can be written");
    fs::write(within("sweep.toml"), SWEEP).expect("it can be written");
    let called = CALLS.iter().filter_map(|call| call.split(' ').next());
    let called: BTreeSet<String> = called.map(str::to_owned).collect();
    assert_eq!(called, commands());
    for call in CALLS {
        let (command, rest) = call.split_once(' ').expect("it has arguments");
        let mut values = Vec::new();
        for format in formats(command) {
            let line = format!("{command} --format {format} {rest}");
            // The made files would be there already.
            _ = fs::remove_dir_all(within("made"));
            let ended = jive_in(directory.path(), words(&line), b"");
            assert_eq!(ended.status, 0, "{line}: {}", ended.err);
            // Lists of faults are empty where there are none.
            let is_list = matches!(format.as_str(), "javac" | "github");
            assert_eq!(ended.out.is_empty(), is_list, "{line}");
            let is_json = serde_json::from_str::<Value>(ended.out.lines().next().unwrap_or(""));
            match format.as_str() {
                "json" => values = json(&ended.out),
                "csv" => {
                    let table = csv(&ended.out);
                    let columns: BTreeSet<&String> = table[0].iter().collect();
                    assert_eq!(columns.len(), table[0].len(), "{line}: {:?}", table[0]);
                    assert!(table.len() > 1, "{line}: a table without rows");
                    // A paper's table has the points of its figures as well.
                    let points = table.iter().filter(|row| row[0] == "point").count();
                    assert_eq!(
                        table.len() - 1 - points,
                        rows(&values),
                        "{line}: {values:?} {table:?}"
                    );
                }
                "sarif" => assert_eq!(json(&ended.out)[0]["version"], "2.1.0"),
                _ => assert_eq!(is_json.ok(), None, "{line}"),
            }
        }
    }
}
