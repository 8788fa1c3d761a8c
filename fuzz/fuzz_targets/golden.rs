//! Golden traces: compared to an end.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::golden(bytes));
