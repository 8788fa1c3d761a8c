//! Runs an accepted class file, which must never trap with `Unverified`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::run(bytes));
