//! The tests of linker and interpreter, on the small variant.

extern crate jive_core_small as jive_core;

#[path = "../../../../jive-core/tests/vm/main.rs"]
mod vm;
