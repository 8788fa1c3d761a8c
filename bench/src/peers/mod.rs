//! The peers: JIVE, native code and other VMs.

mod child;
#[cfg(feature = "peers")]
mod ebpf;
mod jive;
mod native;
mod printed;
#[cfg(feature = "peers")]
mod tinywasm;
#[cfg(feature = "peers")]
mod wasmi;

pub use child::{Child, Jvm, openjdk, wasm3};
#[cfg(feature = "peers")]
pub use ebpf::Rbpf;
pub use jive::Jive;
pub use native::Native;
pub use printed::Printed;
#[cfg(feature = "peers")]
pub use tinywasm::Tinywasm;
#[cfg(feature = "peers")]
pub use wasmi::Wasmi;

/// The public kernels as WebAssembly, made by `kernels/build.sh`.
#[cfg(feature = "peers")]
const MODULE: &[u8] = include_bytes!("../../kernels/kernels.wasm");
/// The path of `kernels.wasm`.
const MODULE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/kernels.wasm");
