//! Captures: read, and replayed to an end.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::capture(bytes));
