//! wasmi: a WebAssembly interpreter in Rust.

use wasmi::{Engine, Linker, Module, Store};

use super::MODULE;
use crate::kernel::Kernel;
use crate::peer::{Peer, PeerError, Running, in_process};

/// The peer wasmi 2, with its default settings.
#[derive(Copy, Clone, Debug)]
pub struct Wasmi;

impl Peer for Wasmi {
    fn name(&self) -> &'static str {
        "wasmi"
    }

    fn start(&mut self, kernel: &Kernel) -> Result<Option<Running<'_>>, PeerError> {
        if !kernel.is_public() {
            return Ok(None);
        }
        let engine = Engine::default();
        let module = Module::new(&engine, MODULE)?;
        let mut store = Store::new(&engine, ());
        let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module)?;
        let init = instance.get_typed_func::<(i32, i32), i32>(&store, "init")?;
        init.call(&mut store, (0, 0))?;
        let run = instance.get_typed_func::<(i32, i32), i32>(&store, kernel.name)?;
        let invoke = move |a, b| Ok(run.call(&mut store, (a, b))?);
        in_process(kernel.b, invoke).map(Some)
    }
}
