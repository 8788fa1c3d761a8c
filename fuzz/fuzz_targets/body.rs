//! Bodies by choices: accepted ones run on both interpreters as their verification promised.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::body(bytes));
