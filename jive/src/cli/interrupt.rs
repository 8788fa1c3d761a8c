//! Ctrl-C during a run: the first ends the run, the second the process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The exit status of a process that Ctrl-C ended, as shells have it: 128 and the signal's number.
pub(super) const STATUS: u8 = 130;

/// From now on Ctrl-C sets the flag that is returned; where it is set already, it ends the process at once.
///
/// Where the system does not allow this, Ctrl-C goes on ending the process.
pub(super) fn requested() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        use signal_hook::consts::SIGINT;
        use signal_hook::flag;
        // In this order: the first signal finds the flag unset, and then sets it.
        let ends = flag::register_conditional_shutdown(SIGINT, STATUS.into(), Arc::clone(&flag));
        let _allowed = ends.and_then(|_| flag::register(SIGINT, Arc::clone(&flag)));
    }
    flag
}
