//! Programs by construction: sound ones are accepted, and accepted ones keep their promises.
#![no_main]

libfuzzer_sys::fuzz_target!(|program: tests::fuzzing::Program| tests::fuzzing::program(&program));
