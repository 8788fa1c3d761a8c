//! The command `jive`.

fn main() -> std::process::ExitCode {
    jive::cli::main()
}
