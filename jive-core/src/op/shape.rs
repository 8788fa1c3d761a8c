//! The shape of an op: what it writes, and how the run continues after it.

/// What kinds of ops have in common. The op table gives each row a shape.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Writes register `a`, and no other register.
    Value,
    /// Has an effect that depends on the kind, and continues with the next op.
    Effect,
    /// Branches forwards.
    Onward(Reach),
    /// Skips the next op, or not.
    Skip,
    /// Branches backwards.
    Back(Reach),
    /// Jumps back to a forward branch, and makes its comparison.
    Again(Reach),
    /// Continues in a way that no other shape describes.
    Control,
}

/// Where a branch encodes its cost. Its target is always in the high half of the constant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// In the low half of the constant.
    Wide,
    /// In `b`, because the low half is a constant to compare with.
    Near,
    /// In the second byte of the low half. The first byte is the step by which a counter grows.
    Count,
}
