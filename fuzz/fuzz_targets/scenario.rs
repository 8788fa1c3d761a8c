//! Reads a scenario and runs it with every export, which must end without a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::scenario(bytes));
