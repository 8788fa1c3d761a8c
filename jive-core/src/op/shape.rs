//! What is known of an op besides what it computes: what it writes, and where the run goes on behind it.

/// What ops have in common beyond what they compute.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It writes register `a` and no other.
    Value,
    /// It goes on at the next op, and writes what only its kind tells.
    Effect,
    /// A branch onwards.
    Onward(Reach),
    /// A branch past the next op.
    Skip,
    /// A branch back.
    Back(Reach),
    /// A jump back to a branch onwards.
    Again(Reach),
    /// Anything else.
    Control,
}

/// How a branch holds what going there costs; where it goes is always in the high half of the constant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// In the low half.
    Wide,
    /// In `b`: the low half is a constant to compare with.
    Near,
    /// In the second byte of the low half, behind a step.
    Count,
}
