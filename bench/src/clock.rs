//! The CPU time of this thread, which is disturbed less by other processes than wall-clock time.

use std::time::Duration;

/// Returns the CPU time that this thread has used so far.
#[must_use]
pub fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    // The kernel starts the thread's clock at 0, so no part is negative, and the nanoseconds are below a second.
    Duration::new(
        time.tv_sec.unsigned_abs(),
        time.tv_nsec.unsigned_abs() as u32,
    )
}

/// Returns how long `work` takes.
pub fn time<R>(work: impl FnOnce() -> R) -> Duration {
    let start = now();
    std::hint::black_box(work());
    now() - start
}

/// Returns the median.
///
/// # Panics
///
/// If `values` is empty.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
