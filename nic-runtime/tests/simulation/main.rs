//! Whole runs, held to the contract (CONTRACT §3, §5, §6).

mod applets;
mod base_path;
mod faults;
mod hostile;
mod isolation;
mod links;
mod loading;
mod paper_applets;
mod random_runs;
mod trace;
