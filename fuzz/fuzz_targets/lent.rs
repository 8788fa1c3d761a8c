//! Builds classes from choices and loads them into used memory, whose content must not matter.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::lent(bytes));
