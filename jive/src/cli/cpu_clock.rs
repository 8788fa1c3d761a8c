//! The time that this thread has spent computing, to measure with.

use std::time::Duration;

/// Returns the thread's CPU time, from some start.
#[cfg(unix)]
pub(super) fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    // The clock starts with the thread, so neither part is negative, and nanoseconds are below a
    // second.
    Duration::new(
        time.tv_sec.unsigned_abs(),
        time.tv_nsec.unsigned_abs() as u32,
    )
}

/// Returns the time since the first call: what comes closest where threads have no clock.
#[cfg(not(unix))]
pub(super) fn now() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
