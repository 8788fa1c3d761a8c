//! What a run that is watched reports of the instructions that an applet executes.

use jive_core::{MethodId, Pc, Values};

use crate::id::EndpointId;
use crate::time::SimDuration;

/// Instructions that a call of an applet executes one after another in one method.
#[derive(Copy, Clone, Debug)]
pub struct Executed<'a> {
    /// The endpoint of the applet.
    pub endpoint: EndpointId,
    /// Position of the applet's class among the classes of the run. Classes that arrive in capsules follow those of the
    /// scenario.
    pub class: usize,
    /// Number of nested calls, including the call that executes the instructions.
    pub depth: u32,
    /// The running method.
    pub method: MethodId,
    /// The instructions, in the order of their execution.
    pub instructions: &'a [Pc],
    /// Time that each of the instructions takes.
    pub each: SimDuration,
    /// The values before the op that completes the instructions.
    pub before: Values<'a>,
}
