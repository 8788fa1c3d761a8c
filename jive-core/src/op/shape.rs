//! The shape of an op, which many kinds of ops share.

/// What an op writes, and how the run continues after it. The op table gives each row a shape.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Writes register `a`, and no other register.
    Value,
    /// Has an effect that depends on the kind, and continues with the next op.
    Effect,
    /// Branches forwards.
    Onward(Reach),
    /// Skips the next op if a condition holds.
    Skip,
    /// Branches backwards.
    Back(Reach),
    /// Jumps back to a forward branch, and makes its comparison.
    Again(Reach),
    /// Continues in a way that no other shape describes.
    Control,
}

/// Which part of a branch op holds the cost of the branch. The target is always in the high half of the constant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The low half of the constant holds the cost.
    Wide,
    /// Operand `b` holds the cost, because the low half holds the constant that the branch compares with.
    Near,
    /// The second byte of the low half holds the cost, because the first byte holds the step of a counter.
    Count,
}
