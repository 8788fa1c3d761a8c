//! What analysing an accepted class takes: steps, which are the same everywhere, and CPU time.

use core::time::Duration;

use jive_core::ClassFile;
use jive_embed::analysis::Report;
use jive_embed::verify_class;
use jive_verifier::Policy;
use nic_core::sle::NicNative;

use super::measure::now;

/// Steps that the analysis takes at most for each byte of a class file.
const STEPS_PER_BYTE: usize = 64;
/// Steps that it may take in any case, most of them for loops inside of loops.
const STEPS_BASE: usize = 600_000;

/// Returns the steps that the analysis of a class file of so many bytes may take.
#[must_use]
pub fn steps_max(file_bytes: usize) -> usize {
    STEPS_BASE + STEPS_PER_BYTE * file_bytes
}

/// An accepted class, analysed.
#[derive(Clone, Debug)]
pub struct Analysed {
    /// Instructions, edges and places that were looked at, each as often as it was.
    pub steps: usize,
    /// CPU time.
    pub time: Duration,
    /// What was found out.
    pub report: Report,
}

/// Analyses every method of a class file, or returns `None` where it is not accepted.
#[must_use]
pub fn analyse(bytes: &[u8]) -> Option<Analysed> {
    let mut index = vec![0; ClassFile::index_len(bytes)];
    let class = ClassFile::parse(bytes, &mut index).ok()?;
    verify_class(class, Policy::ClassOnly, NicNative::TABLE, &mut ()).ok()?;
    let begun = now();
    let report = Report::of(class, Policy::ClassOnly);
    Some(Analysed {
        steps: report.steps,
        time: now() - begun,
        report,
    })
}
