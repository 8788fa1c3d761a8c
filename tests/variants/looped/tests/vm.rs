//! The tests of linker and interpreter, on the looped variant.

extern crate jive_core_looped as jive_core;

#[path = "../../../../jive-core/tests/vm/main.rs"]
mod vm;
