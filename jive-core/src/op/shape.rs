//! The shape of an op, which many kinds of ops share.

/// What an op writes, and how the run continues after the op. The op table gives each row a shape.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The op computes a value and writes the value to register `a`. Unless the op traps, the run continues with the
    /// next op, which may read the value from the accumulator. Most ops of this shape have no other effect. But
    /// `AddToField` also writes a field, `PostIncrement` also writes register `b`, and `NewArray` allocates.
    Value,
    /// The op has an effect that depends on its kind, and the run continues with the next op.
    Effect,
    /// Branches forwards.
    Onward(Reach),
    /// The op skips the next op if a condition holds.
    Skip,
    /// Branches backwards.
    Back(Reach),
    /// The op jumps back to a forward branch at the start of a loop, and makes that branch's comparison.
    Again(Reach),
    /// The run continues after the op in a way that no other shape describes.
    Control,
}

/// Which part of a branch op contains the cost of the branch. The branch target is always in the high half of the op's
/// constant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The low half of the op's constant contains the cost of the branch.
    Wide,
    /// Operand `b` contains the cost, because the low half of the op's constant contains the number that the branch
    /// compares with.
    Near,
    /// The second byte of the constant's low half contains the cost, because the first byte contains the step of a
    /// counter.
    Count,
}
