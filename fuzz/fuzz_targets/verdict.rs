//! Class files: what `jive verify` says of them can be shown.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::verdict(bytes));
