//! Writes the seeds of all fuzz targets: `cargo run -p tests --bin seeds -- fuzz/corpus`.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use tests::fuzzing::TARGETS;

fn main() -> ExitCode {
    let Some(corpus) = std::env::args_os().nth(1) else {
        eprintln!("usage: seeds DIRECTORY");
        return ExitCode::from(2);
    };
    for target in TARGETS {
        let directory = Path::new(&corpus).join(target.name);
        let written = std::fs::create_dir_all(&directory).and_then(|()| {
            target
                .inputs()
                .iter()
                .try_for_each(|(name, bytes)| std::fs::write(directory.join(name), bytes))
        });
        if let Err(error) = written {
            eprintln!("{}: {error}", directory.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
