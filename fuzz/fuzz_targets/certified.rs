//! Checks a class file against a certificate, which must accept nothing that the verifier rejects.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tests::fuzzing::certified(input));
