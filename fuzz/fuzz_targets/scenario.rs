//! Scenarios: read, and run to an end with every export.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::scenario(bytes));
