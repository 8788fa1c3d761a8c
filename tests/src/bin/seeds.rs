//! Writes what fuzzing starts from: `cargo run -p tests --bin seeds -- fuzz/corpus`.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use tests::fuzzing::{body_seeds, lent_seeds, program_seeds, seeds};

fn main() -> ExitCode {
    let Some(corpus) = std::env::args_os().nth(1) else {
        eprintln!("usage: seeds DIRECTORY");
        return ExitCode::from(2);
    };
    let classes = seeds();
    let programs = program_seeds();
    let bodies = body_seeds();
    let lent = lent_seeds();
    let targets = [
        ("parse", &classes),
        ("verify", &classes),
        ("run", &classes),
        ("program", &programs),
        ("body", &bodies),
        ("lent", &lent),
    ];
    for (target, seeds) in targets {
        let directory = Path::new(&corpus).join(target);
        let written = std::fs::create_dir_all(&directory).and_then(|()| {
            seeds
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
