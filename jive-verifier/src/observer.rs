//! Observers of the verifier: they show the types that it inferred, or hold a running program to them.

use jive_core::{MethodId, Pc};

use crate::state::TypeState;

/// Is told the type states of the methods' instructions, and where data flow failed.
///
/// The observer learns of an accepted method when its fixed point is reached. It is told once for each instruction that
/// a path reaches, with the state that holds there on every path. Straight runs come lowest pc first. Of a rejected
/// method the observer is told the states inferred so far, before the fixed point. They may claim more than holds.
/// Where a static constraint is broken these are the states below that instruction, as far as paths lead there that go
/// nowhere beyond it.
pub trait Observer {
    /// Whether it wants to be told. Where it does not, the states are not worked out again.
    const WATCHES: bool = true;

    /// Is told the state before an instruction that some path reaches.
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>);

    /// Takes the state at the instruction for which the class is rejected. It is the state before it, or behind it if
    /// that fails to merge into another. Nothing is told where no such path leads there.
    fn failed(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>);

    /// Is told how many steps data flow over a method took, and how many it may take.
    fn took(&mut self, _method: MethodId, _steps: u32, _limit: u32) {}
}

/// Nobody, who does not want to be told.
impl Observer for () {
    const WATCHES: bool = false;

    fn reached(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}
}
