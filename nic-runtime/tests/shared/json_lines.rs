//! Traces that were written as JSON Lines, read back.

use serde_json::Value;

/// Returns the objects of a trace, its head and summary included.
pub(crate) fn values(trace: &[u8]) -> Vec<Value> {
    let lines = trace.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("a line is an object"))
        .collect()
}
