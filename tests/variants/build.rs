//! Selects the variant of the interpreter in a test package's build of `jive-core`: the package's name ends in the
//! variant's name.

fn main() {
    println!("cargo::rerun-if-changed=../build.rs");
    println!("cargo::rustc-check-cfg=cfg(threaded, small)");
    // If neither `threaded` nor `small` is set, `jive-core` uses the looped variant.
    if env!("CARGO_PKG_NAME").ends_with("-small") {
        println!("cargo::rustc-cfg=small");
    }
}
