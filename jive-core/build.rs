//! Chooses the variant of the interpreter (`src/variant.rs`): `threaded`, `small`, or looped where neither is set.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(threaded, small)");
    let variable = |name| std::env::var(name).unwrap_or_default();
    let level = variable("OPT_LEVEL");
    // The threaded variant needs tail calls that become jumps, or each op would take room on the host's stack. Tail
    // calls become jumps only with an optimising compiler, on a processor that passes six arguments in registers.
    let has_tail_calls =
        level != "0" && matches!(&*variable("CARGO_CFG_TARGET_ARCH"), "x86_64" | "aarch64");
    if level == "s" || level == "z" {
        println!("cargo::rustc-cfg=small");
    } else if has_tail_calls {
        println!("cargo::rustc-cfg=threaded");
    }
}
