//! The command `jive`.

fn main() -> std::process::ExitCode {
    nic_runtime::cli::main()
}
