//! The number of runs of randomized tests.

/// Returns how many random runs a test makes: `JIVE_RUNS` if it is set, and otherwise `default`.
pub(crate) fn runs(default: u64) -> u64 {
    match std::env::var("JIVE_RUNS") {
        Ok(runs) => runs.parse().expect("JIVE_RUNS is a number"),
        Err(_) => default,
    }
}
