//! Tells the crate whether the compiler is likely to make jumps of calls that stand last.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(threaded)");
    let variable = |name| std::env::var(name).unwrap_or_default();
    // Without optimisation every op would take its part of the host's stack until a run pauses, and a
    // processor with few registers passes arguments in memory, where such a call cannot be a jump.
    let optimised = variable("OPT_LEVEL") != "0";
    let has_registers = matches!(&*variable("CARGO_CFG_TARGET_ARCH"), "x86_64" | "aarch64");
    if optimised && has_registers {
        println!("cargo::rustc-cfg=threaded");
    }
}
