//! Observers of the verifier, for example to display inferred types or to compare them with a running program.

use jive_core::{MethodId, Pc};

use crate::error::VerifyError;
use crate::state::TypeState;

/// Receives the type states that the verifier inferred, and the state at which verification failed.
///
/// For an accepted method, [`reached`](Self::reached) is called once for each reachable instruction, after the fixed
/// point. The state holds on every path to that instruction. Straight runs come in order of pc.
///
/// For a rejected method, it is called with the states inferred so far. Some paths may not have been analysed yet, so
/// these states may be too specific. If a static constraint is violated, only instructions before the violation have
/// states. Then only paths count that never go beyond the violation.
pub trait Observer {
    /// Whether the observer wants any calls. If false, the verifier skips the work of recomputing states.
    const WATCHES: bool = true;

    /// Whether the verifier continues after an error, to report the other errors of the class too.
    ///
    /// It continues with the next declaration, instruction or method. A method may break several static constraints,
    /// because these are checked instruction by instruction. Data flow runs only if the static constraints hold, and
    /// stops at its first error. The verdict is the same as without this: the first error.
    const COLLECTS: bool = false;

    /// Called with each error of the class. The first call has the verdict.
    ///
    /// Without [`COLLECTS`](Self::COLLECTS) there is at most one call.
    fn rejected(&mut self, _error: VerifyError) {}

    /// Called with the state before a reachable instruction.
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>);

    /// Called with the state at the instruction for which the class is rejected. This is the state before the
    /// instruction. If a merge into a target failed, it is the state after the instruction. Not called if no analysed
    /// path reaches the instruction.
    fn failed(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>);

    /// Called with the number of steps that the data flow of a method took, and the limit.
    fn took(&mut self, _method: MethodId, _steps: u32, _limit: u32) {}
}

/// The observer that ignores everything.
impl Observer for () {
    const WATCHES: bool = false;

    fn reached(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}
}
