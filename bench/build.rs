//! Prints the programs of the benchmarks as Rust.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use jive_core::ClassFile;
use jive_embed::{Policy, verify_class};
use nic_core::sle::NicNative;

/// The class files, from this folder.
const CLASSES: [&str; 16] = [
    "../tests/java/class/Kernels.class",
    "kernels/class/Cobs.class",
    "kernels/class/Unpack.class",
    "kernels/class/HalfSip.class",
    "kernels/class/FlowTable.class",
    "kernels/class/Horspool.class",
    "kernels/class/Filter.class",
    "kernels/class/Scheduler.class",
    "kernels/class/Tokens.class",
    "kernels/class/Divisors.class",
    "kernels/class/Base64.class",
    "kernels/class/Xtea.class",
    "kernels/class/Gamma.class",
    "kernels/class/Routes.class",
    "kernels/class/Distance.class",
    "kernels/class/Median.class",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let (mut text, mut list) = (String::new(), String::new());
    for (number, class) in CLASSES.iter().enumerate() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(class);
        println!("cargo::rerun-if-changed={}", path.display());
        let bytes = fs::read(&path).expect("the class is committed");
        let mut index = vec![0; ClassFile::index_len(&bytes)];
        let parsed = ClassFile::parse(&bytes, &mut index).expect("the class is well-formed");
        let verified = verify_class(parsed, Policy::ClassOnly, NicNative::TABLE, &mut ());
        let verified = verified.expect("the class is safe");
        let printed = jive_build::Options::new().print_verified(&verified);
        let printed = printed.expect("the class was verified");
        let module = &printed.module;
        let _ = writeln!(text, "pub(crate) mod p{number} {{\n{}}}", printed.text);
        let _ = writeln!(
            list,
            "    Printed {{ class: include_bytes!({path:?}), program: &p{number}::{module}::PROGRAM, \
             call: jive_core::compiled::call::<p{number}::{module}::Code, jive_core::NoNatives> }},"
        );
    }
    let _ = writeln!(text, "pub(super) static PRINTED: &[Printed] = &[\n{list}];");
    let raw_unet = Path::new(env!("CARGO_MANIFEST_DIR")).join("../applets/class/RawUnet.class");
    let options = jive_build::Options::new().natives(NicNative::TABLE);
    let compiled = options.compile(raw_unet);
    compiled.unwrap_or_else(|error| panic!("{error}"));
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("printed.rs"), text).expect("it can be written");
}
