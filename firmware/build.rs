//! Hands the linker the device's memory layout, `memory.x`, where the firmware is built for a device, and prints the applet
//! of the program `compiled` as Rust.

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=memory.x");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
        fs::copy("memory.x", out.join("memory.x"))?;
        println!("cargo:rustc-link-search={}", out.display());
        println!("cargo:rustc-link-arg-bins=-Tlink.x");
    }
    #[cfg(feature = "compiled")]
    compiled()?;
    Ok(())
}

/// Prints the class file that `JIVE_CLASS` names, in a module of a fixed name.
#[cfg(feature = "compiled")]
fn compiled() -> io::Result<()> {
    use jive_build::Options;
    use jive_embed::Policy;
    use nic_core::sle::{NicEntry, NicNative};

    println!("cargo:rerun-if-env-changed=JIVE_CLASS");
    let path = env::var("JIVE_CLASS").map_err(io::Error::other)?;
    println!("cargo:rerun-if-changed={path}");
    let policy = Policy::Applet {
        entries: NicEntry::TABLE,
    };
    // As many calls as the firmware has frames for, and the profile.
    let printed = Options::new()
        .natives(NicNative::TABLE)
        .policy(policy)
        .nested_calls(16)
        .without_interpreter()
        .print(path.as_ref(), &fs::read(&path)?)
        .map_err(io::Error::other)?;
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    let text = format!("{}use self::{} as applet;\n", printed.text, printed.module);
    fs::write(out.join("applet.rs"), text)
}
