//! The assembler as a command: `cargo run -p tests --bin jasm -- SOURCE.jasm CLASS.class`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, class] = arguments.as_slice() else {
        eprintln!("usage: jasm SOURCE.jasm CLASS.class");
        return ExitCode::from(2);
    };
    let written = std::fs::read_to_string(source)
        .map_err(|error| format!("{source}: {error}"))
        .and_then(|text| tests::asm::assemble(source, &text).map_err(|error| error.to_string()))
        .and_then(|assembled| {
            std::fs::write(class, assembled.bytes).map_err(|error| format!("{class}: {error}"))
        });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
