//! Runs a fuzz target on files, without a fuzzer: `replay TARGET FILE|FOLDER...`. Subfolders are ignored. The program
//! measures coverage (`scripts/fuzz-coverage`) and reproduces findings.
#![forbid(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use tests::fuzzing::TARGETS;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let name = arguments.next().unwrap_or_default();
    let Some(target) = TARGETS.iter().find(|target| name == target.name) else {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!(
            "usage: replay TARGET FILE|FOLDER...\ntargets: {}",
            names.join(", ")
        );
        return ExitCode::from(2);
    };
    let mut count = 0_u64;
    for path in arguments.map(PathBuf::from) {
        let mut files = vec![path.clone()];
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a readable folder");
            files = entries
                .map(|it| it.expect("a readable folder").path())
                .collect();
        }
        files.sort();
        for file in files.into_iter().filter(|file| file.is_file()) {
            let bytes = fs::read(&file).expect("a readable file");
            (target.body)(&bytes);
            count += 1;
        }
    }
    println!("{}: {count} files", target.name);
    ExitCode::SUCCESS
}
