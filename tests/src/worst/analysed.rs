//! The cost of analysing an accepted class: steps, which are the same on every machine, and CPU time.

use core::time::Duration;

use jive_core::ClassFile;
use jive_embed::analysis::{Bounds, Report};
use jive_embed::verify_class;
use jive_verifier::Policy;
use nic_core::sle::NicNative;
use nic_runtime::applet::{DetachedShape, class_environment};
use nic_runtime::profile::Profile;

use super::measure::now;

/// Maximum number of analysis steps for each byte of a class file.
const STEPS_PER_BYTE: usize = 64;
/// Additional steps that any class may take, mostly for nested loops.
const STEPS_BASE: usize = 600_000;

/// Returns the maximum number of analysis steps for a class file of this size.
#[must_use]
pub fn steps_max(file_bytes: usize) -> usize {
    STEPS_BASE + STEPS_PER_BYTE * file_bytes
}

/// Maximum number of steps for each byte of a class file, to state its worst case.
const BOUND_STEPS_PER_BYTE: usize = 128;
/// Additional steps that any class may take to state its worst case.
const BOUND_STEPS_BASE: usize = 4_000_000;

/// Returns the maximum number of steps to state the worst case of a class file of this size.
#[must_use]
pub fn bound_steps_max(file_bytes: usize) -> usize {
    BOUND_STEPS_BASE + BOUND_STEPS_PER_BYTE * file_bytes
}

/// Returns the number of steps and the CPU time needed to state the worst case of a class file. Returns `None` if the
/// class is rejected.
#[must_use]
pub fn bound(bytes: &[u8]) -> Option<(usize, Duration)> {
    let mut index = vec![0; ClassFile::index_len(bytes)];
    let class = ClassFile::parse(bytes, &mut index).ok()?;
    verify_class(class, Policy::ClassOnly, NicNative::TABLE, &mut ()).ok()?;
    let profile = Profile::builtin("modern")?;
    let environment = class_environment(&profile, DetachedShape::default());
    let begun = now();
    let bounds = Bounds::of(class, &environment);
    Some((bounds.steps, now() - begun))
}

/// The analysis of an accepted class.
#[derive(Clone, Debug)]
pub struct Analysed {
    /// Number of visited instructions, edges and pcs, with repeated visits.
    pub steps: usize,
    /// CPU time.
    pub time: Duration,
    /// The result of the analysis.
    pub report: Report,
}

/// Analyses every method of a class file. Returns `None` if the class is rejected.
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
