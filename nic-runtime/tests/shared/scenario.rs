//! Scenarios that tests write as TOML.

use std::path::Path;

use nic_runtime::scenario::{self};
use nic_runtime::spec::Scenario;

/// Reads a scenario. The files that the scenario names are in the directory of the simulator's test classes and
/// captures.
pub(crate) fn read(toml: &str) -> Scenario {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nic-runtime/tests/classes");
    scenario::parse(toml.as_bytes(), Some(&directory), None)
        .unwrap_or_else(|error| panic!("{error:?}\n{toml}"))
}
