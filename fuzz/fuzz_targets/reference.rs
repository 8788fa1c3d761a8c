//! Class files: accepted ones compute on the shipped interpreter what they compute on the reference one.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::reference(bytes));
