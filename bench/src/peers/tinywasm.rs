//! tinywasm: a WebAssembly interpreter in Rust without unsafe code.

use ::tinywasm::{ModuleInstance, Store};

use super::MODULE;
use crate::kernel::Kernel;
use crate::peer::{Peer, PeerError, Running, in_process};

/// The peer tinywasm.
#[derive(Copy, Clone, Debug)]
pub struct Tinywasm;

impl Peer for Tinywasm {
    fn name(&self) -> &'static str {
        "tinywasm"
    }

    fn start(&mut self, kernel: &Kernel) -> Result<Option<Running<'_>>, PeerError> {
        if !kernel.is_public() {
            return Ok(None);
        }
        let module = ::tinywasm::parse_bytes(MODULE)?;
        let mut store = Store::default();
        let instance = ModuleInstance::instantiate(&mut store, &module, None)?;
        let init = instance.func::<(i32, i32), i32>(&store, "init")?;
        init.call(&mut store, (0, 0))?;
        let run = instance.func::<(i32, i32), i32>(&store, kernel.name)?;
        let invoke = move |a, b| Ok(run.call(&mut store, (a, b))?);
        in_process(kernel.b, invoke).map(Some)
    }
}
