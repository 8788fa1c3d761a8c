//! Builds classes from choices whose ops follow each other in all orders. Both interpreters must agree on the classes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::phrases(bytes));
