//! Prints how often programs execute each instruction. With `--write`, writes `docs/op-frequencies.md`, and the pairs
//! of consecutive ops to `jive-core/src/op/pairs_generated.rs`.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use tests::frequencies::{count, pairs, render};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => print!("{}", render(&count())),
        ["--write"] => {
            let programs = count();
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            for (path, text) in [
                ("docs/op-frequencies.md", render(&programs)),
                ("jive-core/src/op/pairs_generated.rs", pairs(&programs)),
            ] {
                if let Err(error) = std::fs::write(root.join(path), text) {
                    eprintln!("{path}: {error}");
                    return ExitCode::FAILURE;
                }
            }
        }
        _ => {
            eprintln!("usage: frequencies [--write]");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
