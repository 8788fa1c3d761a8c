//! Ctrl-C during a run: the first one ends the run, the second one ends the process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Exit status after Ctrl-C, by the convention of shells: 128 plus the signal's number.
pub(super) const STATUS: u8 = 130;

/// Makes Ctrl-C set the returned flag. If the flag is already set, Ctrl-C ends the process at once.
///
/// If the system does not allow handlers of signals, Ctrl-C ends the process as usual.
pub(super) fn requested() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        use signal_hook::consts::SIGINT;
        use signal_hook::flag;
        // Register the conditional shutdown first: handlers run in the order of their registration, so the first signal
        // finds the flag still unset.
        let ends = flag::register_conditional_shutdown(SIGINT, STATUS.into(), Arc::clone(&flag));
        let _allowed = ends.and_then(|_| flag::register(SIGINT, Arc::clone(&flag)));
    }
    flag
}
