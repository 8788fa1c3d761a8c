//! Prints how often programs execute which instructions: `frequencies`; with `--write` the page goes to
//! `docs/op-frequencies.md`. With `--pairs` prints the ops that are to be run together, as
//! `jive-core/src/op/pairs.rs` lists them.
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
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/op-frequencies.md");
            if let Err(error) = std::fs::write(&path, render(&count())) {
                eprintln!("{}: {error}", path.display());
                return ExitCode::FAILURE;
            }
        }
        ["--pairs"] => print!("{}", pairs(&count())),
        _ => {
            eprintln!("usage: frequencies [--write | --pairs]");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
