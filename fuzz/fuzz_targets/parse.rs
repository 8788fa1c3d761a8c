//! Class files: parsing and showing them never panics.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::parse(bytes));
