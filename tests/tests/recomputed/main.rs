//! What the simulator keeps count of, worked out anew from the events of random runs.

mod applet;
mod free_queue;
mod quotas;
mod sram;

/// Returns how many random runs a test makes: `default`, or what `JIVE_RUNS` says, for a long search.
fn runs(default: u64) -> u64 {
    match std::env::var("JIVE_RUNS") {
        Ok(runs) => runs.parse().expect("JIVE_RUNS is a number"),
        Err(_) => default,
    }
}
