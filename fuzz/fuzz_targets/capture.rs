//! Reads a capture and replays it in a scenario, which must end without a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::capture(bytes));
