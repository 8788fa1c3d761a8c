//! Class files: what was accepted keeps its promises when it runs.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::run(bytes));
