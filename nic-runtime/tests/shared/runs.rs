//! How long tests search.

/// Returns how many random runs a test makes: `default`, or what `JIVE_RUNS` says, for a long search.
pub(crate) fn runs(default: u64) -> u64 {
    match std::env::var("JIVE_RUNS") {
        Ok(runs) => runs.parse().expect("JIVE_RUNS is a number"),
        Err(_) => default,
    }
}
