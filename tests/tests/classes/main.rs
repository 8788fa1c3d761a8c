//! Class files: what is verified, linked and executed, against fixtures and oracles.

#[path = "../../../nic-runtime/tests/shared/runs.rs"]
mod runs;

mod assembler;
mod branch_targets;
mod certified;
mod constructors;
mod defensive;
mod fixtures;
mod fuel;
mod fuzz_bodies;
mod headers;
mod host_stack;
mod hostile;
mod lent_memory;
mod lowering;
mod native_arguments;
mod opcodes_outside_subset;
mod reference;
mod small_scope;
mod trusted;
mod worst_case;
