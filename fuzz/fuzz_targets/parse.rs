//! Parses and displays a class file, which must never panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::parse(bytes));
