//! Writes the dictionaries of the fuzz targets to `fuzz/dictionaries`: `cargo run -p tests --bin dictionaries`.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use tests::fuzzing::dictionaries;

fn main() -> ExitCode {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/dictionaries");
    for (name, text) in dictionaries() {
        let path = directory.join(name);
        let written =
            std::fs::create_dir_all(&directory).and_then(|()| std::fs::write(&path, text));
        if let Err(error) = written {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
