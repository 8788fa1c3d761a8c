//! The assembler as a command: `jasm SOURCE.jasm CLASS.class` assembles, and `jasm -d CLASS.class` disassembles.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use jive_lab::asm::{assemble, disassemble};
use tests::machine::parsed;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["-d", class] => write_down(class),
        [source, class] => write_class(source, class),
        _ => {
            eprintln!("usage: jasm SOURCE.jasm CLASS.class\n       jasm -d CLASS.class");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn write_class(source: &str, class: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(source).map_err(|error| format!("{source}: {error}"))?;
    let assembled = assemble(source, &text).map_err(|error| error.to_string())?;
    std::fs::write(class, assembled.bytes).map_err(|error| format!("{class}: {error}"))
}

fn write_down(class: &str) -> Result<(), String> {
    let bytes = std::fs::read(class).map_err(|error| format!("{class}: {error}"))?;
    let text = parsed(&bytes, disassemble).map_err(|error| format!("{class}: {error}"))?;
    print!("{text}");
    Ok(())
}
