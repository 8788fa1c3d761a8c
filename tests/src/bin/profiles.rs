//! Writes `docs/profiles.md`: `cargo run -p tests --bin profiles`.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/profiles.md");
    if let Err(error) = std::fs::write(&path, nic_runtime::scenario::profiles_page()) {
        eprintln!("{}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
