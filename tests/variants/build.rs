//! Fixes the variant of the interpreter that a test package builds `jive-core` as: its name ends in it.

fn main() {
    println!("cargo::rerun-if-changed=../build.rs");
    println!("cargo::rustc-check-cfg=cfg(threaded, small)");
    // The looped variant is the one that is left where neither is set.
    if env!("CARGO_PKG_NAME").ends_with("-small") {
        println!("cargo::rustc-cfg=small");
    }
}
