//! `docs/scenario.schema.json` accepts every scenario that the reader accepts, and refuses wrong keys, words, types and
//! numbers.

use std::fs;
use std::path::Path;

use jsonschema::Validator;
use nic_runtime::scenario::{SECTIONS, parse};
use serde_json::Value;

use crate::schema;

/// Returns a TOML text as JSON; nothing if it is no TOML.
fn json(text: &str) -> Option<Value> {
    let table: toml::Table = text.parse().ok()?;
    serde_json::to_value(table).ok()
}

fn with_schema(test: impl FnOnce(&Validator) + Send) {
    schema::with("scenario.schema.json", |_, validator| test(validator));
}

/// Checks that the schema accepts a text.
fn accept(validator: &Validator, name: &str, text: &str) {
    let value = json(text).unwrap_or_else(|| panic!("{name} is no TOML"));
    if let Some(error) = validator.iter_errors(&value).next() {
        panic!("{name}: {error} at {}", error.instance_path);
    }
}

#[test]
fn shipped_scenarios_are_valid() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    with_schema(|validator| {
        let mut checked = 0;
        for folder in [
            "nic-runtime/scenarios",
            "nic-runtime/tests/scenarios",
            "tests/scenarios",
            "firmware/scenarios",
        ] {
            for entry in fs::read_dir(root.join(folder)).expect("a committed folder") {
                let path = entry.expect("a readable folder").path();
                if path
                    .extension()
                    .is_some_and(|extension| extension == "toml")
                {
                    let text = fs::read_to_string(&path).expect("a committed file");
                    accept(validator, &path.display().to_string(), &text);
                    checked += 1;
                }
            }
        }
        let page = fs::read_to_string(root.join("docs/scenario.md")).expect("a committed page");
        for block in page.split("```toml\n").skip(1) {
            let (text, _) = block.split_once("```").expect("the block ends");
            accept(validator, "docs/scenario.md", text);
            checked += 1;
        }
        assert!(checked > 60, "{checked} scenarios");
    });
}

/// Returns the tables of a scenario with every kind of table that the interface may have.
fn tables(interface: &str) -> Vec<(&'static str, String)> {
    let profile = match interface {
        "emp" => "tigon2-2002",
        _ => "clan-programmable",
    };
    let only = |on: &str, text: &str| match on.contains(interface) {
        true => text.to_owned(),
        false => String::new(),
    };
    vec![
        ("the scenario", format!("profile = '{profile}'\n")),
        (
            "`[[nic]]`",
            "[[nic]]\nname = 'a'\nprocessors = 2\n".to_owned(),
        ),
        ("", "[[nic]]\nname = 'b'\n".to_owned()),
        ("`[[link]]`", "[[link]]\nbetween = ['a', 'b']\n".to_owned()),
        (
            "`[[host]]`",
            "[[host]]\nnic = 'a'\nprocessors = 1\n".to_owned(),
        ),
        (
            "`[[process]]`",
            "[[process]]\nname = 'p'\nnic = 'a'\n".to_owned(),
        ),
        (
            "`[[endpoint]]`",
            format!("[[endpoint]]\nnic = 'a'\nname = 'e'\ninterface = '{interface}'\n"),
        ),
        (
            "",
            format!("[[endpoint]]\nnic = 'b'\nname = 'f'\ninterface = '{interface}'\n"),
        ),
        ("", "[[channel]]\ne = 1\nf = 2\n".to_owned()),
        (
            "`[[receive]]`",
            only(
                "emp",
                "[[receive]]\nendpoint = 'e'\ntag = 1\nsource = 'any'\nlength = 8\n",
            ),
        ),
        (
            "`[[send]]`",
            "[[send]]\nendpoint = 'e'\nchannel = 1\npayload = { zeros = 4 }\n".to_owned(),
        ),
        (
            "`[[swap]]`",
            only(
                "unet",
                "[[swap]]\nat = '1us'\nendpoint = 'e'\napplet = 'builtin:Drop'\n",
            ),
        ),
        (
            "`[[region]]`",
            only(
                "via",
                "[[region]]\nat = '1us'\nendpoint = 'e'\naction = 'register'\n",
            ),
        ),
        (
            "`[[window]]`",
            only(
                "unet via",
                "[[window]]\nowner = 'e'\nwriter = 'f'\nnumber = 0\nlength = 4\n",
            ),
        ),
        ("`[golden]`", "[golden]\npayload = true\n".to_owned()),
        (
            "`[[expect]]`",
            "[[expect]]\nendpoint = 'e'\ncount = 0\n".to_owned(),
        ),
    ]
}

/// Returns the text of the tables, of which the one at `place` has a key with this value, and no longer the key before.
fn with_key(tables: &[(&str, String)], place: usize, key: &str, value: &str) -> String {
    let mut text = String::new();
    for (index, (_, table)) in tables.iter().enumerate() {
        let keys = table
            .lines()
            .filter(|line| index != place || line.split('=').next().map(str::trim) != Some(key));
        text.extend(keys.flat_map(|line| [line, "\n"]));
        if index == place {
            text += &format!("{key} = {value}\n");
        }
    }
    text
}

#[test]
fn whatever_the_reader_accepts_is_valid() {
    const VALUES: [&str; 30] = [
        "0",
        "1",
        "7",
        "0.5",
        "1.0",
        "'1us'",
        "' 1.5 ms '",
        "'4KiB'",
        "'1.5 MB/s'",
        "true",
        "'a'",
        "'e'",
        "'p'",
        "'any'",
        "'none'",
        "'echo'",
        "'emp-ping'",
        "'detach'",
        "'upcall'",
        "'clan'",
        "'modern'",
        "['b', 'b']",
        "{ doTx = 1 }",
        "'builtin:Drop'",
        "['builtin:Drop', 'builtin:RawUnet']",
        "{ count = 2, length = '1KiB' }",
        "{ text = 'x' }",
        "[{ hex = '' }, { zeros = 1 }]",
        "{ loss = 1, Unverified = 1 }",
        "[[0, 2], [2, 2]]",
    ];
    with_schema(|validator| {
        let (mut accepted, mut refused) = (0, 0);
        for (turn, interface) in ["unet", "emp", "via"].into_iter().enumerate() {
            let tables = tables(interface);
            for (place, (what, text)) in tables.iter().enumerate() {
                let section = SECTIONS.iter().find(|section| section.what == *what);
                let Some(section) = section.filter(|_| !text.is_empty()) else {
                    continue;
                };
                // Each interface tries a third of the values.
                let keys = section.names.iter().enumerate();
                let tried = keys.flat_map(|(index, key)| {
                    let values = VALUES.iter().skip((index + turn) % 3).step_by(3);
                    values.map(move |value| (key, value))
                });
                for (key, value) in tried {
                    let text = with_key(&tables, place, key, value);
                    // Most values are of the wrong kind, and those that the schema accepts need no reader.
                    if json(&text).is_none_or(|json| validator.is_valid(&json)) {
                        accepted += 1;
                        continue;
                    }
                    refused += 1;
                    let read = parse(text.as_bytes(), None, None);
                    assert!(
                        read.is_err(),
                        "the reader accepts {key} = {value} in {what}"
                    );
                }
            }
        }
        assert!(
            accepted > 200 && refused > 500,
            "{accepted} accepted, {refused} refused"
        );
    });
}

#[test]
fn wrong_scenarios_are_refused_with_their_place() {
    with_schema(|validator| {
        let whole = tables("unet");
        let right: String = whole.iter().map(|(_, table)| table.as_str()).collect();
        accept(validator, "the scenario without a mistake", &right);
        for (what, key, value, place) in [
            ("the scenario", "sed", "1", ""),
            ("the scenario", "until", "1", "/until"),
            ("the scenario", "until", "'1 minute'", "/until"),
            ("the scenario", "link_type", "'ether'", "/link_type"),
            ("the scenario", "max_events", "0", "/max_events"),
            ("`[[nic]]`", "sram", "'1Mb'", "/nic/0/sram"),
            ("`[[nic]]`", "processors", "9", "/nic/0/processors"),
            (
                "`[[nic]]`",
                "placement",
                "{ doPost = 0 }",
                "/nic/0/placement",
            ),
            ("`[[link]]`", "loss", "1.5", "/link/0/loss"),
            ("`[[link]]`", "between", "['a']", "/link/0/between"),
            ("`[[endpoint]]`", "name", "''", "/endpoint/0/name"),
            ("`[[endpoint]]`", "notify", "'pol'", "/endpoint/0/notify"),
            ("`[[endpoint]]`", "fuel", "'many'", "/endpoint/0/fuel"),
            (
                "`[[endpoint]]`",
                "free_buffers",
                "{ size = 1 }",
                "/endpoint/0/free_buffers",
            ),
            ("`[[send]]`", "repeat", "0", "/send/0/repeat"),
            (
                "`[[send]]`",
                "payload",
                "{ zeros = 1, text = 'x' }",
                "/send/0/payload",
            ),
            ("`[[expect]]`", "payload", "{ random = 1 }", "/expect/0"),
            ("`[[expect]]`", "drops", "{ los = 1 }", "/expect/0"),
            ("`[golden]`", "costs", "'no'", "/golden/costs"),
        ] {
            let at = whole.iter().position(|(table, _)| *table == what);
            let text = with_key(&whole, at.expect("it is there"), key, value);
            let value = json(&text).expect("it is TOML");
            let errors = validator.iter_errors(&value);
            let places: Vec<String> = errors
                .map(|error| error.instance_path.to_string())
                .collect();
            assert!(
                places.iter().any(|found| found == place),
                "{text}: {places:?}"
            );
            assert!(parse(text.as_bytes(), None, None).is_err(), "{text}");
        }
        let nameless = right.replace("name = 'a'\n", "");
        assert!(!validator.is_valid(&json(&nameless).expect("it is TOML")));
    });
}
