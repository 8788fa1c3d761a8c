//! Displays the verdict of `jive verify` as text and as JSON.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::verdict(bytes));
