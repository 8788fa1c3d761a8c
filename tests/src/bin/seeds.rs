//! Writes what fuzzing starts from: `cargo run -p tests --bin seeds -- fuzz/corpus`.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use tests::fuzzing::{body_seeds, lent_seeds, program_seeds, seeds};
#[cfg(feature = "simulation")]
use tests::fuzzing::{capture_seeds, golden_seeds, scenario_seeds};

fn main() -> ExitCode {
    let Some(corpus) = std::env::args_os().nth(1) else {
        eprintln!("usage: seeds DIRECTORY");
        return ExitCode::from(2);
    };
    let classes = seeds();
    let programs = program_seeds();
    let bodies = body_seeds();
    #[cfg_attr(
        not(feature = "simulation"),
        expect(unused_mut, reason = "nothing is added")
    )]
    let mut targets = vec![
        ("parse", classes.clone()),
        ("verify", classes.clone()),
        ("run", classes.clone()),
        ("reference", classes),
        ("program", programs),
        ("body", bodies.clone()),
        ("phrases", bodies),
        ("lent", lent_seeds()),
    ];
    // Built without the simulator, as for the targets that take classes and choices alone, nothing else is written.
    #[cfg(feature = "simulation")]
    targets.extend([
        ("scenario", scenario_seeds()),
        ("capture", capture_seeds()),
        ("golden", golden_seeds()),
    ]);
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
