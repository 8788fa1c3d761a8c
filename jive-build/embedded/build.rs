//! Prints the class as Rust that needs no interpreter, and hands the linker the device's memory layout.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    jive_build::Options::new()
        .heap_bytes(1024)
        .nested_calls(4)
        .without_interpreter()
        .compile("Filter.class")
        .unwrap_or_else(|error| panic!("{error}"));
    println!("cargo::rerun-if-changed=memory.x");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::copy("memory.x", out.join("memory.x")).expect("it can be written");
    println!("cargo::rustc-link-search={}", out.display());
}
