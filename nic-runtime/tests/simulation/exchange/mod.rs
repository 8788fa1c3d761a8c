//! One random exchange for all interfaces: every way of a message, on every profile that offers it.
//!
//! A failing exchange is reduced, and the test prints the scenario that is left.

mod cast;
mod promise;
mod watch;

use std::panic::{AssertUnwindSafe, catch_unwind};

use cast::Exchange;
use watch::{Ran, check};

use crate::runs::runs;

/// Most runs in which a failing exchange is reduced.
const REDUCTIONS: u32 = 250;

/// Returns a random exchange as a scenario.
pub(crate) fn scenario(seed: u64) -> String {
    Exchange::draw(seed).toml()
}

/// Runs an exchange. A panic of the simulator is a failure as well.
fn attempt(exchange: &Exchange) -> Result<Ran, String> {
    let run = AssertUnwindSafe(|| check(exchange));
    catch_unwind(run).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("a panic: {}", text.unwrap_or_default()))
    })
}

/// Returns the kind of a failure: its text without numbers.
fn kind(failure: &str) -> String {
    failure
        .chars()
        .filter(|char| char.is_alphabetic())
        .take(60)
        .collect()
}

/// Reduces an exchange that fails.
fn reduced(mut exchange: Exchange, mut failure: String) -> (Exchange, String) {
    let mut left = REDUCTIONS;
    'smaller: loop {
        for smaller in exchange.smaller() {
            if left == 0 {
                break 'smaller;
            }
            left -= 1;
            if let Err(other) = attempt(&smaller)
                && kind(&other) == kind(&failure)
            {
                (exchange, failure) = (smaller, other);
                continue 'smaller;
            }
        }
        break;
    }
    (exchange, failure)
}

#[test]
fn promises_hold_for_every_path_of_a_message() {
    let (mut posted, mut received) = (0, 0);
    for seed in 0..runs(40) {
        let exchange = Exchange::draw(seed);
        match attempt(&exchange) {
            Ok(ran) => {
                posted += ran.posted;
                received += ran.received;
                if seed % 8 == 0 {
                    let again = attempt(&exchange).expect("it held before");
                    assert_eq!(again.hash, ran.hash, "seed {seed} repeats itself");
                }
            }
            Err(failure) => {
                let (exchange, failure) = reduced(exchange, failure);
                panic!("seed {seed}: {failure}\n{}", exchange.toml());
            }
        }
    }
    println!("{posted} posted, {received} received");
    assert!(received * 4 > posted, "{received} of {posted}");
}
