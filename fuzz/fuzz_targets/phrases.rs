//! Classes of phrases by choices: the same on both interpreters.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::phrases(bytes));
