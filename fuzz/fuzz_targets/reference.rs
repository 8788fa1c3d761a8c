//! Runs an accepted class file on the shipped and on the reference interpreter, which must agree.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::reference(bytes));
