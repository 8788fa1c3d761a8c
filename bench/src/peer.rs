//! What can run a kernel: JIVE, native code, and what people would pick instead.

use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

use crate::clock;
use crate::kernel::Kernel;

/// Why a peer could not go on.
pub type PeerError = Box<dyn Error>;

/// Invocations after `init` whose results make the check value.
pub const CHECKED: i32 = 100;

/// Invocations of one sweep, with first arguments from 0 on: what is timed is whole sweeps.
pub const SWEEP: i32 = 16;

/// Something that runs kernels.
pub trait Peer {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Begins a kernel anew, or none where it has no form for this peer.
    ///
    /// # Errors
    /// What went wrong.
    fn start(&mut self, kernel: &Kernel) -> Result<Option<Running<'_>>, PeerError>;
}

/// A kernel that was begun, and invoked [`CHECKED`] times.
#[expect(
    missing_debug_implementations,
    reason = "a closure has nothing to show"
)]
pub struct Running<'p> {
    /// The fold `h = h * 31 + result` over these invocations.
    pub check: i32,
    /// Makes so many sweeps and returns their CPU time.
    pub time: Box<dyn FnMut(u32) -> Result<Duration, PeerError> + 'p>,
}

/// Begins a kernel that is invoked in this thread; `invoke` gets both arguments.
///
/// # Errors
/// What an invocation gives.
pub fn in_process<'p>(
    b: i32,
    mut invoke: impl FnMut(i32, i32) -> Result<i32, PeerError> + 'p,
) -> Result<Running<'p>, PeerError> {
    let mut check = 0_i32;
    for a in 0..CHECKED {
        check = check.wrapping_mul(31).wrapping_add(invoke(a, b)?);
    }
    let time = move |sweeps| {
        let start = clock::now();
        for _ in 0..sweeps {
            for a in 0..SWEEP {
                black_box(invoke(black_box(a), black_box(b))?);
            }
        }
        Ok(clock::now() - start)
    };
    Ok(Running {
        check,
        time: Box::new(time),
    })
}
