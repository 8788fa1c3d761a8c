//! Builds classes from choices whose ops follow each other in all orders. Both interpreters must agree on them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::phrases(bytes));
