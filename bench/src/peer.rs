//! The interface of a *peer*, something that can run a kernel: JIVE, native code, and other VMs.

use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

use crate::clock;
use crate::kernel::Kernel;

/// An error that stops a peer.
pub type PeerError = Box<dyn Error>;

/// Number of invocations after `init` whose results make the check value.
pub const CHECKED: i32 = 100;

/// Number of invocations in a sweep, with first arguments from 0 on. Only whole sweeps are timed.
pub const SWEEP: i32 = 16;

/// Something that runs kernels.
pub trait Peer {
    /// The peer's name.
    fn name(&self) -> &'static str;

    /// Starts a kernel with fresh state. Returns `None` if this peer has no implementation of the kernel.
    ///
    /// # Errors
    ///
    /// Returns an error if the peer fails to start the kernel.
    fn start(&mut self, kernel: &Kernel) -> Result<Option<Running<'_>>, PeerError>;
}

/// A kernel that was started and invoked [`CHECKED`] times.
#[expect(
    missing_debug_implementations,
    reason = "a closure has nothing to show"
)]
pub struct Running<'p> {
    /// The fold `h = h * 31 + result` over the results of the first [`CHECKED`] invocations.
    pub check: i32,
    /// Runs a given number of sweeps and returns their CPU time.
    pub time: Box<dyn FnMut(u32) -> Result<Duration, PeerError> + 'p>,
}

/// Starts a kernel that runs in this thread; `invoke` receives both arguments of the kernel.
///
/// # Errors
///
/// Returns the error of an invocation.
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
