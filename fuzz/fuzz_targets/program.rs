//! Builds a program from choices. A sound program must be accepted and run without `Unverified`.
#![no_main]

libfuzzer_sys::fuzz_target!(
    |program: jive_lab::generate::Program| tests::fuzzing::program(&program)
);
