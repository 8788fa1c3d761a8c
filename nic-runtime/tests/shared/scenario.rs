//! Scenarios that tests give as TOML.

use std::path::Path;

use nic_runtime::scenario::{self, Scenario};

/// Reads a scenario whose files lie among the class files and captures of the simulator's tests.
pub(crate) fn read(toml: &str) -> Scenario {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nic-runtime/tests/classes");
    scenario::parse(toml.as_bytes(), Some(&directory), None)
        .unwrap_or_else(|error| panic!("{error:?}\n{toml}"))
}
