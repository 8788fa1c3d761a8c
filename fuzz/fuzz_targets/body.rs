//! Builds a method body from choices. A sound body must run on both interpreters as the verifier inferred.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzzing::body(bytes));
