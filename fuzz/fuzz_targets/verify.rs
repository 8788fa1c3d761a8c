//! Class files: verification ends with a verdict.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::verify(bytes));
