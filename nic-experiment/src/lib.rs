//! Experiments with the simulated NIC: scenarios read with settings, runs with their reports, and sweeps over values.
//!
//! This crate does what the commands `jive run` and `jive sweep` do before they print. [`experiment::Experiment`] is a
//! scenario that was read with settings of single keys; running it gives its summary, its statistics and, if asked, its
//! trace. [`sweep::Plan`] is a scenario with axes and seeds, [`sweep::Store`] keeps the rows of its runs, and
//! [`sweep::Table`] is the result, whose bytes depend on nothing but the plan. Messages for the user are texts with the
//! colours of a terminal, which [`plain`] takes out.

pub mod csv;
pub mod expectations;
pub mod experiment;
pub mod in_order;
mod kept;
pub mod output_file;
pub mod scenario_file;
pub mod scenario_report;
pub mod sweep;
pub mod traps;

/// Returns a message without the escape sequences that colour it on a terminal.
#[must_use]
pub fn plain(message: &str) -> String {
    anstream::adapter::strip_str(message).to_string()
}
