//! Sends forged frames of EMP beside honest messages, in a run that must end without a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::frames(bytes));
