//! Verifies a class file, which must end with a verdict.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::verify(bytes));
