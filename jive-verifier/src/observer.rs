//! Observers of the verifier, for example to display inferred types or to compare them with a running program.

use jive_core::{MethodId, Pc};

use crate::error::VerifyError;
use crate::state::TypeState;

/// Receives the type states that the verifier inferred, and the state at which verification failed.
///
/// For an accepted method, [`reached`](Self::reached) is called once for each reachable instruction, after the fixed
/// point. The reported state holds on every path to that instruction. Straight runs of instructions are reported in
/// order of pc.
///
/// For a rejected method, [`reached`](Self::reached) is called with the states inferred so far. The states of a
/// rejected method may be too specific, because some paths may not have been analysed yet. If a static constraint is
/// violated, only instructions before the violation have states, from paths that never go beyond it.
pub trait Observer {
    /// Whether the observer wants any calls of `reached` and `failed`. If `WATCHES` is false, the verifier skips the
    /// work of recomputing states.
    const WATCHES: bool = true;

    /// Whether the verifier continues after an error, to report the other errors of the class too.
    ///
    /// The verifier continues with the next declaration, instruction or method. A method may break several static
    /// constraints, because these are checked instruction by instruction. Data flow runs only if the static constraints
    /// hold, and stops at its first error. The verdict is the first error, whether `COLLECTS` is true or false.
    const COLLECTS: bool = false;

    /// The verifier calls this function with each error of the class, of which the first is the verdict.
    ///
    /// If [`COLLECTS`](Self::COLLECTS) is false, there is at most one call.
    fn rejected(&mut self, _error: VerifyError) {}

    /// The verifier calls this function with the type state before a reachable instruction.
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>);

    /// The verifier calls this function with the type state before the instruction for which the class is rejected. If
    /// a merge into a branch target failed, the reported state is that after the instruction. The verifier does not
    /// call this function if no analysed path reaches the instruction.
    fn failed(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>);

    /// The verifier calls this function with the number of steps that the data flow of a method took, and their limit.
    fn took(&mut self, _method: MethodId, _steps: u32, _limit: u32) {}
}

/// The observer `()` ignores everything that the verifier reports.
impl Observer for () {
    const WATCHES: bool = false;

    fn reached(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}
}
