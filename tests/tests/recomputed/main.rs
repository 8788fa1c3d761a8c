//! Recomputes the simulator's counts and queues from the events of random runs.

mod applet;
mod free_queue;
mod quotas;
mod sram;

/// Returns the number of random runs of a test: `default`, or the number in `JIVE_RUNS` for a long search.
fn runs(default: u64) -> u64 {
    match std::env::var("JIVE_RUNS") {
        Ok(runs) => runs.parse().expect("JIVE_RUNS is a number"),
        Err(_) => default,
    }
}
