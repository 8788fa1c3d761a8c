//! The cost of verifying a class file: steps, which are equal on every machine, and CPU time.

use core::time::Duration;

use jive_core::{ClassFile, MethodId, NativeDecl, Pc};
use jive_verifier::{Observer, Policy, TypeState, verify_with, work_size};
use rustix::time::{ClockId, clock_gettime};

use crate::lent::Work;

/// The data-flow steps in each method that the verifier reached.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// The steps of each method, and the method's budget.
    pub methods: Vec<(u32, u32)>,
}

impl Steps {
    /// Returns the method that used the largest share of its budget, as steps and budget.
    #[must_use]
    pub fn most(&self) -> (u32, u32) {
        let part = |(steps, limit): &(u32, u32)| u64::from(*steps) * (1 << 32) / u64::from(*limit);
        self.methods
            .iter()
            .copied()
            .max_by_key(part)
            .unwrap_or((0, 1))
    }
}

impl Observer for Steps {
    const WATCHES: bool = false;

    fn reached(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}

    fn took(&mut self, _: MethodId, steps: u32, limit: u32) {
        self.methods.push((steps, limit));
    }
}

/// The measurements of verifying a class file.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The code of the rejection; `None` if the class is accepted.
    pub code: Option<&'static str>,
    /// Steps by method.
    pub steps: Steps,
    /// Bytes of the work area.
    pub work_bytes: usize,
    /// CPU time of parsing.
    pub parsing: Duration,
    /// CPU time of computing the work area's size and of verifying.
    pub verifying: Duration,
}

/// Returns the CPU time that this thread has used.
pub(super) fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("time is not negative")
}

/// Parses and verifies a class file.
#[must_use]
pub fn measure(bytes: &[u8], policy: Policy, natives: &'static [NativeDecl<'static>]) -> Measured {
    let mut measured = Measured {
        code: None,
        steps: Steps::default(),
        work_bytes: 0,
        parsing: Duration::ZERO,
        verifying: Duration::ZERO,
    };
    let begun = now();
    let mut index = vec![0; ClassFile::index_len(bytes)];
    let parsed = ClassFile::parse(bytes, &mut index);
    measured.parsing = now() - begun;
    let class = match parsed {
        Ok(class) => class,
        Err(error) => {
            measured.code = Some(error.code());
            return measured;
        }
    };
    let begun = now();
    let size = work_size(&class);
    measured.verifying = now() - begun;
    measured.work_bytes = size.bytes();
    // Do not time the allocation of the work area, because a caller can reuse this memory for many classes.
    let mut work = Work::default();
    let work = work.lend(&size);
    let begun = now();
    let verdict = verify_with(class, policy, natives, work, &mut measured.steps);
    measured.verifying += now() - begun;
    measured.code = verdict.err().map(|error| error.kind.code());
    measured
}
