//! Verdicts as a log of SARIF 2.1.0, which code hosts and editors read.
//!
//! The names of the structs and fields are those of the specification. Its sections are given as `§`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use jive_embed::Rejection;
use jive_embed::explanations;
use jive_embed::text::path_text;
use serde::Serialize;

use super::lines::{details, message, place};
use jive_embed::Verdict;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log (§3.13).
#[derive(Debug, Serialize)]
pub(super) struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
struct Run {
    tool: Tool,
    invocations: [Invocation; 1],
    results: Vec<Found>,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule>,
}

/// What a code means (§3.49).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    full_description: Text,
    help: Text,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

/// Something else than a result that the run found (§3.58), such as a file that cannot be read.
#[derive(Debug, Serialize)]
struct Notification {
    level: &'static str,
    message: Text,
    locations: [Location; 1],
}

/// A fault or a warning (§3.27).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
}

#[derive(Debug, Serialize)]
struct Text {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u16,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
    kind: &'static str,
}

impl Log {
    /// Returns a log without results.
    pub(super) fn new() -> Log {
        let driver = Driver {
            name: "jive",
            semantic_version: env!("CARGO_PKG_VERSION"),
            rules: Vec::new(),
        };
        let invocation = Invocation {
            execution_successful: true,
            tool_execution_notifications: Vec::new(),
        };
        Log {
            schema: SCHEMA,
            version: "2.1.0",
            runs: [Run {
                tool: Tool { driver },
                invocations: [invocation],
                results: Vec::new(),
            }],
        }
    }

    /// Adds the faults or warnings of a file.
    pub(super) fn add(&mut self, file: &Path, verdict: &Verdict) {
        let [run] = &mut self.runs;
        let [invocation] = &mut run.invocations;
        let (told, omitted) = verdict.told();
        run.results.extend(told.into_iter().map(Found::of));
        if omitted > 0 {
            let text = format!("{omitted} more faults or warnings are not in this log");
            invocation.notify("note", file, text);
        }
        if let Verdict::Unreadable { message } = verdict {
            invocation.execution_successful = false;
            invocation.notify("error", file, format!("cannot read it: {message}"));
        }
    }

    /// Lists the rules that the results name, and gives each result the index of its rule.
    pub(super) fn finish(mut self) -> Log {
        let [run] = &mut self.runs;
        let ids = run.results.iter().map(|found| (found.rule_id, 0));
        let mut indices = BTreeMap::from_iter(ids);
        for (index, position) in indices.values_mut().enumerate() {
            *position = index;
        }
        for found in &mut run.results {
            found.rule_index = indices[found.rule_id];
        }
        run.tool.driver.rules = indices.into_keys().map(Rule::of).collect();
        self
    }
}

impl Rule {
    fn of(id: &'static str) -> Rule {
        let explanation = explanations::find(id);
        let text = |text: &str| Text {
            text: text.to_owned(),
        };
        Rule {
            id,
            full_description: text(explanation.map_or(id, |explanation| explanation.meaning)),
            help: text(explanation.map_or(id, |explanation| explanation.fix)),
        }
    }
}

impl Invocation {
    fn notify(&mut self, level: &'static str, file: &Path, text: String) {
        let locations = [Location::of(file, None)];
        let message = Text { text };
        self.tool_execution_notifications.push(Notification {
            level,
            message,
            locations,
        });
    }
}

impl Found {
    fn of(rejection: &Rejection) -> Found {
        let mut text = vec![message(rejection)];
        text.extend(details(rejection));
        let text = text.join("\n");
        let (file, line) = place(rejection);
        let mut location = Location::of(file, line);
        if let Some(class) = &rejection.class {
            let (name, kind) = match (&rejection.method, &rejection.field) {
                (Some(method), _) => (format!("{class}.{method}"), "function"),
                (None, Some(field)) => (format!("{class}.{field}"), "member"),
                (None, None) => (class.clone(), "type"),
            };
            location.logical_locations.push(LogicalLocation {
                fully_qualified_name: name,
                kind,
            });
        }
        Found {
            rule_id: rejection.code,
            rule_index: 0,
            level: if rejection.is_warning() {
                "warning"
            } else {
                "error"
            },
            message: Text { text },
            locations: [location],
        }
    }
}

impl Location {
    fn of(file: &Path, line: Option<u16>) -> Location {
        Location {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation { uri: uri(file) },
                // A line is at least 1; javac writes no other, but a class file may.
                region: line
                    .filter(|line| *line > 0)
                    .map(|start_line| Region { start_line }),
            },
            logical_locations: Vec::new(),
        }
    }
}

/// Returns a path as a URI reference (RFC 3986): absolute paths with the scheme `file`, relative paths as they are.
fn uri(path: &Path) -> String {
    let text = path_text(path);
    let text = if cfg!(windows) {
        Cow::Owned(text.replace('\\', "/"))
    } else {
        text
    };
    let mut uri = String::new();
    if path.is_absolute() {
        uri.push_str(if text.starts_with('/') {
            "file://"
        } else {
            "file:///"
        });
    }
    for byte in text.bytes() {
        // A colon in the first segment of a relative path would be taken for the end of a scheme.
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _infallible = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
