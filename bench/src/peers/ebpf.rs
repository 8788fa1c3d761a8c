//! rbpf: an eBPF interpreter and JIT compiler in Rust.

use ::ebpf::Mode;

use crate::kernel::Kernel;
use crate::peer::{Peer, PeerError, Running, in_process};

/// The peer rbpf.
#[derive(Copy, Clone, Debug)]
pub struct Rbpf(pub Mode);

impl Peer for Rbpf {
    fn name(&self) -> &'static str {
        match self.0 {
            Mode::Interpreted => "rbpf",
            Mode::Compiled => "rbpf JIT",
        }
    }

    fn start(&mut self, kernel: &Kernel) -> Result<Option<Running<'_>>, PeerError> {
        if !kernel.is_public() {
            return Ok(None);
        }
        let Some(mut running) = ::ebpf::Kernel::start(kernel.name, self.0)? else {
            return Ok(None);
        };
        in_process(kernel.b, move |a, b| Ok(running.invoke(a, b)?)).map(Some)
    }
}
