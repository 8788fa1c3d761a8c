//! A clock for measurements: the CPU time of the current thread.

use std::time::Duration;

/// Rounds of a measurement.
const ROUNDS: usize = 5;

/// Measures a call. Returns the median over rounds of `count` calls, in nanoseconds per call. `restore` resets the
/// state before each call.
///
/// Reading the clock takes longer than a short call, so a round is measured as a whole. The time of `restore` is
/// measured separately and subtracted.
pub(super) fn median_ns<S>(
    count: u64,
    state: &mut S,
    restore: impl Fn(&mut S),
    call: impl Fn(&mut S),
) -> f64 {
    let mut rounds = [(); ROUNDS].map(|()| {
        let start = now();
        for _ in 0..count {
            restore(state);
        }
        let restored = now();
        for _ in 0..count {
            restore(state);
            call(state);
        }
        let called = now();
        let calls = (called - restored).saturating_sub(restored - start);
        // Rounding to 53 bits is harmless, because a clock is less exact.
        calls.as_nanos() as f64 / count as f64
    });
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 2]
}

/// Returns the thread's CPU time since an unspecified start.
#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    // The clock counts from the start of the thread, so no part is negative, and the nanoseconds are below a second.
    Duration::new(
        time.tv_sec.unsigned_abs(),
        time.tv_nsec.unsigned_abs() as u32,
    )
}

/// Returns the wall time since the first call, which is the closest substitute on a system without thread clocks.
#[cfg(not(unix))]
fn now() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
