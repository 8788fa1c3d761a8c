//! What the verifier found out, for those who show it or hold a running program to it.

use jive_core::{MethodId, Pc};

use crate::state::TypeState;

/// Is told the type states of the methods' instructions, and where data flow failed.
///
/// An accepted method is told of when its fixed point has been reached: once for each instruction
/// that a path reaches, lowest pc of a straight run first, with the state that holds there on every
/// path. Of a rejected method the states are told as far as they had been inferred, those before the
/// fixed point included; they may say more than holds. Where a static constraint is broken these are
/// the states below that instruction, as far as paths lead there that go nowhere beyond it.
pub trait Observer {
    /// Whether it wants to be told. Where it does not, the states are not worked out again.
    const WATCHES: bool = true;

    /// Is told the state before an instruction that some path reaches.
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>);

    /// Is told the state at the instruction for which the class is rejected: before it, or behind it
    /// where it fails to merge into the state of another. Nothing is told where no such path leads there.
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
