//! Sends packets to the code channel of an endpoint, in a run that must end without a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::capsule(bytes));
