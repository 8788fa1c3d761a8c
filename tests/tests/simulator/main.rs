//! Applets and scenarios on the simulated NIC.

#[path = "../../../nic-runtime/tests/shared/runs.rs"]
mod runs;

mod applet_laws;
mod applet_library;
mod applets;
mod attacks;
mod captures;
mod fuzz_files;
mod isolation;
mod long_names;
mod natives_boundary;
mod recomputed;
mod rejected_attacks;
mod slices;
mod state;
mod stated;
mod traces;
