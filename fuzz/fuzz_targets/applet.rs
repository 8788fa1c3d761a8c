//! Attacks a shipped applet with packets, messages and settings of any kind. No call may trap.
#![no_main]

libfuzzer_sys::fuzz_target!(|choices: &[u8]| tests::fuzzing::applet(choices));
