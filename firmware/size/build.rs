//! Prints the applet `RawUnet` as Rust for the program `compiled`, which runs it without an interpreter.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "compiled")]
    compiled();
}

#[cfg(feature = "compiled")]
fn compiled() {
    use nic_core::sle::NicNative;

    let options = jive_build::Options::new()
        .natives(NicNative::TABLE)
        .nested_calls(16)
        .without_interpreter();
    let printed = options.compile("../../applets/class/RawUnet.class");
    printed.unwrap_or_else(|error| panic!("{error}"));
}
