//! Sets `threaded` if the compiler is likely to turn tail calls into jumps, and `small` if it
//! is asked for small code.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(threaded, small)");
    let variable = |name| std::env::var(name).unwrap_or_default();
    // Without optimisation each op would take a part of the host's stack until a run pauses. A processor with few
    // registers passes arguments in memory, where such a call cannot be a jump.
    let level = variable("OPT_LEVEL");
    let optimised = level != "0";
    let has_registers = matches!(&*variable("CARGO_CFG_TARGET_ARCH"), "x86_64" | "aarch64");
    if optimised && has_registers {
        println!("cargo::rustc-cfg=threaded");
    }
    if level == "z" || level == "s" {
        println!("cargo::rustc-cfg=small");
    }
}
