//! Recomputes the simulator's counts and queues from the events of random runs.

mod applet;
mod free_queue;
mod quotas;
mod sram;
