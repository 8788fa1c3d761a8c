//! Compares a golden trace with the trace of a run, which must end without a panic and report each difference.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::golden(bytes));
