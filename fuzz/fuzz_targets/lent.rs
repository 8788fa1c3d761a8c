//! Classes by choices in memory that others have used: nothing of it is read before it is written.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::lent(bytes));
