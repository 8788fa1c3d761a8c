//! What a program is linked for, which decides the ops that lowering makes.

/// What a program is linked for. The constants are known when lowering is compiled, so that one kind of linking takes no
/// time of another.
pub(crate) trait Linking {
    /// Whether every variant of the interpreter can run the ops, and not only the variant of this build.
    const PORTABLE: bool;

    /// Whether a collector may move arrays while a call waits.
    ///
    /// If so, each value on the operand stack is in the register of its place at a call and at a native, where a
    /// collector finds it. The instruction `newarray` becomes a native of a reserved number, so that a run stops before
    /// it allocates.
    const COLLECTED: bool;
}

/// Links for the variant of this build, and arrays never move.
pub(crate) struct ThisBuild;

impl Linking for ThisBuild {
    const PORTABLE: bool = false;
    const COLLECTED: bool = false;
}

/// Links for every variant.
pub(crate) struct Portable;

impl Linking for Portable {
    const PORTABLE: bool = true;
    const COLLECTED: bool = false;
}

/// Links for the variant of this build, and a collector may move arrays.
pub(crate) struct Collected;

impl Linking for Collected {
    const PORTABLE: bool = false;
    const COLLECTED: bool = true;
}
