//! Reads traces in JSON Lines.

use serde_json::Value;

/// Returns the JSON objects of a trace, including header and summary.
pub(crate) fn values(trace: &[u8]) -> Vec<Value> {
    let lines = trace.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("a line is an object"))
        .collect()
}
