//! The peer native code.

use crate::kernel::Kernel;
use crate::peer::{Peer, PeerError, Running};

/// Native code that is compiled with this program.
#[derive(Copy, Clone, Debug)]
pub struct Native;

impl Peer for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn start(&mut self, kernel: &Kernel) -> Result<Option<Running<'_>>, PeerError> {
        (kernel.native)(kernel.b).map(Some)
    }
}
